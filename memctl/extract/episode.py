"""The one episode of a session: what was asked, what was done, which files changed, how it ended.

Title and first evidence come from the first prompt, so a session that grows keeps its episode.
"""

from __future__ import annotations

import re
from itertools import islice
from pathlib import PurePosixPath

from memctl.core.model import AGENT_CLAIMED, OPERATOR_SAID, Candidate, Span
from memctl.extract import build
from memctl.extract.sentences import Sentence
from memctl.extract.transcript_view import TranscriptView

_FILES = 12
_SPOKEN = ("text", "command", "plan")
_DONE = re.compile(
    r"\b(?:done|fixed|implemented|added|created|moved|replaced|updated|changed|removed|committed"
    r"|shipped|refactored|migrated|wrote"
    r"|switched|completed|"
    r"(?:i've|i have) \w+ed|now (?:uses?|supports?|works?|builds?|passes|shows?)|(?:all )?tests "
    r"pass)\b"
)
# Where a part of an episode begins: at its start, or after the sentence before.
_LABEL = re.compile(r"(?:^|(?<=[.!?…] ))(Asked|Then|Done|Files|Ended): ")
_BUT = re.compile(r"^(?:let me|i'll|i will|now let|next|i need|i'm going)\b")


def propose_episode(view: TranscriptView) -> Candidate | None:
    """Propose the episode; None if nobody spoke."""
    spoken = [
        i
        for i, turn in enumerate(view.turns)
        if turn.role in ("human", "assistant") and turn.kind in _SPOKEN and turn.text.strip()
    ]
    if not spoken:
        return None
    first = next(
        (i for i in spoken if view.turns[i].kind == "plan" or _is_prompt(view, i)), spoken[0]
    )
    asked = _find_opening(view, first)
    done = None if view.transcript.is_chat else _find_closing(view)
    spans = [asked] + ([done] if done is not None and done != asked else [])
    # What the agent says it did stands in it: the whole is trusted no more than that.
    trust = OPERATOR_SAID if view.turns[first].role == "human" and done is None else AGENT_CLAIMED
    title = (view.transcript.title if view.transcript.is_chat else None) or build.make_title(
        asked.quote
    )
    subject = f"session {view.transcript.session_id}"
    return build.build_candidate(
        view,
        "episode",
        "episode",
        "summary",
        0.8,
        trust,
        spans,
        content=_compose_episode(view, asked, done),
        title=title,
        subject=subject,
    )


def _is_prompt(view: TranscriptView, index: int) -> bool:
    return view.turns[index].role == "human" and view.turns[index].kind == "text"


def _compose_episode(view: TranscriptView, asked: Span, done: Span | None) -> str:
    if view.transcript.is_chat:
        return f"Talk of {_list_people(view)}, beginning: {build.shorten(asked.quote, 300)}"
    parts = [f"Asked: {build.shorten(asked.quote, 300)}"]
    then = (
        view.sentences(i)
        for i in reversed(view.human)
        if i > asked.turn and view.turns[i].kind == "text"
    )
    later = [said[0].text for said in islice(filter(None, then), 5)]
    if later:
        parts.append(
            "Then: " + "; ".join(build.shorten(text, 90).rstrip(".,;:") for text in reversed(later))
        )
    if done is not None:
        parts.append(f"Done: {build.shorten(done.quote, 400)}")
    files = list_touched_files(view)
    if files:
        more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
        parts.append("Files: " + ", ".join(files[:_FILES]) + more)
    ending = _find_ending(view)
    if ending:
        parts.append(f"Ended: {ending}")
    return " ".join(part if part.endswith((".", "!", "?", "…")) else part + "." for part in parts)


def _list_people(view: TranscriptView) -> str:
    names = list(dict.fromkeys(view.turns[i].speaker for i in view.human if view.turns[i].speaker))
    return ", ".join(str(name) for name in names[:6]) or "several people"


def _find_opening(view: TranscriptView, index: int) -> Span:
    """The first statement of a prompt, or its first line."""
    parts = view.sentences(index)
    if parts:
        return build.make_span(next((s for s in parts[:3] if len(s.low.split()) >= 3), parts[0]))
    text = view.turns[index].text
    start = len(text) - len(text.lstrip())
    line = text[start:].split("\n", 1)[0][:300]
    return Span(index, start, start + len(line), line)


def _find_closing(view: TranscriptView) -> Span | None:
    """What the agent last reported as done, or the last whole sentence it wrote."""
    said = [_find_whole_sentence(view, i) for i in view.assistant[-6:]]
    for parts in reversed(said):
        report = next((s for s in parts if _DONE.search(s.low) and not _BUT.match(s.low)), None)
        if report is not None:
            return build.make_span(report)
    last = next((parts for parts in reversed(said) if parts), None)
    return build.make_span(last[0]) if last else None


def _find_whole_sentence(view: TranscriptView, index: int) -> list[Sentence]:
    return [
        s
        for s in view.sentences(index)
        if s.kind == "prose" and s.low[-1:] != ":" and len(s.low.split()) >= 5
    ]


def list_touched_files(view: TranscriptView) -> list[str]:
    """Files that were written, relative to the working folder where they are inside it."""
    files: dict[str, None] = {}
    for turn in view.turns:
        if turn.kind == "tool_call" and turn.data.get("action") in ("edit", "write"):
            files.update(
                dict.fromkeys(
                    _make_relative(str(name), view.transcript.cwd)
                    for name in turn.data.get("files") or ()
                )
            )
    return list(files)


def _make_relative(name: str, cwd: str | None) -> str:
    path = PurePosixPath(name)
    return str(path.relative_to(cwd)) if cwd and path.is_relative_to(cwd) else name


def _find_ending(view: TranscriptView) -> str | None:
    """The operator's last word, a plan or a question that ended the session; None after a
    report.
    """
    kinds = ("text", "rejection", "answer", "plan")
    last = next(
        (
            turn
            for turn in reversed(view.turns)
            if turn.role in ("human", "assistant") and turn.kind in kinds
        ),
        None,
    )
    if last is None:
        return None
    if last.kind == "plan":
        return "with a plan " + ("approved" if last.ok else "not approved")
    if last.role == "human":
        return f"with the operator's words: {build.shorten(last.text, 120)}"
    return "with a question to the operator" if last.text.rstrip().endswith("?") else None


def parse_episode_parts(content: str) -> dict[str, str]:
    """The parts of an episode by label (`Asked`, `Then`, `Done`, `Files`, `Ended`).

    Final full stops are cut. An episode that a person or an agent wrote has no parts.
    """
    parts: dict[str, str] = {}
    labels = list(_LABEL.finditer(content))
    ends = [*(label.start() for label in labels), len(content)][1:]
    for label, end in zip(labels, ends, strict=False):
        parts.setdefault(label[1], content[label.end() : end].strip().removesuffix("."))
    return parts
