"""What an import has learned while it runs, and what its actor may do.

An import into an empty store is a restore: rows come as they are. Otherwise it is a merge; a merge
by an agent is restricted: nothing that comes may rank above an agent's claim.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from memctl.core.frozen import replace
from memctl.core.model import AGENT_CLAIMED, OWNER_OF, Actor, Memory
from memctl.exchange.reading import ExportLine, ProblemList
from memctl.exchange.sections import SECTIONS
from memctl.store.database import Database

OUTCOMES = ("inserted", "identical", "updated", "conflict", "skipped")


@dataclass(slots=True)
class ImportState:
    """One import: its store, actor and what became of the lines so far.

    `new` records were inserted, `lost` ones keep their state here, `barred` ones must not come
    back, `alive` ones are not archived in the file. `ended` are rows, as topic and item, that were
    removed here. `entities` maps an entity of the file to the one here.
    """

    db: Database
    actor: Actor
    cause: str
    at: str
    restore: bool
    problems: ProblemList
    counts: dict[str, Counter[str]] = field(
        default_factory=lambda: {section.name: Counter() for section in SECTIONS}
    )
    new: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    barred: set[str] = field(default_factory=set)
    alive: set[str] = field(default_factory=set)
    to_index: set[str] = field(default_factory=set)
    entities: dict[str, str] = field(default_factory=dict)
    tamed: dict[str, tuple[Memory, Memory]] = field(default_factory=dict)
    pointers: list[tuple[str, str, str, int]] = field(default_factory=list)
    new_sources: set[str] = field(default_factory=set)
    new_projects: set[str] = field(default_factory=set)
    grown: dict[str, ExportLine] = field(default_factory=dict)
    grown_parts: dict[str, list[ExportLine]] = field(default_factory=dict)
    changes: Counter[str] = field(default_factory=Counter)
    told: set[str] = field(default_factory=set)
    ended: frozenset[tuple[str, str]] = frozenset()
    superseding: list[ExportLine] = field(default_factory=list)
    file_chain: str | None = None

    @property
    def is_restricted(self) -> bool:
        """Whether what comes must not rank above an agent's claim."""
        return not self.restore and not self.actor.is_operator

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


def cap_new_record(memory: Memory) -> Memory:
    """Restrict a new record: an agent's trust, no pin, and operator facts as candidates."""
    status = (
        "inbox"
        if belongs_to_operator(memory) and memory.status in ("active", "contradicted")
        else memory.status
    )
    return replace(
        memory,
        trust=min(memory.trust, AGENT_CLAIMED),
        status=status,
        protected=False,
        always_load=False,
    )


def cap_changed_record(here: Memory, memory: Memory) -> Memory:
    """Restrict a changed record: neither promoted nor raised in trust."""
    status = here.status if here.status == "inbox" else memory.status
    trust = min(memory.trust, max(here.trust, AGENT_CLAIMED))
    return replace(
        memory, trust=trust, status=status, protected=here.protected, always_load=here.always_load
    )


def may_change(state: ImportState, here: Memory, memory: Memory) -> bool:
    """Whether this import may change a record here: an agent may not change what the operator
    vouched for.
    """
    if not state.is_restricted:
        return True
    vouched = (
        here.protected
        or here.trust > AGENT_CLAIMED
        or belongs_to_operator(here)
        or belongs_to_operator(memory)
    )
    return not vouched and memory.updated_at <= state.at


def belongs_to_operator(memory: Memory) -> bool:
    """Whether a record is the operator's by owner or type."""
    return "operator" in (memory.owner, OWNER_OF.get(memory.type))


def cap_row(section: str, row: dict[str, Any]) -> dict[str, Any]:
    """Restrict any other row: trust is capped, and queued work is marked done."""
    if section in ("sources", "evidence"):
        return {**row, "trust": min(row["trust"], AGENT_CLAIMED)}
    if section == "ingestion_events":
        return {**row, "state": "done", "lease_owner": None, "lease_until": None}
    return row
