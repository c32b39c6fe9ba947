"""Entities changed: merged, split and renamed.

Only the operator, or a rule that is certain, merges two entities. Every change is one operation, so
that it can be reverted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memctl.consolidate import entity_aliases, entity_duplicates, entity_mentions
from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.model import Actor
from memctl.core.typing_lite import Any
from memctl.curate import entity_reports
from memctl.records import drafts
from memctl.redact.redactor import Redactor
from memctl.results.entities import (
    EntityChange,
)
from memctl.results.records import Proposal
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import entities, entity_lookup, entity_merging, entity_moves, event_log
from memctl.store.database import Database, Row
from memctl.text import known_names

# Characters. Chosen by hand.
_LONGEST_NAME = 200


def merge_entities(
    db: Database, actor: Actor, name: str, other: str, *, reason: str | None = None
) -> EntityChange:
    """Merge `other` into the entity `name`; its names and records move. Raises NotFound,
    UsageError.
    """
    _require_operator(actor, "merging entities")
    with db.snapshot():
        kept, gone = (
            entity_reports.resolve_entity(db, name),
            entity_reports.resolve_entity(db, other),
        )
    if kept["id"] == gone["id"]:
        raise UsageError(
            f"{other!r} is {kept['name']} already",
            hint=f"memctl entity show {kept['name']!r} lists its names",
        )
    cause = _build_cause("entity merge", reason)
    moved = entity_moves.merge_in_chunks(db, actor.name, gone["id"], kept["id"], cause=cause)
    with db.snapshot():
        return EntityChange(
            "merged",
            entity_reports.describe_current(db, kept["id"]),
            entity_reports.describe_entity(db, entity_lookup.get_entity(db, gone["id"]), ()),
            (gone["name"],),
            len(moved),
        )


def split_entity(
    db: Database, actor: Actor, name: str, names: Sequence[str] = (), *, undo_merge: bool = False
) -> EntityChange:
    """Move names, and the records that use them, to a new entity; or undo a merge.

    Raises NotFound, UsageError.
    """
    _require_operator(actor, "splitting an entity")
    if undo_merge == bool(names):
        raise UsageError(
            "say which names to take off, or --undo-merge", hint="memctl entity split Vitaly Vitya"
        )
    split = {}

    def begin() -> Mapping[str, Any]:
        row = split["from"] = entity_reports.resolve_entity(db, name)
        if undo_merge:
            part = split["part"] = _find_merged(db, row, name)
            standing, regained, roles = entity_merging.separate_entity(db, part["id"])
            following = entity_moves.follow(
                standing, part["id"], names=regained, roles=dict.fromkeys(roles)
            )
        else:
            _require_removable_names(db, row, names)
            part_id = entity_merging.split_names(db, row["id"], names)
            split["part"] = entity_lookup.get_entity(db, part_id)
            taken = [each.casefold() for each in names]
            following = entity_moves.follow(row["id"], part_id, names=taken)
        return following

    moved = entity_moves.change_in_chunks(db, actor.name, "entity split", begin)
    with db.snapshot():
        return EntityChange(
            "split",
            entity_reports.describe_current(db, split["part"]["id"]),
            entity_reports.describe_current(db, split["from"]["id"]),
            (split["part"]["name"],) if undo_merge else tuple(names),
            len(moved),
        )


def set_alias(
    db: Database, actor: Actor, name: str, other: str, redactor: Redactor, *, remove: bool = False
) -> EntityChange:
    """Add another name to an entity, or remove it; a role moves to it.

    Raises NotFound, UsageError.
    """
    _require_operator(actor, "naming an entity")
    found = {}

    def begin() -> Mapping[str, Any]:
        row = found["row"] = entity_reports.resolve_entity(db, name)
        if remove:
            return _remove_name(db, row, other)
        return _add_name(db, row, _clean_name(other, redactor))

    operation, cause = clock.new_id(), "entity alias"
    moved = entity_moves.change_in_chunks(db, actor.name, cause, begin, operation=operation)
    if not remove:
        # What a kill leaves of this, the next sweep of new names does.
        with event_log.group_changes(db, actor=actor.name, cause=cause, operation=operation):
            moved += entity_mentions.attach_name_in_chunks(db, found["row"], other)
    with db.snapshot():
        return EntityChange(
            "no longer known as" if remove else "known as",
            entity_reports.describe_current(db, found["row"]["id"]),
            None,
            (other,),
            len(moved),
        )


def accept_merge(db: Database, _config: Config, actor: Actor, proposal: Proposal) -> Iterable[str]:
    """Let one of the two entities of a proposal stand for the other; their records follow.

    Returns the ids of the records that will move (`proposal_decisions` sees to that once this is
    committed). Raises NotFound, RefusedByPolicy.
    """
    kept, gone = (entity_lookup.get_entity(db, each) for each in proposal.about.split())
    kept_id, gone_id = (entity_lookup.resolve_merged(db, row) for row in (kept, gone))
    if kept_id == gone_id:
        raise RefusedByPolicy(f"{gone['name']} and {kept['name']} are one entity already")
    following = entity_moves.redirect(db, gone_id, kept_id)
    entity_moves.leave_to_follow(db, actor.name, f"proposal {proposal.id}", following)
    return entity_merging.list_mentioning(db, gone_id)


def tidy_entities(db: Database, config: Config, work: BoundedWork | None = None) -> dict[str, int]:
    """Find known names in new records, merge certain duplicates, and propose likely ones.

    Counts `recognised`, `merged`, `proposed` and `withdrawn`.
    """
    del config
    work = work or BoundedWork()
    entity_mentions.attach_known_names(db, work)
    entity_duplicates.merge_tools(db, work)
    entity_duplicates.propose_people(db, work)
    return dict(work.counts)


def _require_operator(actor: Actor, what: str) -> None:
    if not actor.is_operator:
        raise RefusedByPolicy(f"{what} {policy.AT_A_TERMINAL}")


def _build_cause(what: str, reason: str | None) -> str:
    return f"{what}: {reason}" if reason else what


def _find_merged(db: Database, row: Row, name: str) -> Row:
    """Find the entity whose merge to undo. Raises UsageError if there is none, or several."""
    own = entity_lookup.find_merged_called(db, name)
    if own is not None and own["merged_into"] == row["id"]:
        return own
    merged = entity_lookup.list_merged_into(db, row["id"])
    if not merged:
        raise UsageError(f"nothing was merged into {row['name']}")
    if len(merged) > 1:
        which = ", ".join(
            f"{each['name']} ({entity_reports.shorten_id(db, each['id'])})" for each in merged
        )
        hint = "name the one to split off: memctl entity split ID --undo-merge"
        raise UsageError(f"{row['name']} was merged with several: {which}", hint=hint)
    return merged[0]


def _require_removable_names(db: Database, row: Row, names: Sequence[str]) -> None:
    """Raise UsageError unless the entity is known by these names and they are not its own."""
    known = {
        each["alias"] for each in entity_lookup.list_aliases(db, [row["id"]]).get(row["id"], ())
    }
    used = entity_lookup.list_mentioned_names(db, row["id"])
    for name in names:
        if name.casefold() == row["name"].casefold():
            raise UsageError(
                f"{row['name']} is the entity's main name and cannot be split off",
                hint="split the other names off instead",
            )
        if name.casefold() not in known | used:
            raise UsageError(
                f"{row['name']} is not known as {name!r}",
                hint=f"memctl entity show {entity_reports.shorten_id(db, row['id'])}",
            )


def _clean_name(name: str, redactor: Redactor) -> str:
    """The name on one line. Raises UsageError if it has no letter or digit, or is too long."""
    line = drafts.clean_line(name, redactor)
    printable = "".join(letter if letter.isprintable() else " " for letter in line)
    cleaned = " ".join(printable.split())
    if not any(map(str.isalnum, cleaned)) or cleaned.casefold() in ("my", "our"):
        raise UsageError(f"{name[:_LONGEST_NAME]!r} is not a name")
    if len(cleaned) > _LONGEST_NAME:
        length = len(cleaned)
        raise UsageError(f"a name has at most {_LONGEST_NAME} characters, this one {length}")
    return cleaned


def _add_name(db: Database, row: Row, other: str) -> dict[str, Any]:
    """Add a name; return what follows. Raises UsageError if it is taken."""
    if known_names.is_role(other):
        now = clock.now()
        holders = entity_aliases.note_role(db, other, row["id"], None, now)
        return entity_moves.follow_names(row["id"], roles={other: now}, reindex=holders)
    rivals = [each for each in entity_lookup.find_called(db, other) if each["id"] != row["id"]]
    if rivals:
        ids = " ".join(entity_reports.shorten_id(db, each["id"]) for each in (row, rivals[0]))
        hint = f"to merge them: memctl entity merge {ids}"
        raise UsageError(f"{other!r} is {rivals[0]['kind']} {rivals[0]['name']} already", hint=hint)
    if not entities.add_alias(db, other, row["id"], None, clock.now()):
        raise UsageError(f"{row['name']} is known as {other!r} already")
    return entity_moves.follow_names(row["id"])


def _remove_name(db: Database, row: Row, other: str) -> dict[str, Any]:
    """Remove a name; return what follows: records that use it keep the entity.

    Raises UsageError if it is unknown.
    """
    found = [
        each
        for each in entity_lookup.list_aliases(db, [row["id"]]).get(row["id"], ())
        if each["alias"] == other.casefold()
    ]
    if not found:
        raise UsageError(
            f"{row['name']} is not known as {other!r}",
            hint=f"memctl entity show {entity_reports.shorten_id(db, row['id'])}",
        )
    entity_merging.drop_alias(db, found[0])
    roles = {other: None} if known_names.is_role(other) else {}
    return entity_moves.follow_names(row["id"], roles=roles)
