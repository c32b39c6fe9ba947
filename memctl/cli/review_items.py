"""What waits in `memctl review`, one thing to decide each, and the lines of its list."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten
from memctl.cli.text.record_parts import format_location, format_proposal
from memctl.core.frozen import dataclass
from memctl.results.conflicts import Conflict
from memctl.results.records import Proposal, RecordView

CANDIDATE = "candidate"
PROPOSAL = "proposal"
CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing to decide: a candidate, a proposal of maintenance, or two records at odds.

    `label` is its line in the list, `where` the project it belongs to.
    """

    sort: str
    id: str
    label: str
    where: str
    view: RecordView | None = None
    proposal: Proposal | None = None
    conflict: Conflict | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from every other item: a mark has the id of the record that it is on."""
        return self.sort, self.id


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """One line about an item; `meaning` says how it is coloured: `text`, `quote`, `near`, `aside`
    or `warning`.
    """

    text: str
    meaning: str = "text"


def describe_candidate(view: RecordView) -> ReviewItem:
    """Describe a candidate."""
    title = flatten(view.memory.title)
    return ReviewItem(CANDIDATE, view.memory.id, title, format_location(view), view=view)


def describe_proposal(proposal: Proposal) -> ReviewItem:
    """Describe what maintenance or an agent proposes."""
    label = format_proposal(proposal).partition("  ")[2]
    return ReviewItem(PROPOSAL, proposal.id, label, "proposal", proposal=proposal)


def describe_conflict(conflict: Conflict) -> ReviewItem:
    """Describe two records at odds."""
    label = " / ".join(flatten(side.text) for side in conflict.sides)
    where = "at odds" if conflict.kind == "contradiction" else "replaced?"
    return ReviewItem(CONFLICT, conflict.id, label, where, conflict=conflict)


def render_conflict(conflict: Conflict) -> Iterator[ReviewLine]:
    """Yield both sides of a conflict and what it is about."""
    for name, side in zip(("older", "newer"), conflict.sides, strict=True):
        yield ReviewLine(f"{name}, {side.observed_at[:10]}, {side.short}:", "aside")
        yield ReviewLine(f"  {flatten(side.text)}")
    yield ReviewLine(flatten(conflict.reason), "warning")
