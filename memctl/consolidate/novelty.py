"""What of a session's evidence is new: not what a fork replays of its parent, and not what an agent repeats of what memctl gave it.

The store is asked once a session; whether words restate what was given is decided in `consolidate.echo`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memctl.consolidate.restatement import is_echo
from memctl.core.model import Evidence, Source, Turn
from memctl.store import evidence, logs, records
from memctl.store.database import Database

# Whose words may be an echo of what memctl handed out: the agent's own, those it writes to its sub-agents and theirs.
_ECHOING = ("assistant", "summary", "system")
_DELEGATING = ("task", "agent", "subagent", "spawn_agent", "wait_agent", "delegate")


@dataclass(slots=True)
class Novelty:
    """What is known of one session when its candidates are looked at."""

    source: Source
    turns: Sequence[Turn]
    _given: list[str] | None = field(default=None, init=False)

    def is_echo(self, db: Database, content: str, proof: Sequence[Evidence]) -> bool:
        """Whether a candidate rests on nothing but an agent's words, and those only restate what that agent was given."""
        if not proof or not all(self._may_echo(item) for item in proof):
            return False
        if self._given is None:
            self._given = _list_texts_given_to(db, self.source)
        given = self._given
        return bool(given) and (
            is_echo(content, given) or all(is_echo(item.quote, given) for item in proof)
        )

    def first_told_by(self, db: Database, item: Evidence) -> list[str]:
        """The records that rest on these very words of another session, spoken at the same moment: this one is its fork."""
        turn = self._turn_of(item)
        if turn is None or turn.ts is None:
            return []
        return evidence.memories_quoting_at(
            db, item.quote, turn.ts, agent=self.source.agent, beside=self.source.session_id
        )

    def _may_echo(self, item: Evidence) -> bool:
        if item.role != "tool":
            return item.role in _ECHOING
        turn = self._turn_of(item)
        return turn is not None and (turn.tool or "").lower() in _DELEGATING

    def _turn_of(self, item: Evidence) -> Turn | None:
        return (
            self.turns[item.turn] if item.turn is not None and item.turn < len(self.turns) else None
        )


def _list_texts_given_to(db: Database, source: Source) -> list[str]:
    """Every text that memctl gave to this session, to the one it came from, or, as far as the log tells, to its agent meanwhile."""
    sessions = [session for session in (source.session_id, source.parent_session_id) if session]
    ids = logs.given_while(
        db, sessions, f"agent:{source.agent}", source.started_at, source.ended_at
    )
    found = records.by_ids(db, sorted(ids)).values()
    return list(
        dict.fromkeys(
            text
            for memory in found
            for text in (memory.content, memory.summary, memory.title, memory.rationale)
            if text
        )
    )
