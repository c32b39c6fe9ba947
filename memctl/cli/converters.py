"""Reading option values without pydantic: typer imports it to convert even the plainest word, which costs every command about 100 ms.

Plain values are converted here; whatever is missing, malformed or out of range goes typer's own way, for its message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin

from memctl.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Converter:
    """How the words of one parameter are read: by its parser, else as its kind within its bounds."""

    kind: Any
    parser: Callable[[str], Any] | None = None
    low: float | None = None
    high: float | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The only words allowed, if there are such."""
        return getattr(self.parser, "words", ())

    def convert(self, value: Any) -> Any:
        """One value. Raises ValueError where typer should have its say."""
        if isinstance(value, str) and self.kind is not Path:
            # Bytes of the command line that are no text; only names of files keep them.
            value = value.encode("utf-8", "replace").decode("utf-8")
        if self.parser is not None:
            return self.parser(value) if isinstance(value, str) else value
        read: Any = value if isinstance(value, self.kind) else self.kind(value)
        if (self.low is not None and not read >= self.low) or (
            self.high is not None and not read <= self.high
        ):
            raise ValueError(value)
        return read


def find_converter(annotation: Any) -> Converter:
    """How a parameter annotated `Annotated[X, Option(...)]` is read; X may be optional or a list."""
    base, info = get_args(annotation)[:2]
    kind = next(part for part in (get_args(base) or (base,)) if part is not NoneType)
    if get_origin(kind) is list:
        kind = get_args(kind)[0]
    if get_origin(kind) is tuple:
        kind = tuple
    return Converter(kind, info.parser, info.min, info.max)


def bypass_pydantic(params: Iterable[Any], readings: Mapping[str, Converter]) -> None:
    """Let these parameters of a typer command be read by their readings."""
    for param in params:
        if param.name in readings:
            param.process_value = _build_processor(param, readings[param.name])


def _build_processor(param: Any, known: Converter) -> Callable[[Any, Any], Any]:
    slow = param.process_value
    many = param.multiple or param.nargs == -1

    def process(ctx: Any, value: Any) -> Any:
        empty = value is None or (many and not value)
        # A flag that was given is plain for typer too; one that was not given is not.
        if (empty and param.required) or isinstance(value, bool):
            return slow(ctx, value)
        if empty:
            return () if many else None
        try:
            return tuple(map(known.convert, value)) if many else known.convert(value)
        except ValueError:
            return slow(ctx, value)

    return process
