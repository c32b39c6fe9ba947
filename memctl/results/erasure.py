"""Secrets found and records erased, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class RedactionSpot:
    """A place that holds secrets: what it is (record, turn, evidence, stream, log ...), which one, in which fields, of which kinds."""

    place: str
    id: str
    fields: tuple[str, ...]
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RedactionReport:
    """Secrets that were found, or, where `applied`, replaced; never the secrets themselves. `text` is a text that was filtered."""

    items: tuple[RedactionSpot, ...] = ()
    applied: bool = False
    text: str | None = None
    kinds: Mapping[str, int] = field(default_factory=dict)
    backups: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What was erased for good, or, with `dry_run`, would be: ids only, and `titles` of what is still there.

    `rewritten` counts by place where the same words were cut out; `files` are files beside the store that changed; `backups` are older
    copies that still hold it; `remains` are files in which its bytes could not be overwritten yet, and `notes` say why.
    """

    records: tuple[str, ...]
    sources: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    rewritten: Mapping[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    backups: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False
