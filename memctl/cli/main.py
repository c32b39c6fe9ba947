"""`memctl`: imports only the command that was called, and turns errors into exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from memctl.cli import command_table, execution, root_help
from memctl.cli.command import CONTEXT_SETTINGS, DbOption, Group, build_command, build_group
from memctl.cli.command_table import COMMANDS, GROUPS, OTHER_NAMES
from memctl.cli.converters import Converter, bypass_pydantic
from memctl.core import process_exit
from memctl.core.errors import Interrupted, UsageError
from memctl.core.version import __version__

# The class of typer's usage errors, which it does not export. BadParameter derives from it.
_ParseError: type[Exception] = typer.BadParameter.__mro__[2]


class Root(Group):
    """All commands. Only the called one is imported; help and completion import all."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        bypass_pydantic(self.params, {"db": Converter(Path)})

    def get_help(self, _ctx: Any) -> str:
        """Return the commands in their sections."""
        return root_help.write_root_help().rstrip("\n")

    def list_commands(self, _ctx: Any) -> list[str]:
        """List the name of every command."""
        return list(COMMANDS)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        """Import and return one command, by its name or its old name."""
        cmd_name = OTHER_NAMES.get(cmd_name, cmd_name)
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            self.commands[cmd_name] = load_command(cmd_name)
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; a name that is none gets a suggestion."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise root_help.refuse_unknown_command(args[0])
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line; errors become a message and an exit code."""
        given = list(sys.argv[1:] if args is None else args) or ["--help"]
        words = command_table.complete_words(given)
        code = self._run(
            words,
            prog_name=prog_name or "memctl",
            complete_var=complete_var,
            windows_expand_args=windows_expand_args,
            **extra,
        )
        if standalone_mode:
            sys.exit(code)
        return code

    def _run(self, words: list[str], **extra: Any) -> int:
        def action() -> int:
            try:
                code = super(Root, self).main(words, standalone_mode=False, **extra)
            except _ParseError as error:
                raise _to_usage_error(error, words) from error
            except typer.Abort as error:
                raise Interrupted("interrupted") from error
            return code if isinstance(code, int) else 0

        before_rest = words[: words.index("--")] if "--" in words else words
        return execution.run_guarded(find_command_name(words), "--json" in before_rest, action)


def load_command(name: str) -> Any:
    """Import the module of a command and build its typer command."""
    module, line = command_table.import_command(name), command_table.get_line(name)
    if hasattr(module, "COMMANDS"):
        return build_group(name, module.HELP, module.COMMANDS, line)
    return build_command(name, module.run, line)


def find_command_name(words: Sequence[str]) -> str:
    """Return the command that a command line names, as the envelope calls it.

    Empty if it names none.
    """
    plain = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if not word.startswith("-") and before != "--db"
    ]
    if not plain:
        return ""
    plain[0] = OTHER_NAMES.get(plain[0], plain[0])
    if plain[0] not in COMMANDS:
        return ""
    return " ".join(plain[: 2 if plain[0] in GROUPS else 1])


def _to_usage_error(error: Exception, words: Sequence[str]) -> UsageError:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else f"memctl {find_command_name(words)}".rstrip()
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    if context and message.startswith("Usage: "):
        # A group without a command: its sub-commands fit on a line, its whole help does not.
        message = f"{path} wants one of {', '.join(context.command.list_commands(context))}"
    return UsageError(message, hint=f"see: {path} --help")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from memctl.cli import cli_results, output

        output.print_result("", cli_results.Raw(f"memctl {__version__}\n"), as_json=False)
        raise typer.Exit


app = typer.Typer(
    cls=Root,
    name="memctl",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=dict(CONTEXT_SETTINGS),
)


@app.callback()
def root(
    ctx: typer.Context,
    db: DbOption = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """The shared, durable memory of all your coding agents, in one SQLite file on this machine."""
    ctx.obj = {"db": db}


def main() -> NoReturn:
    """Run the `memctl` command and end the process."""
    process_exit.stand_in_for_closed_streams()
    process_exit.allow_fast_exit()
    process_exit.exit_process(typer.main.get_command(app).main(standalone_mode=False))
