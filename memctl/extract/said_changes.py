"""What the operator says that changes, sentence by sentence, and as a statement of its own.

A change may take two sentences (`sled is a dead end. we replace it with plain files`). One that
leans on another statement (`make it 40 instead`) is told with that statement's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from memctl.core.frozen import dataclass, replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Candidate, Span
from memctl.extract import build, one_off, pasted, reasons, session_cues
from memctl.extract.sentences import Sentence
from memctl.extract.transcript_view import TranscriptView
from memctl.text.changes import ChangeReading, is_reason, read_change
from memctl.text.overruled import find_rival_value, list_telling_words
from memctl.text.typed_values import find_typed_values

_LONGEST_QUOTE = 160
_FEWEST_CLAUSE_WORDS = 3
_FEWEST_MORE = 2
# Words of a sentence that only turns something down.
_FEW_WORDS = 5
_CLAUSES = compile_later(r"[,;:](?= )|\.(?= |$)")
_STAYS = compile_later(
    r"^(?:\w+,? ){0,3}(?:keep|leave|hold) (?:it|that|them) (?:at|on|to) "
    r"(?P<value>[^,;.]*\d[^,; ]*)",
    re.IGNORECASE,
)
# Values of a statement that can lose one and still tell something.
_FEWEST_VALUES = 2
# Where a part of a statement ends that can be left out.
_PARTS = compile_later(r"[,;](?= )|(?<=\w)\.(?= )| and(?= (?:a|the|with|we|it) )")
_CLAUSE_ENDS = compile_later(r"[,;](?= )| (?:because|since|so that|but)(?= )")
_REQUESTS = compile_later(r"^(?:\w+,? )?(?:can|could|would|will) (?:you|we)\b")


@dataclass(frozen=True, slots=True)
class SaidChange:
    """A change with the exact words that say it and the sentences that they are."""

    reading: ChangeReading
    span: Span
    sentences: tuple[Sentence, ...]

    @property
    def said(self) -> str:
        """The words on one line."""
        return build.clean_statement(self.span.quote)


def find_changes(view: TranscriptView) -> Iterator[SaidChange]:
    """What the operator says that changes, in the order of the session."""
    for index in view.human:
        if view.is_document(index) or view.turns[index].data.get("shell"):
            continue
        parts = view.sentences(index)
        for n, sentence in enumerate(parts):
            before = parts[n - 1] if n else None
            change = _read_sentence(view, before, sentence)
            change = _add_next(view, change, parts[n + 1 : n + 2]) if change else None
            if change is not None and not _is_passed_on(view, sentence):
                yield change


def _add_next(view: TranscriptView, change: SaidChange, after: Sequence[Sentence]) -> SaidChange:
    """A few words that only turn something down, with the sentence that says what is wanted."""
    first = change.sentences[-1]
    is_short = change.reading.is_near and len(first.low.split()) <= _FEW_WORDS
    if not is_short or not after or after[0].kind != "prose":
        return change
    if session_cues.QUESTION.search(after[0].low):
        return change
    span = build.merge_spans(change.sentences[0], after[0], view)
    return SaidChange(change.reading, span, (*change.sentences, after[0]))


def _is_passed_on(view: TranscriptView, sentence: Sentence) -> bool:
    """Whether these are somebody else's words, or hold for this hour only."""
    if pasted.is_material(view, sentence) or pasted.is_pasted(view, sentence):
        return True
    return one_off.is_one_off(sentence.low)


def _read_sentence(
    view: TranscriptView, before: Sentence | None, sentence: Sentence
) -> SaidChange | None:
    """The change that a sentence says, alone or with the one before it."""
    if sentence.kind not in ("prose", "bullet"):
        return None
    if session_cues.QUESTION.search(sentence.low) and not _REQUESTS.match(sentence.low):
        return None
    alone = read_change(sentence.text)
    if before is not None and (alone is None or not alone.old):
        both = read_change(f"{before.text.rstrip()} {sentence.text}")
        if both is not None and both.old and both.new and both.new in sentence.text:
            span = build.merge_spans(before, sentence, view)
            return SaidChange(both, span, (before, sentence))
    return SaidChange(alone, build.make_span(sentence), (sentence,)) if alone else None


def is_bare_change(reading: ChangeReading, said: str) -> bool:
    """Whether the words name no topic of their own: `not 25, 40`."""
    if reading.leans and not reading.old:
        return True
    values = (*find_typed_values(reading.new), *find_typed_values(reading.old))
    counted = {value.noun for value in values}
    return bool(find_typed_values(reading.new)) and not list_telling_words(said) - counted


def says_by_itself(change: SaidChange) -> bool:
    """Whether a change is announced and names its topic and what takes which place."""
    reading = change.reading
    if (
        not reading.is_announced
        or reading.sort != "changes"
        or is_bare_change(reading, change.said)
    ):
        return False
    named = list_telling_words(reading.new) | list_telling_words(change.said)
    return bool(reading.old) and bool(named)


def says_more(said: str) -> bool:
    """Whether words that take something back go on: `forget that rule, I push myself`."""
    return any(
        len(clause.split()) >= _FEWEST_MORE
        and not is_reason(clause)
        and read_change(clause) is None
        for clause in _CLAUSES.split(said)
    )


def find_stated_change(view: TranscriptView, change: SaidChange, most_back: int) -> Sentence | None:
    """The sentence, whoever wrote it, that tells the change which the operator now orders.

    After a mail that says `appointments take 30 minutes instead of 25`: `yes, make it 30 minutes`.
    """
    wanted = find_typed_values(change.reading.new)
    if len(wanted) != 1:
        return None
    first = ([index for index in view.human if index < change.span.turn] or [0])[-most_back:][0]
    for index in range(change.span.turn - 1, first - 1, -1):
        if view.turns[index].kind != "text":
            continue
        for sentence in reversed(view.sentences(index)):
            told = read_change(sentence.text)
            values = find_typed_values(told.new) if told is not None and told.old else ()
            if len(values) == 1 and values[0].equals(wanted[0]):
                return sentence
    return None


def find_own_value(view: TranscriptView, change: SaidChange, most_back: int) -> Sentence | None:
    """The operator's last sentence before a change with a value that it could change."""
    turns = [index for index in view.human if index <= change.span.turn][-most_back - 1 :]
    for index in reversed(turns):
        for sentence in reversed(view.sentences(index)):
            is_before = (index, sentence.end) <= (change.span.turn, change.span.start)
            if is_before and find_rival_value(change.reading, sentence.text) is not None:
                return sentence
    return None


def find_agents_value(
    view: TranscriptView, reading: ChangeReading, asked: int
) -> tuple[Sentence, str] | None:
    """The agent's last sentence with a value that the new one could take the place of."""
    for sentence in reversed(view.sentences(asked)):
        value = find_rival_value(reading, sentence.text)
        if value is not None:
            return sentence, sentence.text[value.start : value.end]
    return None


def find_change_reason(view: TranscriptView, change: SaidChange) -> str | None:
    """Why it changed: what the sentence says, or that the older one is no good any more."""
    last = change.sentences[-1]
    parts = view.sentences(last.turn)
    n = parts.index(last)
    after = parts[n + 1] if n + 1 < len(parts) else None
    return reasons.find_reason(last, parts[n - 1] if n else None, after)


def resolve_change(change: SaidChange, older: str) -> str:
    """A change that leans on an older statement, as a statement of its own.

    `The pool has 25 connections.` and `Make it 40 instead.` give `The pool has 40 connections
    (instead of 25)`; where no value can be put in, both are told.
    """
    rival = find_rival_value(change.reading, older)
    if rival is None:
        quoted = build.shorten(older, _LONGEST_QUOTE)
        return f"{build.strip_lead_in(change.said).rstrip(' .')} (changes: “{quoted}”)"
    old = older[rival.start : rival.end]
    counted = re.match(r" ?[\w-]+", older[rival.end :]) if rival.noun else None
    end = rival.end + (counted.end() if counted else 0)
    low, high = _find_clause(older, rival.start, end)
    new = _fit_value(change.reading.new, old) + older[rival.end : end]
    put_in = f"{older[low : rival.start]}{new} (instead of {old}){older[end:high]}"
    return build.strip_lead_in(build.clean_statement(put_in.strip(" ,;")))


def _fit_value(new: str, old: str) -> str:
    """The new value with the unit of the old one where it names none."""
    value = find_typed_values(new)[0]
    bare = new[value.start : value.end]
    held = find_typed_values(old)[0]
    if value.unit or value.kind != "number" or not held.unit:
        return bare
    return bare + re.sub(r"^[\d.,]+", "", old)


def _find_clause(text: str, start: int, end: int) -> tuple[int, int]:
    """The clause around a value, if it says enough; else the whole text."""
    cuts = [match.start() for match in _CLAUSE_ENDS.finditer(text)]
    low = max((cut + 1 for cut in cuts if cut < start), default=0)
    high = min((cut for cut in cuts if cut >= end), default=len(text))
    if len(list_telling_words(text[low:high])) == 0 or len(text[low:high].split()) < (
        _FEWEST_CLAUSE_WORDS
    ):
        return 0, len(text)
    return low, high


def cut_clause(reading: ChangeReading, older: str) -> str:
    """An older statement without the clause whose value changes; empty where nothing else is told.

    Only another value is worth keeping: `on 12 September, with a rollout of 10 %`.
    """
    rival = find_rival_value(reading, older)
    if rival is None or len(find_typed_values(older)) < _FEWEST_VALUES:
        return ""
    cuts = [0, *(match.start() for match in _PARTS.finditer(older)), len(older)]
    parts = [older[low:high].strip(" ,;.") for low, high in pairwise(cuts)]
    old = older[rival.start : rival.end]
    rest = ", ".join(part for part in parts if find_typed_values(part) and old not in part)
    if len(rest.split()) < _FEWEST_CLAUSE_WORDS:
        return ""
    return build.strip_lead_in(rest)


def name_what_stays(view: TranscriptView, candidate: Candidate) -> Candidate:
    """A candidate such as `keep it at 1.78` with the agent's words that say what `it` is."""
    own = candidate.evidence[0]
    found = _STAYS.search(candidate.content)
    before = view.said_before(own.turn) if found else None
    if found is None or before is None or view.turns[own.turn].role != "human":
        return candidate
    wanted = find_typed_values(found["value"])
    for sentence in reversed(view.sentences(before)) if wanted else ():
        if any(wanted[0].equals(held) for held in find_typed_values(sentence.text)):
            told = build.shorten(build.clean_statement(sentence.text), _LONGEST_QUOTE)
            content = f"{candidate.content.rstrip(' .')} (of: “{told}”)"
            return replace(candidate, content=content)
    return candidate


def put_into_words(candidate: Candidate, content: str) -> Candidate:
    """A candidate in other words."""
    if content == candidate.content:
        return candidate
    return replace(
        candidate,
        content=content,
        title=build.make_headline(build.make_title(content)),
        summary=build.shorten(build.strip_lead_in(content), build.SUMMARY_CHARS),
    )
