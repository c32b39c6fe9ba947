"""The completions match the commands, and the shell that every machine has loads them."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

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
