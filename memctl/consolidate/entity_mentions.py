"""Find known names in what records say, so that a record speaks of whoever it names.

A name counts only where it is written as a name, as a whole word, and not where a common word of
the same letters begins a sentence. Each sweep continues where the last one ended; how far it came
is noted in the transaction that stores what was found.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.core.typing_lite import Any
from memctl.extract import named_things
from memctl.store import chunks, entities, entity_lookup, entity_mentions, event_log
from memctl.store.database import Database, Row
from memctl.text import known_names, tokens

ACTOR = "maintain"
_CAUSE = "known by name"
# The most records or names of one transaction, and how many records one name may be found in.
# Chosen by hand.
_BATCH = 100
_MOST_RECORDS = 500
# Shorter names are not looked for, in letters.
_SHORTEST_NAME = 3
_KINDS = ("person", "project", "org")


def attach_known_names(db: Database, work: BoundedWork) -> None:
    """Look for known names in new records, and for new names in old ones. Counts `recognised`."""
    work.count("recognised", 0)
    _sweep_new_records(db, work)
    _sweep_new_names(db, work)


def _sweep_new_records(db: Database, work: BoundedWork) -> None:
    while not work.must_stop():
        count = 0
        with db.write():
            rows = entity_mentions.list_unread_records(db, _BATCH)
            if not rows:
                return
            until = clock.read_monotonic() + chunks.CHUNK_SECONDS
            for row in rows:
                with event_log.group_changes(db, actor=ACTOR, cause=_CAUSE):
                    count += _attach_names_in(db, row)
                entity_mentions.mark_records_read(db, row)
                if clock.read_monotonic() >= until:
                    break
        work.count("recognised", count)


def _attach_names_in(db: Database, row: Row) -> int:
    """Attach whom a record names; how many.

    The rules of extraction come first, if nobody applied them when the record was written.
    """
    text = _read_text(row)
    if not entity_mentions.has_mentions(db, row["id"]):
        entities.attach_entities(db, row["id"], named_things.find_entities(text, None), clock.now())
    phrases = {phrase.casefold(): phrase for phrase in named_things.list_name_phrases(text)}
    if not phrases:
        return 0
    ids: dict[str, set[str]] = {}
    for known in entity_mentions.list_known_names(db, phrases.values()):
        ids.setdefault(known["name"].casefold(), set()).add(known["id"])
    mentions = [
        (next(iter(entity_ids)), phrases[name])
        for name, entity_ids in ids.items()
        if len(entity_ids) == 1 and name in phrases
    ]
    return entity_mentions.attach_new(db, row["id"], mentions)


def _sweep_new_names(db: Database, work: BoundedWork) -> None:
    is_last = False
    while not is_last and not work.must_stop():
        count = 0
        with db.write():
            rows = entity_mentions.list_new_names(db, _BATCH)
            until, read = clock.read_monotonic() + chunks.CHUNK_SECONDS, 0
            for row in rows:
                read += 1
                with event_log.group_changes(db, actor=ACTOR, cause=_CAUSE):
                    count += len(_attach_new_name(db, row))
                if clock.read_monotonic() >= until:
                    break
            is_last = read == len(rows) < _BATCH
            entity_mentions.mark_names_looked_for(db, None if is_last else rows[read - 1])
        work.count("recognised", count)


def _attach_new_name(db: Database, change: Row) -> list[str]:
    """Find the name that one change of the event log gave an entity; the ids of the records."""
    after: Mapping[str, Any] = json.loads(change["after"])
    is_entity = change["topic"] == "entity"
    entity = entity_lookup.find_by_id(db, after["id"] if is_entity else after["entity_id"])
    if entity is None or entity["kind"] not in _KINDS:
        return []
    head = entity_lookup.find_by_id(db, entity_lookup.resolve_merged(db, entity)) or entity
    return attach_name(db, head, str(after["name"] if is_entity else after["alias"]))


def attach_name(db: Database, entity: Row, name: str) -> list[str]:
    """Attach an entity to the records that hold a name of it, written as one.

    Returns the ids of the records that did not speak of it before.
    """
    return [
        memory_id
        for memory_id, written in _find_named(db, entity, name)
        if entity_mentions.attach_new(db, memory_id, [(entity["id"], written)])
    ]


def attach_name_in_chunks(db: Database, entity: Row, name: str) -> list[str]:
    """Do what `attach_name` does in short transactions, all of the operation that is open."""
    operation, (actor, cause) = db.operation, db.acting
    attached = []

    def attach(found: tuple[str, str]) -> None:
        memory_id, written = found
        if entity_mentions.attach_new(db, memory_id, [(entity["id"], written)]):
            attached.append(memory_id)

    chunks.change_in_chunks(
        db,
        _find_named(db, entity, name),
        attach,
        around=lambda: event_log.group_changes(db, actor=actor, cause=cause, operation=operation),
    )
    return attached


def _find_named(db: Database, entity: Row, name: str) -> list[tuple[str, str]]:
    """Find the records that hold a name of an entity and do not mention it: each with how it is
    written there.
    """
    if not _may_look_for(db, name):
        return []
    terms = tokens.extract_query_terms(name)
    if not terms:
        return []
    match = tokens.build_match_expression(terms)
    rows = entity_mentions.list_records_matching(db, match, _MOST_RECORDS)
    known = entity_mentions.list_records_mentioning(db, entity["id"])
    found = ((row["id"], _find_written(row, name)) for row in rows if row["id"] not in known)
    return [(memory_id, written) for memory_id, written in found if written]


def _may_look_for(db: Database, name: str) -> bool:
    """Does the name lead to one entity only, and is it no role?"""
    if known_names.is_role(name) or len(name) < _SHORTEST_NAME:
        return False
    return len({row["id"] for row in entity_lookup.find_called(db, name)}) == 1


def _find_written(row: Row, name: str) -> str | None:
    """The name as a record writes it, or None where it is only a common word there."""
    for phrase in named_things.list_name_phrases(_read_text(row)):
        if phrase.casefold() == name.casefold():
            return phrase
    return None


def _read_text(row: Row) -> str:
    return "\n".join(filter(None, (row["title"], row["content"], row["rationale"])))
