"""The log of the program `llm`, `logs.db`, in both of its forms.

Since 0.30 or so a conversation is a thread: a chain of messages, each with its parent, and parts
that hold text, tool calls and results. Before that it was rows of prompts and responses. A log that
was upgraded has both, and a conversation that went on has its beginning in both. What a person
pulled in as a fragment, such as a file, is not theirs and is left out of the prompt.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Tables, parse_json
from memctl.readers.session import Session
from memctl.readers.values import as_dict, as_dicts, as_name, as_text, parse_time

_QUIET_PARTS = frozenset(["reasoning", "attachment"])


class LlmDb:
    """Reads the log of `llm`."""

    name: ClassVar[str] = "llm-db"
    agent: ClassVar[str] = "llm"
    is_chat: ClassVar[bool] = False
    is_database: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return 0: this reader sees tables, not bytes."""
        return 0.0

    def knows(self, tables: Tables) -> float:
        """Certain of the columns of either form."""
        return 0.95 if _has_threads(tables) or _has_responses(tables) else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the conversations of the log, or only the one that is asked for."""
        tables = source.tables
        assert tables is not None
        where, values = ("id = ?", (source.session,)) if source.session else ("", ())
        threads = {
            as_text(row.get("id")): row
            for row in (tables.rows("threads", where, values) if _has_threads(tables) else ())
        }
        older = {
            as_text(row.get("id")): row
            for row in (
                tables.rows("conversations", where, values) if _has_responses(tables) else ()
            )
        }
        for session_id in sorted({*threads, *older}):
            session = _LlmSession(source, self)
            session.session_id = as_name(session_id)
            session.title = as_name(
                {**older.get(session_id, {}), **threads.get(session_id, {})}.get("name")
            )
            if session_id in older:
                session.read_responses(tables)
            if session_id in threads:
                session.read_thread(tables, threads[session_id])
            if session.session_id and len(session.turns):
                yield session.to_transcript()


READER = LlmDb()


def _has_threads(tables: Tables) -> bool:
    return (
        tables.columns("threads") >= {"id", "tip_message_hash"}
        and tables.columns("messages") >= {"hash", "parent_hash", "role"}
        and tables.columns("parts") >= {"message_hash", "position", "type", "text", "payload"}
    )


def _has_responses(tables: Tables) -> bool:
    return tables.columns("responses") >= {
        "id",
        "prompt",
        "response",
        "conversation_id",
    } and tables.columns("conversations") >= {"id"}


class _LlmSession(Session):
    def read_responses(self, tables: Tables) -> None:
        """Add the prompts and responses of the older form; ids sort by time."""
        rows = tables.rows("responses", "conversation_id = ?", (self.session_id,), order_by="id")
        for number, row in enumerate(rows, 1):
            self.line, self.ts = number, parse_time(row.get("datetime_utc"))
            self._add_results(tables, row.get("id"))
            self.add_prompt(as_text(row.get("prompt")))
            self._add_calls(tables, row.get("id"))
            self.add_answer(as_text(row.get("response")))

    def _add_calls(self, tables: Tables, response: object) -> None:
        for call in tables.rows("tool_calls", "response_id = ?", (response,), order_by="id"):
            given = parse_json(as_text(call.get("arguments")))
            self.add_call(call.get("name"), given, call_id=call.get("tool_call_id"))

    def _add_results(self, tables: Tables, response: object) -> None:
        """Add what tools answered, which the log has with the response that came of it."""
        for result in tables.rows("tool_results", "response_id = ?", (response,), order_by="id"):
            self.add_result(
                as_text(result.get("output")),
                call_id=result.get("tool_call_id"),
                tool=result.get("name"),
            )

    def read_thread(self, tables: Tables, thread: dict[str, Any]) -> None:
        """Add the messages of the newer form, instead of what they repeat."""
        chain = _list_chain(tables, thread.get("tip_message_hash"))
        times = _list_times(tables, self.session_id)
        before = self.turns.collect()
        self.turns.truncate(0)
        for number, message in enumerate(chain, 1):
            self.line = number
            self.ts = times.get(as_text(message.get("hash")), self.ts)
            self._read_message(tables, message)
        told = self.turns.collect()
        if before and not (
            told and (told[0].kind, told[0].text) == (before[0].kind, before[0].text)
        ):
            # It went on without its beginning.
            self.turns.truncate(0)
            self.turns.extend(before)
            self.turns.extend(told)

    def _read_message(self, tables: Tables, message: dict[str, Any]) -> None:
        role = as_text(message.get("role"))
        parts = tables.rows(
            "parts", "message_hash = ?", (message.get("hash"),), order_by="position"
        )
        for part in parts:
            kind, data = (
                as_text(part.get("type")),
                as_dict(parse_json(as_text(part.get("payload")))),
            )
            if kind == "text":
                self._add_text(tables, role, part, data)
            elif kind == "tool_call":
                self.add_call(
                    data.get("name"), data.get("arguments"), call_id=data.get("tool_call_id")
                )
            elif kind == "tool_result":
                self.add_result(
                    as_text(data.get("output")),
                    call_id=data.get("tool_call_id"),
                    tool=data.get("name"),
                )
            elif kind not in _QUIET_PARTS:
                self.count_unknown("part", kind)

    def _add_text(
        self, tables: Tables, role: str, part: dict[str, Any], data: dict[str, Any]
    ) -> None:
        pieces = as_dicts(data.get("text_ref"))
        if role == "user":
            own = "".join(as_text(piece.get("literal")) for piece in pieces)
            self.add_prompt(as_text(part.get("text")) or own.strip())
        elif role == "assistant":
            said = "".join(_read_piece(tables, piece) for piece in pieces)
            self.add_answer(as_text(part.get("text")) or said)
        elif role != "system":
            self.count_unknown("role", role)


def _list_chain(tables: Tables, tip: object) -> list[dict[str, Any]]:
    """The messages from the first to the tip of a thread."""
    chain: list[dict[str, Any]] = []
    seen: set[str] = set()
    at = as_name(tip)
    while at and at not in seen:
        seen.add(at)
        found = next(iter(tables.rows("messages", "hash = ?", (at,))), None)
        if found is None:
            break
        chain.append(found)
        at = as_name(found.get("parent_hash"))
    return chain[::-1]


def _list_times(tables: Tables, thread: str | None) -> dict[str, str | None]:
    """When each message was sent or came, by its hash."""
    times: dict[str, str | None] = {}
    for row in tables.rows("turns", "thread_id = ?", (thread,), order_by="id"):
        at = parse_time(row.get("datetime_utc"))
        times[as_text(row.get("parent_message_hash"))] = at
        times[as_text(row.get("tip_message_hash"))] = at
    return times


def _read_piece(tables: Tables, piece: dict[str, Any]) -> str:
    if "fragment" not in piece:
        return as_text(piece.get("literal"))
    found = next(iter(tables.rows("fragments", "id = ?", (piece["fragment"],))), {})
    return as_text(found.get("content"))
