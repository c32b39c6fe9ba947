"""A page of `memctl help` at a terminal: laid out for its width; Markdown in a pipe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memctl.cli import manual_pages
from memctl.cli.text.pages import render_page

PAGE = """# Tides

The [harbour](harbour.md) has **two** gates, and each of them is opened by the
keeper.

| gate | what it is for | key |
|---|---|---|
| `north|south` | for boats that come in with the tide, and for no others at all | `n` |

```console
a | long line of code that stays as it is, whatever the width of the terminal may be
```

- One gate is
  shut.
"""


def test_tables_and_paragraphs_are_laid_out_for_the_width() -> None:
    assert list(render_page(PAGE, 50)) == [
        "# Tides",
        "",
        "The harbour has two gates, and each of them is",
        "opened by the keeper.",
        "",
        "`north|south`",
        "    for boats that come in with the tide, and for",
        "    no others at all",
        "    key: `n`",
        "",
        "    a | long line of code that stays as it is, whatever the width of the terminal may be",
        "",
        "- One gate is shut.",
    ]


def test_a_table_that_fits_keeps_its_columns() -> None:
    table = "| day | high |\n|---|---:|\n| Monday | 4.1 |\n"
    assert list(render_page(table, 40)) == ["day     high", "Monday  4.1"]


@pytest.mark.parametrize("topic", [name for name, _title in manual_pages.list_topics()])
def test_every_page_fits_eighty_columns(topic: str) -> None:
    page = manual_pages.read_page(topic)
    lines = list(render_page(page, 80))
    # Code is indented, and a name that is longer than the line cannot be broken.
    long = [line for line in lines if len(line) > 80 and line[:4].strip()]
    assert not [line for line in long if " " in line]
    assert page.partition("\n")[0] == lines[0]


def test_only_a_terminal_gets_a_page_laid_out(
    here: Callable[..., Any], pty_memctl: Callable[..., Any]
) -> None:
    assert "| candidate | " in here("help", "words").stdout
    shown = pty_memctl("help", "words")
    assert shown.code == 0 and "| candidate" not in shown.stdout
    assert "candidate" in shown.stdout and max(map(len, shown.stdout.splitlines())) <= 100
