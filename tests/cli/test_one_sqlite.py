"""Two SQLite libraries that open one file in one process lose commits: there is only ever one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# Runs every command in one process and looks after each which libraries are loaded. What the
# commands say does not matter here, so most get arguments that stand for nothing.
SCRIPT = """
import contextlib, io, json, os, re, sys
from pathlib import Path
import typer
from memctl.cli.main import app
from memctl.store.database import sqlite_library

def list_commands(command, names=()):
    if hasattr(command, "commands"):
        for name in command.list_commands(None):
            yield from list_commands(command.get_command(None, name), (*names, name))
    else:
        yield names, command

def list_libraries():
    maps = Path("/proc/self/maps").read_text()
    return sorted(set(re.findall(r"\\S*sqlite3?[^/\\s]*\\.so\\S*", maps)))

words = ["operator", "x" * 26, "kiln", "kiln"]
found = {}
sys.stdin = io.StringIO("")
for names, command in list_commands(typer.main.get_command(app)):
    needed = [each for each in command.params if each.param_type_name == "argument"]
    for given in ([], words[: len(needed)]):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                app([*names, *given], standalone_mode=False)
            except BaseException:
                pass
    found[" ".join(names)] = [
        [each for each in list_libraries() if "vec" not in each],
        sqlite_library().__name__,
        "sqlite3.dbapi2" in sys.modules,
    ]
os.write(3, json.dumps(found).encode())
os._exit(0)
"""


@pytest.mark.proof
def test_one_sqlite_library_is_loaded_after_every_command(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    env = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "MEMCTL_DB": str(tmp_path / "memory.db"),
        "EDITOR": "true",
    }
    made = [sys.executable, "-m", "memctl", "init"]
    subprocess.run(made, env=env, check=True, cwd=tmp_path, capture_output=True)
    subprocess.run(
        [sys.executable, "-c", f"import os; os.dup2({writer}, 3)\n{SCRIPT}"],
        env=env,
        cwd=tmp_path,
        pass_fds=[writer],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=300,
    )
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        found = json.loads(stream.read())
    assert len(found) > 40
    for name, (libraries, library, has_other) in found.items():
        assert len(libraries) <= 1, (name, libraries)
        assert library == "sqlite3" or not has_other, name
