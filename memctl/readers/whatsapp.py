"""Read a chat that WhatsApp exported as text, or that was copied from its web page.

Exports of telephones of any maker, country and year are known. What the messenger writes is
nobody's words: notices, placeholders for media, deleted messages, the mark of an edited one. Times
are local. If the file does not tell day from month, the order is assumed and counted in `unknown`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript
from memctl.core.typing_lite import ClassVar
from memctl.readers.base import Input
from memctl.readers.chats import build_chat, infer_role
from memctl.readers.dated_lines import DatedHeader, infer_date_order, parse_header, strip_marks
from memctl.readers.text_document import blank_out_contexts, decode_head
from memctl.readers.turns import Turns

# Placeholders in angle brackets are recognised in any language, the rest in the most common ones.
_PLACEHOLDER = compile_later(
    r"<[^<>\n]{2,60}>|null|(?:image|photo|video|audio|sticker|gif|document|contact card|video note"
    r"|media) omitted"
    r"|(?:bild|foto|video|audio|sticker|gif|dokument|kontaktkarte|videonachricht) weggelassen"
    r"|(?:imagen?|foto|video|audio|sticker|gif|documento|imagem|vídeo|figurinha) (?:omitid|ocult"
    r"|omess)[oae]"
    r"|(?:image|vidéo|audio|sticker|gif|document) absente?s?|(?:afbeelding|foto|video|audio"
    r"|sticker|gif|document) weggelaten"
    r"|missed (?:group )?(?:voice|video) call\.?.{0,40}|(?:live location shared"
    r"|location: https?://\S{1,200})",
    re.IGNORECASE,
)
_DELETED = compile_later(
    r"(?:this message was deleted|you deleted this message"
    r"|this message was deleted by admin .{1,60}|waiting for this message.{0,60}"
    r"|diese nachricht wurde gelöscht|du hast diese nachricht gelöscht"
    r"|(?:se )?eliminó este mensaje|se eliminó este mensaje"
    r"|(?:eliminaste este mensaje|este mensaje fue eliminado)|ce message a été supprimé"
    r"|vous avez supprimé ce message"
    r"|questo messaggio è stato eliminato|hai eliminato questo messaggio"
    r"|(?:esta )?mensagem (?:foi )?apagada|você apagou esta mensagem"
    r"|dit bericht is verwijderd|(?:je|u) hebt dit bericht verwijderd)\.?",
    re.IGNORECASE,
)
_EDITED = compile_later(
    r"\s?<[^<>\n]{0,40}(?:edited|bearbeitet|edit[óa]|modifi[éc]|bewerkt)[^<>\n]{0,20}>$",
    re.IGNORECASE,
)
_ATTACHED = compile_later(r"[\w. -]{1,120}\.\w{2,5} \([^()\n]{3,40}\)")
_LOG_LEVEL = compile_later(
    r"(?:[\w.]{1,60}\.)?(?:trace|debug|info|notice|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal"
    r"|alert)",
    re.IGNORECASE,
)
# Lines that are looked at to recognize the format.
_SNIFFED_LINES = 400
# Characters of a line in which what the messenger writes is looked for.
_NOTICE_LENGTH = 300


class WhatsApp:
    """Reader of exported chats."""

    name: ClassVar[str] = "whatsapp"
    agent: ClassVar[str] = "whatsapp"
    is_chat: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure it is of several messages; a log has levels where a chat has names."""
        lines = decode_head(head).split("\n")[:_SNIFFED_LINES]
        headers = list(filter(None, map(parse_header, lines)))
        names = [header.name for header in headers if header.name]
        if not names or any(map(_LOG_LEVEL.fullmatch, names)):
            return 0.0
        return 0.9 if len(headers) > 1 else 0.7

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one chat of the file."""
        messages = list(split_messages(blank_out_contexts(source.read_text())))
        yield build_dated_chat(self, source, messages)


READER = WhatsApp()


@dataclass(frozen=True, slots=True)
class DatedMessage:
    """A message: its first line number, its header, and the lines that continue it."""

    line: int
    header: DatedHeader
    more: list[str]


def split_messages(text: str) -> Iterator[DatedMessage]:
    """Yield the messages of a file; lines before the first header belong to none."""
    message: DatedMessage | None = None
    for number, line in enumerate(text.split("\n"), 1):
        header = parse_header(line)
        if header is not None:
            if message is not None:
                yield message
            message = DatedMessage(number, header, [])
        elif message is not None:
            message.more.append(strip_marks(line))
    if message is not None:
        yield message


def build_dated_chat(reader: WhatsApp, source: Input, messages: list[DatedMessage]) -> Transcript:
    """Build the transcript of these messages."""
    order = infer_date_order([message.header for message in messages])
    if order.assumed:
        source.unknown[f"order of dates, taken to be {order.description}"] += 1
    turns = Turns()
    for message in messages:
        name = message.header.name
        if name is not None:
            turns.add(
                infer_role(name),
                "text",
                extract_typed_text(message),
                ts=order.get_time(message.header),
                speaker=name,
                line=message.line,
            )
    title = source.path.stem if source.path and "whatsapp" in source.path.stem.lower() else None
    return build_chat(
        reader, source, turns, session_id=f"{reader.name}-{title}" if title else None, title=title
    )


def extract_typed_text(message: DatedMessage) -> str:
    """Return what a person typed in a message; empty if the messenger wrote it."""
    first = "" if message.header.own else _EDITED.sub("", message.header.text)
    head = first[:_NOTICE_LENGTH]
    if any(notice.fullmatch(head) for notice in (_PLACEHOLDER, _DELETED, _ATTACHED)):
        first = ""
    return "\n".join([first, *map(_remove_edit_mark, message.more)]).strip("\n")


def _remove_edit_mark(line: str) -> str:
    if not line.endswith(">"):
        return line
    return line[:-_NOTICE_LENGTH] + _EDITED.sub("", line[-_NOTICE_LENGTH:])
