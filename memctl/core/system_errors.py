"""What an error number of the operating system means for a write."""

from __future__ import annotations

import errno
from os import PathLike

from memctl.core.errors import StoreFull, StoreLocked, StoreReadOnly

# What a system answers where nothing more fits: the disk, the quota, the largest file.
_NO_ROOM_NUMBERS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def explain_failed_write(
    number: int | None, place: PathLike[str] | str | None
) -> StoreLocked | None:
    """Return the error for an error number of the system; None unless room or leave is missing."""
    if number == errno.EROFS:
        told = f"{place or 'the disk'}: the file system is read-only"
        return StoreReadOnly(told, hint="make it writable (`mount` shows how it is mounted)")
    if number not in _NO_ROOM_NUMBERS:
        return None
    reason = "the quota is used up" if number == errno.EDQUOT else "no room is left on the disk"
    return StoreFull(f"{place or 'the disk'}: {reason}", hint="make room, then try again")
