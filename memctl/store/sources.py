"""Captured originals and their normalised turns, compressed; turns are only ever added."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence

from memctl.core.errors import ConversationDamaged, NotFound
from memctl.core.frozen import asdict
from memctl.core.model import Source, Turn
from memctl.core.typing_lite import Any
from memctl.store.database import Database, Row
from memctl.store.rows import (
    build_from_row,
    decompress,
    parse_json_column,
    resolve_id,
    to_canonical_json,
    to_json_array,
)
from memctl.text.placeholders import remove_hashes

_TURN_FIELDS = (
    "seq",
    "role",
    "kind",
    "text",
    "ts",
    "speaker",
    "tool",
    "call_id",
    "ok",
    "line",
    "data",
)
_DEFAULTS: dict[str, Any] = {
    "ts": None,
    "speaker": None,
    "tool": None,
    "call_id": None,
    "ok": None,
    "line": 0,
    "data": {},
}


def insert_source(db: Database, source: Source, raw: bytes | None = None) -> None:
    """Store one captured original; `raw` is kept compressed."""
    db.run("sources.insert", **_to_columns(source), raw=None if raw is None else zlib.compress(raw))


def grow_source(db: Database, source: Source, raw: bytes | None = None) -> None:
    """Update a source to a longer capture of the same session."""
    wanted = (
        "id",
        "size_bytes",
        "content_hash",
        "turn_count",
        "turns_hash",
        "unknown",
        "title",
        "cwd",
        "git_branch",
        "project_id",
        "repo_id",
        "path",
        "ended_at",
        "updated_at",
    )
    values = _to_columns(source)
    db.run(
        "sources.grow",
        **{name: values[name] for name in wanted},
        raw=None if raw is None else zlib.compress(raw),
    )


def place_source(
    db: Database, source_id: str, project_id: str | None, repo_id: str | None, now: str
) -> None:
    """Give a source without a project its project."""
    db.run("sources.place", id=source_id, project_id=project_id, repo_id=repo_id, now=now)


def add_turns(db: Database, source_id: str, turns: Sequence[Turn], at: str) -> None:
    """Append turns to a source."""
    part = {"first_turn": turns[0].seq, "turn_count": len(turns), "turns": pack_turns(turns)}
    db.run("sources.add_part", source_id=source_id, created_at=at, **part)


def read_turns(db: Database, source_id: str) -> list[Turn]:
    """Return the turns of a source, in order; those of a damaged part are left out."""
    return [turn for part in read_parts(db, source_id) for turn in part]


def read_parts(db: Database, source_id: str) -> list[tuple[Turn, ...]]:
    """Return the turns of a source, part by part as they were captured.

    A damaged part has none, and the store warns of it.
    """
    return [
        tuple(unpack_part(db, source_id, row["turns"]))
        for row in db.all("sources.parts", source_id=source_id)
    ]


def unpack_part(db: Database, source_id: str, packed: bytes) -> list[Turn]:
    """Return the turns of one part; none if it is damaged, of which the store warns."""
    try:
        return unpack_turns(packed)
    except ConversationDamaged:
        warn_of_damage(db, source_id)
        return []


def warn_of_damage(db: Database, source_id: str) -> None:
    """Let whoever uses the store be told that a conversation in it is damaged."""
    db.warnings[source_id] = ConversationDamaged(
        f"the stored conversation {source_id} is damaged; what can be read of it was used",
        hint=f"`memctl restore` brings a backup back, `memctl purge --source {source_id}` "
        "removes it",
    )


def get_source(db: Database, source_id: str) -> Source:
    """Return one source. Raises NotFound."""
    row = db.one("sources.get", id=source_id)
    if row is None:
        raise NotFound(f"no source has the id {source_id}")
    return from_row(row)


def find_source(db: Database, source_id: str) -> Source | None:
    """Return one source, or None."""
    row = db.one("sources.get", id=source_id)
    return None if row is None else from_row(row)


def resolve_source(db: Database, text: str) -> Source:
    """Return one source by its id or a unique prefix. Raises NotFound."""
    return get_source(db, resolve_id(db, "sources.by_prefix", text, "source"))


def list_of_session(db: Database, agent: str, session_id: str) -> list[Source]:
    """List the captures of one session, newest first."""
    return [
        from_row(row) for row in db.all("sources.by_session", agent=agent, session_id=session_id)
    ]


def list_by_hash(db: Database, content_hash: str) -> list[Source]:
    """List the sources made from exactly this original."""
    return [from_row(row) for row in db.all("sources.by_hash", content_hash=content_hash)]


def list_newest_of_agents(db: Database, agents: Iterable[str]) -> list[Source]:
    """List the newest source of each file that these agents' notes were read from."""
    rows = db.all("sources.newest_of_agents", agents=to_json_array(agents) or "[]")
    return [from_row(row) for row in rows]


def set_seen(db: Database, source: Source, size_bytes: int, content_hash: str, at: str) -> None:
    """Note that the file of a source was seen again, and says what it said."""
    db.run(
        "sources.set_seen", id=source.id, size_bytes=size_bytes, content_hash=content_hash, at=at
    )


def read_original(db: Database, source_id: str) -> bytes | None:
    """Return the kept original of a source, if it was kept."""
    packed = db.value("sources.raw", id=source_id)
    return None if packed is None else unpack_original(packed)


def unpack_original(packed: bytes) -> bytes:
    """Decompress a kept original. Raises ConversationDamaged."""
    try:
        return decompress(packed)
    except zlib.error as error:
        raise ConversationDamaged(f"a kept original cannot be read: {error}") from error


def pack_turns(turns: Iterable[Turn]) -> bytes:
    """Pack turns as compressed JSON lines without fields at their defaults."""
    return zlib.compress(
        "\n".join(json.dumps(_drop_defaults(turn), ensure_ascii=False) for turn in turns).encode(
            "utf-8", "surrogatepass"
        ),
        6,
    )


def unpack_turns(packed: bytes) -> list[Turn]:
    """Return the turns of one compressed part. Raises ConversationDamaged."""
    try:
        text = decompress(packed).decode("utf-8", "surrogatepass")
        return [Turn(**json.loads(line)) for line in text.split("\n") if line]
    except (zlib.error, ValueError, TypeError, RecursionError) as error:
        raise ConversationDamaged(f"turns are damaged: {error}") from error


def compute_turns_hash(turns: Iterable[Turn]) -> str:
    """Compute a hash over roles and texts in order.

    It is equal for the same conversation, whatever file it was read from.
    """
    from hashlib import sha256  # here, because it loads OpenSSL, and reading needs no hash

    total = sha256()
    for turn in turns:
        total.update(
            f"{turn.role}\0{turn.kind}\0{remove_hashes(turn.text)}\0".encode(
                "utf-8", "surrogatepass"
            )
        )
    return total.hexdigest()


def from_row(row: Row) -> Source:
    """Build a source from a row."""
    return build_from_row(
        Source, row, is_chat=bool(row["is_chat"]), unknown=parse_json_column(row["unknown"])
    )


def _to_columns(source: Source) -> dict[str, Any]:
    return {
        **asdict(source),
        "is_chat": int(source.is_chat),
        "unknown": to_canonical_json(dict(source.unknown)),
    }


def _drop_defaults(turn: Turn) -> dict[str, Any]:
    values = {name: getattr(turn, name) for name in _TURN_FIELDS}
    return {
        name: value
        for name, value in values.items()
        if name not in _DEFAULTS or value != _DEFAULTS[name]
    }


def count_captured(db: Database, start: str, until: str) -> list[Row]:
    """Count the sessions captured from one moment until before another, by project and agent.

    Columns: `project_id` (may be None), `agent`, `sessions`, `turns`.
    """
    return db.all("sources.captured_between", start=start, until=until)
