"""A note of the store that something else wrote over stops no command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memctl.store.migrate import open_store
from tests.store.test_meta import MANGLED, mangle

COMMANDS = (
    ("search", "kiln"),
    ("list", "--all"),
    ("ingest", "The kiln is lit on Mondays", "--global"),
    ("context",),
    ("status",),
    ("digest",),
    ("stats",),
    ("backfill", "--dry-run"),
    ("doctor",),
    ("maintain",),
)


@pytest.mark.parametrize("value", MANGLED)
def test_mangled_notes_stop_no_command(here: Callable, db: Path, value: str) -> None:
    assert here("ingest", "The kiln is oil fired", "--global").code == 0
    assert here("maintain").code == 0
    for words in COMMANDS:
        store = open_store(db, create=True)
        mangle(store, value)
        store.close()
        done = here(*words)
        assert done.code in (0, 1) and "Traceback" not in done.stderr, (words, done)
        assert "failed:" not in done.stdout, (words, done)
