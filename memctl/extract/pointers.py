"""Where things are: pull requests, issues and branches that the session made, and links that people gave each other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.model import AGENT_CLAIMED, OPERATOR_SAID, TOOL_RESULT, Candidate, Span
from memctl.extract import build
from memctl.extract.transcript_view import View

_URL = re.compile(r"https?://[^\s<>()\[\]\"'`|]{6,300}")
_WORK = re.compile(
    r"https?://[\w.-]+/[\w./-]{3,120}/(?:pull|pulls|issues|merge_requests|commit)/[\w-]+"
)
_CREATES = re.compile(r"\b(?:gh|glab|hub) (?:pr|mr|issue|pull-request) create\b")
_MADE = re.compile(
    r"^\W{0,4}(?:done\W{1,3})?(?:i've |i have |i |now )?(?:created|committed|pushed|opened|published|merged|on) [^.]{0,60}\b(?:branch"
    r"|commit|pr|pull request|tag|release)\b"
)
_THING = re.compile(r"branch|commit|\bPR\b|pull request|tag|release", re.IGNORECASE)
_NAME = re.compile(r"`[\w./-]{4,80}`")
_LIMIT = 4


def propose(view: View) -> Iterator[Candidate]:
    """One candidate for each thing pointed at, at most four."""
    seen: dict[str, Candidate] = {}
    for found in _all(view):
        seen.setdefault(found.evidence[0].quote, found)
    yield from list(seen.values())[:_LIMIT]


def _all(view: View) -> Iterator[Candidate]:
    links = [i for i, turn in enumerate(view.turns) if turn.kind == "link" and turn.text]
    for index in links:
        yield _work(view, index, 0, len(view.turns[index].text))
    if not links:
        yield from _created(view)
    yield from _branches(view)


def _created(view: View) -> Iterator[Candidate]:
    """Links that a tool printed after it made a pull request or an issue."""
    for index, turn in enumerate(view.turns):
        if turn.kind == "tool_call" and _CREATES.search(turn.text):
            for after in range(index + 1, min(index + 4, len(view.turns))):
                match = (
                    _WORK.search(view.turns[after].text)
                    if view.turns[after].kind == "tool_result"
                    else None
                )
                if match:
                    yield _work(view, after, match.start(), match.end())
                    break


def _work(view: View, index: int, low: int, high: int) -> Candidate:
    turn = view.turns[index]
    url = turn.text[low:high]
    number = turn.data.get("number")
    name = (
        f"PR #{number} in {turn.data.get('repository')}"
        if number
        else "/".join(url.split("/")[-4:])
    )
    what = _about(view)
    content = f"{name} ({url})" + (f": {what}" if what else "")
    title = f"{name}: {what}" if what else name
    found = [Span(index, low, high, url)]
    return build.candidate(
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


def _about(view: View) -> str:
    """What the work was about: the session's title, or what was asked first."""
    if view.transcript.title:
        return view.transcript.title
    opening = (
        i
        for i, turn in enumerate(view.turns)
        if turn.kind == "plan" or (turn.role, turn.kind) == ("human", "text")
    )
    parts = next((found for i in opening if (found := view.sentences(i))), [])
    return build.shortened(parts[0].text, 120) if parts else ""


def _branches(view: View) -> Iterator[Candidate]:
    """The agent's statement that it made a branch or commit, by name."""
    for index in view.assistant:
        if not (_NAME.search(view.turns[index].text) and _THING.search(view.turns[index].text)):
            continue
        for sentence in view.sentences(index):
            if _MADE.search(sentence.low) and _NAME.search(sentence.text):
                yield build.candidate(
                    view,
                    "pointers.branch",
                    "artifact",
                    "pointer",
                    0.42,
                    AGENT_CLAIMED,
                    [build.span(sentence)],
                )


def links_given(view: View, index: int) -> Iterator[Candidate]:
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
        yield build.candidate(
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
    """Whether a text gives a link."""
    return "://" in text and bool(_URL.search(text))
