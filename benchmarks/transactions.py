"""Run memctl, and note what each of its write transactions took of the processor.

    python benchmarks/transactions.py NOTES COMMAND...

Adds a line of JSON to the file NOTES for each one: milliseconds of processor time and of the clock
from its beginning to its end, and the functions that began it, innermost first. Processor time
tells how long a transaction takes by itself, however busy the machine is with other things; waiting
for the disk is not in it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memctl import entry
from memctl.store.database import Database

# Functions named for each transaction.
_NAMED = 4
_ALSO_CALLED = ("write", "__enter__", "begin_owned", "_retry_while_busy", "<lambda>", "_measured")


class Notes:
    """Where the lines go, and when the open transaction began."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        self._begun: tuple[float, float, list[str]] | None = None

    def begin(self) -> None:
        """A transaction began."""
        self._begun = time.process_time(), time.monotonic(), _list_callers()

    def end(self) -> None:
        """It was committed or rolled back."""
        if self._begun is None:
            return
        cpu, clock, callers = self._begun
        self._begun = None
        took = {
            "cpu_ms": round((time.process_time() - cpu) * 1000, 1),
            "ms": round((time.monotonic() - clock) * 1000, 1),
            "by": callers,
        }
        os.write(self._file, f"{json.dumps(took)}\n".encode())


def read_notes(path: Path) -> list[dict[str, Any]]:
    """The transactions of a file of notes, longest in processor time first."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return sorted(map(json.loads, lines), key=lambda each: -each["cpu_ms"])


def observe(notes: Notes) -> None:
    """Note every write transaction of this process, a migration and the copying of pages too."""

    def around(name: str, before: Callable[[], None] | None, after: Callable[[], None]) -> None:
        plain = getattr(Database, name)

        def _measured(db: Database, *args: Any, **named: Any) -> Any:
            if before is not None and name != "_begin_writing":
                before()
            try:
                done = plain(db, *args, **named)
            finally:
                if name != "_begin_writing":
                    after()
            if name == "_begin_writing":
                notes.begin()
            return done

        setattr(Database, name, _measured)

    around("_begin_writing", None, notes.end)
    around("commit", None, notes.end)
    around("roll_back", None, notes.end)
    around("script", notes.begin, notes.end)
    around("copy_pages_into", notes.begin, notes.end)


def _list_callers() -> list[str]:
    frame, found = sys._getframe(2), []
    while frame is not None and len(found) < _NAMED:
        name = frame.f_code.co_name
        if name not in _ALSO_CALLED:
            found.append(name)
        frame = frame.f_back
    return found


if __name__ == "__main__":
    observe(Notes(Path(sys.argv[1])))
    sys.argv[:] = ["memctl", *sys.argv[2:]]
    entry.main()
