"""The growing list of turns that every reader fills.

Invariants: no text that memctl handed out comes back, neither between its marks nor as the result
of a tool call to memctl; no turn is empty except a tool result; turns are numbered without gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.frozen import replace
from memctl.core.model import Role, Turn
from memctl.core.typing_lite import Any
from memctl.readers.memctl_calls import is_memctl_call
from memctl.readers.values import clean_text, clean_values


class Turns:
    """Turns in the order of the file; while the file is read, a turn can be changed or removed."""

    def __init__(self) -> None:
        self._turns: list[Turn | None] = []
        # Ids of the calls to memctl; None stands for the last call, if that one had no id.
        self._memctl_calls: set[str | None] = set()
        self.started_at: str | None = None
        self.ended_at: str | None = None

    def __len__(self) -> int:
        return len(self._turns)

    def add(
        self,
        role: Role,
        kind: str,
        text: str,
        *,
        ts: str | None = None,
        speaker: str | None = None,
        tool: str | None = None,
        call_id: str | None = None,
        ok: bool | None = None,
        line: int = 0,
        data: Mapping[str, Any] | None = None,
    ) -> int | None:
        """Append a turn and return its position.

        None if nothing is left of its text; only a tool's result may be empty.
        """
        text = clean_text(text)
        if kind == "tool_call":
            self._note_call(tool or "", text, call_id, data)
        elif kind == "tool_result" and call_id in self._memctl_calls:
            text, data = "", None
        if not text and kind != "tool_result":
            return None
        position = len(self._turns)
        data = clean_values(data) if data else {}
        turn = Turn(position, role, kind, text, ts, speaker, tool, call_id, ok, line, data)
        self._turns.append(turn)
        self._extend_period(ts)
        return position

    def _note_call(
        self, tool: str, text: str, call_id: str | None, data: Mapping[str, Any] | None
    ) -> None:
        command = (data or {}).get("command")
        shell_command = command if isinstance(command, str) else None
        self._memctl_calls.discard(None)
        if is_memctl_call(tool, shell_command, text):
            self._memctl_calls.add(call_id)

    def extend(self, turns: Iterable[Turn]) -> None:
        """Append turns that another reading of the same session found."""
        for turn in turns:
            self._turns.append(replace(turn, seq=len(self._turns)))
            self._extend_period(turn.ts)

    def set_outcome(self, position: int, *, ok: bool | None) -> None:
        """Set whether what a turn proposed was done."""
        turn = self._turns[position]
        if turn is not None:
            self._turns[position] = replace(turn, ok=ok)

    def is_prompt(self, position: int) -> bool:
        """Return whether a turn holds a person's words."""
        turn = self._turns[position]
        return turn is not None and turn.role == "human" and turn.kind == "text"

    def are_alike(self, one: int, other: int) -> bool:
        """Return whether two turns say the same."""
        first, second = self._turns[one], self._turns[other]
        return first is not None and second is not None and first.text == second.text

    def remove(self, position: int) -> None:
        """Remove a turn that the file repeats or retracts; later positions stay as they are."""
        self._turns[position] = None

    def truncate(self, position: int) -> None:
        """Remove the turn at this position and all after it."""
        del self._turns[position:]

    def collect(self) -> tuple[Turn, ...]:
        """Return all turns, numbered from 0 without gaps."""
        turns = [turn for turn in self._turns if turn is not None]
        if len(turns) == len(self._turns):
            return tuple(turns)
        return tuple(replace(turn, seq=seq) for seq, turn in enumerate(turns))

    def _extend_period(self, ts: str | None) -> None:
        if ts is None:
            return
        if self.started_at is None or ts < self.started_at:
            self.started_at = ts
        if self.ended_at is None or ts > self.ended_at:
            self.ended_at = ts
