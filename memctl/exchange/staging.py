"""An import between reading and writing: every line checked and redacted, in a private file beside
the store, in the order in which it is applied.

Nothing reaches the store before the whole file is staged. A unit is what must come in one
transaction: a record with its evidence, mentions, history and links to records before it; a source
with its parts; or one other row. Units stand in an order in which nothing refers to what comes
later, so that an import that was cut off goes on by the number of its units.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from memctl.core.frozen import asdict, dataclass
from memctl.core.model import Event, Turn
from memctl.core.typing_lite import Any, BinaryIO
from memctl.exchange import merge_records, untold_changes
from memctl.exchange.reading import ExportLine, ProblemList
from memctl.exchange.sections import SECTIONS
from memctl.history.replay import Replay
from memctl.store import event_log, exchange, lexical, records, tracked_rows

_PLACE: Mapping[str, int] = {section.name: place for place, section in enumerate(SECTIONS)}
# What comes before all records, and what after them.
_FIRST = ("projects", "aliases", "project_links", "repos")
_LAST = ("tombstones", "proposals", "muted_rules", "saved_views")
_SOURCES = 4
_ENTITIES = 5
_ALIASES = 6
_RECORDS = 7
_REST = 8
_END = 9
_PHASES: Mapping[str, int] = {
    **{name: phase for phase, name in enumerate(_FIRST)},
    "sources": _SOURCES,
    "source_parts": _SOURCES,
    "ingestion_events": _SOURCES,
    "entities": _ENTITIES,
    "entity_aliases": _ALIASES,
    **{name: _END + place for place, name in enumerate(_LAST)},
}
# Which column names the record, or the source, that a row hangs on.
_OWNERS: Mapping[str, str] = {
    "evidence": "memory_id",
    "memory_entities": "memory_id",
    "outcomes": "memory_id",
    "stream": "memory_id",
    "memories": "id",
    "sources": "id",
    "source_parts": "source_id",
    "ingestion_events": "source_id",
}
# Lines of one batch: chosen by hand, so that a batch takes a few hundredths of a second.
BATCH_LINES = 100


@dataclass(frozen=True, slots=True)
class StagedLine:
    """Where a line stands, and what decides when it is applied."""

    section: str
    number: int
    offset: int
    refs: tuple[str, ...]


class StagedImport:
    """A staged file: its units in order, and what the file as a whole says.

    `in_file` are its records, `alive` those not archived, `entities` kind and name by id,
    `expected` the state that its event log tells, `untold` the rows of which only the log speaks.
    """

    def __init__(self, path: Path, lines: Sequence[StagedLine], *, exact: bool) -> None:
        self.path = path
        self.units = list(_build_units(lines, exact=exact))
        self.in_file: Collection[str] = {
            line.refs[0] for line in lines if line.section == "memories"
        }
        self.alive: set[str] = set()
        self.entities: dict[str, tuple[str, str]] = {}
        self.expected = Replay()
        self.untold: set[tuple[str, str]] = set()

    def read_batches(self, start: int) -> Iterator[tuple[int, list[ExportLine]]]:
        """Yield the lines of some units at once, prepared, and how many units that makes in all."""
        batch: list[ExportLine] = []
        with self.path.open("rb") as handle:
            for done, unit in enumerate(self.units[start:], start + 1):
                batch += _prepare_unit([read_line(handle, line.offset) for line in unit])
                if len(batch) >= BATCH_LINES:
                    yield done, batch
                    batch = []
        if batch:
            yield len(self.units), batch

    def read_lines(self, units: Iterable[Sequence[StagedLine]]) -> Iterator[ExportLine]:
        """Read the lines of some units as they are."""
        with self.path.open("rb") as handle:
            for unit in units:
                yield from (read_line(handle, line.offset) for line in unit)


def stage_lines(
    lines: Iterable[ExportLine], path: Path, problems: ProblemList, *, exact: bool
) -> StagedImport:
    """Write checked lines into an empty file."""
    with path.open("r+b") as handle:
        return _collect(_write_lines(lines, handle), path, problems, exact=exact)


def open_staged(path: Path, *, exact: bool) -> StagedImport:
    """Read a staged file again. Raises OSError, ValueError."""
    with path.open("rb") as handle:
        return _collect(_read_all(handle), path, ProblemList(), exact=exact)


def read_line(handle: BinaryIO, offset: int) -> ExportLine:
    """Read the line at an offset of a staged file."""
    handle.seek(offset)
    return _decode_line(handle.readline())


def _collect(
    lines: Iterable[tuple[int, ExportLine]], path: Path, problems: ProblemList, *, exact: bool
) -> StagedImport:
    found: list[StagedLine] = []
    alive: set[str] = set()
    entities: dict[str, tuple[str, str]] = {}
    expected, rows = Replay(), set()
    chain: str | None = event_log.GENESIS
    numbers: set[int] = set()
    for offset, line in lines:
        section, row = line.section, line.row
        if section == "stream" and row["seq"] in numbers:
            problems.add("stream: is there twice", line.number)
            continue
        found.append(_place_line(line, offset))
        if section == "memories" and row["status"] != "archived":
            alive.add(row["id"])
        elif section == "entities":
            entities[row["id"]] = row["kind"], row["name"]
        elif section == "stream":
            numbers.add(row["seq"])
            chain = _check_chain(problems, line, chain)
            # The state of records is not needed, and would be most of all there is.
            if row["topic"] != "record" or row["verb"] == "purged":
                expected.apply(_read_event(row))
        if section in untold_changes.TOPICS:
            topic = untold_changes.TOPICS[section]
            rows.add((topic, tracked_rows.compute_item(topic, row)))
    staged = StagedImport(path, found, exact=exact)
    staged.alive, staged.entities, staged.expected = alive, entities, expected
    # An event may name a topic that no table of this version has.
    staged.untold = {key for key in expected.rows.keys() - rows if key[0] in tracked_rows.KEYS}
    return staged


def _check_chain(problems: ProblemList, line: ExportLine, chain: str | None) -> str | None:
    """Report, once, where the chain of the file breaks; return its head, None once it is broken."""
    if chain is None or line.row["chain"] == event_log.compute_chain_hash(chain, line.row):
        return None if chain is None else str(line.row["chain"])
    problems.add(
        "stream: the chain breaks here: the history was changed, or a line before it is missing",
        line.number,
    )
    return None


def _read_event(row: Mapping[str, Any]) -> Event:
    before, after = (
        part if isinstance(part, dict) else None
        for part in (None if row[key] is None else json.loads(row[key]) for key in _STATES)
    )
    plain = {key: row[key] for key in ("verb", "actor", "cause", "at", "topic", "item")}
    return Event(row["seq"], row["memory_id"], before=before, after=after, **plain)


_STATES = ("before", "after")


def _place_line(line: ExportLine, offset: int) -> StagedLine:
    row = line.row
    columns = ("from_id", "to_id") if line.section == "links" else (_OWNERS.get(line.section, ""),)
    refs = tuple(ref for column in columns if (ref := row.get(column)) is not None)
    return StagedLine(line.section, line.number, offset, refs)


def _build_units(lines: Sequence[StagedLine], *, exact: bool) -> Iterator[list[StagedLine]]:
    """Group the lines into units, and put these in order."""
    last_of = {line.refs[0]: at for at, line in enumerate(lines) if line.section == "stream"}
    first_place = len(lines)
    places = {
        line.refs[0]: last_of.get(line.refs[0], first_place + at) if exact else first_place + at
        for at, line in enumerate(lines)
        if line.section in ("memories", "sources")
    }
    keyed = sorted(
        ((*_find_place(line, at, places, exact=exact), _PLACE[line.section], at), line)
        for at, line in enumerate(lines)
    )
    for _, unit in groupby(keyed, lambda pair: pair[0][:2]):
        yield [line for _, line in unit]


def _find_place(
    line: StagedLine, at: int, places: Mapping[str, int], *, exact: bool
) -> tuple[int, int]:
    """Phase and place of the unit that a line belongs to."""
    phase = _PHASES.get(line.section, _RECORDS)
    if phase == _SOURCES:
        return phase, places.get(line.refs[0], 2 * len(places) + at) if line.refs else at
    if phase != _RECORDS:
        return phase, at
    if line.section == "stream" and exact:
        return phase, at
    known = [places[ref] for ref in line.refs if ref in places]
    return (phase, max(known)) if known else (_REST, at)


def _write_lines(lines: Iterable[ExportLine], handle: BinaryIO) -> Iterator[tuple[int, ExportLine]]:
    offset = 0
    for line in lines:
        encoded = _encode_line(line)
        handle.write(encoded)
        yield offset, line
        offset += len(encoded)


def _read_all(handle: BinaryIO) -> Iterator[tuple[int, ExportLine]]:
    offset = 0
    while raw := handle.readline():
        yield offset, _decode_line(raw)
        offset += len(raw)


def _encode_line(line: ExportLine) -> bytes:
    row = line.row
    if line.section == "source_parts":
        row = {**row, "turns": [asdict(turn) for turn in row["turns"]]}
    elif line.section == "sources" and row["raw"] is not None:
        row = {**row, "raw": base64.b64encode(row["raw"]).decode("ascii")}
    return json.dumps([line.number, line.section, row]).encode("ascii") + b"\n"


def _decode_line(raw: bytes) -> ExportLine:
    number, section, row = json.loads(raw)
    if section == "source_parts":
        row["turns"] = tuple(Turn(**turn) for turn in row["turns"])
    elif section == "sources" and row["raw"] is not None:
        row["raw"] = base64.b64decode(row["raw"])
    return ExportLine(number, section, row)


def _prepare_unit(unit: list[ExportLine]) -> list[ExportLine]:
    """Work out, before any lock is taken, what the rows of a unit become in the store."""
    has_mentions = any(line.section == "memory_entities" for line in unit)
    return [_PREPARE.get(line.section, _leave_line)(line, has_mentions) for line in unit]


def _prepare_record(line: ExportLine, has_mentions: bool) -> ExportLine:
    memory = merge_records.parse_record(line)
    if memory is None:
        return line
    # What a record mentions is looked up in the store, where its entities have all their names.
    document = None if has_mentions else lexical.build_document(memory)
    stored = {**line.row, "row_hash": records.compute_row_hash(memory)}
    return ExportLine(line.number, line.section, line.row, stored, memory, document)


def _prepare_row(line: ExportLine, _has_mentions: bool) -> ExportLine:
    stored = exchange.to_parameters(line.section, line.row)
    return ExportLine(line.number, line.section, line.row, stored)


def _leave_line(line: ExportLine, _has_mentions: bool) -> ExportLine:
    return line


_PREPARE: Mapping[str, Callable[[ExportLine, bool], ExportLine]] = {
    "memories": _prepare_record,
    "evidence": _prepare_row,
    "source_parts": _prepare_row,
}
