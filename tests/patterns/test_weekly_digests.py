"""The digest of a week: one for each project and week with enough sessions, told anew in place,
silent about what was forgotten.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from mill import Mill
from plain_redaction import PLAIN_REDACTOR

from memctl.core.frozen import replace
from memctl.core.model import Actor, Memory
from memctl.curate.archiving import forget_records
from memctl.curate.editing import edit_record
from memctl.erase.purge import PurgeSelection, purge_selected
from memctl.patterns import update
from memctl.patterns.weekly_digests import RULE, find_monday, format_week
from memctl.store import event_log, links, records

OPERATOR = Actor("operator")
WEEK = ("2026-03-09", "2026-03-11", "2026-03-13")


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def look(mill: Mill) -> list[Memory]:
    """What the digests say after one more look."""
    update.update_patterns(mill.db, mill.config)
    mill.quotes_are_exact()
    assert event_log.find_broken_links(mill.db) == []
    return mill.derived(RULE)


def a_week(mill: Mill) -> list[Memory]:
    return [
        mill.session(day, ask=f"Dress stone {n}", done=f"dressed stone {n}", agent="codex")
        for n, day in enumerate(WEEK, 1)
    ]


def test_three_sessions_of_a_week_become_one_digest_with_what_was_done_when(mill: Mill) -> None:
    episodes = a_week(mill)
    (digest,) = look(mill)
    assert (digest.type, digest.kind, digest.status, digest.scope) == (
        "episode",
        "summary",
        "active",
        "project",
    )
    assert digest.title == "Week of 9 March 2026: 3 sessions"
    assert digest.content.split("\n") == [
        "3 sessions between 9 and 13 March 2026 (codex 3).",
        "- Mon 9: Dress stone 1. Done: dressed stone 1.",
        "- Wed 11: Dress stone 2. Done: dressed stone 2.",
        "- Fri 13: Dress stone 3. Done: dressed stone 3.",
        "Changed in several: src/stone.py (3), src/wheel.py (3).",
    ]
    assert {link.to_id for link in links.list_of_memory(mill.db, digest.id)} == {
        episode.id for episode in episodes
    }


def test_sessions_that_came_to_nothing_are_counted_and_not_told(mill: Mill) -> None:
    a_week(mill)
    mill.session("2026-03-14", ask="Where is the miller", told="Asked: Where is the miller?")
    (digest,) = look(mill)
    assert "miller" not in digest.content + digest.summary
    assert digest.content.split("\n")[-2] == "- and 1 session with nothing reported as done"
    assert digest.summary == (
        "Week of 9 March 2026: 4 sessions: dressed stone 1; dressed stone 2; dressed stone 3"
    )


def test_episodes_in_somebodys_own_words_make_a_digest_too(mill: Mill) -> None:
    for number, episode in enumerate(a_week(mill)):
        words = {"content": f"Dressed with Anna {number}", "title": f"With Anna {number}"}
        edit_record(mill.db, mill.config, OPERATOR, episode.id, words, reason=None)
    (digest,) = look(mill)
    assert "- Fri 13: With Anna 2." in digest.content


def test_two_sessions_are_no_week_and_weeks_and_projects_do_not_mix(mill: Mill) -> None:
    bakery = mill.project("bakery")
    for day in WEEK[:2]:
        mill.session(day)
    mill.session("2026-03-16")
    mill.session(WEEK[2], project=bakery.id)
    assert look(mill) == []


def test_looking_again_changes_nothing(mill: Mill) -> None:
    a_week(mill)
    before = look(mill)
    events = len(mill.db.all("event_log.everything"))
    assert look(mill) == before and len(mill.db.all("event_log.everything")) == events


def test_a_later_session_of_the_week_is_told_in_place(mill: Mill) -> None:
    a_week(mill)
    (before,) = look(mill)
    late = mill.session("2026-03-15", ask="Mend the sluice", trust=1)
    (after,) = look(mill)
    assert after.id == before.id and "- Sun 15: Mend the sluice." in after.content
    assert (before.trust, after.trust) == (2, 1)
    assert late.id in {link.to_id for link in links.list_of_memory(mill.db, after.id)}


def test_a_forgotten_session_is_not_told_any_more(mill: Mill) -> None:
    episodes = a_week(mill)
    look(mill)
    forget_records(mill.db, OPERATOR, [episodes[1].id], PLAIN_REDACTOR, reason=None, dry_run=False)
    (digest,) = look(mill)
    assert "stone 2" not in digest.content and digest.title == "Week of 9 March 2026: 2 sessions"
    assert episodes[1].id not in {link.to_id for link in links.list_of_memory(mill.db, digest.id)}


def test_a_week_of_which_every_session_was_forgotten_is_put_away(mill: Mill) -> None:
    episodes = a_week(mill)
    look(mill)
    forget_records(
        mill.db,
        OPERATOR,
        [episode.id for episode in episodes],
        PLAIN_REDACTOR,
        reason=None,
        dry_run=False,
    )
    assert [digest.status for digest in look(mill)] == ["archived"]


def test_a_forgotten_digest_does_not_return(mill: Mill) -> None:
    a_week(mill)
    (digest,) = look(mill)
    forget_records(mill.db, OPERATOR, [digest.id], PLAIN_REDACTOR, reason=None, dry_run=False)
    mill.session("2026-03-15", ask="Mend the sluice")
    assert [(item.id, item.status) for item in look(mill)] == [(digest.id, "archived")]


def test_a_digest_that_was_changed_by_hand_is_left_alone(mill: Mill) -> None:
    a_week(mill)
    (digest,) = look(mill)
    edit_record(
        mill.db,
        mill.config,
        OPERATOR,
        digest.id,
        {"content": "The week of the new stones"},
        reason=None,
    )
    mill.session("2026-03-15", ask="Mend the sluice")
    assert [item.content for item in look(mill)] == ["The week of the new stones"]


def test_where_episodes_wait_for_approval_their_digest_does_too(mill: Mill) -> None:
    mill.config = replace(mill.config, values={**mill.config.values, "promotion.episodes": False})
    a_week(mill)
    assert [digest.status for digest in look(mill)] == ["inbox"]


def test_a_digest_is_no_session_and_never_part_of_one(mill: Mill) -> None:
    a_week(mill)
    (digest,) = look(mill)
    mill.session("2026-03-15", ask="Mend the sluice")
    look(mill)
    assert records.get_record(mill.db, digest.id).content.count("Week of") == 0


def test_a_long_week_is_summed_up(mill: Mill) -> None:
    for number in range(20):
        mill.session(f"2026-03-{9 + number % 7:02d}", ask=f"Grind load {number}")
    (digest,) = look(mill)
    assert digest.content.count("\n- ") == 13 and "- and 8 sessions more" in digest.content
    assert len(digest.summary) <= 200


def test_weeks_begin_on_monday_and_are_numbered_by_iso() -> None:
    assert (find_monday("2026-01-01T10:00:00.000Z"), format_week("2025-12-29")) == (
        "2025-12-29",
        "2026-W01",
    )


def test_a_purged_session_leaves_no_word_in_the_digest_which_is_written_anew_without_it(
    mill: Mill,
) -> None:
    episodes = [*a_week(mill), mill.session("2026-03-14", ask="Sell the Alderney mill quietly")]
    (before,) = look(mill)
    assert "Alderney" in before.content
    done = purge_selected(mill.db, mill.config, OPERATOR, PurgeSelection((episodes[3].id,)))
    assert set(done.records) == {episodes[3].id, before.id}
    assert all("Alderney" not in str(tuple(row)) for row in mill.db.all("event_log.everything"))
    (after,) = look(mill)
    assert after.title == "Week of 9 March 2026: 3 sessions" and "Alderney" not in after.content
