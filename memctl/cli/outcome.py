"""What a result means for the caller: its status, its exit code, and the problems in it. Pure."""

from __future__ import annotations

from typing import Any

from memctl.cli.data import Reviewed
from memctl.errors import Interrupted, MemctlError, RefusedByPolicy
from memctl.reports import BackfillReport, MemoriesReport, PinReport, PurgeReport, RebuildReport, RedactionReport, SetupReport
from memctl.results import ChangeReport, DoctorReport, MaintainReport, TransferReport

WITH_PROBLEMS = MemctlError.exit_code
REFUSED = RefusedByPolicy.exit_code

Problem = dict[str, str | None]


def problems(data: Any) -> list[Problem]:
    """What in a result needs a look, each with a code, a message and, where there is one, a hint."""
    if isinstance(data, ChangeReport | PinReport):
        return [problem("RefusedByPolicy", f"{refusal.id}: {refusal.reason}") for refusal in data.refused]
    if isinstance(data, MaintainReport | TransferReport | BackfillReport):
        return [problem("Problem", text) for text in data.problems]
    if isinstance(data, DoctorReport):
        return [problem("Problem", f"{check.name}: {check.detail}", check.cure) for check in data.checks if check.state == "problem"]
    if isinstance(data, RedactionReport) and data.items and not data.applied:
        return [problem("Problem", f"secrets stand in {len(data.items)} places", "`memctl redact --scan --apply` replaces them")]
    if isinstance(data, PurgeReport):
        return [problem("Problem", f"its bytes are still in {path}") for path in data.remains]
    if isinstance(data, MemoriesReport):
        return [problem("Problem", f"{item.path}: {item.problem}") for item in data.items if item.problem]
    if isinstance(data, RebuildReport) and (data.left or (data.dry_run and data.differences)):
        return [problem("Problem", f"{each.topic} {each.item}: {each.what}") for each in data.left or data.differences]
    if isinstance(data, SetupReport):
        return _of_setup(data)
    return [found for part in _parts(data) for found in problems(part)]


def problem(code: str, message: str, hint: str | None = None) -> Problem:
    """One entry of the envelope's `errors`."""
    return {"code": code, "message": message, "hint": hint}


def _of_setup(data: SetupReport) -> list[Problem]:
    found = [problem("Problem", f"{item.agent}: {text}") for item in data.items for text in item.problems]
    found += [problem("Problem", f"{file.path}: {file.problem}") for item in data.items for file in item.files if file.problem]
    unasked = problem("Problem", "nothing was written: this asks first, and nobody is here to answer", "add --yes if you mean it")
    return [*found, unasked] if data.unanswered else found


def exit_code(data: Any) -> int:
    """0 when all went well, 130 when it was stopped half-way, 21 when all was refused, 1 when something in the result needs a look."""
    if isinstance(data, BackfillReport) and data.interrupted:
        return Interrupted.exit_code
    if not problems(data):
        return 0
    reports = _parts(data) or (data,)
    refused_all = all(_did_nothing(report) for report in reports)
    return REFUSED if refused_all else WITH_PROBLEMS


def _did_nothing(report: Any) -> bool:
    if isinstance(report, ChangeReport):
        return not (report.changed or report.proposals)
    return isinstance(report, PinReport) and not report.changed


def _parts(data: Any) -> tuple[ChangeReport, ...]:
    return data.items if isinstance(data, Reviewed) else ()
