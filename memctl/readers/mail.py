"""Read e-mail: one message (`.eml`) or a mailbox (`mbox`).

Each thread is a conversation in which everybody speaks under their address. Quotations, signatures,
the footers of lists and the marks of mail programs are not the writer's words. Attachments are
named and not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC
from email.utils import parseaddr, parsedate_to_datetime

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Role, Transcript
from memctl.core.typing_lite import ClassVar
from memctl.readers.base import Input, make_digest_id
from memctl.readers.chats import build_chat
from memctl.readers.mime import ParsedMail, parse_mail
from memctl.readers.text_document import blank_out_contexts
from memctl.readers.turns import Turns
from memctl.readers.values import as_name, clean_text, parse_time

_MAIL_FIELD = compile_later(
    rb"(?i)(?:from|to|cc|subject|date|message-id|received|mime-version|return-path|delivered-to"
    rb"|content-type|reply-to|x-[\w-]{1,60}):"
)
_MBOX_MARK = compile_later(rb"From \S{1,200}.{0,100}\d{4}(?: [+-]\d{4})?")
_ESCAPED_MARK = compile_later(rb">{1,20}From ")
# Bytes of a message that are read; attachments are not needed.
_MOST_MESSAGE_BYTES = 32 << 20
_ID = compile_later(r"<([^<>\s]{1,300})>")
_ADDRESS = compile_later(r"[^\s<>@\"',;:]{1,100}@[^\s<>@\"',;:]{1,200}")
_REPLY_PREFIX = compile_later(
    r"\s{0,4}(?:re|aw|antw|sv|vs|rif|ref|r|odp|fwd?|wg|tr|rv|enc"
    r"|doorst)(?:\[\d{1,3}\])?\s?:\s{0,4}",
    re.IGNORECASE,
)
_MACHINE_ADDRESS = compile_later(
    r"(?:no-?reply|do-?not-?reply|donotreply|mailer-daemon|postmaster|bounces?)\b.{0,200}@.{0,200}",
    re.IGNORECASE,
)
_QUOTE_INTRODUCTION = compile_later(
    r"(?:on|am|le|el|il|em|op|den|dnia)\b.{4,300}(?:wrote|writes|schrieb.{0,120}|a écrit|escribió"
    r"|ha scritto|escreveu|schreef.{0,120}"
    r"|skrev.{0,120}|napisał.{0,120})\s?:"
    r"|.{1,200}<[^<>\s]{3,200}@[^<>\s]{3,200}>\s(?:wrote|writes|schrieb|a écrit|escribió"
    r"|ha scritto)\s?:",
    re.IGNORECASE,
)
_QUOTE_SEPARATOR = compile_later(
    r"-{2,12}\s?(?:original message|ursprüngliche nachricht|message d'origine|mensaje original"
    r"|messaggio originale|mensagem original"
    r"|oorspronkelijk bericht|forwarded message|weitergeleitete nachricht"
    r"|message transféré)\s?-{0,12}|begin forwarded message:|_{30,200}",
    re.IGNORECASE,
)
_SENT_FROM = compile_later(
    r"(?:sent from (?:my |mail for |outlook|proton|yahoo|samsung|a )|get outlook for "
    r"|von meinem \w{1,20} gesendet|gesendet von "
    r"|envoyé de(?:puis)? mon "
    r"|enviado desde mi |inviato da |enviado do meu |verzonden vanaf mijn "
    r"|verstuurd vanaf mijn ).{0,80}",
    re.IGNORECASE,
)
_OUTLOOK_FROM = compile_later(
    r"\*{0,2}(?:from|von|de|da|van|från):\*{0,2}\s.{1,200}", re.IGNORECASE
)
_OUTLOOK_NEXT = compile_later(
    r"\*{0,2}(?:sent|gesendet|envoyé|enviado|inviato|verzonden|skickat|date|datum|to|an"
    r"|à):\*{0,2}\s.{1,300}",
    re.IGNORECASE,
)
# Lines below `--` at the end of a message that may be a signature. Chosen by hand.
_MOST_SIGNATURE_LINES = 12
# Lines of a file that are looked at to recognize it, and different headers that it needs.
_SNIFFED_LINES = 100
_FEWEST_FIELDS = 3
_SENDER_FIELDS = frozenset((b"from", b"received", b"return-path"))
# Headers that only programs write.
_TRANSPORT_FIELDS = frozenset(
    (b"message-id", b"mime-version", b"received", b"delivered-to", b"content-type")
)
# The nearest ancestors of a message stand last in these headers; more of them are not needed.
_MOST_REFERENCES = 40
_MOST_REPLIED_TO = 4
_MOST_REPLY_PREFIXES = 20
_LONGEST_SUBJECT = 300
# Lines that an introduction such as `On Monday Ines wrote:` may be wrapped into.
_MOST_INTRODUCTION_LINES = 3


class Email:
    """Reader of messages and mailboxes."""

    name: ClassVar[str] = "mail"
    agent: ClassVar[str] = "mail"
    is_chat: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure it is: a line that begins an mbox, or enough headers of mail."""
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").replace(b"\r\n", b"\n")
        lines = text.split(b"\n", _SNIFFED_LINES)[:_SNIFFED_LINES]
        if len(lines) > 1 and _MBOX_MARK.fullmatch(lines[0][:400]) and _is_header_field(lines[1]):
            return 0.97
        fields = set()
        for line in lines:
            if not line.strip():
                break
            if _MAIL_FIELD.match(line):
                fields.add(line.partition(b":")[0].strip().lower())
            elif line[:1] not in (b" ", b"\t") and not _is_header_field(line):
                return 0.0
        if len(fields) < _FEWEST_FIELDS or not fields & _SENDER_FIELDS:
            return 0.0
        if fields & _TRANSPORT_FIELDS:
            return 0.95
        return 0.7 if fields >= {b"from", b"date"} else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the threads in the order in which they begin in the file."""
        threads = _ThreadBuilder()
        for number, lines in _split_messages(source):
            letter = _parse_letter(number, parse_mail(lines))
            if letter is None:
                source.unknown["message"] += 1
            else:
                threads.add(letter)
        if not threads.letters:
            yield build_chat(self, source, Turns(), session_id=None)
        for key, letters in threads.list_threads():
            yield _build_transcript(source, key, letters)


READER = Email()


@dataclass(frozen=True, slots=True)
class Letter:
    """One message of a thread; `answers` are the ids of the messages that it answers.

    `line` is where it begins in the file and `text` what its writer wrote.
    """

    line: int
    writer: str
    role: Role
    ts: str | None
    subject: str
    text: str
    files: list[str]
    own_id: str
    answers: list[str]


def _is_header_field(line: bytes) -> bool:
    name = line[:100].partition(b":")[0]
    return b":" in line[:100] and bool(name) and b" " not in name.strip() and name.isascii()


def _split_messages(source: Input) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the first line number and the lines of each message.

    A message over 32 MiB loses its end.
    """
    message: list[bytes] = []
    start, size = 1, 0
    is_after_blank, is_mbox = True, False
    for number, raw in source.read_lines():
        line = raw.rstrip(b"\r\n")
        if is_after_blank and line.startswith(b"From ") and _MBOX_MARK.fullmatch(line[:400]):
            if message:
                yield start, message
            message, start, size = [], number + 1, 0
            is_after_blank, is_mbox = False, True
            continue
        is_after_blank = not line
        size += len(line) + 1
        if size >= _MOST_MESSAGE_BYTES or not (message or line.strip(b"\xef\xbb\xbf \t")):
            continue
        if is_mbox and _ESCAPED_MARK.match(line):
            line = line[1:]
        elif not message:
            line = line.removeprefix(b"\xef\xbb\xbf")
        message.append(line)
    if message:
        yield start, message


def _parse_letter(number: int, mail: ParsedMail) -> Letter | None:
    headers = mail.headers
    if not headers.keys() & {"from", "sender", "subject", "date", "message-id"}:
        return None
    senders = map(headers.get, ("from", "sender", "reply-to", "return-path"))
    address = _find_address(next(filter(None, senders), ""))
    is_automatic = headers.get("auto-submitted", "no").strip().lower() not in ("no", "")
    by_machine = is_automatic or _MACHINE_ADDRESS.fullmatch(address) is not None
    subject = clean_text(headers.get("subject", ""))[:_LONGEST_SUBJECT]
    date = headers.get("date", "")
    own_ids = _ID.findall(headers.get("message-id", ""))
    references = _ID.findall(headers.get("references", ""))[-_MOST_REFERENCES:]
    replied_to = _ID.findall(headers.get("in-reply-to", ""))[:_MOST_REPLIED_TO]
    gmail_thread = headers.get("x-gm-thrid", "").strip()[:40]
    return Letter(
        line=number,
        writer=address,
        role="system" if by_machine else "human",
        ts=_parse_date(date),
        subject=subject,
        text=remove_quotes(blank_out_contexts(mail.text)),
        files=mail.files,
        own_id=own_ids[0] if own_ids else make_digest_id("mail", f"{address} {date} {subject}"),
        answers=[*references, *replied_to, *([f"gm:{gmail_thread}"] if gmail_thread else [])],
    )


def _find_address(sender: str) -> str:
    """Return the address of a sender in lower case, or the name if there is no address."""
    name, address = parseaddr(sender[:400])
    found = _ADDRESS.search(address) or _ADDRESS.search(sender[:400])
    return found[0].lower() if found else as_name(name) or as_name(sender[:100]) or "unknown"


def _parse_date(date: str) -> str | None:
    try:
        moment = parsedate_to_datetime(date[:100])
        return parse_time((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat())
    except (ValueError, TypeError, OverflowError, IndexError, AttributeError):
        return None


class _ThreadBuilder:
    """Joins messages that answer each other, in the order in which they are added.

    A message that answers by its subject alone joins the last thread with that subject.
    """

    def __init__(self) -> None:
        self.letters: list[Letter] = []
        self.above: dict[str, str] = {}
        self.by_subject: dict[str, str] = {}

    def add(self, letter: Letter) -> None:
        """Put a message into its thread."""
        self.letters.append(letter)
        bare, is_answer = _strip_subject(letter.subject)
        earlier = self.by_subject.get(bare.lower())
        for other in letter.answers or ([earlier] if is_answer and earlier else []):
            first, second = self._find_root(letter.own_id), self._find_root(other)
            if first != second:
                self.above[first] = second
        self.by_subject[bare.lower()] = letter.own_id

    def list_threads(self) -> Iterator[tuple[str, list[Letter]]]:
        """Yield the key and the messages of each thread, sorted by time."""
        threads: dict[str, list[Letter]] = {}
        for letter in self.letters:
            threads.setdefault(self._find_root(letter.own_id), []).append(letter)
        for letters in threads.values():
            by_id = {letter.own_id: letter for letter in reversed(letters)}
            ordered = sorted(by_id.values(), key=lambda each: (each.ts or "", each.line))
            first = ordered[0]
            # Messages kept in files of their own stay apart, though they answer each other.
            is_single = len(self.letters) == 1 or not first.answers
            yield first.own_id if is_single else first.answers[0], ordered

    def _find_root(self, key: str) -> str:
        path = []
        while key in self.above:
            path.append(key)
            key = self.above[key]
        for each in path:
            self.above[each] = key
        return key


def _strip_subject(subject: str) -> tuple[str, bool]:
    """Remove what mail programs put before a subject; also return whether there was any."""
    bare, count = subject, 0
    while count < _MOST_REPLY_PREFIXES and (found := _REPLY_PREFIX.match(bare)):
        bare, count = bare[found.end() :], count + 1
    return bare.strip(), count > 0


def _build_transcript(source: Input, key: str, letters: list[Letter]) -> Transcript:
    turns = Turns()
    for letter in letters:
        data = {"attached": letter.files} if letter.files else None
        turns.add(
            letter.role,
            "text",
            letter.text,
            ts=letter.ts,
            speaker=letter.writer,
            line=letter.line,
            data=data,
        )
    title = as_name(_strip_subject(letters[0].subject)[0])
    return build_chat(READER, source, turns, session_id=make_digest_id("mail", key), title=title)


def remove_quotes(text: str) -> str:
    """Keep what the writer of a message wrote in it."""
    lines = text.split("\n")
    own_lines: list[str] = []
    index = 0
    while index < len(lines):
        line = lines[index].rstrip()
        bare = line.strip()
        if _ends_own_words(lines, index, line, bare):
            break
        skipped = _count_introduction_lines(lines, index)
        if skipped:
            index += skipped
            if not _is_quotation_next(lines, index):
                break
            continue
        if not bare.startswith(">") and not _SENT_FROM.fullmatch(bare[:200]):
            own_lines.append(line)
        index += 1
    return "\n".join(own_lines).strip()


def _ends_own_words(lines: list[str], index: int, line: str, bare: str) -> bool:
    """Whether the writer's words end here: at a signature, a footer or an earlier message."""
    is_near_end = len(lines) - index <= _MOST_SIGNATURE_LINES
    if lines[index] in ("-- ", "--\u00a0") or (line == "--" and is_near_end):
        return True
    if bare.startswith("-----BEGIN PGP SIGNATURE"):
        return True
    if bare[:1] in ("-", "_", "B", "b") and _QUOTE_SEPARATOR.fullmatch(bare[:300]):
        return True
    following = lines[index + 1].strip() if index + 1 < len(lines) else ""
    return bool(_OUTLOOK_FROM.fullmatch(bare[:300]) and _OUTLOOK_NEXT.fullmatch(following[:400]))


def _count_introduction_lines(lines: list[str], index: int) -> int:
    """Count the lines that say who wrote what is quoted next, at most three."""
    joined = ""
    for count in range(1, _MOST_INTRODUCTION_LINES + 1):
        if index + count > len(lines) or not lines[index + count - 1].strip():
            return 0
        joined = f"{joined} {lines[index + count - 1].strip()}".strip()[:400]
        if joined.startswith(">"):
            return 0
        if joined.endswith(":") and _QUOTE_INTRODUCTION.fullmatch(joined):
            return count
    return 0


def _is_quotation_next(lines: list[str], index: int) -> bool:
    following = next((line for line in lines[index : index + 4] if line.strip()), "")
    return following.lstrip().startswith(">")
