"""Commands without typer, which costs five times what a bare interpreter takes to start.

Only a plainly written command line is parsed here: the command first, then known options in full,
each with its value, and arguments. Anything else (help, an unknown option, a value that does not
fit) is left to typer, which explains what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from memctl.cli import command_table, execution
from memctl.cli.converters import Converter, find_converter
from memctl.cli.declarations import ParameterDeclaration, list_type_arguments, split_annotation
from memctl.core import process_exit
from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any, NoReturn
from memctl.settings import config

_HELP = (("--help",), ("-h",), ())
_COMPLETION_VARIABLE = "_MEMCTL_COMPLETE"


class NeedsTyper(Exception):
    """The command line is one that only typer parses."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a command's function. An argument has no spellings, an option all of its
    own; one that can also be said the other way round (`--a/--b`) has none that is read here.
    """

    name: str
    is_option: bool
    spellings: tuple[str, ...]
    converter: Converter
    is_flag: bool
    is_many: bool
    is_required: bool


def prepare_command(words: Sequence[str]) -> Callable[[], NoReturn] | None:
    """Parse a plain command line and return what runs it and ends the process.

    Returns None for a command line that typer has to parse.
    """
    if _COMPLETION_VARIABLE in config.get_environment():
        return None
    if tuple(words) in _HELP:
        return _print_root_help
    found = command_table.find_function(words)
    if found is None:
        return None
    name, function, rest = found
    try:
        options = parse_options(function, rest)
    except NeedsTyper:
        return None
    db, as_json = options.pop("db", None), options.pop("as_json", False)

    def run() -> NoReturn:
        process_exit.stand_in_for_closed_streams()
        process_exit.allow_fast_exit()
        process_exit.exit_process(
            execution.run_guarded(
                name, as_json, lambda: execution.run_command(name, function, db, as_json, options)
            )
        )

    return run


def _print_root_help() -> NoReturn:
    from memctl.cli import cli_results, output, root_help

    process_exit.stand_in_for_closed_streams()
    process_exit.allow_fast_exit()

    def show() -> int:
        output.print_result("", cli_results.Raw(root_help.write_root_help()), as_json=False)
        return 0

    process_exit.exit_process(execution.run_guarded("", False, show))


def parse_options(function: Callable[..., Any], words: Sequence[str]) -> dict[str, Any]:
    """Return the options of a command line by name, without those not given. Raises NeedsTyper."""
    parameters = [*_list_parameters(function), *_COMMON_PARAMETERS]
    by_spelling = {
        spelling: parameter for parameter in parameters for spelling in parameter.spellings
    }
    values: dict[str, list[str]] = {}
    arguments: list[str] = []
    remaining = iter(words)
    for word in remaining:
        if word.startswith("--") or word in by_spelling:
            name, value = _parse_option(word, remaining, by_spelling)
            values.setdefault(name, []).append(value)
        elif word.startswith("-"):
            raise NeedsTyper
        else:
            arguments.append(word)
    values |= _assign_arguments(arguments, [each for each in parameters if not each.is_option])
    return {
        parameter.name: _convert_values(parameter, values[parameter.name])
        for parameter in parameters
        if parameter.name in values
    }


def _parse_option(
    word: str, remaining: Iterator[str], by_spelling: Mapping[str, Parameter]
) -> tuple[str, str]:
    """Return an option's name and its value, which follows `=` or is the next word."""
    spelling, equals, value = word.partition("=")
    parameter = by_spelling.get(spelling)
    if parameter is None or (parameter.is_flag and equals):
        raise NeedsTyper
    if not equals and not parameter.is_flag:
        value = next(remaining, "-")
        if value.startswith("-"):
            raise NeedsTyper
    return parameter.name, value


def _assign_arguments(words: list[str], parameters: Sequence[Parameter]) -> dict[str, list[str]]:
    """Assign words to the parameters they belong to; the last parameter may take many."""
    values: dict[str, list[str]] = {}
    for parameter in parameters:
        count = len(words) if parameter.is_many else 1
        if words:
            values[parameter.name], words = words[:count], words[count:]
        elif parameter.is_required:
            raise NeedsTyper
    if words:
        raise NeedsTyper
    return values


def _convert_values(parameter: Parameter, words: Sequence[str]) -> Any:
    if not parameter.is_many and len(words) > 1:
        raise NeedsTyper
    if parameter.is_flag:
        return True
    try:
        values = [parameter.converter.convert(word) for word in words]
    except ValueError as error:
        raise NeedsTyper from error
    return values if parameter.is_many else values[0]


def _list_parameters(function: Callable[..., Any]) -> Iterator[Parameter]:
    """Yield what the function takes besides the call, by its annotations."""
    names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    first_optional = len(names) - len(function.__defaults__ or ())
    for position, name in enumerate(names):
        annotation = eval(function.__annotations__[name], function.__globals__)
        base, declaration = split_annotation(annotation)
        if not isinstance(declaration, ParameterDeclaration):
            raise NeedsTyper
        yield Parameter(
            name,
            declaration.is_option,
            _list_spellings(name, declaration),
            find_converter(annotation),
            is_flag=base is bool,
            is_many=any(
                getattr(part, "__origin__", None) is list
                for part in (base, *list_type_arguments(base))
            ),
            is_required=position < first_optional,
        )


def _list_spellings(name: str, declaration: ParameterDeclaration) -> tuple[str, ...]:
    if not declaration.is_option:
        return ()
    names = declaration.names or (f"--{name.replace('_', '-')}",)
    return () if any("/" in spelling for spelling in names) else names


def _build_common_parameter(name: str, spelling: str, kind: type) -> Parameter:
    return Parameter(
        name,
        is_option=True,
        spellings=(spelling,),
        converter=Converter(kind),
        is_flag=kind is bool,
        is_many=False,
        is_required=False,
    )


_COMMON_PARAMETERS = (
    _build_common_parameter("db", "--db", Path),
    _build_common_parameter("as_json", "--json", bool),
)
