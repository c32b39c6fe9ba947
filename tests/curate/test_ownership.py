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
from memctl.settings import policy
from memctl.store import records


@pytest.fixture(autouse=True)
def about_one_project(bench: Bench) -> None:
    """What holds in every project is the operator's alone to change."""
    bench.placed = True


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
    "operator": {
        **dict.fromkeys(OPERATIONS, "no"),
        "ingest": "asks",
        "reject": "asks",
        "resolve": "asks",
    },
    "shared": {
        **dict.fromkeys(OPERATIONS, "yes"),
        "promote": "no",
        "reject": "asks",
        "correct": "asks",
        "confirm": "no",
        "resolve": "asks",
    },
    "agent": {
        **dict.fromkeys(OPERATIONS, "yes"),
        "promote": "no",
        "reject": "asks",
        "correct": "asks",
        "confirm": "no",
        "resolve": "asks",
    },
}
# ... and to what an agent claimed.
OF_AGENTS = {
    owner: {**row, **({} if owner == "operator" else {"correct": "yes"})}
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
    verb = getattr(found, "verb", None)
    waits = getattr(found, "status", None) == "inbox" or verb in ("proposed", "advised")
    waits = waits or bool(getattr(found, "proposed", False))
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
    expected = "asks" if operation in ("correct", "resolve") else "no"
    assert outcome(lambda: OPERATIONS[operation](bench, bench.agent, memory, "project")) == expected
    assert bench.state(memory) in ("active", "contradicted")


# What tells agents what to do, and what is served beyond its project.
STRONG = {
    **{kind: {"kind": kind} for kind in sorted(policy.INSTRUCTING_KINDS)},
    "global": {"scope": "global"},
    "always loaded": {"always_load": True},
}
# What an agent may do to it, whoever said it.
TO_STRONG = {
    **dict.fromkeys(("edit", "forget", "supersede", "revert", "confirm"), "no"),
    "correct": "asks",
    "resolve": "asks",
}


@pytest.mark.parametrize("given", STRONG.values(), ids=STRONG)
@pytest.mark.parametrize("operation", TO_STRONG)
def test_what_instructs_or_reaches_further_only_the_operator_changes(
    bench: Bench, given: dict[str, Any], operation: str
) -> None:
    memory = put(bench, "project", "Rain is measured in millimetres", **given)
    done = outcome(lambda: OPERATIONS[operation](bench, bench.agent, memory, "project"))
    assert done == TO_STRONG[operation]
    assert bench.state(memory) in ("active", "contradicted")
    bench.check()


@pytest.mark.parametrize("given", STRONG.values(), ids=STRONG)
def test_what_an_agent_writes_that_instructs_or_reaches_further_waits_for_the_operator(
    bench: Bench, given: dict[str, Any]
) -> None:
    memory = put(bench, "project", "Rain is measured at noon", by=bench.agent, **given)
    assert memory.status == "inbox"
    assert "operator" in (memory.status_reason or "")
    assert outcome(lambda: bench.agent.promote([memory.id])) == "no", "not its own either"
    assert outcome(lambda: bench.operator.promote([memory.id])) == "yes"
    bench.check()


@pytest.mark.parametrize("given", [each for each in STRONG.values() if "scope" not in each])
def test_no_edit_by_an_agent_makes_a_plain_record_instruct_or_reach_further(
    bench: Bench, given: dict[str, Any]
) -> None:
    plain = put(bench, "project", "Rain is measured at noon", by=bench.agent)
    assert outcome(lambda: bench.agent.records.edit(plain.id, given)) == "no"
    assert bench.get(plain) == plain


def test_an_agent_is_at_most_as_sure_as_an_agent_can_be(bench: Bench) -> None:
    sure = put(bench, "project", "Rain is measured at noon", by=bench.agent, confidence=1.0)
    assert sure.confidence == policy.AGENT_CONFIDENCE
    assert outcome(lambda: bench.agent.records.edit(sure.id, {"confidence": 1.0})) == "no"
    assert outcome(lambda: bench.agent.records.edit(sure.id, {"confidence": 0.3})) == "yes"


def test_the_working_notes_of_a_session_may_say_what_to_do(bench: Bench) -> None:
    note = put(
        bench,
        "task_hint",
        "Run the slow tests last",
        by=bench.agent,
        kind="workflow",
        scope="session",
        session_id="5e55",
    )
    assert note.status == "active"


@pytest.mark.parametrize("name", ["maintain", "policy", "agent:operator", "Operator"])
def test_no_other_name_is_the_operators(bench: Bench, name: str) -> None:
    memory = put(bench, "profile", "I like rain")
    other = MemoryEngine(bench.config, Actor(name))
    for operation, wanted in {
        **dict.fromkeys(("edit", "forget", "confirm"), "no"),
        "resolve": "asks",
    }.items():
        done = outcome(
            lambda operation=operation: OPERATIONS[operation](bench, other, memory, "profile")
        )
        assert done == wanted
    other.close()
