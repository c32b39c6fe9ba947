"""Entities that may be one: merged where a rule is sure, proposed to the operator where it is not.

Only a tool's name in another spelling, or a well-known short form of it, is sure. People are never
merged for a likeness of names.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.bounded_work import BoundedWork
from memctl.records import proposals
from memctl.store import entity_lookup, entity_mentions, entity_moves
from memctl.store.database import Database, Row
from memctl.text import known_names

ACTOR = "maintain"
# How many proposals may be open at a time. Chosen by hand.
_MOST_OPEN = 10


def merge_tools(db: Database, work: BoundedWork) -> None:
    """Merge tools whose names differ only in how they are written. Counts each `merged` one."""
    first: dict[str, Row] = {}
    work.count("merged", 0)
    for row in entity_mentions.list_entities_of_kind(db, "tool"):
        key = _to_tool_key(row["name"])
        earlier = first.setdefault(key, row)
        if earlier["id"] == row["id"]:
            continue
        if work.must_stop():
            return
        keep, gone = (row, earlier) if row["name"] == key else (earlier, row)
        first[key] = keep
        cause = f"one tool: {keep['name']}, {gone['name']}"
        entity_moves.merge_in_chunks(db, ACTOR, gone["id"], keep["id"], cause=cause)
        work.count("merged")


def _to_tool_key(name: str) -> str:
    return known_names.find_canonical_tool(name) or known_names.compute_variant_key(name) or name


def propose_people(db: Database, work: BoundedWork) -> None:
    """Ask about people whose names may be one, a few at once; withdraw what is settled.

    Counts `proposed` and `withdrawn`.
    """
    work.counts.update(proposed=0, withdrawn=0)
    open_ones = proposals.list_open(db, "merge_entities")
    settled = [one for one in open_ones if not _are_two(db, one.about)]
    for one in settled:
        if work.must_stop():
            return
        proposals.withdraw_proposal(db, one, actor=ACTOR)
        work.count("withdrawn")
    room = _MOST_OPEN - len(open_ones) + len(settled)
    for kept, gone, reason in _find_similar_people(db):
        if work.counts["proposed"] >= room or work.must_stop():
            return
        about = f"{kept['id']} {gone['id']}"
        names = {"names": [kept["name"], gone["name"]]}
        offered = proposals.offer_proposal(
            db, "merge_entities", about, reason=reason, data=names, actor=ACTOR
        )
        work.count("proposed", offered is not None)


def _are_two(db: Database, about: str) -> bool:
    rows = [entity_lookup.find_by_id(db, each) for each in about.split()]
    return all(row is not None and row["merged_into"] is None for row in rows)


def _find_similar_people(db: Database) -> Iterator[tuple[Row, Row, str]]:
    """Two people who may be one, the longer name first, and why.

    A name that may be short for several people is left alone.
    """
    people = [
        row
        for row in entity_mentions.list_mentioned(db, "person")
        if not known_names.is_role(row["name"])
    ]
    by_first_name: dict[str, list[Row]] = {}
    for row in people:
        by_first_name.setdefault(row["name"].split()[0].casefold(), []).append(row)
    for row in people:
        longer = [
            (other, reason)
            for other in _list_candidates(row, by_first_name)
            if _rank_by_length(other) > _rank_by_length(row)
            and (reason := known_names.explain_same_person(row["name"], other["name"]))
        ]
        if len(longer) == 1:
            yield longer[0][0], row, longer[0][1]


def _list_candidates(row: Row, by_first_name: dict[str, list[Row]]) -> Iterator[Row]:
    for name in known_names.list_related_first_names(row["name"]):
        for other in by_first_name.get(name, ()):
            if other["id"] != row["id"]:
                yield other


def _rank_by_length(row: Row) -> tuple[int, str]:
    return len(row["name"]), row["id"]
