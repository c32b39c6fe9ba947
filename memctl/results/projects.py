"""Projects and possible duplicates among them, as the engine returns them."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass
from memctl.core.model import Project
from memctl.core.typing_lite import Any


@dataclass(frozen=True, slots=True)
class ProjectView:
    """A project with the numbers of its records and the projects linked with it."""

    project: Project
    records: Mapping[str, int]
    linked: tuple[str, ...] = ()
    repos: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two projects that may be one: the newer, the older, and why."""

    project_id: str
    name: str
    root_path: str | None
    other_id: str
    other_name: str
    other_root_path: str | None
    why: str


@dataclass(frozen=True, slots=True)
class ProjectReport:
    """Projects. `doubtful` holds pairs that may be one, for the operator to decide."""

    items: tuple[ProjectView, ...]
    doubtful: tuple[Doubt, ...] = ()
