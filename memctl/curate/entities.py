"""People, projects, organisations, concepts and tools that records speak of: looked at, made one, parted, named.

Kept true: only the operator's hand or a rule that is sure makes two one; every change is one operation of the stream, so that it can be
undone; who looks sees nothing of what is private to another agent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memctl.consolidate import entity_aliases, entity_duplicates, entity_mentions
from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.model import Actor, Memory
from memctl.records import drafts
from memctl.records.views import views
from memctl.results.entities import (
    EntityBeside,
    EntityChange,
    EntityGroup,
    EntityItem,
    EntityList,
    EntityReport,
    EntityRole,
    EntitySource,
)
from memctl.results.records import Proposal
from memctl.retrieve import visibility
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import entities, entity_identity, entity_names, event_log, sources
from memctl.store.database import Db, Row
from memctl.store.rows import array

_RECENT, _BESIDE, _SOURCES = 10, 12, 10
_LIVING = ("active", "contradicted")
_SHORTEST = 10
_LONGEST = 200


def every(
    db: Db,
    *,
    kind: str | None,
    project_id: str | None,
    limit: int,
    viewer: Actor = visibility.OPERATOR,
) -> EntityList:
    """What records speak of, the most spoken of first; `limit` below 0 means all."""
    agent = None if viewer.is_operator else viewer.name.removeprefix("agent:")
    with db.snapshot():
        rows = db.all("entities.listed", kind=kind, project_id=project_id, agent=agent)
        shown = rows if limit < 0 else rows[:limit]
        names = entity_identity.aliases(db, [row["id"] for row in shown])
        items = tuple(
            EntityItem(
                row["id"],
                short(db, row["id"]),
                row["kind"],
                row["name"],
                _others(db, row, names.get(row["id"], ())),
                row["records"],
                row["first_seen"],
                row["last_seen"],
            )
            for row in shown
        )
    return EntityList(items, len(rows))


def show(
    db: Db, name: str, *, as_of: str | None = None, viewer: Actor = visibility.OPERATOR
) -> EntityReport:
    """Everything known of one entity, as of a time if one is given. Raises NotFound, also for a name that fits several."""
    from memctl.records import as_of as asof

    with db.snapshot():
        row = resolve(db, name)
        found = (
            entity_identity.memories(db, row["id"])
            if as_of is None
            else asof.memories_of_entity(db, row["id"], as_of)
        )
        seen = [memory for memory in found if not visibility.is_hidden(memory, viewer, None)]
        living = [memory for memory in seen if memory.status in _LIVING]
        decisions = [memory for memory in living if memory.type == "decision"]
        kept = array([memory.id for memory in seen if memory.status != "archived"]) or "[]"
        return EntityReport(
            _item(db, row, seen),
            _names_used(db, row["id"], kept),
            tuple(_roles(db, row["id"], as_of)),
            tuple(_groups(seen)),
            tuple(_views(db, living[:_RECENT], as_of)),
            tuple(_views(db, decisions, as_of)),
            tuple(_beside(db, row["id"], kept)),
            tuple(_sources(db, seen)),
            tuple(_item(db, each, ()) for each in entity_identity.merged_of(db, row["id"])),
            as_of,
        )


def merge(
    db: Db, actor: Actor, name: str, other: str, *, reason: str | None = None
) -> EntityChange:
    """Let one entity stand for another: its names become the first one's, and so do its records. Raises NotFound, UsageError."""
    _demand_operator(actor, "making two entities one")
    with (
        db.write(),
        event_log.operation(db, actor=actor.name, cause=_cause("entity merge", reason)),
    ):
        kept, gone = resolve(db, name), resolve(db, other)
        if kept["id"] == gone["id"]:
            raise UsageError(
                f"{other!r} is {kept['name']} already",
                hint=f"memctl entity show {kept['name']!r} lists its names",
            )
        moved = entity_identity.merge(db, gone["id"], kept["id"])
        return EntityChange(
            "merged",
            _now(db, kept["id"]),
            _item(db, entity_identity.get(db, gone["id"]), ()),
            (gone["name"],),
            len(moved),
        )


def split(
    db: Db, actor: Actor, name: str, names: Sequence[str] = (), *, undo_merge: bool = False
) -> EntityChange:
    """Take names off an entity, with the records that use them, into one of their own; or undo a merge. Raises NotFound, UsageError."""
    _demand_operator(actor, "parting an entity")
    if undo_merge == bool(names):
        raise UsageError(
            "say which names to take off, or --undo-merge", hint="memctl entity split Vitaly Vitya"
        )
    with db.write(), event_log.operation(db, actor=actor.name, cause="entity split"):
        row = resolve(db, name)
        if undo_merge:
            part = _merged(db, row, name)
            moved = entity_identity.undo_merge(db, part["id"])
            return EntityChange(
                "split", _now(db, part["id"]), _now(db, row["id"]), (part["name"],), len(moved)
            )
        _demand_names(db, row, names)
        part_id, moved = entity_identity.split(db, row["id"], names)
        return EntityChange(
            "split", _now(db, part_id), _now(db, row["id"]), tuple(names), len(moved)
        )


def alias(db: Db, actor: Actor, name: str, other: str, *, remove: bool = False) -> EntityChange:
    """Let an entity be known by another name too, or no longer. A role passes to it. Raises NotFound, UsageError."""
    _demand_operator(actor, "naming an entity")
    with db.write(), event_log.operation(db, actor=actor.name, cause="entity alias"):
        row = resolve(db, name)
        moved = _unname(db, row, other) if remove else _name(db, row, _fit(other))
        return EntityChange(
            "no longer known as" if remove else "known as",
            _now(db, row["id"]),
            None,
            (other,),
            len(moved),
        )


def accept_merge(db: Db, _config: Config, actor: Actor, proposal: Proposal) -> Iterable[str]:
    """Make the two entities of a proposal one; the ids of the records that moved. Raises NotFound, RefusedByPolicy."""
    kept, gone = (entity_identity.get(db, each) for each in proposal.about.split())
    roots = [entities.root_of(db, row) for row in (kept, gone)]
    if roots[0] == roots[1]:
        raise RefusedByPolicy(f"{gone['name']} and {kept['name']} are one already")
    return entity_identity.merge(db, roots[1], roots[0])


def tidy(db: Db, config: Config, work: BoundedWork | None = None) -> dict[str, int]:
    """Find known names in what was written since, merge what surely is one, and ask about what may be.

    Counts `recognised`, `merged`, `proposed` and `withdrawn`.
    """
    del config
    work = work or BoundedWork()
    entity_mentions.sweep(db, work)
    entity_duplicates.merge_tools(db, work)
    entity_duplicates.propose(db, work)
    return dict(work.counts)


# -- finding one ---------------------------------------------------------------------------------------------------------


def resolve(db: Db, text: str) -> Row:
    """The entity that a name, an alias, an id or `KIND:NAME` means. Raises NotFound, naming all that it may mean."""
    kind, name = _kind_and_name(text.strip())
    found = entity_identity.called(db, name, kind)
    if len(found) == 1:
        return found[0]
    if not found:
        hint = (
            "`memctl entity list` shows what is known; `memctl maintain` finds names in new records"
        )
        raise NotFound(f"nothing is known by the name {name!r}", hint=hint)
    held = [row for row in found if entity_identity.memories(db, row["id"])] or found
    if len(held) == 1:
        return held[0]
    which = ", ".join(f"{row['kind']}:{row['name']} ({short(db, row['id'])})" for row in held[:8])
    raise NotFound(
        f"{name!r} may be any of {len(held)}: {which}", hint="name one by its id or as KIND:NAME"
    )


def _kind_and_name(text: str) -> tuple[str | None, str]:
    from memctl.core.model import ENTITY_KINDS

    kind, mark, name = text.partition(":")
    return (
        (kind.lower(), name.strip())
        if mark and kind.lower() in ENTITY_KINDS and name.strip()
        else (None, text)
    )


def short(db: Db, entity_id: str) -> str:
    """The shortest beginning of an id that fits no other entity."""
    for length in range(_SHORTEST, len(entity_id)):
        prefix = entity_id[:length]
        if len(db.all("entities.by_prefix", prefix=prefix, upper=prefix + "\uffff")) == 1:
            return prefix
    return entity_id


# -- what is told --------------------------------------------------------------------------------------------------------


def _item(db: Db, row: Row, seen: Sequence[Memory]) -> EntityItem:
    times = [memory.observed_at for memory in seen]
    others = _others(db, row, entity_identity.aliases(db, [row["id"]]).get(row["id"], ()))
    many = sum(memory.status != "archived" for memory in seen)
    return EntityItem(
        row["id"],
        short(db, row["id"]),
        row["kind"],
        row["name"],
        others,
        many,
        min(times, default=None),
        max(times, default=None),
    )


def _now(db: Db, entity_id: str) -> EntityItem:
    return _item(db, entity_identity.get(db, entity_id), entity_identity.memories(db, entity_id))


def _others(db: Db, row: Row, names: Iterable[Row]) -> tuple[str, ...]:
    """The other names of an entity as they are written, without a role that passed on."""
    aliases_ = [each["alias"] for each in names if each["alias"] != row["name"].casefold()]
    held = [
        alias
        for alias in aliases_
        if not entity_names.is_role(alias) or entities.holder_of(db, alias) == row["id"]
    ]
    return tuple(entity_names.written(row["kind"], alias) for alias in held)


def _names_used(db: Db, entity_id: str, ids: str) -> dict[str, int]:
    return {
        row["name"]: row["records"]
        for row in db.all("entities.names_used", entity_id=entity_id, ids=ids)
    }


def _roles(db: Db, entity_id: str, as_of: str | None) -> Iterator[EntityRole]:
    """What somebody is or was to the operator, and until when."""
    for row in entity_identity.aliases(db, [entity_id]).get(entity_id, ()):
        if entity_names.is_role(row["alias"]) and (as_of is None or row["created_at"] <= as_of):
            holders = db.all("entities.holders", alias=row["alias"])
            later = [
                each["created_at"] for each in holders if each["created_at"] > row["created_at"]
            ]
            until = min((at for at in later if as_of is None or at <= as_of), default=None)
            yield EntityRole(row["alias"], row["created_at"], until)


def _groups(seen: Iterable[Memory]) -> Iterator[EntityGroup]:
    grouped: dict[tuple[str, str], list[str]] = {}
    for memory in seen:
        grouped.setdefault((memory.type, memory.status), []).append(memory.observed_at)
    for (type_, status), times in sorted(grouped.items()):
        yield EntityGroup(type_, status, len(times), min(times), max(times))


def _views(db: Db, memories: Sequence[Memory], as_of: str | None) -> list:  # type: ignore[type-arg]
    from memctl.records import as_of as asof

    return views(db, memories) if as_of is None else asof.views(db, memories, as_of)


def _beside(db: Db, entity_id: str, ids: str) -> Iterator[EntityBeside]:
    for row in db.all("entities.beside", entity_id=entity_id, ids=ids, limit=_BESIDE):
        yield EntityBeside(row["id"], row["kind"], row["name"], row["records"])


def _sources(db: Db, seen: Iterable[Memory]) -> Iterator[EntitySource]:
    """Where the records were taken from, the latest first."""
    counted = Counter(memory.source_ref for memory in seen if memory.source_ref)
    found = []
    for source_id, many in counted.items():
        try:
            found.append((sources.get(db, source_id), many))
        except NotFound:
            continue
    dated = [(source.started_at or source.observed_at, source, many) for source, many in found]
    dated.sort(key=lambda each: each[0], reverse=True)
    for at, source, many in dated[:_SOURCES]:
        yield EntitySource(source.id, source.agent, source.session_id, source.title, at, many)


# -- what is changed -----------------------------------------------------------------------------------------------------


def _demand_operator(actor: Actor, what: str) -> None:
    if not actor.is_operator:
        raise RefusedByPolicy(f"{what} {policy.AT_A_TERMINAL}")


def _cause(what: str, reason: str | None) -> str:
    return f"{what}: {reason}" if reason else what


def _merged(db: Db, row: Row, name: str) -> Row:
    """The entity whose merge is to be undone. Raises UsageError where there is none, or where it may be one of several."""
    own = entity_identity.itself(db, name)
    merged = (
        [own]
        if own is not None and own["merged_into"] == row["id"]
        else entity_identity.merged_of(db, row["id"])
    )
    if not merged:
        raise UsageError(f"nothing was merged into {row['name']}")
    if len(merged) > 1:
        which = ", ".join(f"{each['name']} ({short(db, each['id'])})" for each in merged)
        hint = "name the one to split off: memctl entity split ID --undo-merge"
        raise UsageError(f"{row['name']} was merged with several: {which}", hint=hint)
    return merged[0]


def _demand_names(db: Db, row: Row, names: Sequence[str]) -> None:
    """Names that are taken off must be among those that it is known by beside its own. Raises UsageError."""
    known = {each["alias"] for each in entity_identity.aliases(db, [row["id"]]).get(row["id"], ())}
    used = {each["name"].casefold() for each in db.all("entities.mentions", entity_id=row["id"])}
    for name in names:
        if name.casefold() == row["name"].casefold():
            raise UsageError(
                f"{row['name']} is its own name", hint="split the other names off instead"
            )
        if name.casefold() not in known | used:
            raise UsageError(
                f"{row['name']} is not known as {name!r}",
                hint=f"memctl entity show {short(db, row['id'])}",
            )


def _fit(name: str) -> str:
    """A name that can be one: on one line, of some letters or figures, no longer than names are. Raises UsageError."""
    fit = "".join(letter if letter.isprintable() else " " for letter in drafts.one_line(name))
    fit = " ".join(fit.split())
    if not any(map(str.isalnum, fit)) or fit.casefold() in ("my", "our"):
        raise UsageError(f"{name[:_LONGEST]!r} is no name")
    if len(fit) > _LONGEST:
        raise UsageError(f"a name has at most {_LONGEST} characters, this one {len(fit)}")
    return fit


def _name(db: Db, row: Row, other: str) -> list[str]:
    """Let an entity be known by another name. Raises UsageError where that is somebody else's."""
    if entity_names.is_role(other):
        return entity_aliases.give_role(db, other, row["id"], None, clock.now())
    rivals = [each for each in entity_identity.called(db, other) if each["id"] != row["id"]]
    if rivals:
        hint = f"make them one: memctl entity merge {short(db, row['id'])} {short(db, rivals[0]['id'])}"
        raise UsageError(f"{other!r} is {rivals[0]['kind']} {rivals[0]['name']} already", hint=hint)
    if not entities.add_alias(db, other, row["id"], None, clock.now()):
        raise UsageError(f"{row['name']} is known as {other!r} already")
    entity_identity.reindex(db, row["id"])
    return entity_mentions.of_name(db, row, other)


def _unname(db: Db, row: Row, other: str) -> list[str]:
    """Let an entity not be known by a name any more; the records that use it stay with it. Raises UsageError."""
    found = [
        each
        for each in entity_identity.aliases(db, [row["id"]]).get(row["id"], ())
        if each["alias"] == other.casefold()
    ]
    if not found:
        raise UsageError(
            f"{row['name']} is not known as {other!r}",
            hint=f"memctl entity show {short(db, row['id'])}",
        )
    entity_identity.drop_alias(db, found[0])
    entity_identity.reindex(db, row["id"])
    return entity_identity.settle_role(db, other) if entity_names.is_role(other) else []
