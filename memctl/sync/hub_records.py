"""Shared records in the form in which a hub is searched, and back.

Travel form: no id in it means something on one machine alone. A row is written by a machine of the
member whose record it is, in the transaction of the change set that changed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memctl.core import timestamps
from memctl.core.model import (
    AGENT_CLAIMED,
    OWNERS,
    SCOPES,
    SOURCE_KINDS,
    STATUSES,
    TRUST_NAMES,
    TYPES,
    Memory,
)
from memctl.core.typing_lite import Any
from memctl.store import lexical, projects, records, semantic, sync_changes, tags
from memctl.store.database import Database
from memctl.sync import hub_rows
from memctl.sync.place import SearchableRow

_PROJECT = "project:"
# Streams of what holds everywhere.
EVERYWHERE = "project:global"
# What others are told of a record. Not what only its own store can use: sources, rules, counters.
_TOLD = (
    "id",
    "type",
    "kind",
    "scope",
    "status",
    "title",
    "content",
    "summary",
    "owner",
    "source_kind",
    "confidence",
    "trust",
    "observed_at",
    "created_at",
    "updated_at",
    "subject",
    "rationale",
    "decay_rate",
    "valid_from",
    "valid_until",
    "confirmed_at",
)
_TIMES = ("observed_at", "created_at", "updated_at")
_OPTIONAL_TIMES = ("valid_from", "valid_until", "confirmed_at")
_TEXTS = ("id", "kind", "title", "content", "summary", *_TIMES)
_OPTIONAL_TEXTS = ("subject", "rationale", *_OPTIONAL_TIMES)
_CHOICES: Mapping[str, Sequence[str]] = {
    "type": TYPES,
    "scope": SCOPES,
    "status": STATUSES,
    "owner": OWNERS,
    "source_kind": SOURCE_KINDS,
}


def build_rows(
    db: Database, member: str, stream: str, subjects: Iterable[str]
) -> list[SearchableRow]:
    """The state of those of some subjects that are records of this member, for one stream."""
    wanted = list(dict.fromkeys(subjects))
    if not stream.startswith(_PROJECT) or not wanted:
        return []
    whose = sync_changes.find_subjects(db, wanted)
    own = [
        each
        for each in wanted
        if ":" not in each
        and each in whose
        and whose[each][0] == member
        and stream in whose[each][1]
    ]
    heads = sync_changes.list_heads_of_each(db, own)
    memories = records.list_by_ids(db, own, only_readable=True)
    model = semantic.find_serving_model(db)
    rows = []
    for each in own:
        memory = memories.get(each)
        if memory is None:
            rows.append(hub_rows.blank_row(stream, each))
        elif memory.status != "inbox":
            stamp = max(heads.get(each, {}).values(), default=0)
            rows.append(_read_row(db, memory, stream, stamp, model))
    return rows


def build_row(
    memory: Memory,
    stream: str,
    stamp: int,
    *,
    project: str | None = None,
    own_tags: Sequence[str] = (),
    vector: bytes | None = None,
    model: str | None = None,
) -> SearchableRow:
    """One record as a row; `project` is the name of its project."""
    document = lexical.build_document(memory, own_tags)
    body = {name: getattr(memory, name) for name in _TOLD}
    body["alternatives"] = list(memory.alternatives)
    body["project"] = project
    words = (
        document["title"],
        f"{document['summary']}\n{document['content']}",
        document["extra"],
    )
    return SearchableRow(stream, memory.id, stamp, body, words, tuple(own_tags), vector, model)


def read_memory(stream: str, body: Any, *, is_own: bool, project_id: str | None) -> Memory | None:
    """A record of a hub; None for what is none, as anybody of the group may have written it.

    What somebody else says is trusted as little as what an agent says, and is never pinned.
    """
    if not isinstance(body, Mapping) or not _is_record(body):
        return None
    told = {name: body[name] for name in _TOLD}
    if not is_own:
        told["trust"] = min(told["trust"], AGENT_CLAIMED)
    return Memory(
        **told,
        alternatives=tuple(body["alternatives"]),
        fingerprint="",
        project_id=None if stream == EVERYWHERE or body["scope"] == "global" else project_id,
    )


def read_project_name(body: Mapping[str, Any]) -> str | None:
    """What the project of a record is called where it comes from."""
    name = body.get("project")
    return name if isinstance(name, str) else None


def name_project(stream: str) -> str | None:
    """The id of the project that a stream is of, as the group knows it."""
    return None if stream == EVERYWHERE else stream.removeprefix(_PROJECT)


def name_stream(project_id: str) -> str:
    """The stream of a project, by its id as the group knows it."""
    return f"{_PROJECT}{project_id}"


def _is_record(body: Mapping[str, Any]) -> bool:
    """Whether all values are such as records have."""
    texts = all(isinstance(body.get(name), str) for name in _TEXTS)
    maybe = all(isinstance(body.get(name), str | None) for name in _OPTIONAL_TEXTS)
    others = body.get("alternatives")
    return (
        texts
        and maybe
        and all(body.get(name) in known for name, known in _CHOICES.items())
        and type(body.get("trust")) is int
        and body["trust"] in TRUST_NAMES
        and all(type(body.get(name)) in (int, float) for name in ("confidence", "decay_rate"))
        and 0 <= body["confidence"] <= 1
        and isinstance(others, list)
        and all(isinstance(each, str) for each in others)
        and all(_is_time(body[name]) for name in _TIMES)
        and all(body.get(name) is None or _is_time(body[name]) for name in _OPTIONAL_TIMES)
    )


def _is_time(text: str) -> bool:
    try:
        timestamps.parse_iso(text)
    except ValueError:
        return False
    return True


def _read_row(
    db: Database, memory: Memory, stream: str, stamp: int, model: semantic.Model | None
) -> SearchableRow:
    vector = None
    if model is not None:
        n = records.find_number(db, memory.id)
        vector = semantic.read_vectors(db, model.id, [n]).get(n)
    name = projects.get(db, memory.project_id).name if memory.project_id else None
    return build_row(
        memory,
        stream,
        stamp,
        project=name,
        own_tags=tags.list_of_memory(db, memory.id),
        vector=vector,
        model=model.fingerprint if model else None,
    )
