"""Files and commands that records cite: read from their words, looked for in the project's
folder only, without false alarms.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from bench import Bench
from hypothesis import given
from hypothesis import strategies as st

from memctl.core import clock
from memctl.core.model import Memory, Query
from memctl.records import citations
from memctl.records.citations import ProjectFolder, decide_state, find_cited
from memctl.results.store import Check
from memctl.store import citations as store
from memctl.store import projects


@pytest.fixture
def works(bench: Bench, tmp_path: Path) -> Path:
    """The folder of the project `works`."""
    folder = tmp_path / "works"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "oven.py").write_text("heat = 3\n")
    (folder / "Makefile").write_text(
        "NAME := oven\nall test: build\n\techo test: no\nbuild:\n\tcc\n"
    )
    (folder / "package.json").write_text('{"scripts": {"dev": "vite", "test": "vitest"}}')
    with bench.db.write():
        projects.insert(bench.db, "works", str(folder), clock.now())
    return folder


def put(bench: Bench, content: str) -> Memory:
    return bench.put(content, project="works")


def states(bench: Bench, memory: Memory) -> dict[str, str]:
    return {one.value: one.state for one in store.list_of_memory(bench.db, memory.id)}


def look(bench: Bench) -> dict[str, int]:
    return citations.check_citations(bench.db, bench.config)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Heat is set in `src/oven.py:12`, see docs/ovens.md.",
            ["path src/oven.py", "path docs/ovens.md"],
        ),
        (
            "Run `npm run dev` or pnpm lint; `npm test` in CI",
            ["command npm run dev", "command pnpm run lint", "command npm run test"],
        ),
        ("pnpm install and yarn add left-pad define nothing", []),
        (
            "`make test` then just deploy, then `cargo run --bin oven`",
            ["command make test", "command just deploy", "command cargo run oven"],
        ),
        ("pytest tests/test_oven.py::test_heat -q", ["path tests/test_oven.py"]),
        (
            "Use ./scripts/bake.sh and src/ovens/ (not ../other/x.py)",
            ["path scripts/bake.sh", "path src/ovens/"],
        ),
        ("The Makefile and .env.local are read at the start", ["path Makefile", "path .env.local"]),
        ("See https://example.com/a/b.html, version 1.2/3.4 and 3/4", []),
        ("Nothing is cited here.", []),
    ],
)
def test_what_a_text_cites(text: str, found: list[str]) -> None:
    assert [f"{kind} {value}" for kind, value in find_cited(text)] == found


@given(st.text(alphabet=st.sampled_from("ab/.:#`'@-_ \n*~\\=npmrunake"), max_size=400))
def test_any_text_is_read_and_what_it_cites_stays_below_the_folder(text: str) -> None:
    for kind, value in find_cited(text):
        assert (
            kind in ("path", "command")
            and not value.startswith("/")
            and ".." not in value.split("/")
        )


@pytest.mark.parametrize(
    "piece", [":", "a/", "a.", "::a", "make ", "npm run ", "#L1", "a" * 50 + "/", " " * 50, "../"]
)
def test_a_megabyte_of_anything_is_read_in_good_time(piece: str) -> None:
    text = (piece * (1_000_000 // len(piece))) + "!"
    began = time.process_time()
    find_cited(text)
    citations._split_rule_names(text)
    assert time.process_time() - began < 2


@given(st.sampled_from([None, "here", "missing", "unknown"]), st.sampled_from([True, False, None]))
def test_only_what_was_seen_here_can_be_missing(before: str | None, is_there: bool | None) -> None:
    now = decide_state(before, is_there)
    assert (now == "missing") == (is_there is False and before in ("here", "missing"))
    assert (now == "here") == (is_there is True)


def test_a_file_that_was_here_and_is_gone_is_missing_and_lowers_the_rank(
    bench: Bench, works: Path
) -> None:
    memory = put(bench, "The heat of the oven is set in src/oven.py")
    other = put(bench, "The heat of the lamp is set in src/lamp.py")
    assert look(bench) == {"looked_at": 2, "cited": 2, "missing": 0, "news": 0}
    assert states(bench, memory) == {"src/oven.py": "here"} and states(bench, other) == {}
    before = bench.operator.search(Query("heat of the oven")).items[0].parts["confidence"]
    (works / "src" / "oven.py").unlink()
    assert look(bench)["missing"] == 1
    assert states(bench, memory) == {"src/oven.py": "missing"} and states(bench, other) == {}
    hit = bench.operator.search(Query("heat of the oven")).items[0]
    assert hit.parts["confidence"] < before and bench.get(memory).confidence == memory.confidence
    (works / "src" / "oven.py").write_text("heat = 4\n")
    look(bench)
    assert bench.operator.search(Query("heat of the oven")).items[0].parts["confidence"] == before


def test_scripts_and_targets_are_looked_up_where_the_project_defines_them(
    bench: Bench, works: Path
) -> None:
    memory = put(
        bench, "Start with `npm run dev`, check with `make test`; make sure to say npm run nothing"
    )
    look(bench)
    assert states(bench, memory) == {"npm run dev": "here", "make test": "here"}
    (works / "package.json").write_text('{"scripts": {}}')
    (works / "Makefile").write_text("include more.mk\n")
    look(bench)
    # What another file may define is not called missing.
    assert states(bench, memory) == {"npm run dev": "missing", "make test": "unknown"}


def test_other_makers_of_commands_are_known(tmp_path: Path) -> None:
    (tmp_path / "justfile").write_text(
        "@lint FILE='x':\n  ruff\nset shell := ['sh']\ndeploy:\n  x\n"
    )
    (tmp_path / "pyproject.toml").write_text(
        '[project.scripts]\nbake = "a:b"\n[tool.poetry.scripts]\nserve = "a:c"\n'
    )
    (tmp_path / "Cargo.toml").write_text('[[bin]]\nname = "oven"\n')
    disk = ProjectFolder(str(tmp_path))
    known = ("just deploy", "poetry run serve", "uv run bake", "cargo run oven")
    assert [disk.contains("command", name) for name in known] == [True] * 4
    assert [
        disk.contains("command", name)
        for name in ("just heat", "uv run heat", "cargo run lamp", "make all")
    ] == [False] * 4


def test_manifests_that_cannot_be_read_define_nothing(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("[" * 100_000)
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe = [")
    (tmp_path / "Makefile").mkdir()
    disk = ProjectFolder(str(tmp_path))
    assert [disk.contains("command", name) for name in ("npm run dev", "uv run x", "make x")] == [
        False
    ] * 3


def test_a_folder_that_is_not_here_now_makes_nothing_missing(bench: Bench, works: Path) -> None:
    memory = put(bench, "The heat is set in src/oven.py and src/oven2.py")
    (works / "src" / "oven2.py").write_text("x")
    look(bench)
    (works / "src" / "oven2.py").unlink()
    look(bench)
    assert states(bench, memory) == {"src/oven.py": "here", "src/oven2.py": "missing"}
    shutil.move(works, works.with_name("elsewhere"))
    assert look(bench)["missing"] == 0
    assert states(bench, memory) == {"src/oven.py": "here", "src/oven2.py": "unknown"}
    shutil.move(works.with_name("elsewhere"), works)
    look(bench)
    assert states(bench, memory) == {"src/oven.py": "here", "src/oven2.py": "unknown"}


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out.py").write_text("x")
    (tmp_path / "in" / "link.py").symlink_to(tmp_path / "out.py")
    (tmp_path / "in" / "package.json").symlink_to(tmp_path / "package.json")
    (tmp_path / "package.json").write_text('{"scripts": {"dev": "x"}}')
    disk = ProjectFolder(str(tmp_path / "in"))
    assert disk.contains("path", "link.py") is None and disk.contains("path", "../out.py") is None
    assert disk.contains("command", "npm run dev") is False


def test_what_a_record_does_not_cite_any_more_is_dropped(bench: Bench, works: Path) -> None:
    memory = put(bench, "The heat is set in src/oven.py")
    look(bench)
    bench.operator.records.edit(memory.id, {"content": "The heat is set by hand"})
    look(bench)
    assert states(bench, memory) == {}


def test_a_run_looks_at_so_many_and_the_next_goes_on(bench: Bench, works: Path) -> None:
    memories = [put(bench, f"Lamp {n} is described in src/oven.py") for n in range(5)]
    assert citations.check_citations(bench.db, bench.config, limit=3)["looked_at"] == 3
    assert [bool(states(bench, memory)) for memory in memories] == [True] * 3 + [False] * 2
    assert citations.check_citations(bench.db, bench.config, limit=3)["looked_at"] == 2
    assert all(states(bench, memory) for memory in memories)
    assert citations.check_citations(bench.db, bench.config, limit=3)["looked_at"] == 3


def test_nothing_is_run(bench: Bench, works: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import subprocess

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("something was run")

    for module, name in ((os, "system"), (os, "posix_spawn"), (subprocess, "Popen")):
        monkeypatch.setattr(module, name, refuse)
    put(bench, "Run `make test` and `npm run dev`")
    assert look(bench)["cited"] == 2


def test_doctor_explain_and_show_tell_of_what_is_gone(bench: Bench, works: Path) -> None:
    memory = put(bench, "The heat of the oven is set in src/oven.py")
    look(bench)
    assert [check.state for check in check_of(bench)] == ["ok"]
    (works / "src" / "oven.py").unlink()
    look(bench)
    (finding,) = check_of(bench)
    assert (
        finding.state == "note"
        and finding.detail.startswith("1 record cites what no longer exists: 01")
        and "(src/oven.py)" in finding.detail
    )
    assert any(
        "cites src/oven.py, which is gone" in line
        for line in bench.operator.records.show(memory.id).standing
    )


def check_of(bench: Bench) -> list[Check]:
    return [check for check in bench.operator.upkeep.doctor().checks if check.name == "citations"]
