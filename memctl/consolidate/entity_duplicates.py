"""Entities that may be one: made one where a rule is sure, put to the operator where it is not.

Sure is only a tool's name in another spelling, or a well-known short form of it. People are never made one by likeness.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.bounded_work import BoundedWork
from memctl.records import proposals
from memctl.store import entity_identity, entity_names, event_log
from memctl.store.database import Db, Row

ACTOR = "maintain"
_MOST_OPEN = 10


def merge_tools(db: Db, work: BoundedWork) -> None:
    """Merge tools whose names differ only in how they are written. Counts each `merged` one."""
    first: dict[str, Row] = {}
    work.count("merged", 0)
    for row in db.all("entities.of_kind", kind="tool"):
        key = (
            entity_names.well_known(row["name"])
            or entity_names.variant_key(row["name"])
            or row["name"]
        )
        kept = first.setdefault(key, row)
        if kept["id"] == row["id"]:
            continue
        if work.must_stop():
            return
        keep, gone = (row, kept) if row["name"] == key else (kept, row)
        first[key] = keep
        with (
            db.write(),
            event_log.operation(db, actor=ACTOR, cause=f"one tool: {keep['name']}, {gone['name']}"),
        ):
            entity_identity.merge(db, gone["id"], keep["id"])
        work.count("merged")


def propose(db: Db, work: BoundedWork) -> None:
    """Ask about people whose names may be one, a few at once; take back what is settled.

    Counts `proposed` and `withdrawn`.
    """
    work.counts.update(proposed=0, withdrawn=0)
    asked = proposals.open_ones(db, "merge_entities")
    settled = [one for one in asked if not _are_two(db, one.about)]
    for one in settled:
        if work.must_stop():
            return
        proposals.withdraw(db, one, actor=ACTOR)
        work.count("withdrawn")
    room = _MOST_OPEN - len(asked) + len(settled)
    for kept, gone, reason in _people(db):
        if work.counts["proposed"] >= room or work.must_stop():
            return
        about = f"{kept['id']} {gone['id']}"
        names = {"names": [kept["name"], gone["name"]]}
        offered = proposals.offer(
            db, "merge_entities", about, reason=reason, data=names, actor=ACTOR
        )
        work.count("proposed", offered is not None)


def _are_two(db: Db, about: str) -> bool:
    rows = [db.one("entities.get", id=each) for each in about.split()]
    return all(row is not None and row["merged_into"] is None for row in rows)


def _people(db: Db) -> Iterator[tuple[Row, Row, str]]:
    """Two people who may be one, the longer name first; where a name may be that of several, nobody is asked."""
    people = [
        row
        for row in db.all("entities.spoken_of", kind="person")
        if not entity_names.is_role(row["name"])
    ]
    by_first: dict[str, list[Row]] = {}
    for row in people:
        by_first.setdefault(row["name"].split()[0].casefold(), []).append(row)
    for row in people:
        near = [
            other
            for name in entity_names.near(row["name"])
            for other in by_first.get(name, ())
            if other["id"] != row["id"]
        ]
        fitting = [
            (other, reason)
            for other in near
            if (reason := entity_names.may_be_one_person(row["name"], other["name"]))
        ]
        longer = [(other, reason) for other, reason in fitting if _rank(other) > _rank(row)]
        if len(longer) == 1:
            yield longer[0][0], row, longer[0][1]


def _rank(row: Row) -> tuple[int, str]:
    return len(row["name"]), row["id"]
