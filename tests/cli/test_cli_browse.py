"""The store is looked through like a tree of folders, by the real commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.conftest import Said

from memctl.records import paths

Here = Callable[..., Said]


@pytest.fixture
def harbor(here: Here, operator: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with records of several kinds, in whose folder one stands."""
    project = tmp_path / "harbor"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    assert here("init", "--project", project).code == 0
    lines = [
        {"type": "decision", "content": "We use Valkey.", "rationale": "the licence"},
        {"type": "project", "kind": "convention", "content": "Times are stored in UTC."},
        {"type": "project", "kind": "command", "content": "Tests: make check."},
        {"type": "project", "kind": "fact", "content": "缓存使用 Valkey 集群。"},
    ]
    file = tmp_path / "lines.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert here("ingest", "--file", file).code == 0
    assert here("profile", "set", "language", "English").code == 0
    return project


def list_names(said: Said) -> list[str]:
    return [entry["name"] for entry in said.data["entries"]]


def test_a_relative_path_begins_at_the_project(here: Here, harbor: Path) -> None:
    assert {"decisions", "conventions", "commands", "facts"} <= {*list_names(here("ls", "--json"))}
    (entry,) = here("ls", "decisions", "--json").data["entries"]
    assert entry["path"].startswith("/projects/harbor/decisions/we-use-valkey-")
    assert here("ls", "/projects/harbor/decisions", "--json").data["entries"] == [entry]
    assert here("ls", "../harbor/./decisions", "--json").data["entries"] == [entry]


def test_levels_show_titles_summaries_and_all(here: Here, harbor: Path) -> None:
    for level, filled in ((0, (False, False)), (1, (True, False)), (2, (True, True))):
        (entry,) = here("ls", "decisions", "--level", level, "--json").data["entries"]
        assert (bool(entry["summary"]), bool(entry["content"])) == filled
    assert "because: the licence" in here("cat", "decisions/*").stdout
    assert "because" not in here("cat", "decisions/*", "--level", 1).stdout


def test_patterns_and_beginnings_and_ids_name_records(here: Here, harbor: Path) -> None:
    (entry,) = here("ls", "decisions", "--json").data["entries"]
    for path in (
        "/projects/*/decisions/*valkey*",
        "decisions/we-use",
        f"decisions/{entry['id']}",
        entry["id"],
        entry["path"].upper().replace("/PROJECTS/HARBOR/DECISIONS", "/projects/Harbor/Decisions"),
    ):
        assert [item["id"] for item in here("cat", path, "--json").data["items"]] == [entry["id"]]
    assert len(here("ls", "facts/缓存*", "--json").data["entries"]) == 1


def test_what_is_not_there_names_what_is_near(here: Here, harbor: Path) -> None:
    said = here("ls", "/projects/harbour")
    assert said.code == 20
    assert "nothing is at /projects/harbour" in said.stderr
    assert "near: harbor" in said.stderr
    assert "near: decisions" in here("cat", "decision/x").stderr
    folder = here("cat", "decisions")
    assert (folder.code, "memctl ls /projects/harbor/decisions" in folder.stderr) == (20, True)


def test_what_waits_and_what_no_longer_holds_have_folders(here: Here, harbor: Path) -> None:
    (entry,) = here("ls", "conventions", "--json").data["entries"]
    assert here("forget", entry["id"]).code == 0
    assert list_names(here("ls", "/archive", "--json")) == [entry["name"]]
    assert here("ls", "conventions").code == 20


def test_a_limit_says_what_it_left_out(here: Here, harbor: Path) -> None:
    assert "2 of 9; --offset 2" in here("ls", "/", "--limit", 2).stdout
    tree = here("tree", "/", "--depth", 1, "--json").data
    assert [entry["depth"] for entry in tree["entries"]] == [0] + [1] * 9


def test_a_shell_completes_paths(here: Here, harbor: Path) -> None:
    assert here("ls", "--complete", "/pro").stdout.split() == ["/profile/", "/projects/"]
    assert here("ls", "--complete", "dec").stdout.split() == ["decisions/"]
    (name,) = here("ls", "--complete", "decisions/we").stdout.split()
    assert name.startswith("decisions/we-use-valkey-")
    assert here("ls", "--complete", "/nothing/here").stdout == ""


def test_an_agent_sees_no_private_record_of_another(
    here: Here, harbor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.delenv("MEMCTL_CONFIG")
        patch.setenv("MEMCTL_AGENT", "codex")
        own = here("ingest", "My own zebra note.", "--scope", "agent", "--agent", "codex")
        assert own.code == 0, own.stderr
        assert here("ls", "/agents", "--json").data["entries"]
        patch.setenv("MEMCTL_AGENT", "claude-code")
        assert here("ls", "/agents", "--json").data["entries"] == []
        assert here("cat", "/agents/codex/*/*").code == 20
    assert here("ls", "/agents", "--json").data["entries"]


def test_two_projects_of_one_name_have_two_folders(
    here: Here, harbor: Path, tmp_path: Path
) -> None:
    other = tmp_path / "more" / "harbor"
    (other / ".git").mkdir(parents=True)
    assert here("init", "--project", other).code == 0
    names = list_names(here("ls", "/projects", "--json"))
    assert len(names) == len(set(names)) == 2


def test_a_context_says_of_each_item_what_it_is_and_what_vouches_for_it(
    here: Here, harbor: Path
) -> None:
    assert here("ingest", "The crane may be blue.", "--confidence", "0.3").code == 0
    sections = here("context", "--task", "what colour has the crane", "--json").data["sections"]
    items = {item["text"]: item for section in sections for item in section["items"]}
    crane = next(item for text, item in items.items() if "crane" in text)
    assert "unsure" in crane["text"]
    assert (crane["type"], crane["scope"], crane["confidence"]) == ("project", "project", 0.3)
    assert crane["trust"] and crane["evidence"]
    assert not any("unsure" in text for text in items if "crane" not in text)


def test_some_records_are_compared_by_their_ids(here: Here, harbor: Path) -> None:
    twice = here("ingest", "Tests: make check.", "--kind", "command", "--json")
    (entry, *_) = here("ls", "commands", "--json").data["entries"]
    done = here("consolidate", entry["id"][:14], "--dry-run", "--json")
    assert (twice.code, done.code, done.data["looked_at"]) == (0, 0, 1)
    assert here("consolidate", "01ZZZZZZZZ").code == 20


def test_only_records_of_a_repository_or_before_a_time_are_found(here: Here, harbor: Path) -> None:
    assert here("search", "valkey", "--until", "2020-01-01", "--json").data["items"] == []
    assert here("search", "valkey", "--until", "2099-01-01", "--json").data["items"]
    assert here("search", "valkey", "--repo", "nowhere").code == 20
    why = here("list", "--type", "decision", "--json").data["items"][0]["id"]
    absent = here("search", "valkey", "--until", "2020-01-01", "--why-not", why, "--json")
    assert "until" in absent.data["sentence"]


def test_only_the_records_of_a_folder_that_is_looked_into_get_names(
    here: Here, harbor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[str] = []
    make_name = paths.make_note_name

    def count(title: str, some_id: str) -> str:
        named.append(title)
        return make_name(title, some_id)

    monkeypatch.setattr(paths, "make_note_name", count)
    counts = {entry["name"]: entry["count"] for entry in here("ls", "/", "--json").data["entries"]}
    assert counts["projects"] == 4
    assert here("ls", "--json").code == 0
    assert named == [], "a store of 100,000 records is listed as quickly as it is read"
    assert len(list_names(here("ls", "decisions", "--json"))) == 1
    assert named == ["We use Valkey."]
