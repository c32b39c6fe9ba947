"""The store as a tree of folders, as the engine returns it."""

from __future__ import annotations

from memctl.core.frozen import dataclass
from memctl.results.conversations import ConversationView
from memctl.results.entities import EntityReport
from memctl.results.records import RecordView


@dataclass(frozen=True, slots=True)
class BrowseEntry:
    """One folder, record, conversation or entity (`what`) of the tree.

    `count` is how many entries a folder holds, in all its folders. `summary` is filled from level 1
    on, `content` at level 2. `depth` counts the folders between it and the one that was asked for.
    """

    path: str
    name: str
    what: str
    title: str
    count: int = 0
    id: str | None = None
    summary: str | None = None
    content: str | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class BrowseReport:
    """What is in one folder, or what fits a pattern. `total` also counts what a limit left out."""

    path: str
    entries: tuple[BrowseEntry, ...]
    total: int
    level: int = 0
    offset: int = 0
    is_tree: bool = False


@dataclass(frozen=True, slots=True)
class PathNames:
    """Paths that begin with some characters, for the completion of shells."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read at some paths, in the order of the paths: records, conversations, entities."""

    items: tuple[RecordView | ConversationView | EntityReport, ...]
    level: int = 2
