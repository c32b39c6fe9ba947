"""What became of candidates, by agent, format and rule; and the rules that the operator muted."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core import clock
from memctl.store import event_log, tracked_rows
from memctl.store.database import Database, Row
from memctl.store.rows import copy_row


def list_accounts(db: Database, *, since: str | None, long_ago: str) -> list[Row]:
    """List the counts of every combination of agent, format and rule.

    `since` is when the record was created.
    """
    return db.all("quality.accounts", since=since, long_ago=long_ago)


def list_muted(db: Database) -> list[Row]:
    """List the muted rules, with the reason, who muted them and when."""
    return db.all("quality.muted")


def mute_rule(db: Database, rule: str, *, reason: str | None, actor: str) -> bool:
    """Mute a rule; False if it was muted."""
    row = {"rule": rule, "reason": reason, "actor": actor, "created_at": clock.now()}
    if not db.run("quality.mute", **row):
        return False
    event_log.append_related(db, "mute", tracked_rows.RULES, rule, None, row, verb="muted")
    return True


def unmute_rule(db: Database, rule: str) -> bool:
    """Unmute a rule; False if it was not muted."""
    known = next((copy_row(row) for row in list_muted(db) if row["rule"] == rule), None)
    if known is None:
        return False
    db.run("quality.unmute", rule=rule)
    event_log.append_related(db, "mute", tracked_rows.RULES, rule, known, None, verb="unmuted")
    return True


def count_waiting(db: Database, rules: Iterable[str]) -> dict[str, int]:
    """Count the candidates of each rule in the inbox."""
    return {rule: int(db.value("quality.waiting_of_rule", rule=rule) or 0) for rule in rules}


def is_known(db: Database, rule: str) -> bool:
    """Whether any record was ever proposed by a rule."""
    return db.one("quality.is_known_rule", rule=rule) is not None
