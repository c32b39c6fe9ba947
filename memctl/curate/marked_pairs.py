"""Pairs of records of which the newer may replace the older, and nobody has decided it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memctl.core import clock
from memctl.core.model import Actor, Link, Memory
from memctl.records.record_source import PresentRecords
from memctl.store import links, marks, records
from memctl.store.database import Database

# Who makes marks.
_MAKER = "maintain"


def list_marked(db: Database, project_id: str | None, actor: Actor) -> list[tuple[Link, float]]:
    """List the marked pairs that an actor may see, the latest newer record first.

    Each is a contradiction that is not stored, named by the older record's id; beside it is how
    near the two are (0..1).
    """
    standing = marks.list_standing(db, project_id)
    ends = (end for mark in standing for end in (mark.memory_id, mark.newer_id))
    known = {memory.id: memory for memory in _list_visible(db, ends, actor)}
    olds = [known[mark.memory_id] for mark in standing if mark.memory_id in known]
    told = PresentRecords(db).read_newer(olds, clock.now())
    return [
        (_build_pair(mark.memory_id, mark.newer_id, mark), mark.nearness)
        for mark in standing
        if mark.memory_id in told and mark.newer_id in known
    ]


def find_marked(db: Database, one: str, other: str) -> Link | None:
    """Return the pair of two records if the one is marked with the other."""
    for older, newer in ((one, other), (other, one)):
        mark = marks.find_mark(db, older)
        if mark is not None and mark.newer_id == newer and not mark.is_waiting:
            return _build_pair(older, newer, mark)
    return None


def is_marked_pair(link: Link) -> bool:
    """Whether a contradiction is not stored, but stands for a mark."""
    return link.actor == _MAKER and link.id in (link.from_id, link.to_id)


def hide_undecided_from(db: Database, found: Iterable[Link], actor: Actor) -> Iterator[Link]:
    """The contradictions that an actor may be told: to an agent, none with what nobody has approved
    yet, nor with what is private to another.
    """
    listed = list(found)
    if actor.is_operator:
        yield from listed
        return
    ends = {end for link in listed for end in (link.from_id, link.to_id)}
    visible = {memory.id for memory in _list_visible(db, ends, actor) if memory.status != "inbox"}
    yield from (link for link in listed if {link.from_id, link.to_id} <= visible)


def _list_visible(db: Database, ids: Iterable[str], actor: Actor) -> list[Memory]:
    found = records.list_by_ids(db, set(ids), only_readable=True).values()
    return [each for each in found if not records.is_private_to_another(each, actor.name)]


def _build_pair(older: str, newer: str, mark: marks.Mark) -> Link:
    first, second = sorted((older, newer))
    reason = links.build_replacement_reason(
        newer, "a newer record seems to answer the same question anew"
    )
    return Link(older, first, "contradicts", second, _MAKER, mark.created_at, reason)
