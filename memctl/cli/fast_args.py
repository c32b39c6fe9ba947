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
from memctl.cli.converters import Converter, find_converter
from memctl.cli.declarations import ParameterDeclaration
from memctl.core import process_exit
from memctl.core.frozen import dataclass
from memctl.settings import config

COMMANDS = ("context", "search", "capture-session")
_COMPLETION_VARIABLE = "_MEMCTL_COMPLETE"


class NeedsTyper(Exception):
    """The command line is one for typer."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a command's function: how a word of it is read, whether it is a flag, and whether it takes many."""

    name: str
    spelling: str
    converter: Converter
    is_flag: bool
    is_many: bool
    is_required: bool


def prepare_command(words: Sequence[str]) -> Callable[[], NoReturn] | None:
    """A plain command line made ready to run and end the process; None for one that is left to typer."""
    if not words or words[0] not in COMMANDS or _COMPLETION_VARIABLE in config.environ():
        return None
    name, function = (
        words[0],
        import_module(f"memctl.cli.commands.{words[0].replace('-', '_')}").run,
    )
    try:
        options = parse_options(function, words[1:])
    except NeedsTyper:
        return None
    db, as_json = options.pop("db", None), options.pop("as_json", False)

    def run() -> NoReturn:
        process_exit.stand_in_for_closed_streams()
        process_exit.this_process_ends_here()
        process_exit.leave(
            execution.run_guarded(
                name, as_json, lambda: execution.run_command(name, function, db, as_json, options)
            )
        )

    return run


def parse_options(function: Callable[..., Any], words: Sequence[str]) -> dict[str, Any]:
    """The options of a command line by name, without those that were not given. Raises NotPlain."""
    known = [*_list_parameters(function), *_COMMON_PARAMETERS]
    named = {parameter.spelling: parameter for parameter in known if parameter.spelling}
    found: dict[str, list[str]] = {}
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        if word.startswith("--"):
            name, value = _parse_option(word, rest, named)
            found.setdefault(name, []).append(value)
        elif word.startswith("-"):
            raise NeedsTyper
        else:
            plain.append(word)
    found |= _assign_arguments(plain, [parameter for parameter in known if not parameter.spelling])
    return {
        parameter.name: _convert_values(parameter, found[parameter.name])
        for parameter in known
        if parameter.name in found
    }


def _parse_option(
    word: str, rest: Iterator[str], named: Mapping[str, Parameter]
) -> tuple[str, str]:
    """The name of an option and its value, which stands behind `=` or is the next word."""
    spelling, equals, value = word.partition("=")
    parameter = named.get(spelling)
    if parameter is None or (parameter.is_flag and equals):
        raise NeedsTyper
    if not equals and not parameter.is_flag:
        value = next(rest, "-")
        if value.startswith("-"):
            raise NeedsTyper
    return parameter.name, value


def _assign_arguments(plain: list[str], wanted: Sequence[Parameter]) -> dict[str, list[str]]:
    """The words that stand by themselves, by the parameter each belongs to; the last one may take many."""
    found: dict[str, list[str]] = {}
    for parameter in wanted:
        found[parameter.name], plain = (plain, []) if parameter.is_many else (plain[:1], plain[1:])
        if not found[parameter.name]:
            del found[parameter.name]
            if parameter.is_required:
                raise NeedsTyper
    if plain:
        raise NeedsTyper
    return found


def _convert_values(parameter: Parameter, given: Sequence[str]) -> Any:
    if not parameter.is_many and len(given) > 1:
        raise NeedsTyper
    if parameter.is_flag:
        return True
    try:
        values = [parameter.converter.convert(word) for word in given]
    except ValueError as error:
        raise NeedsTyper from error
    return values if parameter.is_many else values[0]


def _list_parameters(function: Callable[..., Any]) -> Iterator[Parameter]:
    """What the function takes besides the call, by its annotations."""
    names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    first_optional = len(names) - len(function.__defaults__ or ())
    for place, name in enumerate(names):
        annotation = eval(function.__annotations__[name], function.__globals__)
        base, declared = get_args(annotation)[:2]
        if not isinstance(declared, ParameterDeclaration) or len(declared.names) > 1:
            raise NeedsTyper
        spelling = (*declared.names, f"--{name.replace('_', '-')}")[0] if declared.is_option else ""
        is_many = any(get_origin(part) is list for part in (base, *get_args(base)))
        yield Parameter(
            name,
            spelling,
            find_converter(annotation),
            base is bool,
            is_many,
            place < first_optional,
        )


_COMMON_PARAMETERS = (
    Parameter("db", "--db", Converter(Path), False, False, False),
    Parameter("as_json", "--json", Converter(bool), True, False, False),
)
