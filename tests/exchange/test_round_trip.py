"""An export taken into an empty store gives the same export, byte for byte."""

from __future__ import annotations

from pathlib import Path

from memctl.migrate import open_store
from memctl.store import lexical, stream
from tests.exchange.houses import exported, furnished, take


def test_everything_comes_back_byte_for_byte(tmp_path: Path) -> None:
    text = exported(furnished(tmp_path / "a.db"))
    copy = open_store(tmp_path / "b.db", create=True)
    report = take(copy, text)
    assert report.problems == ()
    assert exported(copy) == text
    assert all(counts["inserted"] > 0 for counts in report.counts.values()), "a section without rows proves nothing"


def test_the_copy_can_be_searched_and_its_stream_holds(tmp_path: Path) -> None:
    copy = open_store(tmp_path / "b.db", create=True)
    take(copy, exported(furnished(tmp_path / "a.db")))
    assert lexical.size(copy) == 4
    assert copy.value("lexical.document_frequencies", matches='["{extra} : brass"]') == 0
    assert stream.broken_links(copy) == []
