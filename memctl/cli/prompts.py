"""Questions to the person at the terminal.

They go to standard error, because standard output carries only the answer of the command.
"""

from __future__ import annotations

import sys

from memctl.cli import output, terminal_safety
from memctl.core.errors import Interrupted, UsageError


def is_person() -> bool:
    """Whether somebody can answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def ask(question: str) -> str:
    """Ask and return one line, stripped. Raises Interrupted at the end of input."""
    sys.stderr.write(terminal_safety.make_line_safe(question) + " ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if not answer:
        raise Interrupted("interrupted")
    return answer.strip()


def require_consent(question: str, *, yes: bool) -> None:
    """Return only if the person agrees, or agreed beforehand with `yes`.

    Raises UsageError where nobody can be asked, Interrupted on a no.
    """
    if yes:
        return
    if not is_person():
        raise UsageError(
            "this needs confirmation, and there is no terminal to ask at",
            hint="add --yes if you mean it",
        )
    if ask(f"{question} [y/N]").lower() not in ("y", "yes"):
        raise Interrupted("nothing was changed")


def say(*lines: str) -> None:
    """Print lines that are not the command's answer."""
    output.print_notice(lines)
