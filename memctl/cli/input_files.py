"""What commands read: a file that is named on the command line, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memctl.core import regular_files
from memctl.core.errors import UsageError

STDIN = "-"
# What text begins with in other encodings; the longer marks first.
_OTHER_MARKS = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def read_stdin() -> bytes:
    """Return all of standard input; nothing where a person sits at it.

    Raises UsageError if it is too much to be meant.
    """
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    with _told_as_wrong_use("standard input"):
        return regular_files.read_stream(sys.stdin.buffer, "standard input")


def read_file(file: Path) -> bytes:
    """Return the bytes of a file, or of a pipe that the shell has opened. Raises UsageError."""
    file = demand_file(file)
    with _told_as_wrong_use(str(file)):
        if file.is_file():
            return regular_files.read_regular_file(file)
        with regular_files.open_given_file(file) as pipe:
            return regular_files.read_stream(pipe, str(file))


@contextmanager
def _told_as_wrong_use(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from error


def read_piped(error: str, hint: str) -> bytes:
    """Return standard input. Raises UsageError with this message where it is empty."""
    raw = read_stdin()
    if not raw.strip():
        raise UsageError(error, hint=hint)
    return raw


def find_file(file: Path | None) -> Path | None:
    """Return the file that is named; None where standard input is meant. Raises UsageError."""
    return None if file is None or str(file) == STDIN else demand_file(file)


def demand_file(file: Path) -> Path:
    """Return a path, `~` expanded, that is no folder and exists. Raises UsageError."""
    file = file.expanduser()
    if file.is_dir():
        raise UsageError(f"{file}: is a folder; name one file")
    if not file.exists():
        raise UsageError(f"{file}: there is no such file")
    # A pipe that the shell has opened for us ends; a named one or a device may never.
    if not file.is_file() and not str(file).startswith(regular_files.OPENED_BY_SHELL):
        raise UsageError(
            f"{file}: is no regular file", hint="pipe it in, with - in the place of the file's name"
        )
    return file


def read_statement(words: str | None) -> str:
    """Return the statement itself, or what standard input holds.

    Raises UsageError for none, and for bytes that are no text in UTF-8.
    """
    text = decode_text(read_stdin(), "standard input") if words in (None, STDIN) else str(words)
    if not text.strip():
        raise UsageError(
            "nothing to remember", hint='say it: memctl ingest "Tests run with pytest -q"'
        )
    return text.strip()


def read_argument(words: str) -> str:
    """Return a text as it was given, or standard input for `-`. Raises UsageError."""
    if words != STDIN:
        return words
    raw = read_piped("nothing on standard input", "give the text itself, or pipe it in")
    return decode_text(raw, "standard input").strip()


def decode_text(raw: bytes, what: str) -> str:
    """Decode UTF-8, with or without its mark; nothing is replaced. Raises UsageError."""
    demand_no_other_encoding(raw, what)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{what} is not UTF-8: the byte 0x{raw[error.start]:02x} at {error.start}",
            hint="convert it: iconv -f LATIN1 -t UTF-8, or from what it is in",
        ) from error


def demand_no_other_encoding(raw: bytes, what: str) -> None:
    """Raise UsageError for text whose byte order mark tells another encoding than UTF-8."""
    found = next((name for mark, name in _OTHER_MARKS if raw.startswith(mark)), None)
    if found is not None:
        raise UsageError(
            f"{what} is not UTF-8 but {found}", hint=f"convert it: iconv -f {found} -t UTF-8"
        )


def read_text(file: str | None) -> str:
    """Return the text of a file, or of standard input for `-`. Raises UsageError."""
    if file is None:
        raise UsageError("name a file, - for standard input, or --scan for the store")
    raw = read_stdin() if file == STDIN else read_file(Path(file))
    # In another encoding no secret would be recognised; single odd bytes hide none.
    demand_no_other_encoding(raw, "standard input" if file == STDIN else file)
    return raw.decode("utf-8", "surrogateescape")
