"""Ask a language model one question in a process of its own.

The process is ended when its time is over or its answer too long. Guarantees: whatever the model
does, this returns or raises `ModelFailed` shortly after the time limit; nothing that the model
started in its process group stays behind; the question stands in no argument and no file.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from memctl.core import clock
from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.settings import config

CHILD = Path(__file__).with_name("child_process.py")
# The longest answer. Chosen by hand; the largest answer that the prompts allow has 15,000.
MAX_ANSWER_CHARS = 60_000
# The same as JSON, where one character may take twelve bytes.
_MAX_ANSWER_BYTES = 1 << 20
# How much of the end of the error stream is kept.
_MAX_STDERR_BYTES = 4096
# What is read or written at once: the usual size of a pipe on Linux.
_PIECE_BYTES = 65536
# How long the rest of the error stream is waited for after the answer.
_STDERR_SECONDS = 0.5


class ModelFailed(Exception):
    """The model gave no answer; the message says what it did instead."""


class ModelUnavailable(ModelFailed):
    """No question can be answered at present, whatever it asks."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model said, and the tokens and the cost it reports (None where it reports none)."""

    text: str
    tokens_in: int | None
    tokens_out: int | None
    was_cut: bool
    cost: float | None = None


def run_model(request: Mapping[str, Any], *, seconds: float) -> ModelAnswer:
    """Return the model's answer within so many seconds. Raises ModelFailed."""
    given = {**request, "seconds": int(seconds) + 1, "most_chars": MAX_ANSWER_CHARS}
    answer = ask_child(given, seconds)
    try:
        return ModelAnswer(
            str(answer["text"]),
            _to_count(answer["tokens_in"]),
            _to_count(answer["tokens_out"]),
            bool(answer["cut"]),
        )
    except (KeyError, TypeError) as error:
        raise ModelFailed(f"the model's process answered oddly: {error}"[:600]) from error


def ask_child(
    request: Mapping[str, Any],
    seconds: float,
    *,
    script: Path = CHILD,
    environment: Mapping[str, str] | None = None,
    most_bytes: int = _MAX_ANSWER_BYTES,
) -> Mapping[str, Any]:
    """Return what a process of ours answers to a request, within so many seconds.

    Raises ModelFailed, also for an answer that is an error.
    """
    started = _start_child(script, environment or config.build_child_environment())
    said, told, code = _talk_to_child(started, json.dumps(request).encode(), seconds, most_bytes)
    try:
        answer = json.loads(said)
        if "error" in answer:
            raise ModelFailed(str(answer["error"]))
        return dict(answer)
    except (ValueError, TypeError, RecursionError) as error:
        last = told.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ModelFailed(
            f"the model's process ended with {_describe_exit(code)}: {' '.join(last)}"[:600].rstrip(
                ": "
            )
        ) from error


def _to_count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _describe_exit(code: int | None) -> str:
    if code is None or code >= 0:
        return f"code {code}"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def _talk_to_child(
    started: AbstractContextManager[subprocess.Popen[bytes]],
    request: bytes,
    seconds: float,
    most_bytes: int,
) -> tuple[bytes, bytes, int | None]:
    """What a child wrote on its two streams, and its exit code.

    Raises ModelFailed where it had to be ended.
    """
    deadline = clock.read_monotonic() + seconds
    with started as process, _ChildStreams(process, request, most_bytes) as talk:
        while not talk.is_answered:
            left = deadline - clock.read_monotonic()
            if left <= 0:
                raise ModelFailed(f"no answer within {seconds:.0f} s")
            talk.advance(left)
        talk.read_stderr_rest(_STDERR_SECONDS)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STDERR_SECONDS)
        return bytes(talk.said), bytes(talk.told), process.returncode


class _ChildStreams:
    """The three streams of a child, served together.

    The request goes out in pieces and the answer is read as it comes; neither waits for the other.
    """

    def __init__(self, process: subprocess.Popen[bytes], request: bytes, most_bytes: int) -> None:
        assert process.stdin and process.stdout and process.stderr
        self.said, self.told = bytearray(), bytearray()
        self.is_answered = False
        self._most_bytes = most_bytes
        self._waiting = memoryview(request)
        self._selector = selectors.DefaultSelector()
        os.set_blocking(process.stdin.fileno(), False)
        self._selector.register(process.stdin, selectors.EVENT_WRITE, self._write_piece)
        self._selector.register(process.stdout, selectors.EVENT_READ, self._read_stdout)
        self._selector.register(process.stderr, selectors.EVENT_READ, self._read_stderr)

    def __enter__(self) -> _ChildStreams:
        return self

    def __exit__(self, *_trouble: object) -> None:
        self._selector.close()

    def advance(self, seconds: float) -> bool:
        """Do what can be done within so many seconds; False where nothing was ready.

        Raises ModelFailed for an answer without end.
        """
        ready = self._selector.select(seconds)
        for key, _ in ready:
            if not key.data(key.fd):
                self._selector.unregister(key.fileobj)
                if key.data == self._write_piece:
                    key.fileobj.close()  # type: ignore[union-attr]
        return bool(ready)

    def read_stderr_rest(self, seconds: float) -> None:
        """Read the rest of the error stream for a moment.

        Something that the child started may hold that stream open for ever.
        """
        deadline = clock.read_monotonic() + seconds
        while (
            self._selector.get_map()
            and (left := deadline - clock.read_monotonic()) > 0
            and self.advance(left)
        ):
            pass

    def _write_piece(self, fd: int) -> bool:
        """Write a piece of the request; False when there is no more, or nobody to read it."""
        try:
            self._waiting = self._waiting[os.write(fd, self._waiting[:_PIECE_BYTES]) :]
        except BlockingIOError:
            return True
        except OSError:
            return False
        return bool(self._waiting)

    def _read_stdout(self, fd: int) -> bool:
        piece = os.read(fd, _PIECE_BYTES)
        self.said += piece
        if len(self.said) > self._most_bytes:
            raise ModelFailed(f"the answer is longer than {self._most_bytes >> 20} MB")
        self.is_answered = not piece
        return bool(piece)

    def _read_stderr(self, fd: int) -> bool:
        """Read a piece of the error stream; only its last part is kept."""
        piece = os.read(fd, _PIECE_BYTES)
        self.told = (self.told + piece)[-_MAX_STDERR_BYTES:]
        return bool(piece)


@contextmanager
def _start_child(script: Path, environment: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """Start the child in a session of its own; at the end nothing of it is left."""
    if not sys.executable:
        raise ModelFailed("there is no Python to run the model in")
    # -P and the root as its folder: no module or file of the caller's folder gets into it.
    command = [sys.executable, "-P", str(script)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env=environment,
        cwd=script.anchor,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        _kill_child(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _kill_child(process: subprocess.Popen[bytes]) -> None:
    """End the child and everything it started that stayed in its process group."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
