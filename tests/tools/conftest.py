"""A known project with its operator, and the tools of one agent in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memctl import MemoryEngine
from memctl.tools import Toolset


@pytest.fixture
def harbor(tmp_path: Path, db: Path) -> Path:
    """The folder of a known project; the store has nothing in it yet."""
    folder = tmp_path / "harbor"
    folder.mkdir()
    with MemoryEngine.open(db, actor="operator") as engine:
        engine.init(project=folder)
    return folder


@pytest.fixture
def tools(harbor: Path) -> Toolset:
    """The tools of codex in the harbor."""
    return Toolset(agent="codex", folder=harbor)


@pytest.fixture
def operator_by_config(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator trusts whoever runs a command here."""
    config = tmp_path_factory.mktemp("operator") / "config.yaml"
    config.write_text("operator:\n  require_terminal: false\n")
    monkeypatch.setenv("MEMCTL_CONFIG", str(config))
