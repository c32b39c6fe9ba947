"""Read a chat that was saved from Signal as text: `[2026-03-04, 10:05] Name: text`.

It is read like WhatsApp's. Signal's exporters agree on this one spelling, which has no seconds.
"""

from __future__ import annotations

from memctl.core.typing_lite import ClassVar
from memctl.readers.dated_lines import parse_header
from memctl.readers.text_document import decode_head
from memctl.readers.whatsapp import WhatsApp


class Signal(WhatsApp):
    """Reader of Signal's text exports."""

    name: ClassVar[str] = "signal"
    agent: ClassVar[str] = "signal"

    def sniff(self, head: bytes, name: str) -> float:
        """Return a little more than WhatsApp's reader does, for this spelling only."""
        first = next((line for line in decode_head(head).split("\n") if line.strip()), "")
        header = parse_header(first)
        if (
            header is None
            or not first.startswith("[")
            or not header.year_first
            or header.sign != "-"
            or header.has_seconds
        ):
            return 0.0
        return min(1.0, super().sniff(head, name) * 1.03)


READER = Signal()
