"""From a function to a typer command: common options, help with examples and exit codes, the run.

A function takes the `Call` and its options and returns data. What all commands share is added here.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from copy import copy
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import ParameterInfo

from memctl.cli import execution
from memctl.cli.converters import Converter, bypass_pydantic, find_converter
from memctl.cli.declarations import (
    EXAMPLES,
    EXIT_CODES,
    MalformedValue,
    ParameterDeclaration,
    split_annotation,
)
from memctl.core import errors

DbOption = Annotated[
    Path | None,
    typer.Option(
        "--db", metavar="PATH", help="The store (else MEMCTL_DB, else the default place)."
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON envelope instead of text (see docs/json.md).")
]
CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


class _Help:
    """Help that keeps the lines of its epilog, and is built only when it is asked for."""

    epilog: str | None

    def get_help_option(self, ctx: Any) -> Any:
        """Return the --help option, without pydantic behind it."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None and "process_value" not in vars(option):
            bypass_pydantic([option], {option.name: Converter(bool)})
        return option

    def format_epilog(self, _ctx: Any, formatter: Any) -> None:
        """Write the examples and exit codes unwrapped."""
        if self.epilog:
            formatter.write("\n" + self.epilog + "\n")


class Command(_Help, TyperCommand):
    """One command."""


class Group(_Help, TyperGroup):
    """A command with sub-commands."""


def build_command(name: str, function: Callable[..., Any], line: str | None = None) -> Any:
    """Build the typer command of a function; `name` is the whole name (`profile set`).

    `line` is what a list of commands says of it, else the beginning of its help.
    """
    app, run = _create_app(), build_runner(name, function)
    help_text = inspect.getdoc(function) or ""
    app.command(
        name.split()[-1],
        cls=Command,
        help=help_text,
        short_help=line or shorten_help(help_text),
        epilog=build_epilog(function),
        context_settings=dict(CONTEXT_SETTINGS),
    )(run)
    built = typer.main.get_command(app)
    annotations = {word: kind for word, kind in run.__annotations__.items() if word != "ctx"}
    converters = {word: find_converter(kind) for word, kind in annotations.items()}
    bypass_pydantic(built.params, converters)
    choices = {word: each.words for word, each in converters.items() if each.words}
    built.choices = choices  # type: ignore[attr-defined]
    return built


def build_group(
    name: str, words: str, functions: Mapping[str, Callable[..., Any]], line: str
) -> Any:
    """Build the typer group of several functions; `line` is what a list of commands says of it."""
    app = _create_app(
        cls=Group,
        help=words,
        short_help=line,
        name=name,
        context_settings=dict(CONTEXT_SETTINGS),
        no_args_is_help=True,
    )
    app.callback()(lambda: None)
    group = typer.main.get_command(app)
    for word, function in functions.items():
        command = build_command(f"{name} {word}", function)
        group.add_command(command, word)  # type: ignore[attr-defined]
    return group


def shorten_help(words: str) -> str:
    """Shorten the help of a command for a list of commands: its first sentence up to a pause."""
    start = re.split(r"\.(?:\s|$)|[;:]\s| \(|\n\n", words, maxsplit=1)[0]
    return start.replace("\n", " ") + "."


def build_epilog(function: Callable[..., Any]) -> str:
    """Build the examples and exit codes that help shows below the options."""
    table = errors.exit_codes()
    examples = [f"  {example}" for example in getattr(function, EXAMPLES)]
    codes = [f"  {code:<4} {table[code]}" for code in getattr(function, EXIT_CODES)]
    return "\n".join(["Examples:", *examples, "", "Exit codes:", *codes])


def build_runner(name: str, function: Callable[..., Any]) -> Callable[..., None]:
    """Wrap a function: add the common options, print what it returns, exit with its code."""

    @functools.wraps(function)
    def run(ctx: typer.Context, *, db: Path | None, as_json: bool, **options: Any) -> None:
        raise typer.Exit(
            execution.run_command(name, function, db or (ctx.obj or {}).get("db"), as_json, options)
        )

    signature = inspect.signature(function, eval_str=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context),
        *(
            p.replace(kind=keyword, annotation=_to_typer_annotation(p.annotation))
            for p in list(signature.parameters.values())[1:]
        ),
        inspect.Parameter("db", keyword, default=None, annotation=DbOption),
        inspect.Parameter("as_json", keyword, default=False, annotation=JsonOption),
    ]
    signature = signature.replace(parameters=parameters, return_annotation=None)
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def _to_typer_annotation(annotation: Any) -> Any:
    """Return an annotation with typer's own declaration in place of ours."""
    base, info = split_annotation(annotation)
    annotated: Any = Annotated
    if not isinstance(info, ParameterDeclaration):
        if isinstance(info, ParameterInfo) and info.parser:
            ours = copy(info)
            ours.parser = _wrap_parser(info.parser)
            return annotated[base, ours]
        return annotation
    words: dict[str, Any] = {
        "parser": info.parser and _wrap_parser(info.parser),
        "metavar": info.metavar,
        "help": info.help,
    }
    if info.is_option:
        option = typer.Option(*info.names, min=info.min, max=info.max, **words)
        return annotated[base, option]
    return annotated[base, typer.Argument(**words)]


def _wrap_parser(parser: Callable[[str], Any]) -> Callable[[str], Any]:
    """Wrap a parser so that it refuses a value with typer's own error."""

    @functools.wraps(parser)
    def read(text: str) -> Any:
        try:
            return parser(text)
        except MalformedValue as error:
            raise typer.BadParameter(str(error)) from error

    return read


def _create_app(**settings: Any) -> typer.Typer:
    return typer.Typer(
        add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, **settings
    )
