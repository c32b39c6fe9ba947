"""Every command explains itself: what it does, examples, the exit codes that matter."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

import memctl.cli.commands as folder
from memctl.cli.main import COMMANDS, OTHER_NAMES, app, find_command_name
from memctl.core.errors import exit_codes

FILES = sorted(Path(folder.__path__[0]).glob("[a-z]*.py"))


def leaves(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every command that does something, by its path."""
    if not hasattr(command, "list_commands"):
        yield path, command
        return
    for name in command.list_commands(None):
        yield from leaves(command.get_command(None, name), f"{path} {name}".strip())


TREE = list(leaves(typer.main.get_command(app), ""))


@pytest.mark.parametrize(("path", "command"), TREE, ids=[path for path, _ in TREE])
def test_a_command_has_help_an_example_of_itself_and_exit_codes(path: str, command: Any) -> None:
    assert command.help and command.help.split("\n")[0].endswith(".")
    examples, codes = command.epilog.split("\n\n")
    assert f"memctl {path}" in examples
    said = {int(line.split()[0]): line.split(None, 1)[1] for line in codes.splitlines()[1:]}
    assert said.items() <= exit_codes().items() and {0, 2} <= set(said)
    assert all(param.help for param in command.params)


@pytest.mark.parametrize(("path", "command"), TREE, ids=[path for path, _ in TREE])
def test_every_command_takes_db_and_json(path: str, command: Any) -> None:
    assert {"--db", "--json"} <= {name for param in command.params for name in param.opts}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_command_is_one_file_with_a_short_body(file: Path) -> None:
    module = import_module(f"memctl.cli.commands.{file.stem}")
    functions = list(module.COMMANDS.values()) if hasattr(module, "COMMANDS") else [module.run]
    for function in functions:
        lines = inspect.getsource(function).splitlines()
        body = lines[next(i for i, line in enumerate(lines) if '"""' in line) :]
        assert len(body) <= 32, (
            f"{file.name}: a command declares its options, calls the engine once and returns"
        )


def test_the_list_of_commands_is_the_folder_of_commands() -> None:
    assert sorted(name.replace("-", "_") for name in COMMANDS) == sorted(
        file.stem.rstrip("_") for file in FILES
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_cuts_no_sentence(name: str) -> None:
    line = typer.main.get_command(app).get_command(None, name).short_help  # type: ignore[attr-defined]
    assert line.endswith(".") and not line.endswith("..") and len(line) <= 66
    assert line.count("(") == line.count(")") and line.count("`") % 2 == 0


@pytest.mark.parametrize(("old", "new"), OTHER_NAMES.items())
def test_another_name_of_a_command_works_and_is_not_shown(old: str, new: str) -> None:
    root: Any = typer.main.get_command(app)
    assert root.get_command(None, old) is root.get_command(None, new)
    assert old not in root.list_commands(None)
    assert find_command_name([old, "good", "01JV3KQX2M"]) == new
