"""man/: memctl(1), memctl-hook(1) and a page for every command, from their help."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from generators.tree import pages
from memctl import hook
from memctl.cli import command_table
from memctl.core.version import __version__

_NOTE = '.\\" Made by scripts/generate; do not edit.'
_FILES = """\
.SH FILES
.TP
.I ~/.local/share/memctl/memory.db
The store, unless MEMCTL_DB or XDG_DATA_HOME say otherwise.
.TP
.I ~/.config/memctl/config.yaml
The settings, unless MEMCTL_CONFIG or XDG_CONFIG_HOME say otherwise.
.SH ENVIRONMENT
.TP
.B MEMCTL_DB
The store.
.TP
.B MEMCTL_CONFIG
The settings.
.TP
.B MEMCTL_AGENT
The agent that calls.
.TP
.B NO_COLOR
No colour."""
_HOOK_TEXT = """\
Serves one call of an agent's hook, with the agent's JSON on standard input or as an argument, and
prints what that agent expects. It always exits 0; errors go to hook.log beside the store. memctl
setup writes the calls into the settings of agents. memctl hook does the same, slower."""


def manual() -> dict[str, str]:
    """Each page by the name of its file."""
    (_, _overview), *rest = pages()
    made = {"memctl.1": _write_overview(), "memctl-hook.1": _write_hook()}
    for name in command_table.COMMANDS:
        if name != "hook":
            parts = [(path, page) for path, page in rest if path.split()[0] == name]
            made[f"memctl-{name}.1"] = _write_command(name, parts)
    return made


def _write_overview() -> str:
    lines = [
        *_begin("memctl", "the shared, durable memory of all your coding agents"),
        ".SH SYNOPSIS",
        ".B memctl",
        "[\\fB\\-\\-db\\fR \\fIPATH\\fR] \\fICOMMAND\\fR [\\fIARGS\\fR]...",
        ".SH DESCRIPTION",
        _escape("One SQLite file on this machine. Start with memctl setup. Every command has a"),
        _escape("page of its own, such as memctl-search(1), --help with examples, and --json."),
    ]
    for title, commands in command_table.SECTIONS.items():
        lines.append(f".SH {title.upper()}")
        for name, line in commands.items():
            lines += [".TP", f".BR {_escape('memctl-' + name)} (1)", _escape(line)]
    lines += [".SH OPTIONS"]
    for name, text in (
        ("--db PATH", "The store (else MEMCTL_DB, else the default place)."),
        ("--version", "Print the version and exit."),
        ("-h, --help", "Show the help and exit."),
    ):
        lines += [".TP", f".B {_escape(name)}", _escape(text)]
    see = "memctl help lists the pages of the documentation, which are installed with it."
    return _join([*lines, _FILES, ".SH SEE ALSO", ".BR memctl-hook (1)", ".PP", _escape(see)])


def _write_hook() -> str:
    agents = next(line for line in hook.USAGE.split("\n") if line.startswith("Agents:"))
    return _join(
        [
            *_begin("memctl-hook", "serve one call of an agent's hook"),
            ".SH SYNOPSIS",
            ".B memctl\\-hook",
            "\\fIAGENT\\fR \\fIEVENT\\fR [\\fIJSON\\fR]",
            ".SH DESCRIPTION",
            _escape(_HOOK_TEXT),
            ".PP",
            _escape(agents),
            ".SH EXAMPLES",
            *_write_example(["memctl-hook claude-code SessionStart < input.json"]),
            _FILES,
            ".SH SEE ALSO",
            ".BR memctl (1),",
            ".BR memctl\\-setup (1)",
        ]
    )


def _write_command(name: str, parts: Sequence[tuple[str, str]]) -> str:
    line = command_table.get_line(name).rstrip(".")
    lines = _begin(f"memctl-{name}", line[0].lower() + line[1:])
    lines.append(".SH SYNOPSIS")
    for at, (_, page) in enumerate(parts):
        usage = page.partition("\n")[0].removeprefix("Usage: ")
        lines += [*([".br"] if at else []), _escape(usage)]
    for path, page in parts:
        heading = ".SH DESCRIPTION" if path == name else f'.SH "{_escape(path.upper())}"'
        lines += [heading, *_write_page(page)]
    return _join([*lines, ".SH SEE ALSO", ".BR memctl (1)"])


def _write_page(page: str) -> Iterator[str]:
    """The parts of a help page below its usage; lists of options become tagged paragraphs."""
    head, *sections = re.split(r"\n\n(?=[A-Z][a-z ]+:\n)", page.partition("\n\n")[2])
    yield _write_paragraphs(head)
    for section in sections:
        title, _, body = section.partition(":\n")
        yield f'.SS "{_escape(title)}"'
        if title == "Examples":
            yield from _write_example([line.strip() for line in body.split("\n") if line.strip()])
        else:
            yield from _write_list(body)


def _write_list(body: str) -> Iterator[str]:
    # The help breaks lines at hyphens too.
    whole = re.sub(r"(?<=\w)-\n\s{3,}", "-", body.rstrip("\n"))
    for entry in re.split(r"\n(?=  \S)", whole):
        first, _, rest = entry.strip().partition("\n")
        tag, _, text = first.partition("  ")
        text = f"{text} {rest}"
        yield ".TP"
        yield f".B {_escape(tag.strip())}"
        yield _escape(" ".join(text.split())) or "\\&"


def _write_paragraphs(text: str) -> str:
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
    return "\n.PP\n".join(map(_escape, paragraphs))


def _write_example(lines: Sequence[str]) -> list[str]:
    return [".nf", *(_escape(line) for line in lines), ".fi"]


def _begin(name: str, line: str) -> list[str]:
    title = f'.TH "{_escape(name.upper())}" 1 "" "memctl {__version__}" "memctl"'
    return [_NOTE, title, ".SH NAME", f"{_escape(name)} \\- {_escape(line)}"]


def _escape(text: str) -> str:
    """Text that roff prints as it is."""
    safe = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    return re.sub(r"^(?=[.'])", r"\\&", safe, flags=re.M)


def _join(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"
