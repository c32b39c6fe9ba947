"""What became of a folder of notes, as the engine returns it."""

from __future__ import annotations

from memctl.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class VaultChange:
    """What became of one note, or would: `wrote`, `moved`, `removed`, `took in`, `approved`,
    `archived`, `proposed`, `took back`, `conflict`, `waits`, `copy`, `restored` or `left`.

    `change` is the number with which `memctl revert` undoes what was taken in.
    """

    what: str
    path: str
    record_id: str | None = None
    note: str | None = None
    change: int | None = None


@dataclass(frozen=True, slots=True)
class VaultReport:
    """One look at a folder of notes, or one run. `action`: `init`, `sync` or `status`.

    `notes` counts the notes of records there, `broken` has the links that lead nowhere, each with
    its note. `problems` are what needs a look: conflicts, and what could not be done.
    """

    action: str
    path: str
    notes: int = 0
    changes: tuple[VaultChange, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()
    is_as_operator: bool = True
