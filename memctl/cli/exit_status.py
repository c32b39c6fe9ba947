"""What a result means for the caller: the problems in it and the exit code. Pure."""

from __future__ import annotations

from collections.abc import Callable

from memctl.core.errors import Interrupted, MemctlError, RefusedByPolicy
from memctl.core.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memctl.cli.cli_results import ReviewReport
    from memctl.results.backfill import MemoriesReport
    from memctl.results.erasure import PurgeReport, RedactionReport
    from memctl.results.feedback import PinReport
    from memctl.results.history import RebuildReport
    from memctl.results.records import ChangeReport
    from memctl.results.setup import SetupReport
    from memctl.results.store import DoctorReport

WITH_PROBLEMS = MemctlError.exit_code
ALL_REFUSED = RefusedByPolicy.exit_code

Problem = dict[str, str | None]


def list_problems(data: Any) -> list[Problem]:
    """Return what in a result needs a look: a code, a message and, where there is one, a hint."""
    find = _PROBLEM_FINDERS.get(type(data).__name__)
    return find(data) if find else []


def to_problem(code: str, message: str, hint: str | None = None) -> Problem:
    """Return one entry of the envelope's `errors`."""
    return {"code": code, "message": message, "hint": hint}


def compute_exit_code(data: Any) -> int:
    """Return 0 if all went well, 130 if it was interrupted, 21 if all was refused.

    1 means that something in the result needs a look.
    """
    if getattr(data, "interrupted", False):
        return Interrupted.exit_code
    if not list_problems(data):
        return 0
    reports = data.items if type(data).__name__ == "ReviewReport" else (data,)
    return ALL_REFUSED if all(map(_was_refused, reports)) else WITH_PROBLEMS


def _was_refused(report: Any) -> bool:
    """Whether everything that was asked for was refused."""
    return hasattr(report, "refused") and not (report.changed or getattr(report, "proposals", ()))


def _list_refusals(data: ChangeReport | PinReport) -> list[Problem]:
    return [
        to_problem("RefusedByPolicy", f"{refusal.id}: {refusal.reason}") for refusal in data.refused
    ]


def _list_refusals_in_review(data: ReviewReport) -> list[Problem]:
    return [problem for report in data.items for problem in list_problems(report)]


def _list_reported_problems(data: Any) -> list[Problem]:
    return [to_problem("Problem", text) for text in data.problems]


def _list_failed_checks(data: DoctorReport) -> list[Problem]:
    return [
        to_problem("Problem", f"{check.name}: {check.detail}", check.cure)
        for check in data.checks
        if check.state == "problem"
    ]


def _list_secrets(data: RedactionReport) -> list[Problem]:
    if not data.items or data.applied:
        return []
    hint = "`memctl redact --scan --apply` replaces them"
    return [to_problem("Problem", f"secrets stand in {len(data.items)} places", hint)]


def _list_remaining_files(data: PurgeReport) -> list[Problem]:
    return [to_problem("Problem", f"its bytes are still in {path}") for path in data.remains]


def _list_unread_files(data: MemoriesReport) -> list[Problem]:
    return [
        to_problem("Problem", f"{item.path}: {item.problem}") for item in data.items if item.problem
    ]


def _list_differences(data: RebuildReport) -> list[Problem]:
    differences = data.left or (data.differences if data.dry_run else ())
    return [to_problem("Problem", f"{each.topic} {each.item}: {each.what}") for each in differences]


def _list_setup_problems(data: SetupReport) -> list[Problem]:
    problems = [
        to_problem("Problem", f"{item.agent}: {text}")
        for item in data.items
        for text in item.problems
    ]
    problems += [
        to_problem("Problem", f"{file.path}: {file.problem}")
        for item in data.items
        for file in item.files
        if file.problem
    ]
    if data.unanswered:
        message = "nothing was written: this asks first, and nobody is here to answer"
        problems.append(to_problem("Problem", message, "add --yes if you mean it"))
    return problems


# By the name of the class, so that a hook need not load the results of other commands. A result
# whose class is not here never holds a problem.
_PROBLEM_FINDERS: dict[str, Callable[[Any], list[Problem]]] = {
    "BackfillReport": _list_reported_problems,
    "ChangeReport": _list_refusals,
    "DoctorReport": _list_failed_checks,
    "IngestReport": _list_reported_problems,
    "MaintainReport": _list_reported_problems,
    "MemoriesReport": _list_unread_files,
    "PinReport": _list_refusals,
    "PurgeReport": _list_remaining_files,
    "RebuildReport": _list_differences,
    "RedactionReport": _list_secrets,
    "ReviewReport": _list_refusals_in_review,
    "SetupReport": _list_setup_problems,
    "UninstallReport": lambda data: _list_setup_problems(data.setup),
    "MembersReport": _list_reported_problems,
    "SyncReport": _list_reported_problems,
    "TransferReport": _list_reported_problems,
    "VaultReport": _list_reported_problems,
}
