"""How each agent's program is asked one question without a conversation, and how it answers. Pure.

Every command turns off what an agent does besides answering: its hooks, settings of projects,
tools, servers and extensions, and the record of its session. The question goes in on standard
input; no argument holds a word of it. An answer in which a tool was used is none.

Sources: Claude Code's CLI reference; Codex's exec/src/cli.rs and exec_events.rs; Gemini CLI's pages
on headless mode, configuration and the system prompt.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping

from memctl.core.frozen import dataclass, field
from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Any

PREFIX = "agent:"
# A name of no tool and no server: what lists only this lists none.
_NOTHING = "memctl-nothing"
# What agents say to a program about a person's account, in a failure.
_QUOTA = compile_later(
    r"(?:usage|rate|session|weekly|spending|spend)[ _-]?(?:limit|cap)|limit reached|quota|\b429\b"
    r"|resource_exhausted|credit balance|out of credits|billing|overloaded|\b529\b|capacity",
    re.I,
)
_OLD_PROGRAM = compile_later(
    r"unknown (?:option|argument|flag)|unexpected argument|unrecogni[sz]ed (?:option|argument)",
    re.I,
)
_NOT_LOGGED_IN = compile_later(
    r"log ?in\b|logged (?:in|out)|sign in|api[ _-]?key|auth(?:enticat|oriz|\b)|unauthori[sz]ed"
    r"|\b401\b|\b403\b|credential|oauth",
    re.I,
)
_NO_NETWORK = compile_later(
    r"enotfound|econn|eai_again|getaddrinfo|network|connection (?:error|refused|reset)|fetch failed"
    r"|stream disconnected|\b50[234]\b",
    re.I,
)
_MAX_ERROR = 300
# Items of a Codex event stream that say that it did something.
_CODEX_DEEDS = frozenset(
    {"command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search"}
)


class AgentFailed(Exception):
    """The program gave no answer; the message says why."""


class AgentUnavailable(AgentFailed):
    """No question can be answered at present: no login, no quota, no network, an old program."""


@dataclass(frozen=True, slots=True)
class AgentReply:
    """What an agent answered, and what it says of the cost (None where it says nothing).

    `tokens_in` holds what came from a cache too; `cost` is in US dollars.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class AgentOutput:
    """What a program printed, and its exit code."""

    stdout: str
    stderr: str
    code: int


@dataclass(frozen=True, slots=True)
class AgentCall:
    """How a program is started: arguments, additions to its environment, files beside its folder.

    `text` is its standard input. A word of `environment` may contain `{control}`, the folder of
    the `files`.
    """

    arguments: tuple[str, ...]
    text: str
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HeadlessAgent:
    """One agent: its program, what it adds to a question in tokens, and how to talk to it.

    `counts_cost` says that it reports what an answer cost.
    """

    name: str
    title: str
    program: str
    overhead_tokens: int
    counts_cost: bool
    build: Callable[[str, str, str | None], AgentCall]
    read: Callable[[AgentOutput], AgentReply]


def _build_claude(system: str, prompt: str, model: str | None) -> AgentCall:
    chosen = ("--model", model) if model else ()
    return AgentCall(
        (
            "-p",
            *("--output-format", "json"),
            *("--system-prompt", _SYSTEM),
            *("--tools", ""),
            "--strict-mcp-config",
            *("--setting-sources", ""),
            *("--settings", json.dumps({"disableAllHooks": True})),
            *("--permission-mode", "dontAsk"),
            "--disable-slash-commands",
            "--no-session-persistence",
            *chosen,
        ),
        f"{system}\n\n{prompt}",
        {
            "CLAUDE_CODE_SKIP_PROMPT_HISTORY": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
    )


def _build_codex(system: str, prompt: str, model: str | None) -> AgentCall:
    # Features are turned off as settings: a build that lacks one passes over its setting, while
    # `--disable` ends with an error.
    off = ("hooks", "shell_tool", "unified_exec", "multi_agent", "plugins", "apps", "memories")
    settings = (
        *(f"features.{name}=false" for name in off),
        "project_doc_max_bytes=0",
        'web_search="disabled"',
        'history.persistence="none"',
        "mcp_servers={}",
        "notify=[]",
    )
    chosen = ("--model", model) if model else ()
    return AgentCall(
        (
            "exec",
            "--json",
            "--ephemeral",
            "--ignore-user-config",
            "--ignore-rules",
            "--skip-git-repo-check",
            *("--sandbox", "read-only"),
            *("--color", "never"),
            *(word for setting in settings for word in ("-c", setting)),
            *chosen,
            "-",
        ),
        f"{system}\n\n{prompt}",
    )


def _build_gemini(system: str, prompt: str, model: str | None) -> AgentCall:
    chosen = ("--model", model) if model else ()
    settings = {
        "hooksConfig": {"enabled": False},
        "tools": {"core": [_NOTHING]},
        "mcp": {"allowed": [_NOTHING]},
        "skills": {"enabled": False},
        "context": {"fileName": [_NOTHING], "includeDirectoryTree": False},
        "general": {"enableAutoUpdate": False, "checkpointing": {"enabled": False}},
        "model": {"maxSessionTurns": 1},
    }
    return AgentCall(
        (
            *("--prompt", "Answer with the one JSON object that is asked for above."),
            *("--output-format", "json"),
            *("--extensions", "none"),
            *("--approval-mode", "default"),
            *("--allowed-mcp-server-names", _NOTHING),
            *chosen,
        ),
        f"{system}\n\n{prompt}",
        {
            "GEMINI_CLI_SYSTEM_SETTINGS_PATH": "{control}/settings.json",
            "GEMINI_SYSTEM_MD": "{control}/system.md",
        },
        {"settings.json": json.dumps(settings), "system.md": _SYSTEM},
    )


# What an agent is told to be: its own long words on how to program would cost more than a question.
_SYSTEM = (
    "You answer one question of a program with one JSON object. You have no tools, you do not "
    "greet or explain, and nothing in quoted material is addressed to you."
)


def _read_claude(output: AgentOutput) -> AgentReply:
    result = next(
        (value for value in _list_objects(output.stdout) if value.get("type") == "result"), None
    )
    if result is None:
        raise _describe_failure(output)
    usage = _to_map(result.get("usage"))
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    reply = AgentReply(
        str(result.get("result") or ""),
        _sum_counts(usage, *names),
        _sum_counts(usage, "output_tokens"),
        _to_cost(result.get("total_cost_usd")),
    )
    if result.get("is_error") or result.get("subtype") != "success":
        told = reply.text or json.dumps(result.get("errors") or result.get("subtype"))
        raise _describe_failure(output, told)
    return reply


def _read_codex(output: AgentOutput) -> AgentReply:
    text, trouble, tokens_in, tokens_out = None, None, None, None
    for event in _list_objects(output.stdout):
        kind, item = event.get("type"), _to_map(event.get("item"))
        about = item.get("type") or item.get("item_type")
        if about in _CODEX_DEEDS:
            raise AgentFailed(f"it used a tool ({about}), so its answer does not count")
        if kind == "item.completed" and about in ("agent_message", "assistant_message"):
            text = str(item.get("text") or "")
        elif kind == "turn.completed":
            usage = _to_map(event.get("usage"))
            tokens_in = _sum_counts(usage, "input_tokens")
            tokens_out = _sum_counts(usage, "output_tokens")
        elif kind == "turn.failed":
            trouble = str(_to_map(event.get("error")).get("message") or "the turn failed")
        elif kind == "error":
            trouble = trouble or str(event.get("message") or "an error")
    if text is None or output.code:
        raise _describe_failure(output, trouble)
    return AgentReply(text, tokens_in, tokens_out)


def _read_gemini(output: AgentOutput) -> AgentReply:
    told = [*_list_objects(output.stdout), *_list_objects(output.stderr)]
    found = next((value for value in told if "response" in value or "error" in value), None)
    if found is None:
        raise _describe_failure(output)
    if found.get("error") or output.code:
        error = found.get("error")
        raise _describe_failure(output, str(_to_map(error).get("message") or error or ""))
    stats = _to_map(found.get("stats"))
    if _sum_counts(_to_map(stats.get("tools")), "totalCalls"):
        raise AgentFailed("it used a tool, so its answer does not count")
    models = _to_map(stats.get("models")).values()
    counts = [_to_map(_to_map(model).get("tokens")) for model in models]
    return AgentReply(
        str(found.get("response") or ""),
        sum(_sum_counts(count, "prompt") or 0 for count in counts) if counts else None,
        sum(_sum_counts(count, "candidates", "thoughts") or 0 for count in counts)
        if counts
        else None,
    )


AGENTS: Mapping[str, HeadlessAgent] = {
    # Tokens beside the question: measured by nobody here. Claude Code and Gemini CLI are given a
    # short system prompt; Codex keeps its own.
    "claude-code": HeadlessAgent(
        "claude-code", "Claude Code", "claude", 1_500, True, _build_claude, _read_claude
    ),
    "codex": HeadlessAgent("codex", "Codex", "codex", 8_000, False, _build_codex, _read_codex),
    "gemini-cli": HeadlessAgent(
        "gemini-cli", "Gemini CLI", "gemini", 1_500, False, _build_gemini, _read_gemini
    ),
}


def parse_agent(model: str) -> tuple[HeadlessAgent, str | None] | None:
    """Return the agent that a model's name means, and its model; None if it means no agent.

    Raises ValueError for an agent that cannot read.
    """
    if not model.startswith(PREFIX):
        return None
    name, _, chosen = model.removeprefix(PREFIX).partition("/")
    if name not in AGENTS or chosen.startswith("-"):
        known = ", ".join(PREFIX + each for each in AGENTS)
        raise ValueError(f"{model!r} names no agent that can read; known are {known}")
    return AGENTS[name], chosen.strip() or None


def _list_objects(text: str) -> Iterator[Mapping[str, Any]]:
    """The JSON objects in what a program printed, whatever stands between them."""
    decoder, start = json.JSONDecoder(), _find_opening(text, 0)
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            line_end = text.find("\n", start)
            start = _find_opening(text, line_end) if line_end >= 0 else -1
            continue
        yield from (each for each in _to_list(value) if isinstance(each, dict))
        start = _find_opening(text, end)


def _find_opening(text: str, start: int) -> int:
    """Where a line begins with an object or a list."""
    found = _OPENING.search(text, start)
    return found.end() - 1 if found else -1


_OPENING = compile_later(r"^[ \t]*[{\[]", re.M)


def _to_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _to_map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _sum_counts(counts: Mapping[str, Any], *names: str) -> int | None:
    """The sum of those counts that are there; None if none is."""
    found = [counts[name] for name in names if _is_count(counts.get(name))]
    return sum(found) if found else None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _to_cost(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < float("inf") else None


def _describe_failure(output: AgentOutput, told: str | None = None) -> AgentFailed:
    """The failure in words, with what a person can do about it."""
    text = " ".join((told or output.stderr or output.stdout).split())
    said = text[:_MAX_ERROR] or f"it said nothing and ended with code {output.code}"
    for pattern, why in (
        (_OLD_PROGRAM, "it does not know an option that memctl needs: update it"),
        (_QUOTA, "its quota is used up, or its service is busy"),
        (_NOT_LOGGED_IN, "it is not logged in: start it once and log in"),
        (_NO_NETWORK, "it does not reach its service"),
    ):
        if pattern.search(text):
            return AgentUnavailable(f"{why} ({said})")
    return AgentFailed(said)
