"""The HTML of a mail gives the words that its writer wrote, whatever the page tries."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.readers.html_text import extract_shown_text, unescape

# A page that is read in linear time takes under a second; rescanning takes minutes.
ENOUGH_SECONDS = 10.0
PIECES = [
    *["<", ">", "/", "=", "'", '"', "&", ";", "#9", "!", "--", "?", " ", "\n", "a", "words"],
    *["<p>", "</p>", "<br>", "<!--", "-->", "<script>", "</script>", "<div hidden>", "</div>"],
    *["<blockquote>", "</blockquote>", "<![CDATA[", "<head>", "<body>", '<a b="'],
]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("", ""),
        ("High <b>ti</b>de.", "High tide."),
        ("<p>High</p><p>tide</p>", "High\ntide"),
        ("<div>High</div><div><br></div><div>tide</div>", "High\n\ntide"),
        ("High<br>tide<br/>now", "High\ntide\nnow"),
        ("<ul><li>High<li>tide</ul>now", "High\ntide\nnow"),
        ("<h1>Tides</h1>High\n   tide", "Tides\nHigh tide"),
        ("<table><tr><td>High</td><td>12:00</td></tr></table>", "High 12:00"),
        ("Ines &amp; Oto &lt;quay&gt; &#228;&nbsp;!", "Ines & Oto <quay> ä\u00a0!"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ('<img alt="a > b">High<img alt="a < b">tide', "Hightide"),
        ('<img src="data:' + "A" * 100_000 + '">High', "High"),
        ("<title>Tides</title>High", "High"),
        ("<head><style>p {}</style></head><body>High", "High"),
        ("<head><title>Tides<body>High", "High"),
        ("High<script>if (a < b) { '<p>' }</script> tide", "High tide"),
        ("High<!-- <p>no</p> --> tide<!-- no", "High tide"),
        ("<!DOCTYPE html><?xml version='1'?><![if mso]>High<![endif]>", "High"),
        ('<div style="color: red; display:none">no</div>High', "High"),
        ("<div hidden>no<div>no</div>no</div>High", "High"),
        ("<p hidden>no<p>High</p>", "High"),
        ('<img hidden>High<input style="display: none">', "High"),
        ("High<blockquote>old<blockquote>older</blockquote>old</blockquote> tide", "High\ntide"),
        ("High<blockquote>old", "High"),
        ('High<div class="gmail_quote gmail_quote_container">On Monday', "High"),
        ('High<div class="x"> tide</div><div id="divRplyFwdMsg">From', "High\ntide"),
    ],
)
def test_a_page_gives_what_it_shows(page: str, text: str) -> None:
    assert extract_shown_text(page) == text


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=200))
def test_any_page_is_read(page: str) -> None:
    assert "<!--" not in extract_shown_text(page)


@given(st.text(alphabet=st.characters(exclude_characters="<&", exclude_categories=["Cs"])))
def test_text_without_marks_stays_as_it_is_but_for_blanks(text: str) -> None:
    assert extract_shown_text(text).split() == text.split()


@pytest.mark.parametrize(
    "piece",
    [
        *[
            "<",
            "<a ",
            "<!--",
            "<!",
            "<?",
            "</",
            "</a ",
            "<![CDATA[",
            "<div>",
            "<a>",
            "&",
            "&#9",
            " ",
        ],
        *['<a b="', "<a b='>", '<a b="> b="', '<a b= "', "<p\t=\t", "<div hidden>", "<br>", "< "],
        *["<blockquote>", "</blockquote>", "<script>", "<script></script", "<title>", "<style>"],
        *["<iframe>", "<textarea>", "<plaintext>", "<svg><![CDATA[", '<div class="', "\"'>"],
    ],
)
def test_a_megabyte_made_to_be_slow_is_read_in_linear_time(piece: str) -> None:
    started = time.process_time()
    extract_shown_text(piece * (1_000_000 // len(piece)))
    assert time.process_time() - started < ENOUGH_SECONDS


@pytest.mark.parametrize("digits", ["9" * 5000, "x" + "f" * 5000, "0" * 5000 + "65"])
def test_a_reference_to_no_character_is_replaced(digits: str) -> None:
    assert unescape(f"a&#{digits};b") == "a\ufffdb"
    assert extract_shown_text(f"a&#{digits};b") == "a\ufffdb"
    assert unescape("a&amp;b&#65;") == "a&bA"
