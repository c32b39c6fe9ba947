"""Recognises a transcript's format by its content.

The agent's name only decides whose reader is asked first; the file's name only breaks ties.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.errors import UnknownFormat
from memctl.readers import DATABASE_READERS, READER_OF_AGENT, READERS, load_reader
from memctl.readers.base import Input, Reader

# A reader this sure is chosen at once; the readers after it are not even imported.
_CERTAIN = 0.95
# A reader less sure than this is not chosen.
_MIN_SCORE = 0.3
# Small files beside sessions, and what to give instead.
_SESSION_BY_SIDECAR = {
    **dict.fromkeys(("meta.json", "metadata.json"), "messages.jsonl"),
    **dict.fromkeys(("summary.json", "signals.json"), "chat_history.jsonl"),
    **dict.fromkeys(("state.json", "context.jsonl"), "wire.jsonl"),
    "workspace.yaml": "events.jsonl",
    **dict.fromkeys(("task_metadata.json", "history_item.json"), "api_conversation_history.json"),
}
# Keys that identify the same files under other names, and what to give instead.
_SESSION_BY_KEYS = (
    ((b'"session_id"', b'"environment"', b'"working_directory"'), "messages.jsonl"),
    ((b'"info"', b'"session_summary"', b'"num_messages"'), "chat_history.jsonl"),
    ((b'"turnCount"', b'"userMessageCount"', b'"assistantMessageCount"'), "chat_history.jsonl"),
    ((b'"agents"', b'"lastPrompt"', b'"workDir"'), "wire.jsonl"),
)
# Bytes of a head that are searched for a zero byte, the sign of a binary file.
_BINARY_BYTES = 4096
# Characters of a head that are shortened, and shown, in the message about an unknown format.
_LOOKED_AT = 400
_SHOWN = 60
_MAX_SHOWN_TABLES = 6


def detect_reader(source: Input, agent: str | None = None, *, takes_notes: bool = False) -> Reader:
    """Return the reader that is surest of this input; raises UnknownFormat if none is.

    With `takes_notes`, prose that none knows is a person's notes.
    """
    head = source.read_head()
    name = source.path.name if source.path else ""
    best: Reader | None = None
    best_score = 0.0
    for reader in _list_readers(agent):
        score = reader.sniff(head, name)
        if score > best_score:
            best, best_score = reader, score
        if score >= _CERTAIN:
            break
    if best is None or best_score < _MIN_SCORE:
        if takes_notes and _is_prose(head, name):
            return load_reader("markdown_notes")
        hint = f"known formats: {', '.join(list_formats())}"
        raise UnknownFormat(_describe_unknown(head, name), hint=hint)
    return best


def detect_database_reader(source: Input) -> Reader:
    """Return the reader that is surest of these tables; raises UnknownFormat if none is."""
    assert source.tables is not None
    best: Reader | None = None
    best_score = 0.0
    for reader in map(load_reader, DATABASE_READERS):
        score: float = reader.knows(source.tables)  # type: ignore[attr-defined]
        if score > best_score:
            best, best_score = reader, score
    if best is None or best_score < _MIN_SCORE:
        tables = ", ".join(sorted(source.tables.names())[:_MAX_SHOWN_TABLES]) or "none"
        file_name = source.tables.path.name
        raise UnknownFormat(
            f"{file_name} is not the database of a known agent; its tables: {tables}"
        )
    return best


def list_formats() -> list[str]:
    """Return the names of all transcript formats, in the order in which readers are asked."""
    return [reader.name for reader in _list_readers(None)]


def _is_prose(head: bytes, name: str) -> bool:
    """Return whether a text is what a person writes, and no data, code or log of a program."""
    from memctl.readers import prose

    return prose.is_prose(head, name)


def _list_readers(agent: str | None) -> Iterator[Reader]:
    """Yield all readers, the agent's own first; each is loaded only when it is needed."""
    first = READER_OF_AGENT.get(agent or "")
    if first:
        yield load_reader(first)
    for name in READERS:
        if name != first:
            yield load_reader(name)


def _describe_unknown(head: bytes, name: str) -> str:
    """Say why a file cannot be read, and what to give instead if that is known."""
    file = name or "the input"
    session = _find_session_file(head, name)
    if session:
        return f"{file} only describes a session; give the {session} in the same folder"
    if not head.strip():
        return f"{file} is empty"
    if name.endswith(".pb"):
        return (
            f"{file} is encrypted or compiled, and only its agent can read it;"
            " give a transcript.jsonl of the same session"
        )
    if b"\0" in head[:_BINARY_BYTES]:
        return f"{file} is a binary file, not a transcript"
    return f"{file} is in no known transcript format; it begins with {_show_opening(head)!r}"


def _find_session_file(head: bytes, name: str) -> str | None:
    """Return the name of the session's own file if this one only stands beside it."""
    if name in _SESSION_BY_SIDECAR:
        return _SESSION_BY_SIDECAR[name]
    for keys, session in _SESSION_BY_KEYS:
        if all(key in head for key in keys):
            return session
    return None


def _show_opening(head: bytes) -> str:
    # Imported here: hooks detect formats and hardly ever meet an unknown one.
    from textwrap import shorten

    text = head.decode("utf-8", "replace")[:_LOOKED_AT]
    if len(text) == _LOOKED_AT:
        # Whole words only: half a secret would not be recognised as one.
        text = text.rpartition(" ")[0]
    return shorten(text, _SHOWN, placeholder=" …")
