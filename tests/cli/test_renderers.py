"""Every result that a command returns has a text, and the tables name nothing else."""

from __future__ import annotations

import pytest

from memctl import results
from memctl.cli import cli_results
from memctl.cli.exit_status import _PROBLEM_FINDERS
from memctl.cli.text.renderers import (
    MADE_HARMLESS,
    RENDERERS,
    VERBOSE_RENDERERS,
    find_renderer,
)

NAMES = {*dir(results), *dir(cli_results)}


@pytest.mark.parametrize("entry", sorted({*RENDERERS.values(), *VERBOSE_RENDERERS.values()}))
def test_the_function_of_a_result_exists(entry: str) -> None:
    assert callable(find_renderer(entry))


def test_the_tables_name_results_only() -> None:
    assert {*RENDERERS, *VERBOSE_RENDERERS, *MADE_HARMLESS, *_PROBLEM_FINDERS} <= NAMES


def test_every_report_has_a_text() -> None:
    reports = {name for name in dir(results) if name.endswith("Report")}
    # A StepReport is only a part of a MaintainReport.
    assert reports - {"StepReport"} <= set(RENDERERS)


def test_results_with_refusals_or_problems_have_their_problems_listed() -> None:
    telling = {
        name
        for name in set(RENDERERS) & set(dir(results))
        if {"refused", "problems"} & set(getattr(results, name).__match_args__)
    }
    # A refused revert raises; its report only shows the refusal of a dry run.
    assert telling - {"RevertReport"} <= set(_PROBLEM_FINDERS)
