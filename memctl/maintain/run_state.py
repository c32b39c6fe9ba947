"""One maintenance run as its steps see it: the store, the time limit, the counts, the position."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memctl.core import clock, process_identity, timestamps
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import MemctlError
from memctl.core.typing_lite import Any
from memctl.records import drafts
from memctl.redact.redactor import Redactor
from memctl.results.maintenance import StepReport
from memctl.settings.config import Config
from memctl.store import maintenance_steps
from memctl.store.database import Database

# Called now and then with how many items are done, and how many there are.
Progress = Callable[[int, int], None]
CUT_OFF = "cut off by its time limit"
# Writers that wait for the store look every few milliseconds whether it is free. A step that writes
# without a pause would never let them in: after so many seconds of work it rests. Chosen by hand.
_WORK_SECONDS = 0.02
_REST_SECONDS = 0.006


class MaintenanceRun:
    """A run, and the step that it is at.

    A step reads `db`, `config`, `position` (where to continue; None: at the beginning), `retry` and
    `reindex`. It counts in `work` what it commits, asks `must_stop()` between transactions, puts
    results that are no counts into `details`, and appends to `problems` and `flags`.
    """

    def __init__(
        self,
        db: Database,
        config: Config,
        *,
        is_whole: bool = True,
        retry: bool = False,
        reindex: bool = False,
        progress: Progress | None = None,
        at_step: Callable[[str], None] | None = None,
    ) -> None:
        self.db = db
        self.config = config
        self.id = clock.new_id()
        # Whether this run takes all steps that are due, not only requested ones.
        self.is_whole = is_whole
        self.retry = retry
        self.reindex = reindex
        self.report_progress: Progress = progress or (lambda done, total: None)
        self._at_step = at_step or (lambda step: None)
        self.problems: list[str] = []
        self.flags: tuple[str, ...] = ()
        # Why the steps that are left belong to another run, once that is so.
        self.left_to_other: str | None = None
        self.begin_step("", None, None)

    def begin_step(self, step: str, position: str | None, seconds: float | None) -> None:
        """Enter a step, to continue at `position`, for at most `seconds` (None: unlimited)."""
        self._step = step
        if step:
            self._at_step(step)
        self.position = position
        self.work = BoundedWork(self._is_time_over)
        self.details: dict[str, Any] = {}
        self._why_stopped: str | None = None
        self._began = self._renewed = self._rested = clock.read_monotonic()
        self._seconds = float("inf") if seconds is None else seconds

    def compute_time_left(self) -> float:
        """The seconds that the step still has: infinite without a budget, never negative."""
        return max(0.0, self._began + self._seconds - clock.read_monotonic())

    def must_stop(self) -> bool:
        """Whether the time of the step is over. Ask between transactions, with more to do.

        It also lets waiting writers in and renews the claim on the step.
        """
        return self.work.must_stop()

    def count(self, name: str, many: int = 1) -> None:
        """Count what was just committed; the report shows it even if the step is cut off later."""
        self.work.count(name, many)

    def save_position(self, position: str | None) -> None:
        """Store how far the step came, for whoever continues after a crash."""
        self.position = position
        self._renewed = clock.read_monotonic()
        with self.db.write():
            maintenance_steps.renew_claim(
                self.db, self.id, self._step, holder=self.build_claim(), position=position
            )

    def stop(self, position: str | None = None, *, why: str = CUT_OFF) -> None:
        """Mark the step as unfinished: the next run continues at `position`, if one is given."""
        self._why_stopped = why
        self.position = position if position is not None else self.position

    @property
    def why_unfinished(self) -> str | None:
        """Why the step did not come to its end; None if it did."""
        if self._why_stopped is None and self.work.was_cut:
            return CUT_OFF
        return self._why_stopped

    def report_interrupted(self) -> StepReport:
        """What the present step committed before somebody interrupted it."""
        counts = {name: many for name, many in self.work.counts.items() if many}
        seconds = clock.read_monotonic() - self._began
        return StepReport(self._step, "unfinished", "interrupted", counts, seconds)

    def build_claim(self) -> dict[str, Any]:
        """Who holds the step, and until when others should believe that."""
        until = timestamps.add_seconds(clock.now(), seconds=self.config["queue.lease_seconds"])
        return {**process_identity.describe_process(), "until": until, "whole": self.is_whole}

    def leave_to_other_holders(self, run_ids: Iterable[str]) -> None:
        """Leave the later steps to another whole run that still holds a part of this step.

        That run ends later and sees more.
        """
        now = clock.now()
        others = set(run_ids) - {self.id}
        for row in maintenance_steps.list_running(self.db, self._step):
            is_whole_run = row.run_id in others and row.outcome.get("whole")
            if is_whole_run and process_identity.is_alive(row.outcome, now):
                self.leave_to_other(self._step)

    def leave_to_other(self, step: str) -> None:
        """Leave the steps after `step` to another run, which is at that step."""
        self.left_to_other = f"another maintain run is still at {step} and does the rest"

    def _is_time_over(self) -> bool:
        if clock.read_monotonic() - self._renewed > self.config["queue.lease_seconds"] / 3:
            self.save_position(self.position)
        if clock.read_monotonic() - self._rested > _WORK_SECONDS:
            clock.sleep(_REST_SECONDS)
            self._rested = clock.read_monotonic()
        return self.compute_time_left() <= 0


def describe_error(error: Exception, redactor: Redactor) -> str:
    """An error as a report shows it, redacted; the class is named unless it is one of memctl's."""
    if isinstance(error, MemctlError):
        return drafts.clean_text(str(error), redactor)
    return drafts.clean_text(f"{type(error).__name__}: {error}", redactor)
