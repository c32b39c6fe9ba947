"""Extract candidates with exact evidence from a transcript, without a language model.

Each family of rules is one module with a function `propose_...(view)`, listed below; to add a rule,
add a cue to a family or a family to the list. Of what a person typed to an agent, a learned model
says what is worth keeping (`worth`); `rank` decides which proposals stay. Nothing here reads a
store: the same turns give the same candidates.
"""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core.model import Candidate, Transcript
from memctl.core.version import EXTRACT_VERSION
from memctl.extract import (
    agent_findings,
    chat,
    commands,
    deferred_work,
    document,
    episode,
    imported_notes,
    operator,
    overruling,
    passed_over,
    pointers,
    rank,
    replies,
    worth,
)
from memctl.extract.transcript_view import TranscriptView

extract_version = EXTRACT_VERSION

_SESSION_RULES = (
    operator.propose_operator_statements,
    replies.propose_replies,
    document.propose_from_documents,
    deferred_work.propose_deferred_work,
    commands.propose_commands,
    pointers.propose_pointers,
    agent_findings.propose_findings,
)
_CHAT_RULES = (chat.propose_chat_statements,)
# Formats in which nobody answers: somebody's notes, or minutes without names.
_NOTES = frozenset({"markdown-notes"})
_NOTE_RULES = (chat.propose_chat_statements, operator.propose_notes)


def extract(transcript: Transcript) -> list[Candidate]:
    """Return the candidates of one transcript, the episode first; none if nobody spoke."""
    view = TranscriptView(transcript)
    if transcript.format.startswith(imported_notes.FORMAT):
        return list(imported_notes.propose_imported_notes(view))
    proposals = propose_by_rules(view)
    worthy = (
        proposals
        if transcript.is_chat or transcript.format in _NOTES
        else worth.keep_worthy(view, proposals)
    )
    found = rank.choose_proposals(view, worthy)
    if not transcript.is_chat:
        found = overruling.settle_changes(view, found)
    told = episode.propose_episode(view, [*proposals, *worthy])
    return [told, *found] if told is not None else found


def propose_by_rules(view: TranscriptView) -> list[Candidate]:
    """Return what each rule proposes, with the rule's own confidence."""
    rules = (
        _CHAT_RULES
        if view.transcript.is_chat
        else _NOTE_RULES
        if view.transcript.format in _NOTES
        else _SESSION_RULES
    )
    return [candidate for rule in rules for candidate in rule(view)]


def find_record_changes(transcript: Transcript, found: Sequence[Candidate]) -> list[Candidate]:
    """Return what the operator changes that no candidate of the session says.

    It is worth proposing only where a record says what is changed.
    """
    if transcript.is_chat or transcript.format in _NOTES:
        return []
    if transcript.format.startswith(imported_notes.FORMAT):
        return []
    return overruling.propose_changes_of_records(TranscriptView(transcript), found)


def list_passed_over(transcript: Transcript, found: Sequence[Candidate]) -> list[Candidate]:
    """Return what the operator plainly said and no candidate of the session says.

    It is worth something only where a record answers it, or where he said it before.
    """
    if transcript.is_chat or transcript.format in _NOTES:
        return []
    if transcript.format.startswith(imported_notes.FORMAT):
        return []
    return passed_over.list_passed_over(TranscriptView(transcript), found)


def list_overruled(transcript: Transcript, found: Sequence[Candidate]) -> list[int]:
    """Return the positions of those candidates that later words of the session overruled."""
    return overruling.list_overruled(TranscriptView(transcript), found)
