"""The page of promises: all twenty, each with proofs that exist, with the figures of its data."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from proofs.promises import PROMISES, PROOFS
from proofs.recorder import name_test

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs" / "promises.md"
DATA = ROOT / "docs" / "promises.json"


def test_all_twenty_promises_stand_on_the_page_each_with_a_proof() -> None:
    assert list(PROMISES) == list(range(1, 21))
    rows = [line for line in PAGE.read_text().splitlines() if re.match(r"\| \d+ \|", line)]
    assert len(rows) == 20
    for row, promise in zip(rows, PROMISES.values(), strict=True):
        assert promise.text in row and promise.proofs
        assert all(f"`{name}`" in row for name in promise.proofs)


def test_every_proof_is_known_by_one_name_and_named_by_a_promise_or_is_a_long_property() -> None:
    names = [proof.name for proof in PROOFS]
    assert len(set(names)) == len(names)
    named = {name for promise in PROMISES.values() for name in promise.proofs}
    assert named <= set(names)
    assert set(names) - named == {"long-properties"}


@pytest.mark.parametrize(
    "test", sorted({test for proof in PROOFS for test in proof.tests}), ids=lambda test: test
)
def test_a_proof_exists(test: str) -> None:
    path, _, name = test.partition("::")
    assert (ROOT / path).exists()
    assert not name or f"def {name}(" in (ROOT / path).read_text()


def test_every_long_proof_is_run_by_name() -> None:
    marked = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if re.search(r"^@pytest\.mark\.proof|^pytestmark = .*proof", path.read_text(), re.M)
    }
    run = {test.partition("::")[0] for proof in PROOFS for test in proof.tests}
    assert {
        name
        for name in marked
        if not any(name == each or name.startswith(f"{each}/") for each in run)
    } == set()


def test_what_is_published_was_counted_in_a_run_in_which_no_proof_failed() -> None:
    data = json.loads(DATA.read_text())
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", data["date"]) and data["version"]
    assert set(data["proofs"]) <= {proof.name for proof in PROOFS}
    outcomes = {name: one["outcome"] for name, one in data["proofs"].items()}
    assert {name for name, outcome in outcomes.items() if outcome == "failed"} == set()
    promised = {name for promise in PROMISES.values() for name in promise.proofs}
    for proof in PROOFS:
        if outcomes.get(proof.name) == "passed":
            told = proof.tell(data["proofs"][proof.name])
            assert "{" not in told and told != proof.about
            assert told in PAGE.read_text() or proof.name not in promised


def test_the_same_test_without_a_part_has_a_name_of_its_own() -> None:
    assert name_test("a.py::b", None) == "a.py::b"
    assert name_test("a.py::b", "kernel") == "a.py::b --without kernel"
    (kernel,) = (proof for proof in PROOFS if proof.without == "kernel")
    assert kernel.covers("tests/store/x.py::y --without kernel")
    assert not kernel.covers("tests/store/x.py::y")
