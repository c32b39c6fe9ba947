"""Noise and flipped bits anywhere in the file of a store: every command ends with a documented exit
code and no traceback, doctor says so where a text was hurt, and a restore mends it.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from proofs import sampling
from proofs.workshop import Workshop

from memctl.core.errors import exit_codes

STORES = 12 if not sampling.EVERY else 400
COMMANDS = (
    "doctor",
    "search pytest",
    "context --task 'how do tests run'",
    "list --json",
    "explain $UTC",
    "ingest 'The zebra dam holds' --global",
    "export {root}/home/damaged.jsonl",
    "maintain",
    "doctor --repair --yes",
    "status",
)
TEXT = b"Ferries leave from pier seven"


def flip_bit(data: bytearray, dice: random.Random) -> None:
    """Turn one bit over."""
    place = dice.randrange(100, len(data))
    data[place] ^= 1 << dice.randrange(8)


def add_noise(data: bytearray, dice: random.Random) -> None:
    """Overwrite sixteen bytes."""
    place = dice.randrange(100, len(data) - 16)
    data[place : place + 16] = dice.randbytes(16)


def ruin_page(data: bytearray, dice: random.Random) -> None:
    """Overwrite a page after the first."""
    page = dice.randrange(1, len(data) // 4096)
    data[page * 4096 : (page + 1) * 4096] = dice.randbytes(4096)


def change_text(data: bytearray, dice: random.Random) -> None:
    """Change one letter of a record where its content stands."""
    places = [place for place in range(len(data)) if data.startswith(TEXT, place)]
    data[dice.choice(places) + dice.randrange(len(TEXT))] ^= 1


WAYS = (flip_bit, add_noise, ruin_page, change_text)


@pytest.mark.proof
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_damaged_file_is_told_and_a_restore_mends_it(
    way: Callable[[bytearray, random.Random], None],
    workshop: Workshop,
    record_property: Callable[[str, object], None],
) -> None:
    dice = random.Random(f"{sampling.SEED} {way.__name__}")
    stores = STORES // len(WAYS)
    for _ in range(stores):
        workshop.restore()
        fold_log(workshop.db)
        whole = read_texts(workshop.db)
        data = bytearray(workshop.db.read_bytes())
        way(data, dice)
        workshop.db.write_bytes(data)
        codes = [run_damaged(workshop, line) for line in COMMANDS]
        hurt = read_texts(workshop.db)
        if way is change_text and not set(whole) <= set(hurt):
            assert codes[0] in (1, 13), "a changed text went unnoticed"
        restored = workshop.command("restore {files}/back.db --yes")
        assert restored.returncode == 0, (restored.stdout, restored.stderr)
        assert workshop.find_faults() == []
        assert workshop.command("doctor").returncode == 0
    record_property("stores", stores)
    record_property("restored", stores)
    record_property("tracebacks", 0)
    record_property("missed", 0)


def run_damaged(workshop: Workshop, line: str) -> int:
    """Run a command on a damaged store; its exit code."""
    done = workshop.command(line)
    told = (line, done.returncode, done.stdout[-2000:], done.stderr[-4000:])
    assert "Traceback" not in done.stderr, told
    assert done.returncode in exit_codes(), told
    return done.returncode


def fold_log(path: Path) -> None:
    """Put everything into the file itself."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def read_texts(path: Path) -> list[str]:
    """The contents of all records, as far as they can be read."""
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = lambda data: data.decode(errors="replace")
        try:
            return sorted(row[0] for row in db.execute("SELECT content FROM memories"))
        except sqlite3.DatabaseError:
            return []
