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
class WaitingPlace:
    """A folder that says it is a known project (`known`), which the operator has not confirmed.

    The ids are those of the project that it is until then, if it is one yet, and of the known one.
    """

    folder: str
    known: str
    why: str
    project_id: str | None = None
    known_id: str | None = None

    def __str__(self) -> str:
        """What an agent, or a person who is not asked, is told."""
        return (
            f"This folder may be the project {self.known}, {self.why}. Until the operator says so, "
            "it is a project of its own: `memctl init --project .` asks."
        )


@dataclass(frozen=True, slots=True)
class ProjectReport:
    """Projects. `doubtful` holds pairs that may be one, for the operator to decide."""

    items: tuple[ProjectView, ...]
    doubtful: tuple[Doubt, ...] = ()
