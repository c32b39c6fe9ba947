"""Read an export file line by line: each good line is a row, each bad one a problem.

Nothing in the file is trusted: duplicate keys, non-finite numbers, lone surrogates, deep nesting,
wrong types and wrong checksums are found before anything is stored. No path or name in the file is
ever opened.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memctl.core.errors import NothingInIt, StoreTooNew, UnknownFormat, UsageError
from memctl.core.frozen import dataclass
from memctl.core.model import Memory
from memctl.core.regular_files import open_given_file
from memctl.core.typing_lite import Any, BinaryIO, NoReturn
from memctl.exchange.row_redaction import CheckedRow, RowRedactor
from memctl.exchange.sections import BY_NAME, BadRow, check_row
from memctl.redact.redactor import Redactor
from memctl.store.migrate import get_latest_version

_LONGEST_LINE = 1 << 29
# Lines, and about so many bytes, that are redacted together. Chosen by hand.
_LINES_TOGETHER = 200
_BYTES_TOGETHER = 1 << 20
_MAX_PROBLEMS = 200


@dataclass(frozen=True, slots=True)
class ExportLine:
    """One good line: its number in the file, its section and its columns.

    What the row becomes in the store is prepared where others do not wait for it: its parameters,
    and of a record the record itself and its texts for the index.
    """

    number: int
    section: str
    row: dict[str, Any]
    stored: Mapping[str, Any] | None = None
    memory: Memory | None = None
    document: Mapping[str, str] | None = None

    def replace_row(self, row: dict[str, Any]) -> ExportLine:
        """The line with another row; what was prepared of its columns is not valid any more."""
        return ExportLine(self.number, self.section, row, document=self.document)


@dataclasses.dataclass(slots=True)
class ProblemList:
    """Sentences for the operator with line numbers; beyond a limit they are only counted."""

    told: list[str] = dataclasses.field(default_factory=list)
    untold: int = 0

    def add(self, sentence: str, line: int | None = None) -> None:
        """Add one problem."""
        if len(self.told) < _MAX_PROBLEMS:
            self.told.append(sentence if line is None else f"line {line}: {sentence}")
        else:
            self.untold += 1

    def list_all(self) -> tuple[str, ...]:
        """Every sentence, and how many more there were."""
        return (*self.told, *([f"... and {self.untold} more"] if self.untold else []))


class ExportReader:
    """An open export file, read once by `read_lines`; `problems` holds what is wrong with it."""

    def __init__(self, handle: BinaryIO, path: Path, redactor: Redactor) -> None:
        self.problems = ProblemList()
        self._redactor = RowRedactor(redactor)
        self._handle = handle
        self._manifest = read_manifest(handle, path)
        self._hashes = {name: hashlib.sha256() for name in BY_NAME}
        self._counts: Counter[str] = Counter()

    def read_lines(self) -> Iterator[ExportLine]:
        """Read every good line in order, then compare counts and checksums."""
        for batch in _batch_lines(_read_numbered_lines(self._handle)):
            yield from self._redact_lines([self._read_line(*line) for line in batch])
        self._compare_checksums()

    def _read_line(self, number: int, raw: bytes) -> tuple[int, CheckedRow | Exception]:
        """A checked row, or what is wrong with the line."""
        try:
            return number, self._parse_line(raw)
        except (ValueError, RecursionError) as error:
            return number, error

    def _redact_lines(
        self, lines: Sequence[tuple[int, CheckedRow | Exception]]
    ) -> Iterator[ExportLine]:
        good = [checked for _, checked in lines if not isinstance(checked, Exception)]
        chosen = iter(self._redactor.choose_rules(good))
        for number, checked in lines:
            try:
                if isinstance(checked, Exception):
                    raise checked
                row = self._redactor.redact_row(checked, next(chosen))
            except (ValueError, RecursionError) as error:
                self.problems.add(_describe_error(error), number)
            else:
                yield ExportLine(number, checked.section.name, row)

    def _parse_line(self, raw: bytes) -> CheckedRow:
        if len(raw) >= _LONGEST_LINE:
            raise BadRow("is longer than any line of an export")
        values = _parse_object(raw)
        name = values.get("section")
        section = BY_NAME.get(name) if isinstance(name, str) else None
        if section is None:
            raise BadRow("belongs to no known section")
        self._hashes[section.name].update(raw)
        self._counts[section.name] += 1
        return CheckedRow.build(section, check_row(section, values))

    def _compare_checksums(self) -> None:
        for name, total in self._hashes.items():
            count, expected = (
                self._manifest["counts"].get(name, 0),
                self._manifest["sha256"].get(name),
            )
            if self._counts[name] != count:
                self.problems.add(
                    f"{name}: the manifest counts {count}, the file has {self._counts[name]}"
                )
            elif expected is not None and expected != total.hexdigest():
                self.problems.add(
                    f"{name}: the checksum does not fit; the file was changed after it was written"
                )


def open_export(path: Path) -> BinaryIO:
    """Open a file for reading bytes. Raises UsageError."""
    try:
        return open_given_file(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _read_numbered_lines(handle: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Lines after the manifest with their numbers; blank ones skipped, overlong ones cut."""
    number = 1
    while raw := handle.readline(_LONGEST_LINE):
        number += 1
        cut = raw
        while len(cut) >= _LONGEST_LINE and not cut.endswith(b"\n"):
            cut = handle.readline(_LONGEST_LINE)
        if raw.strip():
            yield number, raw


def _batch_lines(lines: Iterator[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    batch: list[tuple[int, bytes]] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line[1])
        if len(batch) >= _LINES_TOGETHER or size >= _BYTES_TOGETHER:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def holds_checksums(manifest: Mapping[str, Any], handle: BinaryIO) -> bool:
    """Whether all lines that follow are those that a manifest counts, and nothing else."""
    hashes = {name: hashlib.sha256() for name in BY_NAME}
    counts: Counter[str] = Counter()
    for _, raw in _read_numbered_lines(handle):
        try:
            name = _parse_object(raw)["section"]
            hashes[name].update(raw)
        except (ValueError, RecursionError, KeyError, TypeError):
            return False
        counts[name] += 1
    return all(
        counts[name] == manifest["counts"].get(name, 0)
        and total.hexdigest() == manifest["sha256"].get(name)
        for name, total in hashes.items()
    )


def read_manifest(handle: BinaryIO, path: Path) -> Mapping[str, Any]:
    """Read the first line of an export. Raises NothingInIt, UnknownFormat, StoreTooNew."""
    first = handle.readline(1 << 20)
    if not first.strip() and not handle.read(1):
        raise NothingInIt(f"{path} is empty")
    try:
        manifest = _parse_object(first)
    except (ValueError, RecursionError) as error:
        raise _build_not_an_export(path) from error
    if type(manifest.get("memctl_export")) is not int or type(manifest.get("schema")) is not int:
        raise _build_not_an_export(path)
    if manifest["memctl_export"] > 1 or manifest["schema"] > get_latest_version():
        raise StoreTooNew(
            f"{path} was written by a newer memctl (schema {manifest['schema']})",
            hint="upgrade memctl",
        )
    if not all(isinstance(manifest.get(part), dict) for part in ("counts", "sha256")):
        raise UnknownFormat(
            f"{path} is not a memctl export: its first line lacks counts or checksums"
        )
    return manifest


def _build_not_an_export(path: Path) -> UnknownFormat:
    return UnknownFormat(
        f"{path} is not a memctl export",
        hint="use `memctl import-memories` for what other tools remember, "
        "`memctl capture-conversation` for conversations",
    )


def _parse_object(raw: bytes) -> dict[str, Any]:
    value = json.loads(
        raw.decode("utf-8"), object_pairs_hook=_refuse_duplicates, parse_constant=_refuse_constant
    )
    if not isinstance(value, dict):
        raise BadRow("is no JSON object")
    return value


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise BadRow("names a key twice")
    return values


def _refuse_constant(name: str) -> NoReturn:
    raise BadRow(f"holds {name}, which is no number")


def _describe_error(error: Exception) -> str:
    """One sentence that quotes nothing long."""
    if isinstance(error, BadRow):
        return str(error)
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    return (
        "is no UTF-8"
        if isinstance(error, UnicodeDecodeError)
        else f"is no valid JSON ({str(error)[:80]})"
    )
