"""The cards of projects: told with the first record of a project that travels, and on changes."""

from __future__ import annotations

import json
from typing import Any

from memctl.core import clock
from memctl.store import meta, projects, sync_appending, sync_changes, sync_group
from memctl.store.database import Database
from memctl.store.rows import compute_sha256
from memctl.store.sync_changes import tells_purge
from memctl.sync.change import ChangeEvent, decode_change
from memctl.sync.change_writer import ChangeWriter, ToldOperation, ToldSubject
from memctl.sync.portable import name_project_subject
from memctl.sync.project_identity import PURGED, ProjectClasses, build_card
from memctl.sync.sharing import SharingRules

# What was known of all projects when their cards were last looked at.
_TOLD = "sync.cards"
_TOPIC = "project"
_VERB = "named"


def look_again(db: Database) -> None:
    """Let the cards of all projects be looked at by the next collection."""
    meta.put_note(db, _TOLD, "")


class ProjectCards:
    """Tells the cards of projects of which anything travels."""

    def __init__(
        self, db: Database, classes: ProjectClasses, writer: ChangeWriter, member: str
    ) -> None:
        self._db, self._classes, self._writer, self._member = db, classes, writer, member
        self._wanted = set[str]()
        # Those whose cards were told as they are, or found told.
        self._done = set[str]()

    def ask_for(self, project_id: str) -> None:
        """Let the card of a project be told: something of it begins to travel."""
        here = self._classes.find_here(project_id)
        if here is not None and here not in self._done:
            self._wanted.add(here)

    def collect(self, sharing: SharingRules) -> int:
        """Tell the cards that were asked for, and those that changed; return how many."""
        state = self._compute_state(sharing)
        has_changed = meta.get_note(self._db, _TOLD) != state
        if not has_changed and not self._wanted:
            return 0
        chosen = {*self._wanted, *(self._classes.list_here() if has_changed else ())}
        self._done = {*self._wanted} if has_changed else self._done | self._wanted
        subjects = {name_project_subject(each): each for each in chosen}
        known = sync_changes.find_subjects(self._db, subjects)
        told = []
        for subject, project_id in sorted(subjects.items()):
            if subject in known or project_id in self._wanted:
                member = known[subject][0] if subject in known else self._member
                if member == self._member:
                    told += self._tell(subject, project_id, sharing)
        self._wanted.clear()
        if has_changed:
            told += self._list_ends()
            meta.put_note(self._db, _TOLD, state)
        return self._writer.write(told)

    def _list_ends(self) -> list[ToldSubject]:
        """That projects which were told of were erased for good here."""
        here = sync_group.read_adoptions(self._db)
        ended = []
        for subject, streams in sync_appending.list_projects_of(self._db, self._member).items():
            project_id = subject.removeprefix(name_project_subject(""))
            if project_id in here or self._classes.find_here(project_id) is not None:
                continue
            heads = sync_changes.list_heads(self._db, subject)
            newest = (sync_changes.find_change(self._db, each) for each in heads)
            if not any(each is not None and tells_purge(each) for each in newest):
                event = ChangeEvent(
                    _TOPIC, project_id, PURGED, None, None, "operator", "purge", clock.now()
                )
                sync_changes.scrub_subject(self._db, subject)
                ended.append(ToldSubject(subject, streams, [ToldOperation([event])]))
        return ended

    def _tell(self, subject: str, project_id: str, sharing: SharingRules) -> list[ToldSubject]:
        streams = sharing.find_project_streams(project_id, self._classes)
        known = sync_changes.find_subject(self._db, subject)[1]
        for stream in {"", *streams} - {*known}:
            sync_changes.put_subject(self._db, subject, stream, self._member)
        for stream in {*known} - {"", *streams}:
            sync_changes.drop_subject(self._db, subject, stream)
        self._writer.number_subject(subject, streams)
        last = self._read_last(subject)
        card = build_card(self._db, self._classes, project_id)
        if last is not None:
            # One without a folder here was named by another machine.
            if projects.get(self._db, project_id).root_path is None:
                card["name"] = last.get("name", card["name"])
            told = {tuple(each) for each in [*last.get("aliases", ()), *card["aliases"]]}
            card["aliases"] = sorted(map(list, told))
        if card == last:
            return []
        at = clock.now()
        event = ChangeEvent(_TOPIC, project_id, _VERB, None, card, "memctl", "sync", at)
        return [ToldSubject(subject, streams, [ToldOperation([event])])]

    def _read_last(self, subject: str) -> dict[str, Any] | None:
        """What the newest changes say of a project."""
        for change_id in sync_changes.list_heads(self._db, subject):
            change = sync_changes.find_change(self._db, change_id)
            if change is not None and change.body is not None:
                after = decode_change(change.body).events[-1].after
                return None if after is None else dict(after)
        return None

    def _compute_state(self, sharing: SharingRules) -> str:
        """A text that changes when a project is known by something else, or shared otherwise."""
        told = [
            sync_group.read_identities(self._db),
            projects.names(self._db),
            sharing.compute_state(self._classes),
        ]
        return compute_sha256(json.dumps(told, sort_keys=True))
