"""Settings: built-in defaults, then the operator's config.yaml, then MEMCTL_* variables. The only module that reads the environment.

Every setting stands in one table with its default and its sentence, from which `memctl config --example` and the docs are made.
PyYAML is imported only where a config file exists.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from memctl.core.errors import ConfigError
from memctl.core.frozen import dataclass, field
from memctl.core.typing_lite import Any

# Set for every model and helper that memctl starts: one that is an agent with our hooks in it must not call us back.
HOOK_ACTIVE = "MEMCTL_HOOK_ACTIVE"
_FILE_ONLY = ("operator.", "promotion.", "capture.ignore", "maintain.model")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: dotted key, default (whose type is the setting's type), and what it does."""

    key: str
    default: Any
    help: str

    @property
    def variable(self) -> str | None:
        """The environment variable that overrides it; None for what decides on trust, since any agent sets variables."""
        return (
            None
            if self.key.startswith(_FILE_ONLY)
            else "MEMCTL_" + self.key.upper().replace(".", "_")
        )


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "operator.names",
        [],
        "Names under which you appear in chats; what anybody else says there does not count as yours.",
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
    ),
    Setting(
        "capture.hook_limit_mb", 8, "Hooks leave larger transcripts for the next `memctl maintain`."
    ),
    Setting(
        "capture.ignore",
        {"projects": [], "paths": [], "patterns": []},
        "What is never stored: sessions of these projects, sessions in or below these paths (globs), and what these expressions match.",
    ),
    Setting("redact.deep", False, "Also use the optional `redact-secret` package."),
    Setting("promotion.episodes", True, "Store episodes (one summary a session) active at once."),
    Setting(
        "promotion.rules",
        [],
        "Candidates that become active without you: a list of {type, kind, min_confidence, min_trust, project}; profile must be named.",
    ),
    Setting(
        "queue.max_attempts", 5, "Attempts before a failed ingestion is called dead (it is kept)."
    ),
    Setting(
        "queue.lease_seconds",
        300,
        "How long one `maintain` may hold an ingestion before another takes it over.",
    ),
    Setting("search.limit", 10, "Results of a search."),
    Setting(
        "search.floor",
        0.12,
        "Relevance a memory must reach at a prompt; half more where only words speak, a third less in a search.",
    ),
    Setting(
        "search.other_project_floor",
        0.45,
        "Relevance that a record of an unlinked project must reach.",
    ),
    Setting(
        "search.neighbours",
        0.15,
        "Share of its relevance that a hit gives to what was said just before or after it; 0 for none.",
    ),
    Setting("context.budget", 2000, "Tokens that a context may cost (about four characters each)."),
    Setting("context.level", 1, "0 titles, 1 summaries, 2 full content."),
    Setting("context.prompt_budget", 600, "Tokens that a context for one prompt may cost."),
    Setting("context.episodes", 2, "Recent episodes shown at most."),
    Setting(
        "context.always_budget",
        400,
        "Tokens that contexts may begin with beside their hits: what was pinned, else what you laid down, else what is in constant use.",
    ),
    Setting(
        "context.fresh_prompts",
        False,
        "At a prompt, leave out what the session was already told since it began or was compacted.",
    ),
    Setting(
        "decay.rates",
        {"project": 0.005, "artifact": 0.005, "episode": 0.006, "task_hint": 0.006},
        "How fast each type fades since it was confirmed or used: exp(-rate * days^0.8) is left; 0 never. Profile and decisions never do.",
    ),
    Setting(
        "decay.in_ranking",
        ["episode", "task_hint"],
        "Types that fade in searches too. Facts do not by default: measured, that hid more of what holds than it put the current first.",
    ),
    Setting(
        "decay.cold_confidence",
        0.4,
        "`maintain` proposes for the archive what is less sure by now than this, and ...",
    ),
    Setting(
        "decay.cold_heat",
        0.05,
        "... in less use (0 to 1; 8 uses just now are 0.5, and count half each month), and ...",
    ),
    Setting(
        "decay.cold_days", 90, "... was not observed, confirmed or used for this long; 0 never."
    ),
    Setting("decay.ask_again_days", 180, "Days before it proposes again what you kept."),
    Setting(
        "decay.archive_after_days",
        730,
        "`maintain` archives unprotected task hints and episodes unused for this long; 0 never.",
    ),
    Setting(
        "limits.max_active",
        {},
        "Most active records by type, or scope/type, in each project: {project: 500, global/project: 200}; the least used are archived.",
    ),
    Setting(
        "quality.mute_after",
        8,
        "Decisions of yours on candidates of one rule before `maintain` may propose to mute it; 0 never.",
    ),
    Setting(
        "quality.mute_below", 0.2, "... and you surely (9 in 10) keep less than this share of them."
    ),
    Setting(
        "tiers.sessions",
        3,
        "Sessions in which the same must happen before it is proposed as a fact or workflow; 0 never.",
    ),
    Setting("tiers.days", 3, "... and days that must lie between the first and the last of them."),
    Setting(
        "tiers.window_days",
        120,
        "How far back from a project's newest session repetitions are looked for.",
    ),
    Setting(
        "tiers.digest_after",
        3,
        "Sessions of a week in one project from which one digest of the week is written; 0 never.",
    ),
    Setting(
        "maintain.budget",
        0,
        "Seconds that one `memctl maintain` takes at most; it goes on next time. 0: as long as it needs.",
    ),
    Setting(
        "maintain.source_seconds",
        120,
        "Seconds after which a conversation still being extracted is set aside; 0 for no limit.",
    ),
    Setting(
        "maintain.model",
        "",
        "A model of `llm models` that `maintain` may ask; what it is shown may leave this machine. Empty: none.",
    ),
    Setting(
        "maintain.model_purposes",
        ["extract", "judge", "reflect", "word"],
        "What the model is asked for (see docs/models.md).",
    ),
    Setting(
        "maintain.model_calls_a_day", 100, "Questions to the model a day (UTC); 0 for no limit."
    ),
    Setting(
        "maintain.model_tokens_a_day",
        300000,
        "Tokens of questions and answers a day; 0 for no limit.",
    ),
    Setting(
        "maintain.model_cost_a_day",
        1.0,
        "What the model may cost a day, in the currency of the prices; 0 for no limit.",
    ),
    Setting("maintain.model_price_in", 0.0, "Price of a million tokens of questions."),
    Setting("maintain.model_price_out", 0.0, "Price of a million tokens of answers."),
    Setting(
        "maintain.model_timeout", 60, "Seconds after which a model that has not answered is ended."
    ),
    Setting(
        "maintain.model_chunk", 1500, "Tokens of a conversation that the model is shown at once."
    ),
    Setting(
        "maintain.model_memory_mb",
        8192,
        "Memory that the model's process may take; 0 for no limit.",
    ),
    Setting("logs.keep_days", 90, "Days that retrieval logs are kept; 0 for ever."),
    Setting(
        "embedding.model",
        "minilm",
        "What makes vectors: `minilm`, a model of `llm embed-models`, or `none` for words alone.",
    ),
    Setting(
        "embedding.backend",
        "auto",
        "How `minilm` runs: `kernel` (built where there was a C compiler), `numpy`, or `auto`.",
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
    ),
    Setting("backup.keep", 5, "Automatic backups kept beside the store."),
)
# What older files may still set, and what took its place: it is passed over, and `doctor` says so.
RETIRED: Mapping[str, str] = {"decay.half_life_days": "decay.rates"}
_BY_KEY = {setting.key: setting for setting in SETTINGS}
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force, each with where it came from (`default`, the file, or a variable)."""

    values: Mapping[str, Any]
    origins: Mapping[str, str]
    path: Path
    db: Path
    db_origin: str = "default"
    home: Path = field(default_factory=Path.home)

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    @property
    def spool(self) -> Path:
        """The folder that takes captures in while the store cannot."""
        return self.db.with_name(self.db.name + ".spool")

    @property
    def backups(self) -> Path:
        """The folder of automatic backups."""
        return self.db.with_name(self.db.name + ".backups")


def environ() -> Mapping[str, str]:
    """The process environment, for the few pure functions that are handed one."""
    return os.environ


def child_environ() -> Mapping[str, str]:
    """The environment for a program that memctl starts."""
    return {**os.environ, HOOK_ACTIVE: "1"}


def guard_children() -> None:
    """Let every program that a library starts on our behalf know it, from here to the end of the process."""
    os.environ[HOOK_ACTIVE] = "1"


def temporary_folder() -> Path:
    """Where programs put what nobody will miss (`tempfile` would try to write there first)."""
    return Path(
        next(
            (folder for name in ("TMPDIR", "TEMP", "TMP") if (folder := os.environ.get(name))),
            "/tmp",
        )
    )


def load(db: Path | None = None, env: Mapping[str, str] | None = None) -> Config:
    """The settings in force. Raises ConfigError naming the file, the key and what would be right."""
    env = os.environ if env is None else env
    home = Path(env.get("HOME") or Path.home())
    path = (
        Path(env["MEMCTL_CONFIG"])
        if env.get("MEMCTL_CONFIG")
        else _xdg(env, home, "XDG_CONFIG_HOME", ".config") / "config.yaml"
    )
    values = {setting.key: setting.default for setting in SETTINGS}
    origins = dict.fromkeys(values, "default")
    for key, value in _from_file(path).items():
        if key in RETIRED:
            origins[key] = RETIRED[key]
        else:
            values[key], origins[key] = value, str(path)
    for setting in SETTINGS:
        text = env.get(setting.variable) if setting.variable else None
        if text is not None:
            values[setting.key], origins[setting.key] = (
                _from_text(setting, text),
                str(setting.variable),
            )
    store, origin = _store_path(db, env, home)
    return Config(values, origins, path, store, origin, home)


def agent_name(env: Mapping[str, str] | None = None) -> str | None:
    """The agent that calls us: MEMCTL_AGENT, or what its own variables give away."""
    env = os.environ if env is None else env
    if env.get("MEMCTL_AGENT"):
        return env["MEMCTL_AGENT"]
    marks = {
        "CLAUDECODE": "claude-code",
        "GEMINI_CLI": "gemini-cli",
        "CODEX_SANDBOX": "codex",
        "CURSOR_AGENT": "cursor",
    }
    return next((agent for variable, agent in marks.items() if env.get(variable)), None)


def editor(env: Mapping[str, str] | None = None) -> str:
    """The command that edits a text file: VISUAL, EDITOR, else vi."""
    env = os.environ if env is None else env
    return env.get("VISUAL") or env.get("EDITOR") or "vi"


def example() -> str:
    """A commented config.yaml with every setting at its default."""
    lines = ["# memctl settings; every line shows its default. Remove the # of those you change."]
    section = ""
    for setting in SETTINGS:
        group, _, name = setting.key.partition(".")
        if group != section:
            lines += ["", f"{group}:"]
            section = group
        lines += [f"  # {setting.help}", f"#  {name}: {_yaml_scalar(setting.default)}"]
    return "\n".join(lines) + "\n"


def _xdg(env: Mapping[str, str], home: Path, variable: str, fallback: str) -> Path:
    return Path(env.get(variable) or home / fallback) / "memctl"


def _store_path(db: Path | None, env: Mapping[str, str], home: Path) -> tuple[Path, str]:
    if db is not None:
        return db.expanduser().absolute(), "--db"
    if env.get("MEMCTL_DB"):
        return Path(env["MEMCTL_DB"]).expanduser().absolute(), "MEMCTL_DB"
    return (_xdg(env, home, "XDG_DATA_HOME", ".local/share") / "memory.db").absolute(), "default"


def _from_file(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    return {
        key: _checked(path, key, value)
        for key, value in _flat(path, _parse_yaml(path, text)).items()
    }


def _parse_yaml(path: Path, text: str) -> Any:
    import yaml

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error


def _flat(path: Path, tree: Any) -> dict[str, Any]:
    if tree is None:
        return {}
    if not isinstance(tree, dict) or not all(
        part is None or isinstance(part, dict) for part in tree.values()
    ):
        raise ConfigError(
            f"{path}: must hold sections with settings, as `memctl config --example` shows"
        )
    return {
        f"{section}.{name}": value
        for section, part in tree.items()
        for name, value in (part or {}).items()
    }


def _checked(path: Path, key: str, value: Any) -> Any:
    if key in RETIRED:
        return value
    setting = _BY_KEY.get(key)
    if setting is None:
        import difflib

        close = difflib.get_close_matches(key, _BY_KEY, 1)
        raise ConfigError(
            f"{path}: no setting is called {key}" + (f"; did you mean {close[0]}?" if close else "")
        )
    wanted = type(setting.default)
    if wanted is float and type(value) is int:
        return float(value)
    if type(value) is not wanted:
        raise ConfigError(f"{path}: {key} must be {_type_name(wanted)}, not {value!r}")
    if wanted is not dict:
        return value
    is_numbers = all(isinstance(item, int | float) for item in setting.default.values())
    return (
        _numbers(path, key, setting.default, value)
        if is_numbers
        else _lists(path, key, setting.default, value)
    )


def _numbers(
    path: Path, key: str, known: Mapping[str, Any], given: Mapping[Any, Any]
) -> dict[str, Any]:
    """A setting that holds numbers of 0 and more by name; names not given keep their defaults, and any name goes if there are none."""
    for name, item in given.items():
        if known and name not in known:
            raise ConfigError(f"{path}: {key} has {', '.join(known)}, not {name!r}")
        if (
            isinstance(item, bool)
            or not isinstance(item, int | float)
            or not 0 <= item < float("inf")
        ):
            raise ConfigError(f"{path}: {key}.{name} must be a number, 0 or more, not {item!r}")
    return {**known, **{str(name): item for name, item in given.items()}}


def _lists(
    path: Path, key: str, known: Mapping[str, Any], given: Mapping[Any, Any]
) -> dict[str, list[str]]:
    """A setting that holds lists of texts. Raises ConfigError, also for an expression that cannot be run on any text."""
    for name, items in given.items():
        if name not in known:
            raise ConfigError(f"{path}: {key} has {', '.join(known)}, not {name!r}")
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise ConfigError(f"{path}: {key}.{name} must be a list of texts, not {items!r}")
    for item in given.get("patterns", ()):
        _check_pattern(path, f"{key}.patterns", item)
    return {name: given.get(name, []) for name in known}


def _check_pattern(path: Path, key: str, text: str) -> None:
    from memctl.text.safe_regex import Unsafe, bounded

    try:
        bounded(text)
    except Unsafe as error:
        raise ConfigError(f"{path}: {key}: {text!r} cannot be used: {error}") from error


def _from_text(setting: Setting, text: str) -> Any:
    wanted = type(setting.default)
    try:
        if wanted is bool:
            return _boolean(text)
        return wanted(text)
    except ValueError as error:
        raise ConfigError(
            f"{setting.variable} must be {_type_name(wanted)}, not {text!r}"
        ) from error


def _boolean(text: str) -> bool:
    if text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    raise ValueError(text)


def _type_name(wanted: type) -> str:
    return {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "a section",
    }[wanted]


def _yaml_scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {item}" for name, item in value.items()) + "}"
    return '""' if value == "" else str(value)
