"""A world of replicas that change one record, without stores: for tests of what its changes come
to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from memctl.sync.change import Change, ChangeEvent, build_change
from memctl.sync.copies import derive_copies
from memctl.sync.merging import ChangeGraph, SubjectState, read_state

RECORD = "01K0000000000000000000REC0"
AT = "2026-03-04T05:06:07.000Z"
START: dict[str, Any] = {
    "id": RECORD,
    "type": "project",
    "kind": "fact",
    "title": "first",
    "content": "first",
    "summary": "first",
    "subject": None,
    "rationale": None,
    "alternatives": [],
    "status": "active",
    "status_reason": None,
    "scope": "global",
    "project_id": None,
    "repo": None,
    "agent_id": None,
    "session_id": None,
    "owner": "shared",
    "protected": False,
    "always_load": False,
    "never_load": False,
    "trust": 5,
    "confirmed_at": None,
    "valid_until": None,
    "observed_at": AT,
    "created_at": AT,
    "updated_at": AT,
}
Edit = tuple[str, Any]


def edit(content: str) -> Edit:
    return "edit", {"title": content, "content": content, "summary": content}


EDITS: st.SearchStrategy[Edit] = st.one_of(
    st.sampled_from(["red", "green", "blue", "black", "white"]).map(edit),
    st.sampled_from(
        [
            ("status", {"status": status, "status_reason": status})
            for status in ("inbox", "active", "superseded", "archived")
        ]
        + [("pin", {"protected": value}) for value in (True, False)]
        + [("trust", {"trust": value}) for value in (2, 4, 5)]
        + [("tag", ("mention", f"{RECORD}|concept|#a|#a", given)) for given in ({}, None)]
        + [("name", ("mention", f"{RECORD}|person|Ada|Ada", given)) for given in ({}, None)]
    ),
)


@dataclass
class Replica:
    """What one replica has of the changes, and the time by its clock."""

    name: str
    clock: int
    has: dict[str, Change] = field(default_factory=dict)

    @property
    def graph(self) -> ChangeGraph:
        return ChangeGraph(self.has.values())

    @property
    def state(self) -> SubjectState:
        return read_state(self.graph)

    def make(self, told: Edit, actor: str = "operator", *, purge: bool = False) -> Change:
        """Change the record, as this replica sees it."""
        self.clock += 1
        graph = self.graph
        heads = graph.list_heads()
        stamp = max([self.clock, *(each.stamp + 1 for each in heads)])
        made = build_change(
            replica=self.name,
            member="ada",
            subject=RECORD,
            stamp=stamp,
            parents=[each.id for each in heads],
            operation=f"{self.name} {self.clock}",
            origin=self.clock,
            events=[_build_event(told, actor, is_first=not heads, purge=purge)],
        )
        self.has[made.id] = made
        return made

    def take(self, changes: Sequence[Change]) -> None:
        self.has |= {each.id: each for each in changes}

    def derive(self) -> list[Change]:
        return derive_copies(self.graph, RECORD)


def _build_event(told: Edit, actor: str, *, is_first: bool, purge: bool) -> ChangeEvent:
    verb, what = told
    if purge:
        return ChangeEvent("record", RECORD, "purged", None, None, actor, "", AT)
    if is_first:
        return ChangeEvent("record", RECORD, "created", None, START, actor, "", AT)
    if isinstance(what, tuple):
        topic, item, after = what
        before = None if after is not None else {}
        return ChangeEvent(topic, item, verb, before, after, actor, "", AT)
    return ChangeEvent("record", RECORD, verb, {}, what, actor, "", AT)


@st.composite
def histories(draw: Callable[..., Any], *, with_purge: bool = False) -> list[Replica]:
    """Replicas that changed the record and told each other of it now and then; their clocks are
    days apart.
    """
    first = Replica("A", draw(st.integers(0, 10**6)))
    first.make(("created", {}))
    others = [Replica(name, draw(st.integers(0, 10**6))) for name in "BCD"]
    for each in others:
        each.take([*first.has.values()])
    world = [first, *others]
    for _ in range(draw(st.integers(1, 9))):
        one, other = draw(st.sampled_from(world)), draw(st.sampled_from(world))
        if one is other:
            actor = draw(st.sampled_from(["operator", "operator", "maintain"]))
            one.make(draw(EDITS), actor, purge=with_purge and draw(st.integers(0, 8)) == 0)
        else:
            other.take([*one.has.values()])
    return world


def gather(world: Sequence[Replica]) -> list[Change]:
    """All changes of all replicas."""
    return [*{key: each for one in world for key, each in one.has.items()}.values()]
