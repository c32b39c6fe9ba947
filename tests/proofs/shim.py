"""Real `memctl` processes under `shim.c`: their file operations counted, cut off, made to fail, or
written down; their clock shifted; their sleeps and network calls counted.
"""

from __future__ import annotations

import itertools
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("shim.c")
COMMAND = (sys.executable, "-m", "memctl")
HOOK = (sys.executable, "-c", "from memctl.entry import hook; hook()")
# Operations as they stand in the journal, by number.
OPERATIONS = (
    "",
    "open",
    "write",
    "sync",
    "cut",
    "rename",
    "unlink",
    "link",
    "mkdir",
    "rmdir",
    "symlink",
)
_ENTRY = struct.Struct("<IIQqqIIII")
_MAGIC = 0x5348494D
# Seconds after which a process counts as hanging; a busy machine needs a few.
PATIENCE = 240.0


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation that succeeded. `size` is the new length for a cut."""

    kind: str
    inode: int
    offset: int
    size: int
    is_folder: bool
    path: str
    other: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Shimmed:
    """What one process left behind, and what the shim counted."""

    code: int
    stdout: str
    stderr: str
    operations: int
    slept: float
    network: int
    failures: int

    @property
    def was_killed(self) -> bool:
        """Whether the process ended by the shim's signal."""
        return self.code == -9


def build_shim(folder: Path) -> Path:
    """Compile the shim; the calling proof is `not run` where that is impossible."""
    if not sys.platform.startswith("linux"):
        pytest.skip("not run: LD_PRELOAD works on Linux only")
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        pytest.skip("not run: no C compiler")
    made = folder / "shim.so"
    command = [compiler, "-O1", "-w", "-fPIC", "-shared", "-o", str(made), str(SOURCE)]
    subprocess.run(command, check=True, capture_output=True)
    return made


class Shim:
    """The compiled shim over one folder."""

    def __init__(self, library: Path, scratch: Path) -> None:
        self.shared_object = library
        self.scratch = scratch
        self._numbers = itertools.count()

    def run(
        self,
        root: Path,
        *args: object,
        program: tuple[str, ...] = COMMAND,
        stdin: str | bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        **settings: str,
    ) -> Shimmed:
        """Run a command to its end. `settings` are those of the shim, without their prefix."""
        started = self.start(
            root, *args, program=program, stdin=stdin, env=env, cwd=cwd, **settings
        )
        return started.wait()

    def start(
        self,
        root: Path,
        *args: object,
        program: tuple[str, ...] = COMMAND,
        stdin: str | bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        **settings: str,
    ) -> Started:
        """Start a command in a session of its own, without a terminal."""
        number = next(self._numbers)
        counts = self.scratch / f"counts-{os.getpid()}-{number}"
        counts.write_bytes(bytes(4096))
        given = self.scratch / f"stdin-{os.getpid()}-{number}"
        given.write_bytes(stdin.encode() if isinstance(stdin, str) else stdin)
        variables = {f"SHIM_{name.upper()}": value for name, value in settings.items()}
        with given.open("rb") as source:
            process = subprocess.Popen(
                [*program, *map(str, args)],
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd,
                start_new_session=True,
                env={
                    **os.environ,
                    **(env or {}),
                    "LD_PRELOAD": str(self.shared_object),
                    "SHIM_ROOT": str(root.resolve()),
                    "SHIM_COUNTS": str(counts),
                    **variables,
                },
            )
        given.unlink()
        return Started(process, counts)


class Started:
    """A process that runs under the shim."""

    def __init__(self, process: subprocess.Popen[bytes], counts: Path) -> None:
        self.process = process
        self._counts = counts

    def wait(self) -> Shimmed:
        """Wait for its end; a process that hangs fails the proof."""
        try:
            out, err = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise AssertionError(f"hangs: {self.process.args}") from None
        operations, slept, network, failed = struct.unpack("<4q", self._counts.read_bytes()[:32])
        self._counts.unlink()
        return Shimmed(
            self.process.returncode,
            out.decode(errors="replace"),
            err.decode(errors="replace"),
            operations,
            slept / 1e9,
            network,
            failed,
        )


def read_journal(path: Path) -> Iterator[Operation]:
    """Read the operations of a journal, in the order in which they happened."""
    data = path.read_bytes()
    place = 0
    while place < len(data):
        magic, kind, inode, offset, size, mode, *lengths = _ENTRY.unpack_from(data, place)
        assert magic == _MAGIC, "the journal is torn"
        place += _ENTRY.size
        parts = []
        for length in lengths:
            parts.append(data[place : place + length])
            place += length
        yield Operation(
            OPERATIONS[kind],
            inode,
            offset,
            size,
            mode & 0o170000 == 0o040000,
            parts[0].decode(errors="surrogateescape"),
            parts[1].decode(errors="surrogateescape"),
            parts[2],
        )
