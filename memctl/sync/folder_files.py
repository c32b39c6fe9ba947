"""Files of a shared folder, which others write to: every step goes by open folders, and no link is
followed. So nothing outside of it is read or written, whatever somebody puts there meanwhile.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from memctl.core import clock, process_identity
from memctl.core.frozen import dataclass
from memctl.core.regular_files import read_file_within

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_DRAFT = re.compile(r"\.memctl-(?P<replica>[0-9a-z]+)-(?P<pid>\d{1,10})-[0-9A-Z]{26}\.tmp")
# What file systems answer that cannot wait for the disk, or have no second names for a file.
_CANNOT_WAIT = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF)
_CANNOT_LINK = (errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK)
# What other programs put into every folder.
_LITTER = re.compile(r"[.~].*|desktop\.ini|Thumbs\.db|Icon\r", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name in a folder: `kind` is `file`, `folder` or `other` (a link, a device)."""

    name: str
    kind: str


class SharedFolder:
    """A folder that is held open, and what is in it. Every method raises OSError."""

    def __init__(self, path: Path, replica: str) -> None:
        """`replica` is who writes drafts here; those that it left behind are removed."""
        self._replica = replica.lower()
        self._root = os.open(path, _FOLDER)
        # Who shares a folder with others on one machine marks it by the set-group-id bit.
        shared = os.fstat(self._root).st_mode & stat.S_ISGID
        self._file_mode = 0o660 if shared else 0o600
        self._folder_mode = 0o2770 if shared else 0o700

    def close(self) -> None:
        """Let go of the folder."""
        os.close(self._root)

    def is_there(self) -> bool:
        """Whether the folder that is held open was not deleted meanwhile."""
        return os.fstat(self._root).st_nlink > 0

    def read(self, parts: Sequence[str], name: str, most: int) -> bytes:
        """Return the bytes of a file."""
        with self._enter(parts) as folder:
            return read_file_within(folder, name, most=most)

    def list_names(self, parts: Sequence[str]) -> list[FoundName]:
        """List a folder, in order; nothing, if there is none. What other programs put everywhere is
        left out, and drafts of ours that nobody writes any more are removed.
        """
        found = []
        try:
            with self._enter(parts) as folder, os.scandir(folder) as entries:
                for entry in entries:
                    if _LITTER.fullmatch(entry.name):
                        self._drop_draft(folder, entry.name)
                    else:
                        found.append(FoundName(entry.name, _tell_kind(entry)))
        except FileNotFoundError:
            return []
        return sorted(found, key=lambda each: each.name)

    def write(self, parts: Sequence[str], name: str, content: bytes, *, replace: bool) -> bool:
        """Put a file there, whole or not at all; False if there is one and it may not be replaced.

        The folders above it are made.
        """
        with self._enter(parts, create=True) as folder:
            draft = self._write_draft(folder, content)
            try:
                if replace:
                    os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
                elif not _give_name(folder, draft, name):
                    return False
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(draft, dir_fd=folder)
            _wait_for_disk(folder)
        return True

    def remove(self, parts: Sequence[str], names: Sequence[str]) -> None:
        """Remove files; one that is not there is no fault."""
        with suppress(FileNotFoundError), self._enter(parts) as folder:
            for name in names:
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)
            _wait_for_disk(folder)

    @contextmanager
    def _enter(self, parts: Sequence[str], *, create: bool = False) -> Iterator[int]:
        """Open a folder below this one, step by step, without following a link."""
        handle = os.dup(self._root)
        try:
            for part in parts:
                inner = self._step(handle, part, create)
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)

    def _step(self, folder: int, part: str, create: bool) -> int:
        try:
            return os.open(part, _FOLDER, dir_fd=folder)
        except FileNotFoundError:
            if not create:
                raise
        with suppress(FileExistsError):
            os.mkdir(part, self._folder_mode & 0o777, dir_fd=folder)
            made = os.open(part, _FOLDER, dir_fd=folder)
            with suppress(OSError):
                os.fchmod(made, self._folder_mode)
            os.close(made)
            _wait_for_disk(folder)
        return os.open(part, _FOLDER, dir_fd=folder)

    def _write_draft(self, folder: int, content: bytes) -> str:
        draft = f".memctl-{self._replica}-{os.getpid()}-{clock.new_id()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(draft, flags, self._file_mode, dir_fd=folder)
        try:
            with os.fdopen(handle, "wb") as stream:
                with suppress(
                    OSError
                ):  # What the umask took away; not every file system has modes.
                    os.fchmod(handle, self._file_mode)
                stream.write(content)
                stream.flush()
                _wait_for_disk(handle)
        except BaseException:
            with suppress(OSError):
                os.unlink(draft, dir_fd=folder)
            raise
        return draft

    def _drop_draft(self, folder: int, name: str) -> None:
        """Remove a draft that a process of ours left behind when it was killed."""
        draft = _DRAFT.fullmatch(name)
        if draft is None or draft["replica"] != self._replica:
            return
        if not process_identity.process_exists(int(draft["pid"])):
            with suppress(OSError):
                os.unlink(name, dir_fd=folder)


def _tell_kind(entry: os.DirEntry[str]) -> str:
    if entry.is_file(follow_symlinks=False):
        return "file"
    return "folder" if entry.is_dir(follow_symlinks=False) else "other"


def _give_name(folder: int, draft: str, name: str) -> bool:
    """Give a draft a name that no file has; False if one has it."""
    try:
        os.link(draft, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        return True
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _CANNOT_LINK:
            raise
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        return False
    except FileNotFoundError:
        os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
        return True


def _wait_for_disk(handle: int) -> None:
    """Wait until a file or folder is on the disk, where its file system can tell."""
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _CANNOT_WAIT:
            raise
