"""A store of any earlier schema becomes a current one by the first command that opens it, even if
that command is killed at any of its file operations.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from proofs import sampling
from proofs.judging import maintain_to_the_end
from proofs.shim import Shimmed
from proofs.workshop import Workshop

from memctl.store import migrate, statements

STORES = Path(__file__).resolve().parent.parent / "store" / "stores"
OLD = sorted(STORES.glob("*.sql"))
KILLS = 8
CONTENTS = [
    "Gears are cut from brass \u2014 never steel",
    "Gears are cut from steel",
    "I prefer metric screws",
    "The sundial runs on batteries",
]


def lay_out(workshop: Workshop, dump: Path) -> None:
    """Put an old store, which no witness knows, in the place of the furnished one."""
    workshop.restore()
    shutil.rmtree(Path(workshop.env["XDG_STATE_HOME"]) / "memctl", ignore_errors=True)
    for path in workshop.db.parent.glob("memory.db*"):
        if path.is_file():
            path.unlink()
    with closing(sqlite3.connect(workshop.db)) as db:
        db.executescript(dump.read_text())
    workshop.db.chmod(0o600)


def upgrade(workshop: Workshop, **settings: str) -> Shimmed:
    """Let maintenance open the store."""
    return workshop.maintain(**settings)


def test_there_is_a_store_of_every_earlier_schema() -> None:
    numbers = [number for number, _ in statements.list_migrations()]
    assert [path.stem for path in OLD] == [f"{number:04d}" for number in numbers[:-1]]


@pytest.mark.proof
@pytest.mark.parametrize("dump", OLD, ids=lambda path: path.stem)
def test_a_kill_in_the_middle_of_an_upgrade_loses_nothing(
    dump: Path, workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    lay_out(workshop, dump)
    whole = upgrade(workshop)
    assert whole.code == 0, (whole.stdout, whole.stderr)
    kills = 0
    for place in sampling.choose(f"upgrade {dump.stem}", whole.operations, KILLS):
        lay_out(workshop, dump)
        kills += upgrade(
            workshop, kill=f"{place}:{('before', 'half', 'after')[place % 3]}"
        ).was_killed
        maintain_to_the_end(workshop, clock=str(2 * 86_400))
        assert workshop.find_faults() == [], place
        assert workshop.find_problems() == [], place
        with workshop.open() as db:
            assert db.pragma("user_version") == migrate.get_latest_version()
        assert sorted(content for content, _ in workshop.contents().values()) == CONTENTS
    record_property("upgrades", kills + 1)
    record_property("schemas", 1)
    record_property("kills", kills)
    record_property("lost", 0)
