"""Known names found in what records say: a person, project or organisation that was named once is known again wherever it stands.

Precision first: a name counts where it is written as a name, as a whole word, and not where a common word of the same letters begins a
sentence. Each sweep goes on where the last one ended; the note of where moves in the same transaction as what was found.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.extract import named_things
from memctl.store import entities, entity_identity, entity_names, event_log, meta
from memctl.store.database import Db, Row
from memctl.text import tokens

ACTOR, _CAUSE = "maintain", "known by name"
_AT_ONCE, _MOST_HOLDING = 100, 500
_SHORTEST = 3


def sweep(db: Db, work: BoundedWork) -> None:
    """Look for known names in new records, and for new names in old records. Counts `recognised`."""
    work.count("recognised", 0)
    _in_new_records(db, work)
    _new_names(db, work)


def _in_new_records(db: Db, work: BoundedWork) -> None:
    while not work.must_stop():
        found = 0
        with db.write():
            rows = db.all(
                "entities.to_read",
                n=int(meta.get(db, entities.RECORDS_READ_TO) or 0),
                limit=_AT_ONCE,
            )
            if not rows:
                return
            for row in rows:
                with event_log.operation(db, actor=ACTOR, cause=_CAUSE):
                    found += _in_record(db, row)
            meta.put(db, entities.RECORDS_READ_TO, str(rows[-1]["n"]))
        work.count("recognised", found)


def _in_record(db: Db, row: Row) -> int:
    """Attach what a record names: by the rules, if nobody did when it was written, and whoever is known."""
    text = _text(row)
    if not db.all("entities.mentions_of", memory_id=row["id"]):
        entities.attach(db, row["id"], named_things.find_entities(text, None), clock.now())
    phrases = {phrase.casefold(): phrase for phrase in named_things.list_name_phrases(text)}
    if not phrases:
        return 0
    rows = db.all(
        "entities.known_names",
        names=json.dumps(list(phrases)),
        spelled=json.dumps(list(phrases.values())),
    )
    known: dict[str, set[str]] = {}
    for each in rows:
        known.setdefault(each["name"].casefold(), set()).add(each["id"])
    pairs = [
        (next(iter(ids)), phrases[name])
        for name, ids in known.items()
        if len(ids) == 1 and name in phrases
    ]
    return _attach(db, row["id"], pairs)


def _new_names(db: Db, work: BoundedWork) -> None:
    is_last = False
    while not is_last and not work.must_stop():
        found = 0
        with db.write():
            rows = db.all(
                "entities.newly_named",
                seq=int(meta.get(db, entities.NAMES_FOUND_TO) or 0),
                limit=_AT_ONCE,
            )
            for row in rows:
                with event_log.operation(db, actor=ACTOR, cause=_CAUSE):
                    found += len(_of_change(db, row))
            is_last = len(rows) < _AT_ONCE
            to = int(db.value("entities.newest_change")) if is_last else rows[-1]["seq"]
            if meta.get(db, entities.NAMES_FOUND_TO) != str(to):
                meta.put(db, entities.NAMES_FOUND_TO, str(to))
        work.count("recognised", found)


def _of_change(db: Db, row: Row) -> list[str]:
    told: Mapping[str, Any] = json.loads(row["after"])
    entity = db.one(
        "entities.get", id=told["id"] if row["topic"] == "entity" else told["entity_id"]
    )
    name = str(told["name"] if row["topic"] == "entity" else told["alias"])
    if entity is None or entity["kind"] not in ("person", "project", "org"):
        return []
    return of_name(db, db.one("entities.get", id=entities.root_of(db, entity)) or entity, name)


def of_name(db: Db, entity: Row, name: str) -> list[str]:
    """Let the records that hold a name, written as one, speak of an entity; the ids of those that did not before."""
    if (
        entity_names.is_role(name)
        or len(name) < _SHORTEST
        or len({row["id"] for row in entity_identity.called(db, name)}) != 1
    ):
        return []
    terms = tokens.query_terms(name)
    if not terms:
        return []
    rows = db.all("entities.holding", match=tokens.match_expression(terms), limit=_MOST_HOLDING)
    spoken = {row["memory_id"] for row in db.all("entities.mentions", entity_id=entity["id"])}
    done = []
    for row in rows:
        written = next(
            (
                phrase
                for phrase in named_things.list_name_phrases(_text(row))
                if phrase.casefold() == name.casefold()
            ),
            None,
        )
        if (
            row["id"] not in spoken
            and written
            and _attach(db, row["id"], [(entity["id"], written)])
        ):
            done.append(row["id"])
    return done


def _attach(db: Db, memory_id: str, pairs: Iterable[tuple[str, str]]) -> int:
    """Let a record speak of entities, unless it does already, by whatever name."""
    spoken = {row["id"] for row in db.all("entities.of_memories", ids=json.dumps([memory_id]))}
    new = [
        [entity, name]
        for entity, name in pairs
        if entity not in spoken
        and db.run("entities.attach", memory_id=memory_id, entity_id=entity, name=name)
    ]
    if new:
        event_log.note(
            db, "mention", memory_id, memory_id, None, {"mentions": new}, verb="mentions"
        )
        entities.index_again(db, [memory_id])
    return len(new)


def _text(row: Row) -> str:
    return "\n".join(filter(None, (row["title"], row["content"], row["rationale"])))
