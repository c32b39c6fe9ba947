"""`memctl uninstall` takes out what setup wrote, leaves one's data, and says how both go."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from houses import snapshot

from memctl.setup import uninstall


def test_an_uninstall_takes_out_hooks_and_completions_and_leaves_the_data(
    memctl: Callable[..., object], home: Path
) -> None:
    (home / ".claude").mkdir()
    settings = home / ".claude" / "settings.json"
    settings.write_text('{"model": "x"}\n')
    (home / ".zshrc").write_text("# mine\n")
    before = snapshot(home)
    assert memctl("setup", "claude-code", "--yes").code == 0
    assert memctl("completion", "zsh", "--install").code == 0
    plan = memctl("uninstall", "--dry-run")
    assert (
        plan.code == 0
        and "this is the plan" in plan.stdout
        and "memctl-hook" in settings.read_text()
    )
    refused = memctl("uninstall")
    assert refused.code == 1 and "memctl-hook" in settings.read_text()
    done = memctl("uninstall", "--yes", "--json")
    data = json.loads(done.stdout)["data"]
    assert done.code == 0 and {item["state"] for item in data["setup"]["items"]} == {"done"}
    after = snapshot(home)
    assert {name: after[name] for name in before} == before
    kept = [Path(each["path"]) for each in data["kept"]]
    assert kept and all(each.exists() for each in kept)
    assert all(
        any(Path(name).is_relative_to(each) or each.is_relative_to(name) for each in kept)
        for name in set(after) - set(before)
    )
    assert shlex.split(data["erase"]) == ["rm", "-r", "--", *map(str, kept)]
    again = memctl("uninstall")
    lines = [line.strip() for line in again.stdout.splitlines()]
    # A command that is wrapped and copied would do half of it.
    assert [line for line in lines if line.startswith("rm ")] == [
        f"rm -r -- {shlex.quote(str(each))}" for each in kept
    ]
    assert again.code == 0 and "Nothing is set up." in again.stdout


def test_a_store_in_a_folder_of_other_things_names_its_own_files_alone(
    memctl: Callable[..., object], tmp_path: Path
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "letter.txt").write_text("mine")
    (folder / "m.dbx").write_text("mine")
    assert memctl("--db", folder / "m.db", "init").code == 0
    data = json.loads(memctl("--db", folder / "m.db", "uninstall", "--json").stdout)["data"]
    words = shlex.split(data["erase"])
    assert str(folder / "m.db") in words and str(folder) not in words
    assert not {str(folder / "letter.txt"), str(folder / "m.dbx")} & set(words)


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("/home/you/.local/share/pipx/venvs/memctl", "pipx uninstall memctl"),
        ("/home/you/.local/share/uv/tools/memctl", "uv tool uninstall memctl"),
    ],
)
def test_the_program_goes_the_way_it_came(
    prefix: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.prefix", prefix)
    assert uninstall.write_remove_command() == expected
