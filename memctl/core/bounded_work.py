"""The progress of one bounded piece of work: what it has done so far, and whether it must stop.

Long work asks `must_stop` between two transactions and counts after each commit, so that the counts
say what the store says whether the work ended, was cut off by its time limit or failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable


class BoundedWork:
    """Counts of what was done, by name, and the time limit of the work; without a limit by default.

    `was_cut` is true once the work was told to stop while it still had something to do. `tell` gets
    how much is done, and of how much, for who waits for the end.
    """

    def __init__(
        self,
        is_time_over: Callable[[], bool] = lambda: False,
        tell: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self.was_cut = False
        self.tell = tell
        self._is_time_over = is_time_over

    def count(self, name: str, many: int = 1) -> None:
        """Count what was just committed; 0 makes the name appear in the report."""
        self.counts[name] += many

    def must_stop(self) -> bool:
        """Whether the time is over.

        Ask only when there is more to do: the work then counts as cut.
        """
        self.was_cut = self.was_cut or self._is_time_over()
        return self.was_cut
