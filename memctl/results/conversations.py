"""Captured conversations and their turns, as the engine returns them."""

from __future__ import annotations

from memctl.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class ConversationItem:
    """One captured conversation. `turns` counts them; `records` counts what quotes them."""

    id: str
    short: str
    agent: str
    session_id: str
    kind: str
    format: str
    project: str | None
    title: str | None
    turns: int
    records: int
    started_at: str | None
    ended_at: str | None
    observed_at: str


@dataclass(frozen=True, slots=True)
class ConversationList:
    """Captured conversations, newest first. `total` also counts those beyond the limit."""

    items: tuple[ConversationItem, ...]
    total: int


@dataclass(frozen=True, slots=True)
class TurnQuote:
    """A record that quotes a turn, with its quote; another's private one without words."""

    id: str
    short: str
    title: str
    status: str
    quote: str


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """One turn, redacted as it was stored. `is_cut`: more of its text is stored than is here."""

    number: int
    role: str
    kind: str
    text: str
    at: str | None
    speaker: str | None
    tool: str | None
    quotes: tuple[TurnQuote, ...] = ()
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class ConversationView:
    """Some turns of one conversation, in order; `conversation.turns` counts all.

    `damaged` counts the turns that cannot be read any more. `next_turn` is the first that a limit
    left out.
    """

    conversation: ConversationItem
    turns: tuple[ConversationTurn, ...]
    damaged: int = 0
    next_turn: int | None = None


@dataclass(frozen=True, slots=True)
class TurnHit:
    """A turn that holds words of a search, with the conversation and number to read it by."""

    source_id: str
    short: str
    turn: int
    role: str
    kind: str
    speaker: str | None
    agent: str
    session_id: str
    project: str | None
    at: str
    snippet: str
    matched: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class TurnSearchReport:
    """Turns of past conversations that hold words, best first. No context is made of them.

    `period` is what the words of a question said of the time; `since` and `until` are the bounds
    that held. `searched` counts the conversations that were looked through; `flags` says what was
    not.
    """

    query: str
    items: tuple[TurnHit, ...]
    searched: int
    since: str | None = None
    until: str | None = None
    period: str | None = None
    flags: tuple[str, ...] = ()
