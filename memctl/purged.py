"""What was purged does not come back with the next capture of the same file: it is cut out again, known by a keyed hash and its length.

The words themselves are nowhere; a capture of a whole session that was purged is refused.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from memctl import secrecy
from memctl.config import Config
from memctl.data import dataclass, replace
from memctl.db import Db
from memctl.errors import RefusedByPolicy
from memctl.model import Transcript, Turn
from memctl.store import tombstones
from memctl.store.rows import digest

PURGED = "[PURGED]"
_CUT = "cut:"
_START = re.compile(r"(?<![^\W_])\S")


@dataclass(frozen=True, slots=True)
class Cuts:
    """What to cut out of what is captured: hashes by length, and the key that they were made with."""

    key: bytes
    by_length: dict[int, frozenset[str]]

    def text(self, text: str) -> str:
        """The text with everything that was purged cut out, wherever it begins with a word."""
        pieces: list[str] = []
        done = 0
        for start in (match.start() for match in _START.finditer(text)):
            if start < done:
                continue
            length = next((length for length in self.by_length if self._is_cut(text, start, length)), 0)
            if length:
                pieces += [text[done:start], PURGED]
                done = start + length
        return "".join([*pieces, text[done:]]) if pieces else text

    def _is_cut(self, text: str, start: int, length: int) -> bool:
        return len(text) >= start + length and _hash(text[start : start + length], self.key) in self.by_length[length]


def mark(config: Config, text: str) -> str:
    """How a text that was purged is known: by its length and a keyed hash."""
    return f"{_CUT}{len(text)}:{_hash(text, secrecy.key_of(config.db) or b'')}"


def session_mark(agent: str, session_id: str) -> str:
    """How a session that was purged is known."""
    return digest(f"session\n{agent}\n{session_id}")


def original_mark(content_hash: str) -> str:
    """How an original that was purged is known."""
    return digest(f"original\n{content_hash}")


def refuse(db: Db, marks: Iterable[str]) -> None:
    """Raise RefusedByPolicy for what was purged."""
    for each in marks:
        verdict = tombstones.find(db, each, ())
        if verdict is not None and verdict["verdict"] == "purged":
            raise RefusedByPolicy(f"this session was purged on {verdict['created_at'][:10]} and is not taken in again")


def cuts(db: Db, config: Config) -> Cuts | None:
    """What to cut out of what is captured now, if anything was ever purged."""
    found: dict[int, set[str]] = {}
    for row in db.all("tombstones.between", low=_CUT, high=_CUT[:-1] + ";"):
        _, length, hashed = row["fingerprint"].split(":")
        found.setdefault(int(length), set()).add(hashed)
    lengths = {length: frozenset(found[length]) for length in sorted(found, reverse=True)}
    return Cuts(secrecy.key_of(config.db) or b"", lengths) if lengths else None


def cut_out(transcript: Transcript, of: Cuts) -> Transcript:
    """The conversation without what was purged."""
    title = of.text(transcript.title) if transcript.title else transcript.title
    return replace(transcript, turns=tuple(_cut_turn(turn, of) for turn in transcript.turns), title=title)


def _cut_turn(turn: Turn, of: Cuts) -> Turn:
    text, data = of.text(turn.text), _cut_value(turn.data, of)
    return turn if text is turn.text and data == turn.data else replace(turn, text=text, data=data)


def _cut_value(value: object, of: Cuts) -> object:
    if isinstance(value, str):
        return of.text(value)
    if isinstance(value, dict):
        return {name: _cut_value(item, of) for name, item in value.items()}
    return [_cut_value(item, of) for item in value] if isinstance(value, list) else value


def _hash(text: str, key: bytes) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=key).hexdigest()
