"""Cursor's databases: `store.db` of its command line, `state.vscdb` of the editor.

A `store.db` holds one session: its messages are blobs keyed by their hashes, and a root lists them
in order. A `state.vscdb` holds all sessions, or those of one folder: a composer lists its bubbles,
and a bubble that is no longer listed was rewound. Rows are fetched by key, because such a database
may hold gigabytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.cursor import CursorSession
from memctl.readers.cursor_blobs import find_workspace, list_messages, parse_meta, to_bytes
from memctl.readers.messages import join_text
from memctl.readers.sidecars import parse_file_uri
from memctl.readers.values import as_dict, as_dicts, as_name, as_text, parse_time

_COMPOSER_PREFIX = "composerData:"
_BUBBLE_PREFIX = "bubbleId:"
_OLD_CHATS_KEY = "workbench.panel.aichat.view.aichat.chatdata"
_OLD_COMPOSERS_KEY = "composer.composerData"
_FAILED = ("error", "cancelled", "rejected")
_OUTPUT_FIELDS = ("output", "contents", "content", "result", "error")


class CursorDb:
    """Reads Cursor's databases."""

    name: ClassVar[str] = "cursor-db"
    agent: ClassVar[str] = "cursor"
    is_chat: ClassVar[bool] = False
    is_database: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return 0: this reader sees tables, not bytes."""
        return 0.0

    def knows(self, tables: Tables) -> float:
        """Certain of Cursor's own tables; less so of the one that related editors share."""
        names = tables.names()
        has_blobs = {"meta", "blobs"} <= names and tables.columns("blobs") >= {"id", "data"}
        if has_blobs or "cursorDiskKV" in names:
            return 0.95
        return 0.5 if "ItemTable" in names else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the sessions of the database, or only the one that is asked for."""
        assert source.tables is not None
        if "blobs" in source.tables.names():
            yield from _read_store(source, source.tables)
            return
        for transcript in _EditorDatabase(source, source.tables).read():
            if source.session in (None, transcript.session_id):
                yield transcript


READER = CursorDb()


class _CursorDbSession(CursorSession):
    def __init__(self, source: Input, session_id: str) -> None:
        super().__init__(source, READER)
        self.session_id = session_id

    def finish(self, title: object, began_at: object) -> Transcript:
        """Return the session with its title; the turns' times are preferred to the session's."""
        self.add_title(as_text(title))
        started_at = self.turns.started_at or parse_time(began_at)
        return self.to_transcript(session_id=self.session_id, started_at=started_at)

    def read_bubble(self, number: int, bubble: dict[str, Any]) -> None:
        """Add the content of one bubble of the editor."""
        timing = as_dict(bubble.get("timingInfo"))
        times = (bubble.get("createdAt"), timing.get("clientStartTime"), bubble.get("timestamp"))
        self.line, self.ts = number, next(filter(None, map(parse_time, times)), None)
        text = as_text(bubble.get("text")) or as_text(bubble.get("rawText"))
        if bubble.get("type") in (1, "user"):
            self.add_query([text])
        elif bubble.get("type") in (2, "ai"):
            self.add_answer(text)
            self._read_tool(as_dict(bubble.get("toolFormerData")))
        else:
            self.source.unknown["bubble"] += 1

    def _read_tool(self, used: dict[str, Any]) -> None:
        tool, call_id = as_text(used.get("name")), used.get("toolCallId")
        if not tool:
            return
        self.add_call(tool, used.get("rawArgs") or used.get("params"), call_id=call_id)
        if "result" in used:
            has_failed = as_text(used.get("status")) in _FAILED
            ok = not has_failed and used.get("userDecision") != "rejected"
            self.add_result(_find_output(used["result"]), tool=tool, call_id=call_id, ok=ok)


def _read_store(source: Input, tables: Tables) -> Iterator[Transcript]:
    """Yield the one session of a `store.db`, unless another one is asked for."""
    meta, beside = parse_meta(tables), source.read_json_beside("meta.json")
    folder = source.path.parent.name if source.path else ""
    session_id = as_name(meta.get("agentId")) or folder
    if source.session not in (None, session_id, folder):
        return
    session = _CursorDbSession(source, session_id)
    session.cwd = parse_file_uri(beside.get("cwd"))
    session.is_subagent = beside.get("isSubagent") is True
    root = as_text(meta.get("latestRootBlobId"))
    for number, blob in enumerate(list_messages(tables, root), 1):
        message = as_dict(parse_json(blob))
        role, content = as_text(message.get("role")), message.get("content")
        session.line = number
        if role == "user":
            session.note_workspace(content)
        if role in ("user", "assistant", "tool"):
            session.add_message(role, content)
    session.cwd = session.cwd or parse_file_uri(find_workspace(tables, root))
    title = as_text(beside.get("title")) or meta.get("name")
    yield session.finish(title, meta.get("createdAt"))


class _EditorDatabase:
    """A `state.vscdb`; `folder` is the workspace that it belongs to, if any."""

    def __init__(self, source: Input, tables: Tables) -> None:
        self.source, self.tables = source, tables
        self.folder = parse_file_uri(source.read_json_beside("workspace.json").get("folder"))

    def read(self) -> Iterator[Transcript]:
        """Yield the composers of today, then the sessions that older versions kept per folder."""
        for composer_id in self._list_composer_ids():
            composer = as_dict(self._fetch("cursorDiskKV", _COMPOSER_PREFIX + composer_id))
            bubbles = self._list_bubbles(composer_id, composer)
            yield self._read_composer(composer_id, composer, bubbles)
        old_composers = as_dict(self._fetch("ItemTable", _OLD_COMPOSERS_KEY))
        for composer in as_dicts(old_composers.get("allComposers")):
            bubbles = as_dicts(composer.get("conversation"))
            if bubbles:
                yield self._read_composer(as_text(composer.get("composerId")), composer, bubbles)
        old_chats = as_dict(self._fetch("ItemTable", _OLD_CHATS_KEY))
        for tab in as_dicts(old_chats.get("tabs")):
            yield self._read_tab(tab)

    def _fetch(self, table: str, key: str) -> Any:
        row = next(self.tables.rows(table, "key = ?", (key,)), None)
        return parse_json(to_bytes(row.get("value"))) if row else None

    def _list_composer_ids(self) -> list[str]:
        if self.source.session is not None:
            return [self.source.session]
        rows = self.tables.rows(
            "cursorDiskKV",
            "key >= ? AND key < ?",
            _make_key_range(_COMPOSER_PREFIX),
            order_by="key",
            columns=("key",),
        )
        return [str(row["key"]).removeprefix(_COMPOSER_PREFIX) for row in rows]

    def _list_bubbles(self, composer_id: str, composer: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the bubbles that the composer lists, in its order, else those inside it."""
        headers = as_dicts(composer.get("fullConversationHeadersOnly"))
        stored: dict[str, dict[str, Any]] = {}
        if headers:
            prefix = f"{_BUBBLE_PREFIX}{composer_id}:"
            rows = self.tables.rows(
                "cursorDiskKV", "key >= ? AND key < ?", _make_key_range(prefix), order_by="key"
            )
            for row in rows:
                bubble_id = str(row["key"]).removeprefix(prefix)
                stored[bubble_id] = as_dict(parse_json(to_bytes(row.get("value"))))
        named = ((header, as_text(header.get("bubbleId"))) for header in headers)
        bubbles = [header | stored[bubble_id] for header, bubble_id in named if bubble_id in stored]
        return bubbles or as_dicts(composer.get("conversation"))

    def _read_composer(
        self, composer_id: str, composer: dict[str, Any], bubbles: list[dict[str, Any]]
    ) -> Transcript:
        session = _CursorDbSession(self.source, composer_id)
        caller_id = as_name(as_dict(composer.get("subagentInfo")).get("parentComposerId"))
        session.parent_id = caller_id or as_name(composer.get("parentComposerId"))
        session.is_subagent = session.parent_id is not None
        for number, bubble in enumerate(bubbles, 1):
            session.read_bubble(number, bubble)
        uri = as_dict(as_dict(composer.get("workspaceIdentifier")).get("uri"))
        workspace = parse_file_uri(uri.get("fsPath")) or parse_file_uri(uri.get("external"))
        session.cwd = workspace or self.folder
        session.git_branch = as_name(as_dict(composer.get("activeBranch")).get("branchName"))
        return session.finish(composer.get("name"), composer.get("createdAt"))

    def _read_tab(self, tab: dict[str, Any]) -> Transcript:
        """Read a chat of older versions."""
        session = _CursorDbSession(self.source, as_text(tab.get("tabId")))
        session.cwd = self.folder
        for number, bubble in enumerate(as_dicts(tab.get("bubbles")), 1):
            session.read_bubble(number, bubble)
        return session.finish(tab.get("chatTitle"), tab.get("lastSendTime"))


def _make_key_range(prefix: str) -> tuple[str, str]:
    """Return the bounds of all keys with a prefix that ends in `:`; `;` is the next character."""
    return prefix, prefix.removesuffix(":") + ";"


def _find_output(result: object) -> str:
    """Return the text of a tool's result, which is JSON text: its one message, else all of it."""
    fields = as_dict(parse_json(result) if isinstance(result, str) else result)
    for field in _OUTPUT_FIELDS:
        if isinstance(fields.get(field), str):
            return as_text(fields[field])
    return result if isinstance(result, str) else join_text(result)
