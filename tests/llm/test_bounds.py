"""What a model may cost: questions, tokens, money and time; and what is left of what it said
when something is erased.
"""

from __future__ import annotations

import json

import pytest
from odd_model import Odd

from memctl.core.errors import ConfigError
from memctl.core.model import Actor
from memctl.erase.purge import PurgeSelection, purge_selected
from memctl.llm import calls, settings, usage
from memctl.llm.calls import UNDER_WAY
from memctl.store import model_calls

SAID = "The charts are drawn in mercator projection"


def sessions(odd: Odd, many: int) -> None:
    """So many sessions, each of which says something else."""
    for number in range(many):
        odd.bench.capture(
            ("user", f"hello, {SAID} number {number} here"),
            session=f"5e551011-0000-4000-8000-0000000000{number:02d}",
        )
    odd.bench.maintain()


def test_without_a_model_nothing_is_asked_and_nothing_written(odd: Odd) -> None:
    odd.model = ""
    sessions(odd, 1)
    assert odd.run() == {}
    assert (odd.asked, odd.rows) == ([], [])


def test_no_more_questions_are_asked_a_day_than_allowed(odd: Odd) -> None:
    odd.bench.settings(maintain__model_calls_a_day=2)
    sessions(odd, 4)
    odd.picks()
    assert odd.run() == {"answered": 2, "calls": 2, "flag": "model_budget_spent", "tokens": 300}
    assert odd.run() == {"calls": 0, "flag": "model_budget_spent", "tokens": 0}
    odd.later(24)
    assert odd.run()["calls"] == 2
    assert len(odd.asked) == 4


def test_no_question_is_asked_that_could_cost_more_tokens_than_are_left(odd: Odd) -> None:
    odd.bench.settings(maintain__model_tokens_a_day=1500)
    sessions(odd, 1)
    assert odd.run()["calls"] == 1
    odd.bench.settings(maintain__model_tokens_a_day=700)
    odd.bench.take(("user", "hi. The depths are stored in decimetres"))
    assert odd.run() == {"calls": 0, "flag": "model_budget_spent", "tokens": 0}


def test_money_is_counted_by_the_prices_and_bounded(odd: Odd) -> None:
    odd.bench.settings(
        maintain__model_price_in=10.0,
        maintain__model_price_out=100.0,
        maintain__model_cost_a_day=0.08,
    )
    sessions(odd, 3)
    told = odd.run()
    # 120 tokens at 10 and 30 at 100 a million; a question is asked while a usual answer is payable.
    assert told["cost"] == pytest.approx(told["calls"] * 0.0042)
    odd.bench.settings(maintain__model_cost_a_day=0.01)
    odd.bench.take(("user", "hi. The depths are stored in decimetres"))
    assert odd.run() == {"calls": 0, "flag": "model_budget_spent", "tokens": 0}


def test_no_limit_is_no_limit(odd: Odd) -> None:
    odd.bench.settings(
        maintain__model_calls_a_day=0,
        maintain__model_tokens_a_day=0,
        maintain__model_cost_a_day=0.0,
    )
    sessions(odd, 2)
    assert odd.run()["calls"] == 2
    assert usage.report_status(odd.bench.db, odd.config).left == {}


def test_without_time_nothing_is_asked(odd: Odd) -> None:
    sessions(odd, 1)
    assert odd.run(budget=0)["flag"] == "model_no_time"
    assert odd.run(budget=1)["flag"] == "model_no_time"
    assert odd.asked == []


def test_a_question_that_the_end_of_the_time_cut_short_is_not_held_against_the_model(
    odd: Odd,
) -> None:
    sessions(odd, 1)
    odd.behaves("hangs")
    assert odd.run(budget=5.2)["calls"] == 1
    assert odd.rows[0]["error"] == "the time for it was over"
    assert calls.find_pause_end(odd.bench.db, settings.read_settings(odd.config)) is None


def test_a_question_that_never_came_to_an_end_counts_and_holds_the_next_one_up(odd: Odd) -> None:
    sessions(odd, 1)
    with odd.bench.db.write():
        key = model_calls.Key("extract", "odd", "1", "0" * 64)
        model_calls.begin_call(
            odd.bench.db, key, "somewhere", tokens_in=10, tokens_out=600, cost=0.0
        )
    assert odd.run() == {"calls": 0, "flag": "model_failing", "tokens": 0}
    assert odd.rows[0]["error"] == UNDER_WAY
    assert usage.summarise_usage(odd.bench.db, "2000")["calls"] == 1


def test_answers_of_no_use_one_after_another_end_the_run(odd: Odd) -> None:
    odd.behaves("junk")
    sessions(odd, 8)
    told = odd.run()
    assert (told["unusable"], told["flag"]) == (5, "model_unusable")


def test_old_answers_lose_their_words_and_are_not_asked_for_again(odd: Odd) -> None:
    odd.picks({"quote": SAID})
    sessions(odd, 1)
    odd.run()
    odd.later(24 * 200)
    assert odd.run() == {"calls": 0, "tokens": 0}
    assert [(row["state"], row["output"]) for row in odd.rows] == [("done", None)]
    assert len(odd.asked) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("purposes", ["extract", "gossip"]),
        ("timeout", 0),
        ("calls_a_day", -1),
        ("chunk", 3),
        ("price_in", float("nan")),
    ],
)
def test_settings_that_make_no_sense_are_refused(odd: Odd, name: str, value: object) -> None:
    odd.bench.settings(**{f"maintain__model_{name}": value})
    with pytest.raises(ConfigError, match=f"maintain.model_{name}"):
        odd.run()


def test_the_account_tells_purposes_apart(odd: Odd) -> None:
    odd.picks({"quote": SAID})
    sessions(odd, 2)
    odd.run()
    told = usage.summarise_usage(odd.bench.db, "2000")
    assert (told["calls"], told["failed"], told["tokens"]) == (2, 0, 300)
    assert [(part["purpose"], part["model"], part["calls"]) for part in told["purposes"]] == [
        ("extract", "odd", 2)
    ]


def holds(odd: Odd, words: str) -> bool:
    """Whether words stand anywhere in the store's files."""
    files = [path for path in odd.bench.path.parent.iterdir() if path.is_file()]
    return any(words.encode() in path.read_bytes() for path in files)


def test_purged_words_go_from_what_a_model_answered(odd: Odd) -> None:
    odd.picks(
        {"quote": SAID + " number 0 here", "content": "Mercator is what the charts are drawn in"}
    )
    sessions(odd, 1)
    odd.run()
    assert any("Mercator is what" in (row["output"] or "") for row in odd.rows)
    purge_selected(
        odd.bench.db,
        odd.config,
        Actor("operator"),
        PurgeSelection(match="Mercator is what the charts"),
    )
    assert not holds(odd, "Mercator is what the charts")
    assert [row["state"] for row in odd.rows] == ["done"]


def test_a_purged_record_leaves_nothing_of_what_a_model_was_asked_about_it(odd: Odd) -> None:
    odd.picks({"quote": SAID + " number 0 here"})
    sessions(odd, 1)
    odd.run()
    memory = odd.bench.one("inbox")
    with odd.bench.db.write():
        call = model_calls.begin_call(
            odd.bench.db,
            model_calls.Key("judge", "odd", "1", "1" * 64),
            f"{memory.id} other",
            tokens_in=1,
            tokens_out=1,
            cost=0.5,
        )
        end = model_calls.End(
            True,
            json.dumps({"reason": "the projection is told in other words"}),
            None,
            1,
            1,
            0.5,
            1.0,
        )
        model_calls.finish_call(odd.bench.db, call, end)
    purge_selected(odd.bench.db, odd.config, Actor("operator"), PurgeSelection(ids=(memory.id,)))
    assert not holds(odd, "projection is told in other words")
    assert not holds(odd, SAID + " number 0")
    row = odd.rows[-1]
    assert (row["about"], row["output"], row["cost"], row["state"]) == (None, None, 0.5, "done")


def test_a_purged_source_leaves_nothing_of_what_a_model_answered_about_it(odd: Odd) -> None:
    odd.picks(
        {"quote": SAID + " number 0 here", "content": "Mercator is what the charts are drawn in"}
    )
    sessions(odd, 1)
    odd.run()
    (source,) = {row["about"] for row in odd.rows}
    purge_selected(odd.bench.db, odd.config, Actor("operator"), PurgeSelection(source=source))
    assert not holds(odd, "Mercator is what")
    assert [(row["about"], row["output"], row["tokens_in"]) for row in odd.rows] == [
        (None, None, 120)
    ]
    assert model_calls.list_unread_sources(odd.bench.db, "extract:whole", 9) == []
