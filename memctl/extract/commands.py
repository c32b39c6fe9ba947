"""Commands that were seen to work: the checks of the project, and what worked after the machine had refused an attempt.

Keeps true: a command is proposed only when a result of it is in the transcript and shows no failure, or when a person wrote it down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memctl.core.model import OPERATOR_IMPLIED, TOOL_RESULT, Candidate, Span, Turn
from memctl.extract import build
from memctl.extract.transcript_view import PROSE_CHARS, View

_TASK = r"[\w:.-]*(?:test|spec|lint|build|check|fmt|format|tsc|verify|\bci\b|e2e|clippy|vet|coverage|validate)[\w:.-]*"
_CHECK = re.compile(
    r"(?:\w+=\S+ +)?(?:"
    rf"(?:npm|pnpm|yarn|bun|deno)(?: +-\S+(?: +[\w./@-]+)?)? +(?:run +|exec +|task +)?{_TASK}"
    rf"|(?:mise|just|task|make|rake|invoke|inv|nx|turbo|lerna|hatch|pdm|moon)(?: +run)? +{_TASK}"
    r"|(?:npx|bunx|uv +run|poetry +run|bundle +exec|python3? +-m|pipx +run)(?: +--?\S+)? +"
    r"(?:pytest|unittest|tsc|jest|vitest|eslint|prettier|mypy|ruff|black|rspec|playwright|tox|nox)"
    r"|(?:pytest|tox|nox|ruff|mypy|eslint|tsc|vitest|jest|golangci-lint|staticcheck|gofmt|rspec|rubocop|phpunit|ctest|shellcheck"
    r"|pre-commit)\b"
    r"|(?:go|cargo|swift|dotnet|zig|mix|gradle|\./gradlew|mvn|\./mvnw|sbt|stack|cabal|bazel|flutter|dart) +(?:run +)?"
    r"(?:test|build|vet|clippy|check|fmt|lint|verify|analyze)\b"
    r"|xcodebuild\b|terraform +(?:validate|plan|fmt)|docker +compose +build"
    r")[^|;&<>\n]*"
)
_CD = re.compile(r"cd +[\w./~@-]+ *&& *$")
_NARROW = re.compile(
    r" -run\b| -k\b|::| --grep\b| -t +\S| --filter\b|\.(?:test|spec)\.\w+|test_\w+\.py| -count\b|/tmp/| -o "
    r"|\S/\S+\.\w{1,4}\b"
)
_CLASSES = (
    ("format", re.compile(r"fmt|format|prettier|black")),
    ("lint", re.compile(r"lint|vet|clippy|ruff|eslint|staticcheck|rubocop|shellcheck")),
    ("types", re.compile(r"tsc|typecheck|type-check|mypy")),
    ("test", re.compile(r"test|spec|jest|nox|tox|ci\b|e2e|verify|check")),
    ("build", re.compile(r"build|compile")),
)
_FAILED = re.compile(
    r"(?:^|\n)\s{0,8}(?:--- FAIL|FAIL\b|FAILED\b|npm ERR!|panic:|Traceback )|\b[1-9]\d* (?:failed|failing)\b"
    r"|command not found"
)
_REFUSED = re.compile(
    r"command not found|No module named|externally-managed|[Pp]ermission denied|unknown (?:option|flag|command|subcommand)"
    r"|unrecognized (?:option|argument)s?"
    r"|not installed|Cannot find module|EACCES|could not (?:connect|resolve)|is not recognized|is not a function|has no attribute"
    r"|unsupported"
    r"|requires? (?:a |python|node|go )"
)
_LOOKS = re.compile(
    r"^(?:cd \S+ && *)?(?:ls|cat|sed|head|tail|rg|grep|find|which|echo|wc|stat|file|tree|awk|pwd)\b"
)
_SANDBOX = re.compile(r"sandbox|Operation not permitted", re.IGNORECASE)
_REACH = 30


@dataclass(frozen=True, slots=True)
class _Call:
    """A shell command with its result."""

    index: int
    text: str
    result: int | None
    ok: bool


class _Check:
    """A check command: how often and how generally it was used, and whether a person wrote it down."""

    def __init__(self, span: Span) -> None:
        self.span = span
        self.weight = 0.0
        self.written = False


def propose(view: View) -> Iterator[Candidate]:
    """The project's checks as one candidate, and each way around a refusal of the machine."""
    calls = list(_calls(view))
    yield from _checks(view, calls)
    yield from _detours(view, calls)


def _calls(view: View) -> Iterator[_Call]:
    results = {
        turn.call_id: i
        for i, turn in enumerate(view.turns)
        if turn.kind == "tool_result" and turn.call_id
    }
    for i, turn in enumerate(view.turns):
        if turn.kind == "tool_call" and turn.data.get("command"):
            result = results.get(turn.call_id or "") or _next_result(view, i)
            yield _Call(i, turn.text, result, result is not None and _worked(view.turns[result]))


def _next_result(view: View, index: int) -> int | None:
    following = index + 1
    return (
        following
        if following < len(view.turns) and view.turns[following].kind == "tool_result"
        else None
    )


def _worked(turn: Turn) -> bool:
    return (
        turn.ok is not False
        and not turn.data.get("exit_code")
        and not turn.data.get("refused")
        and not _FAILED.search(turn.text)
    )


def _checks(view: View, calls: list[_Call]) -> Iterator[Candidate]:
    """Up to three check commands that passed or that were written down: one of each class, the general before the narrow."""
    found: dict[str, _Check] = {}
    for call in calls:
        if call.ok:
            for piece in _check_spans(call.index, call.text):
                _count(found, piece, 1.0, False)
    for index, turn in enumerate(view.turns):
        if (turn.kind == "plan" and turn.ok is True) or (
            turn.role == "human" and turn.kind == "text"
        ):
            for piece in _written_checks(index, turn.text[:PROSE_CHARS]):
                _count(found, piece, 2.0, True)
    chosen = _one_of_each_class(found)
    if chosen:
        yield _verify_candidate(view, chosen)


def _count(found: dict[str, _Check], piece: Span, weight: float, written: bool) -> None:
    key = build.flat(piece.quote)
    check = found.setdefault(key, _Check(piece))
    check.weight += weight * (0.3 if _is_narrow(key) else 1.0)
    check.written = check.written or written


def _one_of_each_class(found: dict[str, _Check]) -> list[_Check]:
    chosen: list[_Check] = []
    covered: set[str] = set()
    for key, check in sorted(found.items(), key=_rank):
        if chosen and _is_narrow(key) and not _is_narrow(build.flat(chosen[0].span.quote)):
            break
        if len(chosen) < build.SPAN_LIMIT and not _classes(key) <= covered:
            chosen.append(check)
            covered |= _classes(key)
    return sorted(chosen, key=lambda check: -check.weight)


def _rank(item: tuple[str, _Check]) -> tuple[bool, int, float]:
    """The general before the narrow, what covers more classes before what covers fewer, the frequent before the rare."""
    key, check = item
    return _is_narrow(key), -len(_classes(key)) if check.weight >= 1 else 0, -check.weight


def _is_narrow(command: str) -> bool:
    return bool(_NARROW.search(command)) or len(command) > 110


def _classes(command: str) -> set[str]:
    return {name for name, mark in _CLASSES if mark.search(command)} or {"other"}


def _verify_candidate(view: View, chosen: list[_Check]) -> Candidate:
    spans = [check.span for check in chosen]
    content = (
        "Verify with " + ", then ".join(f"`{build.flat(piece.quote)}`" for piece in spans) + "."
    )
    trust = OPERATOR_IMPLIED if any(check.written for check in chosen) else TOOL_RESULT
    score = min(0.7, 0.45 + 0.03 * sum(check.weight for check in chosen))
    return build.candidate(
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


def _check_spans(index: int, text: str) -> Iterator[Span]:
    """The check commands inside a shell line; neighbours joined by `&&` stay together, as does a `cd` before them."""
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


def _written_checks(index: int, text: str) -> Iterator[Span]:
    """Check commands that stand in backticks or as the last line of a fence."""
    for match in re.finditer(
        r"`([^`\n]{6,160})`|(?:^|\n)[ \t]{0,8}(?:\$ )?([\w./]+ [^\n`]{4,150})(?=\n[ \t]{0,8}```)",
        text,
    ):
        group = 1 if match.group(1) else 2
        for piece in _check_spans(index, match.group(group)):
            low = match.start(group) + piece.start
            yield Span(index, low, low + len(piece.quote), piece.quote)


def _detours(view: View, calls: list[_Call]) -> Iterator[Candidate]:
    """A command that the machine refused, and the one with the same aim that then worked."""
    done: set[str] = set()
    for n, call in enumerate(calls):
        refused = _refusal_span(view, call)
        if refused is None:
            continue
        later = calls[n + 1 : n + 1 + _REACH]
        better = next(
            (c for c in later if c.ok and c.text != call.text and _same_aim(call.text, c.text)),
            None,
        )
        if better is None or better.text in done:
            continue
        done.add(better.text)
        worked = Span(better.index, 0, len(better.text), better.text)
        failed, instead = build.shortened(call.text, 160), build.shortened(better.text, 240)
        content = f"`{failed}` failed here ({build.flat(refused.quote)}); this worked: `{instead}`."
        title = f"What works instead of {build.shortened(call.text, 50)}"
        spans = [refused, worked]
        yield build.candidate(
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


def _refusal_span(view: View, call: _Call) -> Span | None:
    """The line of the result that says why the machine refused; a look around that found nothing is no refusal."""
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


def _same_aim(failed: str, worked: str) -> bool:
    """At least two words in common, and at least half of the failed command's."""
    one, two = set(_words(failed)), set(_words(worked))
    return len(one & two) >= 2 and len(one & two) >= 0.5 * len(one)


def _words(command: str) -> list[str]:
    plain = re.sub(r"\bcd +\S+ *&&", "", command)
    return [word for word in re.findall(r"[\w./@:-]{2,}", plain) if not word.startswith("-")]
