"""How a command says what it takes, without typer: importing that costs five times what a bare interpreter takes to start.

A command line that is plainly written is read by these declarations as they stand (`swift`). For any other, and for help and completion,
they become typer's own (`command`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from memctl.core.frozen import dataclass

Function = TypeVar("Function", bound=Callable[..., Any])
# What may happen to any command that opens the store.
STORE_CODES = (10, 11, 12, 13)
EXAMPLES, EXIT_CODES = "__memctl_examples__", "__memctl_codes__"


class MalformedValue(ValueError):
    """A value that an option does not take; the message says what it would take."""


@dataclass(frozen=True, slots=True)
class ParameterDeclaration:
    """One option or argument: its spellings, how its value is read, and what help says of it."""

    is_option: bool
    names: tuple[str, ...]
    parser: Callable[[str], Any] | None
    min: float | None
    max: float | None
    metavar: str | None
    help: str


def option(
    *names: str,
    help: str,
    parser: Callable[[str], Any] | None = None,
    min: float | None = None,
    max: float | None = None,
    metavar: str | None = None,
) -> Any:
    """An option. Its parser raises Malformed."""
    return ParameterDeclaration(True, names, parser, min, max, metavar, help)


def argument(
    *, help: str, parser: Callable[[str], Any] | None = None, metavar: str | None = None
) -> Any:
    """A word that stands by itself. Its parser raises Malformed."""
    return ParameterDeclaration(False, (), parser, None, None, metavar, help)


def command(
    *examples: str, codes: tuple[int, ...] = (), store: bool = True
) -> Callable[[Function], Function]:
    """Mark a function as a command, with examples and the exit codes that matter to its callers; `store` adds those of any store."""

    def mark(function: Function) -> Function:
        setattr(function, EXAMPLES, examples)
        setattr(
            function, EXIT_CODES, tuple(sorted({0, 2, *codes, *(STORE_CODES if store else ())}))
        )
        return function

    return mark
