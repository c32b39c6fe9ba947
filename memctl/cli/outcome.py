"""What a result means for the caller: its status, its exit code, and the problems in it. Pure."""

from __future__ import annotations

from typing import Any

from memctl.cli.cli_results import Reviewed
from memctl.core.errors import Interrupted, MemctlError, RefusedByPolicy
from memctl.results.maintenance import MaintainReport
from memctl.results.records import ChangeReport
from memctl.results.store import DoctorReport, TransferReport

WITH_PROBLEMS = MemctlError.exit_code
REFUSED = RefusedByPolicy.exit_code

Problem = dict[str, str | None]


def problems(data: Any) -> list[Problem]:
    """What in a result needs a look, each with a code, a message and, where there is one, a hint."""
    if isinstance(data, ChangeReport):
        return [
            problem("RefusedByPolicy", f"{refusal.id}: {refusal.reason}")
            for refusal in data.refused
        ]
    if isinstance(data, MaintainReport | TransferReport):
        return [problem("Problem", text) for text in data.problems]
    if isinstance(data, DoctorReport):
        return [
            problem("Problem", f"{check.name}: {check.detail}", check.cure)
            for check in data.checks
            if check.state == "problem"
        ]
    if _is_cold(data):
        from memctl.cli import outcome_cold

        return outcome_cold.problems(data)
    return [found for part in _parts(data) for found in problems(part)]


def problem(code: str, message: str, hint: str | None = None) -> Problem:
    """One entry of the envelope's `errors`."""
    return {"code": code, "message": message, "hint": hint}


def exit_code(data: Any) -> int:
    """0 when all went well, 130 when it was stopped half-way, 21 when all was refused, 1 when something in the result needs a look."""
    if getattr(data, "interrupted", False):
        return Interrupted.exit_code
    if not problems(data):
        return 0
    reports = _parts(data) or (data,)
    refused_all = all(_did_nothing(report) for report in reports)
    return REFUSED if refused_all else WITH_PROBLEMS


def _did_nothing(report: Any) -> bool:
    """Whether all that was asked for was refused."""
    return hasattr(report, "refused") and not (report.changed or getattr(report, "proposals", ()))


def _is_cold(data: Any) -> bool:
    """Whether this is an answer of a call that no hook makes; a hook need not know their kinds."""
    return type(data).__module__.startswith("memctl.reports.")


def _parts(data: Any) -> tuple[ChangeReport, ...]:
    return data.items if isinstance(data, Reviewed) else ()
