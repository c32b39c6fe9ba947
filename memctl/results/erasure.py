"""Secrets found and records erased, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class RedactionSpot:
    """A record or other item that holds secrets: its table (`place`: record, turn, evidence, log
    ...), id, fields, and kinds of secret.
    """

    place: str
    id: str
    fields: tuple[str, ...]
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RedactionReport:
    """Secrets that were found or, where `applied`, replaced; never the secrets themselves.
    `text` is a filtered text.
    """

    items: tuple[RedactionSpot, ...] = ()
    applied: bool = False
    text: str | None = None
    kinds: Mapping[str, int] = field(default_factory=dict)
    backups: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What was erased for good, or with `dry_run` would be: ids, and `titles` of what still exists.

    `rewritten` counts, by table, where the same words were cut out; `files` are changed files
    beside the store; `backups` are older copies that still hold it; `remains` are files whose bytes
    could not be overwritten yet, and `notes` say why.
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
