"""Cursor's databases: `store.db` of its command line (one session), `state.vscdb` of the editor (all of them, or those of one folder).

In `store.db` the messages are blobs under their hashes, and a root names them in their order. In `state.vscdb` a composer names its
bubbles; a bubble that it no longer names was rewound. Rows are fetched by key, for such a database may hold gigabytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Role, Transcript
from memctl.readers.base import Input, Tables, clip, parse_json
from memctl.readers.cursor import asked, take, workspace_in
from memctl.readers.messages import join_text
from memctl.readers.sidecars import parse_file_uri
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_COMPOSER, _BUBBLE = "composerData:", "bubbleId:"
_OLD_CHATS, _OLD_COMPOSERS = "workbench.panel.aichat.view.aichat.chatdata", "composer.composerData"
_HASH_BYTES = 32
_WORKSPACE_FIELD = 9
_MOST_BLOBS = 200_000


class CursorDb:
    """Reads Cursor's databases."""

    name: ClassVar[str] = "cursor-db"
    agent: ClassVar[str] = "cursor"
    is_chat: ClassVar[bool] = False
    is_database: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Never: it reads tables."""
        return 0.0

    def knows(self, tables: Tables) -> float:
        """Sure of Cursor's own tables, less of the one that all editors of this family share."""
        names = tables.names()
        if "cursorDiskKV" in names or (
            {"meta", "blobs"} <= names and tables.columns("blobs") >= {"id", "data"}
        ):
            return 0.95
        return 0.5 if "ItemTable" in names else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The sessions of the database one by one, or the one that is asked for."""
        assert source.tables is not None
        if "blobs" in source.tables.names():
            yield from _store(source, source.tables)
            return
        folder = parse_file_uri(
            as_dict(parse_json(source.read_beside("workspace.json") or b"")).get("folder")
        )
        for found in _sessions(source, source.tables, folder):
            if source.session in (None, found.session_id):
                yield found


READER = CursorDb()


def _store(source: Input, tables: Tables) -> Iterator[Transcript]:
    about, beside = _meta(tables), as_dict(parse_json(source.read_beside("meta.json") or b""))
    folder = source.path.parent.name if source.path else ""
    own = as_name(about.get("agentId")) or folder
    if source.session not in (None, own, folder):
        return
    turns, cwd = Turns(), parse_file_uri(beside.get("cwd"))
    root = as_text(about.get("latestRootBlobId"))
    human: Role = "system" if beside.get("isSubagent") is True else "human"
    for number, data in enumerate(_messages(tables, root), 1):
        message = as_dict(parse_json(data))
        role = as_text(message.get("role"))
        if role in ("user", "assistant", "tool"):
            cwd = cwd or (workspace_in(message.get("content")) if role == "user" else None)
            take(turns, source.unknown, role, message.get("content"), line=number, human=human)
    title = as_text(beside.get("title")) or about.get("name")
    yield _transcript(
        source,
        own,
        turns,
        title=title,
        cwd=cwd or _folder_of(tables, root),
        begun=about.get("createdAt"),
    )


def _folder_of(tables: Tables, root: str) -> str | None:
    """The folder that the root names."""
    named = (
        value for number, value in _fields(_blob(tables, root) or b"") if number == _WORKSPACE_FIELD
    )
    return parse_file_uri(next(named, b"").decode("utf-8", "replace"))


def _meta(tables: Tables) -> dict[str, Any]:
    """What the store says of its session: JSON in hexadecimal under one key, or a row for each word."""
    rows = {str(row.get("key")): row.get("value") for row in tables.rows("meta")}
    whole = rows.get("0")
    try:
        text = (
            bytes.fromhex(whole) if isinstance(whole, str) and not whole.startswith("{") else whole
        )
    except ValueError:
        text = None
    found = parse_json(text) if isinstance(text, (str, bytes)) else None
    return found if isinstance(found, dict) else rows


def _messages(tables: Tables, root: str) -> Iterator[bytes]:
    """The blobs that the root names, depth first in their order; all that are there where no root can be followed."""
    waiting, seen = [root], {""}
    found = False
    while waiting and len(seen) < _MOST_BLOBS:
        name = waiting.pop()
        data = None if name in seen else _blob(tables, name)
        seen.add(name)
        if data is None:
            continue
        if data.lstrip()[:1] == b"{":
            found = True
            yield data
        else:
            waiting += [
                value.hex() for _, value in reversed(_fields(data)) if len(value) == _HASH_BYTES
            ]
    if not found:
        yield from (
            data
            for row in tables.rows("blobs", order_by="rowid")
            if (data := _bytes(row.get("data"))).lstrip()[:1] == b"{"
        )


def _blob(tables: Tables, name: str) -> bytes | None:
    row = next(tables.rows("blobs", "id = ?", (name,)), None) if name else None
    return _bytes(row.get("data")) if row else None


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else as_text(value).encode("utf-8", "replace")


def _fields(data: bytes) -> list[tuple[int, bytes]]:
    """The fields of a protocol buffer that have a length, until something else stands there."""
    found: list[tuple[int, bytes]] = []
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 2:
            size, at = _varint(data, at)
            if size > len(data) - at:
                break
            found.append((tag >> 3, data[at : at + size]))
            at += size
        elif kind == 0:
            _, at = _varint(data, at)
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            break
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            break
    return value, at


def _sessions(source: Input, tables: Tables, folder: str | None) -> Iterator[Transcript]:
    """Composers of today, then what older versions kept in the database of a folder."""
    for name in _composers(source, tables):
        entry = as_dict(_value(tables, "cursorDiskKV", _COMPOSER + name))
        bubbles = _bubbles(tables, name, as_list(entry.get("fullConversationHeadersOnly")))
        yield _composer(source, name, entry, bubbles or as_list(entry.get("conversation")), folder)
    for each in as_list(as_dict(_value(tables, "ItemTable", _OLD_COMPOSERS)).get("allComposers")):
        entry = as_dict(each)
        if as_list(entry.get("conversation")):
            yield _composer(
                source, as_text(entry.get("composerId")), entry, entry["conversation"], folder
            )
    for each in as_list(as_dict(_value(tables, "ItemTable", _OLD_CHATS)).get("tabs")):
        yield _tab(source, as_dict(each), folder)


def _composers(source: Input, tables: Tables) -> list[str]:
    if source.session is not None:
        return [source.session]
    # Everything that begins with the prefix: `;` follows `:`.
    rows = tables.rows(
        "cursorDiskKV",
        "key >= ? AND key < ?",
        (_COMPOSER, _COMPOSER[:-1] + ";"),
        order_by="key",
        columns=("key",),
    )
    return [str(row["key"])[len(_COMPOSER) :] for row in rows]


def _value(tables: Tables, table: str, key: str) -> Any:
    row = next(tables.rows(table, "key = ?", (key,)), None)
    return parse_json(_bytes(row.get("value"))) if row else None


def _bubbles(tables: Tables, composer: str, headers: list[Any]) -> list[dict[str, Any]]:
    """The bubbles that the composer names, in its order."""
    if not headers:
        return []
    prefix = f"{_BUBBLE}{composer}:"
    rows = tables.rows(
        "cursorDiskKV", "key >= ? AND key < ?", (prefix, prefix[:-1] + ";"), order_by="key"
    )
    there = {
        str(row["key"])[len(prefix) :]: as_dict(parse_json(_bytes(row.get("value"))))
        for row in rows
    }
    named = [as_dict(header) for header in headers]
    return [
        header | there[name]
        for header in named
        if (name := as_text(header.get("bubbleId"))) in there
    ]


def _composer(
    source: Input, name: str, entry: dict[str, Any], bubbles: list[Any], folder: str | None
) -> Transcript:
    turns = Turns()
    parent = as_name(as_dict(entry.get("subagentInfo")).get("parentComposerId")) or as_name(
        entry.get("parentComposerId")
    )
    human: Role = "system" if parent else "human"
    for number, bubble in enumerate(map(as_dict, bubbles), 1):
        _take_bubble(source, turns, bubble, number, human)
    uri = as_dict(as_dict(entry.get("workspaceIdentifier")).get("uri"))
    return _transcript(
        source,
        name,
        turns,
        title=entry.get("name"),
        cwd=parse_file_uri(uri.get("fsPath")) or parse_file_uri(uri.get("external")) or folder,
        begun=entry.get("createdAt"),
        parent=parent,
        branch=as_dict(entry.get("activeBranch")).get("branchName"),
    )


def _take_bubble(
    source: Input, turns: Turns, bubble: dict[str, Any], number: int, human: Role
) -> None:
    times = (
        bubble.get("createdAt"),
        as_dict(bubble.get("timingInfo")).get("clientStartTime"),
        bubble.get("timestamp"),
    )
    ts = next(filter(None, map(parse_time, times)), None)
    text = as_text(bubble.get("text")) or as_text(bubble.get("rawText"))
    if bubble.get("type") in (1, "user"):
        asked(turns, [text], ts=ts, line=number, human=human)
    elif bubble.get("type") in (2, "ai"):
        turns.add("assistant", "text", text, ts=ts, line=number)
        if isinstance(bubble.get("toolFormerData"), dict):
            _tool(turns, bubble["toolFormerData"], ts, number)
    else:
        source.unknown["bubble"] += 1


def _tool(turns: Turns, used: dict[str, Any], ts: str | None, number: int) -> None:
    tool, call_id, state = (
        as_text(used.get("name")),
        as_name(used.get("toolCallId")),
        as_text(used.get("status")),
    )
    if not tool:
        return
    text, data = describe_call(tool, used.get("rawArgs") or used.get("params"))
    turns.add(
        "assistant", "tool_call", text, ts=ts, tool=tool, call_id=call_id, line=number, data=data
    )
    if "result" in used:
        ok = (
            state not in ("error", "cancelled", "rejected")
            and used.get("userDecision") != "rejected"
        )
        turns.add(
            "tool",
            "tool_result",
            clip(_result(used["result"])),
            ts=ts,
            tool=tool,
            call_id=call_id,
            ok=ok,
            line=number,
        )


def _result(result: object) -> str:
    """A tool's result, which is JSON text: what it says if it says one thing, else all of it."""
    given = parse_json(result) if isinstance(result, str) else result
    for key in ("output", "contents", "content", "result", "error"):
        if isinstance(as_dict(given).get(key), str):
            return str(as_dict(given)[key])
    return result if isinstance(result, str) else join_text(result)


def _tab(source: Input, tab: dict[str, Any], folder: str | None) -> Transcript:
    turns = Turns()
    for number, bubble in enumerate(map(as_dict, as_list(tab.get("bubbles"))), 1):
        _take_bubble(source, turns, bubble, number, "human")
    return _transcript(
        source,
        as_text(tab.get("tabId")),
        turns,
        title=tab.get("chatTitle"),
        cwd=folder,
        begun=tab.get("lastSendTime"),
    )


def _transcript(
    source: Input,
    own: str,
    turns: Turns,
    *,
    title: object,
    cwd: str | None,
    begun: object,
    parent: str | None = None,
    branch: object = None,
) -> Transcript:
    turns.add("system", "title", as_text(title))
    return Transcript(
        format=CursorDb.name,
        agent=CursorDb.agent,
        session_id=own,
        turns=turns.collect(),
        parent_session_id=parent,
        cwd=cwd,
        git_branch=as_name(branch),
        title=as_name(title),
        started_at=turns.started_at or parse_time(begun),
        ended_at=turns.ended_at,
        unknown=dict(source.unknown),
    )
