"""What is stored and what is asked become the same words."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl import analyse
from memctl.db import sqlite_library

WORDS = """caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned falling hissing
fizzed failing filing happy sky relational conditional rational valenci hesitanci digitizer conformabli radicalli differentli vileli
analogousli vietnamization predication operator feudalism decisiveness hopefulness callousness formaliti sensitiviti sensibiliti triplicate
formative formalize electriciti electrical hopeful goodness revival allowance inference airliner gyroscopic adjustable defensible irritant
replacement adjustment dependent adoption homologou communism activate angulariti homologous effective bowdlerize probate rate cease
controll roll deploy deployments running database queries pytest12 flying dying café naïve größe x9 yes accessibilityproperties""".split()


@pytest.fixture
def index() -> Iterator[Any]:
    """An empty full-text index that splits and stems as the store's does, with a view of its terms."""
    connection = sqlite_library().connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')")
    connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab (words, 'instance')")
    yield connection
    connection.close()


def terms_of(index: Any, text: str) -> list[str]:
    index.execute("DELETE FROM words")
    index.execute("INSERT INTO words (text) VALUES (?)", (text,))
    return [row[0] for row in index.execute("SELECT term FROM terms ORDER BY offset")]


def test_stems_are_those_of_the_index(index: Any) -> None:
    text = " ".join(WORDS)
    assert analyse.stems(text) == terms_of(index, text)


@given(st.text(st.sampled_from("aeiouybcdglmnstz"), min_size=4, max_size=14))
def test_any_word_has_the_stem_that_the_index_gives_it(word: str) -> None:
    connection = sqlite_library().connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')")
    connection.execute("INSERT INTO words (text) VALUES (?)", (word,))
    stem = analyse.stem(word).replace('"', "")
    connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab (words, 'instance')")
    assert [row[0] for row in connection.execute("SELECT term FROM terms")] == [stem]
    connection.close()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("How do I run the tests?", ["run", "tests"]),
        ("fix c++ in node.js", ["fix", "c", "node.js", "node", "js"]),
        ("snake_case_name", ["snake_case_name", "snake", "case", "name"]),
        ("MaxRetries", ["MaxRetries", "max", "retries"]),
        ("--dry-run", ["dry-run", "dry", "run"]),
        ("what is it", ["what", "is", "it"]),
        ("Kiln kiln KILN", ["kiln"]),
        ("运行测试", ["运行", "行测", "测试"]),
        ("deployment", ["deployment", "deploy"]),
        ("", []),
    ],
)
def test_a_query_becomes_these_terms(text: str, terms: list[str]) -> None:
    assert analyse.query_terms(text) == terms


@given(st.text(st.sampled_from("aZbsy09_-./ éÜßñ\u0301Σ测试テストд한국"), max_size=40))
def test_whatever_is_indexed_is_found_by_each_of_its_own_terms(text: str) -> None:
    connection = sqlite_library().connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')")
    connection.execute("INSERT INTO words (text) VALUES (?)", (analyse.index_text(text),))
    for term in analyse.query_terms(text):
        rows = connection.execute("SELECT count(*) FROM words WHERE words MATCH ?", (analyse.quoted(term),)).fetchone()[0]
        assert (rows == 1) == bool(analyse.found([term], analyse.index_text(text))), term
    connection.close()


def test_a_compound_is_found_only_as_a_phrase() -> None:
    assert analyse.found(["dry-run"], "a dry run of it") == ["dry-run"]
    assert analyse.found(["dry-run"], "run it when dry") == []


def test_a_single_chinese_character_begins_a_word() -> None:
    assert analyse.found(["测"], analyse.index_text("运行测试")) == ["测"]


def test_common_words_are_known_by_their_stem() -> None:
    assert [analyse.is_common(word) for word in ("Files", "running", "kiln", "x")] == [True, True, False, True]


@pytest.mark.parametrize("text", ["a_" * 500_000, "A" * 1_000_000, "aB" * 500_000, "-" * 1_000_000, "测" * 300_000, "a.b-" * 250_000])
def test_a_megabyte_of_hostile_text_takes_seconds_at_most(text: str) -> None:
    started = time.perf_counter()
    analyse.index_text(text)
    analyse.query_terms(text)
    assert time.perf_counter() - started < 8
