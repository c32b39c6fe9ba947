"""Words that stand for one another, in the talk about software and across languages."""

from __future__ import annotations

import pytest

from memctl.text import related_words, tokens


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("shipping", "deploys"),
        ("released", "deploy"),
        ("pruebas", "test"),
        ("Abhängigkeiten", "package"),
        ("compilo", "build"),
        ("veröffentlichen", "release"),
        ("déployer", "production"),
        ("Zahlung*", "payment"),
    ],
)
def test_forms_and_translations_of_a_word_share_a_group(word: str, other: str) -> None:
    assert related_words.find_groups(word) & related_words.find_groups(other)


@pytest.mark.parametrize("word", ["windrose", "it", "make", "of", "zzz", "über"])
def test_what_says_nothing_of_the_kind_has_no_group(word: str) -> None:
    assert related_words.find_groups(word) == frozenset()


def test_every_group_can_be_read_and_its_plainest_word_is_its_own() -> None:
    groups = related_words.open_groups()
    assert len(groups.plainest) == len(groups.members) > 100
    for number, words in enumerate(groups.members):
        assert len(words) == len(set(words)), words
        assert number in related_words.find_groups(groups.plainest[number])
    beginnings = [each for found in groups.foreign.values() for each, _ in found]
    assert all(each == tokens.fold_word(each) for each in beginnings)


def test_an_order_names_what_an_agent_does() -> None:
    assert related_words.find_actions(["ship", "it"])
    assert related_words.find_actions(["rename", "this", "variable"]) == frozenset()


def test_a_foreign_text_is_said_in_english_word_for_word() -> None:
    text = "wie starte ich die Tests?"
    assert related_words.say_in_english(text, ["starte", "tests"]) == "start test"


def test_a_text_whose_words_are_not_known_is_not_said_in_english() -> None:
    assert related_words.say_in_english("wo ist der Bahnhof", ["bahnhof"]) is None
    assert related_words.say_in_english("", []) is None


def test_a_text_has_of_some_groups_what_it_has_of_all_whatever_the_form_of_its_words() -> None:
    known = related_words.open_groups()
    every = frozenset(range(len(known.members)))
    endings = ("", "s", "es", "ing", "ed", "d")
    for number in every:
        words = known.members[number]
        forms = [word + ending for word in words for ending in endings]
        forms += [word[:-1] + ending for word in words for ending in ("ies", "ing", "ed")]
        forms += [word + word[-1] + ending for word in words for ending in ("ing", "ed")]
        forms += [
            word + ending for word in known.beginnings[number] for ending in ("", "en", "ando")
        ]
        for form in forms:
            groups = related_words.find_groups(form)
            assert related_words.find_groups_in(form, every) == groups
            assert related_words.find_groups_in(form, frozenset({number})) == groups & {number}
            assert related_words.has_groups(form) == bool(groups)


def test_a_foreign_word_with_diacritics_is_found_among_some_groups() -> None:
    wanted = related_words.find_groups("dependency")
    assert related_words.find_groups_in("Alle Abhängigkeiten", wanted)
    assert related_words.find_groups_in("Alle Abhängigkeiten", frozenset()) == frozenset()
