"""List where on this machine other tools keep their memories.

Links below these locations are not followed, and nothing is opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memctl.core.user_folders import find_xdg_folder

# In a project's folder.
PROJECT_FILES: tuple[tuple[str, str], ...] = (
    ("claude-md", "CLAUDE.md"),
    ("claude-md", "CLAUDE.local.md"),
    ("claude-md", ".claude/CLAUDE.md"),
    ("claude-md", ".claude/rules/*.md"),
    ("claude-md", ".claude/rules/*/*.md"),
    ("agents-md", "AGENTS.md"),
    ("agents-md", "AGENTS.override.md"),
    ("gemini-md", "GEMINI.md"),
    ("gemini-md", ".gemini/GEMINI.md"),
    ("copilot-instructions", ".github/copilot-instructions.md"),
    ("copilot-instructions", ".github/instructions/*.instructions.md"),
    ("windsurf-rules", ".windsurfrules"),
    ("windsurf-rules", ".windsurf/rules/*.md"),
    ("cursor-rules", ".cursorrules"),
    ("cursor-rules", ".cursor/rules/*.mdc"),
    ("cursor-rules", ".cursor/rules/*/*.mdc"),
)
# In the operator's own folders; what comes first is a base folder.
OPERATOR_FILES: tuple[tuple[str, str], ...] = (
    ("claude-md", "claude/CLAUDE.md"),
    ("claude-md", "claude/rules/*.md"),
    ("agents-md", "codex/AGENTS.md"),
    ("agents-md", "codex/AGENTS.override.md"),
    ("agents-md", "config/opencode/AGENTS.md"),
    ("agents-md", "config/AGENTS.md"),
    ("agents-md", "home/.factory/AGENTS.md"),
    ("gemini-md", "home/.gemini/GEMINI.md"),
    ("copilot-instructions", "copilot/copilot-instructions.md"),
    ("windsurf-rules", "home/.codeium/windsurf/memories/global_rules.md"),
    ("claude-memory", "claude/projects/*/memory/*.md"),
    ("codex-memory", "codex/memories/MEMORY.md"),
    ("codex-memory", "codex/memories/memory_summary.md"),
    ("claude-mem", "home/.claude-mem/claude-mem.db"),
    ("engram", "home/.engram/engram.db"),
    ("basic-memory", "home/basic-memory/*.md"),
    ("basic-memory", "home/basic-memory/*/*.md"),
    ("basic-memory", "home/basic-memory/*/*/*.md"),
)
_KINDS_FOR_ALL = ("claude-md", "agents-md", "gemini-md", "copilot-instructions", "windsurf-rules")


def find_memory_files(
    environ: Mapping[str, str], project: Path | None
) -> Iterator[tuple[str, Path]]:
    """Yield kind and path of every file: the operator's own first, then the project's."""
    bases = _find_base_folders(environ)
    for kind, place in OPERATOR_FILES:
        base, _, rest = place.partition("/")
        yield from ((kind, path) for path in _list_matches(bases[base], rest))
    if project is not None:
        yield from find_project_files(project)


def find_project_files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield kind and path of the files in a project's folder."""
    for kind, place in PROJECT_FILES:
        yield from ((kind, path) for path in _list_matches(folder, place))


def is_for_all_projects(path: Path, environ: Mapping[str, str]) -> bool:
    """Whether a file is one of the operator's own, for all projects."""
    bases = _find_base_folders(environ)
    return any(
        path.absolute().match(str(bases[base] / rest))
        for kind, place in OPERATOR_FILES
        if kind in _KINDS_FOR_ALL
        for base, _, rest in [place.partition("/")]
    )


def _list_matches(base: Path, place: str) -> list[Path]:
    try:
        return sorted(
            path
            for path in base.glob(place)
            if path.is_file() and (not path.is_symlink() or "*" not in place)
        )
    except OSError:
        return []


def _find_base_folders(environ: Mapping[str, str]) -> dict[str, Path]:
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or "/nowhere")
    return {
        "home": home,
        "config": find_xdg_folder(environ, "XDG_CONFIG_HOME", home),
        "claude": Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude"),
        "codex": Path(environ.get("CODEX_HOME") or home / ".codex"),
        "copilot": Path(environ.get("COPILOT_HOME") or home / ".copilot"),
    }
