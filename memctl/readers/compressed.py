"""Packed transcripts, unpacked as they are read: Zstandard (Codex packs old rollouts) and gzip.

Python unpacks Zstandard since 3.14; before that a package does, which an extra installs.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from io import BufferedIOBase

from memctl.core.errors import PackedFormat
from memctl.core.typing_lite import BinaryIO, cast

GZIP_MAGIC = b"\x1f\x8b"
# Modules with the same interface, in the order in which they are tried.
_ZSTD_MODULES = ("compression.zstd", "backports.zstd")


class Unpacked(BufferedIOBase):
    """A packed stream as it is unpacked; one that is damaged or cut off ends there."""

    def __init__(self, packed: BinaryIO, unpacked: BinaryIO, errors: tuple[type[Exception], ...]):
        self._packed, self._unpacked, self._errors = packed, unpacked, errors

    def read(self, size: int | None = -1, /) -> bytes:
        """Return so many bytes, or what is left."""
        with suppress(*self._errors):
            return self._unpacked.read(-1 if size is None else size)
        return b""

    def readline(self, size: int | None = -1, /) -> bytes:
        """Return the next line of at most so many bytes."""
        with suppress(*self._errors):
            return self._unpacked.readline(-1 if size is None else size)
        return b""

    def close(self) -> None:
        """Close both streams."""
        self._unpacked.close()
        self._packed.close()
        super().close()


def unpack(packed: BinaryIO, head: bytes, name: str) -> BinaryIO:
    """Return the unpacked stream. Raises PackedFormat."""
    if head.startswith(GZIP_MAGIC):
        import gzip
        import zlib

        stream = cast(BinaryIO, gzip.GzipFile(fileobj=packed))
        return cast(BinaryIO, Unpacked(packed, stream, (EOFError, OSError, zlib.error)))
    for module in _ZSTD_MODULES:
        with suppress(ImportError):
            zstd = import_module(module)
            return cast(
                BinaryIO, Unpacked(packed, zstd.ZstdFile(packed), (EOFError, zstd.ZstdError))
            )
    raise PackedFormat(
        f"{name} is compressed with Zstandard, which nothing here unpacks",
        hint="install the extra (pip install 'memctl[zstd]') or unpack it (zstd -d FILE)",
    )
