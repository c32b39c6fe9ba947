"""What an import has learned while it runs, and what may come of a file from its origin.

An import of the operator's own export into an empty store is a restore: rows come as they are.
Otherwise it is a merge. What is not the operator's own is restricted, whoever imports it: nothing
that comes may rank above an agent's claim, and what is about the operator or tells agents what to
do waits in the inbox.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from memctl.core.frozen import replace
from memctl.core.model import AGENT_CLAIMED, OWNER_OF, UNKNOWN_ORIGIN, Actor, Memory
from memctl.core.typing_lite import Any
from memctl.exchange.reading import ExportLine, ProblemList
from memctl.exchange.sections import SECTIONS
from memctl.history.replay import Replay
from memctl.store.database import Database

OUTCOMES = ("inserted", "identical", "updated", "conflict", "skipped")
# Kinds of records that agents follow.
_INSTRUCTING_KINDS = frozenset(("command", "constraint", "convention", "correction", "workflow"))
# How a folder is recognised on the machine where it is; said by a stranger, it is a claim to it.
_LOCAL_ALIASES = frozenset(("path", "git_common_dir"))
_IN_FORCE = ("active", "contradicted")
# No name of somebody else. In letters only, so that blanks, capitals and signs do not matter.
_RESERVED = frozenset(
    (
        *("operator", "operators", "theoperator", "theoperators"),
        *("i", "me", "my", "mine", "myself", "own", "myown", "self"),
        *("you", "your", "yours", "yourself", "yourown"),
        *("user", "users", "theuser", "theusers", "memctl", UNKNOWN_ORIGIN),
    )
)
# Characters of an origin: the newest part of a chain is kept.
_ORIGIN_LENGTH = 80


@dataclass(slots=True)
class ImportState:
    """One import: its store, actor and what became of the lines so far.

    `origin` is whose export it is, None for the operator's own. An `exact` import keeps order and
    numbers of the event log; it looks nothing up while it is `alone` in a store that was empty.
    `in_file` are the records of the file, `alive` those that it has not archived; `entities` are
    kind and name of its entities, `expected` is what its event log says.

    `new` records were inserted, `lost` ones keep their state here, `barred` ones must not come
    back; what follows is about the present batch. `untold` rows differ from the event log.
    """

    db: Database
    actor: Actor
    cause: str
    at: str
    origin: str | None
    exact: bool
    problems: ProblemList
    alone: bool = False
    in_file: Collection[str] = frozenset()
    alive: frozenset[str] = frozenset()
    entities: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    expected: Replay = field(default_factory=Replay)
    counts: dict[str, Counter[str]] = field(
        default_factory=lambda: {section.name: Counter() for section in SECTIONS}
    )
    new: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    barred: set[str] = field(default_factory=set)
    new_sources: set[str] = field(default_factory=set)
    new_projects: set[str] = field(default_factory=set)
    project_names: dict[str, str] = field(default_factory=dict)
    pointers: list[tuple[str, str, str, int]] = field(default_factory=list)
    untold: dict[tuple[str, str], dict[str, Any] | None] = field(default_factory=dict)
    untold_sets: dict[tuple[str, str], dict[str, list[Any]]] = field(default_factory=dict)
    to_index: set[str] = field(default_factory=set)
    tamed: dict[str, tuple[Memory, Memory]] = field(default_factory=dict)
    grown: dict[str, ExportLine] = field(default_factory=dict)
    grown_parts: dict[str, list[ExportLine]] = field(default_factory=dict)
    changes: Counter[str] = field(default_factory=Counter)
    told: set[str] = field(default_factory=set)
    expected_mentions: dict[str, set[tuple[str, str, str]]] = field(default_factory=dict)

    @property
    def is_restricted(self) -> bool:
        """Whether what comes must not rank above an agent's claim."""
        return self.origin is not None

    def begin_batch(self) -> None:
        """Forget what only mattered for the lines before."""
        for part in (self.to_index, self.tamed, self.grown, self.grown_parts, self.changes):
            part.clear()

    def list_expected_mentions(self, memory_id: str) -> set[tuple[str, str, str]]:
        """The mentions of a record by the event log of the file."""
        if not self.expected_mentions:
            for mention in self.expected.mentions:
                self.expected_mentions.setdefault(mention[0], set()).add(mention)
        return self.expected_mentions.get(memory_id, set())

    def count(self, section: str, outcome: str, by: int = 1) -> None:
        """Count the outcome of a line."""
        self.counts[section][outcome] += by

    def report_problem(self, line: ExportLine, reason: str) -> None:
        """Report a line that is skipped."""
        self.problems.add(f"{line.section}: {reason}", line.number)

    def build_report(self) -> dict[str, dict[str, int]]:
        """Every section with every outcome, zeros included."""
        return {
            name: {outcome: counts[outcome] for outcome in OUTCOMES}
            for name, counts in self.counts.items()
        }


def compose_origin(origin: str | None, said: str | None) -> str | None:
    """Compose the origin of a record, from whose export it is and what that says of it."""
    if origin is None:
        return said
    if said is None or said == origin or origin == UNKNOWN_ORIGIN or is_reserved_name(said):
        return origin
    return said if said.endswith(f" by way of {origin}") else _shorten(f"{said} by way of {origin}")


def is_reserved_name(name: str) -> bool:
    """Whether a name is how a person says "I", or what memctl calls the operator."""
    letters = filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold())
    return "".join(letters) in _RESERVED


def _shorten(text: str) -> str:
    return text if len(text) <= _ORIGIN_LENGTH else "..." + text[3 - _ORIGIN_LENGTH :]


def cap_new_record(memory: Memory, origin: str | None) -> Memory:
    """Restrict a new record: an agent's trust, no pin, and what must be decided as a candidate."""
    status = "inbox" if needs_decision(memory) and memory.status in _IN_FORCE else memory.status
    return replace(
        memory,
        trust=min(memory.trust, AGENT_CLAIMED),
        status=status,
        protected=False,
        always_load=False,
        origin=compose_origin(origin, memory.origin),
    )


def cap_changed_record(here: Memory, memory: Memory, origin: str | None) -> Memory:
    """Restrict a changed record: neither promoted nor raised in trust; its words are the file's."""
    status = here.status if here.status == "inbox" else memory.status
    trust = min(memory.trust, max(here.trust, AGENT_CLAIMED))
    return replace(
        memory,
        trust=trust,
        status=status,
        protected=here.protected,
        always_load=here.always_load,
        origin=here.origin
        if here.content == memory.content
        else compose_origin(origin, memory.origin),
    )


def may_change(state: ImportState, here: Memory, memory: Memory) -> bool:
    """Whether this import may change a record here: only the operator's own export may change
    what the operator vouched for or what agents follow.
    """
    if not state.is_restricted:
        return True
    vouched = is_vouched(here) or needs_decision(here) or needs_decision(memory)
    return not vouched and memory.updated_at <= state.at


def may_raise(state: ImportState, here: Memory, memory: Memory) -> bool:
    """Whether a record came restricted before, and now its own export says what it was."""
    if state.is_restricted or here.origin is None:
        return False
    tame = cap_new_record(memory, here.origin)
    return tame == replace(
        here,
        created_at=tame.created_at,
        access_count=tame.access_count,
        last_accessed_at=tame.last_accessed_at,
        good=tame.good,
        bad=tame.bad,
    )


def is_vouched(memory: Memory) -> bool:
    """Whether the operator stands behind a record."""
    return memory.protected or memory.trust > AGENT_CLAIMED or belongs_to_operator(memory)


def needs_decision(memory: Memory) -> bool:
    """Whether a record of somebody else may not come into force by itself."""
    return belongs_to_operator(memory) or memory.always_load or memory.kind in _INSTRUCTING_KINDS


def belongs_to_operator(memory: Memory) -> bool:
    """Whether a record is the operator's by owner or type."""
    return "operator" in (memory.owner, OWNER_OF.get(memory.type))


def cap_row(section: str, row: dict[str, Any]) -> dict[str, Any] | None:
    """Restrict any other row: trust is capped, queued work is marked done, and no folder of this
    machine is claimed.
    """
    if section in ("sources", "evidence"):
        return {**row, "trust": min(row["trust"], AGENT_CLAIMED)}
    if section == "ingestion_events":
        return {**row, "state": "done", "lease_owner": None, "lease_until": None}
    if section == "aliases" and row["kind"] in _LOCAL_ALIASES:
        return None
    return row
