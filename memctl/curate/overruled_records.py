"""What a new candidate changes among the records: which it would replace, and which it may touch.

A candidate that names the value that a record holds, or gives the same thing another value and says
that it changes, is proposed in the record's place, whether the record was approved or waits too.
Where it only touches what a record says, the two stand against each other until somebody decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memctl.consolidate.compare import judge_pair
from memctl.consolidate.neighbours import load_statements
from memctl.core.frozen import dataclass, replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_IMPLIED, Memory
from memctl.records import relations
from memctl.store import lexical, links, records, succession
from memctl.store.database import Database
from memctl.text.changes import ChangeReading, read_change
from memctl.text.corrections import drop_corrected_words
from memctl.text.overruled import Overruling, judge_overruling, list_search_words

_LIVING = ("active", "contradicted", "inbox")
# The records that the index is asked for, and the holders of a word that is looked at.
_MOST_FOUND = 24
_MOST_POSTINGS = 5_000
# A statement that touches more records than this says nothing of any one of them.
_MOST_TOUCHED = 2
_WORDS = {
    "named": "it names what this says, and what takes its place",
    "asked": "it says that this has another value now",
    "touched": "it turns down what this is about",
}
_QUOTED = compile_later(r"\(changes: “(?P<old>[^”]{8,})”\)")
_POINTS_BACK = compile_later(r"^\W*(?:no,? |nope,? )?(?:that|this|these|those)\s+", re.IGNORECASE)
_ALL_OF_IT = compile_later(
    r"\b(?:from now on|everywhere|for everything|in all|going forward|switch\w*|migrat\w+"
    r"|moved?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class OverruledRecord:
    """A record and what a candidate does to it: `is_sure` where it would take its place."""

    record: Memory
    reason: str
    is_sure: bool


def find_overruled(db: Database, memory: Memory) -> list[OverruledRecord]:
    """The records that a candidate changes; it need not be stored yet."""
    change = _read_lasting(drop_corrected_words(memory.content))
    quoted = _QUOTED.search(memory.content)
    if (change is None and quoted is None) or memory.trust < OPERATOR_IMPLIED:
        return []
    others = [
        other
        for other in _find_near(db, memory, change, quoted)
        if other.id != memory.id
        and other.type != "episode"
        and other.status in _LIVING
        and other.observed_at < memory.observed_at
    ]
    judged = [(other, _judge(memory, change, quoted, other)) for other in others]
    return list(_choose(db, memory, judged))


def _read_lasting(text: str) -> ChangeReading | None:
    """What a candidate changes; `that date is stale` points at what was said before it, and names
    nothing that a record holds.
    """
    change = read_change(text)
    if change is None or not change.old or _POINTS_BACK.match(text) is None:
        return change
    points = _POINTS_BACK.sub("", text, count=1).lower()
    return replace(change, old="") if points.startswith(_bare(change.old)) else change


def _bare(old: str) -> str:
    return _POINTS_BACK.sub("", old, count=1).lower()


def link_overruled(
    db: Database, memory: Memory, found: Sequence[OverruledRecord], *, actor: str, cause: str
) -> int:
    """Link a stored candidate with what it changes; how many links are new."""
    known = {
        end
        for link in links.list_of_memory(db, memory.id)
        if link.is_open_contradiction or link.relation == "supersedes"
        for end in (link.from_id, link.to_id)
    }
    count = 0
    for each in found:
        if each.record.id in known and not each.is_sure:
            continue
        link = relations.propose_replacement if each.is_sure else relations.add_contradiction
        count += link(db, memory, each.record, reason=each.reason, actor=actor, cause=cause)
    return count


def _find_near(
    db: Database, memory: Memory, change: ChangeReading | None, quoted: re.Match[str] | None
) -> list[Memory]:
    """Records of the same scope key that share words with what changes."""
    old = change.old if change is not None else ""
    about = change.about if change is not None else ""
    terms = list_search_words(f"{old} {about} {quoted['old'] if quoted else ''}")
    terms += [term for term in list_search_words(memory.content) if term not in terms]
    rarest = succession.choose_rarest_words(db, terms, _MOST_POSTINGS)
    rows = lexical.list_similar(db, rarest, memory, _MOST_FOUND)
    found = records.list_by_numbers(db, [row["n"] for row in rows], only_readable=True)
    return list(found.values())


def _judge(
    memory: Memory, change: ChangeReading | None, quoted: re.Match[str] | None, other: Memory
) -> Overruling | None:
    if quoted is not None and _is_quoted(other.content, quoted["old"]):
        return "named"
    if change is None:
        return None
    said, older = map(drop_corrected_words, (memory.content, other.content))
    verdict = judge_overruling(change, said, older)
    if verdict is None and other.kind == "command" and _names_program(change, memory, other):
        return "named"
    return verdict


def _is_quoted(content: str, old: str) -> bool:
    """Whether a candidate quotes the words of a record as what it changes."""
    said, quoted = " ".join(content.split()).lower(), old.rstrip("…").lower()
    return said.startswith(quoted) or quoted.startswith(said.rstrip(".").lower())


def _names_program(change: ChangeReading, memory: Memory, other: Memory) -> bool:
    """Whether a command calls the program that is given up for all work."""
    if not change.old or not change.new or not _ALL_OF_IT.search(memory.content):
        return False
    return re.search(rf"`{re.escape(change.old)}\b", other.content, re.IGNORECASE) is not None


def _choose(
    db: Database, memory: Memory, judged: Sequence[tuple[Memory, Overruling | None]]
) -> Iterator[OverruledRecord]:
    """What is replaced, and what is touched where nothing is and little could be meant."""
    named = [other for other, verdict in judged if verdict == "named"]
    asked = [other for other, verdict in judged if verdict == "asked"]
    touched = [other for other, verdict in judged if verdict == "touched"]
    for other in named:
        yield OverruledRecord(other, _WORDS["named"], other.trust <= memory.trust)
    for other in asked:
        is_sure = other.trust <= memory.trust and _excludes(db, memory, other)
        yield OverruledRecord(other, _WORDS["asked"], is_sure)
    if not named and not asked and len(touched) <= _MOST_TOUCHED:
        for other in touched:
            yield OverruledRecord(other, _WORDS["touched"], is_sure=False)


def _excludes(db: Database, memory: Memory, other: Memory) -> bool:
    """Whether consolidation, too, says that the two cannot both hold."""
    one, two = load_statements(db, [memory, other])
    return judge_pair(one, two) == "exclusive"
