"""Other tools' memories: into the inbox once, in the right place, redacted; a dry run leaves
nothing; what was refused stays out.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from bench import Bench
from importers.test_kinds import CLAUDE_MEM, ENGRAM, write_database

from memctl.capture import import_memories
from memctl.core import clock
from memctl.core.errors import UsageError
from memctl.core.model import Filter, Memory, Source
from memctl.results.backfill import MemoriesReport, MemoryFile
from memctl.store import projects, queue, records, sources

RULES = (
    "# Kiln\n\n- Never push to `main`\n- Use tabs for indents\n- The kiln burns at 1200 degrees\n"
)
Run = Callable[..., MemoriesReport]


@pytest.fixture
def take(bench: Bench) -> Run:
    """Import as the operator, from the kiln."""
    return lambda *paths, **given: bench.operator.setup.import_memories(
        paths, cwd=bench.home, **given
    )


@pytest.fixture
def page(bench: Bench) -> Path:
    path = bench.home / "CLAUDE.md"
    path.write_text(RULES)
    return path


def told(bench: Bench) -> list[Source]:
    return [sources.from_row(row) for row in bench.db.all("sources.everything")]


def inbox(bench: Bench) -> list[Memory]:
    return sorted(
        records.select_records(bench.db, Filter(statuses=("inbox",))), key=lambda memory: memory.id
    )


def names(bench: Bench) -> dict[str, str]:
    return projects.names(bench.db)


def only(report: MemoriesReport) -> MemoryFile:
    (item,) = report.items
    return item


def test_a_page_becomes_candidates_of_its_project_with_their_words(
    bench: Bench, take: Run, page: Path
) -> None:
    item = only(take(page))
    assert (item.kind, item.project, item.found, item.new, item.outcome) == (
        "claude-md",
        "kiln",
        3,
        3,
        "captured",
    )
    (source,) = told(bench)
    assert (source.kind, source.format, source.session_id, source.trust) == (
        "document",
        "memory:claude-md",
        f"path:{page}",
        2,
    )
    made = inbox(bench)
    assert [(m.type, m.kind, m.status, m.source_kind, m.trust) for m in made] == [
        ("project", "constraint", "inbox", "document", 2),
        ("project", "convention", "inbox", "document", 2),
        ("project", "fact", "inbox", "document", 2),
    ]
    assert {m.project_id for m in made} == {source.project_id}
    checks = bench.operator.explain(made[0].id).evidence
    assert [(check.state, check.evidence.quote) for check in checks] == [
        ("intact", "Never push to `main`")
    ]


def test_maintenance_finds_nothing_left_to_do(bench: Bench, take: Run, page: Path) -> None:
    take(page)
    assert queue.count_by_state(bench.db) == {"done": 1}
    report = bench.maintain()
    assert (report.jobs_done, report.proposed, report.promoted, len(inbox(bench))) == (0, 0, 0, 3)


def test_the_same_page_adds_nothing_twice(bench: Bench, take: Run, page: Path) -> None:
    take(page)
    item = only(take(page))
    assert (item.outcome, item.found, item.new, item.known) == ("unchanged", 3, 0, 3)
    assert len(told(bench)) == 1 and len(inbox(bench)) == 3


def test_a_page_that_grew_or_was_changed_adds_what_is_new(
    bench: Bench, take: Run, page: Path
) -> None:
    take(page)
    page.write_text(RULES + "- Prefer clay over sand\n")
    grown = only(take(page))
    assert (grown.outcome, grown.new, grown.known) == ("grown", 1, 3)
    page.write_text("- Glaze before the second firing\n" + RULES)
    changed = only(take(page))
    assert (changed.outcome, changed.new, changed.known) == ("rewritten", 1, 3)
    assert len(inbox(bench)) == 5


def test_an_import_that_was_broken_off_is_ended_by_the_next(
    bench: Bench, take: Run, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_memories, "_BATCH", 1)
    proposed = import_memories.propose_candidates

    def broken_off(*given: Any, **named: Any) -> Any:
        monkeypatch.setattr(import_memories, "propose_candidates", stopped)
        return proposed(*given, **named)

    def stopped(*_given: Any, **_named: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_memories, "propose_candidates", broken_off)
    with pytest.raises(KeyboardInterrupt):
        take(page)
    assert len(inbox(bench)) == 1
    monkeypatch.setattr(import_memories, "propose_candidates", proposed)
    item = only(take(page))
    assert (item.outcome, item.new, item.known, len(inbox(bench))) == ("unchanged", 2, 1, 3)


def test_a_dry_run_says_the_same_and_leaves_nothing(bench: Bench, take: Run, page: Path) -> None:
    planned = take(page, dry_run=True)
    assert (told(bench), inbox(bench), names(bench), queue.count_by_state(bench.db)) == (
        [],
        [],
        {},
        {},
    )
    assert planned.dry_run and planned.items == take(page).items


def test_what_was_rejected_or_forgotten_does_not_come_back(
    bench: Bench, take: Run, page: Path
) -> None:
    take(page)
    first, second, _ = inbox(bench)
    bench.operator.inbox.reject([first.id], reason="no")
    bench.operator.promote([second.id])
    bench.operator.forget([second.id])
    page.write_text(RULES + "- Prefer clay over sand\n")
    item = only(take(page))
    assert (item.rejected, item.known, item.new) == (2, 1, 1)
    assert {m.content for m in inbox(bench)} == {
        "The kiln burns at 1200 degrees",
        "Prefer clay over sand",
    }


def test_what_is_known_already_only_gains_evidence(bench: Bench, take: Run, page: Path) -> None:
    take(page)
    other = page.with_name("AGENTS.md")
    other.write_text(RULES)
    assert (only(take(other)).known, len(inbox(bench)), len(told(bench))) == (3, 3, 2)


def test_secrets_are_taken_out_before_anything_is_stored(
    bench: Bench, take: Run, page: Path
) -> None:
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cD3eF5"
    page.write_text(
        f"- Use the token {secret} for releases\n<private>\n- Never tell anybody this\n</private>\n"
    )
    item = only(take(page))
    assert item.found == 1 and sum(item.redacted.values()) == 1
    assert secret.encode() not in b"".join(
        path.read_bytes() for path in bench.path.parent.iterdir() if path.is_file()
    )


def test_what_the_operator_wants_left_out_is(
    bench: Bench, take: Run, page: Path, tmp_path: Path
) -> None:
    bench.settings(capture__ignore={"projects": ["kiln", "gulls"], "paths": [], "patterns": []})
    report = take(page, write_database(tmp_path / "m.db", CLAUDE_MEM))
    outcomes = {item.project: item.outcome for item in report.items if item.project}
    assert report.items[0].outcome == "ignored" and outcomes == {
        "harbor": "captured",
        "gulls": "ignored",
    }
    assert set(names(bench).values()) == {"harbor"}


def test_the_operators_own_pages_hold_for_all_projects(bench: Bench, take: Run, home: Path) -> None:
    rules = {
        ".claude/CLAUDE.md": "use emojis",
        ".codex/AGENTS.md": "push at night",
        ".gemini/GEMINI.md": "rename branches",
        ".config/opencode/AGENTS.md": "install globally",
        ".tool/AGENTS.md": "answer in rhymes",
        "CLAUDE.md": "delete backups",
    }
    for place, rule in rules.items():
        path = home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"- Never {rule}\n")
        item = only(take(path))
        assert (item.new, item.project) == (1, None), place
    assert {(m.type, m.kind, m.scope, m.project_id) for m in inbox(bench)} == {
        ("profile", "constraint", "global", None)
    }
    assert names(bench) == {}


def test_a_repository_below_a_hidden_folder_is_a_project_all_the_same(
    bench: Bench, take: Run, home: Path
) -> None:
    repo = home / ".codex" / "worktrees" / "kiln"
    repo.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    (repo / "AGENTS.md").write_text(RULES)
    assert only(take(repo / "AGENTS.md")).project == "kiln"


def test_rules_in_a_tools_own_folder_belong_to_the_project_around_it(
    bench: Bench, take: Run
) -> None:
    path = bench.home / ".cursor" / "rules" / "style.mdc"
    path.parent.mkdir(parents=True)
    path.write_text(RULES)
    assert only(take(path)).project == "kiln" and names(bench) != {}
    assert projects.everything(bench.db)[0].root_path == str(bench.home)


def test_a_page_among_temporary_files_belongs_to_nobody(
    bench: Bench, take: Run, tmp_path: Path
) -> None:
    path = tmp_path / "scratch" / "CLAUDE.md"
    path.write_text(RULES)
    item = only(take(path))
    assert item.outcome == "failed" and "no project" in (item.problem or "") and inbox(bench) == []


def test_a_database_fills_known_projects_and_makes_new_ones_without_a_folder(
    bench: Bench, take: Run, tmp_path: Path
) -> None:
    harbor = tmp_path / "Harbor"
    harbor.mkdir()
    bench.operator.init(project=harbor)
    report = take(write_database(tmp_path / "claude-mem.db", CLAUDE_MEM))
    assert {item.project: (item.new, item.outcome) for item in report.items if item.project} == {
        "Harbor": (5, "captured"),
        "gulls": (2, "captured"),
    }
    assert [item.problem for item in report.items if item.outcome == "refused"] == [
        "1 of its memories name no project"
    ]
    assert {project.name: project.root_path for project in projects.everything(bench.db)} == {
        "Harbor": str(harbor),
        "gulls": None,
    }
    assert {source.kind for source in told(bench)} == {"import"}
    again = take(tmp_path / "claude-mem.db")
    assert sum(item.new for item in again.items) == 0 and len(told(bench)) == 3


def test_a_project_name_that_several_have_is_not_guessed(
    bench: Bench, take: Run, tmp_path: Path
) -> None:
    with bench.db.write():  # as earlier versions named two folders
        for place in ("a/harbor", "b/harbor"):
            projects.insert(bench.db, "harbor", str(tmp_path / place), clock.now())
    harbor, own = take(write_database(tmp_path / "engram.db", ENGRAM)).items
    assert harbor.outcome == "failed" and "several projects" in (harbor.problem or "")
    assert own.new == 1 and [memory.scope for memory in inbox(bench)] == ["global"]


def test_a_foreign_database_is_left_as_it_is(take: Run, tmp_path: Path) -> None:
    path = write_database(tmp_path / "engram.db", ENGRAM)
    before = path.read_bytes()
    assert sum(item.new for item in take(path).items) == 3
    assert path.read_bytes() == before and not path.with_name("engram.db-wal").exists()


def test_everything_on_the_machine_is_found(
    bench: Bench, take: Run, page: Path, home: Path
) -> None:
    (home / ".engram").mkdir()
    write_database(home / ".engram" / "engram.db", ENGRAM)
    (home / ".claude" / "projects" / "-k" / "memory").mkdir(parents=True)
    (home / ".claude" / "projects" / "-k" / "one.jsonl").write_text(
        json.dumps({"cwd": str(bench.home)}) + "\n"
    )
    (home / ".claude" / "projects" / "-k" / "memory" / "a.md").write_text(
        "---\ntype: project\n---\nThe pier is made of oak\n"
    )
    (home / ".claude" / "CLAUDE.md").write_text("- Never use emojis\n")
    report = take(found=True)
    assert {item.kind: item.project for item in report.items} == {
        "claude-md": "kiln",
        "claude-memory": "kiln",
        "engram": None,
    } or {item.kind for item in report.items} == {"claude-md", "claude-memory", "engram"}
    assert all(item.problem is None for item in report.items)
    assert {item.kind for item in take(found=True, kind="engram").items} == {"engram"}


def test_a_folder_gives_the_files_of_a_known_kind_that_are_in_it(
    bench: Bench, take: Run, page: Path
) -> None:
    (bench.home / "README.md").write_text(RULES)
    (bench.home / ".github").mkdir()
    (bench.home / ".github" / "copilot-instructions.md").write_text(RULES)
    assert [item.kind for item in take(bench.home).items] == ["claude-md", "copilot-instructions"]
    assert [item.kind for item in take(bench.home, kind="claude-md").items] == ["claude-md"]


def test_a_file_of_no_known_kind_is_a_problem_and_the_others_follow(
    bench: Bench, take: Run, page: Path
) -> None:
    notes = bench.home / "notes.md"
    notes.write_text(RULES)
    refused, taken = take(notes, page).items
    assert refused.outcome == "refused" and "--from" in (refused.problem or "") and taken.new == 3
    assert only(take(notes, kind="agents-md")).known == 3


def test_wrong_words_are_usage_errors(take: Run, tmp_path: Path) -> None:
    for paths, given in (
        ((), {}),
        ((tmp_path / "gone.md",), {}),
        ((), {"kind": "birds", "found": True}),
    ):
        with pytest.raises(UsageError):
            take(*paths, **given)


def test_the_command_reports_and_the_other_import_points_at_it(
    db: Path, memctl: Callable, tmp_path: Path
) -> None:
    work = tmp_path / "kiln"
    work.mkdir()
    (work / "CLAUDE.md").write_text(RULES)
    planned = memctl("import-memories", "--found", "--dry-run", cwd=work)
    assert (planned.code, planned.stdout.splitlines()[-1]) == (
        0,
        "3 candidates would go to the inbox",
    )
    done = memctl("import-memories", "CLAUDE.md", "--json", cwd=work)
    assert (done.code, done.data["items"][0]["new"], done.data["dry_run"]) == (0, 3, False)
    assert (
        memctl("import-memories", "CLAUDE.md", cwd=work)
        .stdout.splitlines()[0]
        .endswith("(claude-md, kiln): 3 memories (3 unchanged)")
    )
    assert (
        memctl("import-memories", "--found", cwd=tmp_path / "scratch").stdout
        == "No memories of other tools were found here.\n"
    )
    (work / "notes.md").write_text(RULES)
    assert memctl("import-memories", "notes.md", cwd=work).code == 1
    assert memctl("import-memories", cwd=work).code == 2
    other = memctl("import", "CLAUDE.md", cwd=work)
    assert other.code == 30 and "memctl import-memories" in other.stderr


def test_a_database_that_grew_adds_what_is_new_in_any_of_its_tables(
    bench: Bench, take: Run, tmp_path: Path
) -> None:
    path = write_database(tmp_path / "claude-mem.db", CLAUDE_MEM)
    take(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        columns = "id, memory_session_id, project, type, title, narrative, created_at_epoch"
        connection.execute(
            f"INSERT INTO observations ({columns}) VALUES (9, 's', 'harbor', 'discovery', 'Fog', "
            f"'At dawn', 1772355608000)"
        )
    outcomes = {item.project: (item.outcome, item.new) for item in take(path).items if item.project}
    assert outcomes == {"harbor": ("grown", 1), "gulls": ("unchanged", 0)}
