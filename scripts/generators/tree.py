"""The help pages of the real command tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from memctl.cli.main import app

WIDTH = 100


def pages() -> list[tuple[str, str]]:
    """Each command's path (`profile set`, empty for memctl itself) with its help page, in the order
    of the help.
    """
    return list(_pages(typer.main.get_command(app), ""))


def _pages(command: Any, path: str) -> Iterator[tuple[str, str]]:
    context = command.context_class(
        command,
        info_name=f"memctl {path}".strip(),
        terminal_width=WIDTH,
        help_option_names=["-h", "--help"],
    )
    yield path, command.get_help(context)
    for child in command.list_commands(context) if hasattr(command, "list_commands") else ():
        yield from _pages(command.get_command(context, child), f"{path} {child}".strip())
