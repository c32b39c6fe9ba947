"""A file of notes in all its stored versions, and the records that rest on its lines.

Notes say what they say now: only the newest version counts, and what earlier ones said is known by
the evidence that stands in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from memctl.consolidate.line_alignment import (
    LineAlignment,
    NoteLine,
    Rewording,
    align_lines,
    normalise_line,
)
from memctl.core.frozen import replace
from memctl.core.model import Candidate, Evidence, Memory, Source, Transcript, Turn
from memctl.store import evidence, records, sources
from memctl.store.database import Database

LIVING_STATUSES = ("active", "contradicted", "inbox")
_NOTES_FORMAT = "memory:"
# Agents whose files are one memory each: other words in such a file are that memory in other words.
_ONE_MEMORY_A_FILE = ("claude-memory",)


@dataclass(frozen=True, slots=True)
class NoteVersions:
    """One file in all its stored versions.

    `newest` is None where nothing is left in the file; `earlier` versions come newest first.
    `proof` is the evidence from any of them, `memories` the records that it is for. `holders` are
    those by the words of their lines, `words_of` the words by their ids; `words_now` stand in the
    file.
    """

    name: str
    newest: Source | None
    earlier: tuple[Source, ...]
    turns: tuple[Turn, ...]
    proof: tuple[Evidence, ...]
    memories: Mapping[str, Memory]
    holders: Mapping[str, tuple[str, ...]]
    words_of: Mapping[str, frozenset[str]]
    words_now: frozenset[str]

    @property
    def version_ids(self) -> frozenset[str]:
        """The ids of all versions."""
        every = (self.newest, *self.earlier)
        return frozenset(source.id for source in every if source is not None)

    def find_living(self, words: str, back: Sequence[str] = ()) -> Memory | None:
        """The record in use that rests on a line of these words; `back` come into use again."""
        found = [self.memories[each] for each in self.holders.get(words, ())]
        return next((one for one in found if one.status in LIVING_STATUSES or one.id in back), None)


def is_notes(transcript: Transcript | Source) -> bool:
    """Whether something was read from notes, which say only what they say now."""
    return transcript.format.startswith(_NOTES_FORMAT)


def is_newest(db: Database, source: Source) -> bool:
    """Whether no later version of the same file was stored."""
    return sources.list_of_session(db, source.agent, source.session_id)[0].id == source.id


@dataclass(frozen=True, slots=True)
class NewNotes:
    """What is to be proposed of a file's newest version.

    `known` candidates are left out: their line stood in an earlier version and their record is in
    use. `apart` are the records of lines that are gone: the others may replace them.
    """

    candidates: list[Candidate]
    known: int = 0
    apart: frozenset[str] = frozenset()


def find_new_notes(
    db: Database, source: Source, turns: Sequence[Turn], candidates: list[Candidate]
) -> NewNotes:
    """Find which candidates of a source are new to its file; of what is no notes, all are."""
    if not is_notes(source):
        return NewNotes(candidates)
    notes = read_versions(db, source.agent, source.session_id, turns, source.path)
    earlier = {each.id for each in notes.earlier}
    held = {
        normalise_line(item.quote)
        for item in notes.proof
        if item.source_id in earlier and notes.memories[item.memory_id].status in LIVING_STATUSES
    }
    wanted = [
        one for one in candidates if normalise_line(turns[one.evidence[0].turn].text) not in held
    ]
    apart = frozenset(each for each, words in notes.words_of.items() if not words & notes.words_now)
    return NewNotes(wanted, len(candidates) - len(wanted), apart)


def read_versions(
    db: Database, agent: str, session_id: str, turns: Sequence[Turn], path: str | None
) -> NoteVersions:
    """Read what is known of a file; `turns` are those of its newest version."""
    versions = [
        source for source in sources.list_of_session(db, agent, session_id) if source.turn_count
    ]
    found = evidence.list_of_sources(db, [source.id for source in versions])
    memories = records.list_by_ids(db, {item.memory_id for item in found})
    proof = [item for item in found if item.memory_id in memories]
    holders: dict[str, dict[str, None]] = {}
    words_of: dict[str, set[str]] = {}
    for item in proof:
        words = normalise_line(item.quote)
        holders.setdefault(words, {})[item.memory_id] = None
        words_of.setdefault(item.memory_id, set()).add(words)
    newest, earlier = (versions[0], versions[1:]) if turns and versions else (None, versions)
    known_path = path or (versions[0].path if versions else None)
    return NoteVersions(
        PurePath(known_path or session_id).name,
        newest,
        tuple(earlier),
        tuple(turns),
        tuple(proof),
        memories,
        {words: tuple(ids) for words, ids in holders.items()},
        {memory_id: frozenset(words) for memory_id, words in words_of.items()},
        frozenset(normalise_line(turn.text) for turn in turns),
    )


def align_versions(db: Database, notes: NoteVersions) -> tuple[LineAlignment, list[NoteLine]]:
    """Lay the newest version beside the one before it, with the lines of older ones behind that;
    those lines, too. Of the older ones, only lines count whose record is still in use.
    """
    before: Sequence[Turn] = ()
    if notes.earlier:
        before = sources.read_turns(db, notes.earlier[0].id)
    elif notes.newest is not None:
        before = notes.turns  # The only version, perhaps one that grew: nothing can be gone.
    old_lines = [_to_line(turn) for turn in before]
    new_lines = [_to_line(turn) for turn in notes.turns]
    said = {line.words for line in old_lines} | notes.words_now
    for item in notes.proof:
        words = normalise_line(item.quote)
        if words not in said and notes.find_living(words):
            said.add(words)
            old_lines.append(NoteLine(item.quote))
    alignment = align_lines(old_lines, new_lines)
    is_one = notes.newest is not None and notes.newest.agent in _ONE_MEMORY_A_FILE
    if is_one and len(alignment.lost) == len(alignment.fresh) == len(new_lines) == 1:
        same_file = Rewording(alignment.lost[0], alignment.fresh[0], is_sure=False)
        alignment = replace(alignment, reworded=(same_file,), lost=(), fresh=())
    return alignment, old_lines


def _to_line(turn: Turn) -> NoteLine:
    heading = turn.data.get("heading")
    return NoteLine(turn.text, heading if isinstance(heading, str) else None)


def is_said_elsewhere(db: Database, notes: NoteVersions, memory: Memory) -> bool:
    """Whether other evidence than this file still says what a record says.

    The operator's approval is no other evidence: it approved what the file said.
    """
    for item in evidence.list_of_memory(db, memory.id):
        if item.source_id is None:
            if memory.source_kind == "manual":
                return True
        elif item.source_id not in notes.version_ids and _still_says(db, item):
            return True
    return False


def _still_says(db: Database, item: Evidence) -> bool:
    """Whether what was said in another source is still said there; what people said is said."""
    source = sources.find_source(db, item.source_id or "")
    if source is None or not is_notes(source):
        return source is not None
    newest = sources.list_of_session(db, source.agent, source.session_id)[0]
    words = normalise_line(item.quote)
    return any(normalise_line(turn.text) == words for turn in sources.read_turns(db, newest.id))
