"""What the purposes ask through: one run's settings, its time and its counts around each question."""

from __future__ import annotations

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.llm import calls
from memctl.llm.calls import Held, Question, Reply
from memctl.llm.settings import Settings
from memctl.store.database import Database

# So many answers in a row that are none of what was asked for: this model cannot do it, at least today.
_MOST_UNUSABLE = 5


class Ask:
    """Asks the configured model as long as there are time, budget and sense in it; `counts` tells how the questions ended."""

    def __init__(
        self, db: Database, settings: Settings, seconds: float | None, work: BoundedWork
    ) -> None:
        self.settings = settings
        self._work = work
        self._db = db
        self._deadline = None if seconds is None else clock.seconds() + seconds
        self._unusable = 0

    def go_on(self) -> float | None:
        """The seconds that are left (None: no limit); called between items. Raises Held where nothing more may be asked in this run."""
        if self._unusable >= _MOST_UNUSABLE:
            raise Held("model_unusable")
        left = None if self._deadline is None else self._deadline - clock.seconds()
        if self._work.must_stop() or (left is not None and left <= 0):
            raise Held(calls.NO_TIME)
        return left

    def __call__(self, question: Question) -> Reply:
        """The reply to a question. Raises Held where nothing more may be asked in this run."""
        reply = calls.ask(self._db, self.settings, question, seconds=self.go_on())
        self._work.count(reply.how)
        if reply.how in ("answered", "unusable"):
            self._unusable = self._unusable + 1 if reply.how == "unusable" else 0
        return reply
