"""Every setting with its default and its sentence, and the names that settings had before.

`memctl config --example` and docs/configuration.md are made from this table.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any

# What decides on trust can only be set in the operator's file: any agent sets variables.
_FILE_ONLY = ("operator.", "promotion.", "capture.ignore", "maintain.model", "sync.")


def name_variable(key: str) -> str | None:
    """Return the environment variable that overrides a setting; None if only the file can."""
    if key.startswith(_FILE_ONLY):
        return None
    return "MEMCTL_" + key.upper().replace(".", "_")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: dotted key, default (whose type is the setting's type), and what it does.

    A number, and each number of a section, lies from `low` to `high`; a text, and each text of a
    list, is one of `choices`, if there are any.
    """

    key: str
    default: Any
    help: str
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()

    @property
    def variable(self) -> str | None:
        """The environment variable that overrides it; None if only the file can."""
        return name_variable(self.key)


# Days. More than any memory lasts, and few enough to count back from today.
_MOST_DAYS = 36_500
# Tokens. More than any model reads at once.
MOST_TOKENS = 1_000_000
# Larger than any count of records, calls or money.
_MOST = 1_000_000_000
# Results. The vector index finds at most 4,096 at once, and a search asks it for twice its limit.
MOST_RESULTS = 1000
# Types whose confidence decays.
_DECAYING = ("project", "artifact", "episode", "task_hint")
# What a language model is asked for.
_PURPOSES = ("extract", "judge", "reflect", "word", "dream")

SETTINGS: tuple[Setting, ...] = (
    Setting(
        "operator.names",
        [],
        "Names under which you appear in chats; what anybody else says there does not count as "
        "yours.",
    ),
    Setting(
        "operator.require_terminal",
        True,
        "Profile facts and every rise of trust need you at a controlling terminal.",
    ),
    Setting(
        "capture.keep_raw",
        False,
        "Keep the original text beside the normalised turns (large; redacted all the same).",
    ),
    Setting(
        "capture.debounce_seconds",
        0,
        "Wait this long after a capture before extracting, so that a growing session is read once.",
        low=0,
        high=86400,
    ),
    Setting(
        "capture.hook_limit_mb",
        8,
        "Hooks leave larger transcripts for the next `memctl maintain`.",
        low=0,
        high=1024,
    ),
    Setting(
        "capture.ignore",
        {"projects": [], "paths": [], "patterns": []},
        "What is never stored: sessions of these projects, sessions in or below these paths "
        "(globs), and what these expressions match.",
    ),
    Setting(
        "hook.deadline_seconds",
        4.0,
        "Seconds after which a hook at a start or a prompt ends with an empty answer, whatever it "
        "waits for; one that takes a session in has five times as long, and then leaves it in the "
        "spool.",
        low=0.1,
        high=600,
    ),
    Setting(
        "hook.notices",
        True,
        "Tell you once a day, where the agent has a place for it (Claude Code, Gemini CLI) and at "
        "your terminal, that candidates, contradictions or captured sessions wait.",
    ),
    Setting("redact.deep", False, "Also use the optional `redact-secret` package."),
    Setting("promotion.episodes", True, "Store episodes (one summary a session) active at once."),
    Setting(
        "promotion.rules",
        [],
        "Candidates that become active without you: a list of {type, kind, min_confidence, "
        "min_trust, project}; profile must be named.",
    ),
    Setting(
        "queue.max_attempts",
        5,
        "Attempts before a failed ingestion is called dead (it is kept).",
        low=1,
        high=100,
    ),
    Setting(
        "queue.lease_seconds",
        300,
        "How long one `maintain` may hold an ingestion before another takes it over.",
        low=1,
        high=86400,
    ),
    Setting("search.limit", 10, "Results of a search.", low=1, high=MOST_RESULTS),
    Setting(
        "search.relevance_threshold",
        0.08,
        "Relevance that a record must reach in a search.",
        low=0,
        high=1,
    ),
    Setting(
        "search.similarity_threshold",
        0.2,
        "Semantic similarity (0 unrelated, 1 the same) from which a search looks at a record that "
        "has none of its words.",
        low=0,
        high=1,
    ),
    Setting(
        "search.link_threshold",
        0.3,
        "Relevance that a hit must reach to raise what applies to it or supports it.",
        low=0,
        high=1,
    ),
    Setting(
        "search.word_prior",
        1000,
        "How rare a word is, plain English says as loudly as this many records. A store of fewer "
        "hardly knows by itself.",
        low=1,
        high=_MOST,
    ),
    Setting(
        "search.other_project_threshold",
        0.45,
        "Relevance that a record of an unlinked project must reach.",
        low=0,
        high=1,
    ),
    Setting(
        "search.neighbour_boost",
        0.15,
        "Share of its relevance that a hit gives to what was said just before or after it; 0 for "
        "none.",
        low=0,
        high=1,
    ),
    Setting(
        "context.budget",
        2000,
        "Tokens that a context may cost (about four characters each).",
        low=0,
        high=MOST_TOKENS,
    ),
    Setting("context.level", 1, "0 titles, 1 summaries, 2 full content.", low=0, high=2),
    Setting(
        "context.prompt_budget",
        600,
        "Tokens that a context for one prompt may cost.",
        low=0,
        high=MOST_TOKENS,
    ),
    Setting(
        "context.prompt_threshold",
        0.5,
        "How sure it must be (0 to 1) that a prompt calls for a record before an agent is told it "
        "unasked.",
        low=0,
        high=1,
    ),
    Setting("context.prompt_hits", 5, "Records told at one prompt.", low=0, high=100),
    Setting("context.task_hits", 8, "Records told for a task.", low=0, high=100),
    Setting(
        "context.prompt_margin",
        0.9,
        "Beside the surest record of a prompt or task others are told only if they are this share "
        "as sure; 0 for all.",
        low=0,
        high=1,
    ),
    Setting(
        "context.similarity_threshold",
        0.44,
        "Semantic similarity (0 unrelated, 1 the same) from which a record answers a question in a "
        "prompt though they share no word.",
        low=0,
        high=1,
    ),
    Setting(
        "context.task_threshold",
        0.5,
        "The same for the task that a context is asked for.",
        low=0,
        high=1,
    ),
    Setting("context.episodes", 2, "Recent episodes shown at most.", low=0, high=100),
    Setting(
        "context.always_budget",
        400,
        "Tokens of a context that may go to records shown every time, whatever the task: pinned "
        "ones, then those that you stated yourself, then those in constant use.",
        low=0,
        high=MOST_TOKENS,
    ),
    Setting(
        "context.omit_already_served",
        True,
        "Tell a session (hooks, `context --session ID`) each record once, until the record changes "
        "or the session starts again, is cleared or compacted. false: at every prompt.",
    ),
    Setting(
        "decay.rates",
        {"project": 0.005, "artifact": 0.005, "episode": 0.006, "task_hint": 0.006},
        "How fast the confidence of each type decays since it was confirmed or used: "
        "exp(-rate * days^0.8) remains; 0: never. Profile and decisions never decay.",
        low=0,
        high=100,
    ),
    Setting(
        "decay.in_ranking",
        ["episode", "task_hint"],
        "Types whose decay also lowers their rank. Facts are left out by default: in the measured "
        "cases it hid more true records than it helped.",
        choices=_DECAYING,
    ),
    Setting(
        "decay.cold_confidence",
        0.4,
        "`maintain` proposes for the archive what is less sure by now than this, and ...",
        low=0,
        high=1,
    ),
    Setting(
        "decay.cold_usage",
        0.05,
        "... in less use (0 to 1; 8 uses just now are 0.5, and count half each month), and ...",
        low=0,
        high=1,
    ),
    Setting(
        "decay.cold_days",
        90,
        "... was not observed, confirmed or used for this long; 0 never.",
        low=0,
        high=_MOST_DAYS,
    ),
    Setting(
        "decay.ask_again_days",
        180,
        "Days before it proposes again what you kept.",
        low=0,
        high=_MOST_DAYS,
    ),
    Setting(
        "decay.archive_after_days",
        730,
        "`maintain` archives unprotected task hints and episodes unused for this long; 0 never.",
        low=0,
        high=_MOST_DAYS,
    ),
    Setting(
        "limits.max_active",
        {},
        "Most active records by type, scope/type or scope/*, in each project: {project: 500, "
        "global/project: 200, agent/*: 50}; the least sure are archived, the oldest first.",
        low=0,
        high=_MOST,
    ),
    Setting(
        "quality.mute_after",
        8,
        "Decisions of yours on candidates of one rule before `maintain` may propose to mute it; 0 "
        "never.",
        low=0,
        high=10000,
    ),
    Setting(
        "quality.mute_below",
        0.2,
        "... and you surely (9 in 10) keep less than this share of them.",
        low=0,
        high=1,
    ),
    Setting(
        "patterns.sessions",
        3,
        "Sessions in which the same must happen before it is proposed as a fact or workflow; 0 "
        "never.",
        low=0,
        high=1000,
    ),
    Setting(
        "patterns.days",
        3,
        "... and days that must lie between the first and the last of them.",
        low=0,
        high=_MOST_DAYS,
    ),
    Setting(
        "patterns.window_days",
        120,
        "How far back from a project's newest session repetitions are looked for.",
        low=1,
        high=_MOST_DAYS,
    ),
    Setting(
        "patterns.digest_after",
        3,
        "Sessions of a week in one project from which one digest of the week is written; 0 never.",
        low=0,
        high=1000,
    ),
    Setting(
        "maintain.budget",
        0,
        "Seconds that one `memctl maintain` takes at most; it goes on next time. 0: as long as it "
        "needs.",
        low=0,
        high=604800,
    ),
    Setting(
        "maintain.auto",
        True,
        "Where nothing has run `memctl maintain` for half an hour, a hook that leaves it work "
        "starts it in the background, at low priority, for at most five minutes.",
    ),
    Setting(
        "maintain.source_seconds",
        120,
        "Seconds after which a conversation still being extracted is set aside; 0 for no limit.",
        low=0,
        high=86400,
    ),
    Setting(
        "maintain.model",
        "",
        "A model of `llm models` that `maintain` may ask, or an agent: `agent:claude-code`, "
        "`agent:codex` or `agent:gemini-cli` (`agent:claude-code/haiku` names its model). What it "
        "is shown may leave this machine. Empty: none.",
    ),
    Setting(
        "maintain.model_program",
        "",
        "Where the program of an `agent:` is, if `maintain` does not find it on its PATH.",
    ),
    Setting(
        "maintain.model_purposes",
        ["extract", "judge", "reflect", "word", "dream"],
        "What the model is asked for (see docs/models.md).",
        choices=_PURPOSES,
    ),
    Setting(
        "maintain.model_calls_a_day",
        100,
        "Questions to the model a day (UTC); 0 for no limit.",
        low=0,
        high=_MOST,
    ),
    Setting(
        "maintain.model_tokens_a_day",
        300000,
        "Tokens of questions and answers a day; 0 for no limit.",
        low=0,
        high=_MOST,
    ),
    Setting(
        "maintain.model_cost_a_day",
        1.0,
        "What the model may cost a day, in the currency of the prices (an agent: in the dollars "
        "that it reports); 0 for no limit.",
        low=0,
        high=_MOST,
    ),
    Setting(
        "maintain.model_price_in", 0.0, "Price of a million tokens of questions.", low=0, high=_MOST
    ),
    Setting(
        "maintain.model_price_out", 0.0, "Price of a million tokens of answers.", low=0, high=_MOST
    ),
    Setting(
        "maintain.model_timeout",
        60,
        "Seconds after which a model that has not answered is ended (agents: 180 unless set).",
        low=1,
        high=86400,
    ),
    Setting(
        "maintain.model_chunk",
        1500,
        "Tokens of a conversation that the model is shown at once (agents: 6000 unless set).",
        low=200,
        high=MOST_TOKENS,
    ),
    Setting(
        "maintain.model_memory_mb",
        8192,
        "Memory that the model's process, or an agent's processes, may take; 0 for no limit.",
        low=0,
        high=1048576,
    ),
    Setting(
        "logs.keep_days",
        90,
        "Days that retrieval logs are kept; 0 for ever.",
        low=0,
        high=_MOST_DAYS,
    ),
    Setting(
        "journal.dir",
        "",
        "Folder in which `maintain` keeps daily notes and `memctl dream --approve` writes "
        "MEMORY.md (see docs/journal.md). Empty: `maintain` keeps none.",
    ),
    Setting(
        "journal.zone",
        "",
        "Where your days begin, such as Europe/Lisbon. Empty: the zone of this machine.",
    ),
    Setting(
        "journal.memory_budget",
        1500,
        "Tokens that a MEMORY.md may cost (about four characters each).",
        low=200,
        high=MOST_TOKENS,
    ),
    Setting(
        "journal.days",
        14,
        "How many days back `memctl dream` tells of sessions.",
        low=1,
        high=_MOST_DAYS,
    ),
    Setting(
        "vault.dir",
        "",
        "The folder of notes of `memctl vault`; if it is set, maintenance writes what changed.",
    ),
    Setting(
        "sync.others",
        "inbox",
        "What becomes of the records of other people: `inbox` (you decide on each) or `active` "
        "(they count as soon as they come, as theirs; never as yours).",
        choices=("inbox", "active"),
    ),
    Setting(
        "sync.encrypt",
        True,
        "Encrypt what is written to a new folder, so that whoever keeps the folder cannot read it.",
    ),
    Setting(
        "sync.seconds",
        120,
        "Seconds that `maintain` spends on syncing at most; it goes on next time.",
        low=1,
        high=86400,
    ),
    Setting(
        "sync.most_megabytes",
        64,
        "What one `maintain` sends and fetches at most; it goes on next time. 0: no limit.",
        low=0,
        high=1048576,
    ),
    Setting(
        "embedding.model",
        "minilm",
        "What makes vectors: `minilm`, a model of `llm embed-models`, or `none` for words alone.",
    ),
    Setting(
        "embedding.backend",
        "auto",
        "How `minilm` runs: `kernel` (built where there was a C compiler), `numpy`, or `auto`.",
        choices=("auto", "kernel", "numpy"),
    ),
    Setting(
        "embedding.weights",
        "",
        "Another place of `minilm`'s model.onnx than the installed package.",
    ),
    Setting("embedding.extension", True, "Load sqlite-vec, for an index of the vectors."),
    Setting(
        "backup.every_days",
        1,
        "Days after which `maintain` copies a store in which anything happened; 0 never.",
        low=0,
        high=_MOST_DAYS,
    ),
    Setting("backup.keep", 5, "Automatic backups kept beside the store.", low=1, high=1000),
)
BY_KEY: Mapping[str, Setting] = {setting.key: setting for setting in SETTINGS}

# Earlier names, which files and variables may still use. If a setting has both, the new one counts.
RENAMED: Mapping[str, str] = {
    "search.floor": "search.relevance_threshold",
    "search.other_project_floor": "search.other_project_threshold",
    "search.neighbours": "search.neighbour_boost",
    "context.fresh_prompts": "context.omit_already_served",
    "decay.cold_heat": "decay.cold_usage",
    "tiers.sessions": "patterns.sessions",
    "tiers.days": "patterns.days",
    "tiers.window_days": "patterns.window_days",
    "tiers.digest_after": "patterns.digest_after",
}
# Settings that are gone, with what took their place. They are passed over.
RETIRED: Mapping[str, str] = {"decay.half_life_days": "decay.rates"}
