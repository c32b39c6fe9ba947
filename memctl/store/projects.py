"""Projects, the aliases they are known by, the links between them, and their repos."""

from __future__ import annotations

from collections.abc import Collection

from memctl.core import clock
from memctl.core.errors import NotFound
from memctl.core.frozen import replace
from memctl.core.model import Project
from memctl.core.typing_lite import Any
from memctl.store.database import Database, Row
from memctl.store.rows import build_from_row, copy_row

_APART = "apart:"
_CLAIM = "claim:"
_FOLDER = "folder:"


def insert(db: Database, name: str, root_path: str | None, at: str) -> Project:
    """Add a project."""
    project = Project(clock.new_id(), name, root_path, at, at)
    db.run(
        "projects.insert",
        id=project.id,
        name=name,
        root_path=root_path,
        adopted_into=None,
        created_at=at,
        updated_at=at,
    )
    return project


def get(db: Database, project_id: str) -> Project:
    """One project with its aliases. Raises NotFound."""
    row = db.one("projects.get", id=project_id)
    if row is None:
        raise NotFound(f"no project has the id {project_id}")
    return _with_aliases(db, row)


def named(db: Database, text: str) -> Project:
    """Return the project with that id or name, else that alias, else that beginning of an id.

    A name in the very spelling comes before one in other capitals. Raises NotFound, also if there
    are several.
    """
    text = text.encode("utf-8", "replace").decode()
    prefix = text.upper() + "%" if len(text) >= 6 and text.isalnum() else ""
    rows = db.all("projects.by_name", text=text, prefix=prefix)
    identified = [row for row in rows if row["id"] == text.upper()]
    called_so = [row for row in rows if row["name"] == text]
    if not identified and not called_so:
        aliased = by_alias(db, "name", text.casefold())
        if aliased is not None:
            return aliased
    alike = [row for row in rows if row["name"].casefold() == text.casefold()]
    rows = identified or called_so or alike or rows
    if len(rows) == 1:
        return _with_aliases(db, rows[0])
    if rows:
        raise NotFound(
            f"several projects are called {text!r}: {', '.join(row['id'] for row in rows)}; use an "
            f"id"
        )
    from memctl.store import which_id  # hardly a name is wrong

    hint = which_id.describe_id(db, text, "project") or "`memctl project list` shows them"
    raise NotFound(f"no project is called {text!r}", hint=hint)


def all_names(db: Database, project_id: str) -> list[str]:
    """Every name that a project is known by, its own first."""
    project = get(db, project_id)
    return [project.name, *(value for kind, value in project.aliases if kind == "name")]


def called(db: Database, text: str) -> Project | None:
    """The project whose own name that is (case does not count)."""
    row = next(iter(db.all("projects.by_name", text=text, prefix="")), None)
    return None if row is None else _with_aliases(db, row)


def move(db: Database, project: Project, root_path: str, at: str) -> None:
    """Note the folder that a project stands in now; it keeps its name."""
    db.run("projects.rename", id=project.id, name=project.name, root_path=root_path, now=at)


def by_alias(db: Database, kind: str, value: str) -> Project | None:
    """The project that an alias points at."""
    row = db.one("projects.find_alias", kind=kind, value=value)
    return None if row is None else build_from_row(Project, row, aliases=())


def everything(db: Database) -> list[Project]:
    """All projects that stand for themselves, with their aliases."""
    return [
        _with_aliases(db, row)
        for row in db.all("projects.everything")
        if row["adopted_into"] is None
    ]


def add_alias(db: Database, project_id: str, kind: str, value: str, at: str) -> bool:
    """Let an alias point at a project; False if the alias is taken."""
    return (
        db.run("projects.add_alias", kind=kind, value=value, project_id=project_id, created_at=at)
        > 0
    )


def drop_alias(db: Database, project_id: str, kind: str, value: str) -> bool:
    """Take an alias away; False if there was none."""
    return db.run("projects.drop_alias", kind=kind, value=value, project_id=project_id) > 0


def linked(db: Database, project_id: str) -> list[str]:
    """The ids of the projects linked with one."""
    return [row["id"] for row in db.all("projects.linked", id=project_id)]


def link(db: Database, a: str, b: str, reason: str | None, at: str) -> None:
    """Let two projects use each other's memories."""
    db.run("projects.link", from_project=a, to_project=b, reason=reason, created_at=at)


def unlink(db: Database, a: str, b: str) -> bool:
    """Part two projects; False if they were not linked."""
    return db.run("projects.unlink", a=a, b=b) > 0


def adopt(db: Database, project_id: str, into: str, at: str) -> None:
    """Move aliases, repos and sources of one project to another and note the adoption."""
    for statement in ("projects.move_aliases", "projects.move_repos", "projects.move_sources"):
        db.run(statement, id=project_id, into=into)
    for other in linked(db, project_id):
        unlink(db, project_id, other)
        if other != into:
            link(db, into, other, "adopted", at)
    db.run("projects.adopt", id=project_id, into=into, now=at)


def standing(db: Database, project_id: str | None) -> str | None:
    """The project itself, or the one that it became part of."""
    while (
        project_id is not None
        and (row := db.one("projects.get", id=project_id))
        and row["adopted_into"]
    ):
        project_id = row["adopted_into"]
    return project_id


def names(db: Database) -> dict[str, str]:
    """Project names by id."""
    return {row["id"]: row["name"] for row in db.all("projects.names")}


def ensure_repo(db: Database, project_id: str, repo: dict[str, Any], at: str) -> str | None:
    """The id of the repo with that common git folder, added if new; None without a git folder."""
    if not repo.get("git_common_dir"):
        return None
    row = db.one("projects.repo_by_dir", git_common_dir=repo["git_common_dir"])
    if row is not None:
        news = {name: repo.get(name) for name in ("root_commit", "remote_url")}
        if any(value and value != row[name] for name, value in news.items()):
            db.run("projects.update_repo", id=row["id"], now=at, **news)
        return str(row["id"])
    fresh = clock.new_id()
    db.run(
        "projects.insert_repo",
        id=fresh,
        project_id=project_id,
        created_at=at,
        updated_at=at,
        **repo,
    )
    return fresh


def repo_id(db: Database, git_common_dir: str) -> str | None:
    """The id of the repo with that common git folder."""
    row = db.one("projects.repo_by_dir", git_common_dir=git_common_dir)
    return None if row is None else str(row["id"])


def repo_at(db: Database, git_common_dir: str) -> Row | None:
    """What is known of the repo with that common git folder."""
    return db.one("projects.repo_by_dir", git_common_dir=git_common_dir)


def forget_place(db: Database, project_id: str, git_common_dir: str, path: str) -> None:
    """Note that another repository stands now where this project's stood."""
    drop_alias(db, project_id, "git_common_dir", git_common_dir)
    drop_alias(db, project_id, "path", path)
    db.run("projects.unplace_repo", git_common_dir=git_common_dir)


def pair(a: str, b: str) -> str:
    """Two projects in either order, as one word."""
    return _APART + ":".join(sorted((a, b)))


def keep_apart(db: Database, a: str, b: str) -> None:
    """Note that two projects which look alike are two."""
    db.run("meta.set", key=pair(a, b), value="apart")


def kept_apart(db: Database) -> frozenset[str]:
    """The pairs that the operator keeps apart."""
    return frozenset(
        row["key"] for row in db.all("meta.like", prefix=_APART, upper=_APART[:-1] + ";")
    )


def note_claim(db: Database, project_id: str, other_id: str, why: str) -> None:
    """Note that a project's folder says it is another project."""
    db.run("meta.set", key=f"{_CLAIM}{project_id}:{other_id}", value=why)


def claims_of(db: Database, project_id: str) -> list[tuple[str, str]]:
    """The projects that a project's folder says it is, with the reason; the oldest first."""
    prefix = f"{_CLAIM}{project_id}"
    rows = db.all("meta.like", prefix=prefix + ":", upper=prefix + ";")
    return [
        (str(row["key"]).rpartition(":")[2], str(db.value("meta.get", key=row["key"])))
        for row in rows
    ]


def note_folder(db: Database, identity: str, project_id: str) -> None:
    """Note by what the folder of a project is known once it was moved."""
    key = _FOLDER + identity
    if db.value("meta.get", key=key) != project_id:
        db.run("meta.set", key=key, value=project_id)


def with_folder(db: Database, identity: str) -> Project | None:
    """The project whose folder has, or had, this identity."""
    project_id = standing(db, db.value("meta.get", key=_FOLDER + identity))
    row = db.one("projects.get", id=project_id) if project_id else None
    return None if row is None else build_from_row(Project, row, aliases=())


def find_free_name(db: Database, name: str, *, besides: Collection[str] = ()) -> str:
    """The name, or the first of name-2, name-3, ... by which no project goes.

    `besides` are more names that are taken, in lower case.
    """
    taken = {*besides} | {
        known.casefold()
        for project in everything(db)
        for known in (
            project.name,
            *(value for kind, value in project.aliases if kind == "name"),
        )
    }
    numbered = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(each for each in (name, *numbered) if each.casefold() not in taken)


def repos_of(db: Database, project_id: str) -> list[dict[str, Any]]:
    """The repos of a project as plain rows."""
    return [copy_row(row) for row in db.all("projects.repos_of", project_id=project_id)]


def find_repo(db: Database, text: str, project_id: str | None) -> Row:
    """One repository by its id or name, of a project if one is given. Raises NotFound, which names
    those that there are.
    """
    rows = [row for row in db.all("projects.all_repos") if project_id in (None, row["project_id"])]
    wanted = text.strip().casefold()
    found = [row for row in rows if wanted in (row["id"].casefold(), row["name"].casefold())]
    if len(found) == 1:
        return found[0]
    if found:
        named = ", ".join(f"{row['id']} in {row['root_path']}" for row in found)
        raise NotFound(f"several repositories are called {text!r}: {named}")
    known = ", ".join(sorted({row["name"] for row in rows})) or "none is known here"
    raise NotFound(f"no repository is called {text!r}", hint=f"repositories: {known}")


def _with_aliases(db: Database, row: Row) -> Project:
    aliases = tuple(
        (a["kind"], a["value"]) for a in db.all("projects.aliases", project_id=row["id"])
    )
    return replace(build_from_row(Project, row, aliases=()), aliases=aliases)
