"""Contradictions and their resolution, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field
from memctl.results.records import RecordView


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """One side of a contradiction: what it says, since when, at which trust, on how many pieces
    of evidence.
    """

    id: str
    short: str
    text: str
    type: str
    kind: str
    status: str
    trust: int
    observed_at: str
    project: str | None
    evidence: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two records that cannot both hold, the older first.

    `newer` is the side that is proposed to supersede the other, if any; `commands` are command
    lines that would resolve it, the likeliest first. A resolved one has `resolved_at`.

    kind: `contradiction`, or `mark` where the newer one may replace the older, because it seems to
    answer the same question anew (`nearness`, 0 to 1). A mark has the older record's id.
    """

    id: str
    reason: str
    actor: str
    created_at: str
    sides: tuple[ConflictSide, ConflictSide]
    newer: str | None = None
    commands: tuple[str, ...] = ()
    resolved_at: str | None = None
    kind: str = "contradiction"
    nearness: float | None = None


@dataclass(frozen=True, slots=True)
class ConflictsReport:
    """Contradictions, newest first; with what is undecided, marks follow them."""

    items: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class ResolveStep:
    """One step that resolves a contradiction.

    action: `supersede` (`id` supersedes `other`), `reject` or `approve` (a candidate), `set`
    (`changes` say where and when it holds) or `dismiss` (`id` and `other` both hold, for `reason`).
    """

    action: str
    id: str
    other: str | None = None
    reason: str | None = None
    changes: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ResolveReport:
    """A resolved contradiction, or with `dry_run` the plan. way: `keep`, `supersede`, `both` or
    `dismiss`. `link` is its id: that of the older record where the two were only marked.

    What an agent may not decide is `proposed` to the operator instead: nothing is changed, and it
    waits in the inbox as `proposal` (none where the same waits or was declined).
    """

    way: str
    link: str
    steps: tuple[ResolveStep, ...]
    changed: tuple[RecordView, ...]
    dry_run: bool = False
    proposed: bool = False
    proposal: str | None = None
