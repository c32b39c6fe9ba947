"""Which files of instructions each agent reads by itself, before it is asked anything.

A table and a look at the folders around; the environment is passed in. In doubt a file is not read:
then what it says is told once more, which does no harm.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from memctl.core.frozen import dataclass
from memctl.core.regular_files import read_regular_file
from memctl.core.user_folders import find_xdg_folder

# Bytes of a file of instructions; agents cut larger ones, or do not read them. Chosen by hand.
MOST_BYTES = 128 * 1024
# Lines of its list of memories that Claude Code loads.
_MEMORY_LINES = 200
_FOLDER = "{folder}"
# Values of `paths`, `globs` and `applyTo` with which a file of rules holds for every file.
_EVERY_FILE = ("*", "**", "**/*", "*.*")
# Folders above a folder that are looked at.
_MOST_FOLDERS_UP = 40
_FRONT_MATTER = r"\A\ufeff?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)"
_CONDITION = r"(?im)^(?:paths|globs|applyto)[ \t]*:[ \t]*(.*)$"
_ALWAYS = r"(?im)^alwaysapply[ \t]*:[ \t]*true[ \t]*$"


@dataclass(frozen=True, slots=True)
class RulesFiles:
    """The files that one agent reads: `here` in its folder and above it, `own` for every folder,
    each beginning with a base folder; `{folder}` is the folder, or one above it, as Claude Code
    names it.

    `within_repository` stops at the repository's root, and without one at the folder itself.
    `yields_to` names for some files those that are read in their place. `imports` says that a
    line `@NAME` in a file makes the agent read that one too. Larger files than `most` bytes are
    not read to their end.
    """

    here: tuple[str, ...]
    own: tuple[str, ...] = ()
    within_repository: bool = True
    yields_to: Mapping[str, str] | None = None
    imports: bool = False
    most: int = MOST_BYTES


RULES_FILES: Mapping[str, RulesFiles] = {
    "claude-code": RulesFiles(
        (
            *("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"),
            *(".claude/rules/*.md", ".claude/rules/*/*.md"),
        ),
        (
            *("claude/CLAUDE.md", "claude/rules/*.md", "claude/rules/*/*.md"),
            # Of the memory folder the list is loaded; the files that it names wait to be opened.
            "claude/projects/{folder}/memory/MEMORY.md",
        ),
        within_repository=False,
        imports=True,
    ),
    "codex": RulesFiles(
        ("AGENTS.override.md", "AGENTS.md"),
        ("codex/AGENTS.override.md", "codex/AGENTS.md"),
        yields_to={"AGENTS.md": "AGENTS.override.md"},
        # Codex cuts what it reads there (project_doc_max_bytes).
        most=32 * 1024,
    ),
    "gemini-cli": RulesFiles(("GEMINI.md",), ("home/.gemini/GEMINI.md",), imports=True),
    "cursor": RulesFiles(
        (".cursor/rules/*.mdc", ".cursor/rules/*/*.mdc", ".cursorrules", "AGENTS.md")
    ),
    "copilot-cli": RulesFiles(
        (
            *(".github/copilot-instructions.md", ".github/instructions/*.instructions.md"),
            *("AGENTS.md", "CLAUDE.md", "GEMINI.md"),
        ),
        ("copilot/copilot-instructions.md",),
    ),
    "opencode": RulesFiles(
        ("AGENTS.md", "CLAUDE.md"),
        ("config/opencode/AGENTS.md", "claude/CLAUDE.md"),
        yields_to={"CLAUDE.md": "AGENTS.md"},
    ),
}


def read_if_loaded(
    agent: str, path: str, folder: Path | None, environ: Mapping[str, str]
) -> str | None:
    """What a file of instructions says, if the agent reads it by itself in that folder; else None.

    A folder of None stands for anywhere: only the files for every folder are read there.
    """
    files = RULES_FILES.get(agent)
    if files is None or not os.path.isabs(path):
        return None
    place = Path(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    if not any(_list_readings(files, place, folder, environ)):
        return None
    text = _read_text(place, files.most)
    if text is None or not _holds_always(place, text):
        return None
    return "".join(text.splitlines(keepends=True)[:_MEMORY_LINES]) if _is_memory(place) else text


def _list_readings(
    files: RulesFiles, place: Path, folder: Path | None, environ: Mapping[str, str]
) -> Iterator[bool]:
    """Yield for each way in which the agent comes to read a file whether it does."""
    bases = _find_bases(environ)
    around = _list_folders(folder, files) if folder is not None else []
    for pattern in files.own:
        base, _, rest = pattern.partition("/")
        names = [re.sub(r"[^A-Za-z0-9]", "-", str(above)) for above in around]
        wanted = [rest.replace(_FOLDER, name) for name in names] if _FOLDER in rest else [rest]
        yield any(_matches(place, bases[base], each) for each in wanted) and not _gives_way(
            files, place
        )
    for above in around:
        if place.parts[: len(above.parts)] == above.parts:
            yield any(_matches(place, above, pattern) for pattern in files.here) and not _gives_way(
                files, place
            )
            yield _is_drawn_in(files, place, above)


def _list_folders(folder: Path, files: RulesFiles) -> list[Path]:
    """The folder and those above it in which the agent looks."""
    start = Path(os.path.realpath(folder))
    found = [start, *start.parents][:_MOST_FOLDERS_UP]
    if not files.within_repository:
        return found
    for count, above in enumerate(found, 1):
        if os.path.lexists(above / ".git"):
            return found[:count]
    return found[:1]


def _gives_way(files: RulesFiles, place: Path) -> bool:
    """Whether another file beside it is read in its place."""
    other = (files.yields_to or {}).get(place.name)
    return other is not None and os.path.isfile(place.with_name(other))


def _is_drawn_in(files: RulesFiles, place: Path, above: Path) -> bool:
    """Whether a file that the agent reads there is this one under another name, or imports it."""
    if place.parent != above:
        return False
    for name in files.here:
        if "*" in name or name == place.name:
            continue
        beside = above / name
        if os.path.islink(beside) and os.path.realpath(beside) == os.path.realpath(place):
            return True
        if files.imports and "/" not in name:
            text = _read_text(beside, files.most)
            wanted = rf"(?m)(?:^|\s)@(?:\./)?{re.escape(place.name)}(?=\s|$)"
            if text is not None and re.search(wanted, text):
                return True
    return False


def _matches(place: Path, base: Path, pattern: str) -> bool:
    """Whether a path below a base folder fits a pattern, part by part."""
    wanted, root = pattern.split("/"), base.parts
    parts = place.parts
    return (
        len(parts) == len(root) + len(wanted)
        and parts[: len(root)] == root
        and all(map(fnmatchcase, parts[len(root) :], wanted))
    )


def _read_text(path: Path, most: int) -> str | None:
    """The text of a regular file; None if it cannot be read, or is larger."""
    try:
        return read_regular_file(path, most=most).decode("utf-8", "replace")
    except OSError:
        return None


def _holds_always(place: Path, text: str) -> bool:
    """Whether a file holds for every task, not only for some files."""
    found = re.match(_FRONT_MATTER, text, re.DOTALL)
    front = found[1] if found else ""
    if place.suffix == ".mdc":
        return re.search(_ALWAYS, front) is not None
    return all(
        value.strip().strip("\"'[]") in _EVERY_FILE for value in re.findall(_CONDITION, front)
    )


def _is_memory(place: Path) -> bool:
    return place.name == "MEMORY.md" and place.parent.name == "memory"


def _find_bases(environ: Mapping[str, str]) -> dict[str, Path]:
    """The base folders, as the patterns name them."""
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or "/nowhere")
    named = {
        "home": home,
        "config": find_xdg_folder(environ, "XDG_CONFIG_HOME", home),
        "claude": Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude"),
        "codex": Path(environ.get("CODEX_HOME") or home / ".codex"),
        "copilot": Path(environ.get("COPILOT_HOME") or home / ".copilot"),
    }
    return {name: Path(os.path.realpath(base)) for name, base in named.items()}
