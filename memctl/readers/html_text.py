"""Turn the HTML of a mail into the text that its writer wrote: what the page shows, without quotes.

Scripts, styles, heads, titles and hidden elements show nothing. Block elements and `<br>` break
lines. A quotation in the middle is cut out; one that a mail program marks reaches to the end.

Made for pages that want to do harm. `html.parser` reads the rest of a page again for each tag that
is never closed, so a page of such tags would take it hours. It is therefore given a page without
comments and declarations in which every tag has an end. Then the work grows with the length of the
page.
"""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

from memctl.core.lazy_pattern import compile_later

# Characters; mails of that length hold pictures, not words.
LONGEST_PAGE = 1 << 20
# Elements of which nothing is shown.
_UNSEEN = frozenset(("script", "style", "head", "title", "template"))
# Elements without an end tag (HTML Living Standard, section 13.1.2).
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_BLOCKS = frozenset(
    "address article aside blockquote body center dd div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table "
    "tbody tfoot thead tr ul".split()
)
_CELLS = frozenset(("td", "th"))
# What mail programs call the element that holds the message that is answered.
_QUOTE_CLASSES = (
    "gmail_quote",
    "gmail_extra",
    "yahoo_quoted",
    "moz-cite-prefix",
    "protonmail_quote",
)
_QUOTE_IDS = (
    "divRplyFwdMsg",
    "x_divRplyFwdMsg",
    "appendonsend",
    "mail-editor-reference-message-container",
)
_NOT_DISPLAYED = compile_later(r"(?:^|;)\s{0,8}display\s{0,8}:\s{0,8}none\b", re.IGNORECASE)
_SPACES = compile_later(r"[ \t\r\n\f\v]+")
_DECLARATION = compile_later(r"<(?:[!?]|/[^a-zA-Z])[^<>]*>")
# A `<` that begins no tag, and one that begins a tag without an end before the next tag.
_LONE_ANGLE = compile_later(r"<(?!/?[a-zA-Z])")
_UNENDED_TAG = compile_later(r"<(?![^<>]*>)")
# `html.unescape` raises on numbers of thousands of digits, and no character has more than seven.
_LONG_REFERENCE = compile_later(r"&#[xX]?[0-9a-fA-F]{8,};?")
# Ends an attribute in either kind of quotes, and the tag that it stands in.
_CLOSES_ANY_TAG = "<x \"'>"


def extract_shown_text(page: str) -> str:
    """Return the words that a page shows, one line for each line shown."""
    parser = _ShownText()
    parser.feed(_prepare_page(page[:LONGEST_PAGE]) + _CLOSES_ANY_TAG)
    parser.close()
    return parser.join_lines()


def unescape(text: str) -> str:
    """Decode character references, such as `&amp;`; never raises."""
    return html.unescape(_LONG_REFERENCE.sub("\ufffd", text)) if "&" in text else text


def _prepare_page(page: str) -> str:
    """Leave only text and tags that the parser can read in one pass."""
    page = _SPACES.sub(" ", _remove_comments(page))
    page = _LONE_ANGLE.sub("&lt;", _DECLARATION.sub("", page))
    page = _UNENDED_TAG.sub("&lt;", page)
    return _LONG_REFERENCE.sub("\ufffd", page)


def _remove_comments(page: str) -> str:
    """Cut out comments; one that is never closed reaches to the end."""
    pieces, start = [], 0
    while (opened := page.find("<!--", start)) >= 0:
        pieces.append(page[start:opened])
        closed = page.find("-->", opened)
        start = len(page) if closed < 0 else closed + len("-->")
    return "".join([*pieces, page[start:]])


class _ShownText(HTMLParser):
    """Gathers the lines that a page shows."""

    # Newer Pythons take the text of further elements, such as `iframe`, as it stands.
    CDATA_CONTENT_ELEMENTS = ("script", "style")  # type: ignore[misc]
    RCDATA_CONTENT_ELEMENTS = ()  # type: ignore[misc]

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines: list[str] = []
        self._line: list[str] = []
        # The element that is left out, and how many of its name are open.
        self._left_out = ""
        self._depth = 0
        self._has_ended = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Break lines, and begin to leave out what is not shown or not the writer's."""
        if self._has_ended:
            return
        if self._left_out and not self._ends_left_out(tag):
            self._depth += tag == self._left_out
            return
        values = {name: value or "" for name, value in attrs}
        if _begins_earlier_message(tag, values):
            self._has_ended = True
        elif tag == "blockquote" or _is_unseen(tag, values):
            self._left_out, self._depth = tag, 1
        if tag == "br":
            self._end_line()
        elif tag in _BLOCKS:
            self._start_line()

    def handle_endtag(self, tag: str) -> None:
        """Break lines behind blocks, and end what is left out."""
        if self._has_ended:
            return
        if self._left_out:
            if tag == self._left_out:
                self._depth -= 1
                self._left_out = self._left_out if self._depth else ""
        elif tag in _BLOCKS:
            self._start_line()
        elif tag in _CELLS:
            self._line.append(" ")

    def handle_data(self, data: str) -> None:
        """Add words."""
        if not self._left_out and not self._has_ended:
            self._line.append(data)

    def join_lines(self) -> str:
        """Join all lines, without blanks at their ends."""
        self._start_line()
        return "\n".join(self._lines)

    def _ends_left_out(self, tag: str) -> bool:
        """End what is left out at a start tag that ends it: a head and a `p` need no end tag."""
        is_end = (self._left_out in ("head", "title") and tag == "body") or (
            self._left_out == "p" and tag in _BLOCKS
        )
        if is_end:
            self._left_out, self._depth = "", 0
        return is_end

    def _start_line(self) -> None:
        """Begin a new line unless the one at hand is empty."""
        if any(piece.strip() for piece in self._line):
            self._end_line()

    def _end_line(self) -> None:
        self._lines.append(_SPACES.sub(" ", "".join(self._line)).strip())
        self._line = []


def _is_unseen(tag: str, attributes: dict[str, str]) -> bool:
    if tag in _VOID:
        return False
    is_hidden = "hidden" in attributes or bool(_NOT_DISPLAYED.search(attributes.get("style", "")))
    return is_hidden or tag in _UNSEEN


def _begins_earlier_message(tag: str, attributes: dict[str, str]) -> bool:
    """Whether a mail program put the message that is answered from here on."""
    if tag != "div":
        return False
    classes = attributes.get("class", "").split()
    return attributes.get("id", "").startswith(_QUOTE_IDS) or any(
        name.startswith(_QUOTE_CLASSES) for name in classes
    )
