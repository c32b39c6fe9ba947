"""Who may do what to whose records: one table of class, actor and operation, tried on the store
itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from bench import Bench

from memctl.core.errors import RefusedByPolicy
from memctl.core.frozen import replace
from memctl.core.model import OWNER_OF, TYPES, Actor, Memory, Place
from memctl.engine.memory_engine import MemoryEngine
from memctl.store import records

WHY = {"decision": {"rationale": "measured"}}


def put(bench: Bench, type_: str, text: str, **given: Any) -> Memory:
    return bench.put(text, type_, **WHY.get(type_, {}), **given)


def _candidate(bench: Bench, memory: Memory, type_: str) -> Memory:
    """A record in the inbox of the same type and trust."""
    waiting = put(bench, type_, "Rain is measured at noon")
    with bench.db.write():
        records.replace_record(
            bench.db,
            waiting,
            replace(waiting, status="inbox", trust=memory.trust),
            verb="edited",
            actor="test",
            cause="test",
        )
    return bench.get(waiting)


def _rival(bench: Bench, memory: Memory, type_: str) -> Memory:
    """A record of the same type and standing that contradicts one."""
    rival = put(bench, type_, "Rain is measured at night")
    bench.operator.records.link(rival.id, "contradicts", memory.id)
    return rival


Work = Callable[[Bench, MemoryEngine, Memory, str], Any]
OPERATIONS: dict[str, Work] = {
    "ingest": lambda bench, who, memory, type_: put(bench, type_, "Snow is rare", by=who),
    "edit": lambda bench, who, memory, type_: who.records.edit(memory.id, {"summary": "rain"}),
    "correct": lambda bench, who, memory, type_: who.records.correct(
        memory.id, "Rain is measured in inches", rationale="custom"
    ),
    "forget": lambda bench, who, memory, type_: who.forget([memory.id]),
    "confirm": lambda bench, who, memory, type_: who.records.confirm([memory.id]),
    "revert": lambda bench, who, memory, type_: who.revert(memory.id),
    "promote": lambda bench, who, memory, type_: who.promote([_candidate(bench, memory, type_).id]),
    "reject": lambda bench, who, memory, type_: who.inbox.reject(
        [_candidate(bench, memory, type_).id], reason="no"
    ),
    "supersede": lambda bench, who, memory, type_: who.records.link(
        put(bench, type_, "Hail counts as rain").id, "supersedes", memory.id
    ),
    "resolve": lambda bench, who, memory, type_: who.conflicts.resolve(
        (memory.id,), Place(), keep=_rival(bench, memory, type_).id
    ),
}
# What an agent may do to what the operator said: `yes`, `no`, or `asks` (it waits in the inbox for
# the operator). Undoing a creation
# archives it, as forgetting does.
ALLOWED = {
    "operator": {**dict.fromkeys(OPERATIONS, "no"), "ingest": "asks"},
    "shared": {
        **dict.fromkeys(OPERATIONS, "yes"),
        "correct": "asks",
        "confirm": "no",
        "resolve": "no",
    },
    "agent": {
        **dict.fromkeys(OPERATIONS, "yes"),
        "correct": "asks",
        "confirm": "no",
        "resolve": "no",
    },
}
# ... and to what an agent claimed.
OF_AGENTS = {
    owner: {**row, **({} if owner == "operator" else {"correct": "yes", "promote": "no"})}
    for owner, row in ALLOWED.items()
}


def outcome(done: Callable[[], Any]) -> str:
    """`no` for what is refused, `asks` for what only waits for the operator, else `yes`."""
    try:
        found = done()
    except RefusedByPolicy:
        return "no"
    if getattr(found, "refused", None):
        return "no"
    waits = getattr(found, "status", None) == "inbox" or getattr(found, "verb", None) == "proposed"
    return "asks" if waits else "yes"


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_operator_may_do_everything(bench: Bench, type_: str, operation: str) -> None:
    memory = put(bench, type_, "Rain is measured in millimetres")
    assert outcome(lambda: OPERATIONS[operation](bench, bench.operator, memory, type_)) == "yes"
    bench.check()


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_an_agent_may_do_to_what_the_operator_said(
    bench: Bench, type_: str, operation: str
) -> None:
    memory = put(bench, type_, "Rain is measured in millimetres")
    assert (
        outcome(lambda: OPERATIONS[operation](bench, bench.agent, memory, type_))
        == ALLOWED[OWNER_OF[type_]][operation]
    )
    bench.check()


@pytest.mark.parametrize("type_", [name for name in TYPES if OWNER_OF[name] != "operator"])
@pytest.mark.parametrize("operation", [name for name in OPERATIONS if name != "resolve"])
def test_what_an_agent_may_do_to_what_agents_claimed(
    bench: Bench, type_: str, operation: str
) -> None:
    memory = put(bench, type_, "Rain is measured in millimetres", by=bench.agent)
    assert (
        outcome(lambda: OPERATIONS[operation](bench, bench.agent, memory, type_))
        == OF_AGENTS[OWNER_OF[type_]][operation]
    )
    bench.check()


@pytest.mark.parametrize("operation", ["edit", "forget", "supersede", "resolve", "correct"])
@pytest.mark.parametrize("mark", ["always_load", "protected"])
def test_what_the_operator_chose_by_hand_no_agent_takes_away(
    bench: Bench, operation: str, mark: str
) -> None:
    memory = put(bench, "project", "Rain is measured in millimetres", **{mark: True})
    expected = "asks" if operation == "correct" else "no"
    assert outcome(lambda: OPERATIONS[operation](bench, bench.agent, memory, "project")) == expected
    assert bench.state(memory) in ("active", "contradicted")


@pytest.mark.parametrize("name", ["maintain", "policy", "agent:operator", "Operator"])
def test_no_other_name_is_the_operators(bench: Bench, name: str) -> None:
    memory = put(bench, "profile", "I like rain")
    other = MemoryEngine(bench.config, Actor(name))
    for operation in ("edit", "forget", "confirm", "resolve"):
        assert (
            outcome(
                lambda operation=operation: OPERATIONS[operation](bench, other, memory, "profile")
            )
            == "no"
        )
    other.close()
