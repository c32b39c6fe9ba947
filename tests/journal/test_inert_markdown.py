"""Whatever a record says, a real renderer shows it as text: one item of a list, with its id."""

from __future__ import annotations

import random
import re

import pytest
from markdown_it import MarkdownIt

from memctl.journal.inert_markdown import make_inert, make_inert_name

PIECES = (
    "# ## - * _ ** __ ` `` ``` ~ ~~ [ ] ( ) ! < </ <!-- --> <b> </script> http://x.y a word 1. 2) "
    "> | \\ &lt; & ^ $ = == %% [[ ]] [^1] [x]: { } é x_y *a* _b_ <a/href=x> --- *** === + 10)"
).split()
GAPS = ("", " ", "  ", "\n", "\t", "\n\n", "\r\n")
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def compose(draw: random.Random) -> str:
    return "".join(draw.choice(PIECES) + draw.choice(GAPS) for _ in range(draw.randint(1, 12)))


@pytest.mark.parametrize("seed", range(8))
def test_no_text_becomes_markup(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(400):
        text = compose(draw)
        line = make_inert(text)
        if not line:
            continue
        html = RENDERER.render(f"- {line} `01JV3KQX2M`\n")
        inner = re.sub(r"</?(?:ul|li|p|code)>", "", html)
        assert not re.search(r"<[a-zA-Z/!]", inner), (text, line, html)
        assert html.count("<li>") == 1 and "01JV3KQX2M</code>" in html, (text, line, html)


@pytest.mark.parametrize("seed", range(4))
def test_no_name_becomes_markup(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(200):
        html = RENDERER.render(f"## {make_inert_name(compose(draw))}\n")
        inner = re.sub(r"</?h2>", "", html)
        assert not re.search(r"<[a-zA-Z/!]", inner) and html.count("<h2>") == 1, html


def test_code_and_plain_words_stay_as_they_are() -> None:
    for text in (
        "Run `pytest -q` in src/app_one",
        "2 > 1, a < b and x_y",
        "Promise or list[str]",
        "Ports 80-90, 50 %, #42 at $5",
    ):
        assert make_inert(text) == text
