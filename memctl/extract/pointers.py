"""Where things are: pull requests, issues and branches of the session, and links that people
gave.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import AGENT_CLAIMED, OPERATOR_SAID, TOOL_RESULT, Candidate, Span
from memctl.extract import build
from memctl.extract.transcript_view import TranscriptView

_URL = compile_later(r"https?://[^\s<>()\[\]\"'`|]{6,300}")
_WORK = compile_later(
    r"https?://[\w.-]+/[\w./-]{3,120}/(?:pull|pulls|issues|merge_requests|commit)/[\w-]+"
)
_CREATES = compile_later(r"\b(?:gh|glab|hub) (?:pr|mr|issue|pull-request) create\b")
_MADE = compile_later(
    r"^\W{0,4}(?:done\W{1,3})?(?:i've |i have |i |now )?(?:created|committed|pushed|opened"
    r"|published|merged|on) [^.]{0,60}\b(?:branch"
    r"|commit|pr|pull request|tag|release)\b"
)
_THING = compile_later(r"branch|commit|\bPR\b|pull request|tag|release", re.IGNORECASE)
_NAME = compile_later(r"`[\w./-]{4,80}`")
_LIMIT = 4


def propose_pointers(view: TranscriptView) -> Iterator[Candidate]:
    """Propose one candidate for each target, at most four."""
    seen: dict[str, Candidate] = {}
    for found in _iterate_pointers(view):
        seen.setdefault(found.evidence[0].quote, found)
    yield from list(seen.values())[:_LIMIT]


def _iterate_pointers(view: TranscriptView) -> Iterator[Candidate]:
    links = [i for i, turn in enumerate(view.turns) if turn.kind == "link" and turn.text]
    for index in links:
        yield _describe_work(view, index, 0, len(view.turns[index].text))
    if not links:
        yield from _find_created(view)
    yield from _find_branches(view)


def _find_created(view: TranscriptView) -> Iterator[Candidate]:
    """Links that a tool printed after it created a pull request or an issue."""
    for index, turn in enumerate(view.turns):
        if turn.kind == "tool_call" and _CREATES.search(turn.text):
            for after in range(index + 1, min(index + 4, len(view.turns))):
                match = (
                    _WORK.search(view.turns[after].text)
                    if view.turns[after].kind == "tool_result"
                    else None
                )
                if match:
                    yield _describe_work(view, after, match.start(), match.end())
                    break


def _describe_work(view: TranscriptView, index: int, low: int, high: int) -> Candidate:
    turn = view.turns[index]
    url = turn.text[low:high]
    number = turn.data.get("number")
    name = (
        f"PR #{number} in {turn.data.get('repository')}"
        if number
        else "/".join(url.split("/")[-4:])
    )
    what = _find_subject(view)
    content = f"{name} ({url})" + (f": {what}" if what else "")
    title = f"{name}: {what}" if what else name
    found = [Span(index, low, high, url)]
    return build.build_candidate(
        view,
        "pointers.work",
        "artifact",
        "pointer",
        0.7,
        TOOL_RESULT,
        found,
        title=title,
        content=content,
    )


def _find_subject(view: TranscriptView) -> str:
    """What the work was about: the session's title, or the first request."""
    if view.transcript.title:
        return view.transcript.title
    opening = (
        i
        for i, turn in enumerate(view.turns)
        if turn.kind == "plan" or (turn.role, turn.kind) == ("human", "text")
    )
    parts = next((found for i in opening if (found := view.sentences(i))), [])
    return build.shorten(parts[0].text, 120) if parts else ""


def _find_branches(view: TranscriptView) -> Iterator[Candidate]:
    """The agent's statement that it created a branch or commit, by name."""
    for index in view.assistant:
        if not (_NAME.search(view.turns[index].text) and _THING.search(view.turns[index].text)):
            continue
        for sentence in view.sentences(index):
            if _MADE.search(sentence.low) and _NAME.search(sentence.text):
                yield build.build_candidate(
                    view,
                    "pointers.branch",
                    "artifact",
                    "pointer",
                    0.42,
                    AGENT_CLAIMED,
                    [build.make_span(sentence)],
                )


def find_given_links(view: TranscriptView, index: int) -> Iterator[Candidate]:
    """Links in a person's message, with the words around them."""
    text = view.turns[index].text
    for match in list(_URL.finditer(text))[:2]:
        url = match.group().rstrip(".,;:!?>")
        spans = [Span(index, match.start(), match.start() + len(url), url)]
        words = next((s for s in view.sentences(index) if s.start < match.start() < s.end), None)
        before = text[words.start : match.start()].rstrip(" <([:-\n") if words else ""
        if words and len(before.split()) >= 2:
            spans.append(Span(index, words.start, words.start + len(before), before))
        content = words.text if words else url
        yield build.build_candidate(
            view,
            "pointers.given",
            "task_hint",
            "pointer",
            0.4,
            OPERATOR_SAID,
            spans,
            content=content,
            title=content,
        )


def is_link(text: str) -> bool:
    """Whether a text is a link."""
    return "://" in text and bool(_URL.search(text))
