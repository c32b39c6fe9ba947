"""`memctl --help`, and what is said of a command that there is not; both without typer."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from memctl.cli import colours, command_table
from memctl.core.errors import UsageError

# Columns of a command's name in the list; the longest name and two spaces.
NAME_WIDTH = 22
_USAGE = """\
Usage: memctl [--db PATH] COMMAND [ARGS]...

The shared, durable memory of all your coding agents, in one SQLite file on
this machine. Start with: memctl setup
"""
_REST = """\
Options:
  --db PATH   The store (else MEMCTL_DB, else the default place).
  --version   Print the version and exit.
  -h, --help  Show this message and exit.

Every command has --help with examples, and --json for one JSON envelope.
`memctl help` lists topics: how it works, what is stored where, privacy.
"""


def write_root_help() -> str:
    """Write the list of all commands in their sections, with bold headings on a terminal."""
    parts = [_USAGE]
    for title, lines in command_table.SECTIONS.items():
        rows = "".join(f"  {name:<{NAME_WIDTH}}{line}\n" for name, line in lines.items())
        parts.append(f"{colours.make_bold(f'{title}:', sys.stdout)}\n{rows}")
    return "\n".join((*parts, _REST))


def refuse_unknown_command(word: str) -> UsageError:
    """Return the error for a command that there is not, with the one that may have been meant."""
    meant = command_table.suggest_command(word)
    hint = f"did you mean `memctl {meant}`? " if meant else ""
    return UsageError(f"there is no command {word!r}", hint=f"{hint}see: memctl --help")


def refuse_unknown_topic(word: str, topics: Sequence[str]) -> UsageError:
    """Return the error for a word that `memctl help` has no page for, with the nearest that is."""
    from difflib import get_close_matches

    near = get_close_matches(word, topics, n=1, cutoff=0.6)
    meant = command_table.suggest_command(word) or (near[0] if near else None)
    hint = f"did you mean `memctl help {meant}`? " if meant else ""
    return UsageError(
        f"there is no command or topic {word!r}", hint=f"{hint}`memctl help` lists both"
    )
