"""`scripts/prove` keeps what has passed, runs the rest, sums figures, and calls nothing a pass that
was not run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.proofs import disk_model, mutation, sampling
from tests.proofs.promises import PROOFS, Proof

ROOT = Path(__file__).resolve().parent.parent.parent
PROOF = Proof("drips", "counts drips", "{drips} drips in {tests} tests", ("test_drips.py",))


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> object:
    import importlib

    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("proofs_runner")


def line(test: str, outcome: str = "passed", reason: str = "", **figures: int) -> str:
    return json.dumps(
        {"test": test, "outcome": outcome, "reason": reason, "seconds": 1, "figures": figures}
    )


def judged(runner: object, path: Path, *lines: str) -> dict[str, object]:
    path.write_text("\n".join(lines) + "\n" + '{"test": "cut o')
    return runner.judge(PROOF, runner.read_results(path))  # type: ignore[attr-defined]


def test_figures_are_summed_and_a_torn_line_is_passed_over(runner: object, tmp_path: Path) -> None:
    found = judged(
        runner,
        tmp_path / "r",
        line("test_drips.py::a", "failed", drips=50),
        line("test_drips.py::a", drips=2),
        line("test_drips.py::b[x]", drips=3),
        line("test_drops.py::a", drips=100),
    )
    assert found["outcome"] == "passed" and found["figures"] == {"drips": 5}
    assert PROOF.tell(found) == "5 drips in 2 tests"


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        ((), "not run yet"),
        ((line("test_drips.py::a"), line("test_drips.py::b", "failed")), "failed"),
        (
            (line("test_drips.py::a", "skipped", "not run: no C compiler"),),
            "not run: no C compiler",
        ),
    ],
)
def test_what_was_not_run_is_no_pass(
    lines: tuple[str, ...], outcome: str, runner: object, tmp_path: Path
) -> None:
    assert judged(runner, tmp_path / "r", *lines)["outcome"] == outcome


def test_without_a_c_compiler_the_shim_says_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.proofs.shim import build_shim

    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match="not run: no C compiler"):
        build_shim(tmp_path)


def test_a_name_that_is_no_proof_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "proofs_runner.py", "nothing"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "no proof is called nothing" in done.stderr


def test_the_list_names_every_proof() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "proofs_runner.py", "--list"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert all(proof.name in done.stdout for proof in PROOFS)


def test_a_sample_covers_every_stretch_of_a_command() -> None:
    chosen = sampling.choose("x", 100, 4)
    assert all(1 + 25 * part <= place <= 25 * (part + 1) for part, place in enumerate(chosen))
    assert sampling.choose("x", 3, 4) == [1, 2, 3]


def test_the_same_number_is_the_same_input() -> None:
    first = [mutation.draw_input("hook", number, "1") for number in range(20)]
    assert first == [mutation.draw_input("hook", number, "1") for number in range(20)]
    assert len(set(first)) > 15


def test_a_disk_without_power_keeps_what_was_synced_and_no_more(tmp_path: Path) -> None:
    import random

    from tests.proofs.shim import Operation

    root = tmp_path / "house"
    root.mkdir()
    (root / "old").write_text("old")
    disk = disk_model.Disk(root, "with folder")
    inode = 10**9

    def do(kind: str, *, data: bytes = b"", other: str = "", is_folder: bool = False) -> None:
        path = root if is_folder else root / "new"
        to = str(root / other) if other else ""
        disk.do(Operation(kind, inode, 0, 0, is_folder, str(path), to, data))

    def after_cut(luck: disk_model.Luck) -> dict[str, bytes]:
        disk.cut_power(tmp_path / "cut", luck, random.Random(1))
        return {path.name: path.read_bytes() for path in (tmp_path / "cut").iterdir()}

    do("open")
    do("write", data=b"fresh")
    assert after_cut("none") == {"old": b"old"}
    assert after_cut("all") == {"old": b"old", "new": b"fresh"}
    do("sync")
    assert after_cut("none") == {"old": b"old"}
    do("sync", is_folder=True)
    assert after_cut("none") == {"old": b"old", "new": b"fresh"}
    do("rename", other="old")
    assert after_cut("none") == {"old": b"old", "new": b"fresh"}
    do("sync", is_folder=True)
    assert after_cut("none") == {"old": b"fresh"}


def test_a_removed_file_that_stands_again_after_a_cut_holds_nothing_of_its_numbers_next_file(
    tmp_path: Path,
) -> None:
    import random

    from tests.proofs.shim import Operation

    root = tmp_path / "house"
    root.mkdir()
    (root / "old").write_text("old")
    disk = disk_model.Disk(root, "with folder")
    inode = (root / "old").stat().st_ino
    for kind, name, data in (
        ("unlink", "old", b""),
        ("open", "new", b""),
        ("write", "new", b"new"),
    ):
        disk.do(Operation(kind, inode, 0, 0, False, str(root / name), "", data))
    disk.cut_power(tmp_path / "cut", "none", random.Random(1))
    assert {path.name: path.read_bytes() for path in (tmp_path / "cut").iterdir()} == {
        "old": b"old"
    }


def test_the_environment_of_the_tests_knows_nothing_of_a_run_of_proofs() -> None:
    assert [name for name in os.environ if name.startswith("PROVE_")] == []
