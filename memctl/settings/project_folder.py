"""What a folder says about its project: git folder, remote, marker.

Anybody can write these files and ship them in an archive. So a git folder elsewhere counts only if
that git folder itself names the place; everything else is a claim, which the operator confirms.

Reads a few small files; only questions about commits run git.
"""

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
_WORK_TREE = r"(?i)\[core\][^\[]*?\n[ \t]*worktree[ \t]*=[ \t]*\"?([^\n\"]+)"
_MARKED = r"^(project|ignore)[ \t]*:[ \t]*(?:\"([^\"\n]*)\"|'([^'\n]*)'|([^#\n]*))"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was found at or above a folder.

    `root` is the project's main folder (of a worktree, its repository); `marker` is a name, or
    empty if it only says where a project is rooted. `claimed` is a git folder that this one points
    at and that does not know of it. `identities` stay the same when the folder is moved, and no
    copy of it has one of them.
    """

    root: Path
    marker: str | None = None
    git_common_dir: str | None = None
    remote: str | None = None
    ignored: bool = False
    claimed: str | None = None
    identities: tuple[str, ...] = ()

    @property
    def is_rooted(self) -> bool:
        """Whether a marker or a git folder says that a project begins here."""
        return self.marker is not None or bool(self.git_common_dir or self.claimed)

    def aliases(self) -> list[tuple[str, str]]:
        """Return the aliases by which the project can be recognised, what proves it first."""
        claims = [("remote", self.remote), ("marker", self.marker)]
        return [*self.proofs(), *((kind, value) for kind, value in claims if value)]

    def proofs(self) -> list[tuple[str, str]]:
        """Return the aliases that no folder can write about itself."""
        common = [("git_common_dir", self.git_common_dir)] if self.git_common_dir else []
        return [*common, ("path", str(self.root))]


def read_surroundings(folder: Path, home: Path, temporary: Path) -> Surroundings | None:
    """Return what a folder belongs to; None if it can be no project.

    That is the nearest marker or git folder at or above it, else the folder itself. The home
    folder, its parents and the folder for temporary files are no projects: too general, or too
    short-lived.
    """
    if len(str(folder)) > _LONGEST_PATH:
        return None
    folder, home, temporary = _resolve_path(folder), _resolve_path(home), _resolve_path(temporary)
    for place in (folder, *folder.parents):
        if place == home or len(place.parts) < 2:
            break
        marker, (common, claimed) = _read_marker(place), _find_git_folder(place)
        if marker is not None or common or claimed:
            name, ignored = marker or (None, False)
            return Surroundings(
                _find_main_folder(place, common),
                name,
                str(common) if common else None,
                _read_remote(common),
                ignored,
                str(claimed) if claimed else None,
                _identify_folder(place, common),
            )
    root = _find_worktree_owner(folder)
    return (
        None
        if root in (home, *home.parents) or root.is_relative_to(temporary)
        else Surroundings(root)
    )


def _find_main_folder(place: Path, common: Path | None) -> Path:
    """Return the main folder of a repository, also for one of its worktrees."""
    return common.parent if common is not None and common.name in (".git", ".bare") else place


def _find_worktree_owner(folder: Path) -> Path:
    """Return the folder that a deleted worktree belonged to, else the folder itself.

    It is recognised by how agents name their worktrees.
    """
    for place in (folder, *folder.parents):
        if (
            (place.name == ".worktrees" or place.parts[-2:] == (".claude", "worktrees"))
            and place != folder
            and not folder.exists()
        ):
            return place.parent if place.name == ".worktrees" else place.parent.parent
    return folder


def normalise_remote(url: str) -> str:
    """Return a remote URL without protocol, user, port, case of the host and `.git`.

    It is the same for ssh and https.
    """
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


def find_root_commit(common_dir: str) -> str | None:
    """Return the first commit of a repository, or None. Runs git once.

    The smallest hash if there are several. A shallow clone has none: its first commit is where it
    was cut off.
    """
    if os.path.exists(os.path.join(common_dir, "shallow")):
        return None
    done = _run_git(common_dir, "rev-list", "--max-parents=0", "HEAD")
    return min(done.split(), default=None) if done else None


def has_commit(common_dir: str, commit: str) -> bool:
    """Whether a repository has a commit; True if git cannot be asked."""
    return (
        _run_git(common_dir, "cat-file", "-e", commit) is not None
        or _run_git(common_dir, "rev-parse", "HEAD") is None
    )


def _run_git(common_dir: str, *words: str) -> str | None:
    """Return what git prints about a repository, or None if it fails.

    None of the repository's own hooks and helpers are run.
    """
    import subprocess

    command = ["git", f"--git-dir={common_dir}", "-c", "core.fsmonitor=false", *words]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_GIT_SECONDS,
            check=False,
            env=_build_git_environment(),
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _build_git_environment() -> dict[str, str]:
    """Return our environment without variables about another repository.

    A hook of git is run with those.
    """
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


def _read_marker(place: Path) -> tuple[str, bool] | None:
    """Return what a marker file says: the project's name (or empty), and whether memctl is to
    keep out.
    """
    text = _read_file_head(place / MARKER)
    if text is None:
        return None
    said = {
        key: (double or single or plain).strip()
        for key, double, single, plain in re.findall(_MARKED, text, re.M)
    }
    name = "".join(char for char in " ".join(said.get("project", "").split()) if char.isprintable())
    return name[:_LONGEST_NAME], said.get("ignore", "").lower() in ("true", "yes", "on")


def _find_git_folder(place: Path) -> tuple[Path | None, Path | None]:
    """Return the folder that all worktrees of a repository share: as its own, or as a claim."""
    git = place / ".git"
    if _read_file_head(git / "HEAD") is not None:
        own, pointer = _resolve_path(git), None
    else:
        pointer = _read_file_head(git)
        if pointer is None or not pointer.startswith("gitdir:"):
            return None, None
        own = _resolve_path(place / pointer.removeprefix("gitdir:").strip())
    if own.is_relative_to(place):
        # It came with the folder, and cannot be another's.
        return own, None
    shared = _read_file_head(own / "commondir") if own.parent.name == "worktrees" else None
    common = _resolve_path(own / shared.strip()) if shared else own
    if pointer is not None and _knows_place(common, own, place):
        return common, None
    is_worktree = common == own and own.parent.name == "worktrees"
    return None, own.parent.parent if is_worktree else common


def _knows_place(common: Path, own: Path, place: Path) -> bool:
    """Whether the repository names a place as the worktree or submodule that points at it.

    What stands in the place itself proves nothing: its owner wrote it.
    """
    if common != own:
        back = _read_file_head(own / "gitdir")
        if back is None or own.parent != common / "worktrees":
            return False
        return _resolve_path(own / back.strip()).parent == place
    named = re.search(_WORK_TREE, _read_file_head(own / "config") or "")
    return named is not None and _resolve_path(own / named[1].strip()) == place


def _identify_folder(place: Path, common: Path | None) -> tuple[str, ...]:
    """Return the number and the last change of each file that hardly ever changes.

    Both stay when a folder above is renamed or seen through a container, and no copy and no later
    file has them: nobody chooses them. A link has its own.
    """
    git = place / ".git"
    found = [] if git.is_dir() else [_identify_file(git)]
    if common is not None:
        unchanging = _identify_file(common / "description") or _identify_file(common / "config")
        found.append(unchanging)
    elif not git.exists():
        found.append(_identify_file(place / MARKER))
    return tuple(filter(None, found))


def _identify_file(file: Path) -> str | None:
    try:
        found = os.lstat(file)
    except OSError:
        return None
    return f"{found.st_ino}-{found.st_ctime_ns}"


def _read_remote(common: Path | None) -> str | None:
    """Return the remote that identifies a repository: `origin`, else the first.

    A relative path means another repository in each folder, so it does not count.
    """
    remotes = dict(re.findall(_REMOTE, _read_file_head(common / "config") or "")) if common else {}
    url = remotes.get("origin") or next(iter(remotes.values()), None)
    return None if url is None or url.startswith(".") else normalise_remote(url)


def _read_file_head(path: Path) -> str | None:
    """Return the beginning of a regular file; None for pipes and devices, which may block."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with open(path, "rb") as stream:
            return stream.read(_MOST_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
    except (OSError, ValueError):  # a name with NUL in it is a ValueError
        return None


def _resolve_path(path: Path) -> Path:
    """Return the path without links and `..`, as far as it exists, in its file system's
    spelling.
    """
    try:
        return _restore_spelling(path.resolve())
    except (OSError, ValueError, RuntimeError):
        return path.absolute()


def _restore_spelling(path: Path) -> Path:
    """Return the path as its folders spell it, if the file system ignores case (macOS, Windows)."""
    if not _is_same(path, str(path).swapcase()):
        return path
    spelled = Path(path.anchor)
    for part in path.parts[1:]:
        spelled /= next(
            (name for name in os.listdir(spelled) if _fold_name(name) == _fold_name(part)), part
        )
    return spelled


def _is_same(path: Path, other: str) -> bool:
    try:
        return other != str(path) and os.path.samefile(other, path)
    except OSError:
        return False


def _fold_name(name: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFC", name).casefold()
