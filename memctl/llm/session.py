"""The questions of one run: its settings, its time limit and its counts."""

from __future__ import annotations

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.llm import calls
from memctl.llm.calls import ModelHeldBack, ModelQuestion, ModelReply
from memctl.llm.settings import ModelSettings
from memctl.store.database import Database

# After so many unusable answers in a row the model is not asked again in this run. By hand.
_MAX_UNUSABLE = 5


class QuestionSession:
    """Asks the configured model as long as there are time and budget and it answers usefully."""

    def __init__(
        self, db: Database, settings: ModelSettings, seconds: float | None, work: BoundedWork
    ) -> None:
        self.settings = settings
        self._work = work
        self._db = db
        self._deadline = None if seconds is None else clock.read_monotonic() + seconds
        self._unusable = 0

    def require_time(self) -> float | None:
        """The seconds that are left (None: unlimited); called between items.

        Raises ModelHeldBack where nothing more may be asked in this run.
        """
        if self._unusable >= _MAX_UNUSABLE:
            raise ModelHeldBack("model_unusable")
        left = None if self._deadline is None else self._deadline - clock.read_monotonic()
        if self._work.must_stop() or (left is not None and left <= 0):
            raise ModelHeldBack(calls.NO_TIME)
        return left

    def __call__(self, question: ModelQuestion) -> ModelReply:
        """Reply to a question. Raises ModelHeldBack where nothing more may be asked in this run."""
        reply = calls.ask_question(self._db, self.settings, question, seconds=self.require_time())
        self._work.count(reply.how)
        if reply.how in ("answered", "unusable"):
            self._unusable = self._unusable + 1 if reply.how == "unusable" else 0
        return reply
