"""What words show of two statements that may answer one question."""

from __future__ import annotations

import pytest

from memctl.consolidate.slot_pairs import (
    NAMES,
    begin_alike,
    find_given_up,
    measure_pair,
    score_pair,
    share_frame,
)


@pytest.mark.parametrize(
    ("older", "newer", "given_up"),
    [
        ("Packages are installed with npm.", "we ditched npm, pnpm installs them", "npm"),
        ("Screens are drawn in Figma.", "We gave up Figma, Penpot it is.", "Figma"),
        ("Invoices are sent by Priya.", "Jonas sends the invoices instead of Priya.", "Priya"),
        (
            "A branch is cut on Thursdays.",
            "We branch on Mondays rather than on Thursdays.",
            "Thursdays",
        ),
        (
            "Secrets are in 1Password.",
            "Credentials are in Vault, 1Password is cancelled.",
            "1Password",
        ),
        ("Jobs time out after 30 seconds.", "the limit for jobs went from 30 to 45 seconds", "30"),
        ("Crash reports go to Sentry.", "Sentry -> GlitchTip for crashes", "Sentry"),
        ("Screens are drawn in Figma.", "Figma has a new plugin for icons.", None),
        ("Screens are drawn in Figma.", "We gave up Sketch, Penpot it is.", None),
    ],
)
def test_a_newer_statement_may_name_what_it_gives_up(
    older: str, newer: str, given_up: str | None
) -> None:
    assert find_given_up(older, newer) == given_up


def test_two_properties_of_one_thing_begin_alike() -> None:
    assert begin_alike("Uploads are scanned by ClamAV.", "Uploads are stored in S3 now.")
    assert begin_alike("The docs site is on Netlify.", "Docs come from a branch.")
    assert not begin_alike("Uploads are scanned by ClamAV.", "Pictures are stored in S3 now.")
    assert not begin_alike("", "")


def test_what_leads_to_the_answer_is_a_frame() -> None:
    assert share_frame("Requests are signed with RS256.", "Requests are signed with EdDSA now.")
    assert share_frame("Requests are retried twice.", "Requests are retried four times now.")
    for one, other in (
        ("Uploads are scanned by ClamAV.", "Uploads are stored in S3 now."),
        ("Backups are stored encrypted.", "Backups are stored in S3 now."),
        ("The feed is paginated.", "The feed is ordered by date now."),
        ("Requests are signed with RS256.", "Requests are signed with RS256."),
    ):
        assert not share_frame(one, other), (one, other)


def test_nearer_slots_are_read_as_one_question_more_surely() -> None:
    older, newer = "Screens are drawn in Figma.", "The designers work in Penpot now."
    scores = [score_pair(older, newer, slots, 0.5) for slots in (-1.0, 0.2, 0.5, 0.8, 1.0)]
    assert scores[1:] == sorted(scores[1:]) and all(0 <= score <= 1 for score in scores)
    assert scores[-1] > 0.9 > scores[1]


def test_a_pair_is_measured_by_what_is_named() -> None:
    assert len(measure_pair("", "", 0.0, 0.0)) == len(NAMES)
    assert len(measure_pair("x" * 100_000, "y " * 50_000, 1.0, 1.0)) == len(NAMES)
