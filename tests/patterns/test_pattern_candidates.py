"""What repeats itself is proposed once, with its episodes behind it; what is generic, rare, or
judged already is not.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from mill import Mill, ran, turns_of
from plain_redaction import PLAIN_REDACTOR

from memctl.core.frozen import replace
from memctl.core.model import OPERATOR_SAID, Actor
from memctl.curate.approval import approve_records
from memctl.curate.archiving import forget_records, reject_candidates
from memctl.patterns import update
from memctl.records.quality import set_muted
from memctl.store import event_log, evidence, links

OPERATOR = Actor("operator")
DAYS = ("2026-03-03", "2026-03-09", "2026-03-14", "2026-03-20")
GRIND = ran("git pull", "./scripts/clean.sh", "make tables")


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def look(mill: Mill) -> dict[str, int]:
    done = update.update_patterns(mill.db, mill.config)
    mill.quotes_are_exact()
    assert event_log.find_broken_links(mill.db) == []
    return done


# -- steps in an order --


def test_steps_taken_in_the_same_order_in_several_sessions_become_a_proposed_way_of_working(
    mill: Mill,
) -> None:
    episodes = [mill.session(day, *ran("ls"), *GRIND, *ran(f"./run.sh {day[-1]}x")) for day in DAYS]
    assert look(mill)["proposed"] == 1
    (memory,) = mill.derived()
    assert (memory.type, memory.kind, memory.status, memory.rule) == (
        "project",
        "workflow",
        "inbox",
        "tiers.steps",
    )
    assert (
        memory.content
        == "Steps that belong together, in this order: `git pull`, then `./scripts/clean.sh`, "
        "then `make tables`."
    )
    assert memory.rationale == "the same in 4 sessions between 3 and 20 March 2026"
    parents = {
        link.to_id
        for link in links.list_of_memory(mill.db, memory.id)
        if link.relation == "derived_from"
    }
    assert parents == {episode.id for episode in episodes}


def test_it_is_trusted_no_more_than_the_weakest_episode_it_comes_from(mill: Mill) -> None:
    for day, trust in zip(DAYS, (5, 3, 1, 5), strict=True):
        mill.session(day, *GRIND, trust=trust)
    look(mill)
    (memory,) = mill.derived()
    assert memory.trust == 1
    assert {item.trust for item in evidence.list_of_memory(mill.db, memory.id)} == {1}


def test_nothing_is_proposed_twice_and_later_sessions_only_corroborate(mill: Mill) -> None:
    for day in DAYS[:3]:
        mill.session(day, *GRIND)
    assert look(mill)["proposed"] == 1
    assert look(mill) == {
        "proposed": 0,
        "corroborated": 0,
        "known": 0,
        "muted": 0,
        "digests_written": 0,
        "digests_rewritten": 0,
    }
    late = mill.session(DAYS[3], *GRIND)
    assert look(mill)["corroborated"] == 1
    (memory,) = mill.derived()
    assert late.id in {link.to_id for link in links.list_of_memory(mill.db, memory.id)}
    mill.session("2026-03-25", *ran("./scripts/other.sh"))
    assert look(mill)["corroborated"] == 0


def test_what_was_rejected_does_not_return_in_other_words(mill: Mill) -> None:
    for day in DAYS[:3]:
        mill.session(day, *GRIND)
    look(mill)
    reject_candidates(
        mill.db, OPERATOR, [mill.derived()[0].id], PLAIN_REDACTOR, reason="we do not clean any more"
    )
    for day in ("2026-03-20", "2026-03-22", "2026-03-27"):
        mill.session(day, *GRIND, *ran("make bread"))
    assert look(mill)["proposed"] == 0
    assert len(mill.derived()) == 1


def test_what_is_known_already_is_not_proposed(mill: Mill) -> None:
    mill.add(
        "Before grinding run `git pull`, `./scripts/clean.sh` and `make tables`", kind="workflow"
    )
    for day in DAYS:
        mill.session(day, *GRIND)
    assert look(mill)["proposed"] == 0


@pytest.mark.parametrize(
    "things",
    [
        ran("ls", "cat README.md", "grep -n x y"),
        ran("git status", "git diff", "git add .", "git commit -m x"),
        ran("npm install", "npm test"),
        ran("git pull", "git push"),
        [("failed", "./scripts/clean.sh", "boom"), ("failed", "make tables", "boom")],
    ],
)
def test_what_says_nothing_is_not_proposed(mill: Mill, things: list[tuple[str, ...]]) -> None:
    for day in DAYS:
        mill.session(day, *things)
    assert look(mill)["proposed"] == 0


def test_three_steps_that_every_project_knows_are_a_way_of_their_own(mill: Mill) -> None:
    for day in DAYS:
        mill.session(day, *ran("git pull && pnpm i && pnpm test"))
    look(mill)
    (memory,) = mill.derived()
    assert memory.title == "git pull, then pnpm i, then pnpm test"
    assert evidence.list_of_memory(mill.db, memory.id)[0].quote == "git pull && pnpm i && pnpm test"


def test_too_few_sessions_or_too_few_days_are_not_enough(mill: Mill) -> None:
    for day in DAYS[:2]:
        mill.session(day, *GRIND)
    assert look(mill)["proposed"] == 0
    other = Mill(mill.db.path.parent / "other")
    for _ in range(5):
        other.session(DAYS[0], *GRIND)
    assert look(other)["proposed"] == 0


def test_steps_in_no_fixed_order_are_no_way(mill: Mill) -> None:
    one, two = "./scripts/clean.sh", "make tables"
    for number, day in enumerate((*DAYS, "2026-03-24", "2026-03-28")):
        mill.session(day, *ran(*((one, two) if number % 2 else (two, one))))
    assert look(mill)["proposed"] == 0


def test_forks_helpers_and_replays_of_one_session_are_one_origin(mill: Mill) -> None:
    mill.session(DAYS[0], *GRIND, id="first")
    mill.session(DAYS[1], *GRIND, parent="first")
    mill.session(DAYS[2], *GRIND, parent="first")
    mill.session(DAYS[3], turns=turns_of(f"{DAYS[0]}T09:00:00.000Z", [("asked", "Go on"), *GRIND]))
    assert look(mill)["proposed"] == 0


def test_sessions_whose_episode_was_forgotten_do_not_count(mill: Mill) -> None:
    episodes = [mill.session(day, *GRIND) for day in DAYS[:3]]
    forget_records(mill.db, OPERATOR, [episodes[0].id], PLAIN_REDACTOR, reason=None, dry_run=False)
    assert look(mill)["proposed"] == 0


def test_projects_do_not_mix(mill: Mill) -> None:
    bakery = mill.project("bakery")
    for number, day in enumerate(DAYS):
        mill.session(day, *GRIND, project=bakery.id if number % 2 else None)
    assert look(mill)["proposed"] == 0


def test_a_muted_rule_proposes_nothing(mill: Mill) -> None:
    mill.add("some way", rule="tiers.steps", status="inbox")
    set_muted(mill.db, OPERATOR, "tiers.steps", PLAIN_REDACTOR, muted=True)
    for day in DAYS:
        mill.session(day, *GRIND)
    done = look_without_quotes(mill)
    assert (done["proposed"], done["muted"]) == (0, 1)


def look_without_quotes(mill: Mill) -> dict[str, int]:
    return update.update_patterns(mill.db, mill.config)


def test_it_can_be_turned_off(mill: Mill) -> None:
    mill.config = replace(
        mill.config,
        values={**mill.config.values, "patterns.sessions": 0, "patterns.digest_after": 0},
    )
    for day in DAYS:
        mill.session(day, *GRIND)
    assert look(mill)["proposed"] == 0


def test_what_was_approved_stays_as_it_is_when_more_sessions_do_the_same(mill: Mill) -> None:
    for day in DAYS[:3]:
        mill.session(day, *GRIND)
    look(mill)
    approve_records(mill.db, mill.config, OPERATOR, [mill.derived()[0].id], reason=None)
    mill.session(DAYS[3], *GRIND)
    look(mill)
    (memory,) = mill.derived()
    assert memory.status == "active" and memory.trust == OPERATOR_SAID


# -- ways out of errors, files, work asked for --


def stuck(fix: str = "docker compose up -d db", port: int = 5433) -> list[tuple[str, ...]]:
    error = f"running\nError: connect ECONNREFUSED 127.0.0.1:{port}\nfailed"
    return [("failed", "pnpm test", error), ("ran", fix), ("ran", "pnpm test")]


def test_what_helped_after_the_same_error_every_time_is_a_proposed_fix(mill: Mill) -> None:
    for number, day in enumerate(DAYS):
        mill.session(day, *stuck(port=5433 + number))
    look(mill)
    (memory,) = mill.derived("tiers.fix")
    assert memory.kind == "fix"
    assert (
        memory.content == "`pnpm test` failed with `Error: connect ECONNREFUSED 127.0.0.1:5433` "
        "until `docker compose up -d db` was run."
    )


def test_where_a_file_was_changed_in_between_the_command_was_not_the_fix(mill: Mill) -> None:
    for day in DAYS:
        failed, fix, again = stuck()
        mill.session(day, failed, ("changed", "src/stone.py"), fix, again)
    look(mill)
    assert mill.derived("tiers.fix") == []


def test_other_ways_out_each_time_are_no_fix(mill: Mill) -> None:
    for number, day in enumerate(DAYS):
        mill.session(day, *stuck(f"./scripts/way{number}.sh"))
    look(mill)
    assert mill.derived("tiers.fix") == []


def test_files_that_always_change_together_become_a_proposed_convention(mill: Mill) -> None:
    both = [("changed", "api/grain.json"), ("changed", "docs/contract.md")]
    for day in (*DAYS, "2026-03-23"):
        mill.session(day, *both)
    for day in ("2026-03-04", "2026-03-06", "2026-03-11", "2026-03-13"):
        mill.session(day, ("changed", "src/stone.py"))
    look(mill)
    (memory,) = mill.derived("tiers.together")
    assert memory.content == "Whoever changes `api/grain.json` changes `docs/contract.md` too."


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("src/stone.py", "tests/test_stone.py"),
        ("package.json", "package-lock.json"),
        ("src/wheel.ts", "src/wheel.css"),
    ],
)
def test_files_that_belong_together_by_their_names_are_no_news(mill: Mill, a: str, b: str) -> None:
    for day in DAYS:
        mill.session(day, ("changed", a), ("changed", b))
    for day in ("2026-03-04", "2026-03-06", "2026-03-11", "2026-03-13"):
        mill.session(day, ("changed", "src/bread.py"))
    look(mill)
    assert mill.derived("tiers.together") == []


def test_a_file_that_changes_in_every_session_goes_with_none(mill: Mill) -> None:
    for day in DAYS:
        mill.session(day, ("changed", "api/grain.json"), ("changed", "CHANGELOG.md"))
    for day in ("2026-03-04", "2026-03-06"):
        mill.session(day, ("changed", "src/bread.py"), ("changed", "CHANGELOG.md"))
    look(mill)
    assert mill.derived("tiers.together") == []


def test_work_asked_for_again_and_again_is_proposed_with_the_steps_it_takes(mill: Mill) -> None:
    asks = (
        "Update the tide tables for March",
        "update the tide tables for April",
        "Please update the tide tables for May",
        "Update tide tables",
    )
    for day, ask in zip(DAYS, asks, strict=True):
        mill.session(day, *ran("./scripts/fetch.sh tides"), ("changed", "data/tides.json"), ask=ask)
    look(mill)
    (memory,) = mill.derived()
    assert (memory.rule, memory.kind) == ("tiers.asked", "workflow")
    assert (
        memory.content == "What “Update tide tables” takes: `./scripts/fetch.sh tides`; "
        "it changes `data/tides.json`."
    )
    assert memory.trust == 2


def test_what_differs_from_time_to_time_is_left_open_and_what_every_session_does_is_left_out(
    mill: Mill,
) -> None:
    for day, month in zip(DAYS, ("March", "April", "May", "June"), strict=True):
        mill.session(
            day,
            *ran("make seed", "./scripts/fetch.sh tides"),
            ask=f"Update the tide tables for {month}",
        )
    for day in ("2026-03-04", "2026-03-06", "2026-03-11"):
        mill.session(day, *ran("make seed", "./scripts/grind.sh"))
    look(mill)
    (memory,) = mill.derived("tiers.asked")
    assert (
        memory.content == "What “Update the tide tables for …” takes: `./scripts/fetch.sh tides`."
    )


def test_work_that_takes_nothing_of_its_own_is_not_proposed(mill: Mill) -> None:
    for day in DAYS:
        mill.session(day, *ran("npm test"), ask="Fix the failing wheel tests")
    look(mill)
    assert mill.derived() == []
