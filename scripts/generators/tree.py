"""The real command tree as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import typer

from memctl.cli.main import app

WIDTH = 100
FILES = ("FILE", "PATH", "DIR")


@dataclass(frozen=True)
class Option:
    """One option: its names, what it takes (empty for a flag), the words it allows."""

    names: tuple[str, ...]
    takes: str
    help: str
    words: tuple[str, ...] = ()

    @property
    def takes_file(self) -> bool:
        """Whether its value is a file or folder."""
        return self.takes in FILES


@dataclass(frozen=True)
class Node:
    """One command: its path (`profile set`, empty for the root), its help page, options, arguments, sub-commands."""

    path: str
    summary: str
    page: str
    options: tuple[Option, ...]
    words: tuple[str, ...] = ()
    takes_files: bool = False
    children: tuple[Node, ...] = field(default=())

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in order."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def name(self) -> str:
        """The last word of its path."""
        return self.path.split(" ")[-1]


def tree() -> Node:
    """The whole command tree."""
    return _node(typer.main.get_command(app), "")


def _node(command: Any, path: str) -> Node:
    context = command.context_class(command, info_name=f"memctl {path}".strip(), terminal_width=WIDTH, help_option_names=["-h", "--help"])
    choices = getattr(command, "choices", {})
    params = command.get_params(context)
    arguments = [param for param in params if param.param_type_name == "argument"]
    children = [] if not hasattr(command, "list_commands") else command.list_commands(context)
    return Node(
        path,
        (command.help or "").strip().split("\n")[0],
        command.get_help(context),
        tuple(_option(param, choices) for param in params if param.param_type_name == "option"),
        tuple(word for param in arguments for word in choices.get(param.name, ())),
        any(param.metavar in FILES for param in arguments),
        tuple(_node(command.get_command(context, child), f"{path} {child}".strip()) for child in children),
    )


def _option(param: Any, choices: dict[str, tuple[str, ...]]) -> Option:
    names = (*param.opts, *param.secondary_opts)
    return Option(names, "" if param.is_flag else param.metavar or "TEXT", param.help or "", choices.get(param.name, ()))
