"""What a folder says about its project: git folder, remote, marker. Reads a few small files; only the root commit asks git."""

from __future__ import annotations

import re
from pathlib import Path

from memctl.data import dataclass

MARKER = ".memctl-project"
_LONGEST_NAME = 100
_GIT_SECONDS = 3
_TEMPORARY_NAMES = {"tmp", "temp", "t"}
# Compiled where they are used: most hooks ask for neither.
_REMOTE = r'\[remote "([^"]+)"\][^\[]*?url\s*=\s*(\S+)'
_SCP = r"^(?:[\w.-]+@)?([\w.-]+):(?!//)(.+)$"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was found at or above a folder; `root` is the folder that the project is rooted in. An empty marker only says where that is."""

    root: Path
    marker: str | None = None
    git_common_dir: str | None = None
    remote: str | None = None

    def aliases(self) -> list[tuple[str, str]]:
        """Aliases by which the project can be recognised, surest first."""
        found = [("marker", self.marker), ("git_common_dir", self.git_common_dir), ("remote", self.remote), ("path", str(self.root))]
        return [(kind, value) for kind, value in found if value]


def look(folder: Path, home: Path) -> Surroundings | None:
    """What a folder belongs to: the nearest marker or git folder at or above it, else itself; None for places that are no project."""
    folder, home = _real(folder), _real(home)
    for place in (folder, *folder.parents):
        if place == home or len(place.parts) < 2:
            break
        marker, common = _marker(place), _git_common_dir(place)
        if marker is not None or common:
            return Surroundings(place, marker, str(common) if common else None, _remote(common) if common else None)
    root = _of_worktree(folder)
    return None if is_no_project(root, home) else Surroundings(root)


def is_no_project(folder: Path, home: Path) -> bool:
    """Whether a folder is too general to be a project: the root, the home folder or above, the folder for temporary files."""
    if folder == home or folder in home.parents or len(folder.parts) < 2:
        return True
    if folder.name.lower() not in _TEMPORARY_NAMES:  # `tempfile` is slow to import
        return False
    import tempfile

    return folder == _real(Path(tempfile.gettempdir()))


def _of_worktree(folder: Path) -> Path:
    """The folder that a worktree which is gone belonged to, as agents name their worktrees; any other folder is its own."""
    for place in (folder, *folder.parents):
        if (place.name == ".worktrees" or place.parts[-2:] == (".claude", "worktrees")) and place != folder and not folder.exists():
            return place.parent if place.name == ".worktrees" else place.parent.parent
    return folder


def normalise_remote(url: str) -> str:
    """A remote URL without protocol, user, port, case of the host and `.git`: the same for ssh and https."""
    text = url.strip()
    scp = re.match(_SCP, text)
    if scp and "://" not in text:
        host, path = scp.groups()
    else:
        rest = text.split("://", 1)[-1]
        host, _, path = rest.partition("/")
        host = host.rpartition("@")[2].partition(":")[0]
    return f"{host.lower()}/{path.strip('/').removesuffix('.git')}"


def root_commit(common_dir: str) -> str | None:
    """The first commit of a repository (the smallest hash where there are several), or None. Runs git once."""
    import subprocess

    command = ["git", f"--git-dir={common_dir}", "rev-list", "--max-parents=0", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_GIT_SECONDS, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return min(done.stdout.split(), default=None)


def _marker(place: Path) -> str | None:
    """The project's name in a marker file: its first line, empty for one that says nothing."""
    text = _read(place / MARKER)
    return None if text is None else " ".join(text.strip().split("\n", 1)[0].split())[:_LONGEST_NAME]


def _git_common_dir(place: Path) -> Path | None:
    """The folder that all worktrees of a repository share."""
    git = place / ".git"
    if _read(git / "HEAD") is not None:
        return _real(git)
    pointer = _read(git)
    if pointer is None or not pointer.startswith("gitdir:"):
        return None
    own = _real(place / pointer.removeprefix("gitdir:").strip())
    shared = _read(own / "commondir")
    return _real(own / shared.strip()) if shared else own


def _remote(common: Path) -> str | None:
    remotes = dict(re.findall(_REMOTE, _read(common / "config") or ""))
    url = remotes.get("origin") or next(iter(remotes.values()), None)
    return None if url is None else normalise_remote(url)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")[:65536]
    except (OSError, ValueError):  # a name with NUL in it is a ValueError
        return None


def _real(path: Path) -> Path:
    """The path without links and `..`, as far as it exists."""
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return path.absolute()
