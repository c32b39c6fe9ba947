"""Tell a transcript's format from its content. A hint only decides whom to ask first and breaks ties."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.errors import UnknownFormat
from memctl.readers import READER_OF_AGENT, READERS, load_reader
from memctl.readers.base import Input, Reader

# A reader this sure is believed at once, and the readers after it are not even imported.
CERTAIN = 0.95
DOUBTFUL = 0.3
# Small files that stand beside sessions, and what to give instead.
_SIDECARS = {
    **dict.fromkeys(("meta.json", "metadata.json"), "messages.jsonl"),
    **dict.fromkeys(("summary.json", "signals.json"), "chat_history.jsonl"),
    **dict.fromkeys(("state.json", "context.jsonl"), "wire.jsonl"),
    "workspace.yaml": "events.jsonl",
    **dict.fromkeys(("task_metadata.json", "history_item.json"), "api_conversation_history.json"),
}
# The same files under other names, known by what they hold.
_SIDECAR_KEYS = (
    (b'"session_id"', b'"environment"', b'"working_directory"', "messages.jsonl"),
    (b'"info"', b'"session_summary"', b'"num_messages"', "chat_history.jsonl"),
    (b'"turnCount"', b'"userMessageCount"', b'"assistantMessageCount"', "chat_history.jsonl"),
    (b'"agents"', b'"lastPrompt"', b'"workDir"', "wire.jsonl"),
)


def detect_reader(source: Input, agent: str | None = None) -> Reader:
    """The reader that knows this input best; raises UnknownFormat when none does."""
    head = source.read_head()
    name = source.path.name if source.path else ""
    best: tuple[float, Reader] | None = None
    for reader in _list_readers(agent):
        score = reader.sniff(head, name)
        if best is None or score > best[0]:
            best = (score, reader)
        if score >= CERTAIN:
            break
    if best is None or best[0] < DOUBTFUL:
        raise UnknownFormat(
            _describe_unknown(head, name), hint=f"known formats: {', '.join(list_formats())}"
        )
    return best[1]


def detect_database_reader(source: Input) -> Reader:
    """The reader that knows these tables best; raises UnknownFormat when none does."""
    from memctl.readers import DATABASE_READERS

    assert source.tables is not None
    best: tuple[float, Reader] | None = None
    for reader in filter(None, map(load_reader, DATABASE_READERS)):
        score: float = reader.knows(source.tables)  # type: ignore[attr-defined]
        if score >= DOUBTFUL and (best is None or score > best[0]):
            best = (score, reader)
    if best is None:
        seen = ", ".join(sorted(source.tables.names())[:6]) or "no tables"
        raise UnknownFormat(
            f"{source.tables.path.name} is a database of no agent that is known here; it has {seen}"
        )
    return best[1]


def list_formats() -> list[str]:
    """The names of all formats that have a reader, in the order in which they are asked."""
    return [reader.name for reader in _list_readers(None)]


def _list_readers(agent: str | None) -> Iterator[Reader]:
    first = READER_OF_AGENT.get(agent or "")
    names = [first] if first else []
    names += [name for name in READERS if name != first]
    for name in names:
        reader = load_reader(name)
        if reader is not None:
            yield reader


def _describe_unknown(head: bytes, name: str) -> str:
    from textwrap import shorten

    where = name or "the input"
    session = _SIDECARS.get(name) or next(
        (given for *keys, given in _SIDECAR_KEYS if all(key in head for key in keys)), None
    )
    if session:
        return f"{where} stands beside a session and is none; give the {session} in its folder"
    if not head.strip():
        return f"{where} is empty"
    if name.endswith(".pb"):
        return f"{where} is encrypted or compiled, and only its agent can read it; give a transcript.jsonl of the same session"
    if b"\0" in head[:4096]:
        return f"{where} is a binary file, not a transcript"
    # Whole words: half a secret would not be recognised as one.
    seen = head.decode("utf-8", "replace")[:400]
    opening = shorten(seen.rpartition(" ")[0] if len(seen) == 400 else seen, 60, placeholder=" …")
    return f"{where} is no transcript format that is known here; it begins with {opening!r}"
