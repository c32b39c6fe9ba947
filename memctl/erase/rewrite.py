"""Rewrite words wherever a store has them: records, turns, quotes, history, logs, names.

A quote still matches its turn; the event log still leads to every record, and its chain stays
whole.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from memctl.core import clock
from memctl.core.frozen import dataclass, field, replace
from memctl.core.model import Memory, Turn
from memctl.records.statement import compute_fingerprint
from memctl.store import erase, event_log, records, sources, tombstones
from memctl.store.database import Database, Row
from memctl.store.rows import copy_row, parse_json_column, to_canonical_json

_RECORD_TEXTS = (
    "title",
    "content",
    "summary",
    "subject",
    "rationale",
    "status_reason",
    "agent_id",
    "session_id",
    "source_ref",
)
_TURN_TEXTS = ("text", "ts", "speaker", "tool", "call_id")
# What may have been put into a text: its other pieces stand in the old text too.
_PUT_IN = re.compile(r"\[REDACTED:[a-z0-9_]{1,40}(?::[0-9a-f]{8})?\]|\[PURGED\]")


class Rewriter(Protocol):
    """Rewrites words. `narrow_to` may make it quicker for texts that belong together."""

    def rewrite_text(self, text: str, /) -> str:
        """Rewrite one text."""

    def rewrite_value(self, value: Any, /) -> Any:
        """Rewrite every text in nested lists and mappings."""

    def narrow_to(self, pieces: Iterable[str], /) -> Rewriter:
        """The same rewriter, for these texts."""


@dataclass(frozen=True, slots=True)
class RewrittenSpot:
    """A row that changes: its kind and id, and its texts before and after."""

    place: str
    id: str
    changes: Mapping[str, tuple[str, str]] = field(default_factory=dict)


class StoreRewrite:
    """One pass over a store. With `write`, inside a transaction, it writes; else it only
    reports.
    """

    def __init__(
        self, db: Database, rewriter: Rewriter, *, write: bool, verb: str = "", actor: str = ""
    ) -> None:
        self.db, self.rewriter, self.write = db, rewriter, write
        self.verb, self.actor = verb, actor
        self._turns: dict[tuple[str, int], tuple[str, str]] = {}

    def rewrite_all(self) -> Iterator[RewrittenSpot]:
        """Rewrite every table, in the order of their dependence; yield what changes."""
        yield from self._rewrite_sources()
        yield from self._rewrite_evidence()
        yield from self._rewrite_records()
        for table in erase.TABLES:
            spots = list(self._rewrite_table(table))
            yield from spots
            if self.write and table.name == "entities":
                erase.reindex_memories(self.db, [spot.id for spot in spots])
        yield from self._rewrite_event_log()

    def _rewrite_sources(self) -> Iterator[RewrittenSpot]:
        for row in erase.list_sources(self.db):
            yield from self._rewrite_parts(row["id"])
            new: dict[str, Any] = {
                name: self._rewrite_optional(row[name]) for name in erase.SOURCE_TEXTS
            }
            new["unknown"] = to_canonical_json(
                self.rewriter.rewrite_value(parse_json_column(row["unknown"]))
            )
            new["raw"] = self._rewrite_raw(row["raw"])
            spot = _build_spot(
                "source",
                row["id"],
                row,
                {name: value for name, value in new.items() if name != "raw"},
            )
            if new["raw"] != row["raw"]:
                spot = RewrittenSpot(
                    "source", row["id"], {**(spot.changes if spot else {}), "raw": ("", "")}
                )
            if spot:
                yield spot
            if self.write and (spot or any(source_id == row["id"] for source_id, _ in self._turns)):
                erase.set_source(self.db, {**row, **new})

    def _rewrite_raw(self, packed: bytes | None) -> bytes | None:
        if packed is None:
            return None
        old = zlib.decompress(packed).decode("utf-8", "surrogatepass")
        new = self.rewriter.rewrite_text(old)
        return packed if new == old else zlib.compress(new.encode("utf-8", "surrogatepass"))

    def _rewrite_parts(self, source_id: str) -> Iterator[RewrittenSpot]:
        for part in erase.iterate_parts(self.db, source_id):
            old = sources.unpack_turns(part["turns"])
            rewriter = self.rewriter.narrow_to(
                [piece for turn in old for piece in _list_pieces(turn)]
            )
            new = [rewrite_turn(rewriter, turn) for turn in old]
            for before, after in zip(old, new, strict=True):
                if before != after:
                    self._turns[source_id, before.seq] = (before.text, after.text)
                    yield RewrittenSpot(
                        "turn", f"{source_id} turn {before.seq}", _find_differences(before, after)
                    )
            if self.write and new != old:
                erase.set_part(self.db, source_id, part["part"], new)

    def _rewrite_evidence(self) -> Iterator[RewrittenSpot]:
        for row in erase.list_evidence(self.db):
            new = {
                **copy_row(row),
                **self._rewrite_quote(row),
                "speaker": self._rewrite_optional(row["speaker"]),
            }
            spot = _build_spot(
                "evidence", row["id"], row, {name: new[name] for name in ("quote", "speaker")}
            )
            if spot:
                yield spot
            if self.write and new != copy_row(row):
                erase.set_evidence(
                    self.db,
                    {
                        name: new[name]
                        for name in ("id", "span_start", "span_end", "quote", "speaker")
                    },
                )

    def _rewrite_quote(self, row: Row) -> dict[str, Any]:
        """The quote and its span in the rewritten turn."""
        turn = self._turns.get((row["source_id"] or "", -1 if row["turn"] is None else row["turn"]))
        if turn is None or row["span_start"] is None:
            return (
                {"quote": self.rewriter.rewrite_text(row["quote"])}
                if row["source_id"] is None or turn
                else {}
            )
        start, end = move_span(*turn, row["span_start"], row["span_end"])
        return {"span_start": start, "span_end": end, "quote": turn[1][start:end]}

    def _rewrite_records(self) -> Iterator[RewrittenSpot]:
        for old in erase.list_records(self.db):
            new = _rewrite_record(self.rewriter, old)
            if new == old:
                continue
            yield RewrittenSpot("record", old.id, _find_differences(old, new))
            if self.write:
                self._write_record(old, new)

    def _write_record(self, old: Memory, new: Memory) -> None:
        now = clock.now()
        new = replace(new, updated_at=now)
        if old.fingerprint == compute_fingerprint(old):
            new = replace(new, fingerprint=compute_fingerprint(new))
            tombstones.move_tombstone(self.db, old.id, old.fingerprint, new.fingerprint)
        erase.set_record(self.db, new)
        event_log.append_change(
            self.db,
            old.id,
            self.verb,
            None,
            records.extract_history_fields(new),
            actor=self.actor,
            cause=self.verb,
            at=now,
        )

    def _rewrite_table(self, table: erase.Table) -> Iterator[RewrittenSpot]:
        for row in erase.rows(self.db, table):
            new = {name: self._rewrite_optional(row[name]) for name in table.texts}
            new |= {
                name: to_canonical_json(self.rewriter.rewrite_value(parse_json_column(row[name])))
                for name in table.nested
            }
            spot = _build_spot(table.place, str(row["id"]), row, new)
            if spot:
                yield spot
                if self.write:
                    erase.update(self.db, table, {**copy_row(row), **new})

    def _rewrite_event_log(self) -> Iterator[RewrittenSpot]:
        for row in erase.read_event_log(self.db):
            new: dict[str, Any] = {
                name: self._rewrite_optional(row[name]) for name in ("actor", "cause", "item")
            }
            for name in ("before", "after"):
                new[name] = (
                    None
                    if row[name] is None
                    else to_canonical_json(
                        self.rewriter.rewrite_value(parse_json_column(row[name]))
                    )
                )
            spot = _build_spot("stream", f"change {row['seq']} of {row['memory_id']}", row, new)
            if spot:
                yield spot
                if self.write:
                    erase.set_event_words(self.db, row, new)

    def _rewrite_optional(self, text: str | None) -> str | None:
        return None if text is None else self.rewriter.rewrite_text(text)


def move_span(old: str, new: str, start: int, end: int) -> tuple[int, int]:
    """Where a span of a text is after replacements; a partly replaced span includes the
    replacement.
    """
    pairs = list(_list_kept_pieces(old, new))
    return _move_position(pairs, start, ends=False), _move_position(pairs, end, ends=True)


def _list_kept_pieces(old: str, new: str) -> Iterator[tuple[int, int, int]]:
    """The pieces that both texts share: start in the old, start in the new, length."""
    at_old = at_new = 0
    for match in [*_PUT_IN.finditer(new), None]:
        piece = new[at_new : match.start() if match else len(new)]
        at_old = len(old) - len(piece) if match is None else max(old.find(piece, at_old), at_old)
        yield at_old, at_new, len(piece)
        at_old, at_new = at_old + len(piece), match.end() if match else len(new)


def _move_position(pairs: Sequence[tuple[int, int, int]], place: int, *, ends: bool) -> int:
    for index, (old, new, length) in enumerate(pairs):
        if place < old or (place == old and ends and index):
            before = pairs[index - 1]
            return new if ends else before[1] + before[2]
        if place < old + length or (place == old + length and (ends or index + 1 == len(pairs))):
            return new + place - old
    return pairs[-1][1] + pairs[-1][2]


def _build_spot(
    place: str, name: str, old: Mapping[str, Any] | Row, new: Mapping[str, Any]
) -> RewrittenSpot | None:
    changes = {
        key: (old[key] or "", value or "") for key, value in new.items() if old[key] != value
    }
    return RewrittenSpot(place, name, changes) if changes else None


def _find_differences(old: Any, new: Any) -> dict[str, tuple[str, str]]:
    names = _TURN_TEXTS if isinstance(old, Turn) else _RECORD_TEXTS
    found = {
        name: (getattr(old, name) or "", getattr(new, name) or "")
        for name in names
        if getattr(old, name) != getattr(new, name)
    }
    for name in ("data", "alternatives"):
        if getattr(old, name, None) != getattr(new, name, None):
            found[name] = (
                to_canonical_json(getattr(old, name)),
                to_canonical_json(getattr(new, name)),
            )
    return found


def _list_pieces(turn: Turn) -> Iterator[str]:
    yield from (getattr(turn, name) or "" for name in _TURN_TEXTS)
    if turn.data:
        yield to_canonical_json(turn.data)


def rewrite_turn(rewriter: Rewriter, turn: Turn) -> Turn:
    """A turn with its words rewritten; the same object if nothing changes."""
    changes: dict[str, Any] = {
        name: rewriter.rewrite_text(value) for name in _TURN_TEXTS if (value := getattr(turn, name))
    }
    if turn.data:
        changes["data"] = rewriter.rewrite_value(turn.data)
    return (
        turn
        if all(value == getattr(turn, name) for name, value in changes.items())
        else replace(turn, **changes)
    )


def _rewrite_record(rewriter: Rewriter, memory: Memory) -> Memory:
    changes: dict[str, Any] = {
        name: rewriter.rewrite_text(value)
        for name in _RECORD_TEXTS
        if (value := getattr(memory, name))
    }
    changes["alternatives"] = tuple(map(rewriter.rewrite_text, memory.alternatives))
    return replace(memory, **changes)
