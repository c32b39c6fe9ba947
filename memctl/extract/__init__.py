"""Extraction without a model: candidates with exact evidence out of a transcript. Pure: the same turns give the same candidates.

Each rule family is one module with `propose(view)`; `rank` alone decides what stays. Nothing here looks at a store.
"""

from __future__ import annotations

from memctl.core.model import Candidate, Transcript
from memctl.extract import (
    agent_findings,
    chat,
    commands,
    deferred_work,
    document,
    episode,
    imported_notes,
    operator,
    pointers,
    rank,
    replies,
)
from memctl.extract.transcript_view import View

extract_version = "4"

_SESSION_RULES = (
    operator.propose,
    replies.propose,
    document.propose,
    deferred_work.propose,
    commands.propose,
    pointers.propose,
    agent_findings.propose,
)
_CHAT_RULES = (chat.propose,)
# Formats in which nobody answers: somebody's notes, or minutes without names.
_NOTES = frozenset({"markdown-notes"})
_NOTE_RULES = (chat.propose, operator.propose_notes)


def extract(transcript: Transcript) -> list[Candidate]:
    """The candidates of one transcript, the episode first; empty when nobody said anything."""
    view = View(transcript)
    if transcript.format.startswith(imported_notes.FORMAT):
        return list(imported_notes.propose(view))
    rules = (
        _CHAT_RULES
        if transcript.is_chat
        else _NOTE_RULES
        if transcript.format in _NOTES
        else _SESSION_RULES
    )
    found = rank.chosen(view, (candidate for rule in rules for candidate in rule(view)))
    told = episode.propose(view)
    return [told, *found] if told is not None else found
