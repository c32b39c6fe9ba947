"""`engine.projects`: the projects that the store knows, and their aliases."""

from __future__ import annotations

from pathlib import Path

from memctl.core.frozen import replace
from memctl.core.model import Place
from memctl.engine.store_access import OperationGroup
from memctl.results.projects import ProjectReport, WaitingPlace


class ProjectOperations(OperationGroup):
    """Projects: listed, aliased, linked, joined and kept apart."""

    def list(self, name: str | None = None) -> ProjectReport:
        """List all projects, or the one of that name or id. Raises NotFound."""
        from memctl.records import projects

        return projects.report_projects(self._access.open_to_read(), name)

    def find_repo(self, text: str, place: Place) -> Place:
        """The place with one repository instead of its own, by name or id. Raises NotFound."""
        from memctl.store import projects

        repo = projects.find_repo(self._access.open_to_read(), text, place.project_id)
        return replace(place, project_id=repo["project_id"], repo_id=repo["id"])

    def alias(self, name: str, kind: str, value: str, *, remove: bool = False) -> ProjectReport:
        """Add a path, remote, marker or name to a project, or remove it."""
        from memctl.records import projects

        return projects.set_alias(
            self._access.open_to_write(),
            self._access.actor,
            name,
            kind,
            value,
            remove=remove,
            redactor=self._access.redactor,
        )

    def link(
        self, a: str, b: str, *, reason: str | None = None, remove: bool = False
    ) -> ProjectReport:
        """Let two projects use each other's memories, or end that."""
        from memctl.records import projects

        return projects.link_projects(
            self._access.open_to_write(),
            self._access.actor,
            a,
            b,
            reason=reason,
            remove=remove,
            redactor=self._access.redactor,
        )

    def adopt(self, name: str, into: str) -> ProjectReport:
        """Make one project part of another; its aliases, records and sources move over."""
        from memctl.records import adoption

        access = self._access
        return adoption.adopt_project(access.open_to_write(), access.actor, name, into)

    def keep_apart(self, a: str, b: str) -> ProjectReport:
        """Note that two projects which look alike are two."""
        from memctl.records import projects

        access = self._access
        return projects.keep_apart(access.open_to_write(), access.actor, a, b)

    def put_off(self, place: WaitingPlace) -> None:
        """Note that the operator was asked about a waiting place and decides it later."""
        from memctl.records import projects

        projects.put_off(self._access.open_to_write(), place)

    def was_put_off(self, place: WaitingPlace) -> bool:
        """Whether the operator was asked about a waiting place before."""
        from memctl.records import projects

        return projects.was_put_off(self._access.open_to_read(), place)

    def find_waiting_place(self, folder: Path) -> WaitingPlace | None:
        """Find which known project a folder says it is, if the operator has not decided that."""
        from memctl.records import projects

        access = self._access
        return projects.find_waiting_place(access.open_to_read(), folder, access.redactor)
