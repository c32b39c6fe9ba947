"""What is marked as private is not there afterwards; what only speaks of the mark stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.text.private_blocks import (
    PRIVATE,
    remove_private,
    remove_private_in_original,
    remove_private_in_value,
)

HIDDEN = [
    ("a <private>b</private> c", f"a {PRIVATE} c"),
    ("<PRIVATE>b</Private>", PRIVATE),
    ('<private why="salary">b</private>', PRIVATE),
    ("a <private>b\nc", f"a {PRIVATE}"),
    ("<private>a<private>b</private>c</private>d", f"{PRIVATE}d"),
    ("<private>a</private><private>b</private>", PRIVATE * 2),
    ("<private>\n```\ncode\n```\n</private> after", f"{PRIVATE} after"),
    ("```\nnever closed <private>b</private>", f"```\nnever closed {PRIVATE}"),
    ("`a` <private>b</private> `c`", f"`a` {PRIVATE} `c`"),
    ("stray </private> and <private>b</private>", f"stray </private> and {PRIVATE}"),
]
TALK = [
    "wrap it in `<private>` and `</private>`",
    "```html\n<private>b</private>\n```\nis how it is written",
    "~~~\n`x`\n<private>\n~~~",
    "a private thing, <privately> said, x < private > y",
    "</private>",
]


@pytest.mark.parametrize(("text", "left"), HIDDEN)
def test_a_private_block_is_left_out(text: str, left: str) -> None:
    assert remove_private(text) == left


@pytest.mark.parametrize("text", TALK)
def test_what_only_speaks_of_the_mark_stays(text: str) -> None:
    assert remove_private(text) == text


def test_text_without_the_mark_comes_back_as_the_same_object() -> None:
    text = "nothing to hide"
    assert remove_private(text) is text


def test_nested_data_is_looked_through() -> None:
    value = {"answers": ["<private>b</private>", 1], "questions": {"q": "a <private>b"}}
    assert remove_private_in_value(value) == {
        "answers": [PRIVATE, 1],
        "questions": {"q": f"a {PRIVATE}"},
    }


def test_an_original_in_json_loses_blocks_to_the_end_of_their_string() -> None:
    lines = [{"text": 'say "a" <private>b\n"c"</private> d'}, {"text": "<private>b", "other": "e"}]
    raw = "\n".join(map(json.dumps, lines))
    left = [json.loads(line) for line in remove_private_in_original(raw).split("\n")]
    assert left == [{"text": f'say "a" {PRIVATE} d'}, {"text": PRIVATE, "other": "e"}]
    escaped = raw.replace("<", "\\u003c").replace(">", "\\u003e")
    assert "b" not in json.loads(remove_private_in_original(escaped).split("\n")[1])["text"]


pieces = st.lists(
    st.sampled_from(["<private>", "</private>", "`", "```\n", "\n", "word ", "<private x>", "~~~"]),
    max_size=12,
).map("".join)


@given(pieces)
def test_leaving_out_twice_is_leaving_out_once(text: str) -> None:
    once = remove_private(text)
    assert remove_private(once).count("word") <= once.count("word")
    assert "secret" not in remove_private(
        f"{text.replace('`', '').replace('~', '')}<private>secret"
    )


@pytest.mark.parametrize(
    "unit",
    [
        "<private>",
        "</private>",
        "`a` <private></private>",
        "```\n",
        "```a\n",
        "<private ",
        "`",
        "<private>```\n",
    ],
)
def test_the_work_grows_with_the_text_and_no_faster(unit: str) -> None:
    assert len(remove_private(unit * (400_000 // len(unit)))) <= 800_000
