"""The hot commands without typer, which costs five times what a bare interpreter takes to start.

Only a command line that is plainly written is read here: the command first, then known options in full, each with its value, and words.
Whatever else stands there (help, a value that does not fit, an option that is not known) is left to typer, which says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, get_args, get_origin

from memctl.cli import execution
from memctl.cli.converters import Reading, reading
from memctl.cli.declarations import Declared
from memctl.core import process_exit
from memctl.core.frozen import dataclass
from memctl.settings import config

COMMANDS = ("context", "search", "capture-session")
_COMPLETING = "_MEMCTL_COMPLETE"


class NotPlain(Exception):
    """The command line is one for typer."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a command's function: how a word of it is read, whether it is a flag, and whether it takes many."""

    name: str
    spelling: str
    reading: Reading
    is_flag: bool
    is_many: bool
    is_required: bool


def ready(words: Sequence[str]) -> Callable[[], NoReturn] | None:
    """A plain command line made ready to run and end the process; None for one that is left to typer."""
    if not words or words[0] not in COMMANDS or _COMPLETING in config.environ():
        return None
    name, function = (
        words[0],
        import_module(f"memctl.cli.commands.{words[0].replace('-', '_')}").run,
    )
    try:
        options = read(function, words[1:])
    except NotPlain:
        return None
    db, as_json = options.pop("db", None), options.pop("as_json", False)

    def run() -> NoReturn:
        process_exit.stand_in_for_closed_streams()
        process_exit.this_process_ends_here()
        process_exit.leave(
            execution.guarded(
                name, as_json, lambda: execution.answer(name, function, db, as_json, options)
            )
        )

    return run


def read(function: Callable[..., Any], words: Sequence[str]) -> dict[str, Any]:
    """The options of a command line by name, without those that were not given. Raises NotPlain."""
    known = [*_parameters(function), *_COMMON]
    named = {parameter.spelling: parameter for parameter in known if parameter.spelling}
    found: dict[str, list[str]] = {}
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        if word.startswith("--"):
            name, value = _option(word, rest, named)
            found.setdefault(name, []).append(value)
        elif word.startswith("-"):
            raise NotPlain
        else:
            plain.append(word)
    found |= _placed(plain, [parameter for parameter in known if not parameter.spelling])
    return {
        parameter.name: _value(parameter, found[parameter.name])
        for parameter in known
        if parameter.name in found
    }


def _option(word: str, rest: Iterator[str], named: Mapping[str, Parameter]) -> tuple[str, str]:
    """The name of an option and its value, which stands behind `=` or is the next word."""
    spelling, equals, value = word.partition("=")
    parameter = named.get(spelling)
    if parameter is None or (parameter.is_flag and equals):
        raise NotPlain
    if not equals and not parameter.is_flag:
        value = next(rest, "-")
        if value.startswith("-"):
            raise NotPlain
    return parameter.name, value


def _placed(plain: list[str], wanted: Sequence[Parameter]) -> dict[str, list[str]]:
    """The words that stand by themselves, by the parameter each belongs to; the last one may take many."""
    found: dict[str, list[str]] = {}
    for parameter in wanted:
        found[parameter.name], plain = (plain, []) if parameter.is_many else (plain[:1], plain[1:])
        if not found[parameter.name]:
            del found[parameter.name]
            if parameter.is_required:
                raise NotPlain
    if plain:
        raise NotPlain
    return found


def _value(parameter: Parameter, given: Sequence[str]) -> Any:
    if not parameter.is_many and len(given) > 1:
        raise NotPlain
    if parameter.is_flag:
        return True
    try:
        values = [parameter.reading.read(word) for word in given]
    except ValueError as error:
        raise NotPlain from error
    return values if parameter.is_many else values[0]


def _parameters(function: Callable[..., Any]) -> Iterator[Parameter]:
    """What the function takes besides the call, by its annotations."""
    names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    first_optional = len(names) - len(function.__defaults__ or ())
    for place, name in enumerate(names):
        annotation = eval(function.__annotations__[name], function.__globals__)
        base, declared = get_args(annotation)[:2]
        if not isinstance(declared, Declared) or len(declared.names) > 1:
            raise NotPlain
        spelling = (*declared.names, f"--{name.replace('_', '-')}")[0] if declared.is_option else ""
        is_many = any(get_origin(part) is list for part in (base, *get_args(base)))
        yield Parameter(
            name, spelling, reading(annotation), base is bool, is_many, place < first_optional
        )


_COMMON = (
    Parameter("db", "--db", Reading(Path), False, False, False),
    Parameter("as_json", "--json", Reading(bool), True, False, False),
)
