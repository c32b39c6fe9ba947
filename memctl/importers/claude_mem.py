"""The database of claude-mem: observations of sessions, what their summaries learned, and directives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from memctl.importers.base import Noted, Place, Shelf, Told, has_tables
from memctl.importers.classify import project_statement, reason_in
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.turns import list_of, text_of, when

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
        title, body = text_of(row.get("title")).strip(), _body(row)
        text = "\n".join(part for part in (title, body) if part)
        form, kind, sure = _sort(text_of(row.get("type")), text)
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
                ts=when(row.get("created_at_epoch")),
            ),
        )


def _body(row: Mapping[str, Any]) -> str:
    """What an observation says: its narrative, else its facts, else its text or subtitle."""
    facts = [
        text_of(fact).strip() for fact in list_of(parse_json(text_of(row.get("facts")) or "[]"))
    ]
    told = (
        text_of(row.get("narrative")).strip(),
        " ".join(filter(None, facts)),
        text_of(row.get("text")).strip(),
        text_of(row.get("subtitle")).strip(),
    )
    return next(filter(None, told), "")


def _sort(type_: str, text: str) -> tuple[str, str, float]:
    if type_ == "decision":
        return ("decision", "decision", 0.5) if reason_in(text) else ("project", "fact", 0.5)
    return _SORTS.get(type_, ("project", "fact", 0.4))


def _learned(tables: Tables) -> Iterator[tuple[str | None, Noted]]:
    for row in tables.rows("session_summaries", order_by="created_at_epoch, rowid"):
        text = text_of(row.get("learned")).strip()
        if len(text.split()) > 2:
            yield (
                _project(row),
                Noted(
                    text[:_LONGEST],
                    "project",
                    "fact",
                    "project",
                    0.4,
                    ts=when(row.get("created_at_epoch")),
                ),
            )


def _directives(tables: Tables) -> Iterator[tuple[str | None, Noted]]:
    for row in tables.rows("directives", order_by="rowid"):
        text = text_of(row.get("content")).strip()
        if not text or text_of(row.get("status")).lower() not in ("", "active", "enabled"):
            continue
        constraint = project_statement(text)[1] == "constraint"
        if text_of(row.get("scope")).lower() == "global":
            yield (
                "",
                Noted(
                    text,
                    "profile",
                    "constraint" if constraint else "preference",
                    "global",
                    0.6,
                    ts=when(row.get("created_at_epoch")),
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
                    ts=when(row.get("created_at_epoch")),
                ),
            )


def _project(row: Mapping[str, Any]) -> str | None:
    """The project that a row belongs to now; None where it names none."""
    return (
        text_of(row.get("merged_into_project")).strip()
        or text_of(row.get("project")).strip()
        or None
    )
