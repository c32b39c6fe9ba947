"""What somebody wrote by hand, drafted: clean, redacted and placed, but not in the store yet.

A draft has its ids and times, so that it is the same record whenever and by whichever process it is
stored. Packed, it is what waits in the spool.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from memctl.core.errors import NotFound, UsageError
from memctl.core.frozen import asdict, dataclass, fields, replace
from memctl.core.model import (
    ENTITY_KINDS,
    OWNER_OF,
    SCOPES,
    TYPES,
    Actor,
    EntityKind,
    EntityRef,
    Memory,
    NewMemory,
    Place,
)
from memctl.core.typing_lite import Any, TypeVar, cast
from memctl.curate.refusals import require_allowed
from memctl.records import drafts, ignore_rules, projects
from memctl.redact.redactor import Redactor, make_redactor
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import projects as known_projects
from memctl.store.database import Database
from memctl.text import tags

Drafted = TypeVar("Drafted")
_FLAGS = ("protected", "always_load", "never_load")
_NUMBERS = ("confidence", "decay_rate", "trust", "access_count", "good", "bad")
_NAMES = tuple(field.name for field in fields(Memory))
_FIELDS = frozenset(_NAMES)


@dataclass(frozen=True, slots=True)
class WriteDraft:
    """A record to be written: its words as evidence are `quote`, or its content."""

    memory: Memory
    entities: tuple[EntityRef, ...] = ()
    quote: str | None = None


def draft_items(
    db: Database, config: Config, actor: Actor, items: Sequence[NewMemory], place: Place
) -> list[WriteDraft]:
    """Draft all items. Raises UsageError, NotFound or RefusedByPolicy naming the item."""
    if not items:
        raise UsageError("nothing to ingest")
    redactor = make_redactor(config)
    places: dict[str, Place] = {}
    return check_items(
        items, lambda item: _draft_item(db, config, item, place, actor, redactor, places)
    )


def check_items(items: Sequence[NewMemory], make: Callable[[NewMemory], Drafted]) -> list[Drafted]:
    """Make something of each item. Raises the UsageError or NotFound of `make`, naming the item."""
    made = []
    for number, item in enumerate(items, 1):
        try:
            made.append(make(item))
        except (UsageError, NotFound) as error:
            if len(items) > 1:
                raise type(error)(f"item {number}: {error}", hint=error.hint) from error
            raise
    return made


def _draft_item(
    db: Database,
    config: Config,
    item: NewMemory,
    place: Place,
    actor: Actor,
    redactor: Redactor,
    places: dict[str, Place],
) -> WriteDraft:
    """Draft one item; `places` remembers the projects that items name ("" for the caller's)."""
    name = item.project or ""
    if name not in places:
        places[name] = _find_place(db, config, name, place, redactor)
    memory = drafts.build_from_manual(item, places[name], actor, redactor)
    require_own(memory, actor)
    quote = drafts.clean_text(item.quote, redactor) if item.quote else None
    entities = tuple(drafts.clean_entity_refs(item.entities, redactor))
    entities += tags.build_refs(drafts.clean_tags(item.tags, redactor))
    return WriteDraft(choose_status(memory, actor), entities, quote)


def _find_place(db: Database, config: Config, name: str, place: Place, redactor: Redactor) -> Place:
    location = projects.find_place(db, None, project=name, redactor=redactor) if name else place
    if location.project_id:
        names = known_projects.all_names(db, location.project_id)
        ignore_rules.refuse_ignored(config, named=names)
    return replace(location, agent_id=place.agent_id, session_id=place.session_id)


def require_own(memory: Memory, actor: Actor) -> None:
    """Raise RefusedByPolicy for a note that would stand among the private ones of another agent."""
    if memory.scope == "agent":
        require_allowed(policy.why_not_act_as(memory.agent_id, actor))


def choose_status(memory: Memory, actor: Actor) -> Memory:
    """Active where policy allows it, else in the inbox with the reason."""
    why_not = policy.why_not_in_force(memory, actor)
    if why_not is None:
        return memory
    return replace(memory, status="inbox", status_reason=f"kept in the inbox: {why_not}")


def pack_draft(draft: WriteDraft) -> dict[str, Any]:
    """A draft as JSON."""
    return {
        "memory": {name: getattr(draft.memory, name) for name in _NAMES},
        "entities": [asdict(ref) for ref in draft.entities],
        "quote": draft.quote,
    }


def unpack_draft(packed: Mapping[str, Any], actor: Actor) -> WriteDraft:
    """A draft from JSON, with no more trust than its writer has.

    Its fingerprint is computed anew: what was purged meanwhile was cut out of its words. Raises
    ValueError, TypeError, KeyError or UsageError for a damaged one.
    """
    values = dict(packed["memory"])
    for name, value in values.items():
        _check_value(name, value)
    _check_words(values)
    values["alternatives"] = tuple(values["alternatives"])
    values |= {"trust": min(values["trust"], actor.trust), "owner": OWNER_OF[values["type"]]}
    memory = drafts.set_fingerprint(drafts.require_limits(Memory(**values)))
    quote = packed["quote"]
    _check_value("content", quote)
    entities = tuple(
        EntityRef(cast(EntityKind, drafts.require_one_of(kind, ENTITY_KINDS, "kind")), str(name))
        for kind, name in ((ref["kind"], ref["name"]) for ref in packed["entities"])
    )
    return WriteDraft(choose_status(memory, actor), entities, quote)


def _check_value(name: str, value: Any) -> None:
    """Raise ValueError for a value that no record has in that field."""
    if name in _FLAGS:
        is_fit = isinstance(value, bool)
    elif name == "alternatives":
        is_fit = isinstance(value, list) and all(isinstance(each, str) for each in value)
    elif name in _NUMBERS:
        is_fit = isinstance(value, int | float) and not isinstance(value, bool)
    else:
        is_fit = value is None or isinstance(value, str)
    if not is_fit or name not in _FIELDS:
        raise ValueError(f"damaged: {name} is {value!r}")


def _check_words(values: Mapping[str, Any]) -> None:
    """Raise UsageError or ValueError where a word is none that a manual write has."""
    drafts.require_one_of(values["type"], TYPES, "type")
    drafts.require_one_of(values["scope"], SCOPES, "scope")
    drafts.require_one_of(values["status"], ("active", "inbox"), "status")
    drafts.require_one_of(values["source_kind"], ("manual",), "source_kind")
    drafts.parse_kind(values["kind"])
    drafts.parse_confidence(values["confidence"], 0.0)
    json.dumps(dict(values), ensure_ascii=False).encode()
