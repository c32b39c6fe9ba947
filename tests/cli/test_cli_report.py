"""`memctl report`: one page that loads nothing, runs nothing, and keeps words as words."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from memctl.core.model import NewMemory, Place
from memctl.engine.memory_engine import MemoryEngine
from memctl.report.charts import draw_bars, draw_days, draw_graph
from memctl.report.graph_layout import place_nodes

Here = Callable[..., Any]
HOSTILE = "</title><script>alert(1)</script>\"'><img src=//x onerror=alert(2)> &amp; we use tabs"
# What a page may be made of; nothing of it loads or runs anything.
TAGS = set(
    "html head meta title style body header main section h1 h2 p b div span svg rect circle line "
    "text table thead tbody tr th td".split()
)


class Reader(HTMLParser):
    """Notes every tag and attribute, and the words between them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read_page(path: Path) -> tuple[str, Reader]:
    text, reader = path.read_text(encoding="utf-8"), Reader()
    reader.feed(text)
    return text, reader


@pytest.fixture
def filled(db: Path) -> Path:
    with MemoryEngine.open(db, actor="operator") as engine:
        for content in (HOSTILE, "We use spaces in Go files", "We use tabs in Go files"):
            engine.ingest(
                [NewMemory("project", content, scope="global", title=content)], place=Place()
            )
        secret = NewMemory(
            "project", "Codex alone knows this", scope="agent", agent_id="codex", title="Private"
        )
        engine.ingest([secret], place=Place())
        engine.maintain()
        ids = [item.memory.id for item in engine.records.list().items]
        for other in ids[1:]:
            engine.records.link(ids[0], "supports", other)
    return db


def test_a_report_loads_nothing_runs_nothing_and_shows_hostile_words_as_words(
    here: Here, operator: None, filled: Path
) -> None:
    said = here("report")
    path = filled.with_name("report.html")
    assert said.code == 0 and str(path) in said.stdout
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text, reader = read_page(path)
    assert reader.tags <= TAGS and not {name for name in reader.attributes if name[:2] == "on"}
    assert not reader.attributes & {"src", "href", "srcdoc", "style", "action"}
    assert (
        "url(" not in text
        and "@import" not in text
        and "http" not in text.replace("http-equiv", "")
    )
    assert "default-src 'none'; style-src 'sha256-" in text
    assert "prefers-color-scheme:dark" in text
    assert any("<script>alert(1)</script>" in word for word in reader.words)


def test_an_agent_is_shown_nothing_that_is_private_to_another(
    here: Here, operator: None, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here("report", "--out", tmp_path / "mine.html")
    assert ">Private" in (tmp_path / "mine.html").read_text()
    monkeypatch.setenv("MEMCTL_AGENT", "claude-code")
    here("report", "--out", tmp_path / "agents.html")
    assert ">Private" not in (tmp_path / "agents.html").read_text()


def test_a_file_that_is_there_is_replaced_only_if_that_was_said(
    here: Here, filled: Path, tmp_path: Path
) -> None:
    (tmp_path / "x.html").write_text("mine")
    assert here("report", "--out", tmp_path / "x.html").code == 2
    assert (tmp_path / "x.html").read_text() == "mine"
    assert here("report", "--out", tmp_path / "x.html", "--force").code == 0
    assert "<!doctype html>" in (tmp_path / "x.html").read_text()
    assert here("report").code == here("report").code == 0


def test_an_empty_store_has_a_report(here: Here, db: Path) -> None:
    assert here("init").code == 0
    assert here("report").code == 0
    _, reader = read_page(db.with_name("report.html"))
    assert "Nothing yet." in reader.words


def test_where_there_is_no_store_none_is_made(here: Here, db: Path) -> None:
    assert here("report").code == 10
    assert not db.exists() and not db.with_name("report.html").exists()


def test_nodes_stand_in_the_same_places_each_time_and_apart() -> None:
    edges = [(0, 1), (1, 2), (3, 4)]
    places = place_nodes(6, edges)
    assert places == place_nodes(6, edges)
    assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in places)
    assert len({(round(x, 2), round(y, 2)) for x, y in places}) == 6
    assert place_nodes(0, []) == [] and place_nodes(1, []) == [(0.5, 0.5)]


@pytest.mark.parametrize(
    "drawn",
    [
        draw_bars({HOSTILE: 3}),
        draw_days(["2026-01-01"], [("one", HOSTILE, [2])], HOSTILE),
        draw_graph([("record", HOSTILE, HOSTILE), ("entity", "x", "y")], [(0, 1, "other")]),
    ],
    ids=["bars", "days", "graph"],
)
def test_every_chart_escapes_what_it_is_given(drawn: str) -> None:
    assert "<script" not in drawn and "<img" not in drawn
    assert re.search(r'="[^"<>]*"', drawn)
