"""Read the files of other programs, and replace them whole or not at all.

A symbolic link stays a link and its target is written; mode and owner stay as they were.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from memctl.core.frozen import dataclass
from memctl.setup.textedit import Unfit

# No settings file is nearly as large; what is, is something else.
_LARGEST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FileState:
    """What is at a path: the file it leads to, its bytes (None without a file), its mode, and why
    it cannot be written.
    """

    path: Path
    real: Path
    data: bytes | None = None
    mode: int | None = None
    problem: str | None = None

    @property
    def text(self) -> str:
        """The bytes as UTF-8, a byte order mark included. Raises Unfit."""
        try:
            return (self.data or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            raise Unfit("it is not UTF-8") from error


def look_at(path: Path) -> FileState:
    """Read what is at a path now."""
    real = Path(os.path.realpath(path))
    try:
        status = os.stat(real)
        problem = _explain_unsuitable(status) or _explain_locked_folder(real.parent)
        data = (
            real.read_bytes()
            if problem is None or (stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST)
            else None
        )
    except FileNotFoundError:
        return FileState(
            path, real, problem=_is_dangling(path, real) or _explain_locked_folder(real.parent)
        )
    except OSError as error:
        return FileState(path, real, problem=f"it cannot be read: {error.strerror}")
    if problem is None and not os.access(real, os.W_OK):
        problem = "it is read-only"
    return FileState(path, real, data, stat.S_IMODE(status.st_mode), problem)


def _explain_unsuitable(status: os.stat_result) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "it is not a file"
    if status.st_size > _LARGEST:
        return "it is too large for a file of settings"
    # Also for a superuser, who could write it: whoever took the right away meant it.
    return None if status.st_mode & 0o222 else "it is read-only"


def _is_dangling(path: Path, real: Path) -> str | None:
    return f"it is a link to {real}, which is not there" if path.is_symlink() else None


def _explain_locked_folder(folder: Path) -> str | None:
    """Say why nothing can be created in a folder or in its nearest existing parent."""
    place = next(place for place in (folder, *folder.parents) if os.path.lexists(place))
    if not place.is_dir():
        return f"{place} is not a folder"
    allowed = os.stat(place).st_mode & 0o222 and os.access(place, os.W_OK | os.X_OK)
    return None if allowed else f"the folder {place} is read-only"


def list_missing_folders(folder: Path) -> list[Path]:
    """The folder and its parents that do not exist, outermost first."""
    return [place for place in (folder, *folder.parents) if not place.exists()][::-1]


def remove_empty_folders(folders: list[Path]) -> list[Path]:
    """Remove the empty folders, innermost first; return those that stay."""
    for folder in sorted(folders, key=lambda place: -len(place.parts)):
        with suppress(OSError):
            folder.rmdir()
    return [folder for folder in folders if folder.is_dir()]


def write_file(spot: FileState, data: bytes | None, *, mode: int = 0o600) -> None:
    """Replace the file's bytes at once, or remove it (None).

    Raises Unfit if the file changed since it was read, and OSError.
    """
    now = look_at(spot.path)
    if (now.data, now.real, now.problem) != (spot.data, spot.real, spot.problem):
        raise Unfit("it was changed in the meantime")
    if data is None:
        spot.real.unlink()
        _sync_folder(spot.real.parent)
        return
    fresh = spot.real.with_name(f".{spot.real.name}.memctl-{os.getpid()}")
    try:
        _write_fresh(fresh, data, mode, spot)
        fresh.replace(spot.real)
    finally:
        fresh.unlink(missing_ok=True)
    _sync_folder(spot.real.parent)


def _write_fresh(fresh: Path, data: bytes, mode: int, spot: FileState) -> None:
    handle = os.open(
        fresh,
        os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW,
        mode if spot.mode is None else 0o600,
    )
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        if spot.mode is not None:
            owner = os.stat(spot.real)
            with suppress(PermissionError):
                os.fchown(stream.fileno(), owner.st_uid, owner.st_gid)
            os.fchmod(stream.fileno(), spot.mode)
        os.fsync(stream.fileno())


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
