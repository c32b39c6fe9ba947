"""What a run is to do with each note, decided from three sides: the record, the note, and what both
held when they were last the same. Pure.

An edit is never lost: a note is only written over if it holds what memctl wrote there, and it is
only taken in if the record is as it was when the note was written. Whatever else is found is a
conflict, which keeps both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.frozen import dataclass

# What becomes of a note.
SAME = "same"
NEW = "new"  # the record has no note yet
WRITE = "write"  # only the record changed
TAKE_IN = "take in"  # only the note changed
CONFLICT = "conflict"  # both did
OPEN_CONFLICT = "open conflict"  # they did before, and nobody has decided
DELETED = "deleted"
FOREIGN = "foreign"  # of a record that this store has not
FOREIGN_WAITS = "foreign waits"  # it is in the inbox here
PURGED = "purged"
WITHDRAWN = "withdrawn"  # the record is none for a folder of notes any more
HALF_WRITTEN = "half written"
# What may be written over once the run is through.
WRITABLE = frozenset((SAME, NEW, WRITE))


@dataclass(frozen=True, slots=True)
class RecordSide:
    """A record: the hash of what its note may change, when it was last changed, its status."""

    hash: str
    updated: str
    status: str


@dataclass(frozen=True, slots=True)
class NoteSide:
    """A note: the same of what it says; `has_conflict_note` if what both held lies beside it."""

    hash: str
    updated: str
    is_whole: bool = True
    has_conflict_note: bool = False


@dataclass(frozen=True, slots=True)
class Base:
    """What a note and its record were when they were last the same: their hash, and when the note
    says that the record was changed. `rendered` is the hash of how this store writes the note.

    `conflict` is the hash of the record when both had changed. `is_foreign`: the note came from
    another machine, and only its hash is known.
    """

    hash: str
    updated: str
    conflict: str = ""
    is_foreign: bool = False
    rendered: str = ""

    def pack(self) -> str:
        """Return it as one text."""
        kind = "foreign" if self.is_foreign else "ours"
        parts = (self.hash, self.updated, self.rendered or "-", self.conflict or "-")
        return " ".join((kind, *parts))


def unpack_base(text: str) -> Base | None:
    """Return what `pack` made; None for anything else."""
    kind, *parts = text.split(" ")
    if kind not in ("ours", "foreign") or len(parts) != len(("hash", "at", "rendered", "conflict")):
        return None
    hash_, updated, rendered, conflict = ("" if part == "-" else part for part in parts)
    return Base(hash_, updated, conflict, kind == "foreign", rendered) if hash_ else None


def decide(record: RecordSide | None, note: NoteSide | None, base: Base | None) -> str | None:
    """Decide what becomes of one note of a record; None if there is neither."""
    if note is None:
        return None if record is None else NEW if base is None or base.is_foreign else DELETED
    if not note.is_whole:
        return HALF_WRITTEN
    if record is None:
        is_known = base is not None and base.is_foreign and base.hash == note.hash
        return FOREIGN_WAITS if is_known else FOREIGN
    if note.hash == record.hash:
        return SAME
    if base is None:
        return TAKE_IN if note.updated == record.updated else CONFLICT
    if base.is_foreign:
        return _decide_foreign(record, note, base)
    if base.conflict:
        return _decide_conflict(record, note, base)
    if note.hash == base.hash:
        return WRITE
    # Another machine writes a later time; who saves an older version writes an earlier one.
    is_built_on_base = record.hash == base.hash and note.updated >= base.updated
    return TAKE_IN if is_built_on_base else CONFLICT


def _decide_foreign(record: RecordSide, note: NoteSide, base: Base) -> str:
    if note.hash != base.hash:
        return FOREIGN if record.status == "inbox" else CONFLICT
    # What was decided here is what the note is to say; what was turned down stays as it is there.
    return WRITE if record.status in ("active", "contradicted") else FOREIGN_WAITS


def _decide_conflict(record: RecordSide, note: NoteSide, base: Base) -> str:
    if note.hash == base.hash:
        return WRITE
    if note.has_conflict_note:
        return OPEN_CONFLICT if record.hash == base.conflict else CONFLICT
    return TAKE_IN if record.hash == base.conflict else CONFLICT


def decide_all(
    records: Mapping[str, RecordSide],
    notes: Mapping[str, NoteSide],
    bases: Mapping[str, Base],
    *,
    purged: Iterable[str] = (),
    hidden: Iterable[str] = (),
) -> dict[str, str]:
    """Decide on every note, in the order of ids; `purged` records leave no note, `hidden` ones
    have none here.
    """
    erased, kept_out = {*purged}, {*hidden}
    decisions = {}
    for each in sorted(records.keys() | notes.keys() | bases.keys()):
        note = notes.get(each)
        if each in erased:
            decision = PURGED if note else None
        elif each in kept_out:
            decision = WITHDRAWN if note else None
        else:
            decision = decide(records.get(each), note, bases.get(each))
        if decision is not None:
            decisions[each] = decision
    return decisions


def choose_original(paths: Iterable[str], is_placed: Mapping[str, bool]) -> str:
    """Choose, of several files with one id, that which is the note: the one that memctl placed,
    else the one nearest to the top.
    """
    return min(paths, key=lambda path: (not is_placed.get(path), path.count("/"), len(path), path))
