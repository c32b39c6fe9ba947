"""The tools that write: what an agent states, corrects, takes back, vouches for or would settle.

What an agent may decide is decided below the engine. Where it may not, what it said waits for the
operator, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl.core.errors import UsageError
from memctl.results.records import ManagedId
from memctl.tools import answers
from memctl.tools.answers import Answer
from memctl.tools.tool import Desk

# What `manage` reports of a record that waits until the operator decides on it.
_WAITING = ("inbox", "proposed")
_TOLD = {
    "created": "it is in force now",
    "merged": "this was known already; nothing new was stored",
    "inbox": "it waits for the operator and is not used until then",
    "proposed": "the change waits for the operator; the old record stays in force until then",
    "corrected": "the new record replaces the old one",
    "edited": "the record was changed",
    "forgotten": "the record is no longer used; the operator can bring it back",
    "spooled": "the memory is busy: this is kept and stored with the next write",
}

# Seconds that one call of maintenance may take.
LONGEST_SECONDS = 60


def remember_fact(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Store one statement."""
    metadata = {
        "kind": given["kind"],
        "type": "profile" if given["kind"] == "preference" else None,
        "rationale": given["rationale"],
        "subject": given["subject"],
        "confidence": given["confidence"],
        "entities": given["entity_names"],
        "tags": given["tags"],
    }
    return _create(desk, given["content"], given["scope"], metadata)


def manage_memory(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Create, update or delete one record."""
    action, record_id = given["action"], given["id"]
    if action == "create":
        if record_id is not None:
            raise UsageError("what is created gets its id", hint="action update changes a record")
        if given["content"] is None:
            raise UsageError("to create a memory takes content")
        metadata = {"kind": given["kind"], "rationale": given["reason"]}
        return _create(desk, given["content"], given["scope"], metadata)
    if record_id is None:
        raise UsageError(f"to {action} a memory takes its id", hint="search_memory finds ids")
    if given["scope"] is not None or (action == "delete" and given["content"] is not None):
        raise UsageError(f"to {action} a memory takes no scope, and to delete one no content")
    desk.find_place()
    kind = {"kind": given["kind"]} if action == "update" else {}
    done = desk.engine.manage(
        given["content"], action, record_id, metadata={**kind, "reason": given["reason"]}
    )
    return _tell_managed(done)


def correct_fact(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Replace what a record says."""
    desk.find_place()
    metadata = {"reason": given["reason"], "rationale": given["rationale"]}
    done = desk.engine.manage(given["content"], "update", given["id"], metadata=metadata)
    return _tell_managed(done)


def forget_memory(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Archive a record; nothing is erased."""
    desk.find_place()
    done = desk.engine.manage(None, "delete", given["id"], metadata={"reason": given["reason"]})
    return _tell_managed(done)


def confirm_fact(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Note that a record was checked and holds, or that it misled."""
    desk.find_place()
    verdict = "good" if given["holds"] else "bad"
    report = desk.engine.records.give_feedback(
        verdict, [given["id"]], retrieval=given["retrieval_id"], reason=given["reason"]
    )
    short = report.items[0].short
    return answers.build_answer(
        id=short,
        noted=f"{verdict}: your vote counts when memories are ranked",
        trust=f"only the operator raises trust: `memctl confirm {short}` in a terminal",
    )


def resolve_conflict(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Say which of two records holds; what an agent may not decide waits for the operator."""
    place = desk.find_place()
    first, second = given["ids"]
    way = given["way"]
    if (given["since"] is not None) != (way == "both_hold"):
        raise UsageError("since belongs to both_hold: the day from which the second one holds")
    ways: dict[str, dict[str, Any]] = {
        "keep_first": {"keep": first},
        "keep_second": {"keep": second},
        "both_hold": {
            "both": True,
            "ends": {first: given["since"]},
            "starts": {second: given["since"]},
        },
        "no_conflict": {"dismiss": True},
    }
    report = desk.engine.conflicts.resolve(
        [first, second], place, reason=given["reason"], **ways[way]
    )
    if not report.proposed:
        return answers.build_answer(done="settled", way=way)
    return answers.build_answer(
        waits_for_operator=True,
        proposal_id=report.proposal,
        done="your settlement waits in the operator's inbox; until then both stay as they are"
        if report.proposal
        else "the same settlement waits already, or was declined",
    )


def consolidate_memory(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Take in captured sessions, and compare what is new with what is known."""
    desk.find_place()
    report = desk.engine.maintain(dry_run=given["dry_run"], budget=float(given["seconds"]))
    steps = [step.name for step in report.steps if step.state in ("unfinished", "failed")]
    planned = [step.name for step in report.steps if step.state in ("planned", "perhaps")]
    return answers.build_answer(
        dry_run=report.dry_run or None,
        planned=planned,
        sessions_read=report.jobs_done,
        proposed=report.proposed,
        duplicates_merged=report.duplicates,
        contradictions_found=report.contradictions,
        waiting_for_operator=report.inbox,
        unfinished=steps,
        problems=[answers.cut_text(problem) for problem in report.problems[:5]],
    )


def _create(desk: Desk, content: str, scope: str | None, metadata: Mapping[str, Any]) -> Answer:
    place = desk.find_place_to_write()
    # Where there is no project, memctl chooses the scope, and the record waits for the operator.
    scope = None if scope == "project" else scope
    done = desk.engine.manage(content, "create", scope=scope, metadata=metadata, place=place)
    return _tell_managed(done)


def _tell_managed(done: ManagedId) -> Answer:
    return answers.build_answer(
        id=str(done),
        outcome=done.outcome,
        waits_for_operator=done.outcome in _WAITING or None,
        done=_TOLD.get(done.outcome, done.outcome),
        note=done.note,
    )
