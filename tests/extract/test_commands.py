"""Commands that were seen to work."""

from __future__ import annotations

import pytest
from extract_samples import contents, found, human, ran

from memctl.core.model import TOOL_RESULT


def test_checks_that_passed_become_one_candidate_with_each_as_evidence() -> None:
    kept = found(
        human("clean up"),
        ran("make fmt && make lint", "ok"),
        ran("make test 2>&1 | tail -20", "12 passed"),
    )
    assert [s.quote for s in kept[0].evidence] == ["make fmt && make lint", "make test"]
    assert (kept[0].kind, kept[0].trust, kept[0].subject) == ("command", TOOL_RESULT, None)
    assert len(kept) == 1


@pytest.mark.parametrize(
    ("result", "ok"),
    [
        ("2 failed, 10 passed", True),
        ("--- FAIL: TestCart", True),
        ("boom", False),
        ("make: command not found", True),
    ],
)
def test_a_check_that_failed_is_not_proposed(result: str, ok: bool) -> None:
    assert found(human("clean up"), ran("make test", result, ok=ok)) == []


def test_a_command_without_a_result_is_not_proposed() -> None:
    assert found(human("clean up"), ran("make test", "ok")[:1]) == []


def test_the_whole_suite_comes_before_a_single_test() -> None:
    kept = found(
        human("go"),
        ran("pytest tests/test_cart.py::test_total", "1 passed"),
        ran("pytest", "80 passed"),
    )
    assert kept[0].evidence[0].quote == "pytest"


def test_a_folder_change_belongs_to_the_check() -> None:
    kept = found(human("go"), ran("cd apps/shop && pnpm test Cart", "passed"))
    assert kept[0].evidence[0].quote == "cd apps/shop && pnpm test Cart"


def test_looking_around_is_no_check() -> None:
    assert (
        found(
            human("go"),
            ran("ls tests", "a"),
            ran("cat Makefile", "test:"),
            ran("git status", "clean"),
        )
        == []
    )


def test_what_worked_after_the_machine_refused_is_a_fix() -> None:
    kept = found(
        human("install it"),
        ran("pip install tablib", "bash: pip: command not found", ok=False),
        ran(". venv/bin/activate && pip install tablib", "Successfully installed tablib"),
    )
    assert kept[0].kind == "fix"
    assert [s.quote for s in kept[0].evidence] == [
        "bash: pip: command not found",
        ". venv/bin/activate && pip install tablib",
    ]


@pytest.mark.parametrize("first", ["cat notes.txt", "sed -n 1,5p notes.txt", "ls notes.txt"])
def test_a_look_at_a_missing_file_is_no_refusal(first: str) -> None:
    assert (
        found(
            human("go"), ran(first, "Permission denied", ok=False), ran(f"{first} notes.md", "fine")
        )
        == []
    )


def test_a_test_that_passes_after_the_code_changed_is_no_way_around() -> None:
    assert "failed here" not in contents(
        found(human("go"), ran("make test", "1 failed", ok=False), ran("make test", "all fine"))
    )
