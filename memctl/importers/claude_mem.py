"""The database of claude-mem: observations of sessions, what their summaries learned, and directives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from memctl.importers.base import Noted, Place, Shelf, Told, has_tables
from memctl.importers.classify import project_statement, reason_in
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.values import as_list, as_text, parse_time

# What an observation of each type becomes, and how sure that is: what was only done says less than what was found out.
_SORTS: Mapping[str, tuple[str, str, float]] = {
    "bugfix": ("task_hint", "fix", 0.5),
    "discovery": ("project", "fact", 0.5),
    "feature": ("project", "fact", 0.35),
    "refactor": ("project", "fact", 0.35),
    "change": ("project", "fact", 0.35),
}
_LONGEST = 2000


class ClaudeMem:
    """Reads the database."""

    kind: ClassVar[str] = "claude-mem"
    is_export: ClassVar[bool] = True
    is_database: ClassVar[bool] = True

    def knows(self, path: Path, source: Input) -> bool:
        """Whether it has the tables."""
        return has_tables(source.tables, observations="project type title created_at_epoch")

    def read(self, source: Input, place: Place) -> Iterator[Told]:
        """The memories of each project, oldest first."""
        shelf, tables = Shelf(self.kind, place.path), source.tables
        if tables is not None:
            kept = [
                each for read in (_observations, _learned, _directives) for each in read(tables)
            ]
            # What is added later comes last, whichever table it is in: a store that grew is no other store.
            for project, note in sorted(kept, key=lambda each: each[1].ts or ""):
                shelf.put(project, note)
        yield from shelf.told()


def _observations(tables: Tables) -> Iterator[tuple[str | None, Noted]]:
    for row in tables.rows("observations", order_by="created_at_epoch, rowid"):
        title, body = as_text(row.get("title")).strip(), _body(row)
        text = "\n".join(part for part in (title, body) if part)
        form, kind, sure = _sort(as_text(row.get("type")), text)
        content = ": ".join(part for part in (title.rstrip(".:"), body) if part)
        yield (
            _project(row),
            Noted(
                text[:_LONGEST],
                form,
                kind,
                "project",
                sure,
                content=content[:_LONGEST],
                title=title or None,
                rationale=reason_in(text) if form == "decision" else None,
                ts=parse_time(row.get("created_at_epoch")),
            ),
        )


def _body(row: Mapping[str, Any]) -> str:
    """What an observation says: its narrative, else its facts, else its text or subtitle."""
    facts = [
        as_text(fact).strip() for fact in as_list(parse_json(as_text(row.get("facts")) or "[]"))
    ]
    told = (
        as_text(row.get("narrative")).strip(),
        " ".join(filter(None, facts)),
        as_text(row.get("text")).strip(),
        as_text(row.get("subtitle")).strip(),
    )
    return next(filter(None, told), "")


def _sort(type_: str, text: str) -> tuple[str, str, float]:
    if type_ == "decision":
        return ("decision", "decision", 0.5) if reason_in(text) else ("project", "fact", 0.5)
    return _SORTS.get(type_, ("project", "fact", 0.4))


def _learned(tables: Tables) -> Iterator[tuple[str | None, Noted]]:
    for row in tables.rows("session_summaries", order_by="created_at_epoch, rowid"):
        text = as_text(row.get("learned")).strip()
        if len(text.split()) > 2:
            yield (
                _project(row),
                Noted(
                    text[:_LONGEST],
                    "project",
                    "fact",
                    "project",
                    0.4,
                    ts=parse_time(row.get("created_at_epoch")),
                ),
            )


def _directives(tables: Tables) -> Iterator[tuple[str | None, Noted]]:
    for row in tables.rows("directives", order_by="rowid"):
        text = as_text(row.get("content")).strip()
        if not text or as_text(row.get("status")).lower() not in ("", "active", "enabled"):
            continue
        constraint = project_statement(text)[1] == "constraint"
        if as_text(row.get("scope")).lower() == "global":
            yield (
                "",
                Noted(
                    text,
                    "profile",
                    "constraint" if constraint else "preference",
                    "global",
                    0.6,
                    ts=parse_time(row.get("created_at_epoch")),
                ),
            )
        else:
            yield (
                _project(row),
                Noted(
                    text,
                    "project",
                    "constraint" if constraint else "convention",
                    "project",
                    0.6,
                    ts=parse_time(row.get("created_at_epoch")),
                ),
            )


def _project(row: Mapping[str, Any]) -> str | None:
    """The project that a row belongs to now; None where it names none."""
    return (
        as_text(row.get("merged_into_project")).strip()
        or as_text(row.get("project")).strip()
        or None
    )
