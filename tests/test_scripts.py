"""The scripts say clearly what they miss, and the demo runs from its first line to its last in a
house of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memctl.readers.base import Input
from memctl.readers.detect import detect_reader

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"


def bash(*words: object, **env: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **env}, timeout=120, check=False
    )


def executable(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The scripts in a checkout of their own, whose environment is the one that these tests run
    in.
    """
    folder = tmp_path / "checkout"
    shutil.copytree(SCRIPTS, folder / "scripts")
    (folder / "scripts" / "venv.sh").write_text("ensure_venv() { :; }\n")
    executable(folder / ".venv" / "bin" / "python", f'exec "{sys.executable}" "$@"')
    executable(folder / ".venv" / "bin" / "memctl", f'exec "{sys.executable}" -m memctl "$@"')
    return folder


@pytest.mark.parametrize(
    "path",
    [
        SCRIPTS / "test",
        SCRIPTS / "prove",
        SCRIPTS / "demo",
        SCRIPTS / "venv.sh",
        ROOT / ".ci" / "run",
    ],
    ids=lambda path: path.name,
)
def test_the_scripts_are_valid_bash(path: Path) -> None:
    assert bash("-n", path).returncode == 0


@pytest.mark.parametrize("name", ["test", "demo"])
def test_a_python_that_is_too_old_is_named_with_the_cure(name: str, tmp_path: Path) -> None:
    old = executable(tmp_path / "old", 'test "$1" = --version && echo "Python 3.9.1"; exit 1')
    done = bash(SCRIPTS / name, MEMCTL_PYTHON=str(old))
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; found: Python 3.9.1" in done.stderr
    assert "MEMCTL_PYTHON=" in done.stderr


def test_a_python_without_venv_is_named_with_the_cure(tmp_path: Path) -> None:
    bare = executable(
        tmp_path / "bare", f'case "$*" in *ensurepip*) exit 1 ;; esac; exec "{sys.executable}" "$@"'
    )
    done = bash(SCRIPTS / "test", MEMCTL_PYTHON=str(bare))
    assert done.returncode == 1
    assert "has no venv module" in done.stderr and "python3-venv" in done.stderr


def test_the_sample_session_is_one_that_the_readers_know() -> None:
    source = Input(path=SCRIPTS / "demo-session.jsonl")
    (transcript,) = detect_reader(source).read(source)
    said = [turn.text for turn in transcript.turns if turn.role == "human" and turn.kind == "text"]
    assert transcript.agent == "claude-code"
    assert len(said) == 5
    assert {turn.ok for turn in transcript.turns if turn.kind == "tool_result"} >= {True, False}
    assert not transcript.unknown


def test_the_demo_shows_the_whole_way_and_leaves_nothing_behind(
    checkout: Path, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "t").mkdir()
    done = bash(
        checkout / "scripts" / "demo", TMPDIR=str(tmp_path / "t"), MEMCTL_DB="/nowhere/of/yours.db"
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    for command in (
        "capture-session",
        "maintain",
        "inbox",
        "inbox --approve-all",
        "context --task",
        "explain",
    ):
        assert f"$ memctl {command}" in done.stdout
    for shown in ("captured", "approved", "<memctl-context", "evidence intact"):
        assert shown in done.stdout
    assert "refused" not in done.stdout
    assert list(home.iterdir()) == [] and list((tmp_path / "t").iterdir()) == []


def test_the_demo_tells_the_next_agent_what_was_decided(checkout: Path) -> None:
    done = bash(checkout / "scripts" / "demo")
    context = done.stdout.partition("<memctl-context")[2].partition("</memctl-context>")[0]
    assert "SQLite" in context and "UTC" in context


def test_every_line_of_the_sample_is_invented_for_this_project() -> None:
    lines = [json.loads(line) for line in (SCRIPTS / "demo-session.jsonl").read_text().splitlines()]
    assert {line["cwd"] for line in lines if "cwd" in line} == {"/demo/harbor-tides"}
    assert len(lines) < 40


def test_the_quick_run_has_one_file_a_package() -> None:
    from conftest import QUICK

    assert [name for name in sorted(QUICK) if not (ROOT / "tests" / name).exists()] == []
    packages = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert packages == {name.split("/")[0] for name in QUICK if "/" in name}
