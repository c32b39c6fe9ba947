"""Tell new evidence of a session from what it only repeats.

A fork replays its parent's turns, and an agent repeats what memctl gave it. The store is asked once
a session; `restatement` decides whether words only repeat others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memctl.consolidate.restatement import is_restatement
from memctl.core.model import Evidence, Source, Turn
from memctl.store import evidence, logs, records
from memctl.store.database import Database

# Whose words may be an echo of what memctl handed out: the agent's own, those it writes to its
# sub-agents and theirs.
_ECHOING = ("assistant", "summary", "system")
_DELEGATING = ("task", "agent", "subagent", "spawn_agent", "wait_agent", "delegate")


@dataclass(slots=True)
class Novelty:
    """What is known of one session while its candidates are looked at."""

    source: Source
    turns: Sequence[Turn]
    _given: list[str] | None = field(default=None, init=False)

    def is_echo(self, db: Database, content: str, proof: Sequence[Evidence]) -> bool:
        """Does a candidate rest only on an agent's words that restate what the agent was given?"""
        if not proof or not all(self._may_echo(item) for item in proof):
            return False
        if self._given is None:
            self._given = _list_texts_given_to(db, self.source)
        given = self._given
        if not given:
            return False
        if is_restatement(content, given):
            return True
        return all(is_restatement(item.quote, given) for item in proof)

    def find_forked_records(self, db: Database, item: Evidence) -> list[str]:
        """The ids of records that rest on these words of another session at the same moment.

        This session is then a fork of that one.
        """
        turn = self._find_turn(item)
        if turn is None or turn.ts is None:
            return []
        return evidence.list_memories_quoting_at(
            db, item.quote, turn.ts, agent=self.source.agent, beside=self.source.session_id
        )

    def _may_echo(self, item: Evidence) -> bool:
        if item.role != "tool":
            return item.role in _ECHOING
        turn = self._find_turn(item)
        return turn is not None and (turn.tool or "").lower() in _DELEGATING

    def _find_turn(self, item: Evidence) -> Turn | None:
        if item.turn is None or item.turn >= len(self.turns):
            return None
        return self.turns[item.turn]


def _list_texts_given_to(db: Database, source: Source) -> list[str]:
    """Every text that memctl gave to a session or its parent session.

    Where the log knows no session, what its agent was given in that time.
    """
    sessions = [session for session in (source.session_id, source.parent_session_id) if session]
    ids = logs.list_ids_given(
        db, sessions, f"agent:{source.agent}", source.started_at, source.ended_at
    )
    texts: dict[str, None] = {}
    for memory in records.list_by_ids(db, sorted(ids)).values():
        for text in (memory.content, memory.summary, memory.title, memory.rationale):
            if text:
                texts[text] = None
    return list(texts)
