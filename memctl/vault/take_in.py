"""What was changed in a note becomes a change of its record, by the operator alone.

A note says nothing of who wrote it. So without the operator at the terminal everything waits, and
what came from another machine is a candidate of an agent's trust.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from memctl.core.errors import MemctlError, UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.model import AGENT_CLAIMED, Actor, Memory, NewMemory, Place
from memctl.core.typing_lite import Any
from memctl.curate import approval, archiving, editing, linking, save_draft, write_drafts
from memctl.records import drafts
from memctl.redact.redactor import Redactor
from memctl.results.records import RecordView
from memctl.results.vault import VaultChange
from memctl.settings.config import Config
from memctl.store import event_log, links, records
from memctl.store import projects as known_projects
from memctl.store.database import Database
from memctl.text import tags
from memctl.vault.note_text import NoteState, ParsedNote, build_state
from memctl.vault.scan import FoundNote
from memctl.vault.wikilinks import list_links

# Whose claim it is what a note of another machine says.
STRANGER = Actor("agent:vault")
_REASON = "changed in its note"
_LINKED = "linked in its note"


@dataclass(frozen=True, slots=True)
class Bringing:
    """Who takes notes in, into which store; `resolve` gives the record of a wikilink."""

    db: Database
    config: Config
    actor: Actor
    redactor: Redactor
    resolve: Callable[[str], str | None]


def take_in_note(
    bringing: Bringing, view: RecordView, found: FoundNote, wanted: NoteState
) -> Iterator[VaultChange]:
    """Change a record to what its note says. Raises MemctlError for what cannot be."""
    db, memory_id = bringing.db, view.memory.id
    check_wanted(bringing, view, wanted)
    before, changes = build_state(view), _list_changes(view, wanted)
    status = _choose_status_change(before.status, wanted.status)
    if changes:
        editing.edit_record(db, bringing.config, bringing.actor, memory_id, changes, reason=_REASON)
        yield _tell(bringing, "took in", found, memory_id, ", ".join(sorted(changes)))
    if "content" in changes:
        _link_as_written(bringing, memory_id, before.content, wanted.content)
    if status is not None:
        yield _change_status(bringing, status, found, memory_id)


def check_wanted(bringing: Bringing, view: RecordView, wanted: NoteState) -> None:
    """Raise UsageError for what no record can be changed to."""
    if wanted.unread:
        raise UsageError(wanted.unread[0])
    _choose_status_change(view.memory.status, wanted.status)
    changes = _list_changes(view, wanted)
    drafts.clean_tags(changes.pop("tags", ()), bringing.redactor)
    drafts.change_fields(view.memory, changes, bringing.redactor)


def _list_changes(view: RecordView, wanted: NoteState) -> dict[str, Any]:
    before = build_state(view)
    return {
        name: getattr(wanted, name)
        for name in ("content", "kind", "tags", "always_load")
        if getattr(wanted, name) != getattr(before, name)
    }


def _choose_status_change(before: str, wanted: str) -> str | None:
    """What a status in a note asks for. Raises UsageError for what no note can ask for."""
    if before == "contradicted":
        before = "active"
    if wanted in (before, "contradicted"):
        return None
    asked = {
        ("inbox", "active"): "approved",
        ("archived", "active"): "approved",
        ("inbox", "archived"): "rejected",
        ("active", "archived"): "archived",
    }.get((before, wanted))
    if asked is None:
        raise UsageError(
            f"its status is {before}; in a note it cannot be set to {wanted or 'that'}",
            hint="`active` approves, `archived` forgets",
        )
    return asked


def _change_status(bringing: Bringing, asked: str, found: FoundNote, memory_id: str) -> VaultChange:
    db, actor, redactor = bringing.db, bringing.actor, bringing.redactor
    if asked == "approved":
        report = approval.approve_records(db, bringing.config, actor, [memory_id], reason=None)
    elif asked == "rejected":
        report = archiving.reject_candidates(
            db, actor, [memory_id], redactor, reason="archived in its note"
        )
    else:
        report = archiving.forget_records(
            db, actor, [memory_id], redactor, reason="archived in its note", dry_run=False
        )
    if report.refused:
        raise UsageError(report.refused[0].reason)
    return _tell(bringing, "approved" if asked == "approved" else "archived", found, memory_id)


def _tell(
    bringing: Bringing, what: str, found: FoundNote, memory_id: str, note: str | None = None
) -> VaultChange:
    changes = [
        event
        for event in event_log.list_of_memory(bringing.db, memory_id)
        if event.topic == "record"
    ]
    return VaultChange(what, found.path, memory_id, note, changes[-1].seq if changes else None)


def _link_as_written(bringing: Bringing, memory_id: str, before: str, after: str) -> None:
    """Relate a record to those that its words link to, and no more to those they linked to."""
    old, new = (_find_targets(bringing, memory_id, text) for text in (before, after))
    known = {
        link.find_other_end(memory_id) for link in links.list_of_memory(bringing.db, memory_id)
    }
    for other in sorted(new - known):
        with suppress(MemctlError):
            _link(bringing, memory_id, other, remove=False)
    for other in sorted(old - new):
        link = links.find_between(bringing.db, memory_id, "related_to", other)
        if link is not None and link.reason == _LINKED:
            with suppress(MemctlError):
                _link(bringing, memory_id, other, remove=True)


def _link(bringing: Bringing, memory_id: str, other: str, *, remove: bool) -> None:
    linking.link_records(
        bringing.db,
        bringing.config,
        bringing.actor,
        memory_id,
        "related_to",
        other,
        reason=_LINKED,
        remove=remove,
    )


def _find_targets(bringing: Bringing, memory_id: str, text: str) -> set[str]:
    found = {bringing.resolve(link.target) for link in list_links(text) if link.target}
    return {each for each in found if each is not None} - {memory_id}


def take_in_foreign(bringing: Bringing, note: ParsedNote) -> str:
    """Let what a note of another machine says wait in the inbox, under its id; returns what became
    of it. Raises UsageError for what is no record.
    """
    db = bringing.db
    here = records.find_record(db, note.id)
    if here is not None:
        return _renew_candidate(bringing, here, note)
    draft = _draft_foreign(bringing, note)
    with db.write():
        known = records.list_by_fingerprint(db, draft.memory.fingerprint)
        written = save_draft.save_draft(db, STRANGER, draft, bringing.redactor, known)
    return written.note or "waits in the inbox" if written.created else written.note or "is known"


def _draft_foreign(bringing: Bringing, note: ParsedNote) -> write_drafts.WriteDraft:
    front, state = note.front, note.state
    named = front.get("project")
    project = known_projects.called(bringing.db, named) if isinstance(named, str) else None
    is_local = front.get("scope") in ("project", "repo") and project is not None
    item = NewMemory(
        str(front.get("type")),
        state.content,
        kind=state.kind or None,
        scope="project" if is_local else "global",
        always_load=False,
    )
    place = Place(project.id if project is not None and is_local else None)
    memory = drafts.build_from_manual(item, place, STRANGER, bringing.redactor)
    came = "a note of another machine" + (f", of project {named}" if named and not is_local else "")
    memory = replace(
        memory,
        id=note.id,
        status="inbox",
        status_reason=drafts.clean_line(f"from {came}", bringing.redactor),
        trust=AGENT_CLAIMED,
        source_ref="vault",
    )
    own = drafts.clean_tags(state.tags[: tags.MOST], bringing.redactor)
    return write_drafts.WriteDraft(memory, tags.build_refs(own))


def _renew_candidate(bringing: Bringing, here: Memory, note: ParsedNote) -> str:
    """Let a candidate that came from another machine say what its note says now."""
    changes = {"content": note.state.content, "tags": note.state.tags[: tags.MOST]}
    editing.edit_record(bringing.db, bringing.config, STRANGER, here.id, changes, reason=_REASON)
    return "waits in the inbox, in other words"
