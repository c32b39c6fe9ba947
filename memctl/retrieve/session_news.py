"""What a session is still to be told: what it was not told yet, what changed since, and what of it
no longer holds.

Kept true: within a session a record is told once in the same words. What replaces a record that it
was told, and what holds no more, it is told at the next occasion, whatever it asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memctl.core.frozen import dataclass, field
from memctl.core.model import Memory
from memctl.records.record_source import RecordSource
from memctl.retrieve import already_served
from memctl.retrieve.already_served import Told
from memctl.retrieve.context_choice import ContextChoice
from memctl.retrieve.context_request import ContextRequest
from memctl.retrieve.phases import Phase, PhaseSection
from memctl.retrieve.prepared_query import PreparedQuery
from memctl.settings.config import Config
from memctl.store import context_records

# The section of what changed since the session was told it, and its share of the budget.
SECTION = "changes"
_SECTION = PhaseSection(0.5)
_LIVING = ("active", "contradicted")
# Records that no longer hold and are named; chosen by hand.
_MOST_NAMED = 8
_CHANGED = "changed since it was told"


@dataclass(frozen=True, slots=True)
class SessionNews:
    """`choices` is all that could be said, `fresh` what of it is news to the session.

    `told` is what it was told. Of what does not hold any more, `replaced` has for a record those
    that it stands for now, and `withdrawn` those for which nothing stands.
    """

    choices: Sequence[ContextChoice]
    fresh: Sequence[ContextChoice]
    told: Mapping[str, Told] = field(default_factory=dict)
    replaced: Mapping[str, Sequence[str]] = field(default_factory=dict)
    withdrawn: tuple[str, ...] = ()

    @property
    def compared(self) -> frozenset[str]:
        """The records whose words are held against what the session was told."""
        return frozenset(
            choice.memory.id
            for choice in self.fresh
            if choice.memory.id in self.told or choice.memory.id in self.replaced
        )

    def was_said(self, memory_id: str, checksum: str) -> bool:
        """Whether the session was told a record, or one that it stands for, in these words."""
        return any(
            self.told[each].checksum == checksum
            for each in (memory_id, *self.replaced.get(memory_id, ()))
            if each in self.told
        )

    def describe_changes(self, source: RecordSource) -> dict[str, str]:
        """What is said of each record that changed, or that stands for one that was told."""
        shorts = source.find_short_ids({each for some in self.replaced.values() for each in some})
        notes = {
            memory_id: _CHANGED for memory_id in self.compared if memory_id not in self.replaced
        }
        for memory_id, former in self.replaced.items():
            notes[memory_id] = f"replaces {', '.join(f'[{shorts[each]}]' for each in former)}"
        return notes

    def list_settled(self, said: Sequence[str], fresh: Iterable[str]) -> list[str]:
        """The records that the session need not be told of again as holding no more, once these
        were said: of what is not in `fresh` it knew the words.
        """
        unsaid = {*fresh} - {*said}
        replaced = [
            each for head, some in self.replaced.items() if head not in unsaid for each in some
        ]
        return [*self.withdrawn, *replaced]

    def describe_withdrawn(self, source: RecordSource) -> str | None:
        """A sentence on what was told and holds no more, by id alone: its words are not to be
        repeated.
        """
        if not self.withdrawn:
            return None
        named = self.withdrawn[:_MOST_NAMED]
        shorts = source.find_short_ids(named)
        more = len(self.withdrawn) - len(named)
        names = ", ".join(f"[{shorts.get(each, each)}]" for each in named)
        return f"told before, no longer holds: {names}{f' and {more} more' if more else ''}"

    def add_section(self, phase: Phase) -> Phase:
        """The phase, with a first section for what changed, if anything is to stand in it."""
        has_changes = any(choice.section == SECTION for choice in self.fresh)
        return {SECTION: _SECTION, **phase} if has_changes else phase


NOTHING_TOLD = SessionNews((), ())


def find_news(
    source: RecordSource,
    config: Config,
    request: ContextRequest,
    choices: Sequence[ContextChoice],
    prepared: PreparedQuery,
    now: str,
    before: str | None,
    own: Mapping[str, str],
) -> SessionNews:
    """What the session of a request is to be told, of these choices and of what it was told before.

    Records in `own` the agent reads by itself. With `before` (a retrieval's id) it is as it was
    when that retrieval was made.
    """
    if not request.is_fresh:
        return SessionNews(choices, choices)
    told = already_served.find_told(source.db, config, request.caller, request.level, before)
    if not told or source.at is not None:
        return SessionNews(choices, _drop_told(choices, told), told)
    changed, replaced, withdrawn = _follow_up(source, told, prepared, now)
    known = {choice.memory.id for choice in choices}
    added = [
        ContextChoice(SECTION, memory, why="changed since the session was told it")
        for memory in changed
        if memory.id not in known and memory.id not in own
    ]
    everything = [*added, *choices]
    fresh = [*added, *_drop_told(choices, told)]
    return SessionNews(everything, fresh, told, replaced, withdrawn)


def _drop_told(choices: Sequence[ContextChoice], told: Mapping[str, Told]) -> list[ContextChoice]:
    """What was not told yet, or may have changed since."""
    return [
        choice
        for choice in choices
        if choice.memory.id not in told or choice.memory.updated_at >= told[choice.memory.id].at
    ]


def _follow_up(
    source: RecordSource, told: Mapping[str, Told], prepared: PreparedQuery, now: str
) -> tuple[list[Memory], dict[str, list[str]], tuple[str, ...]]:
    """What became of what was told: records to be told now, which former ones each of them
    replaces, and those that hold no more and have no successor.
    """
    rows = context_records.list_changed_since_told(
        source.db, {memory_id: each.at for memory_id, each in told.items()}, now
    )
    if not rows:
        return [], {}, ()
    from memctl.retrieve.context_material import keep_visible  # prompts seldom need it

    living = {memory.id for memory in keep_visible(rows, prepared) if memory.status in _LIVING}
    changed = {memory.id: memory for memory in rows if memory.id in living}
    replaced: dict[str, list[str]] = {}
    withdrawn = []
    for memory_id in (memory.id for memory in rows if memory.id not in living):
        successors = source.list_successors(memory_id)
        heads = keep_visible(source.read_records(successors[-1:]).values(), prepared)
        head = next((memory for memory in heads if memory.status in _LIVING), None)
        if head is not None and head.id not in told:
            changed[head.id] = head
            replaced.setdefault(head.id, []).append(memory_id)
        else:
            withdrawn.append(memory_id)
    return list(changed.values()), replaced, tuple(withdrawn)
