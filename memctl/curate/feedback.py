"""Feedback on served records: votes that they helped or misled.

An actor has one vote for each record in each session, the last one. Votes of agents are bounded and
never change trust (see `retrieve.decay`).
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core import clock
from memctl.core.errors import NotFound, UsageError
from memctl.core.frozen import replace
from memctl.core.model import Actor, Memory
from memctl.core.typing_lite import Any
from memctl.records import drafts
from memctl.records.views import read_views
from memctl.redact.redactor import make_redactor
from memctl.results.feedback import FeedbackReport
from memctl.retrieve import visibility
from memctl.settings.config import Config
from memctl.store import event_log, logs, records, spool
from memctl.store import feedback as store
from memctl.store.database import Database
from memctl.store.feedback import Outcome

VERDICTS = ("good", "bad")
# So many words of one actor on one record are kept; the oldest makes room.
_MAX_VOTES = 5


def record_feedback(
    db: Database,
    config: Config,
    actor: Actor,
    verdict: str,
    ids: Iterable[str],
    *,
    retrieval: str | None = None,
    reason: str | None = None,
) -> FeedbackReport:
    """Note that records helped (`good`) or misled (`bad`).

    Raises UsageError for a record that was not served, NotFound also for one that is private to
    another agent.
    """
    drafts.require_one_of(verdict, VERDICTS, "outcome")
    spool.take_in_logs(db, config)
    with db.write():
        log = None if retrieval is None else logs.resolve(db, retrieval)
        named = list(
            {
                memory.id: memory
                for memory in (_require_served(db, actor, text, log) for text in ids)
            }.values()
        )
        if not named:
            raise UsageError("name at least one record")
        changed = [
            memory.id
            for memory in named
            if _record_vote(
                db, actor, verdict, memory, log, drafts.clean_reason(reason, make_redactor(config))
            )
        ]
    return FeedbackReport(verdict, read_views(db, [memory.id for memory in named]), tuple(changed))


def _require_served(db: Database, actor: Actor, text: str, log: dict[str, Any] | None) -> Memory:
    """Find a record that this actor was served. Raises NotFound, UsageError."""
    memory = records.resolve(db, text)
    if visibility.is_hidden(memory, actor, log["session_id"] if log else None):
        raise NotFound(f"no record begins with {text!r}")
    if log is not None and memory.id not in log["returned"]:
        raise UsageError(f"retrieval {log['id']} did not give out {memory.id}")
    if log is None and not memory.access_count and not actor.is_operator:
        raise UsageError(
            f"{memory.id} was never given out", hint="name the retrieval: --retrieval ID"
        )
    return memory


def _record_vote(
    db: Database,
    actor: Actor,
    verdict: str,
    memory: Memory,
    log: dict[str, Any] | None,
    reason: str | None,
) -> bool:
    """Store one vote; return True if it changes an earlier one."""
    said = Outcome(
        clock.new_id(),
        memory.id,
        verdict,
        actor.name,
        clock.now(),
        log["id"] if log else None,
        reason,
    )
    words = store.of_actor(db, memory.id, actor.name)
    same = next(
        (
            word
            for word, session in words
            if _choose_occasion(word.retrieval_id, session) == _read_occasion(log)
        ),
        None,
    )
    old = same or (words[0][0] if len(words) >= _MAX_VOTES else None)
    with event_log.operation(db, actor=actor.name, cause="outcome"):
        if old is None:
            store.insert(db, said)
        else:
            store.replace(db, old, replace(said, id=old.id))
    return same is not None and same.verdict != verdict


def _read_occasion(log: dict[str, Any] | None) -> str | None:
    return _choose_occasion(log["id"], log["session_id"]) if log else None


def _choose_occasion(retrieval_id: str | None, session_id: str | None) -> str | None:
    """What a vote belongs to: a session, else one retrieval, else None."""
    return session_id or retrieval_id
