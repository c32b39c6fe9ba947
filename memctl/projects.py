"""Which project a folder belongs to. A worktree, a rename, a moved folder or a changed remote is still the same project.

A sure match adds the aliases that are new. The same first commit in another living folder is doubtful (a fork looks like that):
it becomes a project of its own, which `project adopt` can make part of the other.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from memctl import clock, surroundings
from memctl.data import replace
from memctl.db import Db
from memctl.errors import UsageError
from memctl.model import Actor, Place, Project
from memctl.results import ProjectReport, ProjectView
from memctl.store import projects, records, tombstones
from memctl.store.records import Filter
from memctl.surroundings import Surroundings

ALIAS_KINDS = ("path", "git_common_dir", "remote", "root_commit", "marker", "name")


def place(db: Db, cwd: Path | None, *, project: str | None = None, agent_id: str | None = None, session_id: str | None = None) -> Place:
    """Where a caller stands, by a project's name or by folder; only reads."""
    if project is not None:
        return Place(projects.named(db, project).id, None, agent_id, session_id)
    around = surroundings.look(cwd, Path.home()) if cwd is not None else None
    if around is None:
        return Place(None, None, agent_id, session_id)
    found = _find(db, around)
    repo = projects.repo_id(db, around.git_common_dir) if around.git_common_dir else None
    return Place(found.id if found else None, repo, agent_id, session_id)


def register(db: Db, folder: Path) -> Place:
    """The project and repo of a folder, added if they are new; a folder that is no project gives an empty place."""
    around = surroundings.look(folder, Path.home())
    if around is None:
        return Place()
    # Git is asked outside the transaction, and only until it has told the first commit.
    asked = around.git_common_dir and not projects.has_root_commit(db, around.git_common_dir)
    first = surroundings.root_commit(around.git_common_dir) if asked and around.git_common_dir else None
    with db.write():
        return _register(db, around, first)


def report(db: Db, name: str | None) -> ProjectReport:
    """All projects, or one."""
    chosen = [projects.named(db, name)] if name else projects.everything(db)
    return ProjectReport(tuple(_view(db, projects.get(db, p.id)) for p in chosen), tuple(_doubtful(db, projects.everything(db))))


def alias(db: Db, name: str, kind: str, value: str, *, remove: bool) -> ProjectReport:
    """Add or remove an alias. Raises UsageError for an unknown kind or an alias that is taken."""
    if kind not in ALIAS_KINDS:
        raise UsageError(f"an alias is one of {', '.join(ALIAS_KINDS)}, not {kind!r}")
    project = projects.named(db, name)
    value = _normal_alias(kind, value)
    namesake = projects.called(db, value) if kind == "name" and not remove else None
    if namesake and namesake.id != project.id:
        raise UsageError(f"{project.name} cannot have the alias name {value}; another project is called so")
    with db.write():
        done = projects.drop_alias(db, project.id, kind, value) if remove else projects.add_alias(db, project.id, kind, value, clock.now())
    owner = projects.by_alias(db, kind, value)
    if not done and (remove or owner is None or owner.id != project.id):
        whose = f"; it belongs to {owner.name}" if owner else ""
        raise UsageError(f"{project.name} {'has no' if remove else 'cannot have the'} alias {kind} {value}{whose}")
    return report(db, project.id)


def link(db: Db, a: str, b: str, *, reason: str | None, remove: bool) -> ProjectReport:
    """Link or part two projects."""
    first, second = projects.named(db, a), projects.named(db, b)
    if first.id == second.id:
        raise UsageError(f"{a} and {b} are one project")
    with db.write():
        if remove:
            projects.unlink(db, first.id, second.id)
        else:
            projects.link(db, first.id, second.id, reason, clock.now())
    return ProjectReport((_view(db, projects.get(db, first.id)), _view(db, projects.get(db, second.id))))


def adopt(db: Db, actor: Actor, name: str, into: str) -> ProjectReport:
    """Make one project part of another: aliases, repos, sources and records move; the old name becomes an alias."""
    from memctl import drafts

    child, parent = projects.named(db, name), projects.named(db, into)
    if child.id == parent.id:
        raise UsageError(f"{name} and {into} are one project")
    at = clock.now()
    with db.write():
        projects.adopt(db, child.id, parent.id, at)
        projects.add_alias(db, parent.id, "name", child.name.casefold(), at)
        for memory in records.select(db, Filter(project_id=child.id)):
            # The fingerprint is the content in its place: what was forgotten there stays forgotten here.
            moved = drafts.fingerprinted(replace(memory, project_id=parent.id, updated_at=at))
            records.replace(db, memory, moved, verb="moved", actor=actor.name, cause=f"project adopt {child.name}")
            tombstones.move(db, memory.id, memory.fingerprint, moved.fingerprint)
    return report(db, parent.id)


def _find(db: Db, around: Surroundings) -> Project | None:
    for kind, value in around.aliases():
        found = projects.by_alias(db, kind, value)
        if found is not None:
            return found
    if around.git_common_dir or around.marker is not None:
        return None
    return next(filter(None, (projects.by_alias(db, "path", str(folder)) for folder in around.root.parents)), None)


def _register(db: Db, around: Surroundings, first_commit: str | None) -> Place:
    at = clock.now()
    project = _find(db, around) or _moved(db, first_commit) or projects.insert(db, around.marker or around.root.name, str(around.root), at)
    rooted = bool(around.git_common_dir) or around.marker is not None
    if rooted and project.root_path and not os.path.exists(project.root_path):
        projects.move(db, project, str(around.root), at)
    if rooted or not project.root_path or str(around.root) == project.root_path:
        for kind, value in around.aliases():
            projects.add_alias(db, project.id, kind, value, at)
    if first_commit:
        projects.add_alias(db, project.id, "root_commit", first_commit, at)
    repo = {
        "name": around.root.name,
        "root_path": str(around.root),
        "git_common_dir": around.git_common_dir,
        "remote_url": around.remote,
        "root_commit": first_commit,
    }
    return Place(project.id, projects.ensure_repo(db, project.id, repo, at))


def _moved(db: Db, first_commit: str | None) -> Project | None:
    """The project with the same first commit whose folder is gone: it was moved. A living one is a fork or a second clone."""
    found = projects.by_alias(db, "root_commit", first_commit) if first_commit else None
    return found if found and found.root_path and not os.path.exists(found.root_path) else None


def _doubtful(db: Db, everything: list[Project]) -> list[str]:
    """Pairs of projects that share a name or a first commit: likely one project in two places, or a fork."""
    seen: dict[str, Project] = {}
    found: dict[str, None] = {}
    for project in everything:
        commits = [repo["root_commit"] for repo in projects.repos_of(db, project.id) if repo["root_commit"]]
        marks = {project.name.casefold(): f"both called {project.name}", **dict.fromkeys(commits, "with the same first commit")}
        for mark, why in marks.items():
            other = seen.setdefault(mark, project)
            if other.id != project.id:
                found[f"{project.id} ({project.root_path}) may be {other.id} ({other.root_path}), {why}"] = None
    return list(found)


def _view(db: Db, project: Project) -> ProjectView:
    counts: Counter[str] = Counter(memory.status for memory in records.select(db, Filter(project_id=project.id)))
    names = projects.names(db)
    others = tuple(names[other] for other in projects.linked(db, project.id))
    return ProjectView(project, dict(counts), others, tuple(projects.repos_of(db, project.id)))


def _normal_alias(kind: str, value: str) -> str:
    if kind == "remote":
        return surroundings.normalise_remote(value)
    if kind in ("path", "git_common_dir"):
        return str(Path(value).expanduser().absolute())
    return value.casefold() if kind == "name" else value
