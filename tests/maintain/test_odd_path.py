"""A store whose path is no UTF-8 is maintained like any other, but for its automatic copies."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest


def test_a_path_that_is_no_utf8_stops_the_copies_and_nothing_else(
    memctl: Callable, tmp_path: Path
) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff harbor"))
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this file system takes only names in UTF-8")
    path = folder / "memory.db"
    assert memctl("--db", path, "init").code == 0
    assert memctl("--db", path, "ingest", "The tide cache is a SQLite file").code == 0
    done = memctl("--db", path, "maintain", "--json")
    assert done.code == 0, done.stdout
    assert memctl("--db", path, "backup").code == 2
    assert memctl("--db", path, "backup", tmp_path / "copy.db").code == 0
