"""`memctl timeline`: a project's story by day."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.core.model import NewMemory, Place
from memctl.engine.memory_engine import MemoryEngine

Here = Callable[..., Any]


@pytest.fixture
def project(db: Path) -> str:
    with MemoryEngine.open(db, actor="operator") as engine:
        engine.init(project=Path.cwd())
        place = engine.place(Path.cwd())
        old = NewMemory("project", "Deploys go out on Thursdays.", scope="project")
        (made,) = engine.ingest([old], place=place).items
        secret = NewMemory(
            "project", "Codex alone knows.", scope="agent", agent_id="codex", title="Secret"
        )
        engine.ingest([secret], place=Place())
        engine.records.correct(made.record.memory.id, "Deploys go out on Fridays.", reason="moved")
        return engine.projects.list().items[0].project.name


def test_a_timeline_tells_by_day_what_was_noted_and_what_replaced_it(
    here: Here, operator: None, project: str
) -> None:
    said = here("timeline", project)
    assert said.code == 0
    day, *lines = said.stdout.splitlines()
    assert day.endswith("  today")
    assert any(line.startswith("  noted") and "Fridays" in line for line in lines)
    assert any(line.startswith("  replaced") and "Thursdays" in line for line in lines)
    assert "Secret" not in said.stdout


def test_a_timeline_of_an_unknown_project_is_refused(here: Here, project: str) -> None:
    assert here("timeline", "no such project").code == 20


def test_a_timeline_can_be_read_by_programs(here: Here, operator: None, project: str) -> None:
    data = here("timeline", project, "--limit", "1", "--json").data
    ((day,),) = [data["days"]]
    assert data["project"] == project and day["days_ago"] == 0 and len(day["items"]) == 1


def test_a_timeline_without_a_name_is_of_the_folder_s_project(
    here: Here, operator: None, project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert here("timeline", "--json").data["project"] == project
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    said = here("timeline")
    assert said.code == 2 and "belongs to no project" in said.stderr
