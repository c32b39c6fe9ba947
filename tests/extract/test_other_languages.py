"""What the operator says in other languages than English."""

from __future__ import annotations

from pathlib import Path

import pytest
from extract_samples import agent, found, human

from memctl.extract.cue_phrases import find_language

STATEMENTS = [
    tuple(line.split("\t"))
    for line in Path(__file__)
    .with_name("other_languages.tsv")
    .read_text(encoding="utf-8")
    .splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize(
    ("kind", "words"), [(kind, words) for _, kind, words in STATEMENTS if kind != "none"]
)
def test_what_lasts_is_proposed_with_its_kind_in_every_language(kind: str, words: str) -> None:
    kept = found(human(words), agent("OK."))
    assert [c.kind for c in kept] == [kind]
    assert kept[0].evidence[0].quote in words


@pytest.mark.parametrize("words", [words for _, kind, words in STATEMENTS if kind == "none"])
def test_what_is_asked_or_done_once_is_no_memory_in_any_language(words: str) -> None:
    assert found(human(words), agent("OK.")) == []


@pytest.mark.parametrize(
    ("words", "why", "over"),
    [
        ("Wir nehmen SQLite statt Redis, weil eine Datei reicht.", "eine Datei reicht", "Redis"),
        (
            "Usamos SQLite en lugar de Redis porque basta con un archivo.",
            "basta con un archivo",
            "Redis",
        ),
        ("我们改用 SQLite 而不是 Redis，因为一个文件就够了。", "一个文件就够了", "Redis"),
        (
            "Redis ではなく SQLite を使います、ファイル一つで足りるので。",
            "ファイル一つで足りる",
            "Redis",
        ),
        (
            "Мы взяли и выбрали SQLite вместо Redis, потому что хватит файла.",
            "хватит файла",
            "Redis",
        ),
    ],
)
def test_a_decision_keeps_its_reason_and_what_it_was_chosen_over(
    words: str, why: str, over: str
) -> None:
    (kept,) = found(human(words), agent("OK."))
    assert (kept.type, kept.rationale, kept.alternatives) == ("decision", why, (over,))


@pytest.mark.parametrize(
    ("typed", "language"),
    [
        ("kuenftig keine Commits ohne Tests", "de"),
        ("NUNCA toques la base de produccion", "es"),
        ("我們決定用這個資料庫，因為它比較快", "zh"),
        ("ＡＰＩ は絶対に変更しないでください", "ja"),
        ("لا تنشر أبدا", "ar"),
    ],
)
def test_a_language_is_known_however_it_is_typed(typed: str, language: str) -> None:
    lexicon = find_language(typed)
    assert lexicon is not None and lexicon.code == language


@pytest.mark.parametrize(
    "words",
    [
        "use the café API for the entire flow",
        "no, do it on main",
        "got a PR review comment",
        "Rebasing on remote...",
        "die on error, don't swallow it",
        "rename La Poste to La Banque in the README",
    ],
)
def test_english_is_left_to_the_english_rules(words: str) -> None:
    assert find_language(words) is None


def test_sentences_without_blanks_between_them_are_read_one_by_one() -> None:
    kept = found(
        human(
            "不要在发布前跳过测试。我们用 SQLite 存缓存，因为一个文件就够了。帮我看一下这个报错。"
        ),
        agent("OK."),
    )
    assert [c.kind for c in kept] == ["constraint", "decision"]


def test_only_words_that_name_all_projects_reach_beyond_this_one() -> None:
    (here,) = found(human("Antworte immer auf Deutsch."), agent("OK."))
    (all_,) = found(human("Antworte in allen meinen Projekten immer auf Deutsch."), agent("OK."))
    assert (here.scope, all_.scope) == ("project", "global")
