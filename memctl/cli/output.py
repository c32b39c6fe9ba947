"""The only place that prints: a result as text or as the JSON envelope, an error as either.

Standard output carries only the payload. Stored text is made harmless before a terminal sees it
(`terminal_safety`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

from memctl.cli import colours, exit_status, terminal_safety
from memctl.cli.cli_results import Raw
from memctl.core.errors import MemctlError
from memctl.core.typing_lite import Any, TextIO
from memctl.results.json_data import jsonable
from memctl.text.framing import break_markers

# The version of the JSON contract (docs/json.md).
ENVELOPE = 1
# In columns. A terminal that reports fewer does not know its width.
_MIN_WIDTH = 40


# Characters of a word in an error, above which it is cut, and how many are then shown; longer than
# any path of a usual file system. Chosen by hand.
_LONGEST_WORD = 1000
_SHOWN_OF_WORD = 80


def print_result(
    command: str,
    data: Any,
    *,
    as_json: bool,
    verbose: bool = False,
    warnings: Sequence[MemctlError] = (),
) -> None:
    """Print a result as an envelope, as the raw text that it is, or as lines of text.

    `warnings` are what the command met and went around.
    """
    met = [exit_status.to_problem(each.code, str(each), each.hint) for each in warnings]
    if as_json:
        status = "problems" if met or exit_status.compute_exit_code(data) else "ok"
        problems = [*exit_status.list_problems(data), *met]
        text = build_envelope(command, status, jsonable(data), problems)
    elif isinstance(data, Raw):
        text = _make_raw_text_safe(data.text) if sys.stdout.isatty() else data.text
    else:
        from memctl.cli.text import renderers

        lines = renderers.render(data, verbose=verbose)
        if not sys.stdout.isatty() and not renderers.was_made_harmless(data):
            # An agent may read this.
            lines = map(break_markers, lines)
        text = _wrap_lines(lines, sys.stdout)
        if colours.has_colours(sys.stdout):
            text = colours.paint(text)
    _write(sys.stdout, text)
    for problem in [] if as_json else met:
        print_error(command, problem, as_json=False)


def print_error(
    command: str, problem: exit_status.Problem, *, as_json: bool, done: object = None
) -> None:
    """Print an error: the envelope to standard output, or a message to standard error.

    `done` is the result of what was done before it.
    """
    if done is not None and not as_json:
        with suppress(OSError):
            print_result(command, done, as_json=False)
    if as_json:
        # On a full disk even this fails; the exit code still tells the caller.
        with suppress(OSError):
            _write(sys.stdout, build_envelope(command, "error", jsonable(done), [problem]))
        return
    lines = f"memctl: {_shorten_words(problem['message'] or '')}".split("\n")
    if problem["hint"]:
        lines += f"  {problem['hint']}".split("\n")
    print_notice(lines)


def _shorten_words(message: str) -> str:
    """A message whose words a screen can hold: a mistaken value may have thousands of letters."""
    return " ".join(
        word if len(word) <= _LONGEST_WORD else f"{word[:_SHOWN_OF_WORD]}…"
        for word in message.split(" ")
    )


def is_watched() -> bool:
    """Whether somebody sees what goes to standard error."""
    return sys.stderr is not None and sys.stderr.isatty()


def print_notice(lines: Iterable[str]) -> None:
    """Print lines that are not part of the answer to standard error."""
    _write(sys.stderr, _wrap_lines(lines, sys.stderr))


def build_envelope(command: str, status: str, data: Any, errors: list[exit_status.Problem]) -> str:
    """Build the JSON object on one line that has the same shape for every command."""
    envelope = {
        "memctl": ENVELOPE,
        "command": command,
        "status": status,
        "data": data,
        "errors": errors,
    }
    only_ascii = not (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(envelope, ensure_ascii=False, separators=(", ", ": "))
    text = terminal_safety.make_json_safe(terminal_safety.restore_letters(text))
    return (terminal_safety.escape_letters(text) if only_ascii else text) + "\n"


def _make_raw_text_safe(text: str) -> str:
    return _join_lines(text.split("\n")).removesuffix("\n")


def _join_lines(lines: Iterable[str]) -> str:
    return "".join(f"{terminal_safety.make_line_safe(line)}\n" for line in lines)


def _wrap_lines(lines: Iterable[str], stream: TextIO) -> str:
    """Wrap long lines to the terminal, keeping their indent. A pipe gets them unchanged."""
    width = _find_width(stream)
    safe = [terminal_safety.make_line_safe(line) for line in lines]
    if width is not None and any(len(line) >= width for line in safe):
        safe = [_wrap_line(line, width - 1) for line in safe]
    return "".join(f"{line}\n" for line in safe)


def _wrap_line(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    from textwrap import fill

    indent = line[: len(line) - len(line.lstrip())] or "    "
    return fill(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _find_width(stream: TextIO) -> int | None:
    """Return the columns of the terminal, or None if there is none or its width is implausible."""
    if not stream.isatty():
        return None
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return None
    return columns if columns >= _MIN_WIDTH else None


def _write(stream: TextIO, text: str) -> None:
    try:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
        stream.write(text)
        stream.flush()
    except OSError as error:
        # The buffer must not raise again when the error is printed or Python closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        # A reader that closed the pipe has read enough, and a notice may be lost. An answer that
        # could not be written is a failure.
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            raise
