"""Captured conversations and their turns as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import (
    flatten,
    format_count,
    format_period,
    format_time,
    indent_lines,
    render_flags,
)
from memctl.results.conversations import (
    ConversationItem,
    ConversationList,
    ConversationTurn,
    ConversationView,
    TurnHit,
    TurnSearchReport,
)


def render_conversations(data: ConversationList) -> Iterator[str]:
    """Yield one line for each conversation, newest first."""
    for item in data.items:
        yield _format_conversation(item)
    if not data.items:
        yield "No conversations here. `--all-projects` lists those of every project."
    elif len(data.items) < data.total:
        yield f"{len(data.items)} of {data.total}; --limit and --offset show the others."


def render_conversation(data: ConversationView) -> Iterator[str]:
    """Yield the turns of one conversation, each with its number, who said it and when."""
    yield _format_conversation(data.conversation)
    for turn in data.turns:
        yield from _render_turn(turn)
    if data.damaged:
        yield f"{format_count(data.damaged, 'turn')} cannot be read any more: memctl doctor"
    if data.next_turn is not None:
        left = data.conversation.turns - data.next_turn
        yield f"{format_count(left, 'more turn')}: --offset {data.next_turn}"


def render_turn_search(data: TurnSearchReport) -> Iterator[str]:
    """Yield the turns that were found, best first."""
    if data.period:
        yield format_period(data.period, data.since, data.until)
    for hit in data.items:
        yield from _render_hit(hit)
    if not data.items:
        yield f"No turn says that, in {format_count(data.searched, 'captured conversation')}."
    yield from render_flags(data.flags)


def _format_conversation(item: ConversationItem) -> str:
    title = f"  {flatten(item.title)}" if item.title else ""
    quoted = f", {format_count(item.records, 'record')}" if item.records else ""
    when = format_time(item.started_at or item.observed_at)
    project = flatten(item.project) or "no project"
    session = f"{flatten(item.agent)} session {flatten(item.session_id)}, {project}"
    return f"{item.short}  {when}  {session}: {format_count(item.turns, 'turn')}{quoted}{title}"


def _render_turn(turn: ConversationTurn) -> Iterator[str]:
    when = f"  {format_time(turn.at)}" if turn.at else ""
    yield f"[{turn.number}] {_format_speaker(turn.role, turn.kind, turn.speaker, turn.tool)}{when}"
    yield from indent_lines(turn.text)
    if turn.is_cut:
        yield "  ... (--full shows the rest)"
    for quote in turn.quotes:
        yield f"  > {quote.short} ({quote.status}) {flatten(quote.title)}"


def _format_speaker(role: str, kind: str, speaker: str | None, tool: str | None) -> str:
    words = [role, flatten(speaker), flatten(tool), "" if kind == "text" else kind]
    return " ".join(word.replace("_", " ") for word in words if word)


def _render_hit(hit: TurnHit) -> Iterator[str]:
    project = f", {flatten(hit.project)}" if hit.project else ""
    who = _format_speaker(hit.role, hit.kind, hit.speaker, None)
    of = f"{flatten(hit.agent)}{project}"
    yield f"{hit.short} turn {hit.turn}  {who}, {format_time(hit.at)}  ({of})"
    yield f"      {flatten(hit.snippet)}"
