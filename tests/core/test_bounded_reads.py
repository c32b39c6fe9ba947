"""Nothing that is read is without an end, and nobody waits for a pipe: one module opens files."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memctl.core.regular_files import IrregularFile, read_regular_file, read_stream

ROOT = Path(__file__).parents[2] / "memctl"
SOURCES = sorted(ROOT.rglob("*.py"))
# Where files are read by themselves, and why they have an end.
KNOWN = {
    "core/regular_files.py": "it is the one",
    "store/files.py": "its own, of which it keeps the handle",
    "store/handover.py": "the logs of a store, found to be files",
    "store/migrate.py": "its own scripts, and the system's list of mounts",
    "store/upkeep.py": "its own scripts",
    "sync/hub_schema.py": "its own scripts",
    "store/statements.py": "its own statements",
    "store/unwritable.py": "twenty bytes of a store that is open",
    "store/drafts.py": "the draft that it made",
    "maintain/checks/surroundings.py": "the system's list of mounts",
    "llm/child_process.py": "the settings of the library that it calls",
    "settings/project_folder.py": "a part of what it found to be a file",
    "exchange/staging.py": "the copy that it made",
    "embed/wordpiece.py": "its own words",
    "core/process_identity.py": "the system's list of processes",
    "embed/slot_path.py": "its own weights",
    "embed/weights.py": "its own weights",
    "extract/worth_model.py": "its own weights",
    "setup/disk.py": "what it found to be a small file",
    "setup/manifest.py": "its own list of what it set up",
    "erase/leftovers.py": "it overwrites its own",
    "cli/commands/redact.py": "by the reader of input",
    "cli/yaml_editor.py": "what it gave the editor",
}


def reads_by_itself(path: Path) -> bool:
    calls = (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))
    return any(map(is_a_read, calls))


def is_a_read(call: ast.Call) -> bool:
    called = call.func
    if isinstance(called, ast.Attribute):
        name, given = called.attr, call.args[:1]
        if name == "read_bytes" or (name == "read_text" and call.args):
            return not isinstance(called.value, ast.Name) or called.value.id != "source"
    elif isinstance(called, ast.Name) and called.id == "open":
        name, given = "open", call.args[1:2]
    else:
        return False
    is_mode = given and isinstance(given[0], ast.Constant) and str(given[0].value).startswith("r")
    return name == "open" and bool(is_mode)


def test_one_module_reads_files() -> None:
    own = {str(path.relative_to(ROOT)) for path in SOURCES if reads_by_itself(path)}
    assert own - KNOWN.keys() == set(), "use core/regular_files"


def make_pipe(path: Path) -> Path:
    os.mkfifo(path)
    return path


def make_giant(path: Path) -> Path:
    """Ten gigabytes that take no room."""
    with path.open("wb") as file:
        file.truncate(10 << 30)
    return path


ENDLESS: tuple[Callable[[Path], Path], ...] = (
    make_pipe,
    make_giant,
    lambda _path: Path("/dev/zero"),
)


@pytest.mark.parametrize("make", ENDLESS)
def test_a_file_without_an_end_is_refused_at_once(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    with pytest.raises(IrregularFile):
        read_regular_file(make(tmp_path / "x"))


def test_a_stream_without_an_end_is_read_no_further_than_its_bound() -> None:
    with open("/dev/zero", "rb") as stream, pytest.raises(IrregularFile):
        read_stream(stream, "zeros", most=5000)
