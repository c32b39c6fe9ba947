"""What forbids or demands is told before what is good to know, however old it is; a rule that finds
no room is counted and named.
"""

from __future__ import annotations

from invented import House, told

from memctl.core import timestamps

OLD = "2024-01-01T09:00:00.000Z"


def trivia(house: House, many: int) -> None:
    for number in range(many):
        at = timestamps.add_seconds("2026-03-01T09:00:00.000Z", seconds=number)
        house.add(f"The dog number {number} is called Biscuit", type="profile", kind="fact", at=at)
        house.add(f"Shelf {number} holds cups", at=at)


def test_an_old_rule_comes_before_any_number_of_newer_facts(house: House) -> None:
    rules = [
        house.add("Never push to main", kind="constraint", at=OLD),
        house.add("Always use pnpm, never npm", type="profile", kind="preference", at=OLD),
        house.add("Prefer small commits", kind="convention", scope="global", at=OLD),
        house.add("Run the tests with make check", kind="command", at=OLD),
    ]
    trivia(house, 60)
    report = house.context()
    assert {memory.id for memory in rules} <= set(told(report))
    assert report.rules_left_out == ()


def test_all_rules_are_told_not_only_the_newest_of_each_kind(house: House) -> None:
    rules = [
        house.add(f"Never touch valve {number}", kind="constraint", at=OLD) for number in range(30)
    ]
    report = house.context(task="open the kiln")
    assert {memory.id for memory in rules} <= set(told(report))


def test_a_rule_that_finds_no_room_is_counted_and_named(house: House) -> None:
    rules = {
        house.add(f"Never touch valve {number} of the long pipe", kind="constraint").id
        for number in range(30)
    }
    report = house.context(budget=200)
    said = set(told(report))
    assert report.tokens <= 200 and said < rules
    assert set(report.rules_left_out) == rules - said
    assert report.left_out == len(rules - said)
    assert f"no room for {len(rules - said)} rules that hold here: [" in report.text


def test_rules_beyond_what_is_looked_at_are_counted_too(house: House) -> None:
    for number in range(55):
        house.add(f"Never touch valve {number}", kind="constraint")
    report = house.context(budget=8000)
    assert len(told(report)) + report.left_out == 55


def test_what_an_agent_claims_to_be_a_rule_is_one_of_the_others(house: House) -> None:
    for number in range(30):
        house.add(f"Always run script {number} first", kind="constraint", trust=2)
    report = house.context()
    assert len(told(report)) == 20 and report.rules_left_out == ()


def test_of_very_many_rules_the_strongest_are_told_and_the_rest_counted(house: House) -> None:
    weak = [
        house.add(f"Never touch valve {number}", kind="constraint", trust=4, confidence=0.5)
        for number in range(28)
    ]
    strong = house.add("Never push to main", kind="constraint", at=OLD)
    more = [house.add(f"Prefer wheel {number}", kind="convention") for number in range(20)]
    report = house.context(budget=8000)
    assert told(report)[0] == strong.id
    assert len(told(report)) + report.left_out == len([*weak, strong, *more])
