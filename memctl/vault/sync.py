"""One run over a folder of notes: what was changed there comes in, what was changed here goes out.

Nothing is written over that memctl did not write itself (see `plan`). A run that is cut off leaves
each note and each record whole; the next one goes on from what it finds.
"""

from __future__ import annotations

from pathlib import Path

from memctl.core import clock
from memctl.core.errors import MemctlError
from memctl.core.model import Actor
from memctl.redact.redactor import make_redactor
from memctl.results.vault import VaultChange, VaultReport
from memctl.settings.config import Config
from memctl.store import proposals, vaults
from memctl.store.database import Database
from memctl.vault import plan, take_in
from memctl.vault.note_text import END_MARK
from memctl.vault.notes_on_disk import locate_conflict, recover_folder
from memctl.vault.scan import FoundNote, Scan
from memctl.vault.sides import Sides, hash_place, read_sides, read_wanted
from memctl.vault.write_out import NoteWriter

# From so many missing notes on, if they are more than half, the folder is taken for incomplete.
_MANY_MISSING = 20
_DELETED = "its note was deleted"
_WAITS = "waits for you: `memctl vault sync` at a terminal takes it in"
_HALF_WRITTEN = (
    f"its last line is missing: half written? If it is as you want it, end it with `{END_MARK}`"
)


class VaultRun:
    """One run, or with `dry_run` a look at what one would do."""

    def __init__(
        self,
        db: Database,
        config: Config,
        actor: Actor,
        root: Path,
        vault_id: str,
        *,
        dry_run: bool,
    ) -> None:
        self._db, self._config, self._actor = db, config, actor
        self._root, self._vault_id, self._dry_run = root, vault_id, dry_run
        self._changes: list[VaultChange] = []
        self._problems: list[str] = []
        # Records whose notes stay as they are, whatever their record says.
        self._left: set[str] = set()

    def run(self) -> VaultReport:
        """Take in, write out, and report."""
        if not self._dry_run:
            for path in recover_folder(self._root):
                self._tell("restored", path, None, "was cut off in a run before")
        sides = read_sides(self._db, self._root, self._vault_id)
        self._report_strays(sides)
        self._take_in(sides)
        if not self._dry_run and self._changes:
            sides.renew_records(self._db)
        writer = NoteWriter(self._root, sides, self._left, dry_run=self._dry_run)
        writer.write_all(self._db, self._vault_id)
        if not self._dry_run:
            vaults.note_sync(self._db, self._vault_id, clock.now())
        return VaultReport(
            "status" if self._dry_run else "sync",
            str(self._root),
            len(sides.notes),
            (*self._changes, *writer.changes),
            tuple(writer.broken),
            (*self._problems, *writer.problems),
            self._actor.is_operator,
        )

    def _tell(self, what: str, path: str, record: str | None, note: str | None = None) -> None:
        self._changes.append(VaultChange(what, path, record, note))

    def _report_strays(self, sides: Sides) -> None:
        for path, why in sorted(sides.scan.problems.items()):
            self._tell("left", path, None, why)
            self._problems.append(f"{path}: {why}")
        for each, found in sorted(sides.scan.notes.items()):
            if sides.decisions.get(each) == plan.PURGED:
                continue
            original = sides.notes[each].path
            told = f"has the id of {original}: a copy needs none, or is to be deleted"
            for copy in found:
                if copy.path != original:
                    self._tell("copy", copy.path, each, told)
                    self._problems.append(f"{copy.path}: {told}")

    def _take_in(self, sides: Sides) -> None:
        bringing = take_in.Bringing(
            self._db,
            self._config,
            self._actor,
            make_redactor(self._config),
            sides.build_resolver(),
        )
        self._ask_about_deleted(sides)
        for each, what in sides.decisions.items():
            found = sides.notes.get(each)
            if found is None:
                continue
            if what == plan.TAKE_IN:
                self._take_in_note(bringing, sides, each, found)
            elif what == plan.FOREIGN:
                self._take_in_foreign(bringing, found)
            elif what in (plan.CONFLICT, plan.OPEN_CONFLICT):
                self._report_conflict(each, found, sides.scan)
            elif what == plan.HALF_WRITTEN:
                self._left.add(each)
                self._tell("left", found.path, each, _HALF_WRITTEN)
                self._problems.append(f"{found.path}: {_HALF_WRITTEN}")
            elif what == plan.FOREIGN_WAITS:
                self._left.add(each)

    def _report_conflict(self, each: str, found: FoundNote, scan: Scan) -> None:
        self._left.add(each)
        beside = locate_conflict(found.path, each, scan.conflicts)
        self._tell("conflict", found.path, each, f"the record's side is in {beside}")
        self._problems.append(
            f"{found.path}: both it and its record changed; put what is right into it and "
            f"delete {beside}"
        )

    def _take_in_note(
        self, bringing: take_in.Bringing, sides: Sides, each: str, found: FoundNote
    ) -> None:
        wanted = read_wanted(found, sides.places, sides.views[each])
        try:
            take_in.check_wanted(bringing, sides.views[each], wanted)
            if not self._actor.is_operator or self._dry_run:
                self._left.add(each)
                may = self._actor.is_operator
                self._tell("took in" if may else "waits", found.path, each, None if may else _WAITS)
                return
            for change in take_in.take_in_note(bringing, sides.views[each], found, wanted):
                self._changes.append(change)
        except MemctlError as error:
            self._left.add(each)
            self._tell("waits", found.path, each, str(error))
            self._problems.append(f"{found.path}: {error}")

    def _take_in_foreign(self, bringing: take_in.Bringing, found: FoundNote) -> None:
        each, note = found.note.id, found.note
        self._left.add(each)
        told = "of another machine"
        if not self._dry_run:
            try:
                told = take_in.take_in_foreign(bringing, note)
            except MemctlError as error:
                told = str(error)
            at = note.updated.replace(" ", "") or "none"
            base = plan.Base(note.state.compute_hash(), at, is_foreign=True)
            known = (base.pack(), hash_place(found.path))
            vaults.put_notes(self._db, self._vault_id, [(each, known)])
        self._tell("proposed", found.path, each, told)

    def _ask_about_deleted(self, sides: Sides) -> None:
        """A note that was deleted asks whether its record is to be forgotten."""
        deleted = [each for each, what in sides.decisions.items() if what == plan.DELETED]
        if len(deleted) > _MANY_MISSING and len(deleted) * 2 > len(sides.bases):
            self._left |= {*deleted}
            self._problems.append(
                f"{len(deleted)} notes are missing, most of all: the folder may be incomplete; "
                "nothing was proposed"
            )
            return
        for each in deleted:
            self._ask_about(sides, each)
        self._ask_no_more(sides)

    def _ask_no_more(self, sides: Sides) -> None:
        """A note that is there again takes back the question whether it is to be forgotten."""
        for asked in proposals.list_open(self._db, "archive"):
            found = sides.notes.get(asked.about)
            if found is None or asked.reason != _DELETED:
                continue
            self._tell("took back", found.path, asked.about, "its note is there again")
            if not self._dry_run:
                with self._db.write():
                    proposals.settle_proposal(self._db, asked, "withdrawn")

    def _ask_about(self, sides: Sides, each: str) -> None:
        view = sides.views[each]
        if view.memory.status == "inbox":
            return  # It waits still, and gets its note again.
        self._left.add(each)
        if view.memory.status not in ("active", "contradicted"):
            if not self._dry_run:
                vaults.put_notes(self._db, self._vault_id, [(each, None)])
            return
        title = view.memory.title
        asked = proposals.find_latest(self._db, "archive", each)
        if asked is not None and asked.state == "open":
            self._tell("waits", title, each, f"its note was deleted: `memctl inbox`, {asked.short}")
        elif asked is not None and asked.state == "declined":
            self._left.discard(each)  # You said that it holds: it gets its note again.
        else:
            self._tell("proposed", title, each, "its note was deleted: is it to be forgotten?")
            if not self._dry_run:
                self._propose_archive(each)

    def _propose_archive(self, each: str) -> None:
        with self._db.write():
            who = self._actor.name
            proposals.insert_proposal(
                self._db, "archive", each, reason=_DELETED, data={}, actor=who
            )
