"""Which project a folder belongs to. A worktree, a rename, a moved folder or a changed remote is
still the same project.

Only what a folder cannot write about itself is sure: where it lies, a git folder that knows of it,
and, once it was moved, what the file system says of its files. A sure match adds the aliases that
are new. Anything else is a claim and is asked, never guessed: the folder becomes a project of its
own, to which nothing of the other is served, until the operator makes it part of the other
(`project settle`, `adopt`) or keeps the two apart. Claims are the remote or the first commit of a
known project (a second clone, a fork or an imitation has them), a `.git` that points at its git
folder, and a marker with its name.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from memctl.core import clock
from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.frozen import replace
from memctl.core.model import Actor, Filter, Place, Project
from memctl.redact.redactor import Redactor
from memctl.results.projects import Doubt, ProjectReport, ProjectView, WaitingPlace
from memctl.settings import config, policy, project_folder
from memctl.settings.project_folder import Surroundings
from memctl.store import meta, projects, records
from memctl.store.database import Database, Row
from memctl.store.rows import compute_sha256

_SHORTEST_TOKEN = 20
_PUT_OFF = "put_off:"
_MARKED = "by whose name it is marked"
ALIAS_KINDS = ("path", "git_common_dir", "remote", "root_commit", "marker", "name")


# What folders belong to, as it was read for one call.
KnownFolders = dict[Path, Surroundings | None]


def find_place(
    db: Database,
    cwd: Path | None,
    redactor: Redactor,
    *,
    project: str | None = None,
    agent_id: str | None = None,
    session_id: str | None = None,
    known: KnownFolders | None = None,
) -> Place:
    """Find the caller's project and repo, by a project's name or by folder; only reads."""
    if project is not None:
        return Place(projects.named(db, project).id, None, agent_id, session_id)
    around = read_surroundings(cwd, redactor, known) if cwd is not None else None
    if around is None:
        return Place(None, None, agent_id, session_id)
    found = _find_project(db, around)
    repo = projects.repo_id(db, around.git_common_dir) if around.git_common_dir else None
    return Place(found.id if found else None, repo, agent_id, session_id)


def read_surroundings(
    folder: Path, redactor: Redactor, known: KnownFolders | None = None
) -> Surroundings | None:
    """Read what a folder of this machine belongs to; None for one that is no project.

    What is in `known` is not read again, and what is read is put there.
    """
    if known is not None and folder in known:
        return known[folder]
    around = project_folder.read_surroundings(folder, Path.home(), config.find_temporary_folder())
    if around is not None and _may_hold_secrets(around):
        around = _redact_surroundings(around, redactor)
    if known is not None:
        known[folder] = around
    return around


def _may_hold_secrets(around: Surroundings) -> bool:
    """Whether it is worth the time to load the redaction rules, which a prompt would wait for."""
    told = "/".join(
        filter(
            None,
            (
                str(around.root),
                around.marker,
                around.git_common_dir,
                around.remote,
                around.claimed,
            ),
        )
    )
    return "=" in told or any(
        len(part) >= _SHORTEST_TOKEN and not part.isalpha() for part in told.split("/")
    )


def _redact_surroundings(around: Surroundings, redactor: Redactor) -> Surroundings:
    """Redact what is known of a folder; the same secret is always replaced in the same way."""

    def redact_optional(text: str | None) -> str | None:
        return redactor.redact(text) if text else text

    return replace(
        around,
        root=Path(redactor.redact(str(around.root))),
        marker=redact_optional(around.marker),
        git_common_dir=redact_optional(around.git_common_dir),
        remote=redact_optional(around.remote),
        claimed=redact_optional(around.claimed),
    )


def register_folder(
    db: Database, folder: Path, redactor: Redactor, *, remote: str | None = None
) -> Place:
    """Register the project and repo of a folder, if they are new; a folder that is no project gives
    an empty position.

    `remote` (normalised) tells which repository a folder held that is no longer there.
    """
    around = read_surroundings(folder, redactor)
    if around is None:
        return Place()
    if remote and around.remote is None and not folder.exists():
        around = replace(around, remote=remote)
    # Git is asked outside the transaction: until it has told the first commit, and when the
    # remote is another than before.
    known = projects.repo_at(db, around.git_common_dir) if around.git_common_dir else None
    replaced = known is not None and _is_another_repository(around, known)
    asked = around.git_common_dir and (known is None or known["root_commit"] is None or replaced)
    first = (
        project_folder.find_root_commit(around.git_common_dir)
        if asked and around.git_common_dir
        else None
    )
    with db.write():
        if replaced and known is not None:
            projects.forget_place(
                db, known["project_id"], around.git_common_dir or "", str(around.root)
            )
        return _store_project(db, around, first)


def _is_another_repository(around: Surroundings, known: Row) -> bool:
    """Whether another repository replaced a known one: its remote is new, and the old first
    commit is not in it.
    """
    changed = (
        around.remote is not None
        and around.remote != known["remote_url"]
        and known["root_commit"] is not None
    )
    return changed and not project_folder.has_commit(
        around.git_common_dir or "", known["root_commit"]
    )


def report_projects(db: Database, name: str | None) -> ProjectReport:
    """Report all projects, or one."""
    chosen = [projects.named(db, name)] if name else projects.everything(db)
    return ProjectReport(
        tuple(_build_view(db, projects.get(db, p.id)) for p in chosen), list_doubts(db)
    )


def set_alias(
    db: Database,
    actor: Actor,
    name: str,
    kind: str,
    value: str,
    redactor: Redactor,
    *,
    remove: bool,
) -> ProjectReport:
    """Add or remove an alias. Raises RefusedByPolicy, UsageError for an unknown kind or an alias
    that is taken.
    """
    require_operator(actor)
    if kind not in ALIAS_KINDS:
        raise UsageError(f"an alias is one of {', '.join(ALIAS_KINDS)}, not {kind!r}")
    project = projects.named(db, name)
    value = redactor.redact(_normalise_alias(kind, value))
    namesake = projects.called(db, value) if kind == "name" and not remove else None
    if namesake and namesake.id != project.id:
        raise UsageError(
            f"{project.name} cannot have the alias name {value}; another project is called so"
        )
    with db.write():
        done = (
            projects.drop_alias(db, project.id, kind, value)
            if remove
            else projects.add_alias(db, project.id, kind, value, clock.now())
        )
    owner = projects.by_alias(db, kind, value)
    if not done and (remove or owner is None or owner.id != project.id):
        whose = f"; it belongs to {owner.name}" if owner else ""
        verb = "has no" if remove else "cannot have the"
        raise UsageError(f"{project.name} {verb} alias {kind} {value}{whose}")
    return report_projects(db, project.id)


def link_projects(
    db: Database,
    actor: Actor,
    a: str,
    b: str,
    redactor: Redactor,
    *,
    reason: str | None,
    remove: bool,
) -> ProjectReport:
    """Link two projects, or remove their link. Raises RefusedByPolicy."""
    from memctl.records import drafts

    require_operator(actor)
    first, second = projects.named(db, a), projects.named(db, b)
    if first.id == second.id:
        raise UsageError(f"{a} and {b} are one project")
    with db.write():
        if remove:
            projects.unlink(db, first.id, second.id)
        else:
            projects.link(
                db, first.id, second.id, drafts.clean_reason(reason, redactor), clock.now()
            )
    return ProjectReport(
        (_build_view(db, projects.get(db, first.id)), _build_view(db, projects.get(db, second.id)))
    )


def keep_apart(db: Database, actor: Actor, a: str, b: str) -> ProjectReport:
    """Record that two projects which look alike are two. Raises RefusedByPolicy."""
    require_operator(actor)
    first, second = projects.named(db, a), projects.named(db, b)
    if first.id == second.id:
        raise UsageError(f"{a} and {b} are one project")
    with db.write():
        projects.keep_apart(db, first.id, second.id)
    return ProjectReport(
        (_build_view(db, projects.get(db, first.id)), _build_view(db, projects.get(db, second.id)))
    )


def require_operator(actor: Actor) -> None:
    """Which folders may use a project's records is the operator's to say."""
    if not actor.is_operator:
        raise RefusedByPolicy(f"which folders are one project {policy.AT_A_TERMINAL}")


def find_by_path_hash(db: Database, digest: str) -> Place | None:
    """Find the project with a folder whose path has this SHA-256 (hex)."""
    for project in projects.everything(db):
        for kind, value in project.aliases:
            if kind == "path" and compute_sha256(value) == digest:
                return Place(project.id)
    return None


def _find_project(db: Database, around: Surroundings) -> Project | None:
    """Find the project that is surely meant."""
    for kind, value in around.proofs():
        found = projects.by_alias(db, kind, value)
        if found is not None:
            return found
    if around.is_rooted:
        moved = (projects.with_folder(db, identity) for identity in around.identities)
        return next(filter(None, moved), None)
    if around.remote:
        # Of a folder that is gone a session tells which repository it held; there nothing is
        # served.
        return projects.by_alias(db, "remote", around.remote)
    return next(
        filter(
            None, (projects.by_alias(db, "path", str(folder)) for folder in around.root.parents)
        ),
        None,
    )


def _has_left(db: Database, project: Project) -> bool:
    """Whether a project is no longer where it was last seen; another may be there now."""
    there = projects.by_alias(db, "path", project.root_path or "")
    return _is_gone(project) or (there is not None and there.id != project.id)


def _is_gone(project: Project) -> bool:
    return bool(project.root_path) and not os.path.exists(project.root_path or "")


def _store_project(db: Database, around: Surroundings, first_commit: str | None) -> Place:
    at = clock.now()
    project = _find_project(db, around)
    if project is None:
        project = _insert_project(db, around, first_commit, at)
    elif around.is_rooted and _has_left(db, project):
        projects.move(db, project, str(around.root), at)
    if around.is_rooted or not project.root_path or str(around.root) == project.root_path:
        for kind, value in around.aliases():
            projects.add_alias(db, project.id, kind, value, at)
    for identity in around.identities:
        projects.note_folder(db, identity, project.id)
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


def _insert_project(
    db: Database, around: Surroundings, first_commit: str | None, at: str
) -> Project:
    """Add the project of a folder, with a note of each known project that it claims to be."""
    claims = _list_claims(db, around, first_commit)
    # A name stays with the project that has it, so that it can still be named by it, and so that
    # no folder passes for another by what it says of itself.
    name = projects.find_free_name(db, around.marker or around.root.name)
    project = projects.insert(db, name, str(around.root), at)
    for claim, why in claims:
        projects.note_claim(db, project.id, claim.id, why)
    return project


def _list_claims(
    db: Database, around: Surroundings, first_commit: str | None = None
) -> list[tuple[Project, str]]:
    """List the known projects that a folder which is none of them may be, with the reason."""
    claims = (
        ("git_common_dir", around.claimed, "at whose git folder it points"),
        ("remote", around.remote, "with the same remote"),
        ("root_commit", first_commit, "with the same first commit"),
        ("marker", around.marker, _MARKED),
    )
    found: dict[str, tuple[Project, str]] = {}
    for kind, value, why in claims:
        known = projects.by_alias(db, kind, value) if value else None
        if known is not None:
            found.setdefault(known.id, (known, why))
    namesake = projects.called(db, around.marker) if around.marker else None
    if namesake is not None:
        found.setdefault(namesake.id, (namesake, _MARKED))
    return list(found.values())


def find_waiting_place(
    db: Database, cwd: Path, redactor: Redactor, known: KnownFolders | None = None
) -> WaitingPlace | None:
    """Find which known project a folder may be, if the operator was not asked about it or has not
    answered.
    """
    around = read_surroundings(cwd, redactor, known)
    if around is None:
        return None
    own = _find_project(db, around)
    if own is None:
        claims = _list_claims(db, around)
        return WaitingPlace(str(around.root), claims[0][0].name, claims[0][1]) if claims else None
    doubt = next(_find_claims_of(db, projects.get(db, own.id)), None)
    if doubt is None:
        return None
    folder = own.root_path or str(around.root)
    return WaitingPlace(folder, doubt.other_name, doubt.why, own.id, doubt.other_id)


def put_off(db: Database, place: WaitingPlace) -> None:
    """Note that the operator was asked about a waiting place and decides it later."""
    if place.project_id is not None:
        with db.write():
            meta.put_note(db, _PUT_OFF + place.project_id, clock.now())


def was_put_off(db: Database, place: WaitingPlace) -> bool:
    """Whether the operator was asked about a waiting place before."""
    return place.project_id is not None and bool(meta.get_note(db, _PUT_OFF + place.project_id))


def _find_claims_of(db: Database, project: Project) -> Iterator[Doubt]:
    """Yield the claims of a project that are not decided."""
    for other_id, why in projects.claims_of(db, project.id):
        standing = projects.standing(db, other_id)
        if standing not in (None, project.id):
            other = projects.get(db, str(standing))
            if projects.pair(project.id, other.id) not in projects.kept_apart(db):
                yield _build_doubt(project, other, why)


def list_doubts(db: Database) -> tuple[Doubt, ...]:
    """List pairs of projects that may be one, unless the operator keeps them apart: folders that
    claim to be a known project, and projects of one name or with one first commit.
    """
    found = {
        (doubt.project_id, doubt.other_id): doubt
        for doubt in (*_find_claims(db), *_find_likely_pairs(db))
    }
    return tuple(found.values())


def _find_claims(db: Database) -> Iterator[Doubt]:
    for project in projects.everything(db):
        yield from _find_claims_of(db, project)


def _find_likely_pairs(db: Database) -> Iterator[Doubt]:
    apart = projects.kept_apart(db)
    everything = [
        (project, _list_first_commits(db, project)) for project in projects.everything(db)
    ]
    for at, (project, commits) in enumerate(everything):
        for other, others in everything[:at]:
            why = _find_likeness(project, commits, other, others)
            if why and projects.pair(project.id, other.id) not in apart:
                yield _build_doubt(project, other, why)


def _build_doubt(project: Project, other: Project, why: str) -> Doubt:
    return Doubt(
        project.id,
        project.name,
        project.root_path,
        other.id,
        other.name,
        other.root_path,
        why,
    )


def _list_first_commits(db: Database, project: Project) -> frozenset[str]:
    known = {repo["root_commit"] for repo in projects.repos_of(db, project.id)}
    return frozenset(
        known | {value for kind, value in project.aliases if kind == "root_commit"}
    ) - {None}


def _find_likeness(
    project: Project, commits: frozenset[str], other: Project, others: frozenset[str]
) -> str | None:
    """Find why two projects may be one, or None."""
    if commits & others:
        return "with the same first commit"
    markers = {value for kind, value in (*project.aliases, *other.aliases) if kind == "marker"}
    name, other_name = _find_wanted_name(project), _find_wanted_name(other)
    if name in markers and name == other_name:
        return f"both marked as {name}"
    # Two histories that began apart are two projects, whatever they are called.
    alike = name.casefold() == other_name.casefold() and not (commits and others)
    return f"both called {name}" if alike else None


def _find_wanted_name(project: Project) -> str:
    """Return the name that a project would have, had it not been taken: `harbor` of `harbor-2`."""
    name, dash, number = project.name.rpartition("-")
    wanted = {Path(project.root_path or "").name, *_list_markers(project)}
    return name if dash and number.isdecimal() and name in wanted else project.name


def _list_markers(project: Project) -> list[str]:
    return [value for kind, value in project.aliases if kind == "marker"]


def _build_view(db: Database, project: Project) -> ProjectView:
    counts: Counter[str] = Counter(
        memory.status for memory in records.select_records(db, Filter(project_id=project.id))
    )
    names = projects.names(db)
    others = tuple(names[other] for other in projects.linked(db, project.id))
    return ProjectView(project, dict(counts), others, tuple(projects.repos_of(db, project.id)))


def _normalise_alias(kind: str, value: str) -> str:
    if kind == "remote":
        return project_folder.normalise_remote(value)
    if kind in ("path", "git_common_dir"):
        return str(Path(value).expanduser().absolute())
    return value.casefold() if kind == "name" else value
