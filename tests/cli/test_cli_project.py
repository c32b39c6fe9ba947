"""Projects at the command line: doubtful pairs are asked about once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl import MemoryEngine
from memctl.core.model import NewMemory

Run = Callable[..., Any]
FACT = "The tide tables come from the northern gauge."
QUESTION = r"One project\?.*:"


@pytest.fixture
def alike(tmp_path: Path, db: Path) -> None:
    """Three projects called harbor, in three folders."""
    with MemoryEngine.open(db) as engine:
        for place in ("a", "b", "c"):
            (tmp_path / place / "harbor").mkdir(parents=True)
            engine.init(project=tmp_path / place / "harbor")


def test_doubts_are_settled_one_by_one_at_a_terminal(
    memctl: Run, pty_memctl: Run, alike: None
) -> None:
    assert len(memctl("project", "list", "--json").data["doubtful"]) == 3
    seen = pty_memctl("project", "settle", answers=[(QUESTION, "y"), (QUESTION, "n")])
    assert seen.code == 0 and "both called harbor" in " ".join(seen.stdout.split())
    after = memctl("project", "list", "--json").data
    assert len(after["items"]) == 2 and after["doubtful"] == []
    assert pty_memctl("project", "settle").code == 0, "nothing is left to ask"


def test_what_is_put_off_is_asked_again(memctl: Run, pty_memctl: Run, alike: None) -> None:
    pty_memctl("project", "settle", answers=[(QUESTION, "l")] * 3)
    assert len(memctl("project", "list", "--json").data["doubtful"]) == 3


def test_where_nobody_can_be_asked_the_doubt_stays_and_the_way_is_told(
    memctl: Run, alike: None
) -> None:
    told = memctl("project", "settle")
    assert told.code == 2 and "project apart" in told.stderr
    assert "memctl project settle" in memctl("project", "list").stdout
    assert "memctl project settle" in memctl("doctor").stdout


def test_two_projects_are_kept_apart_by_their_ids(
    memctl: Run, pty_memctl: Run, alike: None
) -> None:
    doubt = memctl("project", "list", "--json").data["doubtful"][0]
    both = doubt["project_id"], doubt["other_id"]
    assert memctl("project", "apart", *both).code == 21, "an agent does not decide that"
    assert pty_memctl("project", "apart", *both).code == 0
    assert len(memctl("project", "list", "--json").data["doubtful"]) == 2


# -- a folder that says it is a known project


@pytest.fixture
def harbor(tmp_path: Path, db: Path) -> Path:
    """A repository with a remote, known to the store, with one fact."""
    folder = make_repository(tmp_path / "harbor")
    with MemoryEngine.open(db, actor="operator") as engine:
        place = engine.place_to_write(folder)
        engine.ingest([NewMemory(type="project", content=FACT)], place=place)
    return folder


def make_repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for words in (["init", "-q"], ["remote", "add", "origin", "git@forge.example:ada/harbor.git"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    return folder


def start_session(folder: Path) -> str:
    """Print what the hook at a session's start tells an agent."""
    call = {"session_id": "5e55", "cwd": str(folder), "hook_event_name": "SessionStart"}
    code = "from memctl.entry import hook; hook()"
    done = subprocess.run(
        [sys.executable, "-c", code, "claude-code", "SessionStart"],
        input=json.dumps(call).encode(),
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    return done.stdout.decode()


def test_agents_in_a_waiting_folder_are_told_nothing_of_the_project_but_what_to_do(
    memctl: Run, harbor: Path, tmp_path: Path
) -> None:
    clone = make_repository(tmp_path / "download")
    assert FACT in start_session(harbor) and "may be" not in start_session(harbor)
    for _ in ("before anything of it is stored", "and after"):
        told = start_session(clone)
        assert FACT not in told
        assert "may be the project harbor, with the same remote" in told
        assert "memctl init --project ." in told
        assert FACT not in memctl("context", cwd=clone).stdout
        (hit,) = memctl("search", "tide tables gauge", "--json", cwd=clone).data["items"]
        assert hit["matched_scope"] == "other project", "as in any folder that is another project"
        assert "memctl init --project ." in memctl("search", "tides", cwd=clone).stderr
        said = memctl("ingest", "--type", "project", "Ours is the southern one", cwd=clone)
        assert said.code == 0
    assert "southern" not in start_session(harbor)
    checked = memctl("doctor").stdout
    assert f"{clone} may be harbor, with the same remote" in checked
    assert "memctl project settle" in checked
    assert memctl("project", "adopt", "download", "harbor").code == 21


def test_the_operator_is_asked_once_and_yes_unites_what_was_said_there(
    memctl: Run, pty_memctl: Run, harbor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = make_repository(tmp_path / "clone")
    memctl("ingest", "--type", "project", "Ours is the southern one", cwd=clone)
    monkeypatch.chdir(clone)
    seen = pty_memctl("context", answers=[(QUESTION, "y")])
    assert seen.code == 0 and FACT in " ".join(seen.stdout.split())
    assert FACT in start_session(clone) and "may be" not in start_session(clone)
    assert "southern" in memctl("search", "southern one", cwd=harbor).stdout
    found = memctl("project", "list", "--json").data["items"]
    assert [item["project"]["name"] for item in found] == ["harbor"]
    assert pty_memctl("search", "tide tables gauge").code == 0, "it is not asked again"


@pytest.mark.parametrize("answer", ["n", "l", ""])
def test_a_no_or_a_later_is_not_asked_again_and_the_folder_stays_its_own(
    memctl: Run,
    pty_memctl: Run,
    harbor: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
) -> None:
    clone = make_repository(tmp_path / "fork")
    monkeypatch.chdir(clone)
    assert pty_memctl("context", answers=[(QUESTION, answer)]).code == 0
    again = pty_memctl("context")
    assert again.code == 0 and FACT not in " ".join(again.stdout.split())
    assert ("may be" in start_session(clone)) == (answer != "n")
    if answer != "n":
        assert pty_memctl("init", "--project", ".", answers=[(QUESTION, "y")]).code == 0
        assert FACT in start_session(clone)


def test_a_folder_that_was_moved_and_one_of_its_worktrees_are_known_without_a_question(
    memctl: Run, harbor: Path, tmp_path: Path
) -> None:
    moved = harbor.rename(tmp_path / "port")
    assert FACT in start_session(moved)
    seen = memctl("search", "tide tables gauge", cwd=moved)
    assert FACT in seen.stdout and seen.stderr == ""
    commit = ["-c", "user.name=Ada", "-c", "user.email=a@example.org", "commit", "-q"]
    for words in (
        [*commit, "--allow-empty", "-m", "first"],
        ["worktree", "add", "-q", str(tmp_path / "topic")],
    ):
        subprocess.run(["git", "-C", str(moved), *words], check=True)
    memctl("ingest", "--type", "project", "The port is dredged in May", cwd=moved)
    told = start_session(tmp_path / "topic")
    assert FACT in told and "may be" not in told


# -- names that are taken


def test_a_folder_that_is_marked_with_a_projects_name_does_not_get_it(
    memctl: Run, tmp_path: Path, db: Path
) -> None:
    folders = tmp_path / "victim", tmp_path / "stranger"
    for folder in folders:
        folder.mkdir()
    (folders[1] / ".memctl.yaml").write_text("project: victim\n")
    memctl("init")
    for folder, said in zip(folders, (FACT, "Pay the pilots in advance."), strict=True):
        done = memctl("ingest", said, "--scope", "project", "--agent", "codex", cwd=folder)
        assert done.code == 0, done.stderr
    found = memctl("search", "pilots tide tables gauge", "--project", "victim", "--json")
    assert found.code == 0, "the name still means one project"
    assert {hit["project"] for hit in found.data["items"]} == {"victim"}
    kept = memctl("search", "pay the pilots", "--project", "victim-2", "--json").data["items"]
    assert {hit["project"] for hit in kept if "pilots" in hit["content"]} == {"victim-2"}
    assert 'project="victim-2"' in memctl("context", cwd=folders[1]).stdout
    listed = memctl("project", "list").stdout.splitlines()
    (own,) = [line for line in listed if " victim  " in line and not line.startswith("doubtful")]
    (waiting,) = [line for line in listed if " victim-2  " in line]
    assert waiting.endswith("waits for the operator") and not own.endswith("operator")
    assert "may be the project victim" in memctl("search", "tides", cwd=folders[1]).stderr


def test_two_folders_of_one_name_are_two_projects_of_two_names(
    memctl: Run, tmp_path: Path, alike: None
) -> None:
    named = [item["project"]["name"] for item in memctl("project", "list", "--json").data["items"]]
    assert sorted(named) == ["harbor", "harbor-2", "harbor-3"]
    for name in named:
        assert memctl("project", "show", name).code == 0
        assert memctl("search", "tides", "--project", name).code == 0
