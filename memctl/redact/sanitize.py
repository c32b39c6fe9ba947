"""Conversations made fit to be stored: no private blocks, no secrets, no lone surrogates."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from memctl.core.frozen import replace
from memctl.core.model import Transcript, Turn
from memctl.core.typing_lite import Any
from memctl.redact.redactor import Redactor
from memctl.redact.secret_pieces import RememberingReplacer
from memctl.redact.secret_replacer import RuleSelection, SecretReplacer, select_rules
from memctl.text.placeholders import count_secrets, list_hashes
from memctl.text.private_blocks import (
    remove_private,
    remove_private_in_original,
    remove_private_in_value,
)

_TRANSCRIPT_FIELDS = (
    "agent",
    "session_id",
    "parent_session_id",
    "title",
    "cwd",
    "git_branch",
    "remote",
    "started_at",
    "ended_at",
)
_TURN_FIELDS = ("ts", "speaker", "tool", "call_id")


def sanitize_transcript(transcript: Transcript, redactor: Redactor) -> Transcript:
    """Return the conversation without private blocks and secrets, in its turns and its fields."""
    # Readers put the title last. It changes while a session grows, so it stays out of the turns,
    # which only ever get longer.
    turns = tuple(_remove_private(turn) for turn in transcript.turns if turn.kind != "title")
    rules = select_rules(text for turn in turns for text in _list_texts(turn))
    replacer = redactor.make_remembering_replacer()
    turns = tuple(_redact_turn(turn, replacer, rules) for turn in turns)
    if not replacer.is_empty:
        turns = tuple(_remove_pieces(turn, replacer) for turn in turns)
    fields = {
        name: replacer.redact_pieces(sanitize_text(value, redactor))
        for name in _TRANSCRIPT_FIELDS
        if (value := getattr(transcript, name))
    }
    unknown = Counter[str]()
    for label, count in transcript.unknown.items():
        unknown[sanitize_text(label, redactor)] += count
    return replace(transcript, turns=turns, unknown=dict(unknown), **fields)


def count_removed_secrets(turns: Iterable[Turn]) -> dict[str, int]:
    """Count the different secrets of each kind whose placeholders stand in the turns."""
    return count_secrets(text for turn in turns for text in _list_texts(turn))


def sanitize_text(text: str, redactor: Redactor) -> str:
    """Return the text without private blocks and secrets, fit to be stored."""
    return replace_surrogates(redactor.redact(remove_private(text)))


def sanitize_original(
    text: str, redactor: Redactor, transcripts: Iterable[Transcript] = ()
) -> str | None:
    """Return a whole transcript as an agent wrote it, fit to be stored.

    None if it must hold a secret in a form in which no rule recognises it, such as the encoding of
    an e-mail: `transcripts`, which were read from it, lost one that was not found in it.
    """
    replacer = redactor.make_remembering_replacer()
    redacted = replacer.redact(remove_private_in_original(text))
    sanitized = replace_surrogates(replacer.redact_pieces(redacted))
    removed = {
        tag
        for transcript in transcripts
        for turn in transcript.turns
        for turn_text in _list_texts(turn)
        for tag in list_hashes(turn_text)
    }
    return sanitized if removed <= set(list_hashes(sanitized)) | set(list_hashes(text)) else None


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no database takes, by question marks."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _remove_private(turn: Turn) -> Turn:
    """Remove what people or agents marked as private; in a tool's output the mark means nothing."""
    if turn.role == "tool" or turn.kind == "tool_call":
        return turn
    text = remove_private(turn.text)
    data = remove_private_in_value(turn.data) if turn.data else turn.data
    return _change_turn(turn, {"text": text, "data": data})


def _remove_pieces(turn: Turn, replacer: RememberingReplacer) -> Turn:
    """Remove pieces of secrets that stand whole elsewhere, as in a shortened tool output."""
    changes: dict[str, Any] = {
        name: replacer.redact_pieces(value)
        for name in ("text", *_TURN_FIELDS)
        if (value := getattr(turn, name))
    }
    if turn.data:
        changes["data"] = replacer.redact_value_pieces(turn.data)
    return _change_turn(turn, changes)


def _redact_turn(turn: Turn, replacer: SecretReplacer, rules: RuleSelection) -> Turn:
    changes: dict[str, Any] = {
        name: replace_surrogates(replacer.redact(value, rules=rules))
        for name in ("text", *_TURN_FIELDS)
        if (value := getattr(turn, name))
    }
    if turn.data:
        changes["data"] = replacer.redact_value(turn.data, rules=rules)
    return _change_turn(turn, changes)


def _change_turn(turn: Turn, changes: dict[str, Any]) -> Turn:
    """Return the turn with changed fields; the same object if none differs."""
    if all(value == getattr(turn, name) for name, value in changes.items()):
        return turn
    return replace(turn, **changes)


def _list_texts(turn: Turn) -> Iterator[str]:
    """Yield every text of a turn that may hold a secret."""
    yield turn.text
    for name in _TURN_FIELDS:
        yield getattr(turn, name) or ""
    if turn.data:
        yield json.dumps(turn.data, ensure_ascii=False)
