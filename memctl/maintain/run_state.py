"""One run of maintenance, as its steps see it: the store, how much time is left, where to go on, what to tell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from memctl.core import clock, timestamps
from memctl.maintain import step_leases, time_limit
from memctl.settings.config import Config
from memctl.store import maintenance_steps
from memctl.store.database import Db

# Told now and then how much of what is counted is done, and of how much.
Progress = Callable[[int, int], None]
_FOR_EVER = float("inf")
# Whoever waits for the store looks every few milliseconds whether it is free; one who writes without a pause would not let them in.
_AT_WORK_SECONDS, _REST_SECONDS = 0.02, 0.006


class Run:
    """A run, and the step that it is at."""

    def __init__(
        self,
        db: Db,
        config: Config,
        *,
        is_whole: bool = True,
        retry: bool = False,
        reindex: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.db, self.config, self.id = db, config, clock.new_id()
        self.is_whole, self.retry, self.reindex, self.tell = (
            is_whole,
            retry,
            reindex,
            progress or (lambda done, total: None),
        )
        self.problems: list[str] = []
        self.flags: tuple[str, ...] = ()
        # Why the steps that are left are somebody else's, once that is so.
        self.left_to: str | None = None
        self.position: str | None = None
        self._step, self.is_stopped, self.why = "", False, ""
        self._deadline, self._renewed, self._rested = _FOR_EVER, 0.0, 0.0

    def enter(self, step: str, position: str | None, seconds: float | None) -> None:
        """Be at a step from here on, for so many seconds at most."""
        self._step, self.position, self.is_stopped = step, position, False
        self._renewed = self._rested = clock.seconds()
        self._deadline = _FOR_EVER if seconds is None else self._renewed + seconds

    def left(self) -> float:
        """The seconds that the step still has; infinite without a budget, never negative."""
        return max(0.0, self._deadline - clock.seconds())

    def enough(self) -> bool:
        """Whether the time of the step is over; asked between items, it also lets writers in and tells other runs that this one lives."""
        if clock.seconds() - self._renewed > self.config["queue.lease_seconds"] / 3:
            self.keep(self.position)
        if clock.seconds() - self._rested > _AT_WORK_SECONDS:
            clock.rest(_REST_SECONDS)
            self._rested = clock.seconds()
        return self.left() <= 0

    def keep(self, position: str | None) -> None:
        """Note how far the step came, for whoever goes on after a crash."""
        self.position, self._renewed = position, clock.seconds()
        with self.db.write():
            maintenance_steps.hold(
                self.db, self.id, self._step, holder=self.holder(), position=position
            )

    def stop(self, position: str | None = None, *, why: str = "its time was over") -> None:
        """The step is not done; the next run goes on from `position`, else from what the store itself says."""
        self.is_stopped, self.why = True, why
        self.position = position if position is not None else self.position

    def within(self, work: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Work that does not ask for the time itself, cut off when it is over: what may be killed at any moment may be stopped at any."""
        if self._deadline == _FOR_EVER:
            return work()
        try:
            with time_limit.limited(self.left()):
                return work()
        except time_limit.TooLong:
            self.stop()
            return {}

    def holder(self) -> dict[str, Any]:
        """By whom the step is held, and until when that is to be believed."""
        until = timestamps.add_seconds(clock.now(), seconds=self.config["queue.lease_seconds"])
        return {**step_leases.me(), "until": until, "whole": self.is_whole}

    def others_are_at_it(self, owners: Iterable[str]) -> None:
        """Leave the steps after this one to another whole run that still holds a part of it: it comes later and sees more."""
        now, names = clock.now(), set(owners) - {self.id}
        for row in maintenance_steps.running(self.db, self._step):
            if (
                row.run_id in names
                and row.outcome.get("whole")
                and step_leases.lives(row.outcome, now)
            ):
                self.left_to = f"another run is still at {self._step} and goes on from there"
