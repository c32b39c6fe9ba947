"""Small invented sessions, written as one line a turn, for the tests of extraction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memctl.core.model import Candidate, Role, Transcript, Turn
from memctl.extract import extract, propose_by_rules
from memctl.extract.transcript_view import TranscriptView


def human(text: str, kind: str = "text", **data: Any) -> Turn:
    """What the operator typed."""
    return _turn("human", kind, text, data)


def agent(text: str) -> Turn:
    """What the agent wrote."""
    return _turn("assistant", "text", text, {})


def plan(text: str, ok: bool | None) -> Turn:
    """A plan and what became of it."""
    return replace(_turn("assistant", "plan", text, {}), ok=ok)


def ran(command: str, result: str, ok: bool = True) -> list[Turn]:
    """A shell command and its result."""
    call = replace(
        _turn("assistant", "tool_call", command, {"command": command}), tool="Bash", call_id=command
    )
    return [
        call,
        replace(_turn("tool", "tool_result", result, {}), tool="Bash", call_id=command, ok=ok),
    ]


def edited(*files: str) -> Turn:
    """An edit of files."""
    return replace(
        _turn(
            "assistant",
            "tool_call",
            f"edit {' '.join(files)}",
            {"files": list(files), "action": "edit"},
        ),
        tool="Edit",
    )


def refusal(reason: str, command: str = "git push") -> list[Turn]:
    """A tool use that the operator refused with a reason."""
    call = replace(
        _turn("assistant", "tool_call", command, {"command": command}),
        tool="Bash",
        call_id="refused",
    )
    return [call, replace(_turn("human", "rejection", reason, {}), call_id="refused", ok=False)]


def other(role: Role, kind: str, text: str, **data: Any) -> Turn:
    """A turn of any role and kind."""
    return _turn(role, kind, text, data)


def session(
    *turns: Turn | list[Turn], title: str | None = None, cwd: str | None = None
) -> Transcript:
    """An agent's session of these turns."""
    flat = [turn for piece in turns for turn in (piece if isinstance(piece, list) else [piece])]
    numbered = tuple(replace(turn, seq=n) for n, turn in enumerate(flat))
    return Transcript(
        format="test", agent="test", session_id="s-1", turns=numbered, title=title, cwd=cwd
    )


def chat(*lines: tuple[str, str]) -> Transcript:
    """A conversation of `(speaker, words)`."""
    turns = tuple(
        replace(human(text), seq=n, speaker=speaker) for n, (speaker, text) in enumerate(lines)
    )
    return Transcript(format="test", agent="test", session_id="c-1", turns=turns, is_chat=True)


def found(*turns: Turn | list[Turn]) -> list[Candidate]:
    """The candidates of a session, without its episode."""
    return [c for c in extract(session(*turns)) if c.type != "episode"]


def proposed(*turns: Turn | list[Turn]) -> list[Candidate]:
    """What the rules propose of a session, before anything is chosen of it."""
    return propose_by_rules(TranscriptView(session(*turns)))


def heard(*lines: tuple[str, str]) -> list[Candidate]:
    """The candidates of a conversation, without its episode."""
    return [c for c in extract(chat(*lines)) if c.type != "episode"]


def contents(candidates: list[Candidate]) -> str:
    """All contents as one text, for searching."""
    return "\n".join(c.content for c in candidates)


def _turn(role: Role, kind: str, text: str, data: Mapping[str, Any]) -> Turn:
    return Turn(0, role, kind, text, "2026-03-01T10:00:00.000Z", data=data)
