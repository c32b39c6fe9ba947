"""Parse a mail message from its bytes: decoded headers, readable text, names of attachments.

Made for mail that wants to do harm: a message is walked without recursion, to a fixed depth, in
time that grows with its size alone, and nothing in it raises. Header values are cut before the
standard library sees them, because some of its parsers are slow on long ones.
"""

from __future__ import annotations

import binascii
import quopri
import re
from collections.abc import Iterator
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.readers.html_text import extract_shown_text
from memctl.readers.text_document import blank_out_contexts

# Limits against hostile mail, chosen by hand far above what real mail has.
_MOST_DEPTH = 8
_MOST_PARTS = 200
_MOST_HEADER_BYTES = 131_072
# Bytes or characters of one header value.
_LONGEST_VALUE = 2000
_LONGEST_BOUNDARY = 200
_LONGEST_FILE_NAME = 200
_MOST_BODY_BYTES = 1 << 20
_FIELD = compile_later(rb"([!-9;-~]{1,80})[ \t]{0,4}:(.*)")
_KNOWN_HEADERS = frozenset(
    b"from sender reply-to return-path to cc subject date message-id in-reply-to references "
    b"content-type content-transfer-encoding content-disposition auto-submitted x-gm-thrid".split()
)


@dataclass(frozen=True, slots=True)
class ParsedMail:
    """One message: headers by lower-case name, readable text, names of attachments."""

    headers: dict[str, str]
    text: str
    files: list[str]


@dataclass(frozen=True, slots=True)
class _MailPart:
    """A part of a message: its parsed headers, its raw body lines, and how deep it is nested."""

    head: Message
    lines: list[bytes]
    depth: int


def parse_mail(lines: list[bytes]) -> ParsedMail:
    """Parse the lines of one message, given without their line ends."""
    head, body = _split_headers(lines)
    headers = {name.lower(): _decode_header(value) for name, value in head.items()}
    plain: list[str] = []
    pages: list[str] = []
    files: list[str] = []
    for part in _list_leaf_parts(_MailPart(head, body, 0)):
        kind, name = _read_content_type(part.head), _read_file_name(part.head)
        if name is not None or kind not in ("text/plain", "text/html") or _is_attached(part.head):
            files.append(name or kind)
        elif kind == "text/plain":
            plain.append(_decode_body(part))
        else:
            pages.append(extract_shown_text(blank_out_contexts(_decode_body(part))))
    text = "\n".join(piece for piece in plain if piece.strip()) or "\n".join(pages)
    return ParsedMail(headers, text, [name for name in files if name])


def _split_headers(lines: list[bytes]) -> tuple[Message, list[bytes]]:
    """Parse the headers that are needed, long lines joined, and return the lines below."""
    head, name, size = Message(), b"", 0
    values: dict[bytes, bytes] = {}
    index = 0
    while index < len(lines) and size <= _MOST_HEADER_BYTES:
        line = lines[index]
        size += len(line)
        is_continuation = line[:1] in (b" ", b"\t")
        field = None if is_continuation else _FIELD.fullmatch(line[:_LONGEST_VALUE])
        if field is not None:
            name = field[1].lower()
            if name in _KNOWN_HEADERS and name not in values:
                values[name] = field[2].strip()
            else:
                name = b""
        elif not is_continuation or not line.strip():
            break
        elif name and len(values[name]) < _LONGEST_VALUE * 2:
            values[name] += b" " + line.strip()[:_LONGEST_VALUE]
        index += 1
    for key, value in values.items():
        # Message ids are read from the end, where the nearest ancestors stand.
        cut = value[-_LONGEST_VALUE:] if key == b"references" else value[:_LONGEST_VALUE]
        text = cut.decode("utf-8", "replace").replace("\r", " ").replace("\n", " ")
        head[key.decode("ascii", "replace")] = text
    return head, lines[index + 1 :]


def _list_leaf_parts(whole: _MailPart) -> Iterator[_MailPart]:
    """Yield the parts that hold content, in order, all alternatives included."""
    waiting, seen = [whole], 0
    while waiting and seen < _MOST_PARTS:
        part = waiting.pop()
        boundary = _find_boundary(part.head)
        if not boundary or part.depth >= _MOST_DEPTH:
            seen += 1
            yield part
            continue
        inner_parts = _split_at_boundary(part.lines, boundary)[:_MOST_PARTS]
        for lines in reversed(inner_parts):
            head, body = _split_headers(lines)
            waiting.append(_MailPart(head, body, part.depth + 1))


def _find_boundary(head: Message) -> bytes:
    """Return the boundary between the parts of a multipart message; empty for other messages."""
    if not _read_content_type(head).startswith("multipart/"):
        return b""
    boundary = _read_parameter(head, "boundary")
    return boundary.encode("utf-8", "replace")[:_LONGEST_BOUNDARY]


def _split_at_boundary(lines: list[bytes], boundary: bytes) -> list[list[bytes]]:
    """Split lines into the parts between the lines of a boundary."""
    opening, closing = b"--" + boundary, b"--" + boundary + b"--"
    parts: list[list[bytes]] = []
    for line in lines:
        bare = line.rstrip()
        if bare == closing:
            break
        if bare == opening:
            parts.append([])
        elif parts:
            parts[-1].append(line)
    return parts


def _read_content_type(head: Message) -> str:
    value = str(head.get("content-type", "text/plain"))
    kind = value.partition(";")[0].strip().lower()
    return kind if kind.count("/") == 1 else "text/plain"


def _read_parameter(head: Message, name: str, header: str = "content-type") -> str:
    """Return a decoded parameter of a header; empty if there is none or it is broken."""
    try:
        value = head.get_param(name, "", header)
        if isinstance(value, tuple):
            charset, _, text = value
            return text.encode("latin-1", "replace").decode(charset or "utf-8", "replace")
        return str(value)
    except (LookupError, ValueError, TypeError, AttributeError):
        return ""


def _read_file_name(head: Message) -> str | None:
    name = _read_parameter(head, "filename", "content-disposition") or _read_parameter(head, "name")
    return (
        _decode_header(name).replace("\\", "/").rpartition("/")[2].strip()[:_LONGEST_FILE_NAME]
        or None
    )


def _is_attached(head: Message) -> bool:
    return str(head.get("content-disposition", "")).strip().lower().startswith("attachment")


def _decode_body(part: _MailPart) -> str:
    """Undo the transfer encoding and the character set of a part, whatever they claim."""
    raw, size = [], 0
    for line in part.lines:
        size += len(line) + 1
        if size > _MOST_BODY_BYTES:
            break
        raw.append(line)
    body = b"\n".join(raw)
    encoding = str(part.head.get("content-transfer-encoding", "")).strip().lower()
    try:
        if encoding == "base64":
            digits = re.sub(rb"[^A-Za-z0-9+/]", b"", body)
            # A lone digit at the end holds no whole byte.
            end = len(digits) - 1 if len(digits) % 4 == 1 else len(digits)
            body = binascii.a2b_base64(digits[:end] + b"==")
        elif encoding == "quoted-printable":
            body = quopri.decodestring(body)
    except (binascii.Error, ValueError):
        return ""
    return _decode_text(body, _read_parameter(part.head, "charset"))


def _decode_text(body: bytes, charset: str) -> str:
    for name in (charset, "utf-8", "cp1252"):
        try:
            return body.decode(name).replace("\r\n", "\n").replace("\r", "\n")
        except (LookupError, ValueError, TypeError):
            continue
    return body.decode("latin-1")


def _decode_header(value: str) -> str:
    """Decode the encoded words of a header."""
    try:
        return str(make_header(decode_header(value[:_LONGEST_VALUE]))) if "=?" in value else value
    except (MessageError, LookupError, ValueError, TypeError, AssertionError):
        return value
