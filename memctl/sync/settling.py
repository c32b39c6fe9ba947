"""What the changes of a subject come to, brought into the tables of this store.

Each change that is new is entered one after the other, with an event that says whose it was; what
merging them comes to at last is a `synced` event. So the event log leads to what the tables say at
every moment. All happens in the transaction of the caller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from memctl.core import clock
from memctl.core.frozen import replace
from memctl.records import relations
from memctl.settings.config import Config
from memctl.store import arrived_rows, event_log, meta, records, sync_changes
from memctl.store.arrived_rows import Telling
from memctl.store.database import Database
from memctl.sync import (
    arrived_adoptions,
    arrived_purges,
    conversations,
    fitting,
    local_rows,
    names_of_entities,
    others,
)
from memctl.sync.change import Change
from memctl.sync.copies import derive_copies, is_derived
from memctl.sync.local_rows import Teller
from memctl.sync.merging import (
    PURGED,
    Cell,
    ChangeGraph,
    SubjectState,
    break_circles,
    read_state,
)
from memctl.sync.project_identity import ProjectClasses, split_by_end, take_card
from memctl.sync.stored_graph import keep_change, read_graph

VERB = "synced"
CAUSE = "sync"
ACTOR = "memctl"
# Records of a chain of supersession that are looked at. Chosen by hand; chains are a few long.
_LONGEST_CHAIN = 1000


class Settler:
    """Brings subjects into the tables, within one transaction or several."""

    def __init__(
        self,
        db: Database,
        config: Config,
        member: str,
        classes: ProjectClasses,
        counts: Counter[str] | None = None,
    ) -> None:
        """`member` is whose store this is, `classes` says which projects are one."""
        self.db, self.config, self.member, self.classes = db, config, member, classes
        self.counts = Counter[str]() if counts is None else counts
        self._finishing: set[str] = set()

    def settle(self, subject: str, fresh: Iterable[str] = ()) -> None:
        """Bring a subject to what its changes come to; `fresh` are those that are new here."""
        graph = read_graph(self.db, subject)
        if subject.startswith(fitting.PROJECT):
            self._settle_project(subject, graph)
        elif subject.startswith(fitting.ENTITY):
            names_of_entities.settle_entity(self.db, graph, self._make_teller)
        elif subject.startswith(fitting.SOURCE):
            self._settle_conversation(subject, graph)
        elif fitting.is_record(subject):
            self._settle_record(subject, graph, frozenset(fresh))

    def _settle_conversation(self, subject: str, graph: ChangeGraph) -> None:
        source_id = subject.removeprefix(fitting.SOURCE)
        if any(conversations.tells_end(event) for each in graph.changes for event in each.events):
            arrived_purges.bury_conversation(self.db, subject, source_id)
            return
        is_own = sync_changes.find_subject(self.db, subject)[0] == self.member
        conversations.settle_conversation(
            self.db,
            self.classes,
            source_id,
            read_state(graph),
            is_own=is_own,
            is_rewritten=bool(graph.scrubbed),
        )

    def _settle_project(self, subject: str, graph: ChangeGraph) -> None:
        project_id = subject.removeprefix(fitting.PROJECT)
        has_ended, erased = split_by_end(graph)
        sync_changes.scrub_changes(self.db, erased)
        if has_ended:
            arrived_purges.bury_project(self.db, project_id)
            return
        card = read_state(graph).rows.get(("project", project_id))
        if card is None:
            return
        take_card(self.db, self.classes, project_id, card, clock.now())
        if self._is_own(subject):
            arrived_adoptions.note_adoptions(self.db, self.classes, project_id, card)
        for there in (project_id, *_list_other_ids(card)):
            self._settle_awaiting(fitting.PROJECT + there)

    def _settle_awaiting(self, awaited: str) -> None:
        """Settle what waited for a record or a project that has come."""
        waiting = arrived_rows.list_awaiting(self.db, awaited)
        if waiting:
            arrived_rows.drop_awaited(self.db, awaited)
        for subject in waiting:
            self.settle(subject)

    def _settle_record(self, subject: str, graph: ChangeGraph, fresh: frozenset[str]) -> None:
        if graph.is_purged:
            self._settle_purged(subject)
            return
        scrubbed = graph.list_scrubbed_here()
        sync_changes.scrub_changes(self.db, scrubbed)
        was_here = records.find_record(self.db, subject) is not None
        owner, _ = sync_changes.find_subject(self.db, subject)
        if not was_here:  # It may have waited for its project.
            fresh = frozenset(change.id for change in graph.changes)
        if owner == self.member:
            is_whole = self._enter_own(subject, graph, fresh)
            if was_here or not is_whole or not _is_plain(graph, fresh):
                self._finish_own(subject, graph)
        elif owner is not None:
            others.enter_changes(self, subject, graph, fresh, owner)
        if was_here or owner != self.member or not _is_plain(graph, fresh):
            self._align(subject)
        if scrubbed and was_here:
            with event_log.group_changes(self.db):
                told = self._make_teller()(("record", "record"))
                arrived_rows.restart_history(self.db, subject, told)
            arrived_purges.note_rewritten(self.db, self.config)
        self._keep_copies(subject, graph)
        for purge in arrived_purges.list_orphans(self.db, graph.scrubbed):
            if self.keep_derived(purge):
                self.settle(purge.subject)
        if not was_here and records.find_record(self.db, subject) is not None:
            self.counts["records"] += bool(fresh)
            self._settle_awaiting(subject)

    def _enter_own(self, subject: str, graph: ChangeGraph, fresh: frozenset[str]) -> bool:
        """Enter one new change after the other; whether the record was there after the first.

        It is not where it began in a project that never came here, and was moved from there.
        """
        is_whole: bool | None = None
        mask = graph.all & ~sum(1 << n for n, each in enumerate(graph.changes) if each.id in fresh)
        for number, change in enumerate(graph.changes):
            if change.id not in fresh:
                continue
            mask |= 1 << number
            if not change.events:
                continue
            rows = graph.read_rows(mask, graph.list_cells(number))
            state = SubjectState(graph.read_fields(mask), rows)
            with event_log.group_changes(self.db, operation=change.operation):
                local_rows.write_record(
                    self.db, self.classes, subject, state, self.make_change_teller(change)
                )
            if is_whole is None:
                is_whole = records.find_record(self.db, subject) is not None
        return is_whole is not False

    def _finish_own(self, subject: str, graph: ChangeGraph) -> None:
        """Bring a record to what all of its changes come to, and those that it went round with."""
        state, around = self._break_circle(subject, read_state(graph))
        with event_log.group_changes(self.db):
            local_rows.write_record(self.db, self.classes, subject, state, self._make_teller())
        if subject in self._finishing:
            return
        self._finishing.add(subject)
        try:
            for other in sorted(around - {subject} - self._finishing):
                if self._is_own(other) and records.find_record(self.db, other) is not None:
                    self._finish_own(other, read_graph(self.db, other))
                    self._align(other)
        finally:
            self._finishing.discard(subject)

    def _is_own(self, subject: str) -> bool:
        return sync_changes.find_subject(self.db, subject)[0] == self.member

    def _break_circle(self, subject: str, state: SubjectState) -> tuple[SubjectState, set[str]]:
        """The state without the links by which a record would supersede itself, and the records
        that it supersedes or did, all of the circle among them.
        """
        ends = {
            item.split("|")[2]
            for topic, item in state.rows
            if topic == "link" and item.split("|")[1] == "supersedes"
        }
        below = self._read_below(subject, state)
        if not any(subject in ends_of for each, ends_of in below.items() if each != subject):
            return state, ends
        links = {(newer, older) for newer, olders in below.items() for older in olders}
        dropped = break_circles(links)
        rows = dict(state.rows)
        for newer, older in dropped:
            if newer == subject:
                rows["link", f"{newer}|supersedes|{older}"] = None
        fields = state.fields
        if (
            fields is not None
            and fields["status"] == "superseded"
            and any(older == subject for _, older in dropped)
        ):
            left = {newer for newer, older in links - dropped if older == subject}
            known = arrived_rows.list_links_of_relation_to(self.db, subject, "supersedes")
            left |= {row["from_id"] for row in known} - below.keys()
            if not left:
                fields = {**fields, "status": "active", "status_reason": None}
        return SubjectState(fields, rows), ends | below.keys()

    def _read_below(self, subject: str, state: SubjectState) -> Mapping[str, set[str]]:
        """Which records each one supersedes by its changes, from one record down."""
        below = {subject: _list_superseded(state)}
        waiting = [*below[subject]]
        while waiting and len(below) < _LONGEST_CHAIN:
            each = waiting.pop()
            if each not in below:
                below[each] = _list_superseded(read_state(read_graph(self.db, each)))
                waiting += below[each]
        return below

    def _align(self, subject: str) -> None:
        """Bring whether a record and what it contradicts are contradicted in line with the links.

        That follows from the links alone, so it is the same everywhere; when they last changed
        stays.
        """
        here = records.find_record(self.db, subject)
        if here is None:
            return
        told = self._make_teller()(("record", "status"))
        ends = {row["to_id"] for row in arrived_rows.list_links_from(self.db, subject)} | {
            row["from_id"]
            for row in arrived_rows.list_links_of_relation_to(self.db, subject, "contradicts")
        }
        with event_log.group_changes(self.db):
            for memory in (here, *records.list_by_ids(self.db, sorted(ends)).values()):
                due = relations.find_due_status(self.db, memory)
                if due is not None:
                    changed = replace(memory, status=due[0], status_reason=due[1])
                    arrived_rows.change_record(self.db, memory, changed, told)

    def _keep_copies(self, subject: str, graph: ChangeGraph) -> None:
        """Keep the copies that follow from the changes, with what became of them."""
        owner, streams = sync_changes.find_subject(self.db, subject)
        fresh: dict[str, list[str]] = {}
        for change in derive_copies(graph, subject):
            if self.keep_derived(change):
                fresh.setdefault(change.subject, []).append(change.id)
        for copy, ids in fresh.items():
            for stream in streams:
                sync_changes.put_subject(self.db, copy, stream, owner or self.member)
            self.counts["copies"] += 1
            self.settle(copy, ids)

    def keep_derived(self, change: Change) -> bool:
        """Keep a change that follows from others; False if it is here."""
        return keep_change(self.db, change, "derived") is not None

    def _settle_purged(self, subject: str) -> None:
        """Leave nothing of a record that was purged anywhere, nor of its copies."""
        for change in arrived_purges.bury(self.db, subject):
            if self.keep_derived(change):
                self.settle(change.subject)

    def make_change_teller(self, change: Change) -> Teller:
        """What the event log is told of the cells of a change."""

        def tell(cell: Cell) -> Telling:
            found = next(
                (
                    event
                    for event in change.events
                    if event.topic == cell[0]
                    and cell[0] in ("record", event.topic)
                    and (event.topic == "record" or event.item == cell[1])
                ),
                change.events[0],
            )
            actor = name_actor(change, found.actor, self.member)
            # What was really purged is told by the purge here; a replay ends with that verb.
            verb = VERB if found.verb == PURGED else found.verb
            at = found.at if meta.is_time(found.at) else clock.now()
            return Telling(verb, actor, found.cause, at)

        return tell

    def _make_teller(self) -> Teller:
        """What the event log is told of what merging came to."""
        told = Telling(VERB, ACTOR, CAUSE, clock.now())
        return lambda _cell: told


def name_actor(change: Change, actor: str, member: str) -> str:
    """Whose a change of another machine is called here, so that nobody takes it for their own."""
    if is_derived(change):
        return ACTOR
    return f"{actor} elsewhere" if change.member == member else f"{change.member}'s {actor}"


def _is_plain(graph: ChangeGraph, fresh: frozenset[str]) -> bool:
    """Whether a record that was not here is what its changes say one after the other: nothing was
    done at once, and nothing of it hangs together with other records.
    """
    if not graph.is_chain or len(fresh) != len(graph.changes) or graph.scrubbed:
        return False
    fields = graph.read_fields(graph.all)
    cells = (cell for number in range(len(graph.changes)) for cell in graph.list_cells(number))
    is_alone = all(topic != "link" for topic, _ in cells)
    return is_alone and fields is not None and fields["status"] != "contradicted"


def _list_superseded(state: SubjectState) -> set[str]:
    return {
        row["to_id"]
        for (topic, _), row in state.rows.items()
        if topic == "link" and row is not None and row["relation"] == "supersedes"
    }


def _list_other_ids(card: Mapping[str, object]) -> list[str]:
    aliases = card.get("aliases") or ()
    return [each[1] for each in aliases if each[0] == "id"]  # type: ignore[attr-defined]
