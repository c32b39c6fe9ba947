"""What the answers of calls that no hook makes mean for the caller: the problems in them. Pure."""

from __future__ import annotations

from typing import Any

from memctl.cli.outcome import Problem, problem
from memctl.results.backfill import BackfillReport, MemoriesReport
from memctl.results.erasure import PurgeReport, RedactionReport
from memctl.results.feedback import PinReport
from memctl.results.history import RebuildReport
from memctl.results.setup import SetupReport


def problems(data: Any) -> list[Problem]:
    """What in an answer needs a look."""
    if isinstance(data, PinReport):
        return [
            problem("RefusedByPolicy", f"{refusal.id}: {refusal.reason}")
            for refusal in data.refused
        ]
    if isinstance(data, BackfillReport):
        return [problem("Problem", text) for text in data.problems]
    if isinstance(data, RedactionReport) and data.items and not data.applied:
        return [
            problem(
                "Problem",
                f"secrets stand in {len(data.items)} places",
                "`memctl redact --scan --apply` replaces them",
            )
        ]
    if isinstance(data, PurgeReport):
        return [problem("Problem", f"its bytes are still in {path}") for path in data.remains]
    if isinstance(data, MemoriesReport):
        return [
            problem("Problem", f"{item.path}: {item.problem}")
            for item in data.items
            if item.problem
        ]
    if isinstance(data, RebuildReport) and (data.left or (data.dry_run and data.differences)):
        return [
            problem("Problem", f"{each.topic} {each.item}: {each.what}")
            for each in data.left or data.differences
        ]
    return _of_setup(data) if isinstance(data, SetupReport) else []


def _of_setup(data: SetupReport) -> list[Problem]:
    found = [
        problem("Problem", f"{item.agent}: {text}") for item in data.items for text in item.problems
    ]
    found += [
        problem("Problem", f"{file.path}: {file.problem}")
        for item in data.items
        for file in item.files
        if file.problem
    ]
    unasked = problem(
        "Problem",
        "nothing was written: this asks first, and nobody is here to answer",
        "add --yes if you mean it",
    )
    return [*found, unasked] if data.unanswered else found
