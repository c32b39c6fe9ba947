"""Daily notes and versions of MEMORY.md, as the engine returns them."""

from __future__ import annotations

from memctl.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class DailyReport:
    """The note of one day, as Markdown. state: `written`, `unchanged`, `shown` (no folder is
    named) or `nothing` (nothing happened). `kept` counts the lines of the person's own in the file.
    """

    day: str
    zone: str
    state: str
    text: str
    project: str | None = None
    path: str | None = None
    kept: int = 0


@dataclass(frozen=True, slots=True)
class DiaryEntry:
    """One change from a version to the next, and why. change: `added`, `dropped`, `changed` or
    `conflict` (a line that both you and the records changed); `ids` are the records it speaks of.
    """

    day: str
    change: str
    text: str
    why: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """One line of MEMORY.md. source: `record`, `person`, `diary` or `frame` (headings and the
    like); `ids` are the records whose words it has.
    """

    source: str
    section: str
    text: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """One version of MEMORY.md of a project, or of what holds everywhere (`project` None).

    state: `proposed` (not stored), `staged`, `current`, `past`, `rejected`, `withdrawn`, or
    `unchanged` (there is nothing to propose). `tokens` is what it costs, `left_out` counts records
    in force that found no room, `worded_by` the model that worded some lines. `outdated` names the
    records of a restored version that no longer hold.
    """

    id: str | None
    project: str | None
    state: str
    text: str
    lines: tuple[MemoryLine, ...] = ()
    diary: tuple[DiaryEntry, ...] = ()
    tokens: int = 0
    budget: int = 0
    left_out: int = 0
    path: str | None = None
    created_at: str | None = None
    decided_at: str | None = None
    actor: str | None = None
    worded_by: str | None = None
    outdated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DreamReport:
    """Versions of MEMORY.md. asked: `propose`, `stage`, `approve`, `reject`, `restore`, `diff` or
    `history`. `notes` are sentences about what was left as it is, and why.
    """

    asked: str
    items: tuple[MemoryDocument, ...]
    notes: tuple[str, ...] = ()
