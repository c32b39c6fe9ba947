"""One line on standard error that tells how far slow work has come, for a person at a terminal.

It appears once the work has lasted a moment and vanishes with its end, so that what is quick shows
nothing. A terminal without colours gets plain lines, seldom; where nobody looks there is nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from memctl.core import clock
from memctl.core.typing_lite import TextIO
from memctl.settings import config

# Seconds until the line appears, between two drawings of it, and between two plain lines.
_PATIENCE = 0.4
_BETWEEN = 0.15
_BETWEEN_PLAIN = 10.0
# Seconds of work with a known total before the time that is left is told.
_BEFORE_GUESS = 2.0
# Columns of the bar.
_BAR = 24
# Columns of a terminal that does not tell, and the fewest that are believed.
_USUAL_WIDTH = 80
_MIN_WIDTH = 20
_ERASE = "\r\x1b[2K"
_MB = 1_000_000
# The progress of work that nobody looks at.
Told = Callable[[int, int], None]


class ProgressLine:
    """The line: what is done, what is being counted, then how much of it is done.

    Calling it with (done, total) tells how far the work is; a total of 0 is not known yet. `began`
    and `now` are in seconds of one clock.
    """

    def __init__(
        self, doing: str, first: str, counted: str, *, in_bytes: bool = False, began: float = 0.0
    ) -> None:
        self._doing = doing
        self._first = first
        self._counted = counted
        self._in_bytes = in_bytes
        self._began = self._began_total = began
        self._done = self._total = 0

    def __call__(self, done: int, total: int) -> None:
        """Take in how far the work is."""
        if total != self._total:
            self._began_total = clock.read_monotonic()
        self._done, self._total = done, total

    def begin(self, what: str) -> None:
        """Take in that another part of the work begins, which has not been counted yet."""
        self._first, self._done, self._total = what, 0, 0

    def compose(self, now: float, *, width: int = 80, ascii_only: bool = False) -> str:
        """Return the line as it is now, at most `width` columns wide."""
        if self._total <= 0:
            return _cut(f"{self._doing}: {self._first}, {_tell_time(now - self._began)}", width)
        share = min(1.0, self._done / self._total)
        amount = f"{self._tell_amount()} ({share:.0%})"
        line = f"{self._doing}: {amount}{self._guess_rest(now, share)}"
        bar = _draw_bar(share, ascii_only=ascii_only)
        return line if len(bar) + len(line) + 2 > width else f"{line}  {bar}"

    def _tell_amount(self) -> str:
        if self._in_bytes:
            return f"{self._done / _MB:.1f} of {self._total / _MB:.1f} MB"
        words = f" {self._counted}" if self._counted else ""
        return f"{self._done:,} of {self._total:,}{words}"

    def _guess_rest(self, now: float, share: float) -> str:
        spent = now - self._began_total
        if spent < _BEFORE_GUESS or not 0 < share < 1:
            return ""
        return f", about {_tell_time(spent / share * (1 - share))} left"


@contextmanager
def show_progress(
    stream: TextIO | None,
    doing: str,
    first: str,
    counted: str = "",
    *,
    in_bytes: bool = False,
    patience: float | None = None,
) -> Iterator[ProgressLine]:
    """Show on a stream that slow work goes on; yield what is told how far it came.

    `first` says what is being looked for or counted until a total is known, `counted` what the
    numbers count. Nothing is shown unless the stream is a terminal.
    """
    line = ProgressLine(doing, first, counted, in_bytes=in_bytes, began=clock.read_monotonic())
    environment = config.get_environment()
    if stream is None or not stream.isatty() or environment.get("TERM") == "dumb":
        yield line
        return
    from threading import Event, Thread

    is_plain = bool(environment.get("NO_COLOR"))
    is_over, wait = Event(), _PATIENCE if patience is None else patience
    thread = Thread(target=_draw, args=(stream, line, is_over, is_plain, wait), daemon=True)
    thread.start()
    try:
        yield line
    finally:
        is_over.set()
        thread.join()


def _draw(
    stream: TextIO, line: ProgressLine, is_over: object, is_plain: bool, patience: float
) -> None:
    """Draw the line until the work is over. A terminal that is gone is no fault of the work."""
    wait: Callable[[float], bool] = is_over.wait  # type: ignore[attr-defined]
    if wait(patience):
        return
    ascii_only = not (stream.encoding or "").lower().startswith("utf")
    with suppress(OSError, ValueError):
        while True:
            width = _find_width(stream) - 1
            told = line.compose(clock.read_monotonic(), width=width, ascii_only=ascii_only)
            stream.write(f"{told}\n" if is_plain else f"{_ERASE}{told}")
            stream.flush()
            if wait(_BETWEEN_PLAIN if is_plain else _BETWEEN):
                break
        if not is_plain:
            stream.write(_ERASE)
            stream.flush()


def _find_width(stream: TextIO) -> int:
    with suppress(OSError, ValueError):
        columns = os.get_terminal_size(stream.fileno()).columns
        return columns if columns >= _MIN_WIDTH else _USUAL_WIDTH
    return _USUAL_WIDTH


def _draw_bar(share: float, *, ascii_only: bool) -> str:
    full, empty = ("#", ".") if ascii_only else ("━", "╌")
    done = round(share * _BAR)
    return full * done + empty * (_BAR - done)


def _tell_time(seconds: float) -> str:
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min" if minutes >= 10 else f"{minutes} min {rest} s"


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: max(0, width - 1)]}…"
