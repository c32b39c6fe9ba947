"""Both sides of a folder of notes, as one run finds them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memctl.core.frozen import replace
from memctl.core.model import Filter, Memory
from memctl.records.record_source import PresentRecords
from memctl.records.views import list_views
from memctl.results.records import RecordView
from memctl.store import records, tombstones, vaults
from memctl.store.database import Database
from memctl.vault import layout, plan
from memctl.vault.note_text import NoteState, build_state
from memctl.vault.notes_on_disk import locate_conflict
from memctl.vault.scan import FoundNote, Scan, read_names, scan_folder
from memctl.vault.wikilinks import NoteIndex

SCOPES = ("global", "project", "repo")
STATUSES = ("active", "contradicted", "inbox")
# Records read at once; chosen by hand.
_BATCH = 500


@dataclass(slots=True)
class Sides:
    """What stands on both sides: records with what belongs to them, notes, what both last held and
    where memctl put the notes, what is to become of each, all that is in the folder, and which of
    the records that are named there were purged.
    """

    views: dict[str, RecordView]
    notes: dict[str, FoundNote]
    bases: dict[str, plan.Base]
    places: dict[str, str]
    decisions: dict[str, str]
    scan: Scan
    purged: frozenset[str]

    def renew_records(self, db: Database) -> None:
        """Read again the records that were changed meanwhile."""
        views, _ = _read_views(db, {*self.notes, *self.bases})
        self.views = {each: view for each, view in views.items() if each in self.decisions}

    def is_placed(self, each: str, path: str) -> bool:
        """Whether a note lies where memctl put it."""
        return self.places.get(each) in (None, hash_place(path))

    def build_resolver(self) -> Callable[[str], str | None]:
        """Return what finds the record of a wikilink's target."""
        by_path = {found.path: each for each, found in self.notes.items()}
        aliases = {path: read_names(self.notes[one].note.front) for path, one in by_path.items()}
        index = NoteIndex([*by_path, *self.scan.others, *self.scan.pages], aliases)

        def resolve(target: str) -> str | None:
            path = index.resolve(target)
            return None if path is None else by_path.get(path)

        return resolve


def read_sides(db: Database, root: Path, vault_id: str) -> Sides:
    """Read both sides, and decide on each note."""
    scan = scan_folder(root)
    known = vaults.read_notes(db, vault_id)
    bases = {each: base for each, (text, _) in known.items() if (base := plan.unpack_base(text))}
    places = {each: place for each, (_, place) in known.items()}
    notes = _choose_notes(scan, places)
    views, hidden = _read_views(db, {*notes, *bases})
    missing = (notes.keys() | bases.keys()) - views.keys() - hidden
    purged = frozenset(
        each
        for each in {*missing, *filter(None, scan.conflicts.values())} - views.keys() - hidden
        if _is_purged(db, each)
    )
    decisions = plan.decide_all(
        {each: build_record_side(view) for each, view in views.items()},
        {
            each: _build_note_side(found, places, views.get(each), scan)
            for each, found in notes.items()
        },
        bases,
        purged=purged,
        hidden=hidden,
    )
    return Sides(views, notes, bases, places, decisions, scan, purged)


def _read_views(db: Database, named: set[str]) -> tuple[dict[str, RecordView], set[str]]:
    """The records that have a note, or are to have one, and the ids of those that are none for a
    folder of notes.
    """
    with db.snapshot():
        wanted = Filter(statuses=STATUSES, scopes=SCOPES)
        memories = {each.id: each for each in records.select_records(db, wanted)}
        others = records.list_by_ids(db, sorted(named - memories.keys()))
        hidden = {each.id for each in others.values() if each.scope not in SCOPES}
        memories |= {key: each for key, each in others.items() if key not in hidden}
        return dict(_build_views(db, [*memories.values()])), hidden


def _build_views(db: Database, memories: list[Memory]) -> Iterator[tuple[str, RecordView]]:
    for start in range(0, len(memories), _BATCH):
        for view in list_views(PresentRecords(db), memories[start : start + _BATCH]):
            yield view.memory.id, view


def _choose_notes(scan: Scan, places: Mapping[str, str]) -> dict[str, FoundNote]:
    """The note of each id; of copies, that which memctl placed."""
    chosen = {}
    for each, found in scan.notes.items():
        by_path = {note.path: note for note in found}
        placed = {path: hash_place(path) == places.get(each) for path in by_path}
        chosen[each] = by_path[plan.choose_original(by_path, placed)]
    return chosen


def _build_note_side(
    found: FoundNote, places: Mapping[str, str], view: RecordView | None, scan: Scan
) -> plan.NoteSide:
    return plan.NoteSide(
        read_wanted(found, places, view).compute_hash(),
        found.note.updated,
        found.note.is_whole,
        locate_conflict(found.path, found.note.id, scan.conflicts) in scan.conflicts,
    )


def read_wanted(found: FoundNote, places: Mapping[str, str], view: RecordView | None) -> NoteState:
    """What a note says; where a person moved it says something too: out of the inbox that it
    holds, into the archive that it does not.
    """
    state = found.note.read_state(build_state(view) if view is not None else None)
    top = found.path.partition("/")[0]
    place = places.get(found.note.id)
    if place is None or place == hash_place(found.path):
        return state
    if state.status == "inbox" and top != layout.INBOX:
        return replace(state, status="active")
    if state.status in ("active", "contradicted", "inbox") and top == layout.ARCHIVE:
        return replace(state, status="archived")
    return state


def build_record_side(view: RecordView) -> plan.RecordSide:
    """Return what is compared of a record."""
    memory = view.memory
    return plan.RecordSide(build_state(view).compute_hash(), memory.updated_at, memory.status)


def hash_place(path: str) -> str:
    """Return what is kept of a path: it holds words of the record."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()


def _is_purged(db: Database, memory_id: str) -> bool:
    row = tombstones.find_of_memory(db, memory_id)
    return row is not None and row["verdict"] == "purged"
