"""Which folder is which project: worktrees, renames, moves, new remotes, forks, nested folders,
and places that are none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import Bench
from hypothesis import given
from hypothesis import strategies as st
from plain_redaction import PLAIN_REDACTOR

from memctl.core import clock
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.model import NewMemory, Place
from memctl.records import adoption, projects
from memctl.settings import project_folder
from memctl.store import projects as stored_projects

IDENTITY = [
    "-c",
    "user.name=Ada",
    "-c",
    "user.email=ada@example.org",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "init.defaultBranch=main",
]


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *IDENTITY, "-C", str(folder), *words], check=True, capture_output=True)


def repository(folder: Path, *, remote: str | None = None, commit: bool = True) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init")
    if remote:
        git(folder, "remote", "add", "origin", remote)
    if commit:
        git(folder, "commit", "--allow-empty", "-m", f"first of {folder.name} {remote}")
    return folder


def registered(bench: Bench, folder: Path) -> Place:
    place = projects.register_folder(bench.db, folder, PLAIN_REDACTOR)
    assert projects.find_place(bench.db, folder, PLAIN_REDACTOR) == place, (
        "reading finds what registering found"
    )
    return place


def names(bench: Bench) -> list[str]:
    return [view.project.name for view in projects.report_projects(bench.db, None).items]


# -- one project, whatever happens to its folder


def test_a_repository_is_a_project_and_all_its_folders_belong_to_it(
    bench: Bench, tmp_path: Path
) -> None:
    root = repository(tmp_path / "harbor")
    (root / "src" / "deep").mkdir(parents=True)
    assert (
        registered(bench, root)
        == registered(bench, root / "src" / "deep")
        == registered(bench, root / "gone" / "already")
    )
    assert names(bench) == ["harbor"]


def test_a_worktree_is_the_same_project_and_repo(bench: Bench, tmp_path: Path) -> None:
    root = repository(tmp_path / "harbor")
    git(root, "worktree", "add", str(tmp_path / "elsewhere" / "topic"))
    assert registered(bench, tmp_path / "elsewhere" / "topic") == registered(bench, root)
    assert names(bench) == ["harbor"], (
        "named after the main folder, also when it is first seen from a worktree"
    )


def test_a_project_first_seen_in_a_worktree_outlives_it(bench: Bench, tmp_path: Path) -> None:
    root = repository(tmp_path / "harbor")
    git(root, "worktree", "add", str(tmp_path / "topic"))
    before = registered(bench, tmp_path / "topic")
    git(root, "worktree", "remove", str(tmp_path / "topic"))
    fork = tmp_path / "fork"
    shutil.copytree(root, fork)
    assert registered(bench, root) == before
    assert registered(bench, fork).project_id != before.project_id, (
        "the main folder lives, so this is no move"
    )


def test_worktrees_of_a_bare_repository_are_one_project(bench: Bench, tmp_path: Path) -> None:
    root = repository(tmp_path / "seed")
    hub = tmp_path / "harbor"
    git(tmp_path, "clone", "--bare", str(root), str(hub / ".bare"))
    for branch in ("one", "two"):
        git(hub / ".bare", "worktree", "add", "-b", branch, str(hub / branch))
    assert registered(bench, hub / "one") == registered(bench, hub / "two")
    assert names(bench) == ["harbor"]


def test_a_submodule_is_a_project_of_its_own_wherever_it_is_checked_out(
    bench: Bench, tmp_path: Path
) -> None:
    crane = repository(tmp_path / "crane")
    outer = repository(tmp_path / "harbor")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", str(crane), "lib/crane")
    inner = registered(bench, outer / "lib" / "crane")
    assert inner.project_id not in (None, registered(bench, outer).project_id)
    assert (
        registered(bench, tmp_path / "harbor" / "lib" / "crane" / "src").project_id
        == inner.project_id
    )
    assert sorted(names(bench)) == ["crane", "harbor"]


def test_packages_of_a_monorepo_belong_to_it_unless_a_marker_says_otherwise(
    bench: Bench, tmp_path: Path
) -> None:
    root = repository(tmp_path / "harbor")
    for package in ("tides", "charts"):
        (root / "packages" / package / "src").mkdir(parents=True)
    (root / "packages" / "charts" / project_folder.MARKER).write_text("project: charts\n")
    whole = registered(bench, root)
    assert registered(bench, root / "packages" / "tides" / "src") == whole
    assert registered(bench, root / "packages" / "charts" / "src").project_id != whole.project_id
    assert sorted(names(bench)) == ["charts", "harbor"]


@pytest.mark.parametrize("below", [".worktrees/1", ".claude/worktrees/topic/src"])
def test_a_worktree_that_is_gone_belongs_to_the_folder_it_stood_in(
    bench: Bench, tmp_path: Path, below: str
) -> None:
    kiln = tmp_path / "kiln"
    assert registered(bench, kiln / below) == registered(bench, kiln)
    assert names(bench) == ["kiln"]
    (tmp_path / "loom" / below).mkdir(parents=True)
    registered(bench, tmp_path / "loom" / below)
    assert names(bench) == ["kiln", Path(below).name]


def test_a_renamed_folder_is_the_same_project(bench: Bench, tmp_path: Path) -> None:
    root = repository(tmp_path / "harbor")
    before = registered(bench, root)
    root.rename(tmp_path / "port")
    assert (
        projects.register_folder(bench.db, tmp_path / "port", PLAIN_REDACTOR).project_id
        == before.project_id
    )
    assert projects.report_projects(bench.db, "harbor").items[0].project.root_path == str(
        tmp_path / "port"
    )


def test_a_folder_that_moves_twice_is_the_same_project(bench: Bench, tmp_path: Path) -> None:
    before = registered(bench, repository(tmp_path / "one" / "harbor"))
    for old, new in (("one", "two"), ("two", "three")):
        (tmp_path / old).rename(tmp_path / new)
        assert (
            projects.register_folder(bench.db, tmp_path / new / "harbor", PLAIN_REDACTOR).project_id
            == before.project_id
        )


def test_a_folder_registered_before_its_first_commit_may_move_later(
    bench: Bench, tmp_path: Path
) -> None:
    root = repository(tmp_path / "harbor", commit=False)
    before = registered(bench, root)
    git(root, "commit", "--allow-empty", "-m", "first")
    registered(bench, root)
    root.rename(tmp_path / "port")
    assert (
        projects.register_folder(bench.db, tmp_path / "port", PLAIN_REDACTOR).project_id
        == before.project_id
    )


def test_a_changed_remote_is_the_same_project_known_by_both(bench: Bench, tmp_path: Path) -> None:
    root = repository(tmp_path / "harbor", remote="git@forge.example:ada/harbor.git")
    before = registered(bench, root)
    git(root, "remote", "set-url", "origin", "https://other.example/ada/port")
    assert registered(bench, root) == before
    aliases = projects.report_projects(bench.db, "harbor").items[0].project.aliases
    assert {value for kind, value in aliases if kind == "remote"} == {
        "forge.example/ada/harbor",
        "other.example/ada/port",
    }


def test_a_second_clone_of_one_remote_waits_and_is_the_same_project_once_that_is_confirmed(
    bench: Bench, tmp_path: Path
) -> None:
    one = registered(
        bench, repository(tmp_path / "a" / "harbor", remote="git@forge.example:ada/harbor.git")
    )
    clone = repository(tmp_path / "b" / "harbor", remote="https://forge.example/ada/harbor")
    two = registered(bench, clone)
    assert one.project_id != two.project_id
    assert names(bench) == ["harbor", "harbor-2"], "the known project is still named by its name"
    (doubt,) = projects.list_doubts(bench.db)
    assert (doubt.project_id, doubt.other_id) == (two.project_id, one.project_id)
    assert doubt.why == "with the same remote"
    bench.operator.projects.adopt("harbor-2", "harbor")
    again = registered(bench, clone)
    assert again.project_id == one.project_id and again.repo_id != one.repo_id
    assert projects.list_doubts(bench.db) == ()


def test_a_folder_that_becomes_a_repository_stays_the_project_it_was(
    bench: Bench, tmp_path: Path
) -> None:
    root = tmp_path / "harbor"
    root.mkdir()
    before = registered(bench, root)
    git(root, "init")
    assert registered(bench, root).project_id == before.project_id


def test_a_moved_clone_with_another_remote_is_doubtful(bench: Bench, tmp_path: Path) -> None:
    root = repository(tmp_path / "harbor", remote="git@forge.example:ada/harbor.git")
    shutil.copytree(root, tmp_path / "fork")
    git(tmp_path / "fork", "remote", "set-url", "origin", "git@forge.example:bob/harbor-fork.git")
    before = registered(bench, root)
    shutil.rmtree(root)
    assert registered(bench, tmp_path / "fork").project_id != before.project_id
    assert [doubt.why for doubt in projects.list_doubts(bench.db)] == ["with the same first commit"]


def test_a_new_repository_where_another_stood_is_another_project(
    bench: Bench, tmp_path: Path
) -> None:
    root = tmp_path / "play"
    before = registered(bench, repository(root, remote="git@forge.example:ada/harbor.git"))
    shutil.rmtree(root)
    after = registered(bench, repository(root, remote="git@forge.example:ada/kiln.git"))
    assert after.project_id != before.project_id and after.repo_id != before.repo_id
    assert registered(bench, root) == after
    again = repository(tmp_path / "again", remote="git@forge.example:ada/harbor.git")
    assert registered(bench, again).project_id not in (before.project_id, after.project_id)
    assert [doubt.other_id for doubt in projects.list_doubts(bench.db)] == [before.project_id]


def test_a_session_tells_which_repository_a_folder_held_that_is_gone(
    bench: Bench, tmp_path: Path
) -> None:
    root = repository(tmp_path / "harbor", remote="git@forge.example:ada/harbor.git")
    before = registered(bench, root)
    known = "forge.example/ada/harbor"
    assert (
        projects.register_folder(
            bench.db, tmp_path / "agents" / "worktree-7", PLAIN_REDACTOR, remote=known
        ).project_id
        == before.project_id
    )
    (tmp_path / "plain").mkdir()
    assert (
        projects.register_folder(
            bench.db, tmp_path / "plain", PLAIN_REDACTOR, remote=known
        ).project_id
        != before.project_id
    ), "this folder can be looked at"


def test_a_folder_that_points_at_another_projects_git_folder_is_not_that_project(
    bench: Bench, tmp_path: Path
) -> None:
    root = repository(tmp_path / "harbor")
    git(root, "worktree", "add", str(tmp_path / "topic"))
    before = registered(bench, root)
    for number, target in enumerate((root / ".git", root / ".git" / "worktrees" / "topic")):
        (tmp_path / f"download{number}").mkdir()
        (tmp_path / f"download{number}" / ".git").write_text(f"gitdir: {target}\n")
        assert registered(bench, tmp_path / f"download{number}").project_id != before.project_id


def test_a_worktree_that_was_moved_by_hand_is_known_if_it_was_known_where_it_stood(
    bench: Bench, tmp_path: Path
) -> None:
    root = repository(tmp_path / "harbor")
    for name in ("used", "unused"):
        git(root, "worktree", "add", str(tmp_path / name))
    before = registered(bench, root)
    assert registered(bench, tmp_path / "used") == before
    for name in ("used", "unused"):
        (tmp_path / name).rename(tmp_path / f"moved-{name}")
    assert registered(bench, tmp_path / "moved-used").project_id == before.project_id
    git(root, "worktree", "repair", str(tmp_path / "moved-unused"))
    assert registered(bench, tmp_path / "moved-unused") == before


# -- folders that imitate a known project


def imitate_worktree(folder: Path, victim: Path) -> None:
    """A `.git` file whose git folder came with it and calls the victim's its common one."""
    (folder / ".git").write_text("gitdir: g\n")
    (folder / "g").mkdir()
    (folder / "g" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "g" / "commondir").write_text(f"{victim / '.git'}\n")
    (folder / "g" / "gitdir").write_text(f"{folder / '.git'}\n")


def imitate_worktree_by_link(folder: Path, victim: Path) -> None:
    """The same, its git folder being a link to one of the victim's worktrees."""
    git(victim, "worktree", "add", str(victim.parent / "topic"))
    (folder / ".git").write_text("gitdir: g/worktrees/topic\n")
    (folder / "g").symlink_to(victim / ".git")


def imitate_forgotten_worktree(folder: Path, victim: Path) -> None:
    """A `.git` file that takes the name of a worktree that was deleted."""
    git(victim, "worktree", "add", str(victim.parent / "topic"))
    shutil.rmtree(victim.parent / "topic")
    (folder / ".git").write_text(f"gitdir: {victim / '.git' / 'worktrees' / 'topic'}\n")


def point_at_git_folder(folder: Path, victim: Path) -> None:
    """A `.git` file that points straight at the victim's git folder."""
    (folder / ".git").write_text(f"gitdir: {victim / '.git'}/\n")


def link_git_folder(folder: Path, victim: Path) -> None:
    """A link to the victim's git folder."""
    (folder / ".git").symlink_to(victim / ".git")


def copy_remote(folder: Path, victim: Path) -> None:
    """A repository of its own with the victim's remote."""
    git(folder, "init")
    git(folder, "remote", "add", "origin", "https://forge.example/ada/harbor")


def copy_history(folder: Path, victim: Path) -> None:
    """The victim's history without its remote."""
    shutil.copytree(victim / ".git", folder / ".git")
    git(folder, "remote", "remove", "origin")


def link_unchanging_file(folder: Path, victim: Path) -> None:
    """A repository whose file that proves a move is a link to the victim's."""
    copy_remote(folder, victim)
    (folder / ".git" / "description").unlink()
    (folder / ".git" / "description").symlink_to(victim / ".git" / "description")


IMITATIONS = [
    imitate_worktree,
    imitate_worktree_by_link,
    imitate_forgotten_worktree,
    point_at_git_folder,
    link_git_folder,
    copy_remote,
    copy_history,
    link_unchanging_file,
]


@pytest.mark.parametrize("imitate", IMITATIONS)
def test_a_folder_that_imitates_a_known_project_is_a_place_of_its_own_and_waits(
    bench: Bench, tmp_path: Path, imitate: Callable[[Path, Path], None]
) -> None:
    victim = repository(tmp_path / "harbor", remote="git@forge.example:ada/harbor.git")
    known = registered(bench, victim)
    folder = tmp_path / "download" / "harbor"
    folder.mkdir(parents=True)
    imitate(folder, victim)
    for place in (folder, folder / "src"):
        assert projects.find_place(bench.db, place, PLAIN_REDACTOR) == Place(), "read first"
    own = registered(bench, folder)
    assert own.project_id not in (None, known.project_id)
    assert registered(bench, folder / "src") == own
    assert known.project_id in [doubt.other_id for doubt in projects.list_doubts(bench.db)]
    waiting = bench.operator.projects.find_waiting_place(folder / "src")
    assert waiting is not None
    assert (waiting.known, waiting.project_id) == ("harbor", own.project_id)
    bench.operator.projects.keep_apart(str(own.project_id), str(known.project_id))
    assert bench.operator.projects.find_waiting_place(folder) is None


@pytest.mark.parametrize("imitate", IMITATIONS)
def test_a_folder_that_imitates_a_project_which_moved_away_is_not_taken_for_it(
    bench: Bench, tmp_path: Path, imitate: Callable[[Path, Path], None]
) -> None:
    victim = repository(tmp_path / "harbor", remote="git@forge.example:ada/harbor.git")
    known = registered(bench, victim)
    (tmp_path / "download").mkdir()
    imitate(tmp_path / "download", victim)
    victim.rename(tmp_path / "away")
    assert registered(bench, tmp_path / "download").project_id != known.project_id
    assert registered(bench, tmp_path / "away").project_id == known.project_id


def test_a_folder_that_takes_the_place_of_a_submodule_in_name_only_is_not_that_submodule(
    bench: Bench, tmp_path: Path
) -> None:
    crane, outer = repository(tmp_path / "crane"), repository(tmp_path / "harbor")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", str(crane), "lib/crane")
    inner = registered(bench, outer / "lib" / "crane")
    folder = tmp_path / "download"
    folder.mkdir()
    (folder / ".git").write_text(f"gitdir: {outer / '.git' / 'modules' / 'lib' / 'crane'}\n")
    assert registered(bench, folder).project_id != inner.project_id


@pytest.mark.parametrize("imitate", [imitate_worktree, link_git_folder, point_at_git_folder])
def test_a_folder_that_points_at_a_repository_before_it_is_known_does_not_become_it(
    bench: Bench, tmp_path: Path, imitate: Callable[[Path, Path], None]
) -> None:
    victim, folder = repository(tmp_path / "harbor"), tmp_path / "download"
    folder.mkdir()
    imitate(folder, victim)
    assert registered(bench, folder).project_id != registered(bench, victim).project_id


def test_a_new_folder_with_reused_file_numbers_is_not_taken_for_the_one_that_was_deleted(
    bench: Bench, tmp_path: Path
) -> None:
    """File systems give the numbers of deleted files to the next ones."""
    remote = "git@forge.example:ada/harbor.git"
    known = registered(bench, repository(tmp_path / "harbor", remote=remote))
    shutil.rmtree(tmp_path / "harbor")
    imitation = repository(tmp_path / "download", remote=remote)
    assert registered(bench, imitation).project_id != known.project_id


def test_only_the_operator_says_which_folders_are_one_project(bench: Bench, tmp_path: Path) -> None:
    for name in ("harbor", "charts"):
        (tmp_path / name).mkdir()
        registered(bench, tmp_path / name)
    agent = bench.agent.projects
    for decide in (
        lambda: agent.adopt("charts", "harbor"),
        lambda: agent.keep_apart("charts", "harbor"),
        lambda: agent.link("charts", "harbor"),
        lambda: agent.alias("harbor", "path", str(tmp_path / "sea")),
    ):
        with pytest.raises(RefusedByPolicy, match="operator"):
            decide()


def test_a_shallow_clone_tells_no_first_commit(bench: Bench, tmp_path: Path) -> None:
    root = repository(tmp_path / "harbor")
    git(root, "commit", "--allow-empty", "-m", "second")
    git(tmp_path, "clone", "--depth", "1", root.as_uri(), "shallow")
    assert project_folder.find_root_commit(str(tmp_path / "shallow" / ".git")) is None
    assert project_folder.find_root_commit(str(root / ".git")) is not None


def test_where_the_file_system_ignores_case_every_spelling_is_one_folder(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "Harbor")
    (root / "Src").mkdir()
    before = registered(bench, root / "Src")
    # A file system of that kind cannot be made here: its two answers are given instead, the
    # names are read from the real folders.
    monkeypatch.setattr(project_folder, "_is_same", lambda path, other: True)
    assert project_folder._restore_spelling(Path(str(root).swapcase()) / "sRC") == root / "Src"
    assert registered(bench, Path(str(root / "Src").swapcase())) == before
    assert names(bench) == ["Harbor"]


def test_a_link_to_a_folder_is_that_folder(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "harbor").mkdir()
    (tmp_path / "shortcut").symlink_to(tmp_path / "harbor")
    assert registered(bench, tmp_path / "shortcut") == registered(bench, tmp_path / "harbor")


def test_a_way_up_and_down_again_ends_where_it_ends(bench: Bench, tmp_path: Path) -> None:
    repository(tmp_path / "harbor")
    (tmp_path / "quay").mkdir()
    assert registered(bench, tmp_path / "harbor" / ".." / "quay") == registered(
        bench, tmp_path / "quay"
    )
    assert names(bench) == ["quay"]


# -- projects that only look alike


def test_a_fork_in_a_living_folder_is_doubtful_and_becomes_its_own_until_it_is_adopted(
    bench: Bench, tmp_path: Path
) -> None:
    root = repository(tmp_path / "harbor", remote="git@forge.example:ada/harbor.git")
    shutil.copytree(root, tmp_path / "fork")
    git(tmp_path / "fork", "remote", "set-url", "origin", "git@forge.example:bob/harbor-fork.git")
    first, second = registered(bench, root), registered(bench, tmp_path / "fork")
    assert first.project_id != second.project_id
    assert [doubt.why for doubt in projects.report_projects(bench.db, None).doubtful] == [
        "with the same first commit"
    ]
    adoption.adopt_project(bench.db, bench.operator.actor, "fork", "harbor")
    assert registered(bench, tmp_path / "fork").project_id == first.project_id
    assert projects.report_projects(bench.db, None).doubtful == ()


def test_the_second_project_of_one_name_gets_a_name_of_its_own_and_is_doubtful(
    bench: Bench, tmp_path: Path
) -> None:
    one = registered(
        bench, repository(tmp_path / "a" / "harbor", remote="x.example:a/h", commit=False)
    )
    two = registered(bench, repository(tmp_path / "b" / "harbor", remote="y.example:b/h"))
    assert one.project_id != two.project_id
    assert [doubt.why for doubt in projects.report_projects(bench.db, None).doubtful] == [
        "both called harbor"
    ]
    for spoken, meant in (("Harbor", one), ("harbor-2", two), (str(two.project_id), two)):
        found = projects.find_place(bench.db, None, PLAIN_REDACTOR, project=spoken)
        assert found.project_id == meant.project_id


def test_projects_that_share_a_name_already_are_named_by_id(bench: Bench) -> None:
    with bench.db.write():
        twins = [stored_projects.insert(bench.db, "harbor", None, clock.now()) for _ in "ab"]
        other = stored_projects.insert(bench.db, "Harbor", None, clock.now())
    with pytest.raises(NotFound, match="several") as refused:
        projects.find_place(bench.db, None, PLAIN_REDACTOR, project="harbor")
    assert all(twin.id in str(refused.value) for twin in twins)
    for spoken, meant in ((twins[0].id, twins[0]), ("Harbor", other)):
        found = projects.find_place(bench.db, None, PLAIN_REDACTOR, project=spoken)
        assert found.project_id == meant.id


def test_a_repository_inside_another_is_its_own(bench: Bench, tmp_path: Path) -> None:
    outer = repository(tmp_path / "harbor")
    inner = repository(outer / "vendor" / "crane")
    assert registered(bench, outer).project_id != registered(bench, inner).project_id


def test_a_folder_inside_a_plain_project_belongs_to_it(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "notes" / "2026").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    outer = registered(bench, tmp_path / "notes")
    assert registered(bench, tmp_path / "notes" / "2026") == outer
    assert registered(bench, tmp_path / "other") != outer


def test_two_histories_that_began_apart_are_two_projects_whatever_they_are_called(
    bench: Bench, tmp_path: Path
) -> None:
    for place in ("a", "b"):
        registered(bench, repository(tmp_path / place / "harbor", remote=f"{place}.example:x/h"))
    assert projects.list_doubts(bench.db) == ()


def test_a_pair_that_the_operator_keeps_apart_is_not_asked_again(
    bench: Bench, tmp_path: Path
) -> None:
    for place in ("a", "b"):
        (tmp_path / place / "harbor").mkdir(parents=True)
        registered(bench, tmp_path / place / "harbor")
    (doubt,) = projects.list_doubts(bench.db)
    bench.operator.projects.keep_apart(doubt.other_id, doubt.project_id)
    assert projects.list_doubts(bench.db) == ()
    with pytest.raises(UsageError, match="one project"):
        bench.operator.projects.keep_apart(doubt.project_id, doubt.project_id)


def marked(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / project_folder.MARKER).write_text(text)
    return folder


def test_a_marker_alone_does_not_let_a_folder_into_a_living_project(
    bench: Bench, tmp_path: Path
) -> None:
    one = registered(bench, marked(tmp_path / "a", "project: harbor\n"))
    two = registered(bench, marked(tmp_path / "downloaded", "project: harbor\n"))
    assert one.project_id != two.project_id
    (doubt,) = projects.list_doubts(bench.db)
    assert doubt.why == "by whose name it is marked"
    assert (doubt.name, doubt.other_name) == ("harbor-2", "harbor")
    bench.operator.projects.adopt(doubt.project_id, doubt.other_id)
    assert registered(bench, tmp_path / "downloaded").project_id == one.project_id
    assert projects.list_doubts(bench.db) == ()


def test_a_marked_folder_that_moved_is_the_same_project(bench: Bench, tmp_path: Path) -> None:
    before = registered(bench, marked(tmp_path / "a", "project: harbor\n"))
    (tmp_path / "a").rename(tmp_path / "b")
    assert (
        projects.register_folder(bench.db, tmp_path / "b", PLAIN_REDACTOR).project_id
        == before.project_id
    )


@pytest.mark.parametrize(
    ("text", "name", "ignored"),
    [
        ("project: harbor", "harbor", False),
        ("# about\nproject:   'Harbor Tides' # the name\nignore: no\n", "Harbor Tides", False),
        ('project: "a: b"\r\nignore: TRUE\r\n', "a: b", True),
        ("ignore: true", "", True),
        ("  project: nested\nother: [1, 2", "", False),
        ("", "", False),
        ("project: " + "x" * 500, "x" * 100, False),
        ("project: \x1b[31mha\u202erbor\x07\0", "[31mharbor", False),
    ],
)
def test_a_marker_says_the_name_and_whether_to_keep_out(
    tmp_path: Path, text: str, name: str, ignored: bool
) -> None:
    seen = project_folder.read_surroundings(
        marked(tmp_path / "a", text) / "src", tmp_path / "home", tmp_path / "tmp"
    )
    assert seen is not None
    assert (seen.root, seen.marker, seen.ignored) == (tmp_path / "a", name, ignored)


def test_an_empty_marker_says_where_a_project_is_rooted_and_not_which_it_is(
    bench: Bench, tmp_path: Path
) -> None:
    for place in ("a", "b"):
        (tmp_path / place / "app" / "src").mkdir(parents=True)
        (tmp_path / place / "app" / project_folder.MARKER).write_text(" \n")
    one, two = (
        registered(bench, tmp_path / "a" / "app" / "src"),
        registered(bench, tmp_path / "b" / "app"),
    )
    assert one.project_id != two.project_id
    assert registered(bench, tmp_path / "a" / "app") == one


def test_places_that_are_too_general_or_too_short_lived_are_no_project(
    bench: Bench, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(home.parent / "scratch"))
    (home.parent / "scratch" / "x1").mkdir(parents=True)
    (home / ".git").mkdir()
    (home / ".git" / "HEAD").write_text("ref: refs/heads/main")
    (home.parent / "homelink").symlink_to(home)
    for folder in (
        home,
        home.parent,
        Path("/"),
        home.parent / "scratch",
        home.parent / "scratch" / "x1",
        home.parent / "homelink",
    ):
        assert projects.register_folder(bench.db, folder, PLAIN_REDACTOR) == Place(), folder
    assert names(bench) == []


def test_a_repository_or_a_marked_folder_among_temporary_files_is_a_project(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert registered(bench, repository(tmp_path / "harbor")).project_id
    assert registered(bench, marked(tmp_path / "loom", "")).project_id


def test_a_folder_below_home_is_not_the_homes_repository(bench: Bench, home: Path) -> None:
    (home / ".git").mkdir()
    (home / ".git" / "HEAD").write_text("ref: refs/heads/main")
    (home / "kiln").mkdir()
    registered(bench, home / "kiln")
    assert names(bench) == ["kiln"]


@pytest.mark.parametrize(
    "pointer",
    [
        "gitdir: /nowhere\0x",
        "gitdir:",
        "gitdir: ../../..",
        "\xff\xfe",
        "",
        "gitdir: " + "x/" * 3000,
    ],
)
def test_an_odd_git_pointer_is_no_trouble(bench: Bench, tmp_path: Path, pointer: str) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / ".git").write_bytes(pointer.encode("latin-1"))
    assert (
        projects.register_folder(bench.db, tmp_path / "odd", PLAIN_REDACTOR).project_id is not None
    )


@pytest.mark.parametrize(
    "name", [project_folder.MARKER, ".git", ".git/HEAD", ".git/config", ".git/commondir"]
)
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_pipe_or_a_device_where_a_small_file_belongs_is_not_read(
    tmp_path: Path, name: str, kind: str
) -> None:
    path = tmp_path / "odd" / name
    path.parent.mkdir(parents=True)
    if path.parent.name == ".git" and path.name != "HEAD":
        (path.parent / "HEAD").write_text("ref: refs/heads/main")
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    # Another process, so that a read which never ends is a failure and not a test that never ends.
    look = (
        "import sys; from pathlib import Path; from memctl.settings import project_folder "
        "as s; print(s.read_surroundings(*map(Path, sys.argv[1:])).marker)"
    )
    places = [str(tmp_path / folder) for folder in ("odd", "home", "tmp")]
    assert (
        subprocess.run(
            [sys.executable, "-c", look, *places], timeout=10, capture_output=True, text=True
        ).stdout
        == "None\n"
    )


def test_a_path_longer_than_any_system_has_is_no_project(tmp_path: Path) -> None:
    assert (
        project_folder.read_surroundings(
            Path("/" + "a/" * 50_000), tmp_path / "home", tmp_path / "tmp"
        )
        is None
    )


def test_a_marker_of_any_size_is_read_only_at_its_beginning(tmp_path: Path) -> None:
    root = marked(tmp_path / "a", "project: harbor\n" + "#" * 10_000_000 + "\nproject: kiln")
    seen = project_folder.read_surroundings(root, tmp_path / "home", tmp_path / "tmp")
    assert seen is not None and seen.marker == "harbor"


def test_git_settings_are_read_in_any_case_and_quoted(tmp_path: Path) -> None:
    root = repository(tmp_path / "harbor", commit=False)
    (root / ".git" / "config").write_text(
        '[Remote "origin"]\n\tURL = "https://ada:secret@forge.example/ada/harbor.git"\n'
    )
    seen = project_folder.read_surroundings(root, tmp_path / "home", tmp_path / "tmp")
    assert seen is not None and seen.remote == "forge.example/ada/harbor"


def test_asking_about_a_repository_runs_no_program_that_it_names(
    bench: Bench, tmp_path: Path
) -> None:
    root, ran = (
        repository(tmp_path / "harbor", remote="ssh://forge.example/ada/harbor"),
        tmp_path / "ran",
    )
    for name, value in (
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("protocol.ssh.allow", "always"),
    ):
        git(root, "config", name, value)
    git(root, "config", "core.repositoryFormatVersion", "1")
    git(root, "config", "core.sshCommand", f"touch {ran};")
    assert project_folder.has_commit(str(root / ".git"), "1" * 40) is False
    (root / ".git" / "refs" / "heads" / "main").write_text("2" * 40 + "\n")
    assert project_folder.find_root_commit(str(root / ".git")) is None
    assert not ran.exists()


def test_a_call_from_a_hook_of_git_itself_is_about_the_folder_and_not_about_that_repository(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = repository(tmp_path / "harbor"), repository(tmp_path / "elsewhere")
    wanted = project_folder.find_root_commit(str(one / ".git"))
    for name, value in (
        ("DIR", ""),
        ("WORK_TREE", ".."),
        ("COMMON_DIR", ""),
        ("OBJECT_DIRECTORY", "objects"),
    ):
        monkeypatch.setenv(f"GIT_{name}", str(two / ".git" / value))
    assert wanted and project_folder.find_root_commit(str(one / ".git")) == wanted


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("git@Forge.Example:ada/harbor.git", "forge.example/ada/harbor"),
        ("https://ada:secret@forge.example:8443/ada/harbor.git/", "forge.example/ada/harbor"),
        ("ssh://git@forge.example:22/ada/harbor", "forge.example/ada/harbor"),
        ("forge.example:ada/Harbor", "forge.example/ada/Harbor"),
        ("git@GitHub.com:Ada/Harbor.git", "github.com/ada/harbor"),
        ("ssh://git@ssh.github.com:443/ada/harbor.git", "github.com/ada/harbor"),
        ("/srv/git/harbor.git", "/srv/git/harbor"),
        ("file:///srv/git/harbor.git", "/srv/git/harbor"),
        (
            "https://forge.example/ada/harbor.git?access_token=secret#secret",
            "forge.example/ada/harbor",
        ),
        ("ada:secret@forge.example:ada/harbor", "forge.example/ada/harbor"),
        ("ada:secret@forge.example/ada/harbor.git", "forge.example/ada/harbor"),
        ("https:/ada:secret@forge.example/ada/harbor", "https/forge.example/ada/harbor"),
        ("https://ada:sec/ret@forge.example/ada/harbor", "forge.example/ada/harbor"),
        (
            "https://proxy.example/https://ada:secret@forge.example/harbor",
            "proxy.example/https://forge.example/harbor",
        ),
        ("git@forge.example:~ada/@scope/harbor", "forge.example/~ada/@scope/harbor"),
    ],
)
def test_one_remote_in_every_spelling(url: str, wanted: str) -> None:
    assert project_folder.normalise_remote(url) == wanted


def test_a_remote_beside_the_folder_tells_nothing(bench: Bench, tmp_path: Path) -> None:
    one = registered(bench, repository(tmp_path / "a" / "harbor", remote="../hub.git"))
    two = registered(bench, repository(tmp_path / "b" / "kiln", remote="../hub.git"))
    assert one.project_id != two.project_id


@given(st.text(max_size=80))
def test_any_text_may_stand_as_a_remote(url: str) -> None:
    assert isinstance(project_folder.normalise_remote(url), str)


def test_git_is_asked_once_for_a_repository(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "harbor")
    asked: list[str] = []
    real = project_folder.find_root_commit
    monkeypatch.setattr(
        project_folder, "find_root_commit", lambda folder: asked.append(folder) or real(folder)
    )
    for _ in range(3):
        registered(bench, root)
    assert len(asked) == 1


def test_where_git_is_missing_a_repository_is_a_project_all_the_same(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "harbor")
    monkeypatch.setenv("PATH", os.devnull)
    assert registered(bench, root).repo_id is not None


# -- names, links, adoption


@pytest.fixture
def two(bench: Bench, tmp_path: Path) -> tuple[Place, Place]:
    return registered(bench, repository(tmp_path / "harbor")), registered(
        bench, repository(tmp_path / "charts")
    )


def test_a_project_goes_by_its_aliases_until_they_are_taken_away(
    bench: Bench, two: tuple[Place, Place]
) -> None:
    bench.operator.projects.alias("harbor", "name", "Tides")
    assert bench.operator.place(project="tides").project_id == two[0].project_id
    bench.operator.projects.alias("tides", "name", "tides", remove=True)
    with pytest.raises(NotFound):
        bench.operator.place(project="tides")


def test_an_alias_that_is_taken_or_odd_is_refused(bench: Bench, two: tuple[Place, Place]) -> None:
    bench.operator.projects.alias("harbor", "name", "tides")
    for kind, value in (("name", "tides"), ("name", "Harbor"), ("colour", "blue")):
        with pytest.raises(UsageError):
            bench.operator.projects.alias("charts", kind, value)
    with pytest.raises(UsageError, match="has no"):
        bench.operator.projects.alias("charts", "name", "tides", remove=True)


def test_projects_are_linked_both_ways_and_parted(bench: Bench, two: tuple[Place, Place]) -> None:
    bench.operator.projects.link("harbor", "charts", reason="one API")
    assert [view.linked for view in bench.operator.projects.list().items] == [
        ("charts",),
        ("harbor",),
    ]
    bench.operator.projects.link("charts", "harbor", remove=True)
    assert bench.operator.projects.list("harbor").items[0].linked == ()
    with pytest.raises(UsageError):
        bench.operator.projects.link("harbor", "Harbor")


def test_an_adopted_project_lives_on_in_the_other(
    bench: Bench, two: tuple[Place, Place], tmp_path: Path
) -> None:
    harbor, charts = two
    registered(bench, repository(tmp_path / "sea"))
    bench.operator.projects.link("charts", "sea")
    memory = (
        bench.operator.ingest([NewMemory("project", "Depths are in metres")], place=charts)
        .items[0]
        .record.memory
    )
    bench.operator.projects.adopt("charts", "harbor")
    assert bench.get(memory).project_id == harbor.project_id
    assert (
        registered(bench, tmp_path / "charts").project_id
        == bench.operator.place(project="charts").project_id
        == harbor.project_id
    )
    assert bench.operator.projects.list("harbor").items[0].linked == ("sea",)
    assert names(bench) == ["harbor", "sea"]
    again = bench.operator.ingest(
        [NewMemory("project", "depths are in metres")], place=harbor
    ).items[0]
    assert (again.outcome, again.record.memory.id) == ("merged", memory.id)
    bench.check()


def test_what_was_forgotten_in_an_adopted_project_stays_forgotten(
    bench: Bench, two: tuple[Place, Place]
) -> None:
    memory = (
        bench.operator.ingest([NewMemory("project", "Depths are in metres")], place=two[1])
        .items[0]
        .record.memory
    )
    bench.operator.forget([memory.id])
    bench.operator.projects.adopt("charts", "harbor")
    with pytest.raises(RefusedByPolicy):
        bench.agent.ingest([NewMemory("project", "Depths are in metres")], place=two[0])


def test_a_project_adopts_not_itself(bench: Bench, two: tuple[Place, Place]) -> None:
    with pytest.raises(UsageError):
        bench.operator.projects.adopt("harbor", "HARBOR")
    with pytest.raises(NotFound):
        bench.operator.projects.adopt("nowhere", "harbor")


@pytest.mark.parametrize("name", ["", "\ud800", "\0", "%", "01" * 20])
def test_an_odd_name_is_no_project(bench: Bench, two: tuple[Place, Place], name: str) -> None:
    with pytest.raises(NotFound):
        bench.operator.place(project=name)
