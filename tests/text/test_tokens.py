"""What is stored and what is asked become the same words."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.store.database import sqlite_library
from memctl.text import questions, tokens
from memctl.text.porter import stem

WORDS = tuple(
    """caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled
    sized hopping tanned falling hissing fizzed failing filing happy sky relational conditional
    rational valenci hesitanci digitizer conformabli radicalli differentli vileli analogousli
    vietnamization predication operator feudalism decisiveness hopefulness callousness formaliti
    sensitiviti sensibiliti triplicate formative formalize electriciti electrical hopeful goodness
    revival allowance inference airliner gyroscopic adjustable defensible irritant replacement
    adjustment dependent adoption homologou communism activate angulariti homologous effective
    bowdlerize probate rate cease controll roll deploy deployments running database queries pytest12
    flying dying café naïve größe x9 yes accessibilityproperties""".split()
)


@pytest.fixture
def index() -> Iterator[Any]:
    """An empty full-text index that splits and stems as the store's, with a view of its terms."""
    connection = sqlite_library().connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61 "
        "remove_diacritics 2')"
    )
    connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab (words, 'instance')")
    yield connection
    connection.close()


def terms_of(index: Any, text: str) -> list[str]:
    index.execute("DELETE FROM words")
    index.execute("INSERT INTO words (text) VALUES (?)", (text,))
    return [row[0] for row in index.execute("SELECT term FROM terms ORDER BY offset")]


def test_stems_are_those_of_the_index(index: Any) -> None:
    text = " ".join(WORDS)
    assert tokens.list_stems(text) == terms_of(index, text)


@given(st.text(st.sampled_from("aeiouybcdglmnstz"), min_size=4, max_size=14))
def test_any_word_has_the_stem_that_the_index_gives_it(word: str) -> None:
    connection = sqlite_library().connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61 "
        "remove_diacritics 2')"
    )
    connection.execute("INSERT INTO words (text) VALUES (?)", (word,))
    expected = stem(word).replace('"', "")
    connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab (words, 'instance')")
    assert [row[0] for row in connection.execute("SELECT term FROM terms")] == [expected]
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
        ("Marta's kiln and the miller’s dogs", ["marta", "kiln", "miller", "dogs"]),
        ("v1.2.3 raised 0x80070005", ["1.2.3", "raised", "80070005"]),
        ("foo::bar and obj->field", ["foo::bar", "foo", "bar", "obj->field", "obj", "field"]),
        ("what broke on March 5th, 2026?", ["2026-03-05", "broke"]),
        ("wie oft werden die Datenbanken gesichert?", ["oft", "datenbank*", "gesicher*"]),
        ("¿cómo se ejecutan las copias?", ["ejecut*", "copi*"]),
        ("когда перезапускается сервер?", ["перезапуска*", "сервер*"]),
        ("如何清空缓存？", ["清空", "空缓", "缓存"]),
        ("バックアップを取る", ["バッ", "ック", "クア", "アッ", "ップ", "取る"]),
        ("데이터를 어떻게 백업하나요?", ["데이", "이터", "백업"]),
        ("APIキー", ["api", "キー"]),
        ("किताबें कब", ["किताब"]),
        ("does the process die on SIGTERM", ["process", "die", "sigterm"]),
        ("", []),
    ],
)
def test_a_query_becomes_these_terms(text: str, terms: list[str]) -> None:
    assert tokens.extract_query_terms(text) == terms


LETTERS = "aZbsy09_-./ éÜßñ\u0301ΣάдёЙ测试テストがｶﾞＡ한국ที่เา้ສຳក្ខမြန်किंताقَالةשָ١２²ﷺ\u200b\u200d"


@given(st.text(st.sampled_from(LETTERS), max_size=40) | st.text(max_size=40))
def test_whatever_is_indexed_is_found_by_each_of_its_own_terms(text: str) -> None:
    """What stands in the text is found in it, and what the index says is what `found` says."""
    connection = sqlite_library().connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'porter unicode61 "
        "remove_diacritics 2')"
    )
    connection.execute("INSERT INTO words (text) VALUES (?)", (tokens.build_index_text(text),))
    for term in tokens.extract_query_terms(text):
        rows = connection.execute(
            "SELECT count(*) FROM words WHERE words MATCH ?", (tokens.quote_term(term),)
        ).fetchone()[0]
        assert (rows == 1) == bool(
            tokens.find_matching_terms([term], tokens.build_index_text(text))
        ), term
    connection.close()


@pytest.mark.parametrize("sign", ["₽", "⏸", "𐽕", "🦜", "⹀"])
def test_a_sign_that_is_newer_than_sqlites_tables_parts_words(sign: str) -> None:
    assert tokens.build_index_text(f"500{sign}pause").split() == ["500", "pause"]


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("node.js", "nodejs"),
        ("--dry-run", "dryrun"),
        ("getURLFromXMLDoc", "url"),
        ("v1.2.3", "1.2.3"),
        ("0x80070005", "80070005"),
        ("ＡＢＣ１２３", "abc123"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("か\u3099っこう", "がっこう"),
        ("\u1112\u1161\u11ab글", "한글"),
        ("Straße", "strasse"),
        ("Ёлка", "елка"),
        ("и\u0306од", "йод"),
        ("أحمد", "احمد"),
        ("الخادم", "خادم"),
        ("كِتَاب", "كتاب"),
        ("שָׁלוֹם", "שלום"),
        ("क़िताब", "किताब"),
        ("٣٤٥", "345"),
        ("ﬁle", "file"),
        ("Łódź", "lodz"),
        ("smørrebrød", "smorrebrod"),
        ("Çağrı", "cagri"),
        ("Ελλάδα", "ελλαδα"),
        ("สีของหน้าจอ", "สี"),
        ("ភ្នំពេញ", "ភ្នំ"),
        ("Redis缓存", "缓存"),
        ("k8s集群", "k8s"),
    ],
)
def test_one_form_of_a_word_finds_the_other(stored: str, asked: str) -> None:
    assert tokens.find_matching_terms(
        tokens.extract_query_terms(asked), tokens.build_index_text(stored)
    ) == tokens.extract_query_terms(asked)


@pytest.mark.parametrize(
    ("stored", "asked"), [("ไม้", "ไม่"), ("कम", "काम"), ("測試", "测试"), ("server", "serve rs")]
)
def test_what_is_another_word_is_not_found(stored: str, asked: str) -> None:
    assert (
        tokens.find_matching_terms(
            tokens.extract_query_terms(asked), tokens.build_index_text(stored)
        )
        == []
    )


@pytest.mark.parametrize(
    "text",
    [
        "wie deploye ich das?",
        "¿cómo?",
        "con la base de datos",
        "où sont les tests ?",
        "hoe draait het?",
        "não sei",
    ],
)
def test_another_language_is_known_by_its_words_or_letters(text: str) -> None:
    assert tokens.is_foreign(text)


@pytest.mark.parametrize(
    "text",
    [
        "does the process die?",
        "café on the corner",
        "Müller wrote the parser",
        "docker run -it",
        "a de facto rule",
        "",
    ],
)
def test_english_with_a_word_of_another_language_stays_english(text: str) -> None:
    assert not tokens.is_foreign(text)


def test_signs_of_other_scripts_stay_readable() -> None:
    assert tokens.extract_query_terms("सर्वर ที่ดี ပြန်") == ["सर्वर", "ที่ดี", "ပြန်"]


def test_the_end_of_a_long_question_counts_too() -> None:
    pasted = " ".join(f"line{n}" for n in range(5000))
    terms = tokens.extract_query_terms(f"explain this: {pasted} and why does the kiln fail?")
    assert (
        len(terms) == tokens.MOST_TERMS and terms[0] == "explain" and {"kiln", "fail"} < set(terms)
    )


def test_a_compound_is_found_only_as_a_phrase() -> None:
    assert tokens.find_matching_terms(["dry-run"], "a dry run of it") == ["dry-run"]
    assert tokens.find_matching_terms(["dry-run"], "run it when dry") == []


def test_a_single_chinese_character_begins_a_word() -> None:
    assert tokens.find_matching_terms(["测"], tokens.build_index_text("运行测试")) == ["测"]


def test_common_words_are_known_by_their_stem() -> None:
    assert [tokens.is_common(word) for word in ("Files", "running", "kiln", "x")] == [
        True,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    "written",
    [
        "2026-03-05",
        "2026/3/5",
        "5.3.2026",
        "05.03.2026",
        "March 5, 2026",
        "March 5th 2026",
        "Mar. 5 2026",
        "5 March 2026",
        "5th of March, 2026",
        "5. März 2026",
        "5 de marzo de 2026",
        "5 mars 2026",
        "2026年3月5日",
        "2026년 3월 5일",
        "２０２６年３月５日",
        "13/3/2026 5/3/2026",
    ],
)
def test_a_day_is_one_day_however_it_is_written(written: str) -> None:
    assert "2026-03-05" in tokens.extract_query_terms(written)
    indexed = tokens.build_index_text(f"It broke on {written}.")
    for asked in ("2026-03-05", "March 5", "5. März 2026", "3月5日", "March 2026"):
        assert tokens.find_matching_terms(
            tokens.extract_query_terms(asked), indexed
        ) == tokens.extract_query_terms(asked), asked


@pytest.mark.parametrize(
    "text",
    [
        "version 2026.3.1",
        "10.0.0.2026",
        "31.02.2026",
        "13.13.2026",
        "192.168.10.7",
        "may 5 users",
        "set 5 values",
        "room 2026-03x",
        "9/11",
    ],
)
def test_what_is_no_day_is_none(text: str) -> None:
    assert not any(
        term[:1].isdigit() and term.count("-") and len(term) in (5, 7, 10)
        for term in tokens.extract_query_terms(text)
    ), text


def test_either_reading_of_a_doubtful_day_is_found() -> None:
    assert tokens.extract_query_terms("05/03/2026") == ["2026-03-05", "2026-05-03"]
    assert (
        tokens.extract_query_terms("25/03/2026")
        == tokens.extract_query_terms("03/25/2026")
        == ["2026-03-25"]
    )


@pytest.mark.parametrize(
    "text",
    [
        "a_" * 500_000,
        "A" * 1_000_000,
        "aB" * 500_000,
        "-" * 1_000_000,
        "测" * 300_000,
        "a.b-" * 250_000,
        "ที่" * 300_000,
        "e" + "\u0301\u0323" * 300_000,
        "ｶﾞ" * 300_000,
        "\u1100" * 300_000,
        "وال" * 300_000,
        "1/1/" * 250_000,
        "mar 1 " * 150_000,
        "v1.2" * 250_000,
        "die Datenbanksicherungen " * 40_000,
    ],
)
def test_a_megabyte_of_hostile_text_takes_seconds_at_most(text: str) -> None:
    started = time.process_time()
    tokens.build_index_text(text)
    tokens.extract_query_terms(text)
    assert time.process_time() - started < 8


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("What ORM is currently used?", True),
        ("we still get timeouts under load", False),
        ("Do we still get timeouts under load?", True),
        ("which port is the latest", True),
        ("Is the integration finished?", True),
        ("Welche Datenbank benutzen wir aktuell?", True),
        ("What did we use originally, and what is current?", False),
        ("How is the cache cleared?", False),
        ("now add a test for the importer", False),
        ("", False),
    ],
)
def test_a_question_asks_of_now_in_so_many_words_or_for_yes_or_no(text: str, is_so: bool) -> None:
    assert questions.asks_of_now(text) is is_so
