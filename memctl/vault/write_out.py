"""What the records say goes into the notes: written, moved, removed; and the pages beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from memctl.core import regular_files
from memctl.core.frozen import replace
from memctl.results.vault import VaultChange
from memctl.store import vaults
from memctl.store.database import Database
from memctl.vault import layout, pages, plan
from memctl.vault.note_text import list_extra_lines, render_note
from memctl.vault.notes_on_disk import (
    EDITED,
    NoteFolder,
    find_conflict_path,
    locate_conflict,
    open_folder,
)
from memctl.vault.scan import CONFLICT_KEY, FoundNote, decode_note, read_names
from memctl.vault.sides import Sides, build_record_side, hash_place
from memctl.vault.wikilinks import NoteIndex, list_links

# What is known of a note by its record, as `vaults.put_notes` takes it.
_Known = tuple[str, tuple[str, str] | None]


class NoteWriter:
    """Brings the notes of a folder in line; with `dry_run` it only says what it would do.

    `left` are the records whose notes stay as they are. What became of what is in `changes` and
    `problems`.
    """

    def __init__(self, root: Path, sides: Sides, left: set[str], *, dry_run: bool) -> None:
        self._root, self._sides, self._left, self._dry_run = root, sides, left, dry_run
        self._folder = NoteFolder(root)
        self.changes: list[VaultChange] = []
        self.problems: list[str] = []
        self.broken: list[tuple[str, str]] = []

    def write_all(self, db: Database, vault_id: str) -> None:
        """Write every note and page, and note what they hold now."""
        chosen = self._choose_paths()
        titles = {path: self._sides.views[each].memory.title for each, path in chosen.items()}
        texts = {}
        for each, found in self._sides.notes.items():
            if each not in chosen and self._sides.decisions.get(each) not in (
                plan.PURGED,
                plan.WITHDRAWN,
            ):
                titles[found.path] = next(iter(read_names(found.note.front)), found.path)
                texts[found.path] = decode_note(found.raw)
        links = self._build_links(chosen, titles)
        known: list[_Known] = []
        with open_folder(self._root) as self._folder:
            for each, path in sorted(chosen.items(), key=lambda item: item[1]):
                view = self._sides.views[each]
                note = self._sides.notes.get(each)
                extra = list_extra_lines(decode_note(note.raw)) if note is not None else ()
                entities = layout.build_entity_links(view.entities)
                text = render_note(view, links, entities, extra)
                own = hash_place(render_note(view, links, entities))[:16] if extra else None
                texts[path] = self._write_or_leave(each, path, text, own, known)
            known += self._remove_notes()
            wanted = pages.build_pages(titles, texts)
            self._write_pages(wanted)
            for path in self._folder.end():
                self.problems.append(f"{path}: was written to while memctl wrote the note anew")
        if not self._dry_run:
            vaults.put_notes(db, vault_id, known)
        self.broken = list(self._find_broken(texts, titles, wanted))

    def _choose_paths(self) -> dict[str, str]:
        sides = self._sides
        shown = [view for each, view in sides.views.items() if each in sides.decisions]
        shown = [
            view
            for view in shown
            if view.memory.id in sides.notes or view.memory.id not in self._left
        ]
        here = {each: found.path for each, found in sides.notes.items()}
        moved = {
            each
            for each, path in here.items()
            if each in self._left or not sides.is_placed(each, path)
        }
        return layout.choose_paths(shown, here, moved, sides.scan.names)

    def _build_links(self, chosen: Mapping[str, str], titles: Mapping[str, str]) -> dict[str, str]:
        scan = self._sides.scan
        index = NoteIndex([*titles, *scan.others, *scan.pages], {})
        return layout.build_links(
            chosen, {each: titles[path] for each, path in chosen.items()}, index
        )

    def _write_or_leave(
        self, each: str, path: str, text: str, own: str | None, known: list[_Known]
    ) -> str:
        """Write a note unless it is to be left; returns what it holds then. `own` is the hash of
        the text without what a person added to the front matter.
        """
        found = self._sides.notes.get(each)
        if each not in self._left:
            known += self._write_note(each, path, text, own or hash_place(text)[:16])
            return text
        if found is not None and self._sides.decisions[each] == plan.CONFLICT:
            known += self._write_conflict(each, found, text)
        return decode_note(found.raw) if found is not None else text

    def _write_note(self, each: str, path: str, text: str, own: str) -> Iterator[_Known]:
        sides = self._sides
        found, record = sides.notes.get(each), build_record_side(sides.views[each])
        if found is not None and not self._move_note(found, path):
            return
        updated = record.updated
        if found is not None and self._is_written_elsewhere(found, own):
            updated = found.note.updated
        elif not self._write_text(each, path, text, found):
            return
        base = plan.Base(record.hash, updated, rendered=own)
        place, here = sides.places.get(each), hash_place(path)
        told = here if place is None or found is None or found.path != path else place
        if sides.bases.get(each) != base or place != told:
            yield each, (base.pack(), told)
        settled = locate_conflict(found.path, each, sides.scan.conflicts) if found else path
        if settled in sides.scan.conflicts:
            self._tell("left", settled, each, "is settled: delete it")

    def _is_written_elsewhere(self, found: FoundNote, own: str) -> bool:
        """Whether a note says what its record does, in the words of another machine, while nothing
        has changed here: the two would write it anew for ever.
        """
        each, note = found.note.id, found.note
        base = self._sides.bases.get(each)
        is_same = self._sides.decisions.get(each) == plan.SAME
        is_ours = base is not None and base.rendered == own
        is_whole = not (note.is_touched or note.is_relabelled or note.missing)
        return is_same and is_ours and is_whole

    def _write_text(self, each: str, path: str, text: str, found: FoundNote | None) -> bool:
        """Let a note hold a text; what somebody wrote where only memctl writes is kept beside."""
        if found is not None and decode_note(found.raw) == text:
            return True
        if found is not None and found.note.is_relabelled:
            self._tell("restored", path, each, "only memctl writes that part of its front matter")
        if found is not None and found.note.is_touched and not self._keep_words(path, found):
            return False
        self._tell("wrote", path, each, None if found else "new")
        new, old = text.encode("utf-8", "replace"), found.raw if found else None
        return self._try(path, lambda: self._folder.write(path, new, old))

    def _keep_words(self, path: str, found: FoundNote) -> bool:
        kept = find_conflict_path(found.path, EDITED)
        self._tell("restored", path, found.note.id, f"what memctl writes; yours is in {kept}")
        held = _mark_conflict(found.raw)
        is_kept = kept in self._sides.scan.conflicts
        return is_kept or self._try(kept, lambda: self._folder.write(kept, held, None))

    def _move_note(self, found: FoundNote, path: str) -> bool:
        """Move a note to where it belongs; False if that cannot be."""
        if found.path == path:
            return True
        self._tell("moved", found.path, found.note.id, f"to {path}")
        return self._try(path, lambda: self._folder.move(found.path, path, found.raw))

    def _write_conflict(self, each: str, found: FoundNote, text: str) -> Iterator[_Known]:
        sides = self._sides
        path = locate_conflict(found.path, each, sides.scan.conflicts)
        old = _read_bytes(self._root / path) if path in sides.scan.conflicts else None
        new = _mark_conflict(text.encode("utf-8", "replace"))
        if old != new and not self._try(path, lambda: self._folder.write(path, new, old)):
            return
        record = build_record_side(sides.views[each])
        base = sides.bases.get(each) or plan.Base("none", "none")
        known = replace(base, conflict=record.hash, is_foreign=False)
        yield each, (known.pack(), sides.places.get(each) or hash_place(found.path))

    def _remove_notes(self) -> Iterator[_Known]:
        """Remove the notes of what was purged, and of what is private by now."""
        for each, what in self._sides.decisions.items():
            found, base = self._sides.notes.get(each), self._sides.bases.get(each)
            if found is None or what not in (plan.PURGED, plan.WITHDRAWN):
                continue
            is_ours = base is not None and base.hash == found.note.state.compute_hash()
            if what == plan.WITHDRAWN and not is_ours:
                self.problems.append(f"{found.path}: its record is private now, but it was edited")
                continue
            is_purged = what == plan.PURGED
            self._tell("removed", found.path, each, "was purged" if is_purged else "is private now")
            for copy in self._sides.scan.notes[each]:
                if is_purged or copy.note.state.compute_hash() == found.note.state.compute_hash():
                    self._remove(copy.path, copy.raw)
                else:
                    self.problems.append(f"{copy.path}: its record is private now, delete it")
            self._remove_conflicts(each, [copy.path for copy in self._sides.scan.notes[each]])
            yield each, None
        for each in sorted(self._sides.purged - self._sides.notes.keys()):
            self._remove_conflicts(each, [])

    def _remove_conflicts(self, each: str, paths: list[str]) -> None:
        """Remove what was kept of conflicts about a record, wherever its note has gone since."""
        conflicts = self._sides.scan.conflicts
        beside = {path for note in paths for path in find_beside(note, conflicts)}
        for path in sorted(beside | {path for path, named in conflicts.items() if named == each}):
            self._tell("removed", path, each, "tells of a record that has no note now")
            self._remove(path, _read_bytes(self._root / path) or b"")

    def _remove(self, path: str, raw: bytes) -> None:
        self._try(path, lambda: self._folder.remove(path, raw))

    def _write_pages(self, wanted: Mapping[str, str]) -> None:
        scan = self._sides.scan
        for path, generated in sorted(wanted.items()):
            raw = scan.pages.get(path)
            if raw is not None or path not in scan.names:  # Otherwise it is somebody else's.
                self._write_page(path, generated, raw)
        for path, raw in sorted(scan.pages.items()):
            if path not in wanted and pages.holds_only_generated(decode_note(raw), path):
                self._tell("removed", path)
                self._remove(path, raw)

    def _write_page(self, path: str, generated: str, raw: bytes | None) -> None:
        old = None if raw is None else decode_note(raw)
        text = pages.compose_page(path, generated, old)
        if old != text:
            self._tell("wrote", path)
            self._try(path, lambda: self._folder.write(path, text.encode("utf-8", "replace"), raw))

    def _find_broken(
        self, texts: Mapping[str, str], titles: Mapping[str, str], wanted: Mapping[str, str]
    ) -> Iterator[tuple[str, str]]:
        """Links of notes of records that lead nowhere, each with its note."""
        named = {found.path: read_names(found.note.front) for found in self._sides.notes.values()}
        aliases = {path: [title, *named.get(path, ())] for path, title in titles.items()}
        index = NoteIndex({*self._sides.scan.names, *texts, *wanted}, aliases)
        for path, text in sorted(texts.items()):
            for target in dict.fromkeys(link.target for link in list_links(text)):
                if target and index.resolve(target) is None:
                    yield path, target

    def _tell(
        self, what: str, path: str, record: str | None = None, note: str | None = None
    ) -> None:
        self.changes.append(VaultChange(what, path, record, note))

    def _try(self, path: str, change: Callable[[], bool]) -> bool:
        """Change a file; what cannot be done is told, and the next run tries it again."""
        if self._dry_run:
            return True
        try:
            done = change()
        except OSError as error:
            self.problems.append(f"{path}: {error.strerror or error}")
            return False
        if not done:
            self.problems.append(f"{path}: was changed meanwhile; the next run looks again")
        return done


def find_beside(path: str, conflicts: Iterable[str]) -> list[str]:
    """Return the notes that tell of a conflict about one note."""
    plain = path.removesuffix(".md") + "."
    return sorted(each for each in conflicts if each.startswith(plain))


def _mark_conflict(raw: bytes) -> bytes:
    """Return a note as one that is none: nothing is read back from it."""
    return re.sub(rb"^id:", f"{CONFLICT_KEY}:".encode(), raw, count=1, flags=re.MULTILINE)


def _read_bytes(path: Path) -> bytes | None:
    try:
        return regular_files.read_regular_file(path)
    except OSError:
        return None
