"""All commands by name, in the sections in which help shows them, each with one line on it.

Nothing here imports a command: `memctl --help` and a plainly written line cost no more than what
they print.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType

from memctl.core.typing_lite import Any

# Each command is a file in `commands`, with `_` for `-`, and a final `_` where the name is a Python
# keyword.
SECTIONS: Mapping[str, Mapping[str, str]] = {
    "Every day": {
        "setup": "Connect your agents, step by step.",
        "search": "Find records by words and by meaning.",
        "context": "Print what an agent should know before it starts.",
        "ingest": "Write a record by hand (also: add, remember).",
        "inbox": "See what is waiting for your decision.",
        "review": "Decide on everything that is waiting, on one screen.",
        "approve": "Make candidates active.",
        "reject": "Turn candidates down for good.",
        "undo": "Undo your last change.",
        "status": "Show the store at a glance.",
    },
    "Look around": {
        "list": "List records that pass the filters, last changed first.",
        "ls": "List a folder of the store.",
        "tree": "Show the folders of the store and what is in them.",
        "cat": "Print what is stored at a path.",
        "show": "Show one record with its evidence, links and entities.",
        "explain": "Show where a record comes from, or why it was found.",
        "digest": "Show what changed since you last looked.",
        "daily": "Write a note of what happened on one day.",
        "dream": "Propose a new MEMORY.md: what is true now, and why.",
        "log": "Show captures, retrievals or changes, newest first.",
        "source": "Captured conversations, turn by turn.",
        "entity": "People, projects and tools that records mention.",
        "timeline": "Show a project's history by day.",
        "report": "Write an HTML page about the store.",
        "stats": "Show the store in numbers.",
    },
    "Keep it true": {
        "profile": "Facts about you and your preferences.",
        "correct": "Replace a record that turned out wrong.",
        "edit": "Change fields of a record in place.",
        "confirm": "Confirm that records are true.",
        "forget": "Archive records: kept, but no longer served.",
        "pin": "Pin records: every context begins with them.",
        "unpin": "Unpin records: contexts no longer begin with them.",
        "promote": "Make candidates or archived records active.",
        "conflicts": "List records that contradict each other.",
        "resolve": "Settle a contradiction.",
        "link": "Link two records, or remove a link.",
        "feedback": "Say whether records helped or misled.",
        "project": "Say which folders belong to one project.",
        "view": "Save the options of a search or a context.",
    },
    "Bring in": {
        "backfill": "Capture the past sessions of all your agents.",
        "import-memories": "Import what other tools remember.",
        "capture-session": "Capture one session of a coding agent.",
        "capture-conversation": "Capture any conversation or document.",
    },
    "Upkeep": {
        "maintain": "Run the maintenance steps that are due.",
        "doctor": "Check the store and its environment.",
        "consolidate": "Merge duplicates and mark contradictions.",
        "revert": "Undo changes and everything that was built on them.",
        "purge": "Erase records for good, also from history and logs.",
        "redact": "Remove secrets from a text, or find them in the store.",
        "backup": "Make a complete, verified, private copy of the store.",
        "restore": "Replace the store with a verified backup.",
        "export": "Export everything as one JSONL file with checksums.",
        "import": "Merge an export by id.",
        "vault": "Keep records and a folder of Markdown notes in step.",
        "sync": "Keep the stores of several machines in sync.",
    },
    "Plumbing": {
        "uninstall": "Remove everything that setup wrote; your data stays.",
        "completion": "Print or install shell completion.",
        "init": "Create the store, private to you.",
        "config": "Show the settings in force and where each comes from.",
        "model": "The language model that maintenance may ask.",
        "hook": "Handle one hook call from an agent.",
        "mcp": "Serve the memory to MCP clients.",
        "help": "Explain a command or a topic.",
    },
}
COMMANDS: tuple[str, ...] = tuple(name for lines in SECTIONS.values() for name in lines)
# Other names of commands: what people type first, and what a command was once called. They work,
# but lists and completion show only the one name.
OTHER_NAMES: Mapping[str, str] = {
    "add": "ingest",
    "remember": "ingest",
    "rm": "forget",
    "outcome": "feedback",
}
# Commands with sub-commands.
GROUPS = ("entity", "model", "profile", "project", "source", "sync", "vault", "view")
# What such a command does if none of them is named: it shows what there is.
_USUAL_CHILDREN: Mapping[str, str] = {
    "entity": "list",
    "model": "status",
    "profile": "list",
    "project": "list",
    "sync": "now",
    "view": "list",
}
# Commands whose usual sub-command takes a word, which may follow the name of the command itself;
# and all their sub-commands, which that word is none of.
_TAKING_A_WORD: Mapping[str, tuple[str, ...]] = {
    "sync": ("now", "join", "invite", "members", "remove", "share", "status", "leave"),
}
_HELP_OPTIONS = ("-h", "--help")
_PYTHON_KEYWORDS = ("import",)
# What a person may type for a command that is called otherwise here.
_MEANT: Mapping[str, str] = {
    "delete": "forget",
    "remove": "forget",
    "archive": "forget",
    "find": "search",
    "query": "search",
    "recall": "search",
    "ask": "search",
    "new": "ingest",
    "save": "ingest",
    "note": "ingest",
    "write": "ingest",
    "get": "show",
    "view-record": "show",
    "history": "log",
    "events": "log",
    "why": "explain",
    "accept": "approve",
    "install": "setup",
    "connect": "setup",
    "update": "edit",
    "change": "edit",
    "fix": "doctor",
    "check": "doctor",
    "merge": "consolidate",
    "run": "maintain",
    "settings": "config",
    "version": "--version",
}


def complete_words(words: Sequence[str]) -> list[str]:
    """Return a command line with the sub-command that is meant where none is named."""
    if words and words[0].startswith("--db"):
        start = 2 if words[0] == "--db" else 1
        return [*words[:start], *complete_words(words[start:])]
    child = _USUAL_CHILDREN.get(words[0]) if words else None
    names_none = len(words) == 1 or (len(words) > 1 and words[1].startswith("-"))
    if not names_none and words and words[0] in _TAKING_A_WORD:
        names_none = words[1] not in _TAKING_A_WORD[words[0]]
    if child is None or not names_none or any(word in _HELP_OPTIONS for word in words):
        return list(words)
    return [words[0], child, *words[1:]]


def get_line(name: str) -> str:
    """Return the one line on a command."""
    return next(lines[name] for lines in SECTIONS.values() if name in lines)


def import_command(name: str) -> ModuleType:
    """Import the module of a command."""
    word = name.replace("-", "_") + ("_" if name in _PYTHON_KEYWORDS else "")
    return import_module(f"memctl.cli.commands.{word}")


def find_function(words: Sequence[str]) -> tuple[str, Callable[..., Any], Sequence[str]] | None:
    """Find the function that a command line calls: its whole name, itself and the words after it.

    None if the line does not begin with the name of a command.
    """
    words = complete_words(words)
    name = OTHER_NAMES.get(words[0], words[0]) if words else ""
    if name not in COMMANDS:
        return None
    module = import_command(name)
    if name not in GROUPS:
        return name, module.run, words[1:]
    function = module.COMMANDS.get(words[1]) if len(words) > 1 else None
    return None if function is None else (f"{name} {words[1]}", function, words[2:])


def suggest_command(word: str) -> str | None:
    """Return the command that somebody may have meant, by its sense or its spelling."""
    if word in _MEANT:
        return _MEANT[word]
    from difflib import get_close_matches

    names = [*COMMANDS, *OTHER_NAMES]
    near = get_close_matches(word, names, n=1, cutoff=0.7)
    if near:
        return near[0]
    begun = [name for name in names if len(word) > 1 and name.startswith(word)]
    return begun[0] if len(begun) == 1 else None
