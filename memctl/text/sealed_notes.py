"""Notes that a program makes and a person writes into: which lines are whose. Pure.

A note ends, as far as it was made, in a seal: an HTML comment that no reader of Markdown shows. The
seal of a daily note has a short hash of each line that was made; any other line is the person's,
wherever it stands. The seal of MEMORY.md names its version, whose lines the store has.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable

from memctl.core.lazy_pattern import compile_later

DAILY = "daily"
MEMORY = "memory"
_SEAL = compile_later(r"^<!-- memctl (daily|memory) (\S+)((?: [0-9a-f]{6})*) -->$", re.MULTILINE)
# Hexadecimal digits of the hash of a line: one of a million notes has a hand-written line that
# passes for one that was made.
_HASH_LENGTH = 6
# The ids that a line names, as this program writes them: whole or shortened, in backticks.
NAMED_ID = compile_later(r"`([0-9A-HJKMNP-TV-Z]{10,26})`")


def compose_seal(kind: str, name: str, lines: Iterable[str] = ()) -> str:
    """Compose the seal of a note: its kind, its name, and the lines that were made."""
    hashes = sorted({hash_line(line) for line in lines if line.strip()})
    return f"<!-- memctl {' '.join([kind, name, *hashes])} -->"


def find_seal(text: str, kind: str) -> re.Match[str] | None:
    """Return the first seal of a kind in a text; group 2 is its name, group 3 its hashes."""
    return next((found for found in _SEAL.finditer(text) if found[1] == kind), None)


def is_sealed(text: str) -> bool:
    """Whether a program made this note."""
    return _SEAL.search(text) is not None


def hash_line(line: str) -> str:
    """Return the short hash of a line."""
    words = line.rstrip().encode("utf-8", "surrogateescape")
    return hashlib.sha256(words).hexdigest()[:_HASH_LENGTH]


def edit_lines(text: str, change: Callable[[str], str | None]) -> str:
    """Change the lines of a note, or leave them out; one that was made stays one that was made."""
    kept: list[str] = []
    renamed: dict[str, str] = {}
    for line in text.split("\n"):
        new = line if _SEAL.fullmatch(line) else change(line)
        if new is None:
            continue
        if new != line:
            renamed[hash_line(line)] = hash_line(new)
        kept.append(new)
    if not renamed:
        return "\n".join(kept)
    return _SEAL.sub(lambda found: _rename(found, renamed), "\n".join(kept))


def drop_naming(text: str, ids: Iterable[str]) -> str:
    """Leave out the lines that name one of these records."""
    gone = list(ids)

    def keep(line: str) -> str | None:
        named = NAMED_ID.findall(line)
        return None if any(each.startswith(name) for name in named for each in gone) else line

    return edit_lines(text, keep)


def _rename(found: re.Match[str], renamed: dict[str, str]) -> str:
    hashes = sorted({renamed.get(each, each) for each in found[3].split()})
    return f"<!-- memctl {' '.join([found[1], found[2], *hashes])} -->"
