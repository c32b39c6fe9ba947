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
# Votes of one actor on one record; a further vote replaces the oldest. Chosen by hand.
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
    why = drafts.clean_reason(reason, make_redactor(config))
    spool.take_in_logs(db, config)
    with db.write():
        log = None if retrieval is None else logs.resolve_log(db, retrieval)
        served = {}
        for text in ids:
            memory = _require_served(db, actor, text, log)
            served[memory.id] = memory
        if not served:
            raise UsageError("name at least one record")
        changed = [
            memory.id
            for memory in served.values()
            if _record_vote(db, actor, verdict, memory, log, why)
        ]
    return FeedbackReport(verdict, read_views(db, served), tuple(changed))


def _require_served(db: Database, actor: Actor, text: str, log: dict[str, Any] | None) -> Memory:
    """Find a record that this actor was served. Raises NotFound, UsageError."""
    memory = records.resolve_record(db, text)
    if visibility.is_hidden(memory, actor, log["session_id"] if log else None):
        raise NotFound(f"no record begins with {text!r}")
    if log is not None and memory.id not in log["returned"]:
        raise UsageError(f"retrieval {log['id']} did not serve {memory.id}")
    if log is None and not memory.access_count and not actor.is_operator:
        raise UsageError(f"{memory.id} was never served", hint="name the retrieval: --retrieval ID")
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
    vote = Outcome(
        clock.new_id(),
        memory.id,
        verdict,
        actor.name,
        clock.now(),
        log["id"] if log else None,
        reason,
    )
    votes = store.list_of_actor(db, memory.id, actor.name)
    occasion = _choose_occasion(log["id"], log["session_id"]) if log else None
    same = next(
        (
            each
            for each, session_id in votes
            if _choose_occasion(each.retrieval_id, session_id) == occasion
        ),
        None,
    )
    old = same or (votes[0][0] if len(votes) >= _MAX_VOTES else None)
    with event_log.group_changes(db, actor=actor.name, cause="outcome"):
        if old is None:
            store.insert_vote(db, vote)
        else:
            store.replace_vote(db, old, replace(vote, id=old.id))
    return same is not None and same.verdict != verdict


def _choose_occasion(retrieval_id: str | None, session_id: str | None) -> str | None:
    """What a vote belongs to: a session, else one retrieval, else None."""
    return session_id or retrieval_id
