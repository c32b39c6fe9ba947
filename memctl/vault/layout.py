"""Where notes lie, what they are called, and how they name each other. Pure.

A note keeps its name for good, so that links to it stay right; it moves between folders when its
record does, unless a person moved it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.model import EntityRef, Memory
from memctl.records import paths
from memctl.results.records import RecordView
from memctl.vault.note_text import clean_label
from memctl.vault.wikilinks import NoteIndex, make_key

INBOX = "_inbox"
ARCHIVE = "_archive"
ENTITIES = "entities"
INDEX = "_index.md"
# Characters of an id in the name of a note: it begins with the time.
_ID_LENGTH = 10
_RENAMED = {paths.INBOX: INBOX, paths.ARCHIVE: ARCHIVE}


def find_folder(memory: Memory, project: str | None) -> str:
    """Return the folder of a record's note."""
    first, *rest = paths.find_folder(memory, project)
    return "/".join((_RENAMED.get(first, first), *rest))


def choose_paths(
    views: Iterable[RecordView],
    here: Mapping[str, str],
    moved: Iterable[str],
    taken: Iterable[str],
) -> dict[str, str]:
    """Choose the path of each record's note: `here` are those that have one, `moved` those that a
    person moved, `taken` all files there are.
    """
    names = {make_key(path) for path in taken}
    by_hand, chosen = {*moved}, {}
    for view in sorted(views, key=lambda view: view.memory.id):
        old = here.get(view.memory.id)
        if old is not None and view.memory.id in by_hand:
            chosen[view.memory.id] = old
            continue
        folder = find_folder(view.memory, view.project)
        name = old.rpartition("/")[2] if old is not None else None
        for each in (name, *_propose_names(view.memory)):
            path = f"{folder}/{each}"
            if each is not None and (path == old or make_key(path) not in names):
                names.add(make_key(path))
                chosen[view.memory.id] = path
                break
        else:
            chosen[view.memory.id] = old or f"{folder}/{view.memory.id.lower()}.md"
    return chosen


def _propose_names(memory: Memory) -> tuple[str, str]:
    short = paths.make_note_name(memory.title, memory.id[:_ID_LENGTH].lower())
    return f"{short}.md", f"{paths.make_note_name(memory.title, memory.id.lower())}.md"


def build_links(
    chosen: Mapping[str, str], titles: Mapping[str, str], index: NoteIndex
) -> dict[str, str]:
    """Return the wikilink of each record's note: by name, or by path where others have it too."""
    return {
        each: build_link(path, titles.get(each, ""), is_unique=index.is_unique(path))
        for each, path in chosen.items()
    }


def build_link(path: str, label: str, *, is_unique: bool) -> str:
    """Return a wikilink to a note."""
    target = path.removesuffix(".md")
    name = target.rpartition("/")[2] if is_unique else target
    shown = clean_label(label)
    return f"[[{name}|{shown}]]" if shown and shown != name else f"[[{name}]]"


def find_entity_path(ref: EntityRef) -> str:
    """Return the path of the page of an entity."""
    return f"{ENTITIES}/{ref.kind}/{paths.make_name(ref.name)}.md"


def build_entity_links(refs: Iterable[EntityRef]) -> list[str]:
    """Return the wikilinks of what a record mentions."""
    return [build_link(find_entity_path(ref), ref.name, is_unique=False) for ref in refs]
