"""Commands that worked: the project's checks, and the way around a refusal of the machine.

A command is proposed only when its result is in the transcript or a person wrote it down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_IMPLIED, TOOL_RESULT, Candidate, Span, Turn
from memctl.extract import build
from memctl.extract.sentences import flatten
from memctl.extract.transcript_view import PROSE_CHARS, TranscriptView

_TASK = (
    r"[\w:.-]*(?:test|spec|lint|build|check|fmt|format|tsc|verify|\bci\b|e2e|clippy|vet|coverage"
    r"|validate)[\w:.-]*"
)
_CHECK = compile_later(
    r"(?:\w+=\S+ +)?(?:"
    rf"(?:npm|pnpm|yarn|bun|deno)(?: +-\S+(?: +[\w./@-]+)?)? +(?:run +|exec +|task +)?{_TASK}"
    rf"|(?:mise|just|task|make|rake|invoke|inv|nx|turbo|lerna|hatch|pdm|moon)(?: +run)? +{_TASK}"
    r"|(?:npx|bunx|uv +run|poetry +run|bundle +exec|python3? +-m|pipx +run)(?: +--?\S+)? +"
    r"(?:pytest|unittest|tsc|jest|vitest|eslint|prettier|mypy|ruff|black|rspec|playwright|tox|nox)"
    r"|(?:pytest|tox|nox|ruff|mypy|eslint|tsc|vitest|jest|golangci-lint|staticcheck|gofmt|rspec"
    r"|rubocop|phpunit|ctest|shellcheck"
    r"|pre-commit)\b"
    r"|(?:go|cargo|swift|dotnet|zig|mix|gradle|\./gradlew|mvn|\./mvnw|sbt|stack|cabal|bazel"
    r"|flutter|dart) +(?:run +)?"
    r"(?:test|build|vet|clippy|check|fmt|lint|verify|analyze)\b"
    r"|xcodebuild\b|terraform +(?:validate|plan|fmt)|docker +compose +build"
    r")[^|;&<>\n]*"
)
_CD = compile_later(r"cd +[\w./~@-]+ *&& *$")
_NARROW = compile_later(
    r" -run\b| -k\b|::| --grep\b| -t +\S| --filter\b|\.(?:test|spec)\.\w+|test_\w+\.py| -count\b"
    r"|/tmp/| -o "
    r"|\S/\S+\.\w{1,4}\b"
)
_CLASSES = (
    ("format", compile_later(r"fmt|format|prettier|black")),
    ("lint", compile_later(r"lint|vet|clippy|ruff|eslint|staticcheck|rubocop|shellcheck")),
    ("types", compile_later(r"tsc|typecheck|type-check|mypy")),
    ("test", compile_later(r"test|spec|jest|nox|tox|ci\b|e2e|verify|check")),
    ("build", compile_later(r"build|compile")),
)
_FAILED = compile_later(
    r"(?:^|\n)\s{0,8}(?:--- FAIL|FAIL\b|FAILED\b|npm ERR!|panic:|Traceback )|\b[1-9]\d* "
    r"(?:failed|failing)\b"
    r"|command not found"
)
_REFUSED = compile_later(
    r"command not found|No module named|externally-managed|[Pp]ermission denied|unknown "
    r"(?:option|flag|command|subcommand)"
    r"|unrecognized (?:option|argument)s?"
    r"|not installed|Cannot find module|EACCES|could not (?:connect|resolve)|is not recognized"
    r"|is not a function|has no attribute"
    r"|unsupported"
    r"|requires? (?:a |python|node|go )"
)
_LOOKS = compile_later(
    r"^(?:cd \S+ && *)?(?:ls|cat|sed|head|tail|rg|grep|find|which|echo|wc|stat|file|tree|awk|pwd)\b"
)
_SANDBOX = compile_later(r"sandbox|Operation not permitted", re.IGNORECASE)
_REACH = 30


@dataclass(frozen=True, slots=True)
class ShellCall:
    """A shell command with its result."""

    index: int
    text: str
    result: int | None
    ok: bool


class _CheckCommand:
    """A check command: how often and how generally it ran, and whether a person wrote it down."""

    def __init__(self, span: Span) -> None:
        self.span = span
        self.weight = 0.0
        self.written = False


def propose_commands(view: TranscriptView) -> Iterator[Candidate]:
    """Propose the project's checks as one candidate, and each way around a refusal."""
    calls = list(list_shell_calls(view))
    yield from _list_checks(view, calls)
    yield from _find_workarounds(view, calls)


def list_shell_calls(view: TranscriptView) -> Iterator[ShellCall]:
    """List the shell commands of a session, each with its result and whether it worked."""
    results = {
        turn.call_id: i
        for i, turn in enumerate(view.turns)
        if turn.kind == "tool_result" and turn.call_id
    }
    for i, turn in enumerate(view.turns):
        if turn.kind == "tool_call" and turn.data.get("command"):
            result = results.get(turn.call_id or "") or _find_next_result(view, i)
            yield ShellCall(
                i, turn.text, result, result is not None and _has_worked(view.turns[result])
            )


def is_check(command: str) -> bool:
    """Whether a shell command runs a check: tests, a linter, a build."""
    return _CHECK.search(command) is not None


def _find_next_result(view: TranscriptView, index: int) -> int | None:
    following = index + 1
    return (
        following
        if following < len(view.turns) and view.turns[following].kind == "tool_result"
        else None
    )


def _has_worked(turn: Turn) -> bool:
    return (
        turn.ok is not False
        and not turn.data.get("exit_code")
        and not turn.data.get("refused")
        and not _FAILED.search(turn.text)
    )


def _list_checks(view: TranscriptView, calls: list[ShellCall]) -> Iterator[Candidate]:
    """At most three checks that passed or were written down, one of each class, general ones
    first.
    """
    found: dict[str, _CheckCommand] = {}
    for call in calls:
        if call.ok:
            for piece in _find_check_spans(call.index, call.text):
                _count_check(found, piece, 1.0, False)
    for index, turn in enumerate(view.turns):
        if (turn.kind == "plan" and turn.ok is True) or (
            turn.role == "human" and turn.kind == "text"
        ):
            for piece in _find_written_checks(index, turn.text[:PROSE_CHARS]):
                _count_check(found, piece, 2.0, True)
    chosen = _pick_one_per_class(found)
    if chosen:
        yield _build_verify_candidate(view, chosen)


def _count_check(
    found: dict[str, _CheckCommand], piece: Span, weight: float, written: bool
) -> None:
    key = flatten(piece.quote)
    check = found.setdefault(key, _CheckCommand(piece))
    check.weight += weight * (0.3 if _is_narrow(key) else 1.0)
    check.written = check.written or written


def _pick_one_per_class(found: dict[str, _CheckCommand]) -> list[_CheckCommand]:
    chosen: list[_CheckCommand] = []
    covered: set[str] = set()
    for key, check in sorted(found.items(), key=_rank_check):
        if chosen and _is_narrow(key) and not _is_narrow(flatten(chosen[0].span.quote)):
            break
        if len(chosen) < build.SPAN_LIMIT and not _classify_check(key) <= covered:
            chosen.append(check)
            covered |= _classify_check(key)
    return sorted(chosen, key=lambda check: -check.weight)


def _rank_check(item: tuple[str, _CheckCommand]) -> tuple[bool, int, float]:
    """Sort key: general before narrow, many classes before few, frequent before rare."""
    key, check = item
    return _is_narrow(key), -len(_classify_check(key)) if check.weight >= 1 else 0, -check.weight


def _is_narrow(command: str) -> bool:
    return bool(_NARROW.search(command)) or len(command) > 110


def _classify_check(command: str) -> set[str]:
    return {name for name, mark in _CLASSES if mark.search(command)} or {"other"}


def _build_verify_candidate(view: TranscriptView, chosen: list[_CheckCommand]) -> Candidate:
    spans = [check.span for check in chosen]
    content = "Verify with " + ", then ".join(f"`{flatten(piece.quote)}`" for piece in spans) + "."
    trust = OPERATOR_IMPLIED if any(check.written for check in chosen) else TOOL_RESULT
    score = min(0.7, 0.45 + 0.03 * sum(check.weight for check in chosen))
    return build.build_candidate(
        view,
        "commands.checks",
        "task_hint",
        "command",
        score,
        trust,
        spans,
        content=content,
        title=content,
    )


def _find_check_spans(index: int, text: str) -> Iterator[Span]:
    """The check commands in a shell line; commands joined by `&&` stay together, as does a
    leading `cd`.
    """
    start = end = -1
    for match in _CHECK.finditer(text):
        low, high = match.start(), match.start() + len(re.sub(r"\s+[12]?\s*$", "", match.group()))
        if low and (text[low - 1].isalnum() or text[low - 1] in "/_.-'\"=["):
            continue
        if end >= 0 and text[end:low].strip() == "&&":
            end = high
            continue
        if end >= 0:
            yield Span(index, start, end, text[start:end])
        before = _CD.search(text[:low])
        start, end = (before.start() if before else low), high
    if end > start >= 0:
        yield Span(index, start, end, text[start:end])


def _find_written_checks(index: int, text: str) -> Iterator[Span]:
    """Check commands in backticks or on the last line of a fenced block."""
    for match in re.finditer(
        r"`([^`\n]{6,160})`|(?:^|\n)[ \t]{0,8}(?:\$ )?([\w./]+ [^\n`]{4,150})(?=\n[ \t]{0,8}```)",
        text,
    ):
        group = 1 if match.group(1) else 2
        for piece in _find_check_spans(index, match.group(group)):
            low = match.start(group) + piece.start
            yield Span(index, low, low + len(piece.quote), piece.quote)


def _find_workarounds(view: TranscriptView, calls: list[ShellCall]) -> Iterator[Candidate]:
    """Pairs of a command that the machine refused and one with the same aim that then worked."""
    done: set[str] = set()
    for n, call in enumerate(calls):
        refused = _find_refusal_span(view, call)
        if refused is None:
            continue
        later = calls[n + 1 : n + 1 + _REACH]
        better = next(
            (c for c in later if c.ok and c.text != call.text and _has_same_aim(call.text, c.text)),
            None,
        )
        if better is None or better.text in done:
            continue
        done.add(better.text)
        worked = Span(better.index, 0, len(better.text), better.text)
        failed, instead = build.shorten(call.text, 160), build.shorten(better.text, 240)
        content = f"`{failed}` failed here ({flatten(refused.quote)}); this worked: `{instead}`."
        title = f"What works instead of {build.shorten(call.text, 50)}"
        spans = [refused, worked]
        yield build.build_candidate(
            view,
            "commands.detour",
            "task_hint",
            "fix",
            0.48,
            TOOL_RESULT,
            spans,
            content=content,
            title=title,
        )


def _find_refusal_span(view: TranscriptView, call: ShellCall) -> Span | None:
    """The line of the result that says why; a search that found nothing is no refusal."""
    if call.result is None or call.ok or _LOOKS.match(call.text):
        return None
    text = view.turns[call.result].text
    match = _REFUSED.search(text)
    if match is None or _SANDBOX.search(text[:4000]):
        return None
    low = text.rfind("\n", 0, match.start()) + 1
    high = text.find("\n", match.end())
    high = len(text) if high < 0 else high
    if high - low > 300:
        low, high = match.start(), match.end()
    return Span(call.result, low, high, text[low:high])


def _has_same_aim(failed: str, worked: str) -> bool:
    """Whether the commands share at least two words and half of those of the failed one."""
    one, two = set(_split_command_words(failed)), set(_split_command_words(worked))
    return len(one & two) >= 2 and len(one & two) >= 0.5 * len(one)


def _split_command_words(command: str) -> list[str]:
    plain = re.sub(r"\bcd +\S+ *&&", "", command)
    return [word for word in re.findall(r"[\w./@:-]{2,}", plain) if not word.startswith("-")]
