"""An interrupt at any moment around a transaction leaves none open, and later writes are kept."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from memctl.store import database, meta, migrate
from memctl.store.database import Database, OperationalError

OWN_CODE = {database.__file__, contextlib.__file__}


class Interrupt(BaseException):
    """What a signal handler raises."""


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = migrate.open_store(tmp_path / "store.db", create=True)
    opened.pragma("synchronous", 0)  # Thousands of commits follow; none has to outlive the machine.
    yield opened
    opened.close()


def interrupt_after(steps: int) -> Callable[[FrameType, str, Any], Any]:
    """A trace function that raises at the bytecode with this number in the code of transactions."""
    left = steps

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename not in OWN_CODE:
            return None
        frame.f_trace_opcodes = True
        if event in ("opcode", "call"):
            left -= 1
            if left < 0:
                raise Interrupt
        return trace

    return trace


def write_once(db: Database) -> None:
    with db.write():
        meta.put_note(db, "interrupted", "yes")


def write_nested(db: Database) -> None:
    with db.write():
        with db.write():
            meta.put_note(db, "interrupted", "yes")
        meta.put_note(db, "outer", "yes")


def write_and_fail(db: Database) -> None:
    try:
        with db.write():
            raise KeyError
    except KeyError:
        pass


def read_once(db: Database) -> None:
    with db.snapshot():
        meta.get_note(db, "interrupted")


WAYS = pytest.mark.parametrize("work", [write_once, write_nested, write_and_fail, read_once])


def run_interrupted(work: Callable[[Database], None], db: Database, steps: int) -> None:
    sys.settrace(interrupt_after(steps))
    try:
        work(db)
    finally:
        sys.settrace(None)


def is_kept(db: Database, value: str) -> bool:
    """Whether a write made now is committed."""
    with db.write():
        meta.put_note(db, "later", value)
    return meta.get_note(db, "later") == value


@WAYS
def test_an_interrupt_at_any_bytecode_leaves_no_transaction_open(
    db: Database, work: Callable[[Database], None]
) -> None:
    work(db)
    for steps in range(5000):
        try:
            run_interrupted(work, db, steps)
        except Interrupt:
            pass
        else:
            break
        assert not db.in_transaction, f"open after {steps} bytecodes"
        assert is_kept(db, str(steps))
    assert 50 < steps < 4999


@WAYS
def test_whoever_handles_an_interrupt_can_write_at_once(
    db: Database, work: Callable[[Database], None]
) -> None:
    work(db)
    for steps in range(5000):
        try:
            run_interrupted(work, db, steps)
        except Interrupt:
            db.end_interrupted_transaction()
            assert is_kept(db, f"handled {steps}")
        else:
            break
        assert meta.get_note(db, "later") == f"handled {steps}"
        assert is_kept(db, str(steps))
    assert 50 < steps < 4999


@pytest.mark.parametrize("microseconds", range(1, 400, 19))
def test_an_alarm_leaves_no_transaction_open(db: Database, microseconds: int) -> None:
    rings: list[int] = []

    def ring(number: int, _frame: FrameType | None) -> None:
        rings.append(number)
        raise Interrupt

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, microseconds / 1e6)
        for _ in range(10_000):
            write_nested(db)
            if rings:  # inside a callback of the garbage collector, which swallows exceptions
                rings.clear()
                signal.setitimer(signal.ITIMER_REAL, microseconds / 1e6)
    except Interrupt:
        pass
    else:
        pytest.fail("the alarm was swallowed")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not db.in_transaction
    assert is_kept(db, str(microseconds))


class Faulty:
    """A connection that raises before or after it has carried out one statement."""

    def __init__(self, connection: Any, statement: str, *, is_after: bool) -> None:
        self._connection, self._statement, self._is_after = connection, statement, is_after
        self.is_armed = True

    def execute(self, statement: str, *values: Any) -> Any:
        is_struck = self.is_armed and statement == self._statement
        if is_struck:
            self.is_armed = False
        if is_struck and not self._is_after:
            raise Interrupt
        result = self._connection.execute(statement, *values)
        if is_struck:
            raise Interrupt
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "COMMIT"])
def test_an_interrupt_inside_a_statement_leaves_no_transaction_open(
    db: Database, statement: str, is_after: bool
) -> None:
    db._conn = Faulty(db._conn, statement, is_after=is_after)
    with pytest.raises(Interrupt):
        write_once(db)
    assert not db.in_transaction
    is_committed = statement == "COMMIT" and is_after
    assert meta.get_note(db, "interrupted") == ("yes" if is_committed else None)
    assert is_kept(db, "later")


def test_what_is_left_of_an_interrupted_write_does_not_end_a_later_one(db: Database) -> None:
    left_over = db.write()
    left_over.__enter__()
    db.end_interrupted_transaction()
    with db.write():
        meta.put_note(db, "later", "yes")
        del left_over
    assert meta.get_note(db, "later") == "yes"


def test_a_write_whose_outer_transaction_was_rolled_back_is_not_silent(db: Database) -> None:
    with pytest.raises(RuntimeError, match="rolled back"), db.write(), db.write():
        db.roll_back()


def test_a_nested_write_that_fails_takes_the_outer_one_with_it(db: Database) -> None:
    with pytest.raises(OperationalError), db.write():
        meta.put_note(db, "outer", "yes")
        with db.write():
            raise OperationalError("no such table")
    assert meta.get_note(db, "outer") is None
