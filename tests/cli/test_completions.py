"""The completions match the commands, and the shell that every machine has loads them."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from memctl.core.model import NewMemory, Place
from memctl.engine.memory_engine import MemoryEngine

Here = Callable[..., Any]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "memctl_completions", ROOT / "scripts" / "completions.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["memctl.bash", "_memctl", "memctl.fish"])
def test_completions_are_up_to_date(generator: ModuleType, name: str) -> None:
    found = (ROOT / "completions" / name).read_text()
    assert found == generator.generate()[name], "run: .venv/bin/python scripts/completions.py"


def completed(*words: str) -> list[str]:
    """What bash offers for the last of the words."""
    bash = shutil.which("bash")
    assert bash
    script = (
        'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memctl;'
        ' printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [bash, "-c", script, ROOT / "completions" / "memctl.bash", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("memctl", "sear"), ["search"]),
        (("memctl", "--db", "x.db", "sear"), ["search"]),
        (("memctl", "search", "--typ"), ["--type"]),
        (("memctl", "search", "--type", "deci"), ["decision"]),
        (("memctl", "profile", "un"), ["unset"]),
        (("memctl", "profile", "set", "--alw"), ["--always-load"]),
        (("memctl", "export", "--db", "some"), []),
    ],
)
def test_bash_completes(words: tuple[str, ...], expected: list[str]) -> None:
    assert completed(*words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("memctl", "search", "--agent", "claude-c"), ["claude-code"]),
        (("memctl", "maintain", "--step", "consol"), ["consolidate"]),
        (("memctl", "import-memories", "--from", "mem0"), ["mem0"]),
        (("memctl", "search", "--from", "gemini"), ["gemini-cli"]),
        (("memctl", "search", "--type", "epi"), ["episode"]),
        (("memctl", "list", "--kind", "conv"), ["convention"]),
        (("memctl", "entity", "list", "--kind", "per"), ["person"]),
        (("memctl", "setup", "tim"), ["timer"]),
        (("memctl", "help", "priv"), ["privacy"]),
        (("memctl", "completion", "fi"), ["fish"]),
    ],
)
def test_bash_offers_the_words_that_a_value_can_be(
    words: tuple[str, ...], expected: list[str]
) -> None:
    assert completed(*words) == expected


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("memctl", "show", "01K"), "completion --words ids 01K"),
        (("memctl", "inbox", "--approve", "01K"), "completion --words ids 01K"),
        (("memctl", "search", "--project", "har"), "completion --words projects har"),
        (("memctl", "project", "show", "har"), "completion --words projects har"),
        (("memctl", "view", "show", "r"), "completion --words views r"),
        (("memctl", "cat", "memory/"), "ls --complete memory/"),
        (("memctl", "source", "show", "01K"), ""),
    ],
)
def test_bash_asks_the_store_for_what_only_it_knows(
    words: tuple[str, ...], asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "memctl"
    program.write_text('#!/bin/sh\necho "$*" > "$0.asked"\necho one\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = completed(*words)
    log = tmp_path / "memctl.asked"
    assert (log.read_text().strip() if log.exists() else "") == asked
    assert found == (["one"] if asked else [])


def test_the_store_tells_what_an_id_may_become(here: Here, db: Path) -> None:
    MemoryEngine.open(db, actor="operator").ingest(
        [NewMemory("project", "We deploy on Fridays.", scope="global")], place=Place()
    )
    record = here("list", "--json").data["items"][0]["id"]
    (word,) = here("completion", "--words", "ids", record[:4]).stdout.split()
    assert record.startswith(word)
    assert here("completion", "--words", "ids", record[:4].lower()).stdout.strip() == word.lower()
    assert here("completion", "--words", "ids", record).stdout.strip() == record
    assert here("completion", "--words", "ids", "ZZ").stdout == ""


@pytest.mark.parametrize("kind", ["ids", "projects", "views", "no such kind"])
def test_a_shell_that_completes_sees_no_error_where_there_is_no_store(
    here: Here, tmp_path: Path, kind: str
) -> None:
    said = here("completion", "--db", tmp_path / "none.db", "--words", kind, "x")
    assert (said.code, said.stdout, said.stderr) == (0, "", "")
    assert not (tmp_path / "none.db").exists()


def test_an_agent_is_offered_no_id_that_is_private_to_another(
    here: Here, db: Path, operator: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with MemoryEngine.open(db, actor="operator") as engine:
        told = NewMemory("profile", "Codex keeps this to itself.", scope="agent", agent_id="codex")
        engine.ingest([told], place=Place())
    assert here("completion", "--words", "ids").stdout.strip()
    monkeypatch.setenv("MEMCTL_AGENT", "claude-code")
    assert here("completion", "--words", "ids").stdout == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_is_installed_where_its_shell_looks_and_taken_out_again(
    here: Here, home: Path, shell: str
) -> None:
    path = Path(here("completion", shell, "--path").stdout.strip())
    assert path.is_relative_to(home) and not path.exists()
    (home / ".zshrc").write_text("# mine\n")
    assert here("completion", shell, "--install").code == 0
    assert path.read_text().startswith(here("completion", shell).stdout)
    assert ("fpath=(" in (home / ".zshrc").read_text()) == (shell == "zsh")
    again = here("completion", shell, "--install")
    assert again.code == 0 and "create" not in again.stdout
    assert here("completion", shell, "--undo").code == 0
    assert not path.exists() and (home / ".zshrc").read_text() == "# mine\n"
    assert [each.name for each in home.iterdir()] == [".zshrc"]


def test_a_file_that_somebody_else_put_there_stays(here: Here, home: Path) -> None:
    path = Path(here("completion", "fish", "--path").stdout.strip())
    path.parent.mkdir(parents=True)
    path.write_text("# mine\n")
    said = here("completion", "fish", "--install")
    assert said.code == 1 and "did not write" in said.stdout and path.read_text() == "# mine\n"


def test_a_shell_that_has_no_completion_is_refused(here: Here) -> None:
    assert here("completion", "tcsh").code == 2
    assert here("completion").code == 2
    assert here("completion", "bash", "--install", "--path").code == 2
