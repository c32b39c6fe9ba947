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
from typing import ClassVar

from memctl.core.frozen import dataclass
from memctl.core.model import Role, Transcript
from memctl.readers.base import Input, make_digest_id
from memctl.readers.chats import build_chat
from memctl.readers.mime import ParsedMail, parse_mail
from memctl.readers.text_document import blank_out_contexts
from memctl.readers.turns import Turns
from memctl.readers.values import as_name, clean_text, parse_time

_MAIL_FIELD = re.compile(
    rb"(?i)(?:from|to|cc|subject|date|message-id|received|mime-version|return-path|delivered-to"
    rb"|content-type|reply-to|x-[\w-]{1,60}):"
)
_MBOX_MARK = re.compile(rb"From \S{1,200}.{0,100}\d{4}(?: [+-]\d{4})?")
_ESCAPED_MARK = re.compile(rb">{1,20}From ")
_MOST_MESSAGE_BYTES = 32 << 20
_ID = re.compile(r"<([^<>\s]{1,300})>")
_ADDRESS = re.compile(r"[^\s<>@\"',;:]{1,100}@[^\s<>@\"',;:]{1,200}")
_REPLY_PREFIX = re.compile(
    r"\s{0,4}(?:re|aw|antw|sv|vs|rif|ref|r|odp|fwd?|wg|tr|rv|enc"
    r"|doorst)(?:\[\d{1,3}\])?\s?:\s{0,4}",
    re.IGNORECASE,
)
_MACHINE_ADDRESS = re.compile(
    r"(?:no-?reply|do-?not-?reply|donotreply|mailer-daemon|postmaster|bounces?)\b.{0,200}@.{0,200}",
    re.IGNORECASE,
)
_QUOTE_INTRODUCTION = re.compile(
    r"(?:on|am|le|el|il|em|op|den|dnia)\b.{4,300}(?:wrote|writes|schrieb.{0,120}|a écrit|escribió"
    r"|ha scritto|escreveu|schreef.{0,120}"
    r"|skrev.{0,120}|napisał.{0,120})\s?:"
    r"|.{1,200}<[^<>\s]{3,200}@[^<>\s]{3,200}>\s(?:wrote|writes|schrieb|a écrit|escribió"
    r"|ha scritto)\s?:",
    re.IGNORECASE,
)
_QUOTE_SEPARATOR = re.compile(
    r"-{2,12}\s?(?:original message|ursprüngliche nachricht|message d'origine|mensaje original"
    r"|messaggio originale|mensagem original"
    r"|oorspronkelijk bericht|forwarded message|weitergeleitete nachricht"
    r"|message transféré)\s?-{0,12}|begin forwarded message:|_{30,200}",
    re.IGNORECASE,
)
_SENT_FROM = re.compile(
    r"(?:sent from (?:my |mail for |outlook|proton|yahoo|samsung|a )|get outlook for "
    r"|von meinem \w{1,20} gesendet|gesendet von "
    r"|envoyé de(?:puis)? mon "
    r"|enviado desde mi |inviato da |enviado do meu |verzonden vanaf mijn "
    r"|verstuurd vanaf mijn ).{0,80}",
    re.IGNORECASE,
)
_OUTLOOK_FROM = re.compile(r"\*{0,2}(?:from|von|de|da|van|från):\*{0,2}\s.{1,200}", re.IGNORECASE)
_OUTLOOK_NEXT = re.compile(
    r"\*{0,2}(?:sent|gesendet|envoyé|enviado|inviato|verzonden|skickat|date|datum|to|an"
    r"|à):\*{0,2}\s.{1,300}",
    re.IGNORECASE,
)
_SIGNATURE_LINES = 12


class Email:
    """Reader of messages and mailboxes."""

    name: ClassVar[str] = "mail"
    agent: ClassVar[str] = "mail"
    is_chat: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure it is: a line that begins an mbox, or enough headers of mail."""
        lines = (
            head.removeprefix(b"\xef\xbb\xbf")
            .lstrip(b"\r\n")
            .replace(b"\r\n", b"\n")
            .split(b"\n", 100)[:100]
        )
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
        if not fields & {b"from", b"received", b"return-path"}:
            return 0.0
        sure = {
            b"message-id",
            b"mime-version",
            b"received",
            b"delivered-to",
            b"content-type",
        } & fields
        return (
            0.95
            if sure and len(fields) > 2
            else 0.7
            if {b"from", b"date"} <= fields and len(fields) > 2
            else 0.0
        )

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
        yield from (
            _build_transcript(source, key, letters) for key, letters in threads.list_threads()
        )


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
    held: list[bytes] = []
    start, size, blank, is_box = 1, 0, True, False
    for number, raw in source.read_lines():
        line = raw.rstrip(b"\r\n")
        if blank and line.startswith(b"From ") and _MBOX_MARK.fullmatch(line[:400]):
            if held:
                yield start, held
            held, start, size, blank, is_box = [], number + 1, 0, False, True
            continue
        blank = not line
        size += len(line) + 1
        if size < _MOST_MESSAGE_BYTES and (held or line.strip(b"\xef\xbb\xbf \t")):
            held.append(
                line[1:]
                if is_box and _ESCAPED_MARK.match(line)
                else line
                if held
                else line.removeprefix(b"\xef\xbb\xbf")
            )
    if held:
        yield start, held


def _parse_letter(number: int, mail: ParsedMail) -> Letter | None:
    given = mail.headers
    if not given.keys() & {"from", "sender", "subject", "date", "message-id"}:
        return None
    address = _find_address(
        next(filter(None, map(given.get, ("from", "sender", "reply-to", "return-path"))), "")
    )
    by_machine = _MACHINE_ADDRESS.fullmatch(address) or given.get(
        "auto-submitted", "no"
    ).strip().lower() not in ("no", "")
    subject = clean_text(given.get("subject", ""))[:300]
    own = _ID.findall(given.get("message-id", "")) or [
        make_digest_id("mail", f"{address} {given.get('date', '')} {subject}")
    ]
    thread = given.get("x-gm-thrid", "").strip()[:40]
    answers = (
        _ID.findall(given.get("references", ""))[-40:]
        + _ID.findall(given.get("in-reply-to", ""))[:4]
    )
    return Letter(
        line=number,
        writer=address,
        role="system" if by_machine else "human",
        ts=_parse_date(given.get("date", "")),
        subject=subject,
        text=remove_quotes(blank_out_contexts(mail.text)),
        files=mail.files,
        own_id=own[0],
        answers=answers + ([f"gm:{thread}"] if thread else []),
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
            ordered = sorted(
                {letter.own_id: letter for letter in reversed(letters)}.values(),
                key=lambda each: (each.ts or "", each.line),
            )
            # Messages kept in files of their own stay apart, though they answer each other.
            key = (
                ordered[0].own_id
                if len(self.letters) == 1
                else (ordered[0].answers or [ordered[0].own_id])[0]
            )
            yield key, ordered

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
    while count < 20 and (found := _REPLY_PREFIX.match(bare)):
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
    kept: list[str] = []
    place = 0
    while place < len(lines):
        line = lines[place].rstrip()
        bare = line.strip()
        if _ends_own_words(lines, place, line, bare):
            break
        skipped = _count_introduction_lines(lines, place)
        if skipped:
            place += skipped
            if not _is_quotation_next(lines, place):
                break
            continue
        if not bare.startswith(">") and not _SENT_FROM.fullmatch(bare[:200]):
            kept.append(line)
        place += 1
    return "\n".join(kept).strip()


def _ends_own_words(lines: list[str], place: int, line: str, bare: str) -> bool:
    """Whether the writer's words end here: at a signature, a footer or an earlier message."""
    if lines[place] in ("-- ", "--\u00a0") or (
        line == "--" and len(lines) - place <= _SIGNATURE_LINES
    ):
        return True
    if bare[:1] in ("-", "_", "B", "b") and (
        _QUOTE_SEPARATOR.fullmatch(bare[:300]) or bare.startswith("-----BEGIN PGP SIGNATURE")
    ):
        return True
    following = lines[place + 1].strip() if place + 1 < len(lines) else ""
    return bool(_OUTLOOK_FROM.fullmatch(bare[:300]) and _OUTLOOK_NEXT.fullmatch(following[:400]))


def _count_introduction_lines(lines: list[str], place: int) -> int:
    """Count the lines that say who wrote what is quoted next, at most three."""
    joined = ""
    for count in range(1, 4):
        if place + count > len(lines) or not lines[place + count - 1].strip():
            return 0
        joined = f"{joined} {lines[place + count - 1].strip()}".strip()[:400]
        if joined.startswith(">"):
            return 0
        if joined.endswith(":") and _QUOTE_INTRODUCTION.fullmatch(joined):
            return count
    return 0


def _is_quotation_next(lines: list[str], place: int) -> bool:
    following = next((line for line in lines[place : place + 4] if line.strip()), "")
    return following.lstrip().startswith(">")
