"""A process that only read ends at once: its answer is whole, its log line stored, and the next
writer folds the log in.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.core import process_exit
from memctl.store.database import Database


class Door:
    """Something that notes being closed."""

    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        self.closed = True


def test_in_a_process_that_goes_on_a_store_is_closed_at_once() -> None:
    door = Door()
    process_exit.close_later(door)
    assert door.closed


@pytest.mark.parametrize("code", [0, 1, 31])
def test_leaving_gives_out_what_was_said_and_the_exit_code(code: int) -> None:
    script = f"""
from memctl.core import process_exit
class Door:
    def close(self): raise SystemExit("closed")
process_exit.allow_fast_exit()
process_exit.close_later(Door())
print("said", end="")
process_exit.exit_process({code})
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("said", "", code)


def test_a_reader_that_went_away_does_not_change_the_exit_code() -> None:
    script = (
        "from memctl.core import process_exit as p; p.allow_fast_exit(); "
        "p.close_later(open('/dev/null')); print('x' * 9); p.exit_process(0)"
    )
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", script], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_search_leaves_its_log_line_and_a_store_that_opens(
    memctl: Callable[..., Any], db: Path
) -> None:
    memctl("ingest", "The kiln is oil fired")
    assert memctl("search", "kiln", "--json").json["data"]["items"]
    assert len(memctl("log", "retrievals", "--json").json["data"]["retrievals"]) == 1
    store = Database(db)
    assert store.pragma("integrity_check") == "ok"
    store.close()
    assert not db.with_name(db.name + "-wal").exists()
