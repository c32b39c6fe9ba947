"""Wikilinks of notes: found in a text, and resolved as Obsidian does. Pure.

`[[NAME]]`, `[[folder/NAME]]`, `[[NAME#heading]]`, `[[NAME|label]]`, `![[NAME]]`. A path is taken
before a name, and of several notes of one name the one with the shortest path; case does not
matter. What Obsidian leaves to its list of suggestions, an alias, is followed here too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.text.markdown_lines import classify_text

_LINK = compile_later(r"!?\[\[([^\[\]\n|#^]*)((?:[#^][^\[\]\n|]*)?)(?:\|[^\[\]\n]*)?\]\]")
_INLINE_CODE = compile_later(r"(`+)(?!`).*?(?<!`)\1(?!`)")


@dataclass(frozen=True, slots=True)
class Wikilink:
    """A link as written: the note it names (empty: the same note), and a heading or block."""

    target: str
    part: str = ""


class NoteIndex:
    """The notes of a folder by path and name, and by the aliases that they give themselves."""

    def __init__(self, paths: Iterable[str], aliases: Mapping[str, Iterable[str]]) -> None:
        """`paths` within the folder, with their ending; `aliases` by path."""
        self._paths: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._aliases: dict[str, str] = {}
        for path in sorted(paths, key=lambda path: (path.count("/"), len(path), path)):
            plain = make_key(path.removesuffix(".md"))
            self._paths.setdefault(plain, path)
            self._names.setdefault(plain.rpartition("/")[2], path)
            for alias in aliases.get(path, ()):
                self._aliases.setdefault(make_key(alias), path)

    def resolve(self, target: str) -> str | None:
        """Return the path of the note that a link names, or None."""
        key = make_key(target.removesuffix(".md").strip().lstrip("/"))
        if "/" in key:
            ending = "/" + key
            found = self._paths.get(key)
            return found or next(
                (path for known, path in self._paths.items() if known.endswith(ending)), None
            )
        return self._paths.get(key) or self._names.get(key) or self._aliases.get(key)

    def is_unique(self, path: str) -> bool:
        """Whether the name of a note alone leads to it."""
        return self.resolve(path.rpartition("/")[2].removesuffix(".md")) == path


def make_key(name: str) -> str:
    """Return a name as those that do not tell case or forms of letters apart compare it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def list_links(text: str) -> list[Wikilink]:
    """Return the links of a text, in order; what stands in code is none."""
    found: list[Wikilink] = []
    if "[[" not in text:
        return found
    for line in classify_text(text):
        if not line.is_code and "[[" in line.text:
            words = _INLINE_CODE.sub("", line.text)
            found += [Wikilink(each[1].strip(), each[2].strip()) for each in _LINK.finditer(words)]
    return found
