"""What a folder says about its project: git folder, remote, marker. Reads a few small files; only what is about commits asks git."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from memctl.core.frozen import dataclass
from memctl.settings import config

# A file in a repository that says what the project is called, or that memctl is to keep out of it.
MARKER = ".memctl.yaml"
_LONGEST_NAME = 100
_GIT_SECONDS = 3
_MOST_BYTES = 65536
# No system has longer paths; one that a transcript claims would be looked for above each of its
# parts.
_LONGEST_PATH = 4096
# A repository that came from somewhere may name a program as its transport; no object is fetched
# for us, by none.
_GIT_ENVIRON = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
# Hosts that also listen elsewhere, and those whose paths are the same in every case.
_OTHER_HOSTS = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
}
_CASELESS_HOSTS = frozenset(_OTHER_HOSTS.values())
# Compiled where they are used: most hooks ask for neither.
_REMOTE = r'(?i)\[remote "([^"]+)"\][^\[]*?\n[ \t]*url[ \t]*=[ \t]*"?([^\s"]+)'
_SCP = r"^(?:[\w.-]+@)?([\w.-]{2,}):(?!//)(.+)$"
_USER = r"(?<![^/])[^/@:]*:[^/@]*@"
_MARKED = r"^(project|ignore)[ \t]*:[ \t]*(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^#\n]*))"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was found at or above a folder. `root` is the project's main folder (a worktree's repository), `marker` a name or empty.

    An empty marker only says where a project is rooted.
    """

    root: Path
    marker: str | None = None
    git_common_dir: str | None = None
    remote: str | None = None
    ignored: bool = False

    def aliases(self) -> list[tuple[str, str]]:
        """Aliases by which the project can be recognised, surest first."""
        found = [
            ("git_common_dir", self.git_common_dir),
            ("remote", self.remote),
            ("path", str(self.root)),
            ("marker", self.marker),
        ]
        return [(kind, value) for kind, value in found if value]


def look(folder: Path, home: Path, temporary: Path) -> Surroundings | None:
    """What a folder belongs to: the nearest marker or git folder at or above it, else itself; None for places that are no project.

    The home folder, what stands above it and what lies in the folder for temporary files is too general, or too short-lived, to be one.
    """
    if len(str(folder)) > _LONGEST_PATH:
        return None
    folder, home, temporary = _real(folder), _real(home), _real(temporary)
    for place in (folder, *folder.parents):
        if place == home or len(place.parts) < 2:
            break
        marker, common = _marker(place), _git_common_dir(place)
        if marker is not None or common:
            name, ignored = marker or (None, False)
            return Surroundings(
                _main_folder(place, common),
                name,
                str(common) if common else None,
                _remote(common),
                ignored,
            )
    root = _of_worktree(folder)
    return (
        None
        if root in (home, *home.parents) or root.is_relative_to(temporary)
        else Surroundings(root)
    )


def _main_folder(place: Path, common: Path | None) -> Path:
    """The folder that a repository is known by: its main one, also when it is seen from one of its worktrees."""
    return common.parent if common is not None and common.name in (".git", ".bare") else place


def _of_worktree(folder: Path) -> Path:
    """The folder that a worktree which is gone belonged to, as agents name their worktrees; any other folder is its own."""
    for place in (folder, *folder.parents):
        if (
            (place.name == ".worktrees" or place.parts[-2:] == (".claude", "worktrees"))
            and place != folder
            and not folder.exists()
        ):
            return place.parent if place.name == ".worktrees" else place.parent.parent
    return folder


def normalise_remote(url: str) -> str:
    """A remote URL without protocol, user, port, case of the host and `.git`: the same for ssh and https."""
    text = re.split("[?#]", url.strip(), maxsplit=1)[0]
    if "://" not in text:
        # However it is written, what stands before the host may be a password.
        head, slash, rest = text.partition("/")
        text = head.rpartition("@")[2] + slash + rest
    scp = re.match(_SCP, text)
    if scp and "://" not in text:
        host, path = scp.groups()
    else:
        rest = text.split("://", 1)[-1]
        if re.match(r"[^/@]+:[^/@]*[^/@\d]", rest):
            # No port: a password with a `/` in it.
            rest = rest.rpartition("@")[2]
        host, _, path = rest.partition("/")
        host = host.rpartition("@")[2].partition(":")[0]
    host = _OTHER_HOSTS.get(host.lower(), host.lower())
    path = re.sub(_USER, "", path.strip("/")).removesuffix(".git")
    return f"{host}/{path.lower() if host in _CASELESS_HOSTS else path}"


def root_commit(common_dir: str) -> str | None:
    """The first commit of a repository (the smallest hash where there are several), or None. Runs git once.

    A shallow clone does not have it: what looks like its first commit is where it was cut off.
    """
    if os.path.exists(os.path.join(common_dir, "shallow")):
        return None
    done = _git(common_dir, "rev-list", "--max-parents=0", "HEAD")
    return min(done.split(), default=None) if done else None


def has_commit(common_dir: str, commit: str) -> bool:
    """Whether a repository holds a commit; True where git cannot be asked."""
    return (
        _git(common_dir, "cat-file", "-e", commit) is not None
        or _git(common_dir, "rev-parse", "HEAD") is None
    )


def _git(common_dir: str, *words: str) -> str | None:
    """What git says about a repository, or None if it fails. None of the repository's own hooks and helpers are run."""
    import subprocess

    command = ["git", f"--git-dir={common_dir}", "-c", "core.fsmonitor=false", *words]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            check=False,
            env=_git_environ(),
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _git_environ() -> dict[str, str]:
    """Our own environment without what git was told about another repository: a hook of git's own is run with that."""
    told = (
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_NAMESPACE",
        "GIT_INDEX_FILE",
        "GIT_SHALLOW_FILE",
        "GIT_GRAFT_FILE",
        "GIT_TRACE",
    )
    return {
        **{
            name: value
            for name, value in config.build_child_environment().items()
            if name not in told
        },
        **_GIT_ENVIRON,
    }


def _marker(place: Path) -> tuple[str, bool] | None:
    """What a marker file says: the project's name (empty if it gives none), and whether memctl is to keep out."""
    text = _read(place / MARKER)
    if text is None:
        return None
    said = {
        key: (double or single or plain).strip()
        for key, double, single, plain in re.findall(_MARKED, text, re.M)
    }
    name = "".join(char for char in " ".join(said.get("project", "").split()) if char.isprintable())
    return name[:_LONGEST_NAME], said.get("ignore", "").lower() in ("true", "yes", "on")


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
    if not _is_own(place, own, is_worktree=bool(shared)):
        return None
    return _real(own / shared.strip()) if shared else own


def _is_own(place: Path, own: Path, *, is_worktree: bool) -> bool:
    """Whether a git folder that a file points at agrees: anybody can write such a file and point at another project's."""
    if not is_worktree:
        return own.name != ".git"
    back = (_read(own / "gitdir") or "").strip()
    # A worktree that was moved by hand is pointed at where it stood.
    return not back or not os.path.exists(back) or _real(Path(back).parent) == place


def _remote(common: Path | None) -> str | None:
    """The remote a repository is known by: `origin`, else its first. One given as a relative path means another in each folder."""
    remotes = dict(re.findall(_REMOTE, _read(common / "config") or "")) if common else {}
    url = remotes.get("origin") or next(iter(remotes.values()), None)
    return None if url is None or url.startswith(".") else normalise_remote(url)


def _read(path: Path) -> str | None:
    """The beginning of a plain file; None for what is none: a pipe would keep us waiting, a device may never end."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with open(path, "rb") as stream:
            return stream.read(_MOST_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
    except (OSError, ValueError):  # a name with NUL in it is a ValueError
        return None


def _real(path: Path) -> Path:
    """The path without links and `..`, as far as it exists, in the spelling of its file system."""
    try:
        return _as_spelled(path.resolve())
    except (OSError, ValueError, RuntimeError):
        return path.absolute()


def _as_spelled(path: Path) -> Path:
    """The path as its folders spell it, where the file system takes other cases for the same (macOS, Windows)."""
    if not _is_same(path, str(path).swapcase()):
        return path
    spelled = Path(path.anchor)
    for part in path.parts[1:]:
        spelled /= next(
            (name for name in os.listdir(spelled) if _folded(name) == _folded(part)), part
        )
    return spelled


def _is_same(path: Path, other: str) -> bool:
    try:
        return other != str(path) and os.path.samefile(other, path)
    except OSError:
        return False


def _folded(name: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFC", name).casefold()
