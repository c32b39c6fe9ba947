"""A record that a newer one may replace is told with the newer one, by the real command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memctl import MemoryEngine
from memctl.store import event_log, marks

Here = Callable[..., Any]

pytestmark = pytest.mark.needs("weights")

OLD = "The frontend linter is ESLint."
BESIDE = "Backups are stored in S3."
NEW = "From Monday the frontend is linted by Biome, ESLint took 90 s per run."
REMARK = "may replace this"


@pytest.fixture
def told(
    here: Here, operator: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[str]]:
    """Let an agent write statements, a day after one another, in one project; maintain; return
    their ids.
    """
    assert here("init").code == 0

    def write(*texts: str, first: int = 1, maintain: bool = True, **more: Any) -> list[str]:
        lines = [
            {
                "type": "project",
                "content": text,
                "observed_at": f"2026-03-{first + day:02d}T10:00:00Z",
                **more,
            }
            for day, text in enumerate(texts)
        ]
        file = tmp_path / f"told-{first}.jsonl"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        with monkeypatch.context() as patch:
            patch.delenv("MEMCTL_CONFIG")
            if "agent" in more:
                patch.setenv("MEMCTL_AGENT", more["agent"])
            done = here("ingest", "--file", file, "--json")
        assert done.code == 0, done.stdout
        if maintain:
            assert here("maintain", "--json").data["problems"] == []
        return [item["record"]["id"] for item in done.data["items"]]

    return write


@pytest.fixture
def pair(told: Callable[..., list[str]]) -> tuple[str, str]:
    """An older and a newer answer to one question, with something else between them."""
    old, _, new = told(OLD, BESIDE, NEW)
    return old, new


def list_opinions(here: Here) -> list[dict[str, Any]]:
    """How agents would resolve pairs, as far as that waits."""
    waiting = here("inbox", "--json").data["proposals"]
    return [each for each in waiting if each["kind"] == "resolve"]


def find_newer(here: Here, memory_id: str) -> dict[str, Any] | None:
    newer: dict[str, Any] | None = here("show", memory_id, "--json").data["newer"]
    return newer


def list_items(report: Any) -> list[dict[str, Any]]:
    return [item for section in report.data["sections"] for item in section["items"]]


def test_whoever_is_served_the_older_answer_is_told_of_the_newer_and_its_day(
    here: Here, pair: tuple[str, str]
) -> None:
    old, new = pair
    hits = {hit["id"]: hit for hit in here("search", "frontend linter", "--json").data["items"]}
    assert hits[old]["newer"]["id"] == new and hits[old]["newer"]["text"] == NEW
    assert hits[old]["newer"]["observed_at"].startswith("2026-03-03")
    assert hits[new]["newer"] is None
    short = hits[old]["newer"]["short"]
    assert f"newer: {short} 2026-03-03, {REMARK}: {NEW}" in here("search", "linter").stdout
    assert f"newer: {short} 2026-03-03, {REMARK}" in here("show", old).stdout
    assert f"(newer: [{short}] 2026-03-03, {REMARK}" in here("context").stdout
    task = here("context", "--task", "frontend linter", "--json")
    assert {item["id"]: item["newer"] for item in list_items(task)}[old] == new


def test_what_nobody_asks_anew_has_no_mark(here: Here, told: Callable[..., list[str]]) -> None:
    ids = told(OLD, BESIDE, "The frontend is deployed to Netlify now.", "Biome is a lake in Peru.")
    assert [find_newer(here, each) for each in ids] == [None] * 4


def test_a_mark_changes_no_rank_and_pushes_nothing_out(here: Here, pair: tuple[str, str]) -> None:
    old, _ = pair

    def ask() -> tuple[list[str], list[str]]:
        hits = here("search", "frontend linter backups", "--json").data["items"]
        task = list_items(here("context", "--task", "frontend linter", "--json"))
        return [hit["id"] for hit in hits], [item["id"] for item in task]

    with_mark = ask()
    with MemoryEngine.open() as engine, engine.open_to_write().write():
        marks.drop_mark(engine.open_to_write(), old)
    assert find_newer(here, old) is None
    assert ask() == with_mark


def ask_at_prompt(here: Here, prompt: str, session: str = "s1") -> list[str]:
    """The lines that a session is told at a prompt."""
    event = {
        "session_id": session,
        "hook_event_name": "UserPromptSubmit",
        "cwd": str(Path.cwd()),
        "prompt": prompt,
    }
    said = here("hook", "claude-code", "user-prompt-submit", stdin=json.dumps(event)).stdout
    text = json.loads(said)["hookSpecificOutput"]["additionalContext"] if said.strip() else ""
    return [line for line in text.splitlines() if line.startswith("- [")]


def test_the_newer_one_stands_beside_the_older_where_nothing_else_brings_it(
    here: Here, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_CONTEXT_PROMPT_HITS", "1")
    first, second = ask_at_prompt(here, "What is the frontend linter?")
    assert OLD in first and REMARK in first
    assert NEW in second and REMARK not in second
    assert ask_at_prompt(here, "Who lints the frontend? Biome?") == [], "it was told both"


def test_without_room_for_the_newer_one_its_id_and_day_are_told_within_the_budget(
    here: Here, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, new = pair
    monkeypatch.setenv("MEMCTL_CONTEXT_PROMPT_HITS", "1")
    monkeypatch.setenv("MEMCTL_CONTEXT_PROMPT_BUDGET", "85")
    [line] = ask_at_prompt(here, "What is the frontend linter?")
    assert OLD in line and f"newer: [{new[:10]}" in line and "2026-03-03" in line


def test_a_session_is_told_the_remark_once(here: Here, pair: tuple[str, str]) -> None:
    lines = ask_at_prompt(here, "Which frontend linter do we use?")
    assert sum(REMARK in line for line in lines) == 1
    assert ask_at_prompt(here, "Which frontend linter do we use?") == []
    assert len(ask_at_prompt(here, "Which frontend linter do we use?", "s2")) == len(lines)


def test_context_explain_says_what_speaks_for_a_remark(here: Here, pair: tuple[str, str]) -> None:
    old, new = pair
    [mark] = here("context", "--explain", "--json").data["marks"]
    assert (mark["id"], mark["newer"], mark["is_told"]) == (old, new, True)
    assert "seems to answer the same question anew" in here("context", "--explain").stdout
    assert here("context", "--json").data["marks"] == []
    assert f"newer: {new[:10]}" in here("search", "harbour", "--why-not", old).stdout


CHANGES: dict[str, tuple[tuple[object, ...], ...]] = {
    "the newer one is forgotten": (("forget", "{new}"),),
    "the newer one is edited": (("edit", "{new}", "--content", "The office closes at six."),),
    "the older one is confirmed": (("confirm", "{old}"),),
    "the older one is superseded": (("resolve", "--supersede", "{new}", "{old}"),),
    "both hold": (("resolve", "{old}", "{new}", "--dismiss", "--reason", "two frontends"),),
    "the newer one is purged": (("purge", "{new}", "--yes"),),
    "the two are linked by hand": (("link", "{new}", "supports", "{old}"),),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_mark_goes_with_what_it_rests_on(here: Here, pair: tuple[str, str], name: str) -> None:
    old, new = pair
    assert find_newer(here, old)
    for args in CHANGES[name]:
        done = here(*(str(arg).format(old=old, new=new) for arg in args))
        assert done.code == 0, done.stdout + done.stderr
    assert find_newer(here, old) is None, "at once"
    assert here("maintain", "--json").data["problems"] == []
    assert find_newer(here, old) is None, "and for good"
    assert here("conflicts", "--undecided", "--json").data["items"] == []


def test_a_mark_is_made_again_once_what_took_it_away_is_undone(
    here: Here, pair: tuple[str, str]
) -> None:
    old, new = pair
    assert here("resolve", old, new, "--dismiss").code == 0
    with MemoryEngine.open() as engine:
        last = event_log.get_last_number(engine.open_to_read())
    here("maintain")
    assert find_newer(here, old) is None
    assert here("revert", last, "--yes").code == 0
    here("maintain")
    assert (find_newer(here, old) or {}).get("id") == new


def test_what_nobody_approved_is_named_nowhere_until_it_is_approved(
    here: Here, told: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    [old] = told(OLD)
    [new] = told(NEW, first=5, kind="convention")
    assert here("show", new, "--json").data["status"] == "inbox"
    assert find_newer(here, old) is None and REMARK not in here("context").stdout
    undecided = here("conflicts", "--undecided", "--json").data["items"]
    assert [each for each in undecided if each["kind"] == "mark"] == []
    assert here("inbox", "--approve", new).code == 0
    newer = find_newer(here, old)
    assert newer is not None and newer["id"] == new, "as soon as it is approved"


def test_no_mark_reaches_beyond_its_place(
    here: Here, told: Callable[..., list[str]], tmp_path: Path
) -> None:
    (old,) = told(OLD)
    told(NEW, first=3, scope="agent", agent="codex")
    assert here("ingest", NEW, "--scope", "global", "--type", "project").code == 0
    here("maintain")
    assert find_newer(here, old) is None
    for agent in ("codex", "claude-code"):
        assert REMARK not in here("context", "--agent", agent).stdout


def test_an_agent_sees_the_marks_of_its_own_notes_alone(
    here: Here, told: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {"scope": "agent", "agent": "codex"}
    told(OLD, NEW, **own)
    monkeypatch.delenv("MEMCTL_CONFIG")
    listed = ("conflicts", "--undecided", "--json", "--agent")
    monkeypatch.setenv("MEMCTL_AGENT", "codex")
    mine = here(*listed[:-1]).data["items"]
    monkeypatch.setenv("MEMCTL_AGENT", "claude-code")
    assert len(mine) == 1 and here(*listed[:-1]).data["items"] == []


def test_of_several_answers_the_latest_is_named(here: Here, told: Callable[..., list[str]]) -> None:
    again = "We dropped Biome as the frontend linter, oxlint lints it from today."
    first, second, third = told(OLD, NEW, again)
    named = [(find_newer(here, each) or {}).get("id") for each in (first, second, third)]
    assert named == [third, third, None]


def test_another_answer_marks_without_a_word_of_change(
    here: Here, told: Callable[..., list[str]]
) -> None:
    old, beside, new = told(
        "Upstream requests time out after 30 seconds.", BESIDE, "Gateway upstream timeout: 8s"
    )
    named = [(find_newer(here, each) or {}).get("id") for each in (old, beside, new)]
    assert named == [new, None, None]


def test_what_only_says_the_same_again_never_marks(
    here: Here, told: Callable[..., list[str]]
) -> None:
    ids = told(
        "Invoices are due after 14 days.",
        "Customers pay invoices within two weeks.",
        "Upstream requests time out after 30 seconds.",
        "The gateway's upstream timeout is 30s.",
    )
    assert [find_newer(here, each) for each in ids] == [None] * 4


def test_what_was_overtaken_through_its_restatement_names_the_latest(
    here: Here, told: Callable[..., list[str]]
) -> None:
    first, again = told(
        "Upstream requests time out after 30 seconds.", "The gateway's upstream timeout is 30s."
    )
    [latest] = told("upstream timeout of the gateway is 8s since the outage", first=9)
    named = [(find_newer(here, each) or {}).get("id") for each in (first, again, latest)]
    assert named == [latest, latest, None]


def test_what_was_settled_is_not_reached_through_a_restatement(
    here: Here, told: Callable[..., list[str]]
) -> None:
    first, again, latest = told(
        "Upstream requests time out after 30 seconds.",
        "The gateway's upstream timeout is 30s.",
        "upstream timeout of the gateway is 8s since the outage",
    )
    assert (find_newer(here, first) or {}).get("id") == latest
    assert here("resolve", first, latest, "--dismiss").code == 0
    assert here("maintain").code == 0
    assert find_newer(here, first) is None
    assert (find_newer(here, again) or {}).get("id") == latest


def test_a_sentence_that_both_hold_makes_no_mark(
    here: Here, told: Callable[..., list[str]]
) -> None:
    task = "I need an endpoint that lists invoices."
    ids = told(
        f"The suite is run with yarn test:unit. {task}",
        f"{task} UTC is what we store times in.",
        f"July 8 is the public launch date. {task}",
    )
    assert [find_newer(here, each) for each in ids] == [None] * 3


def test_two_records_that_give_one_answer_become_one_until_that_is_undone(
    here: Here, told: Callable[..., list[str]]
) -> None:
    ids = told("Docs are hosted on Netlify.", BESIDE, "Netlify is where the docs site is hosted.")
    shown = {each: here("show", each, "--json").data for each in ids}
    gone = [each for each in ids if shown[each]["status"] == "superseded"]
    assert len(gone) == 1 and shown[ids[1]]["status"] == "active"
    [kept] = {ids[0], ids[2]} - set(gone)
    assert "merged into" in shown[gone[0]]["status_reason"]
    quotes = {item["quote"] for item in shown[kept]["evidence"]}
    assert quotes >= {shown[each]["content"] for each in (kept, gone[0])}
    assert [hit["id"] for hit in here("search", "docs netlify", "--json").data["items"]] == [kept]
    assert here("revert", gone[0], "--yes").code == 0
    assert here("show", gone[0], "--json").data["status"] == "active"
    assert here("maintain", "--step", "consolidate").code == 0
    assert here("show", gone[0], "--json").data["status"] == "active", "it stays undone"


def test_answers_that_differ_are_never_merged(here: Here, told: Callable[..., list[str]]) -> None:
    ids = told(
        "Login sessions are kept in Memcached.",
        "The session store is Redis.",
        "Docs are hosted on Netlify.",
        "Docs are built with Netlify.",
        "Invoices are due after 14 days.",
        "Invoices are archived after 14 years.",
    )
    assert {here("show", each, "--json").data["status"] for each in ids} <= {
        "active",
        "contradicted",
    }


def test_an_agent_proposes_and_the_operator_settles(
    here: Here, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = pair
    [item] = here("conflicts", "--undecided", "--json").data["items"]
    assert (item["kind"], item["newer"]) == ("mark", new)
    assert [side["id"] for side in item["sides"]] == [old, new]
    assert [side["observed_at"][:10] for side in item["sides"]] == ["2026-03-01", "2026-03-03"]
    assert here("conflicts", "--json").data["items"] == []
    command = item["commands"][0].split()[1:]
    with monkeypatch.context() as patch:
        patch.delenv("MEMCTL_CONFIG")
        asked = here(*command, "--reason", "package.json has Biome", "--json")
        assert asked.code == 0 and asked.data["proposed"]
        assert here(*command, "--json").data["proposal"] is None
    assert here("show", old, "--json").data["status"] == "active"
    [waiting] = list_opinions(here)
    assert waiting["id"] == asked.data["proposal"] and "package.json has Biome" in waiting["reason"]
    assert here("inbox", "--approve", waiting["id"]).code == 0
    assert here("show", old, "--json").data["superseded_by"] == new


def test_what_the_operator_settles_ends_what_agents_proposed(
    here: Here, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = pair
    with monkeypatch.context() as patch:
        patch.delenv("MEMCTL_CONFIG")
        here("resolve", "--supersede", new, old)
    assert here("resolve", old, "--dismiss").code == 0, "the one pair that it is in"
    assert list_opinions(here) == []
    assert here("show", old, "--json").data["status"] == "active"


def test_a_store_that_was_marked_otherwise_is_marked_anew(
    here: Here, pair: tuple[str, str]
) -> None:
    old, new = pair
    with MemoryEngine.open() as engine, engine.open_to_write().write():
        db = engine.open_to_write()
        db.run("meta.set", key="marks_made_by", value="another version")
        marks.put_mark(db, new, old, 0.9)
    report = here("maintain", "--step", "marks", "--json")
    assert report.code == 0
    assert (find_newer(here, old) or {}).get("id") == new and find_newer(here, new) is None


def test_a_past_time_knows_no_marks(here: Here, pair: tuple[str, str]) -> None:
    old, _ = pair
    assert here("show", old, "--as-of", "2099-01-01", "--json").data["newer"] is None
    assert REMARK not in here("context", "--as-of", "2099-01-01").stdout


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A project folder to stand in."""
    folder = tmp_path / "reef"
    folder.mkdir()
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    yield
