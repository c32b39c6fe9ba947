"""What was verified in a session: checks that passed after edits, and what a person confirmed.

An agent's own words are worth a look only where something else speaks for them.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from memctl.extract import session_cues
from memctl.extract.commands import is_check, list_shell_calls
from memctl.extract.sentences import fold_for_cues
from memctl.extract.transcript_view import TranscriptView
from memctl.extract.worth_cues import TOOLS

# Characters of an answer in which it is confirmed or refused.
_ANSWER_CHARS = 200


class VerifiedWork:
    """The turns of a session in which something was changed, or shown to work."""

    def __init__(self, view: TranscriptView) -> None:
        self._view = view

    @cached_property
    def _edits(self) -> list[int]:
        return [
            i
            for i, turn in enumerate(self._view.turns)
            if turn.kind == "tool_call" and (turn.tool or "").lower() in TOOLS["edits"]
        ]

    @cached_property
    def _checks(self) -> list[tuple[int, bool]]:
        """The turns of checks, with whether each passed."""
        return [
            (call.index, call.ok)
            for call in list_shell_calls(self._view)
            if is_check(call.text) and call.result is not None
        ]

    def is_mended_after(self, index: int) -> bool:
        """Whether something was edited after a turn, and the last check after that passed."""
        place = bisect_right(self._edits, index)
        if place == len(self._edits):
            return False
        later = [passed for at, passed in self._checks if at > self._edits[place]]
        return bool(later) and later[-1]

    def is_confirmed(self, index: int) -> bool:
        """Whether the next thing that a person typed agrees, and only that."""
        typed = self._view.human
        place = bisect_right(typed, index)
        if place == len(typed):
            return False
        low = fold_for_cues(self._view.turns[typed[place]].text[:_ANSWER_CHARS])
        agrees = session_cues.AFFIRMS.match(low) is not None
        return agrees and self._view.said_before(typed[place]) == index
