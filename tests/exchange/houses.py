"""Stores to move house with: small, invented, and rich enough that every section of an export
has rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import Actor, EntityRef, Evidence, Job, Link, Memory, Source, Turn
from memctl.exchange import export, import_
from memctl.results.store import TransferReport
from memctl.settings import config
from memctl.settings.config import Config
from memctl.store import (
    entities,
    evidence,
    links,
    projects,
    queue,
    records,
    sources,
    tombstones,
    tracked_rows,
)
from memctl.store.database import Database
from memctl.store.migrate import open_store
from memctl.text.normalize import make_fingerprint

OPERATOR, AGENT = Actor("operator"), Actor("agent:testpilot")
DAY = "2026-03-0{}T10:00:00.000Z"


def settings(db: Path) -> Config:
    """The settings of a store at that place."""
    return config.load_config(db, env={"HOME": str(db.parent)})


def memory(content: str, **changed: Any) -> Memory:
    """A record with that content; everything else is plain."""
    at = DAY.format(1)
    plain: dict[str, Any] = {
        "id": clock.new_id(),
        "type": "project",
        "kind": "fact",
        "scope": "global",
        "status": "active",
        "title": content[:20] or "t",
        "content": content,
        "summary": content[:40],
        "owner": "shared",
        "source_kind": "manual",
        "confidence": 0.75,
        "trust": 2,
        "observed_at": at,
        "created_at": at,
        "updated_at": at,
    }
    plain |= changed
    plain.setdefault(
        "fingerprint",
        make_fingerprint(content, plain["scope"], plain.get("project_id"), plain.get("agent_id")),
    )
    return Memory(**plain)


def add(db: Database, *memories: Memory, quote: str | None = None) -> list[str]:
    """Store records, each with one piece of evidence; their ids."""
    with db.write():
        for each in memories:
            records.insert_record(db, each, actor="operator", cause="test")
            proof = Evidence(
                clock.new_id(),
                each.id,
                quote or each.content,
                "human",
                each.trust,
                each.observed_at,
                each.created_at,
            )
            evidence.insert_evidence(db, [proof])
    return [each.id for each in memories]


def change(db: Database, memory_id: str, at: str, **changed: Any) -> None:
    """Set fields of a record at a time."""
    with db.write():
        old = records.get_record(db, memory_id)
        records.replace_record(
            db,
            old,
            replace(old, updated_at=at, **changed),
            verb="edited",
            actor="operator",
            cause="test",
        )


def bury(
    db: Database, memory_id: str, verdict: str = "forgotten", quote: str | None = None
) -> None:
    """Archive a record under a tombstone."""
    at = clock.now()
    with db.write():
        old = records.get_record(db, memory_id)
        tombstones.add_tombstone(
            db,
            memory_id=memory_id,
            fingerprint=old.fingerprint,
            verdict=verdict,
            quote=quote,
            reason="wrong",
            actor="operator",
            at=at,
        )
        gone = replace(old, status="archived", status_reason=verdict, updated_at=at)
        records.replace_record(db, old, gone, verb=verdict, actor="operator", cause=verdict)


def furnished(path: Path) -> Database:
    """A store with something in every section."""
    db = open_store(path, create=True)
    at = DAY.format(1)
    with db.write():
        old, new = (
            projects.insert(db, "Orrery", "/src/orrery", at),
            projects.insert(db, "Orrery II", "/src/orrery2", at),
        )
        projects.add_alias(db, new.id, "remote", "example.org/orrery", at)
        projects.adopt(db, old.id, new.id, at)
        other = projects.insert(db, "Sundial", None, at)
        projects.link(db, new.id, other.id, "same author", at)
        repo = {
            "name": "orrery",
            "root_path": "/src/orrery2",
            "git_common_dir": "/src/orrery2/.git",
            "remote_url": None,
        }
        repo_id = projects.ensure_repo(db, new.id, {**repo, "root_commit": "ab12"}, at)
        source = add_source(
            db, "session-1", project_id=new.id, repo_id=repo_id, raw=b"raw bytes \xff\x00"
        )
        add_source(db, "session-2", previous_id=source.id)
        queue.add_job(
            db,
            Job(
                clock.new_id(),
                "test",
                "operator",
                "done",
                1,
                at,
                at,
                at,
                source.id,
                outcome={"proposed": 2},
            ),
        )
    first = memory(
        "Gears are cut from brass \u2014 never steel",
        project_id=new.id,
        scope="project",
        access_count=3,
        last_accessed_at=at,
    )
    second = memory(
        "Gears are cut from steel",
        status="inbox",
        project_id=new.id,
        scope="project",
        alternatives=("zinc", "tin"),
        trust=5,
    )
    third = memory(
        "I prefer metric screws",
        type="profile",
        owner="operator",
        trust=5,
        always_load=True,
        protected=True,
    )
    gone = memory("The sundial runs on batteries", rationale="seen in a dream")
    add(db, first, second, third, gone)
    with db.write():
        links.insert_link(
            db,
            Link(
                clock.new_id(), first.id, "contradicts", second.id, "operator", at, "brass or steel"
            ),
        )
        entities.attach_entities(db, first.id, [EntityRef("concept", "Brass")], at)
        entities.add_alias(
            db, "messing", entities.ensure_entity(db, "concept", "Brass", at), None, at
        )
        entities.reindex_memories(db, [first.id])
        db.run(
            "saved_views.insert",
            name="gears",
            kind="search",
            definition='{"text":"gears"}',
            created_at=at,
            updated_at=at,
        )
        row = {"id": clock.new_id(), "reason": "it held", "actor": "operator", "created_at": at}
        muted = {"rule": "said", **{key: row[key] for key in ("reason", "actor", "created_at")}}
        proposal = {
            "kind": "archive",
            "about": first.id,
            "data": "{}",
            "state": "open",
            "decided_at": None,
            **row,
        }
        outcome = {"memory_id": first.id, "retrieval_id": None, "verdict": "good", **row}
        for topic, new in (("outcome", outcome), ("proposal", proposal), ("mute", muted)):
            tracked_rows.change_row(db, topic, None, new, verb="furnished")
        with_name = records.get_record(db, first.id)
        records.replace_record(
            db,
            with_name,
            replace(with_name, confidence=0.8),
            verb="edited",
            actor="operator",
            cause="test",
        )
    bury(db, gone.id, "rejected", quote="runs on batteries")
    return db


def add_source(
    db: Database,
    session: str,
    *,
    turns: tuple[Turn, ...] = (),
    raw: bytes | None = None,
    **changed: Any,
) -> Source:
    """Store one captured original with its turns."""
    turns = turns or (
        Turn(0, "human", "text", "brass, please"),
        Turn(1, "assistant", "text", "odd: \ud800", data={"n": 1.5}),
    )
    at = DAY.format(1)
    source = Source(
        clock.new_id(),
        "conversation",
        "plain",
        "testpilot",
        session,
        100,
        "c0ffee",
        len(turns),
        sources.compute_turns_hash(turns),
        5,
        at,
        at,
        **changed,
    )
    sources.insert_source(db, source, raw)
    sources.add_turns(db, source.id, turns, at)
    return source


def exported(db: Database) -> str:
    """The export of a store, which must have no problems."""
    report = export.export_store(db, settings(db.path), None)
    assert report.problems == ()
    assert report.text is not None
    return report.text


def take(
    db: Database,
    text: str | bytes,
    actor: Actor = OPERATOR,
    *,
    origin: str | None = None,
    dry_run: bool = False,
) -> TransferReport:
    """Import a text into a store; what the operator brings is their own unless told otherwise."""
    origin = origin or ("mine" if actor == OPERATOR else None)
    path = db.path.with_name("incoming.jsonl")
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return import_.import_file(db, settings(db.path), actor, path, origin=origin, dry_run=dry_run)


def outcomes(report: TransferReport, section: str = "memories") -> dict[str, int]:
    """The outcomes of one section that happened at all."""
    return {outcome: count for outcome, count in report.counts[section].items() if count}
