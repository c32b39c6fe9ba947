"""How a command declares its parameters without typer, which is slow to import.

`fast_args` parses a plainly written command line by these declarations. For any other, and for help
and completion, `command` turns them into typer's own.
"""

from __future__ import annotations

from collections.abc import Callable

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing import Annotated as Annotated
else:

    class Annotated:
        """What stands in for `typing.Annotated`, whose module a plain command line never needs."""

        def __class_getitem__(cls, parts):
            made = cls()
            made.__origin__, made.__metadata__ = parts[0], tuple(parts[1:])
            return made


Function = TypeVar("Function", bound=Callable[..., Any])
# Exit codes of any command that opens the store.
STORE_CODES = (10, 11, 12, 13)
# Attributes of a command's function.
EXAMPLES = "__memctl_examples__"
EXIT_CODES = "__memctl_codes__"


def split_annotation(annotation: Any) -> tuple[Any, Any]:
    """Return the type and the declaration of an annotated parameter; None for what has none."""
    metadata = getattr(annotation, "__metadata__", (None,))
    return getattr(annotation, "__origin__", annotation), metadata[0]


def list_type_arguments(kind: Any) -> tuple[Any, ...]:
    """Return what `typing.get_args` does of `list[str]` or `str | None`."""
    return tuple(getattr(kind, "__args__", ()))


class MalformedValue(ValueError):
    """A value that an option does not take; the message says what it takes."""


@dataclass(frozen=True, slots=True)
class ParameterDeclaration:
    """One option or argument: its spellings, how its value is parsed, and its help."""

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
    """Declare an option. Its parser raises Malformed."""
    return ParameterDeclaration(True, names, parser, min, max, metavar, help)


def argument(
    *, help: str, parser: Callable[[str], Any] | None = None, metavar: str | None = None
) -> Any:
    """Declare an argument. Its parser raises Malformed."""
    return ParameterDeclaration(False, (), parser, None, None, metavar, help)


def command(
    *examples: str, codes: tuple[int, ...] = (), store: bool = True
) -> Callable[[Function], Function]:
    """Mark a function as a command, with examples and the exit codes that matter to its callers.

    `store` adds the exit codes of any command that opens the store.
    """

    def mark(function: Function) -> Function:
        setattr(function, EXAMPLES, examples)
        setattr(
            function, EXIT_CODES, tuple(sorted({0, 2, *codes, *(STORE_CODES if store else ())}))
        )
        return function

    return mark
