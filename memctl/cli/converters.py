"""Converting option values without pydantic, whose import costs every command about 100 ms.

Typer imports it to convert even the plainest word. Plain values are converted here; whatever is
missing, malformed or out of range goes typer's own way, for its message.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import NoneType

from memctl.cli.declarations import list_type_arguments, split_annotation
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any


class UndecodableWord(ValueError):
    """A word of the command line is no text."""


class EmptyPath(UndecodableWord):
    """A path is empty: a variable that is not set, say, which must not mean the folder here."""


@dataclass(frozen=True, slots=True)
class Converter:
    """How the words of one parameter are converted: by its parser, else to `kind` within bounds."""

    kind: Any
    parser: Callable[[str], Any] | None = None
    low: float | None = None
    high: float | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The only words allowed, if the parser has such."""
        return getattr(self.parser, "words", ())

    def convert(self, value: Any) -> Any:
        """Convert one value. Raises ValueError where typer should explain what is wrong."""
        if isinstance(value, str) and self.kind is not Path:
            value = decode_argument(value)
        elif isinstance(value, str) and not value.strip():
            raise EmptyPath("an empty word names no file and no folder")
        if self.parser is not None:
            return self.parser(value) if isinstance(value, str) else value
        converted: Any = value if isinstance(value, self.kind) else self.kind(value)
        # `not >=` rather than `<`, so that NaN is out of range.
        if self.low is not None and not converted >= self.low:
            raise ValueError(value)
        if self.high is not None and not converted <= self.high:
            raise ValueError(value)
        return converted


def decode_argument(text: str) -> str:
    """Return a word of the command line as its bytes read in UTF-8. Raises UndecodableWord.

    Python decodes the words by the locale: in one that knows ASCII alone, every other byte becomes
    half of a character pair, and what was typed must not be stored as question marks. File names
    keep their bytes.
    """
    if text.isascii():
        return text
    try:
        return os.fsencode(text).decode("utf-8")
    except UnicodeError as error:
        # A locale of its own (Latin-1, Shift-JIS) has read it, or nothing can.
        if not any("\ud800" <= char <= "\udfff" for char in text):
            return text
        raise UndecodableWord("this word of the command line is not text in UTF-8") from error


def find_converter(annotation: Any) -> Converter:
    """Return the converter of a parameter `Annotated[X, Option(...)]`.

    X may be optional or a list.
    """
    base, info = split_annotation(annotation)
    kind = next(part for part in (list_type_arguments(base) or (base,)) if part is not NoneType)
    origin = getattr(kind, "__origin__", None)
    if origin is list:
        kind = list_type_arguments(kind)[0]
        origin = getattr(kind, "__origin__", None)
    if origin is tuple:
        kind = tuple
    return Converter(kind, info.parser, info.min, info.max)


def bypass_pydantic(params: Iterable[Any], converters: Mapping[str, Converter]) -> None:
    """Let these parameters of a typer command be converted by our converters."""
    for param in params:
        if param.name in converters:
            param.process_value = _build_processor(param, converters[param.name])


def _build_processor(param: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    process_with_typer = param.process_value
    is_many = param.multiple or param.nargs == -1

    def process(ctx: Any, value: Any) -> Any:
        is_empty = value is None or (is_many and not value)
        # Typer itself converts a flag without pydantic, and reports what is missing.
        if (is_empty and param.required) or isinstance(value, bool):
            return process_with_typer(ctx, value)
        if is_empty:
            return () if is_many else None
        try:
            return tuple(map(converter.convert, value)) if is_many else converter.convert(value)
        except UndecodableWord as error:
            raise UsageError(str(error)) from error
        except ValueError:
            return process_with_typer(ctx, value)

    return process
