"""`memctl review`."""

from __future__ import annotations

from memctl.cli import prompts, review_inbox
from memctl.cli.call import Call
from memctl.cli.cli_results import ReviewReport
from memctl.cli.declarations import command
from memctl.cli.options import Kinds, MinConfidence, OnlyProject, Types
from memctl.cli.record_filter import build_filter
from memctl.core.errors import UsageError


@command("memctl review", "memctl review --project harbor-tides --type decision", codes=(21,))
def run(
    call: Call,
    project: OnlyProject = None,
    types: Types = None,
    kinds: Kinds = None,
    min_confidence: MinConfidence = None,
) -> ReviewReport:
    """Decide on everything that is waiting, on one screen, with one key for each answer.

    Candidates of the folder's project come first, best first; then proposals of maintenance, and
    records that contradict each other. The turns around each quote are shown beside it. Every
    answer takes effect at once, and `u` undoes it; `A` and `R` answer several similar ones. Where
    the extra `review` is not installed, they come one by one, as in `memctl inbox --review`.
    """
    if not prompts.is_person():
        raise UsageError("review needs you at a terminal", hint="see: memctl inbox --help")
    wanted = build_filter(
        call,
        project=project,
        statuses=["inbox"],
        types=types,
        kinds=kinds,
        min_confidence=min_confidence,
    )
    return review_inbox.review_waiting(call.engine, call.place(project), wanted)
