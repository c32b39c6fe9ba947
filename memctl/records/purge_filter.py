"""What was purged does not come back with the next capture of the same file: it is cut out again,
known by a keyed hash and its length.

The words themselves are nowhere; a capture of a whole session that was purged is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import pairwise

from memctl.core import timestamps
from memctl.core.errors import RefusedByPolicy
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Transcript, Turn
from memctl.core.typing_lite import Any
from memctl.redact import store_key
from memctl.redact.redactor import Redactor
from memctl.settings.config import Config
from memctl.store import tombstones
from memctl.store.database import Database
from memctl.store.rows import compute_sha256

PURGED = "[PURGED]"
# What the marks of cut texts begin with.
_CUT = "cut:"
# Characters whose hash tells which lengths may begin at a position.
_PAIR = 2
_STARTS = tuple(f"{number:02x}" for number in range(256))
# What is told about a conversation, and of a turn.
_HEAD_FIELDS = ("title", "cwd", "git_branch", "session_id", "parent_session_id")
_TURN_FIELDS = ("text", "speaker", "tool", "call_id")


@dataclass(frozen=True, slots=True)
class PurgeFilter:
    """What to cut out of captured text: hashes by length, those by how the words begin, and the key
    that they were made with.

    Words begin anywhere, so every position is looked at; a hash of two characters tells which
    lengths are worth a hash of their own.
    """

    key: bytes
    by_start: dict[str, dict[int, frozenset[str]]]

    def cut_text(self, text: str) -> str:
        """The text with everything that was purged cut out, wherever it stands; the same object
        where nothing does.
        """
        pieces: list[str] = []
        done = 0
        for start, lengths in self._find_positions(text):
            length = 0 if start < done else self._find_length(text, start, lengths)
            if length:
                pieces += [text[done:start], PURGED]
                done = start + length
        return "".join([*pieces, text[done:]]) if pieces else text

    def cut_value(self, value: Any) -> Any:
        """The same for every text in nested lists and mappings, keys included."""
        if isinstance(value, str):
            return self.cut_text(value)
        if isinstance(value, dict):
            return {self.cut_text(str(name)): self.cut_value(item) for name, item in value.items()}
        return [self.cut_value(item) for item in value] if isinstance(value, list) else value

    def _find_positions(self, text: str) -> Iterator[tuple[int, dict[int, frozenset[str]]]]:
        """Where words may begin, in order, with what may begin there."""
        found = {
            pair: of
            for pair in {*pairwise(text)}
            if (of := self.by_start.get(_compute_start_hash("".join(pair), self.key)))
        }
        if found:
            yield from (
                (start, found[pair]) for start, pair in enumerate(pairwise(text)) if pair in found
            )

    def _find_length(self, text: str, start: int, lengths: dict[int, frozenset[str]]) -> int:
        """The length of the longest words that begin there and were purged, or 0."""
        fitting = (length for length in lengths if len(text) >= start + length)
        return next(
            (
                length
                for length in fitting
                if _compute_hash(text[start : start + length], self.key) in lengths[length]
            ),
            0,
        )


def compute_cut_mark(config: Config, text: str) -> str:
    """Compute the mark of a text that was purged: its length, a keyed hash and a short one of
    its beginning.
    """
    key = store_key.load_key(config.db) or b""
    return f"{_CUT}{len(text)}:{_compute_hash(text, key)}:{_compute_start_hash(text[:_PAIR], key)}"


def compute_session_mark(agent: str, session_id: str) -> str:
    """Compute the mark of a session that was purged."""
    return compute_sha256(f"session\n{agent}\n{session_id}")


def compute_original_mark(content_hash: str) -> str:
    """Compute the mark of an original that was purged."""
    return compute_sha256(f"original\n{content_hash}")


def refuse_purged(db: Database, marks: Iterable[str]) -> None:
    """Raise RefusedByPolicy for what was purged."""
    for each in marks:
        verdict = tombstones.find_tombstone(db, each, ())
        if verdict is not None and verdict["verdict"] == "purged":
            day = timestamps.to_local_day(verdict["created_at"])
            raise RefusedByPolicy(f"this session was purged on {day} and is not taken in again")


def read_filter(db: Database, config: Config) -> PurgeFilter | None:
    """Read what to cut out of what is captured now; None if nothing was ever purged."""
    return _build_filter(db, store_key.load_key(config.db) or b"")


def has_cuts(db: Database) -> bool:
    """Whether anything was purged that texts may still hold."""
    return bool(tombstones.list_fingerprints(db, _CUT))


def holds_purged(db: Database, texts: Iterable[str | None], redactor: Redactor) -> bool:
    """Whether any of the texts holds what was purged from the store at hand."""
    purged = _build_filter(db, redactor.read_key() or b"")
    return purged is not None and any(purged.cut_text(text) is not text for text in texts if text)


def _build_filter(db: Database, key: bytes) -> PurgeFilter | None:
    hashes: dict[str, dict[int, set[str]]] = {}
    for fingerprint in tombstones.list_fingerprints(db, _CUT):
        _, length, hashed, *start = fingerprint.split(":")
        # Older marks lack the hash of their beginning: they may begin anywhere.
        for each in start or _STARTS:
            hashes.setdefault(each, {}).setdefault(int(length), set()).add(hashed)
    by_start = {
        start: {length: frozenset(of[length]) for length in sorted(of, reverse=True)}
        for start, of in hashes.items()
    }
    return PurgeFilter(key, by_start) if by_start else None


def cut_transcript(transcript: Transcript, purged: PurgeFilter) -> Transcript:
    """Cut what was purged out of a conversation: out of its turns and of what is told about it."""
    head: dict[str, Any] = {
        name: purged.cut_text(value)
        for name in _HEAD_FIELDS
        if (value := getattr(transcript, name))
    }
    return replace(
        transcript, turns=tuple(_cut_turn(turn, purged) for turn in transcript.turns), **head
    )


def _cut_turn(turn: Turn, purged: PurgeFilter) -> Turn:
    changes: dict[str, Any] = {
        name: purged.cut_text(value) for name in _TURN_FIELDS if (value := getattr(turn, name))
    }
    if turn.data:
        changes["data"] = purged.cut_value(turn.data)
    is_same = all(value == getattr(turn, name) for name, value in changes.items())
    return turn if is_same else replace(turn, **changes)


def _compute_hash(text: str, key: bytes) -> str:
    return hashlib.blake2b(
        text.encode("utf-8", "surrogatepass"), digest_size=16, key=key
    ).hexdigest()


def _compute_start_hash(pair: str, key: bytes) -> str:
    """Hash how words begin: too short to reveal them, enough to pass over most positions of a
    text.
    """
    return hashlib.blake2b(
        pair.encode("utf-8", "surrogatepass"), digest_size=1, key=key, person=b"start"
    ).hexdigest()
