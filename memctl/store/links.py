"""Links between records.

supports, contradicts, supersedes, applies_to, derived_from, related_to.
"""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.frozen import asdict, replace
from memctl.core.model import Link, Relation
from memctl.store import event_log
from memctl.store.database import Database
from memctl.store.rows import build_from_row, to_json_array

# The reason of a contradiction that was taken back by hand.
DISMISSED = "dismissed: both hold"
# How the reason of a contradiction begins that would be settled by letting one record, which it
# names, take the other's place.
PROPOSED = "proposed: "
_INSTEAD = " instead: "
_ID_LENGTH = 26
# The reason of the links from a wider record to those that say the same in their projects.
WIDENED = "it holds in both projects"


def insert_link(db: Database, link: Link) -> bool:
    """Add a link; False if it existed."""
    if not db.run("links.insert", **asdict(link)):
        return False
    _renew_marks(db, link)
    event_log.append_related(db, "link", link.from_id, link.id, None, asdict(link), verb="linked")
    return True


def list_of_memories(db: Database, ids: Iterable[str]) -> list[Link]:
    """List the links of any of the records, in either direction."""
    return [
        build_from_row(Link, row)
        for row in db.all("links.of_memories", ids=to_json_array(ids) or "[]")
    ]


def list_of_memory(db: Database, memory_id: str) -> list[Link]:
    """List the links of one record, in either direction."""
    return list_of_memories(db, [memory_id])


def list_open_contradictions(db: Database) -> list[Link]:
    """List unsettled contradictions between living records."""
    return [build_from_row(Link, row) for row in db.all("links.open_contradictions")]


def settle_contradictions(db: Database, memory_id: str, at: str) -> int:
    """Mark the contradictions of a record as settled; return how many there were."""
    touched = [
        link
        for link in list_of_memory(db, memory_id)
        if link.relation == "contradicts" and link.resolved_at is None
    ]
    return sum(
        _set_resolved(db, link, replace(link, resolved_at=at), "settled") for link in touched
    )


def reopen_contradiction(db: Database, from_id: str, to_id: str, reason: str) -> bool:
    """Open a settled contradiction again; False if there was none."""
    link = find_between(db, from_id, "contradicts", to_id)
    return (
        link is not None
        and link.resolved_at is not None
        and _set_resolved(db, link, replace(link, resolved_at=None, reason=reason), "reopened")
    )


def dismiss_contradiction(
    db: Database, from_id: str, to_id: str, at: str, why: str | None = None
) -> bool:
    """Note that two records do not contradict each other.

    No rule then links them again. False if there is no such link.
    """
    link = find_between(db, from_id, "contradicts", to_id)
    reason = _build_dismissal(why)
    return (
        link is not None
        and link.resolved_at is None
        and _set_resolved(db, link, replace(link, resolved_at=at, reason=reason), "dismissed")
    )


def insert_dismissed(db: Database, link: Link, why: str | None = None) -> bool:
    """Note of two records that nothing links yet that they do not contradict each other.

    Such a link was resolved when it was made, and goes where that is undone.
    """
    dismissed = replace(link, resolved_at=link.created_at, reason=_build_dismissal(why))
    return insert_link(db, dismissed)


def _build_dismissal(why: str | None) -> str:
    return f"{DISMISSED}: {why}" if why else DISMISSED


def build_replacement_reason(new_id: str, why: str) -> str:
    """Return the reason of a contradiction that is settled when that record replaces the other."""
    return f"{PROPOSED}{new_id}{_INSTEAD}{why}"


def find_proposed_successor(link: Link) -> str | None:
    """Return the record that would replace the other, if the contradiction proposes that."""
    return _parse_successor(link) if link.resolved_at is None else None


def describe_reason(link: Link) -> str:
    """Return the reason of a link in words for a person."""
    reason = link.reason or ""
    return reason.partition(_INSTEAD)[2] if _parse_successor(link) else reason


def _parse_successor(link: Link) -> str | None:
    reason = link.reason or ""
    if link.relation != "contradicts" or not reason.startswith(PROPOSED):
        return None
    new_id = reason[len(PROPOSED) :][:_ID_LENGTH]
    return new_id if new_id in (link.from_id, link.to_id) else None


def find_replaced(link: Link, memory_id: str) -> str | None:
    """Return the record that one would replace by what a link proposes, or None."""
    if link.relation == "derived_from" and link.from_id == memory_id and link.reason == WIDENED:
        return link.to_id
    return (
        (link.to_id if link.from_id == memory_id else link.from_id)
        if find_proposed_successor(link) == memory_id
        else None
    )


def is_dismissed(link: Link) -> bool:
    """Whether somebody said that there is no contradiction."""
    return link.resolved_at is not None and (link.reason or "").startswith(DISMISSED)


def find_between(db: Database, from_id: str, relation: Relation, to_id: str) -> Link | None:
    """Return the link between two records, if there is one."""
    row = db.one("links.between", from_id=from_id, relation=relation, to_id=to_id)
    return None if row is None else build_from_row(Link, row)


def delete_link(db: Database, from_id: str, relation: Relation, to_id: str) -> bool:
    """Delete one link; False if there was none."""
    link = find_between(db, from_id, relation, to_id)
    if link is None:
        return False
    db.run("links.delete", from_id=from_id, relation=relation, to_id=to_id)
    _renew_marks(db, link)
    event_log.append_related(db, "link", from_id, link.id, asdict(link), None, verb="parted")
    return True


def _set_resolved(db: Database, old: Link, new: Link, verb: str) -> bool:
    db.run("links.set", id=new.id, reason=new.reason, resolved_at=new.resolved_at)
    _renew_marks(db, new)
    event_log.append_related(
        db,
        "link",
        new.from_id,
        new.id,
        *event_log.keep_differences(asdict(old), asdict(new)),
        verb=verb,
    )
    return True


def _renew_marks(db: Database, link: Link) -> None:
    """Let what two records are marked with be looked at again: what is linked is no guess."""
    from memctl.store import marks  # here, because who only reads has no need of it

    marks.request_marks(db, (link.from_id, link.to_id))
