"""A project that comes with an import under a taken name gets a number, and takes nothing over."""

from __future__ import annotations

from pathlib import Path

from memctl.store import projects
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange.houses import AGENT, exported, take

AT, LATER = "2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"


def open_with(path: Path, *names: str) -> Database:
    """A store with projects of those names."""
    db = open_store(path, create=True)
    with db.write():
        for name in names:
            projects.insert(db, name, None, AT)
    return db


def list_names(db: Database) -> list[str]:
    return sorted(project.name for project in projects.everything(db))


def test_a_name_that_is_taken_gets_a_number_and_this_is_said(tmp_path: Path) -> None:
    here, there = open_with(tmp_path / "a.db", "harbor"), open_with(tmp_path / "b.db", "Harbor")
    own = projects.named(here, "harbor").id
    report = take(here, exported(there))
    assert list_names(here) == ["Harbor-2", "harbor"]
    assert projects.named(here, "harbor").id == own
    assert any("is another project here" in problem for problem in report.problems)


def test_taken_again_it_is_the_same_one(tmp_path: Path) -> None:
    here, there = open_with(tmp_path / "a.db", "harbor"), open_with(tmp_path / "b.db", "harbor")
    take(here, exported(there))
    report = take(here, exported(there))
    assert list_names(here) == ["harbor", "harbor-2"] and report.problems == ()
    assert report.counts["projects"]["identical"] == 1


def test_two_of_one_name_in_one_file_are_told_apart(tmp_path: Path) -> None:
    there = open_with(tmp_path / "b.db", "harbor", "harbor")
    for actor in (None, AGENT):
        here = open_store(tmp_path / f"{actor and actor.name}.db", create=True)
        take(here, exported(there), *([actor] if actor else []))
        assert list_names(here) == ["harbor", "harbor-2"]


def test_a_newer_file_renames_no_project_to_a_name_that_is_taken(tmp_path: Path) -> None:
    here, there = open_with(tmp_path / "a.db", "mill"), open_store(tmp_path / "b.db", create=True)
    take(there, exported(here))
    with here.write():
        projects.insert(here, "harbor", None, AT)
    (mill,) = projects.everything(there)
    with there.write():
        there.run("projects.rename", id=mill.id, name="harbor", root_path=None, now=LATER)
    take(here, exported(there))
    assert list_names(here) == ["harbor", "mill"]
    assert projects.named(here, "harbor").id != mill.id
