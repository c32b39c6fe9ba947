"""What is worth keeping of a conversation whose older turns fall out of view: a few statements.

One turn after the other is read, with what was kept so far and the turn before it, never the whole
conversation: decisions, rules, corrections and open work by the rules of extraction, and of each
other turn what it was about. What a later turn takes back or changes is kept as it stands. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memctl.core.frozen import dataclass, replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import (
    AGENT_CLAIMED,
    OPERATOR_SAID,
    STANDING_KINDS,
    Candidate,
    Span,
    Transcript,
    Turn,
)
from memctl.extract import build, overruling, propose_by_rules
from memctl.extract.transcript_view import TranscriptView

# Characters of a turn that are read for notes, and kept of the turn before; chosen by hand.
READ_CHARS = 8000
# Characters of what says what a turn was about.
_GIST_CHARS = 160
# What a note weighs beside the confidence of its rule, by kind; chosen by hand.
_WEIGHTS = {"decision": 1.0, **dict.fromkeys(STANDING_KINDS, 1.0), "todo": 0.9, "fact": 0.5}
_OTHER_WEIGHT = 0.3
_GIST_WEIGHT = 0.1
# Kinds of notes that no rule of extraction gives: what was asked for, and what was answered.
ASKED = "asked"
ANSWERED = "answered"
_GISTS = (ASKED, ANSWERED)
# The rule of a candidate that was a note before.
_RULE = "running-notes"
# So many turns between two notes are as good as any number, and what each of them says.
_MOST_BETWEEN = 8
_NOTHING_SAID = "ok"
# How an agent, or a person, says that work is left.
_OPEN = compile_later(
    r"\b(?:still (?:need|have|has|needs) to|(?:is|are|remains?) (?:left|still open|open|to be done)"
    r"|next steps?\b|to-?dos?\b|not (?:done|finished|implemented) yet|remaining (?:work|steps?)"
    r"|(?:don't|do not) forget to|remember to|remind me)\b"
)


@dataclass(frozen=True, slots=True)
class RunningNote:
    """One statement of the conversation: its kind, what it says, and the words that said it.

    `turn` is the number of its turn in the conversation, `weight` how much it is worth keeping.
    """

    kind: str
    content: str
    quote: str
    role: str
    turn: int
    weight: float


def note_turn(
    notes: Sequence[RunningNote], before: Turn | None, turn: Turn, number: int
) -> list[RunningNote]:
    """Return the notes after one more turn. `before` is the turn that it answers, if any."""
    if before is not None and before.role == "human":
        # What it says was read in its own turn, and changes nothing twice.
        before = replace(before, text=_NOTHING_SAID)
    spoken = [each for each in (before, turn) if each is not None]
    recent = TranscriptView(_make_transcript(spoken))
    last = len(spoken) - 1
    found = [
        each
        for each in propose_by_rules(recent)
        if any(span.turn == last for span in each.evidence)
    ]
    kept = [note for note in notes if note.kind not in _GISTS]
    told, places = _tell_again(kept, number - len(spoken) + 1)
    view = TranscriptView(_make_transcript([*told, *spoken]))
    standing = overruling.settle_changes(
        view,
        [
            *(_to_candidate(note, at) for note, at in zip(kept, places, strict=True)),
            *(_move(each, len(told)) for each in found),
        ],
    )
    by_place = dict(zip(places, kept, strict=True))
    stated = _drop_repeated(_to_note(each, by_place, turn, number) for each in standing)
    said = {note.quote for note in stated}
    opened = [
        RunningNote("todo", text, text, turn.role, number, _WEIGHTS["todo"])
        for text in _list_open_work(recent, last)
        if text not in said
    ]
    gists = [note for note in notes if note.kind in _GISTS]
    if not any(note.turn == number for note in stated) and not opened:
        gists += _note_gist(recent, last, turn, number)
    return sorted([*stated, *opened, *gists], key=lambda note: note.turn)


def _tell_again(notes: Sequence[RunningNote], now: int) -> tuple[list[Turn], list[int]]:
    """The notes as turns, as far apart as they were said, and where each stands among them.

    What only points back ("make it 40") means something said shortly before.
    """
    turns: list[Turn] = []
    places = []
    ends = [*(note.turn for note in notes[1:]), now]
    for note, end in zip(notes, ends, strict=False):
        places.append(len(turns))
        turns.append(Turn(0, note.role, "text", note.quote))  # type: ignore[arg-type]
        between = min(_MOST_BETWEEN, (end - note.turn - 1) // 2)
        turns += [Turn(0, "human", "text", _NOTHING_SAID)] * between
    return turns, places


def _make_transcript(turns: Sequence[Turn]) -> Transcript:
    numbered = (
        replace(turn, seq=seq, text=turn.text[:READ_CHARS]) for seq, turn in enumerate(turns)
    )
    return Transcript("openai-messages", "chat", "", tuple(numbered))


def _to_candidate(note: RunningNote, at: int) -> Candidate:
    """A note as the candidate that it was, its evidence the turn that holds its words."""
    return Candidate(
        "decision" if note.kind == "decision" else "project",
        note.kind,
        "project",
        note.content,
        note.content,
        note.content,
        note.weight,
        OPERATOR_SAID if note.role == "human" else AGENT_CLAIMED,
        (Span(at, 0, len(note.quote), note.quote),),
        rule=_RULE,
    )


def _move(candidate: Candidate, by: int) -> Candidate:
    spans = tuple(replace(span, turn=span.turn + by) for span in candidate.evidence)
    corrects = candidate.corrects
    moved = None if corrects is None else replace(corrects, turn=corrects.turn + by)
    return replace(candidate, evidence=spans, corrects=moved)


def _to_note(
    candidate: Candidate, kept: Mapping[int, RunningNote], turn: Turn, number: int
) -> RunningNote:
    known = kept.get(candidate.evidence[0].turn)
    if known is not None and candidate.content == known.content:
        return known
    weight = candidate.confidence
    if candidate.rule != _RULE:
        weight += _WEIGHTS.get(candidate.kind, _OTHER_WEIGHT)
    # What a later turn changed is said in new words, which a further change has to find.
    quote = candidate.evidence[-1].quote if known is None else candidate.content
    role = turn.role if known is None else known.role
    return RunningNote(candidate.kind, candidate.content, quote, role, number, weight)


def _drop_repeated(notes: Iterable[RunningNote]) -> list[RunningNote]:
    last = {note.content.casefold(): note for note in notes}
    return list(last.values())


def _list_open_work(view: TranscriptView, index: int) -> list[str]:
    return [
        build.shorten(" ".join(sentence.text.split()), _GIST_CHARS)
        for sentence in view.sentences(index)
        if _OPEN.search(sentence.low)
    ]


def _note_gist(view: TranscriptView, index: int, turn: Turn, number: int) -> list[RunningNote]:
    """What a turn was about: the first sentence of what was asked, the last of an answer."""
    sentences = [each.text for each in view.sentences(index) if each.kind != "heading"]
    if turn.role not in ("human", "assistant") or not sentences:
        return []
    kind, text = (ASKED, sentences[0]) if turn.role == "human" else (ANSWERED, sentences[-1])
    gist = build.shorten(" ".join(text.split()), _GIST_CHARS)
    return [RunningNote(kind, gist, gist, turn.role, number, _GIST_WEIGHT)]
