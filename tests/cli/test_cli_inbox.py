"""The inbox at the command line: list, approve, reject, edit as YAML, review."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from memctl.cli.text.review import format_word_diff

Run = Callable[..., Any]
Items = list[dict[str, Any]]


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """An editor that runs a Python snippet on `entries`; returns where each saved file is kept."""

    def install(snippet: str) -> Path:
        seen, script = tmp_path / "seen.yaml", tmp_path / "editor.py"
        script.write_text(
            "import sys, yaml, shutil\npath = sys.argv[1]\n"
            f"shutil.copy(path, {str(seen)!r})\ntext = open(path).read()\n"
            f"entries = yaml.safe_load(text)\n{snippet}\n"
            "is_text = isinstance(entries, str)\n"
            "saved = entries if is_text else yaml.safe_dump(entries, sort_keys=False)\n"
            "open(path, 'w').write(saved)\n"
        )
        monkeypatch.setenv("EDITOR", f"{os.sys.executable} {script}")  # type: ignore[attr-defined]
        return seen

    return install


def statuses(here: Run, ids: list[str]) -> list[str]:
    return [here("show", one, "--json").data["status"] for one in ids]


def test_several_ids_after_approve_are_all_approved(
    here: Run, candidates: Items, operator: None
) -> None:
    ids = [item["id"] for item in candidates if item["type"] != "decision"][:3]
    done = here("inbox", "--approve", *ids, "--json")
    assert done.code == 0
    assert [changed["id"] for changed in done.data["changed"]] == ids
    assert statuses(here, ids) == ["active"] * 3


def test_a_rejected_candidate_keeps_its_reason(
    here: Run, candidates: Items, operator: None
) -> None:
    one = next(item["id"] for item in candidates if item["type"] == "task_hint")
    assert here("inbox", "--reject", one, "--reason", "was a joke").code == 0
    record = here("show", one, "--json").data
    assert record["status"] == "archived" and "was a joke" in record["status_reason"]


def test_all_that_one_filter_finds_can_be_rejected_at_once_after_a_look(
    here: Run, candidates: Items, operator: None
) -> None:
    kind = candidates[0]["kind"]
    told = here("inbox", "--reject-all", "--kind", kind, "--dry-run", "--json").data
    assert told["dry_run"] and {item["kind"] for item in told["changed"]} == {kind}
    assert here("inbox", "--reject-all", "--kind", kind, "--reason", "not about us").code == 0
    assert {item["kind"] for item in here("inbox", "--all", "--json").data["items"]} == {
        item["kind"] for item in candidates
    } - {kind}
    assert here("inbox", "--reject-all", "--kind", kind).code == 0
    assert here("inbox", "--reject-all", "--approve-all").code == 2


def test_bare_ids_without_approve_or_reject_are_refused(here: Run, candidates: Items) -> None:
    assert here("inbox", candidates[0]["id"]).code == 2
    assert here("inbox", candidates[0]["id"], "--approve", "x", "--reject", "y").code == 2


def test_modes_that_exclude_each_other_are_refused(here: Run, candidates: Items) -> None:
    for words in (["--approve-all", "--edit"], ["--review", "--reject", "x"], ["--reason", "x"]):
        assert here("inbox", *words).code == 2, words


def test_a_dry_run_changes_nothing(here: Run, candidates: Items, operator: None) -> None:
    ids = [item["id"] for item in candidates]
    planned = here("inbox", "--approve-all", "--dry-run", "--json")
    assert planned.data["dry_run"] and planned.data["changed"]
    rejected = here("inbox", "--reject", ids[0], "--dry-run", "--json")
    assert rejected.data["dry_run"] and rejected.data["changed"]
    assert set(statuses(here, ids)) == {"inbox"}


def test_filters_narrow_the_list_and_what_approve_all_takes(
    here: Run, candidates: Items, operator: None
) -> None:
    hints = [item["id"] for item in candidates if item["type"] == "task_hint"]
    assert [
        item["id"] for item in here("inbox", "--type", "task_hint", "--json").data["items"]
    ] == hints
    done = here("inbox", "--approve-all", "--type", "task_hint", "--max-confidence", "1", "--json")
    assert [changed["id"] for changed in done.data["changed"]] == hints
    source = candidates[0]["source_ref"]
    assert (
        here("inbox", "--source", source, "--json").data["total"]
        == here("inbox", "--source", "conversation", "--json").data["total"]
        > 0
    )


def test_a_part_of_the_list_says_how_many_there_are(here: Run, candidates: Items) -> None:
    shown = here("inbox", "--limit", "1", "--offset", "1")
    assert shown.stdout.splitlines()[-2] == f"1 of {len(candidates)}; --all shows the rest."


def test_what_is_saved_in_the_editor_is_done(
    here: Run, candidates: Items, operator: None, editor: Callable[[str], Path]
) -> None:
    ids = [item["id"] for item in candidates if item["type"] != "decision"][:3]
    seen = editor(
        f"by = {{entry['id']: entry for entry in entries}}\n"
        f"by[{ids[0]!r}] |= {{'decision': 'approve', 'title': 'Another title'}}\n"
        f"by[{ids[1]!r}] |= {{'decision': 'reject', 'reason': 'not so'}}\n"
    )
    done = here("inbox", "--edit", "--json")
    assert done.code == 0
    assert [report["verb"] for report in done.data["items"]] == ["edited", "rejected", "approved"]
    assert done.data["kept"] == len(candidates) - 2
    assert statuses(here, ids) == ["active", "archived", "inbox"]
    assert here("show", ids[0], "--json").data["title"] == "Another title"
    offered = yaml.safe_load(seen.read_text())
    assert {entry["id"] for entry in offered} == {item["id"] for item in candidates}
    assert all(
        evidence["quote"][:20] in " ".join(seen.read_text().split())
        for evidence in candidates[0]["evidence"]
    )


def test_an_untouched_file_changes_nothing(
    here: Run, candidates: Items, operator: None, editor: Callable[[str], Path]
) -> None:
    editor("entries = text")
    assert here("inbox", "--edit", "--json").data == {
        "items": [],
        "kept": len(candidates),
        "dry_run": False,
    }


@pytest.mark.parametrize(
    "snippet",
    [
        "entries = text + '\\n: : :['",
        "entries[0]['decision'] = 'maybe'",
        "entries[0]['id'] = 'unknown'",
        "entries[0]['titel'] = 'x'",
        "entries[0]['type'] = 'poem'",
        "entries[0]['content'] = 7",
        "entries.append(entries[0])",
        "entries = 'just text'",
    ],
)
def test_a_slip_in_the_editor_loses_nothing(
    here: Run, candidates: Items, editor: Callable[[str], Path], snippet: str
) -> None:
    editor(snippet)
    failed = here("inbox", "--edit")
    assert failed.code == 2
    kept = Path(failed.stderr.split("kept: ")[1].strip())
    assert kept.read_text().strip()
    assert set(statuses(here, [item["id"] for item in candidates])) == {"inbox"}
    kept.unlink()


def test_an_editor_that_fails_does_nothing(
    here: Run, candidates: Items, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "false")
    failed = here("inbox", "--edit")
    assert failed.code == 2 and "nothing was done" in failed.stderr
    monkeypatch.setenv("EDITOR", "/nowhere/editor")
    assert here("inbox", "--edit").code == 2


def test_candidates_are_reviewed_one_by_one_at_a_terminal(
    memctl: Run, pty_memctl: Run, db: Path, session: Path
) -> None:
    memctl("capture-session", session)
    memctl("maintain")
    before = memctl("inbox", "--all", "--json").data
    prompt = r"\[q\]uit:"
    seen = pty_memctl(
        "inbox",
        "--review",
        answers=[(prompt, "a"), (prompt, "r no"), (prompt, "s"), (prompt, "q")],
    )
    assert seen.code in (0, 1)
    assert "1 of " in seen.stdout and '"' in seen.stdout
    after = memctl("inbox", "--all", "--json").data["total"]
    assert after == before["total"] - 2


def test_a_review_gives_a_decision_its_reason_and_shows_no_session_as_nearest(
    memctl: Run, pty_memctl: Run, db: Path, session: Path
) -> None:
    memctl("capture-session", session)
    memctl("maintain")
    memctl("ingest", "Agreed: nightly", "--type", "decision", "--global")
    waiting = next(
        item
        for item in memctl("inbox", "--all", "--json").data["items"]
        if item["content"] == "Agreed: nightly"
    )
    prompt = r"\[q\]uit:"
    seen = pty_memctl(
        "inbox",
        "--review",
        waiting["id"],
        answers=[(prompt, "?"), (prompt, "a"), ("Why was it", "the tariff is low then")],
    )
    assert seen.code == 0 and "1 of 1" in seen.stdout and "s leaves it for later" in seen.stdout
    assert "operator_said" not in seen.stdout and "episode" not in seen.stdout
    record = memctl("show", waiting["id"], "--json").data
    assert (record["status"], record["rationale"]) == ("active", "the tariff is low then")


def test_quitting_after_an_edit_stops_the_review(
    memctl: Run, pty_memctl: Run, db: Path, session: Path, editor: Callable[[str], Path]
) -> None:
    memctl("capture-session", session)
    memctl("maintain")
    editor("entries['title'] = 'Another title'")
    prompt = r"\[q\]uit:"
    seen = pty_memctl(
        "inbox",
        "--review",
        answers=[(prompt, "e"), (prompt, "q")],
        env={"EDITOR": os.environ["EDITOR"]},
    )
    assert seen.code == 0 and "2 of " not in seen.stdout and "Another title" in seen.stdout


def test_only_the_given_candidates_are_edited(
    here: Run, candidates: Items, operator: None, editor: Callable[[str], Path]
) -> None:
    ids = [item["id"] for item in candidates if item["type"] != "decision"]
    seen = editor("entries[0]['decision'] = 'approve'")
    done = here("inbox", "--edit", ids[1], "--json")
    assert done.code == 0 and done.data["kept"] == len(candidates) - 1
    assert [entry["id"] for entry in yaml.safe_load(seen.read_text())] == [ids[1]]
    assert statuses(here, ids[:2]) == ["inbox", "active"]
    again = here("inbox", "--edit", ids[1])
    assert again.code == 21 and "not in the inbox: it is active" in again.stderr


def test_a_review_needs_a_person(here: Run, candidates: Items) -> None:
    assert here("inbox", "--review").code == 2


def test_a_person_at_the_terminal_is_the_operator_and_an_agent_there_is_not(
    memctl: Run, pty_memctl: Run, db: Path
) -> None:
    memctl("init")
    assert pty_memctl("profile", "set", "language", "British").code == 0
    assert pty_memctl("profile", "set", "language", "Swiss", env={"CLAUDECODE": "1"}).code == 21
    assert [item["content"] for item in memctl("profile", "list", "--json").data["items"]] == [
        "language: British"
    ]


def test_restore_asks_first(memctl: Run, pty_memctl: Run, db: Path, tmp_path: Path) -> None:
    memctl("init")
    memctl("backup", tmp_path / "copy.db")
    assert memctl("restore", tmp_path / "copy.db").code == 2
    declined = pty_memctl("restore", tmp_path / "copy.db", answers=[(r"\[y/N\]", "n")])
    assert declined.code == 130 and "nothing was changed" in declined.stdout
    assert pty_memctl("restore", tmp_path / "copy.db", "--yes").code == 0


def test_a_word_diff_shows_what_went_and_what_came() -> None:
    assert (
        format_word_diff("store times in local time", "store times in UTC")
        == "store times in [-local time-] {+UTC+}"
    )
    assert format_word_diff("", "all new") == "{+all new+}"
    assert format_word_diff("same", "same") == "same"
