"""Export: everything durable as one JSONL file, a manifest and then one line for each row.

Two stores with the same content give the same bytes: fixed order, canonical JSON, no export time,
path or index number. The file is written from one snapshot, row by row, and replaces the old one
when it is complete.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from memctl.core.errors import ConversationDamaged, RefusedByPolicy, UsageError
from memctl.core.model import Actor, Filter
from memctl.core.typing_lite import Any, BinaryIO
from memctl.exchange import origins
from memctl.exchange.sections import SECTIONS, ExportSection
from memctl.results.store import TransferReport
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import drafts, exchange, readable_rows, records, sources
from memctl.store.database import Database, Row
from memctl.store.migrate import read_schema_version
from memctl.store.rows import to_canonical_json

VERSION = 1
_NOBODY = Actor("agent:unknown")


def export_store(
    db: Database,
    config: Config,
    path: Path | None,
    *,
    actor: Actor = _NOBODY,
    replaces: bool = False,
) -> TransferReport:
    """Write the export to `path`, or into the report's `text`.

    What the operator exports carries a mark, by which it is known again. The report names records
    that do not match their hash. Raises UsageError, also for a file that is there already, unless
    it `replaces` that.
    """
    problems: list[str] = []
    marked_for = config.db if actor.is_operator else None
    if path is None:
        out = io.BytesIO()
        manifest = _write_export(db, out, None, problems, marked_for)
        return _build_report("", manifest, problems, out.getvalue().decode("utf-8"))
    refuse_taken_path(path, config.db, replaces=replaces)
    with drafts.create_private_file(config, path, replaces=replaces) as handle:
        manifest = _write_export(db, handle, path.parent, problems, marked_for)
    return _build_report(str(path), manifest, problems, None)


def refuse_private(db: Database, actor: Actor) -> None:
    """Raise RefusedByPolicy where an agent would export what is private to another one."""
    if actor.is_operator:
        return
    private = records.select_records(db, Filter(scopes=("agent",)))
    if any(records.is_private_to_another(memory, actor.name) for memory in private):
        raise RefusedByPolicy(f"exporting agents' private records {policy.AT_A_TERMINAL}")


def refuse_taken_path(path: Path, store: Path, *, replaces: bool) -> None:
    """Raise UsageError for the store itself, and for a file that is there and not replaced."""
    if path.exists() and store.exists() and path.samefile(store):
        raise UsageError(f"{path} is the store itself")
    if path.exists() and not replaces and path.is_file():
        raise UsageError(
            f"{path} is there already", hint="name another file, or replace it with --force"
        )


def format_line(values: Mapping[str, Any]) -> bytes:
    """One line of an export: UTF-8, or ASCII if a turn holds a lone surrogate."""
    text = json.dumps(
        values, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return (
            json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False).encode(
                "ascii"
            )
            + b"\n"
        )


def export_row(section: ExportSection, row: Row) -> dict[str, Any]:
    """One row as data for the file; an original that was not kept is left out."""
    values = {column: _export_value(kind, row[column]) for column, kind in section.columns.items()}
    return {
        "section": section.name,
        **{
            column: value
            for column, value in values.items()
            if column != "raw" or value is not None
        },
    }


def _write_export(
    db: Database,
    out: BinaryIO,
    folder: Path | None,
    problems: list[str],
    marked_for: Path | None,
) -> dict[str, Any]:
    """Write manifest and body; the body goes to a temporary file first, to be counted and
    hashed.
    """
    counts, hashes = {}, {}
    with tempfile.TemporaryFile(dir=folder) as body, db.snapshot():
        for section in SECTIONS:
            total = hashlib.sha256()
            count = 0
            for text in _list_lines(db, section, problems):
                total.update(text)
                body.write(text)
                count += 1
            counts[section.name], hashes[section.name] = count, total.hexdigest()
        problems += readable_rows.list_left_out(db)
        manifest = {
            "memctl_export": VERSION,
            "schema": read_schema_version(db),
            "counts": counts,
            "sha256": hashes,
        }
        if marked_for is not None and not problems:
            manifest = origins.add_mark(manifest, marked_for)
        body.seek(0)
        out.write(format_line(manifest))
        shutil.copyfileobj(body, out, 1 << 20)
    out.flush()
    return manifest


def _list_lines(db: Database, section: ExportSection, problems: list[str]) -> Iterator[bytes]:
    for row in exchange.list_rows(db, section.name):
        if section.name == "memories" and row["row_hash"] != records.compute_row_hash(
            records.from_row(row)
        ):
            problems.append(
                f"record {row['id']} does not match its hash: it was damaged, or changed by "
                "another program"
            )
        try:
            values = export_row(section, row)
        except ConversationDamaged as error:
            source_id = row["source_id"] if "source_id" in row.keys() else row["id"]  # noqa: SIM118
            problems.append(f"a part of the conversation {source_id} is left out: {error}")
            sources.warn_of_damage(db, source_id)
            continue
        yield format_line(values)


def _export_value(kind: str, value: Any) -> Any:
    if value is None:
        return None
    if kind.startswith("j"):
        return _parse_json(value)
    if kind == "turns":
        return exchange.read_turns_json(value)
    if kind == "raw":
        return base64.b64encode(exchange.unpack_original(value)).decode("ascii")
    return value


def _parse_json(text: str) -> Any:
    """JSON as data if it serialises to the same text again, else as that text."""
    try:
        value = json.loads(text)
        return (
            value if isinstance(value, dict | list) and to_canonical_json(value) == text else text
        )
    except (ValueError, RecursionError):
        return text


def _build_report(
    path: str, manifest: Mapping[str, Any], problems: list[str], text: str | None
) -> TransferReport:
    counts = {name: {"exported": count} for name, count in manifest["counts"].items()}
    return TransferReport(path, counts, tuple(problems), text=text)
