"""Carrying out the migrations of a store that has content, each in one short transaction.

SQLite reads a whole table before it gives it a column, if the table is STRICT, although no row
changes: a row that ends before the column has its default. So the columns are added as SQLite's
own manual says for changes that touch no row (lang_altertable.html, "Making Other Kinds Of Table
Schema Changes"): the new definition, which SQLite itself composes in an empty twin of the table,
takes the place of the old. The text of a migration says what a store becomes; a test compares every
store upgraded in this way with one to which SQLite did what the text says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import groupby
from pathlib import Path

from memctl.core.errors import StoreRefused
from memctl.store import upgrade_draft
from memctl.store.database import Database, OperationalError, sqlite_library

# What stands in the statement for a step of a migration.
_STEP = "SELECT 0"
# What the draft that was made beforehand leaves to do of the migration that makes the same: the
# words with which its steps begin.
_MAKES_DRAFT = ["CREATE", "TABLE", upgrade_draft.TABLE]
_FILLS_DRAFT = ["INSERT", "INTO", upgrade_draft.TABLE]
_MAKES_ROOM = ["DROP", "TABLE", upgrade_draft.REPLACED]


def prepare(db: Database, scripts: Iterable[str]) -> None:
    """Make what takes long before the migrations; `scripts` are those to come."""
    for text in scripts:
        for step in _list_steps(text):
            if step.split()[:3] == _MAKES_DRAFT:
                upgrade_draft.prepare(db, step)


def carry_out(db: Database, number: int, script: str) -> None:
    """Carry out one migration unless another process did. Raises StoreLocked, StoreFull."""
    try:
        _carry_out(db, number, script, by_definition=True)
    except (OperationalError, StoreRefused) as error:
        # A SQLite whose maker forbids changes of the definitions (`defensive`), as Apple's does.
        if "may not be modified" not in str(error):
            raise
        _carry_out(db, number, script, by_definition=False)


def _carry_out(db: Database, number: int, script: str, *, by_definition: bool) -> None:
    _begin, *steps, _commit = _list_steps(script)
    with db.write():
        if int(db.pragma("user_version")) >= number:
            return
        for adds_columns, some in groupby(steps, _adds_column):
            if adds_columns and by_definition:
                _add_columns(db, list(some))
                continue
            for step in some:
                _run(db, step, by_definition=by_definition)


def _list_steps(script: str) -> Iterator[str]:
    """Split a script into its statements, without comments before them."""
    is_complete = sqlite_library().complete_statement
    text = ""
    for line in script.splitlines(keepends=True):
        if text or (line.strip() and not line.startswith("--")):
            text += line
            if is_complete(text):
                yield text.strip().removesuffix(";")
                text = ""


def _adds_column(step: str) -> bool:
    words = step.split()
    return words[0] == "ALTER" and words[3:5] == ["ADD", "COLUMN"]


def _run(db: Database, step: str, *, by_definition: bool) -> None:
    """Run one step, as far as it is not done."""
    words = step.split()
    has_draft = upgrade_draft.is_there(db, upgrade_draft.DRAFT_INDEX)
    if has_draft and words[:3] in (_MAKES_DRAFT, _FILLS_DRAFT):
        return
    if has_draft and words[:3] == _MAKES_ROOM:
        upgrade_draft.settle(db)
        _drop_quickly(db, step)
        return
    if words[:2] == ["CREATE", "INDEX"]:
        if has_draft and words[2] == upgrade_draft.INDEX:
            _name_draft_index(db, step, by_definition=by_definition)
        if db.value("upgrade.definition", name=words[2]) == step:
            return
    db.define("upgrade.step", {_STEP: step})


def _drop_quickly(db: Database, step: str) -> None:
    """Drop a table of ids without writing zeros over each of its pages: they hold no words."""
    db.pragma("secure_delete", "OFF")
    try:
        db.define("upgrade.step", {_STEP: step})
    finally:
        db.pragma("secure_delete", "ON")


def _name_draft_index(db: Database, text: str, *, by_definition: bool) -> None:
    """Let the index that grew with the draft be the one that a step would make."""
    if by_definition:
        _change_definitions(db, [("upgrade.rename_draft_index", {"sql": text})])
    else:
        db.run("upgrade.drop_draft_index")


def _add_columns(db: Database, steps: list[str]) -> None:
    """Give tables the columns that steps add, by their definitions alone."""
    by_table: dict[str, list[str]] = {}
    for step in steps:
        by_table.setdefault(step.split()[2], []).append(step)
    with closing(Database(Path(":memory:"))) as twin:
        for name, own in by_table.items():
            for text in (str(db.value("upgrade.definition", name=name)), *own):
                twin.define("upgrade.step", {_STEP: text})
        changes = [
            (
                "upgrade.redefine",
                {"name": name, "sql": str(twin.value("upgrade.definition", name=name))},
            )
            for name in by_table
        ]
        _change_definitions(db, changes)
        for name in by_table:
            if _read_columns(db, name) != _read_columns(twin, name):
                raise StoreRefused(f"{db.path}: the table {name} may not be modified as it should")


def _change_definitions(db: Database, changes: Iterable[tuple[str, dict[str, str]]]) -> None:
    """Change how tables and indexes are defined, without touching their content."""
    db.run("derived_tables.unlock_schema")
    try:
        for statement, words in changes:
            db.run(statement, **words)
        db.pragma("schema_version", int(db.pragma("schema_version")) + 1)
    finally:
        db.run("derived_tables.reload_schema")


def _read_columns(db: Database, name: str) -> list[tuple[object, ...]]:
    return [tuple(row) for row in db.all("upgrade.columns", name=name)]
