"""Every line of a Markdown text is one thing, and nothing in a fence is anything but code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.text.markdown_lines import (
    BLANK,
    FENCE_CLOSE,
    FENCE_OPEN,
    FENCED,
    HEADING,
    LIST_ITEM,
    RULE,
    TABLE_ROW,
    TEXT,
    classify_lines,
    classify_text,
)

KINDS = {BLANK, FENCE_OPEN, FENCED, FENCE_CLOSE, HEADING, LIST_ITEM, RULE, TABLE_ROW, TEXT}
PIECES = [
    *["```", "````", "~~~", "`", "py", "# ", "## Tides", "- ", "2. ", "* ", "> ", ">", "| a |"],
    *["---", "===", "words", " ", "    ", "\t", "\n", "\n", "\n\n", "\r", "\u00a0", "\x0b"],
]
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60)


def kinds_of(text: str) -> list[str]:
    return [line.kind for line in classify_text(text)]


@pytest.mark.parametrize(
    ("line", "kind", "content"),
    [
        ("", BLANK, ""),
        ("  \t", BLANK, ""),
        ("High tide at noon.", TEXT, "High tide at noon."),
        ("# Tides", HEADING, "Tides"),
        ("   ### Tides ###", HEADING, "Tides"),
        ("# Written in C#", HEADING, "Written in C#"),
        ("    # Tides", TEXT, "# Tides"),
        ("#tides", TEXT, "#tides"),
        ("####### Tides", TEXT, "####### Tides"),
        ("# #", TEXT, "# #"),
        ("# " + "x" * 301, TEXT, "# " + "x" * 301),
        ("- a boat", LIST_ITEM, "a boat"),
        ("        * a boat", LIST_ITEM, "a boat"),
        ("12) a boat", LIST_ITEM, "a boat"),
        ("-a boat", TEXT, "-a boat"),
        ("1234. a boat", TEXT, "1234. a boat"),
        ("| tide | hour |", TABLE_ROW, "| tide | hour |"),
        ("---", RULE, "---"),
        ("* * *", RULE, "* * *"),
        ("- ===", RULE, "==="),
        ("-*-", TEXT, "-*-"),
        ("> words", TEXT, "words"),
        ("> > # Tides", HEADING, "Tides"),
        ("```py title", FENCE_OPEN, "py title"),
        ("~~~ a`b", FENCE_OPEN, "a`b"),
        ("```inline``` code", TEXT, "```inline``` code"),
        ("``", TEXT, "``"),
        ("    ```", TEXT, "```"),
        ("- ```py", FENCE_OPEN, "py"),
    ],
)
def test_one_line_is_what_its_marks_say(line: str, kind: str, content: str) -> None:
    (found,) = classify_text(line)
    assert (found.kind, found.content) == (kind, content)


def test_level_indent_number_and_quotation_are_told() -> None:
    heading, item, quoted = classify_text("### Tides\n\t1. a boat\n> >   - a boat")
    assert heading.level == 3
    assert (item.indent, item.is_ordered, item.quote_depth) == (4, True, 0)
    assert (quoted.indent, quoted.is_ordered, quoted.quote_depth) == (2, False, 2)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("````\n```\ninner\n```\n````\nafter", [FENCE_OPEN, *[FENCED] * 3, FENCE_CLOSE, TEXT]),
        ("```\n`````  \nafter", [FENCE_OPEN, FENCE_CLOSE, TEXT]),
        ("```\n~~~\n```", [FENCE_OPEN, FENCED, FENCE_CLOSE]),
        ("```\n```py\n```", [FENCE_OPEN, FENCED, FENCE_CLOSE]),
        ("```\n    ```\n   ```", [FENCE_OPEN, FENCED, FENCE_CLOSE]),
        ("```\n# never closed", [FENCE_OPEN, FENCED]),
        ("> ```\n> # code\n\n# Tides", [FENCE_OPEN, FENCED, BLANK, HEADING]),
        ("> ```\n> code\n> ```\n> words", [FENCE_OPEN, FENCED, FENCE_CLOSE, TEXT]),
    ],
)
def test_a_fence_ends_where_commonmark_says(text: str, kinds: list[str]) -> None:
    assert kinds_of(text) == kinds


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("1. run\n\n   ```\n   x\n   ```", [LIST_ITEM, BLANK, FENCE_OPEN, FENCED, FENCE_CLOSE]),
        ("- a\n  - b\n    ```\n    ```", [LIST_ITEM, LIST_ITEM, FENCE_OPEN, FENCE_CLOSE]),
        ("- a\n\nb\n    ```", [LIST_ITEM, BLANK, TEXT, TEXT]),
        ("1.  a\nlazy\n    ```", [LIST_ITEM, TEXT, FENCE_OPEN]),
        ("- a\n  ```\nsloppy\n  ```\nb", [LIST_ITEM, FENCE_OPEN, FENCED, FENCE_CLOSE, TEXT]),
        ("- ```\n  x\n  ```\n- b", [FENCE_OPEN, FENCED, FENCE_CLOSE, LIST_ITEM]),
        (" * ```\n * x\n */", [FENCE_OPEN, LIST_ITEM, TEXT]),
    ],
)
def test_a_fence_in_a_list_is_measured_from_its_item(text: str, kinds: list[str]) -> None:
    assert kinds_of(text) == kinds


@given(texts)
def test_the_lines_cover_the_text_exactly(text: str) -> None:
    lines = list(classify_text(text))
    assert "\n".join(line.text for line in lines) == text
    assert all(text[line.start : line.end] == line.text for line in lines)
    assert all(line.content in line.text and line.kind in KINDS for line in lines)


@given(texts)
def test_lines_and_their_text_are_classified_alike(text: str) -> None:
    assert list(classify_lines(text.split("\n"))) == list(classify_text(text))


@given(texts)
def test_code_stands_only_between_an_opening_and_a_closing_fence(text: str) -> None:
    is_open = False
    for line in classify_text(text):
        if line.kind in (FENCED, FENCE_CLOSE):
            assert is_open
        is_open = line.kind in (FENCE_OPEN, FENCED)


@given(st.lists(st.sampled_from(PIECES).filter(lambda piece: "\n" not in piece), max_size=20))
def test_nothing_in_a_fence_is_a_heading_or_an_item(pieces: list[str]) -> None:
    inner = [piece.replace("~", "-") for piece in pieces]
    kinds = kinds_of("\n".join(["~~~~~~~~", *inner, "~~~~~~~~", "# Tides"]))
    assert kinds == [FENCE_OPEN, *[FENCED] * len(inner), FENCE_CLOSE, HEADING]


@given(texts)
def test_every_line_may_be_quoted(text: str) -> None:
    quoted = "\n".join(f"> {line}" for line in text.split("\n"))
    for line, plain in zip(classify_text(quoted), classify_text(text), strict=True):
        assert line.quote_depth == plain.quote_depth + 1
        assert (line.kind, line.content) == (plain.kind, plain.content)


@pytest.mark.parametrize(
    "unit", ["> ", ">", "- ", "#", "# ", "`", "```\n", "- ```\n", "-\t", " ", "  - a\n", "- " * 50]
)
def test_a_megabyte_of_marks_is_classified_in_passing(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert sum(len(line.text) + 1 for line in classify_text(text)) == len(text) + 1


def test_a_pasted_page_with_fences_of_a_language_stays_inside_its_fence() -> None:
    page = "```\n# Page\n```json\n{}\n```\nwords\n```text\nlog\n```\n```\nOutside."
    lines = list(classify_text(page))
    assert [line.is_code for line in lines] == [True] * 10 + [False]
    assert lines[9].kind == FENCE_CLOSE


def test_a_fence_that_only_shows_an_opening_one_ends_at_the_next() -> None:
    lines = list(classify_text("```\n```json\n```\nOutside."))
    assert [line.is_code for line in lines] == [True, True, True, False]
