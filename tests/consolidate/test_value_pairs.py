"""Whether two answers to one question are the same answer."""

from __future__ import annotations

import pytest

from memctl.consolidate.known_answers import adds_nothing, repeats
from memctl.consolidate.told_again import covers_words
from memctl.consolidate.value_pairs import NAMES, list_named, measure_values, score_same_value

PAIRS = [
    ("Login sessions are kept in Memcached.", "The session store is Memcached."),
    ("Invoices are due after 14 days.", "Customers pay invoices within two weeks."),
    ("Docs are hosted on Netlify.", "Netlify is where the docs site is hosted."),
    ("The gateway's upstream timeout is 30s.", "upstream requests time out after 30 seconds"),
]


@pytest.mark.parametrize(("older", "newer"), PAIRS)
def test_the_same_answer_in_other_words_is_the_same(older: str, newer: str) -> None:
    assert score_same_value(older, newer, 0.8, 0.7) >= 0.85


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Login sessions are kept in Memcached.", "The session store is Redis."),
        ("Invoices are due after 14 days.", "Payment terms for invoices: thirty days"),
        ("Docs are hosted on Netlify.", "We ditched Netlify, Cloudflare Pages hosts the docs."),
        ("The gateway's upstream timeout is 30s.", "upstream requests time out after 8 seconds"),
        ("Release notes are written by Mila.", "Jonas writes the release notes now"),
    ],
)
def test_another_answer_is_another(older: str, newer: str) -> None:
    assert score_same_value(older, newer, 0.8, 0.7) < 0.85


def test_every_measure_has_a_name_and_is_a_number() -> None:
    assert len(measure_values("", "", 0.0, 0.0)) == len(NAMES)
    assert 0 <= score_same_value("", "", 0.0, 0.0) <= 1


def test_names_are_what_has_a_capital_inside_a_sentence_or_a_sign() -> None:
    assert list_named("Images go to Docker Hub. See ci.yml and i18n, not 12k.") == {
        "docker",
        "hub",
        "ci.yml",
        "i18n",
    }


@pytest.mark.parametrize(
    ("survivor", "absorbed", "covers"),
    [
        ("Docs are hosted on Netlify.", "Netlify is where the docs site is hosted.", True),
        ("The seat limit is 5.", "5 seats are the limit.", True),
        ("The session store is Memcached.", "Sessions are in Memcached on port 11211.", False),
        ("The registry is Harbor.", "Images are pushed to Harbor at harbor.acme.dev.", False),
        ("Sessions are kept in Redis.", "We moved the sessions from Memcached to Redis.", False),
        ("The integration branch is main.", "Main was the integration branch.", False),
        ("Deploys need two reviewers.", "Deploys need no two reviewers.", False),
        (
            "Drop GitHub Actions in favour of GitLab CI for our build pipelines.",
            "GitHub Actions does our build pipelines.",
            False,
        ),
        ("GitHub Actions and Jenkins build it.", "GitHub Actions builds it.", False),
        ("Drop the seat limit of 5.", "The seat limit is 5.", False),
        ("Schema changes are for Mara.", "Fatima does schema changes.", False),
    ],
)
def test_a_record_stands_for_another_only_where_nothing_is_lost(
    survivor: str, absorbed: str, covers: bool
) -> None:
    assert covers_words(survivor, absorbed) is covers


@pytest.mark.parametrize(
    ("older", "newer", "is_repeated"),
    [
        ("v3 ships in Q2", "Q2 was wishful thinking, v3 is planned for autumn", False),
        ("RabbitMQ does deferred work", "drop RabbitMQ in favour of NATS for deferred work", False),
        ("PDF rendering is done with mage", "at this point make does PDF rendering", False),
        ("jest is gone; vitest does builds", "jest took the place of vitest for builds", False),
        ("uploads are stored in R2", "like I mentioned, R2 stores the uploads", True),
        ("at this point NATS is what does deferred work", "NATS does deferred work", True),
    ],
)
def test_what_gives_up_or_swaps_is_no_repetition_however_alike_it_reads(
    older: str, newer: str, is_repeated: bool
) -> None:
    assert repeats(older, newer, 0.99) is is_repeated


@pytest.mark.parametrize(
    ("older", "newer", "is_less"),
    [
        ("Nightly backups go to Backblaze B2.", "backups go to Backblaze B2", True),
        ("Nightly backups go to Backblaze B2.", "backups go to Wasabi", False),
        ("Nightly backups go to Backblaze B2.", "backups no longer go to Backblaze B2", False),
    ],
)
def test_what_only_leaves_something_out_is_no_other_answer(
    older: str, newer: str, is_less: bool
) -> None:
    assert adds_nothing(older, newer) is is_less
