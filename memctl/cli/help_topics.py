"""What `memctl help` shows: the list of commands and topics, a command's own help, or a page."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

from memctl.cli import command_table, manual_pages, root_help
from memctl.cli.text import pages
from memctl.core.errors import UsageError

# Columns of a page at a terminal, at least and at most: longer lines are hard to read.
_WIDTHS = (40, 100)


def find_width() -> int | None:
    """Return the columns that a page is laid out for, or None where no terminal shows it."""
    if not sys.stdout.isatty():
        return None
    least, most = _WIDTHS
    return max(least, min(most, shutil.get_terminal_size().columns - 1))


def explain_topic(words: Sequence[str], width: int | None = None) -> str:
    """Write the help of a command, the page of a topic, or the list of both.

    A page is Markdown, unless it is laid out for a `width` in columns. Raises UsageError for what
    is neither.
    """
    if not words:
        topics = "".join(
            f"  {name:<{root_help.NAME_WIDTH}}{title}\n"
            for name, title in manual_pages.list_topics()
        )
        return f"{root_help.write_root_help()}\nTopics of `memctl help TOPIC`:\n{topics}"
    names = [command_table.OTHER_NAMES.get(words[0], words[0]), *words[1:]]
    if names[0] in command_table.COMMANDS:
        return _write_command_help(names)
    if len(words) == 1 and words[0] in dict(manual_pages.list_topics()):
        page = manual_pages.read_page(words[0])
        return page if width is None else "\n".join((*pages.render_page(page, width), ""))
    names = [name for name, _title in manual_pages.list_topics()]
    raise root_help.refuse_unknown_topic(" ".join(words), names)


def _write_command_help(names: Sequence[str]) -> str:
    """Write what `memctl COMMAND --help` shows. Raises UsageError for an unknown sub-command."""
    from memctl.cli import main  # typer, which only such help needs

    found, path = main.load_command(names[0]), f"memctl {names[0]}"
    for name in names[1:]:
        children = found.list_commands(None) if hasattr(found, "list_commands") else []
        if name not in children:
            raise UsageError(f"{path} has no {name!r}", hint=f"see: {path} --help")
        found, path = found.get_command(None, name), f"{path} {name}"
    context = found.make_context(path, [], resilient_parsing=True, **found.context_settings)
    return f"{found.get_help(context)}\n"
