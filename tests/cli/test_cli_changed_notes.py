"""Files of rules and memories that change: through the commands, what their records become."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RULES = """# Kiln

## Rules

- Always fire with oak, never with pine
- Never leave the kiln alone
- Weigh the glaze in metric units
- Answer in British English
"""
LATER = 4_000_000_000


@pytest.fixture
def page(here: Callable[..., Any], operator: None, home: Path, monkeypatch: Any) -> Path:
    """Rules that were imported and approved, in a project."""
    project = home / "kiln"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    path = project / "CLAUDE.md"
    path.write_text(RULES)
    assert here("import-memories", path).code == 0
    assert here("inbox", "--approve-all").code == 0
    return path


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From here on, an agent runs the commands and nobody sits at the terminal."""

    def begin() -> None:
        monkeypatch.delenv("MEMCTL_CONFIG")
        monkeypatch.setenv("MEMCTL_AGENT", "codex")

    return begin


def status(here: Callable[..., Any], words: str) -> list[str]:
    """The states of the records of these words."""
    every = ("inbox", "active", "superseded", "contradicted", "archived")
    wanted = [part for name in every for part in ("--status", name)]
    items = here("list", *wanted, "--all", "--json").data["items"]
    return sorted(item["status"] for item in items if item["content"] == words)


def import_again(here: Callable[..., Any], path: Path, text: str) -> Any:
    path.write_text(text)
    return here("import-memories", path, "--json").data["items"][0]


def count(item: Any) -> dict[str, int]:
    names = ("new", "changed", "moved", "gone", "back", "unchanged")
    return {name: item[name] for name in names if item[name]}


def test_a_changed_line_takes_the_place_of_the_old_one(
    here: Callable[..., Any], page: Path
) -> None:
    item = import_again(here, page, RULES.replace("oak", "ash"))
    assert count(item) == {"changed": 1, "unchanged": 3}
    assert status(here, "Always fire with oak, never with pine") == ["superseded"]
    assert status(here, "Always fire with ash, never with pine") == ["inbox"]
    context = here("context").stdout
    assert "oak" not in context and "Never leave the kiln alone" in context
    assert here("inbox", "--approve-all").code == 0
    assert "Always fire with ash" in here("context").stdout


def test_what_a_rejected_new_line_replaced_holds_again(
    here: Callable[..., Any], page: Path
) -> None:
    import_again(here, page, RULES.replace("oak", "ash"))
    assert here("inbox", "--reject-all", "--reason", "we stay with oak").code == 0
    assert status(here, "Always fire with oak, never with pine") == ["active"]
    assert "Always fire with oak" in here("context").stdout


def test_where_no_person_answers_for_the_file_the_new_line_is_only_proposed(
    here: Callable[..., Any], page: Path, agent: Callable[[], None]
) -> None:
    agent()
    item = import_again(here, page, RULES.replace("oak", "ash"))
    assert [change["change"] for change in item["changes"]] == ["proposed"]
    assert status(here, "Always fire with oak, never with pine") == ["active"]
    assert status(here, "Always fire with ash, never with pine") == ["inbox"]
    assert "replaces" in here("inbox").stdout or "oak" in here("inbox").stdout


def test_a_proposed_new_line_supersedes_the_old_one_when_it_is_approved(
    here: Callable[..., Any], page: Path
) -> None:
    page.write_text(RULES.replace("oak", "ash"))
    os.utime(page, (LATER, LATER))
    assert here("maintain").code == 0
    assert status(here, "Always fire with oak, never with pine") == ["active"]
    assert here("inbox", "--approve-all").code == 0
    assert status(here, "Always fire with oak, never with pine") == ["superseded"]


def test_a_deleted_line_asks_to_archive_its_record_and_archives_nothing(
    here: Callable[..., Any], page: Path
) -> None:
    item = import_again(here, page, RULES.replace("- Weigh the glaze in metric units\n", ""))
    assert count(item) == {"gone": 1, "unchanged": 3}
    assert status(here, "Weigh the glaze in metric units") == ["active"]
    inbox = here("inbox")
    assert "its line is no longer in CLAUDE.md" in inbox.stdout
    (proposal,) = here("inbox", "--json").data["proposals"]
    assert proposal["kind"] == "archive" and "metric" in proposal["title"]
    assert here("inbox", "--approve", proposal["id"]).code == 0
    assert status(here, "Weigh the glaze in metric units") == ["archived"]


def test_a_last_line_that_is_deleted_is_noticed_too(here: Callable[..., Any], page: Path) -> None:
    item = import_again(here, page, RULES.replace("- Answer in British English\n", ""))
    assert count(item) == {"gone": 1, "unchanged": 3}


def test_a_line_that_comes_back_brings_its_record_back(
    here: Callable[..., Any], page: Path
) -> None:
    without = RULES.replace("- Weigh the glaze in metric units\n", "")
    import_again(here, page, without)
    (proposal,) = here("inbox", "--json").data["proposals"]
    here("inbox", "--approve", proposal["id"])
    item = import_again(here, page, RULES)
    assert count(item)["back"] == 1
    assert status(here, "Weigh the glaze in metric units") == ["active"]


def test_a_question_about_a_line_that_is_back_is_withdrawn(
    here: Callable[..., Any], page: Path
) -> None:
    import_again(here, page, RULES.replace("- Weigh the glaze in metric units\n", ""))
    import_again(here, page, RULES)
    assert here("inbox", "--json").data["proposals"] == []
    assert status(here, "Weigh the glaze in metric units") == ["active"]


def test_a_change_that_is_taken_back_leaves_what_was_approved(
    here: Callable[..., Any], page: Path
) -> None:
    import_again(here, page, RULES.replace("oak", "ash"))
    item = import_again(here, page, RULES)
    assert count(item)["back"] == 1
    assert status(here, "Always fire with oak, never with pine") == ["active"]
    assert status(here, "Always fire with ash, never with pine") == ["superseded"]


def test_a_declined_question_is_not_asked_again(here: Callable[..., Any], page: Path) -> None:
    without = RULES.replace("- Weigh the glaze in metric units\n", "")
    import_again(here, page, without)
    (proposal,) = here("inbox", "--json").data["proposals"]
    assert here("inbox", "--reject", proposal["id"]).code == 0
    import_again(here, page, without + "- Sweep the yard on Mondays\n")
    assert here("inbox", "--json").data["proposals"] == []


def test_moved_lines_stay_the_same_records_and_their_evidence_moves(
    here: Callable[..., Any], page: Path
) -> None:
    before = {item["id"] for item in here("list", "--json").data["items"]}
    moved = RULES.replace("- Answer in British English\n", "") + (
        "\n## Style\n\n- Answer in British English\n"
    )
    item = import_again(here, page, moved)
    assert count(item) == {"moved": 1, "unchanged": 3}
    assert {item["id"] for item in here("list", "--json").data["items"]} == before
    assert here("inbox", "--json").data["total"] == 0
    (english,) = here("search", "British English", "--json").data["items"]
    told = here("explain", english["id"], "--json").data["evidence"]
    assert all(check["state"] == "intact" for check in told if check["evidence"]["source_id"])


def test_what_another_file_still_says_is_not_proposed_to_go(
    here: Callable[..., Any], page: Path
) -> None:
    other = page.parent / "AGENTS.md"
    other.write_text("# Kiln\n\n- Weigh the glaze in metric units\n")
    assert here("import-memories", other).code == 0
    item = import_again(here, page, RULES.replace("- Weigh the glaze in metric units\n", ""))
    assert [change["change"] for change in item["changes"]] == ["said elsewhere"]
    assert here("inbox", "--json").data["proposals"] == []
    other.write_text("# Kiln\n\n- Sweep the yard on Mondays\n")
    assert here("import-memories", other).code == 0
    assert len(here("inbox", "--json").data["proposals"]) == 1


def test_lines_that_nobody_reviewed_leave_one_candidate(
    here: Callable[..., Any], operator: None, home: Path, monkeypatch: Any
) -> None:
    (home / "kiln" / ".git").mkdir(parents=True)
    monkeypatch.chdir(home / "kiln")
    page = home / "kiln" / "AGENTS.md"
    page.write_text(RULES)
    here("import-memories", page)
    import_again(
        here, page, RULES.replace("oak", "ash").replace("- Answer in British English\n", "")
    )
    waiting = {item["content"]: item for item in here("inbox", "--json").data["items"]}
    assert set(waiting) == {
        "Always fire with ash, never with pine",
        "Never leave the kiln alone",
        "Weigh the glaze in metric units",
        "Answer in British English",
    }
    gone = waiting["Answer in British English"]
    assert gone["status_reason"] == "its line is no longer in AGENTS.md"
    assert here("inbox", "--json").data["proposals"] == []


def test_quite_another_line_in_the_place_of_one_replaces_nothing(
    here: Callable[..., Any], page: Path
) -> None:
    item = import_again(
        here, page, RULES.replace("Answer in British English", "My dog is called Biscuit")
    )
    assert count(item) == {"new": 1, "gone": 1, "unchanged": 3}


def test_a_record_that_the_operator_put_into_other_words_does_not_give_way(
    here: Callable[..., Any], page: Path
) -> None:
    items = here("list", "--json").data["items"]
    oak = next(item["id"] for item in items if "oak" in item["content"])
    assert here("edit", oak, "--content", "Always fire with dry oak, never with pine").code == 0
    item = import_again(here, page, RULES.replace("oak", "ash"))
    assert [change["change"] for change in item["changes"]] == ["proposed"]
    assert status(here, "Always fire with dry oak, never with pine") == ["active"]


def test_a_dry_run_says_the_same_and_changes_nothing(here: Callable[..., Any], page: Path) -> None:
    page.write_text(RULES.replace("oak", "ash").replace("- Answer in British English\n", ""))
    planned = here("import-memories", page, "--dry-run", "--json").data["items"][0]
    assert status(here, "Always fire with oak, never with pine") == ["active"]
    assert here("inbox", "--json").data["proposals"] == []
    done = here("import-memories", page, "--json").data["items"][0]
    assert count(planned) == count(done) == {"changed": 1, "gone": 1, "unchanged": 2}


def test_all_that_one_import_changed_is_undone_at_once(
    here: Callable[..., Any], page: Path
) -> None:
    import_again(
        here, page, RULES.replace("oak", "ash").replace("- Answer in British English\n", "")
    )
    entries = here("digest", "--peek", "--json").data["entries"]
    entry = next(each for each in entries if "superseded" in str(each["changes"]))
    assert here("revert", str(entry["seq"]), "--yes").code == 0
    assert status(here, "Always fire with oak, never with pine") == ["active"]
    assert here("inbox", "--json").data["proposals"] == []


def test_a_file_that_is_gone_or_cannot_be_read_takes_nothing_with_it(
    here: Callable[..., Any], page: Path
) -> None:
    page.write_bytes(b"\xff\xfe\x00\x00")
    here("import-memories", page)
    page.unlink()
    told = here("import-memories", page)
    assert told.code == 0
    assert "not there any more; 4 records rest on it and stay as they are" in told.stdout
    assert "not there any more" in here("import-memories", "--found").stdout
    assert len(here("list", "--json").data["items"]) == 4


def test_maintenance_reads_only_what_changed_since(
    here: Callable[..., Any], page: Path, monkeypatch: Any
) -> None:
    os.utime(page, (1, 1))
    assert here("import-memories", page).code == 0
    assert not {"files_read"} & set(counts(here, "maintain"))
    page.write_text(RULES.replace("- Answer in British English\n", ""))
    done = counts(here, "maintain")
    assert (done["files_read"], done["lines_gone"]) == (1, 1)
    assert len(here("inbox", "--json").data["proposals"]) == 1
    # Saved again without a change.
    os.utime(page, (LATER, LATER))
    assert "files_read" not in counts(here, "maintain")


def counts(here: Callable[..., Any], *command: str) -> dict[str, int]:
    steps = here(*command, "--json").data["steps"]
    found: dict[str, int] = next(step["counts"] for step in steps if step["name"] == "notes")
    return found


def memory_folder(home: Path) -> Path:
    folder = home / ".claude" / "projects" / "-home-kiln"
    (folder / "memory").mkdir(parents=True)
    (home / "kiln" / ".git").mkdir(parents=True)
    (folder / "one.jsonl").write_text(f'{{"type": "user", "cwd": "{home / "kiln"}"}}\n')
    (folder / "memory" / "MEMORY.md").write_text(
        "# Memory index\n\n- [Ash only](ash.md) \u2014 never fire with pine\n"
    )
    (folder / "memory" / "ash.md").write_text(
        "---\nname: ash-only\ndescription: Fire with ash only\nmetadata:\n  type: feedback\n---\n\n"
        "Never fire with pine, take ash.\n\n**Why:** pine spits.\n\n"
        "**How to apply:** look at the logs first.\n"
    )
    return folder / "memory"


def test_a_file_of_claudes_memory_is_one_memory_also_when_it_changes_or_goes(
    here: Callable[..., Any], operator: None, home: Path
) -> None:
    folder = memory_folder(home)
    assert here("import-memories", "--found").code == 0
    (waiting,) = here("inbox", "--json").data["items"]
    assert (waiting["title"], waiting["rationale"]) == ("Fire with ash only", "pine spits")
    assert here("inbox", "--approve-all").code == 0
    path = folder / "ash.md"
    path.write_text(path.read_text().replace("take ash", "take oak or ash"))
    done = here("import-memories", "--found", "--json").data["items"]
    assert [count(item) for item in done if count(item)] == [{"changed": 1}]
    assert here("inbox", "--approve-all").code == 0
    path.unlink()
    gone = [
        item
        for item in here("import-memories", "--found", "--json").data["items"]
        if item["outcome"] == "missing"
    ]
    assert [item["gone"] for item in gone] == [1]
    assert len(here("inbox", "--json").data["proposals"]) == 1
