"""The process in which an agent's program answers one question: it starts the program, feeds it,
and reads what it prints.

Guarantees: it imports nothing of memctl; it and the program are one process group, which it ends
when the time is over, the memory granted is exceeded, the answer is too long, or the process that
wanted the answer is gone.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from contextlib import suppress

from memctl.core.typing_lite import Any

_GRACE_SECONDS = 5
# How often memory and the parent are looked at, in seconds. Chosen by hand.
_LOOK_SECONDS = 0.25
# While a program prints without a pause, they are looked at once in so many pieces. By hand.
_LOOK_ROUNDS = 16
_MAX_STDERR_BYTES = 8192
_PIECE_BYTES = 65536
_KIB = 1024
_BYTES_PER_MB = 1 << 20


def answer_request() -> None:
    """Run the program that the request on standard input names; print what it printed."""
    parent = os.getppid()
    with os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace") as out:
        os.dup2(2, 1)
        request = json.load(sys.stdin)
        _set_limits(int(request["seconds"]))
        json.dump(_run_program(request, parent), out, ensure_ascii=False)
        out.flush()
        # What the program left behind must not keep this process.
        os._exit(0)


def _set_limits(seconds: int) -> None:
    """End the group when the time is over, also where the parent process is gone.

    A system that runs out of memory ends this group first.
    """
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, lambda *_: _end_group())
        signal.alarm(seconds + _GRACE_SECONDS)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_group() -> None:
    """End this process and all that is in its group."""
    if hasattr(os, "killpg"):
        os.killpg(os.getpgid(0), signal.SIGKILL)
    os._exit(1)


def _run_program(request: dict[str, Any], parent: int) -> dict[str, Any]:
    pipe = subprocess.PIPE
    try:
        program = subprocess.Popen(
            request["command"], stdin=pipe, stdout=pipe, stderr=pipe, cwd=request["folder"]
        )
    except OSError as error:
        return {"error": f"{request['command'][0]}: {error.strerror or error}"}
    streams = _Streams(program, request["input"], int(request["most_bytes"]))
    trouble = _await_end(program, streams, int(request["memory_mb"]), parent)
    if trouble:
        program.kill()
        return {"error": trouble}
    stdout, stderr = (data.decode("utf-8", "replace") for data in (streams.stdout, streams.stderr))
    return {"stdout": stdout, "stderr": stderr, "code": program.returncode}


def _await_end(
    program: subprocess.Popen[bytes], streams: _Streams, memory_mb: int, parent: int
) -> str | None:
    """Serve the program until its end; why it has to be ended before, if it has.

    What it started may hold its streams open: then a moment of silence after its end is the end.
    """
    rounds = 0
    while True:
        has_ended = program.poll() is not None
        was_ready = streams.advance(_LOOK_SECONDS)
        if streams.is_full:
            return f"it printed more than {streams.most_bytes} bytes"
        if has_ended and (streams.are_closed or not was_ready):
            return None
        rounds += 1
        if was_ready and rounds % _LOOK_ROUNDS:
            continue
        if os.getppid() != parent:
            _end_group()
        if memory_mb and measure_group_memory() > memory_mb * _BYTES_PER_MB:
            return f"it took more than {memory_mb} MB of memory"


def measure_group_memory() -> int:
    """The bytes of memory that the processes of this group occupy.

    The address space says nothing: the machines that run JavaScript reserve far more than they use.
    """
    group = os.getpgid(0)
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return _ask_ps(group)
    return sum(_read_resident_bytes(name, group) for name in names)


def _read_resident_bytes(pid: str, group: int) -> int:
    """The resident memory of a process, if it is of the group."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # The name in brackets may contain anything; the numbers come after it.
            fields = file.read().rpartition(")")[2].split()
        # Of proc(5): field 5 is the group, field 24 the resident pages; two came before these.
        return int(fields[21]) * os.sysconf("SC_PAGE_SIZE") if int(fields[2]) == group else 0
    except (OSError, ValueError, IndexError):
        return 0


def _ask_ps(group: int) -> int:
    """The same where there is no /proc."""
    with suppress(OSError, subprocess.SubprocessError, ValueError):
        told = subprocess.run(
            ["ps", "-axo", "pgid=,rss="], capture_output=True, text=True, timeout=5, check=True
        )
        pairs = (line.split() for line in told.stdout.splitlines())
        return sum(int(pair[1]) * _KIB for pair in pairs if int(pair[0]) == group)
    return 0


class _Streams:
    """The three streams of a program, served together; neither waits for another.

    All of the standard output is kept, up to a limit, and the end of the error stream.
    """

    def __init__(self, program: subprocess.Popen[bytes], text: str, most_bytes: int) -> None:
        assert program.stdin and program.stdout and program.stderr
        self.stdout, self.stderr = bytearray(), bytearray()
        self.most_bytes = most_bytes
        self._left = memoryview(text.encode("utf-8", "replace"))
        self._selector = selectors.DefaultSelector()
        os.set_blocking(program.stdin.fileno(), False)
        self._selector.register(program.stdin, selectors.EVENT_WRITE, self._write_piece)
        self._selector.register(program.stdout, selectors.EVENT_READ, self._read_stdout)
        self._selector.register(program.stderr, selectors.EVENT_READ, self._read_stderr)

    @property
    def is_full(self) -> bool:
        """Whether the program printed more than anybody reads."""
        return len(self.stdout) > self.most_bytes

    @property
    def are_closed(self) -> bool:
        """Whether nothing more can come."""
        return not self._selector.get_map()

    def advance(self, seconds: float) -> bool:
        """Do what can be done within so many seconds; False where nothing was ready."""
        ready = self._selector.select(seconds)
        for key, _ in ready:
            if not key.data(key.fd):
                self._selector.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]
        return bool(ready)

    def _write_piece(self, fd: int) -> bool:
        """Write a piece; a program that does not read to the end has its reasons."""
        try:
            self._left = self._left[os.write(fd, self._left[:_PIECE_BYTES]) :]
        except BlockingIOError:
            return True
        except OSError:
            return False
        return bool(self._left)

    def _read_stdout(self, fd: int) -> bool:
        piece = os.read(fd, _PIECE_BYTES)
        self.stdout += piece
        return bool(piece)

    def _read_stderr(self, fd: int) -> bool:
        piece = os.read(fd, _PIECE_BYTES)
        self.stderr = (self.stderr + piece)[-_MAX_STDERR_BYTES:]
        return bool(piece)


if __name__ == "__main__":
    answer_request()
