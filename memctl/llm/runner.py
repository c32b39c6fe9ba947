"""One question to a language model, in a process of its own that is ended when its time is over or its answer too long.

Kept true: whatever the model does, this returns or raises `Failed` within the time given and a little; nothing the model started in its
process group stays behind; the words of a question stand in no argument and no file.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memctl.core import clock
from memctl.core.frozen import dataclass
from memctl.settings import config

CHILD = Path(__file__).with_name("child_process.py")
MOST_CHARS = 60_000
# An answer in JSON, where one character may take twelve bytes.
_MOST_BYTES = 1 << 20
_TOLD_BYTES = 4096
_PIPE = 65536
_LAST_WORDS_SECONDS = 0.5


class Failed(Exception):
    """The model gave no answer; the message says what it did instead."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, and what it says it cost (None where it does not say)."""

    text: str
    tokens_in: int | None
    tokens_out: int | None
    was_cut: bool


def ask(request: Mapping[str, Any], *, seconds: float) -> Answer:
    """The model's answer within so many seconds. Raises Failed."""
    given = {**request, "seconds": int(seconds) + 1, "most_chars": MOST_CHARS}
    said, told, code = _run(json.dumps(given).encode(), seconds)
    try:
        answer = json.loads(said)
        if "error" in answer:
            raise Failed(str(answer["error"]))
        return Answer(
            str(answer["text"]),
            _count(answer["tokens_in"]),
            _count(answer["tokens_out"]),
            bool(answer["cut"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        last = told.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise Failed(
            f"the model's process ended with {_ending(code)}: {' '.join(last)}"[:600].rstrip(": ")
        ) from error


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _ending(code: int | None) -> str:
    if code is None or code >= 0:
        return f"code {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def _run(request: bytes, seconds: float) -> tuple[bytes, bytes, int | None]:
    """What the child wrote on its two streams, and how it ended. Raises Failed where it had to be ended."""
    deadline = clock.seconds() + seconds
    with _child() as process, _Talk(process, request) as talk:
        while not talk.is_answered:
            left = deadline - clock.seconds()
            if left <= 0:
                raise Failed(f"no answer within {seconds:.0f} s")
            talk.go_on(left)
        talk.hear_out(_LAST_WORDS_SECONDS)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_LAST_WORDS_SECONDS)
        return bytes(talk.said), bytes(talk.told), process.returncode


class _Talk:
    """The three streams of a child: the request goes out in pieces, what comes back is taken in, neither waits for the other."""

    def __init__(self, process: subprocess.Popen[bytes], request: bytes) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.said, self.told = bytearray(), bytearray()
        self.is_answered = False
        self._waiting = memoryview(request)
        self._selector = selectors.DefaultSelector()
        os.set_blocking(process.stdin.fileno(), False)
        self._selector.register(process.stdin, selectors.EVENT_WRITE, self._write)
        self._selector.register(process.stdout, selectors.EVENT_READ, self._hear_answer)
        self._selector.register(process.stderr, selectors.EVENT_READ, self._hear_rest)

    def __enter__(self) -> _Talk:
        return self

    def __exit__(self, *_trouble: object) -> None:
        self._selector.close()

    def go_on(self, seconds: float) -> bool:
        """Do what can be done now, or soon; False where nothing came of it. Raises Failed for an answer without end."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            if not key.data(key.fd):
                self._selector.unregister(key.fileobj)
                if key.data == self._write:
                    key.fileobj.close()  # type: ignore[union-attr]
        return bool(ready)

    def hear_out(self, seconds: float) -> None:
        """Take in what is told beside the answer, for a moment: something the child started may hold that stream for ever."""
        deadline = clock.seconds() + seconds
        while (
            self._selector.get_map()
            and (left := deadline - clock.seconds()) > 0
            and self.go_on(left)
        ):
            pass

    def _write(self, fd: int) -> bool:
        """Write a piece of the request; False when there is no more to write, or nobody to read it."""
        try:
            self._waiting = self._waiting[os.write(fd, self._waiting[:_PIPE]) :]
        except BlockingIOError:
            return True
        except OSError:
            return False
        return bool(self._waiting)

    def _hear_answer(self, fd: int) -> bool:
        piece = os.read(fd, _PIPE)
        self.said += piece
        if len(self.said) > _MOST_BYTES:
            raise Failed(f"the answer is longer than {_MOST_BYTES >> 20} MB")
        self.is_answered = not piece
        return bool(piece)

    def _hear_rest(self, fd: int) -> bool:
        """Of what is told beside the answer only the last part is kept."""
        piece = os.read(fd, _PIPE)
        self.told = (self.told + piece)[-_TOLD_BYTES:]
        return bool(piece)


@contextmanager
def _child() -> Iterator[subprocess.Popen[bytes]]:
    """The child in a session of its own; at the end nothing of it is left."""
    if not sys.executable:
        raise Failed("there is no Python to run the model in")
    # -P and the root as its folder: no module or file of the place where somebody called us gets into it.
    command = [sys.executable, "-P", str(CHILD)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env=config.child_environ(),
        cwd=CHILD.anchor,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        _end(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the child and all that it started and that stayed in its group."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
