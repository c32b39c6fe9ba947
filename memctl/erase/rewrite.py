"""Rewrite words wherever a store has them: records, turns, quotes, history, logs, names.

All is read and rewritten outside a transaction; short ones then write what is still as it was read
(`write_edits`). What others changed meanwhile is found by looking again. A quote still matches its
turn, and the event log still leads to every record; its chain is computed anew at the end, by
whoever rewrites.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from memctl.core import clock
from memctl.core.errors import StoreDamaged
from memctl.core.frozen import dataclass, field, replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Memory, Turn
from memctl.records.statement import compute_fingerprint
from memctl.store import chunks, erase, event_log, records, sources, tombstones, turn_index
from memctl.store.database import Database, Row
from memctl.store.rows import copy_row, decompress, parse_json_column, to_canonical_json

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
# How often the store is looked through at most. Chosen by hand; what is captured meanwhile is cut
# and redacted on its way in.
_ROUNDS = 5
# What may have been put into a text: its other pieces stand in the old text too.
_PUT_IN = compile_later(r"\[REDACTED:[a-z0-9_]{1,40}(?::[0-9a-f]{8})?\]|\[PURGED\]")


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


@dataclass(frozen=True, slots=True)
class PlannedRewrite:
    """What is rewritten in one transaction: the spots for the report, and what writes them.

    `write` returns False, and writes nothing, if somebody changed the rows since they were read.
    """

    spots: tuple[RewrittenSpot, ...]
    write: Callable[[], bool]


def list_spots(edits: Iterable[PlannedRewrite]) -> list[RewrittenSpot]:
    """All spots of some edits."""
    return [spot for edit in edits for spot in edit.spots]


def write_edits(
    db: Database, edits: Sequence[PlannedRewrite], note: Callable[[int], object] = lambda done: None
) -> list[RewrittenSpot]:
    """Write edits in short transactions; return the spots of those that were still as they were."""
    written: list[RewrittenSpot] = []

    def write(edit: PlannedRewrite) -> None:
        if edit.write():
            written.extend(edit.spots)

    chunks.change_in_chunks(db, edits, write, note=note, around=lambda: erase.lift_guard(db))
    return written


def rewrite_store(
    db: Database, rewrite: StoreRewrite, note: Callable[[int], object]
) -> Iterator[list[RewrittenSpot]]:
    """Rewrite until nothing is left, and yield after each pass what it changed.

    Another pass follows only if another process wrote since the store was read.
    """
    for _ in range(_ROUNDS):
        with db.snapshot():
            version = db.pragma("data_version")
            edits = list(rewrite.find_edits())
        if edits:
            yield write_edits(db, edits, note)
        if db.pragma("data_version") == version:
            return


class StoreRewrite:
    """One pass over a store: what would have to be rewritten, as edits. It writes nothing."""

    def __init__(
        self, db: Database, rewriter: Rewriter, *, verb: str = "", actor: str = ""
    ) -> None:
        self.db, self.rewriter = db, rewriter
        self.verb, self.actor = verb, actor

    def find_edits(self) -> Iterator[PlannedRewrite]:
        """Look through every table, in the order of their dependence, inside a snapshot."""
        quoted: dict[str | None, list[Row]] = defaultdict(list)
        for row in erase.list_evidence(self.db):
            quoted[row["source_id"]].append(row)
        for row in erase.list_sources(self.db):
            yield from self._rewrite_source(row, quoted.pop(row["id"], []))
        for rows in quoted.values():
            for row in rows:
                yield from self._rewrite_evidence(row)
        yield from self._rewrite_records()
        for table in erase.TABLES:
            yield from self._rewrite_table(table)
        yield from self._rewrite_event_log()
        yield from self._rewrite_changes()

    def _rewrite_source(self, row: Row, quoted: list[Row]) -> Iterator[PlannedRewrite]:
        """A source with its turns and what is quoted from them."""
        parts = erase.iterate_parts(self.db, row["id"])
        new_parts = [(part["part"], *self._rewrite_part(row["id"], part)) for part in parts]
        turns: dict[int, tuple[str, str]] = {}
        spots: list[RewrittenSpot] = []
        for _, old, new in new_parts:
            for before, after in zip(old, new, strict=True):
                if before != after:
                    turns[before.seq] = (before.text, after.text)
                    changes = _find_differences(before, after)
                    spots.append(RewrittenSpot("turn", f"{row['id']} turn {before.seq}", changes))
        fields, spot = self._rewrite_source_fields(row)
        spots += [spot] if spot else []
        new_quotes = [self._rewrite_quoted(each, turns) for each in quoted]
        spots += [found for _, found in new_quotes if found]
        if not (spots or any(new for new, _ in new_quotes)):
            return
        is_rewritten = bool(turns or spot)
        packed = {part: new for part, old, new in new_parts if old != new}
        turns_hash = sources.compute_turns_hash(turn for _, _, new in new_parts for turn in new)

        def write() -> bool:
            if not erase.is_same_source(self.db, row, parts, quoted):
                return False
            if packed:
                turn_index.forget_source(self.db, row["id"])
            for part, new in packed.items():
                erase.set_part(self.db, row["id"], part, new)
            for evidence, _ in new_quotes:
                if evidence:
                    erase.set_evidence(self.db, evidence)
            if is_rewritten:
                erase.set_source(self.db, {**copy_row(row), **fields, "turns_hash": turns_hash})
            return True

        yield PlannedRewrite(tuple(spots), write)

    def _rewrite_part(self, source_id: str, part: Row) -> tuple[list[Turn], list[Turn]]:
        """The turns of a part before and after; none of a damaged one, which stays as it is."""
        old = sources.unpack_part(self.db, source_id, part["turns"])
        rewriter = self.rewriter.narrow_to([piece for turn in old for piece in _list_pieces(turn)])
        return old, [rewrite_turn(rewriter, turn) for turn in old]

    def _rewrite_source_fields(self, row: Row) -> tuple[dict[str, Any], RewrittenSpot | None]:
        new: dict[str, Any] = {
            name: self._rewrite_optional(row[name]) for name in erase.SOURCE_TEXTS
        }
        new["unknown"] = self._rewrite_json(row["unknown"])
        spot = _build_spot("source", row["id"], row, new)
        new["raw"] = self._rewrite_raw(row["raw"])
        if new["raw"] != row["raw"]:
            changes = {**(spot.changes if spot else {}), "raw": ("", "")}
            spot = RewrittenSpot("source", row["id"], changes)
        return new, spot

    def _rewrite_raw(self, packed: bytes | None) -> bytes | None:
        if packed is None:
            return None
        old = decompress(packed).decode("utf-8", "surrogatepass")
        new = self.rewriter.rewrite_text(old)
        return packed if new == old else zlib.compress(new.encode("utf-8", "surrogatepass"))

    def _rewrite_evidence(self, row: Row) -> Iterator[PlannedRewrite]:
        """A quote whose source is not here, or that never had one."""
        new, spot = self._rewrite_quoted(row, {})
        if new:
            spots = (spot,) if spot else ()
            yield PlannedRewrite(spots, partial(self._write_evidence, row, new))

    def _write_evidence(self, row: Row, new: Mapping[str, Any]) -> bool:
        if not erase.is_same_evidence(self.db, row):
            return False
        erase.set_evidence(self.db, new)
        return True

    def _rewrite_quoted(
        self, row: Row, turns: Mapping[int, tuple[str, str]]
    ) -> tuple[dict[str, Any], RewrittenSpot | None]:
        """A rewritten piece of evidence (empty if it stays) and its spot."""
        old = {name: row[name] for name in ("id", "span_start", "span_end", "quote", "speaker")}
        speaker = self._rewrite_optional(row["speaker"])
        new = {**old, **self._rewrite_quote(row, turns), "speaker": speaker}
        texts = {name: new[name] for name in ("quote", "speaker")}
        return (new if new != old else {}), _build_spot("evidence", row["id"], row, texts)

    def _rewrite_quote(self, row: Row, turns: Mapping[int, tuple[str, str]]) -> dict[str, Any]:
        """The quote and its span in the rewritten turn."""
        turn = turns.get(-1 if row["turn"] is None else row["turn"])
        if turn is None or row["span_start"] is None:
            is_alone = row["source_id"] is None or turn
            return {"quote": self.rewriter.rewrite_text(row["quote"])} if is_alone else {}
        start, end = move_span(*turn, row["span_start"], row["span_end"])
        return {"span_start": start, "span_end": end, "quote": turn[1][start:end]}

    def _rewrite_records(self) -> Iterator[PlannedRewrite]:
        for old in erase.list_records(self.db):
            new = _rewrite_record(self.rewriter, old)
            if new != old:
                spot = RewrittenSpot("record", old.id, _find_differences(old, new))
                yield PlannedRewrite((spot,), partial(self._write_record, old, new))

    def _write_record(self, old: Memory, new: Memory) -> bool:
        present = records.find_record(self.db, old.id)
        if present is None or _read_told(present) != _read_told(old):
            return False
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
        return True

    def _rewrite_table(self, table: erase.Table) -> Iterator[PlannedRewrite]:
        for row in erase.rows(self.db, table):
            new = {name: self._rewrite_optional(row[name]) for name in table.texts}
            new |= {name: self._rewrite_json(row[name]) for name in table.nested}
            spot = _build_spot(table.place, str(row["id"]), row, new)
            if spot is None:
                continue
            yield PlannedRewrite((spot,), partial(self._write_row, table, row, new))
            for memory_id in self._list_naming(table, row):
                yield PlannedRewrite((), partial(self._reindex, memory_id))

    def _rewrite_json(self, text: str) -> str:
        """The rewritten text of a JSON column. Where it is none any more, a report looks at the
        text as it stands; what writes overlooks nothing and raises StoreDamaged.
        """
        try:
            value = parse_json_column(text)
        except StoreDamaged:
            if not self.db.may_read_on:
                raise
            return self.rewriter.rewrite_text(text)
        return to_canonical_json(self.rewriter.rewrite_value(value))

    def _list_naming(self, table: erase.Table, row: Row) -> list[str]:
        """The records whose index entry holds a name of this row."""
        if table.name == "entities":
            return erase.list_mentioning(self.db, row["id"])
        return [row["id"]] if table.name == "mentions" else []

    def _write_row(self, table: erase.Table, row: Row, new: Mapping[str, Any]) -> bool:
        if not erase.is_same(self.db, table, row):
            return False
        erase.update(self.db, table, {**copy_row(row), **new})
        return True

    def _reindex(self, memory_id: str) -> bool:
        erase.reindex_memory(self.db, memory_id)
        return True

    def _rewrite_event_log(self) -> Iterator[PlannedRewrite]:
        for row in erase.read_event_log(self.db):
            new: dict[str, Any] = {
                name: self._rewrite_optional(row[name]) for name in ("actor", "cause", "item")
            }
            for name in ("before", "after"):
                new[name] = None if row[name] is None else self._rewrite_json(row[name])
            spot = _build_spot("stream", f"change {row['seq']} of {row['memory_id']}", row, new)
            if spot:
                yield PlannedRewrite((spot,), partial(self._write_event, row, new))

    def _write_event(self, row: Row, new: Mapping[str, Any]) -> bool:
        erase.set_event_words(self.db, row, new)
        return True

    def _rewrite_changes(self) -> Iterator[PlannedRewrite]:
        """Changes that travel: one that would have to be rewritten is taken back as a whole, and
        what holds of its subject is said anew with the next sync.
        """
        for change in erase.iterate_changes(self.db):
            old = (change.body or b"").decode("ascii", "replace")
            new = self._rewrite_json(old)
            if new != to_canonical_json(parse_json_column(old)):
                name = f"change {change.id} of {change.subject}"
                spot = RewrittenSpot("sync", name, {"body": (old, new)})
                yield PlannedRewrite((spot,), partial(erase.scrub_change, self.db, change))

    def _rewrite_optional(self, text: str | None) -> str | None:
        return None if text is None else self.rewriter.rewrite_text(text)


def _read_told(memory: Memory) -> Mapping[str, Any]:
    return {**records.extract_history_fields(memory), "updated_at": memory.updated_at}


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
