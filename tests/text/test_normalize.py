"""Normal form, fingerprint and content words."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.text.normalize import list_content_words, make_fingerprint, make_scope_key, normalise


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("**Use** `pnpm`, don\u2019t use npm!", "use pnpm do not use npm"),
        ("- Run the tests first.", "run the tests first"),
        (
            "1. See [the guide](https://example.org/a) for main().",
            "see the guide https://example.org/a for main",
        ),
        ("Python >=3.11, never 3.10", "python >=3.11 never 3.10"),
        (
            "Edit ~/.config/tool.toml & /etc/hosts; *.py",
            "edit ~/.config/tool.toml and /etc/hosts *.py",
        ),
        ("C++ and C#: 1,000 items \u2014 50%", "c++ and c# 1,000 items 50%"),
        ("It is _always_ `__init__`", "it is always __init__"),
        ("We can't and won't", "we can not and will not"),
        ("\ufb01le\u00a0\u200bname", "file name"),
        ("\u274c npm", "not npm"),
    ],
)
def test_typing_habits_go_and_what_means_something_stays(typed: str, plain: str) -> None:
    assert normalise(typed) == plain


def test_a_short_flag_keeps_its_case_because_it_is_another_command() -> None:
    assert normalise("git branch -D x") != normalise("git branch -d x")


@given(st.text(max_size=60))
def test_the_normal_form_is_its_own_normal_form(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.text(max_size=60), st.sampled_from(["global", "project", "agent"]))
def test_a_fingerprint_is_hex_for_any_text_and_ignores_how_it_was_typed(
    text: str, scope: str
) -> None:
    digest = make_fingerprint(text, scope, "p", "a")
    assert len(digest) == 64 and int(digest, 16) >= 0
    if normalise(text):
        assert digest == make_fingerprint(normalise(text), scope, "p", "a")


def test_a_fingerprint_never_changes_between_versions() -> None:
    assert (
        make_fingerprint("Use **pnpm**.", "project", "p1")
        == "f9576a76d04e9dc219556c026cea9ddd7a74aefc03b7ce2801c11d8c9bb68e47"
    )
    assert (
        make_fingerprint("Nie vor Freitag ausrollen \u2014 Stra\u00dfe 5", "global")
        == "bf1cb4a38ccdbfc123cc97ed8e492e322435d9c57d6bdbfd7932af701d8d3189"
    )


def test_statements_of_different_rooms_have_different_fingerprints() -> None:
    rooms = [
        ("global", None, None),
        ("project", "p1", None),
        ("project", "p2", None),
        ("agent", None, "a"),
        ("agent", None, "b"),
    ]
    assert len({make_fingerprint("use pnpm", *room) for room in rooms}) == len(rooms)


def test_who_learned_a_project_fact_does_not_matter_and_who_keeps_a_private_one_does() -> None:
    assert make_scope_key("project", "p", "claude") == make_scope_key("project", "p", "codex")
    assert make_scope_key("agent", "p", "claude") != make_scope_key("agent", "p", "codex")
    assert make_scope_key("global", "p") == make_scope_key("global", "q")


def test_texts_without_a_word_do_not_share_a_fingerprint() -> None:
    assert make_fingerprint("!!!", "global") != make_fingerprint("???", "global")


def test_content_words_are_stems_without_stop_words_and_keep_negation_and_numbers() -> None:
    assert list_content_words("The tests are not running on port 8080") == (
        "test",
        "not",
        "run",
        "port",
        "8080",
    )
    assert list_content_words("It was used") == list_content_words("using this")


@pytest.mark.parametrize(
    "hostile",
    ["[", "*", "`", "-", "a", "[a](", "'", ". ", "/*", "\n#", "_", " \t", "<=", "\u00e9", "\u200b"],
)
def test_hostile_text_is_normalised_in_linear_time(hostile: str) -> None:
    started = time.process_time()
    normalise(hostile * (200_000 // len(hostile)))
    assert time.process_time() - started < 10
