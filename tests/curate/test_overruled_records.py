"""What a new statement changes among the records."""

from __future__ import annotations

from bench import Bench

from memctl.consolidate.neighbours import load_statements
from memctl.core.frozen import replace
from memctl.curate import overruled_records

SERVED = "Staging is at https://staging.example these days."
BEFORE = "2020-03-01T10:00:00.000Z"
CHANGE = "No, we don't use pip any more, it's uv for dependencies."


def test_what_a_record_quotes_as_wrong_is_nothing_that_it_holds(bench: Bench) -> None:
    held = bench.put(f"{SERVED} (Corrects: “The build front end is pip.”)", observed_at=BEFORE)
    named = bench.put("We use pip for dependencies", observed_at=BEFORE)
    change = replace(named, id="new", content=CHANGE, observed_at="2020-04-01T10:00:00.000Z")
    found = [each.record.id for each in overruled_records.find_overruled(bench.db, change)]
    assert held.id not in found
    assert named.id in found


def test_records_are_compared_by_what_they_say(bench: Bench) -> None:
    held = bench.put(f"{SERVED} (Corrects: “The build front end is pip.”)")
    (statement,) = load_statements(bench.db, [held])
    assert statement.content == SERVED


def test_what_points_back_names_no_record_that_points_back_too(bench: Bench) -> None:
    held = bench.put("That date is stale, the public launch is July 8.", observed_at=BEFORE)
    said = "That date is stale, the weekly deploy is Thursdays."
    change = replace(held, id="new", content=said, observed_at="2020-04-01T10:00:00.000Z")
    found = overruled_records.find_overruled(bench.db, change)
    assert [each.record.id for each in found if each.is_sure] == []
