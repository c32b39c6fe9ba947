"""Exports come as archives: the conversations in one are captured as if it had been unpacked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path, PurePosixPath

from memctl.core import process_identity
from memctl.core.errors import UnknownFormat, UsageError
from memctl.core.regular_files import WHOLE_BYTES, open_regular_file
from memctl.core.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    import zipfile

_ZIP_MAGIC = b"PK\x03\x04"
# Endings of files that may hold conversations, or say who speaks in them.
_ENDINGS = frozenset({".json", ".jsonl", ".txt", ".md", ".vtt", ".srt", ".eml", ".mbox", ".html"})
# Files of one archive that are unpacked, and their bytes in all. A workspace of ten years has some
# ten thousand files of a day.
_MOST_FILES = 50_000
_MOST_BYTES = 4 * WHOLE_BYTES


def is_zip(path: Path | None) -> bool:
    """Whether a file is an archive; False if it cannot be read."""
    if path is None:
        return False
    try:
        with open_regular_file(path) as stream:
            return stream.read(len(_ZIP_MAGIC)) == _ZIP_MAGIC
    except (OSError, ValueError):
        return False


@contextmanager
def unpack_conversations(archive: Path) -> Iterator[list[tuple[Path, Path]]]:
    """Unpack what may be conversations for the length of the block.

    Yields each file, and what it is called: the archive's path and its own in it. Raises
    UnknownFormat for a damaged or locked archive, UsageError for one that is too large.
    """
    # Few captures meet an archive, and every hook that captures imports this.
    import tempfile
    import zipfile

    with tempfile.TemporaryDirectory(prefix=process_identity.name_temporary()) as private:
        try:
            with zipfile.ZipFile(archive) as packed:
                yield [
                    (_unpack_member(packed, member, Path(private)), archive / member.filename)
                    for member in _list_members(packed, archive)
                ]
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise UnknownFormat(
                f"{archive.name} cannot be unpacked: {error}", hint="unpack it and give its files"
            ) from error


def _list_members(packed: zipfile.ZipFile, archive: Path) -> list[zipfile.ZipInfo]:
    members = [member for member in packed.infolist() if _is_wanted(member)]
    size = sum(member.file_size for member in members)
    if len(members) > _MOST_FILES or size > _MOST_BYTES:
        raise UsageError(
            f"{archive.name} holds {len(members)} files, {size} bytes",
            hint="unpack it and give the files that matter",
        )
    return members


def _is_wanted(member: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(member.filename)
    is_odd = path.is_absolute() or ".." in path.parts or "\\" in member.filename
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return not (member.is_dir() or is_odd or is_hidden) and path.suffix.lower() in _ENDINGS


def _unpack_member(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> Path:
    """Write a member below the folder, no more of it than its size says."""
    import shutil

    place = folder.joinpath(*PurePosixPath(member.filename).parts)
    place.parent.mkdir(parents=True, exist_ok=True)
    with packed.open(member) as source, place.open("wb") as target:
        shutil.copyfileobj(source, target)
    with suppress(ValueError, OverflowError, OSError):
        _keep_time(place, member)
    return place


def _keep_time(place: Path, member: zipfile.ZipInfo) -> None:
    """Give a file the time that the archive has of it, which dates what tells no time itself."""
    moment = datetime(*member.date_time).timestamp()
    os.utime(place, (moment, moment))
