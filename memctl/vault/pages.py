"""The pages that memctl generates: an index of each folder, and of each entity. Pure.

They are made from the notes that are in the folder, whoever wrote those, so two machines that share
it write the same. What a person writes above or below the marks stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from memctl.core.lazy_pattern import compile_later
from memctl.vault.layout import ENTITIES, INDEX, build_link
from memctl.vault.note_text import END_MARK, format_scalar
from memctl.vault.wikilinks import NoteIndex, list_links, make_key

_BEGIN_MARK = "<!-- memctl: what follows is written by memctl -->"
_GENERATED = compile_later(
    rf"^{re.escape(_BEGIN_MARK)}$.*?^{re.escape(END_MARK)}$", re.DOTALL | re.MULTILINE
)


def build_pages(titles: Mapping[str, str], texts: Mapping[str, str]) -> dict[str, str]:
    """Return the generated part of each page by its path, from the titles and the texts of the
    notes by theirs.
    """
    index = NoteIndex(titles, {})
    pages = {}
    mentioned: dict[str, dict[str, str]] = {}
    for path, text in texts.items():
        for link in list_links(text):
            if link.target.startswith(f"{ENTITIES}/"):
                name = f"{link.target}.md"
                mentioned.setdefault(make_key(name), {"": name})[path] = titles.get(path, path)
    for found in mentioned.values():
        name = found.pop("")
        pages[name] = "\n".join(_list_notes(found, index))
    folders = _list_folders([*titles, *pages])
    for folder in folders:
        inside = {path: each for path, each in titles.items() if _find_folder(path) == folder}
        inside |= {path: _find_name(path) for path in pages if _find_folder(path) == folder}
        below = [each for each in folders if each and _find_folder(each) == folder]
        lines = [f"- [[{each}/{INDEX[:-3]}|{each.rpartition('/')[2]}]]" for each in sorted(below)]
        pages[f"{folder}/{INDEX}".lstrip("/")] = "\n".join([*lines, *_list_notes(inside, index)])
    return pages


def compose_page(path: str, generated: str, old: str | None) -> str:
    """Return a page with another generated part; what stands around it in the old one stays."""
    part = f"{_BEGIN_MARK}\n{generated}\n{END_MARK}"
    if old is not None and _GENERATED.search(old):
        return _GENERATED.sub(lambda _: part, old, count=1)
    if old is not None:
        return f"{old.rstrip()}\n\n{part}\n"
    is_index = path.endswith(INDEX)
    kind = "index" if is_index else "entity"
    front = f"memctl: {kind}\n" if is_index else f"memctl: {kind}\nkind: {path.split('/')[1]}\n"
    title = _find_folder(path).rpartition("/")[2] if is_index else _find_name(path)
    return f"---\n{front}title: {format_scalar(title or 'Notes')}\n---\n\n{part}\n"


def holds_only_generated(text: str, path: str) -> bool:
    """Whether nobody wrote anything into a page."""
    return (
        _GENERATED.sub("", text).strip() == _GENERATED.sub("", compose_page(path, "", None)).strip()
    )


def _list_notes(notes: Mapping[str, str], index: NoteIndex) -> Iterable[str]:
    for path, title in sorted(notes.items(), key=lambda each: (each[1].casefold(), each[0])):
        yield f"- {build_link(path, title, is_unique=index.is_unique(path))}"


def _list_folders(names: Iterable[str]) -> list[str]:
    folders = {""}
    for path in names:
        folder = _find_folder(path)
        while folder:
            folders.add(folder)
            folder = _find_folder(folder)
    return sorted(folders)


def _find_folder(path: str) -> str:
    return path.rpartition("/")[0]


def _find_name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
