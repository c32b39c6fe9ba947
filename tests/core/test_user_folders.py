"""Folders that the environment names: a relative one is ignored, wherever it is read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from memctl.agents import hook_contracts, session_locations
from memctl.core.user_folders import find_xdg_folder
from memctl.importers import locations

SOURCES = sorted((Path(__file__).parents[2] / "memctl").rglob("*.py"))


@pytest.mark.parametrize("named", ["", "data", "./data", "../data", "~/data"])
def test_a_relative_folder_is_ignored(tmp_path: Path, named: str) -> None:
    usual = tmp_path / ".local" / "share"
    assert find_xdg_folder({"XDG_DATA_HOME": named}, "XDG_DATA_HOME", tmp_path) == usual
    assert find_xdg_folder({}, "XDG_DATA_HOME", tmp_path) == usual


def test_an_absolute_folder_is_taken(tmp_path: Path) -> None:
    named = {"XDG_CONFIG_HOME": str(tmp_path / "etc")}
    assert find_xdg_folder(named, "XDG_CONFIG_HOME", tmp_path) == tmp_path / "etc"


def test_nobody_reads_these_variables_himself() -> None:
    """They are named as what to look for; only one function looks."""
    readers = [
        f"{path.name}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("get", "folder", "getenv")
        and any(
            isinstance(each, ast.Constant) and str(each.value).startswith("XDG_")
            for each in node.args
        )
    ]
    assert readers == []


@pytest.fixture
def lured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Relative variables, in a folder that has what they would lead to."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir(exist_ok=True)
    for place in ("opencode/storage/session/x/s1.json", "opencode/AGENTS.md", "goose/.goosehints"):
        path = tmp_path / "odd" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    return {
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": "odd",
        "XDG_CONFIG_HOME": "odd",
    }


def test_no_session_and_no_memory_of_the_folder_one_works_in_is_taken_for_the_users_own(
    lured: dict[str, str],
) -> None:
    assert list(session_locations.find_past_sessions("opencode", lured)) == []
    assert list(locations.find_memory_files(lured, None)) == []
    found = hook_contracts._list_session_paths("opencode", "s1", lured["HOME"], lured)
    assert [path for path in found if path.exists()] == []
