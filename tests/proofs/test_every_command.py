"""Every command once over hostile text, under umask 0, with the network refused: one SQLite library
a process, no raw control on the terminal, nothing public, nobody called.
"""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable

import pytest
from proofs.commands import READING, SCENARIOS
from proofs.workshop import Scenario, Workshop

# What a terminal or the reader of a JSON line could be driven with: ESC, C1, bidi, tags, NUL.
HOSTILE = (
    "tide \x1b]0;owned\x07\x1b[2J\x9b31m \u202egnihton\u2066 \U000e0041 <b>[red]x[/red]</b> pytest"
)
# Runs the entry point; at the end, says which SQLite libraries the process has loaded.
WATCHED = """
import os, sys
def say():
    found = sorted(
        name for name in ("_sqlite3", "pysqlite3._sqlite3", "pysqlite3.dbapi2._sqlite3", "apsw")
        if name in sys.modules
    )
    with open({told!r}, "a") as file:
        file.write(" ".join(found) + "\\n")
leave = os._exit
def leave_after_saying(code):
    say()
    leave(code)
os._exit = leave_after_saying
import atexit
atexit.register(say)
os.umask(0)
from memctl.entry import {entry} as run
run()
"""
READ_SCENARIOS = tuple(Scenario(name, line) for name, line in READING.items())
# What is printed as it stands: a file that goes to a pipe, and the agent's own JSON.
ALLOWED = {"\n", "\t"}


def find_controls(text: str) -> set[str]:
    """The characters of an output that could drive a terminal."""
    return {
        char
        for char in text
        if (ord(char) < 32 or 127 <= ord(char) < 160 or char in "\u202e\u2066\U000e0041")
        and char not in ALLOWED
    }


def plant(workshop: Workshop) -> None:
    """Put hostile text where every command may meet it."""
    for words in (
        ("ingest", HOSTILE, "--global"),
        ("ingest", f"Decide {HOSTILE}", "--type", "decision"),
        ("edit", workshop.ids["TEST"], "--title", HOSTILE, "--reason", HOSTILE),
        ("view", "save", "hostile", HOSTILE),
    ):
        done = workshop.shim.run(workshop.root, *words, env=workshop.env, cwd=workshop.work)
        assert done.code == 0, (words, done.stdout, done.stderr)


@pytest.mark.proof
@pytest.mark.parametrize(
    "scenario", (*SCENARIOS, *READ_SCENARIOS), ids=lambda scenario: scenario.name
)
def test_a_command_is_alone_with_its_library_quiet_private_and_offline(
    scenario: Scenario,
    workshop: Workshop,
    record_property: Callable[[str, object], None],
) -> None:
    if not (workshop.folder / "hostile").exists():
        plant(workshop)
        workshop.keep("hostile")
    workshop.restore("hostile")
    if scenario.before:
        assert workshop.command(scenario.before).returncode == 0
    told = workshop.folder / "libraries"
    told.unlink(missing_ok=True)
    runs = 0
    words = workshop.fill(scenario.line)
    entry = "hook" if scenario.is_hook else "main"
    for more in ((),) if scenario.is_hook else ((), ("--json",)):
        done = workshop.shim.run(
            workshop.root,
            *words,
            *more,
            program=(sys.executable, "-c", WATCHED.format(told=str(told), entry=entry)),
            stdin=scenario.stdin.format(files=workshop.files, work=workshop.work),
            env=workshop.env,
            cwd=workshop.work,
            offline="1",
        )
        runs += 1
        assert "Traceback" not in done.stderr, done.stderr
        assert find_controls(done.stdout + done.stderr) == set(), done.stdout
        assert done.network == 0
    libraries = told.read_text().splitlines()
    assert len(libraries) >= runs and all(len(line.split()) <= 1 for line in libraries), libraries
    assert list_public(workshop) == []
    record_property("runs", runs)
    for name in ("libraries", "controls", "public", "network"):
        record_property(name, 0)


def list_public(workshop: Workshop) -> list[str]:
    """The files and folders of the store that others may read or enter."""
    places = [workshop.db.parent, *workshop.db.parent.rglob("*")]
    places += [path for path in (workshop.root / "home").glob("*.*") if path.is_file()]
    return [
        f"{path.relative_to(workshop.root)} {stat.S_IMODE(path.lstat().st_mode):o}"
        for path in places
        if path != workshop.db.parent and stat.S_IMODE(path.lstat().st_mode) & 0o077
    ]


@pytest.mark.proof
def test_the_watch_itself_sees_a_second_library_and_a_call(workshop: Workshop) -> None:
    told = workshop.folder / "libraries"
    told.unlink(missing_ok=True)
    code = (
        "import sqlite3, pysqlite3, socket\n"
        "try: socket.create_connection(('192.0.2.1', 80), 1)\n"
        "except OSError: pass\n"
    )
    watched = WATCHED.format(told=str(told), entry="main").replace(
        "from memctl", code + "from memctl"
    )
    done = workshop.shim.run(
        workshop.root,
        "status",
        program=(sys.executable, "-c", watched),
        env=workshop.env,
        cwd=workshop.work,
        offline="1",
    )
    assert done.code == 0, done.stderr
    assert len(told.read_text().splitlines()[0].split()) == 2
    assert done.network > 0
    assert find_controls(HOSTILE) >= {"\x1b", "\x07", "\x9b", "\u202e"}
