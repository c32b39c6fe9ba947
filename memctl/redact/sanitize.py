"""A conversation as it may be stored: without what is marked as private, without secrets, and fit for the database."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from memctl.core.frozen import replace
from memctl.core.model import Transcript, Turn
from memctl.redact import Marks, Redactor, marks_in
from memctl.redact.secret_pieces import Remembering
from memctl.redact.store_key import redact, remembering
from memctl.text.placeholders import counted, tags
from memctl.text.private_blocks import (
    original_without_private,
    value_without_private,
    without_private,
)

_HEAD = (
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
_NAMES = ("ts", "speaker", "tool", "call_id")


def cleansed(transcript: Transcript) -> Transcript:
    """The conversation without private blocks and secrets, in its turns and in what is told about it."""
    # Readers put the title last; it changes while a session grows, so it stays out of the turns, which only ever get longer.
    kept = [_without_private(turn) for turn in transcript.turns if turn.kind != "title"]
    marks, hand = marks_in(piece for turn in kept for piece in _pieces(turn)), remembering()
    turns = tuple(_cleansed_turn(turn, hand, marks) for turn in kept)
    if not hand.is_empty:
        turns = tuple(_without_pieces(turn, hand) for turn in turns)
    head = {
        name: hand.pieces(storable(value)) for name in _HEAD if (value := getattr(transcript, name))
    }
    unknown = Counter[str]()
    for label, count in transcript.unknown.items():
        unknown[storable(label)] += count
    return replace(transcript, turns=turns, unknown=dict(unknown), **head)


def removed(turns: Iterable[Turn]) -> dict[str, int]:
    """How many different secrets of each kind were taken out of turns."""
    return counted(piece for turn in turns for piece in _pieces(turn))


def storable(text: str) -> str:
    """A text without private blocks and secrets, fit to be stored."""
    return sound(redact(without_private(text)))


def original(text: str, told: Iterable[Transcript] = ()) -> str | None:
    """A whole transcript as an agent wrote it, fit to be stored.

    None where it must hold a secret in a form in which it is not known, such as the encoding of an e-mail: the conversations that were
    read from it lost one that was not found in it.
    """
    hand = remembering()
    clean = sound(hand.pieces(hand.text(original_without_private(text))))
    lost = {
        tag
        for transcript in told
        for turn in transcript.turns
        for piece in _pieces(turn)
        for tag in tags(piece)
    }
    return clean if lost <= set(tags(clean)) | set(tags(text)) else None


def sound(text: str) -> str:
    """Text without the lone surrogates that no database takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _without_private(turn: Turn) -> Turn:
    """A turn without what people, or agents, marked as private; what passes through tools may hold the mark for any reason."""
    if turn.role == "tool" or turn.kind == "tool_call":
        return turn
    text, data = (
        without_private(turn.text),
        value_without_private(turn.data) if turn.data else turn.data,
    )
    return turn if text is turn.text and data == turn.data else replace(turn, text=text, data=data)


def _without_pieces(turn: Turn, hand: Remembering) -> Turn:
    """A turn without pieces of secrets that stand whole elsewhere: an agent shortens what a tool said, and what it calls a session."""
    changes: dict[str, Any] = {
        name: hand.pieces(value) for name in ("text", *_NAMES) if (value := getattr(turn, name))
    }
    if turn.data:
        changes["data"] = hand.value_pieces(turn.data)
    return (
        turn
        if all(value == getattr(turn, name) for name, value in changes.items())
        else replace(turn, **changes)
    )


def _pieces(turn: Turn) -> Iterator[str]:
    """Every text of a turn that may hold a secret."""
    yield turn.text
    for name in _NAMES:
        yield getattr(turn, name) or ""
    if turn.data:
        yield json.dumps(turn.data, ensure_ascii=False)


def _cleansed_turn(turn: Turn, hand: Redactor, marks: Marks) -> Turn:
    changes: dict[str, Any] = {
        name: sound(hand.text(value, among=marks))
        for name in _NAMES
        if (value := getattr(turn, name))
    }
    changes["text"] = sound(hand.text(turn.text, among=marks))
    if turn.data:
        changes["data"] = hand.value(turn.data, among=marks)
    return (
        turn
        if all(value == getattr(turn, name) for name, value in changes.items())
        else replace(turn, **changes)
    )
