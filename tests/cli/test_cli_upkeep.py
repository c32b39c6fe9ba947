"""Explaining, upkeep, transfers and settings: what these commands print, and where."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.engine.upkeep import UpkeepOperations
from memctl.results.store import Check, DoctorReport
from memctl.settings import definitions

Run = Callable[..., Any]


@pytest.fixture
def filled(here: Run, operator: None) -> list[str]:
    """A store with two facts and a decision; their ids."""
    for text in ("The tide API is billed per call", "Tests run with pytest -q"):
        here("ingest", text, "--kind", "fact")
    here("ingest", "Times are stored in UTC", "--type", "decision", "--rationale", "clocks change")
    return [item["id"] for item in here("list", "--json").data["items"]]


def test_a_search_says_why_and_on_request_how(here: Run, filled: list[str]) -> None:
    plain, explained = (
        here("search", "tide", "API").stdout,
        here("search", "tide", "API", "--explain").stdout,
    )
    assert "The tide API is billed per call" in plain and "lexical" not in plain
    assert "lexical" in explained and "scope project" in explained


def test_a_past_search_can_be_explained(here: Run, filled: list[str]) -> None:
    retrieval = here("search", "tide API", "--json").data["retrieval_id"]
    told = here("explain", retrieval)
    assert told.code == 0 and "The tide API is billed per call" in told.stdout
    assert here("log", "retrievals", "--json").data["retrievals"][0]["id"] == retrieval


def test_absence_is_explained(here: Run, filled: list[str]) -> None:
    here("forget", filled[0])
    told = here("search", "times UTC", "--why-not", filled[0], "--json").data
    assert told["reason"] == "archived" and told["sentence"]


def test_a_context_is_fenced_and_within_its_budget(here: Run, filled: list[str]) -> None:
    report = here("context", "--task", "call the tide API", "--budget", "120", "--json").data
    assert report["text"].startswith("<memctl-context") and report["tokens"] <= 120
    assert (
        here("context", "--task", "call the tide API").stdout.rstrip().endswith("</memctl-context>")
    )


def test_a_context_of_an_empty_store_prints_nothing(here: Run) -> None:
    here("init")
    assert here("context", "--task", "anything").stdout == ""


def test_quiet_maintenance_says_nothing_unless_there_is_a_problem(here: Run, session: Path) -> None:
    here("capture-session", session)
    done = here("maintain", "--quiet")
    assert (done.code, done.stdout, done.stderr) == (0, "", "")
    assert here("inbox", "--json").data["total"] > 0


def test_what_is_quick_shows_no_progress_anywhere(memctl: Run, pty_memctl: Run, db: Path) -> None:
    memctl("init")
    assert "maintaining:" not in memctl("maintain").stdout + memctl("maintain").stderr
    shown = pty_memctl("maintain", env={"TERM": "xterm", "NO_COLOR": "1"}).stdout
    assert "\x1b" not in shown


def test_a_repair_shows_its_plan_first(
    here: Run, filled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Check("index", "problem", "2 entries differ", "memctl doctor --repair")
    calls: list[bool] = []

    def doctor(
        _upkeep: UpkeepOperations, *, repair: bool = False, progress: object = None
    ) -> DoctorReport:
        calls.append(repair)
        return DoctorReport((broken,), ("index",) if repair else ())

    monkeypatch.setattr(UpkeepOperations, "doctor", doctor)
    done = here("doctor", "--repair")
    assert calls == [False, True]
    assert done.stderr.splitlines() == [
        "memctl: a backup is made, then what can be repaired is repaired:",
        "  index: 2 entries differ",
    ]
    assert done.code == 1 and "repaired index" in done.stdout


def test_a_healthy_store_is_not_repaired(here: Run, filled: list[str]) -> None:
    done = here("doctor", "--repair", "--json")
    assert (done.code, done.data["backup"], done.data["repaired"], done.stderr) == (0, None, [], "")


def test_what_was_exported_can_be_imported_elsewhere(
    here: Run, filled: list[str], tmp_path: Path
) -> None:
    exported = here("export")
    lines = [json.loads(line) for line in exported.stdout.splitlines()]
    assert exported.code == 0 and lines[0]["memctl_export"] == 1
    (tmp_path / "all.jsonl").write_text(exported.stdout)
    other = ("--db", tmp_path / "other.db")
    assert here(*other, "import", tmp_path / "all.jsonl", "--dry-run").code == 0
    assert here(*other, "import", tmp_path / "all.jsonl").code == 0
    assert {item["id"] for item in here(*other, "list", "--json").data["items"]} == set(filled)


def test_an_import_with_bad_lines_is_done_with_problems(
    here: Run, filled: list[str], tmp_path: Path
) -> None:
    (tmp_path / "all.jsonl").write_text(here("export").stdout + "{broken\n")
    done = here("--db", tmp_path / "other.db", "import", tmp_path / "all.jsonl", "--json")
    assert (done.code, done.json["status"]) == (1, "problems") and done.json["errors"]


def test_a_backup_is_restored_with_all_its_records(
    here: Run, filled: list[str], tmp_path: Path
) -> None:
    here("backup", tmp_path / "copy.db")
    here("forget", *filled)
    assert here("restore", tmp_path / "copy.db", "--yes").code == 0
    assert here("list", "--json").data["total"] == len(filled)


def test_every_setting_is_shown_with_where_it_came_from(
    here: Run, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    path = home / ".config" / "memctl" / "config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("search:\n  limit: 3\n")
    monkeypatch.setenv("MEMCTL_CONTEXT_BUDGET", "700")
    told = {
        item["key"]: (item["value"], item["origin"])
        for item in here("config", "--json").data["items"]
    }
    assert set(told) == {"db", *(setting.key for setting in definitions.SETTINGS)}
    assert told["search.limit"] == (3, str(path))
    assert told["context.budget"] == (700, "MEMCTL_CONTEXT_BUDGET")
    assert told["search.relevance_threshold"][1] == "default" and told["db"][1] == "MEMCTL_DB"
    assert here("config", "--path").stdout == f"{path}\n"


def test_a_wrong_setting_is_named_and_exits_2(here: Run, home: Path) -> None:
    path = home / ".config" / "memctl" / "config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("search:\n  limt: 3\n")
    failed = here("list")
    assert failed.code == 2 and "search.limt" in failed.stderr and "search.limit" in failed.stderr


def test_the_example_config_is_accepted_as_it_is(here: Run, home: Path) -> None:
    path = home / ".config" / "memctl" / "config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(here("config", "--example").stdout)
    assert here("config").code == 0


def test_projects_are_known_linked_and_adopted(
    here: Run, filled: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "charts").mkdir()
    monkeypatch.chdir(tmp_path / "charts")
    here("ingest", "Charts are vectors", "--kind", "fact")
    assert here("project", "link", "work", "charts", "--json").data["items"][0]["linked"] == [
        "charts"
    ]
    assert here("project", "alias", "charts", "name", "maps").code == 0
    assert here("project", "show", "maps", "--json").data["items"][0]["project"]["name"] == "charts"
    assert (
        here("project", "adopt", "charts", "work", "--json").data["items"][0]["records"]["active"]
        == 4
    )
    assert here("project", "show", "nothing").code == 20


def test_a_slip_in_the_editor_can_be_mended_at_a_terminal(
    memctl: Run, pty_memctl: Run, db: Path, session: Path, tmp_path: Path
) -> None:
    memctl("capture-session", session)
    memctl("maintain")
    script, drafts = tmp_path / "editor.py", tmp_path / "drafts"
    drafts.mkdir()
    # Breaks the file at the first opening and approves everything at the second.
    script.write_text(
        "import sys\ntext = open(sys.argv[1]).read()\n"
        "old, new = ('maybe', 'approve') if 'maybe' in text else ('keep', 'maybe')\n"
        "open(sys.argv[1], 'w').write(text.replace(f'decision: {old}', f'decision: {new}'))\n"
    )
    env = {"EDITOR": f"{sys.executable} {script}", "TMPDIR": str(drafts)}
    done = pty_memctl("inbox", "--edit", answers=[(r"Edit again\? \[Y/n\]", "y")], env=env)
    assert "decision must be one of keep, approve, reject" in done.stdout
    assert done.code in (0, 1) and "approved" in done.stdout
    assert list(drafts.iterdir()) == []


@pytest.mark.parametrize(("names", "own"), [("[]", "agent_claimed"), ("[ben]", "operator_said")])
def test_in_a_chat_only_the_operators_own_statements_count_as_theirs(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: str, own: str
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(f"operator:\n  names: {names}\n")
    monkeypatch.setenv("MEMCTL_CONFIG", str(path))
    chat = (
        "Ana: We should use Postgres for the ledger.\n"
        "Ben: Agreed, let's go with Postgres, because we need row locks.\n"
    )
    assert here("capture-conversation", stdin=chat).code == 0 and here("maintain").code == 0
    items = here("inbox", "--all", "--json").data["items"]
    wanted = {("Ana", "agent_claimed", "agent_claimed"), ("Ben", own, own)}
    assert {
        (proof["speaker"], proof["trust"], item["trust"])
        for item in items
        for proof in item["evidence"]
    } == wanted
    assert "Ana said it" in here("inbox").stdout
