"""Which projects of several machines are one.

Each machine gives a project an id of its own. Projects with a remote, a first commit or a marker in
common are one, and so are those that a person made part of another. Such a class is called by its
smallest id wherever something travels, whichever of its ids a machine uses. Folders do not travel:
they mean nothing elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memctl.store import projects, sync_group
from memctl.store.database import Database
from memctl.sync.change import ChangeEvent
from memctl.sync.merging import ChangeGraph

# The verb of an erasure for good.
PURGED = "purged"
# By what projects of two machines are known to be one, the surest first.
_PROOFS = ("marker", "root_commit", "remote")
# What a card tells of a project, beside its name. `id`: other ids of the same project.
_TOLD_KINDS = ("id", *_PROOFS, "name")
_MOST_ALIASES = 1000


class ProjectClasses:
    """The projects of this store, and what each is called on other machines."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._adopted: Mapping[str, str | None] = {}
        self._mapped: Mapping[str, str] = {}
        self._members: Mapping[str, list[str]] = {}
        self.renew()

    def renew(self) -> None:
        """Read anew which projects there are."""
        self._adopted = sync_group.read_adoptions(self._db)
        self._mapped = sync_group.list_projects(self._db)
        members: dict[str, list[str]] = defaultdict(list)
        for project_id in sorted({*self._adopted, *self._mapped}):
            here = self.find_here(project_id)
            if here is not None:
                members[here].append(project_id)
        self._members = members

    def find_here(self, project_id: str) -> str | None:
        """The project of this store that an id of any machine means; None if there is none."""
        here = self._mapped.get(project_id, project_id)
        seen = set[str]()
        while here in self._adopted and here not in seen:
            seen.add(here)
            into = self._adopted[here]
            if into is None:
                return here
            here = self._mapped.get(into, into)
        return None

    def get_canonical(self, project_id: str) -> str:
        """What a project is called wherever something travels."""
        here = self.find_here(project_id)
        return min(self._members.get(here or "", [project_id]))

    def list_ids(self, project_id: str) -> list[str]:
        """All ids of a project, its own among them."""
        here = self.find_here(project_id)
        return list(self._members.get(here or "", [project_id]))

    def list_here(self) -> list[str]:
        """The projects of this store that are part of no other one."""
        return [each for each, into in self._adopted.items() if into is None]


def build_card(db: Database, classes: ProjectClasses, project_id: str) -> dict[str, Any]:
    """What a project is known by on any machine."""
    project = projects.get(db, project_id)
    known = {(kind, value) for kind, value in project.aliases if kind in _TOLD_KINDS}
    known |= {("id", each) for each in classes.list_ids(project_id) if each != project_id}
    return {"name": project.name, "aliases": sorted(map(list, known))}


def find_same(
    db: Database, classes: ProjectClasses, project_id: str, card: Mapping[str, Any]
) -> str | None:
    """The project of this store that another machine's is, by its card; None if it has none.

    Projects that the operator keeps apart stay two.
    """
    known = classes.find_here(project_id)
    if known is not None:
        return known
    apart = projects.kept_apart(db)
    for kind, value in _list_proofs(card):
        if kind == "id":
            here = classes.find_here(value)
        else:
            found = projects.by_alias(db, kind, value)
            here = None if found is None else classes.find_here(found.id)
        if here is not None and projects.pair(here, project_id) not in apart:
            return here
    return None


def take_card(
    db: Database, classes: ProjectClasses, project_id: str, card: Mapping[str, Any], at: str
) -> str:
    """Let a project of another machine be one of this store's, made if there is none; return its
    id here. Its names and proofs are added to those that are known, unless another has them.
    """
    here = find_same(db, classes, project_id, card)
    if here is None:
        sync_group.add_project(db, project_id, _choose_name(db, card), at)
        here = project_id
    elif here != project_id and classes.find_here(project_id) != here:
        sync_group.map_project(db, project_id, here)
    for kind, value in _read_aliases(card):
        if kind == "id" and classes.find_here(value) is None:
            sync_group.map_project(db, value, here)
        elif kind in _PROOFS:
            projects.add_alias(db, here, kind, value, at)
    classes.renew()
    return here


def tells_end(event: ChangeEvent) -> bool:
    """Whether an event says that a project was erased for good."""
    return (event.topic, event.verb, event.before, event.after) == ("project", PURGED, None, None)


def split_by_end(graph: ChangeGraph) -> tuple[bool, list[str]]:
    """Whether a project was erased for good, and the changes that say what was erased.

    A machine that has records of its own in it, which the eraser could not know, names it again:
    what was said by who knew of every erasure counts.
    """
    ends = 0
    for number, change in enumerate(graph.changes):
        ends |= any(map(tells_end, change.events)) << number
    if not ends:
        return False, []
    told = [(n, each) for n, each in enumerate(graph.changes) if not ends >> n & 1]
    erased = [each.id for n, each in told if ends & ~graph.before[n]]
    is_named = any(each.events and not ends & ~graph.before[n] for n, each in told)
    return not is_named, erased


def list_same_elsewhere(
    classes: ProjectClasses, project_id: str, card: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Pairs of projects of this store (part, whole) that a card says are one, and are two here."""
    whole = classes.find_here(project_id)
    parts = (classes.find_here(value) for kind, value in _read_aliases(card) if kind == "id")
    return sorted({(part, whole) for part in parts if part and whole and part != whole})


def _choose_name(db: Database, card: Mapping[str, Any]) -> str:
    name = str(card.get("name") or "project")
    return projects.find_free_name(db, name)


def _list_proofs(card: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """What may show that two projects are one, the surest first."""
    order = ("id", *_PROOFS)
    told = [each for each in _read_aliases(card) if each[0] in order]
    return sorted(told, key=lambda each: (order.index(each[0]), each[1]))


def _read_aliases(card: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The aliases of a card that make sense; who wrote it may be anybody of the group."""
    told: Sequence[Any] = card.get("aliases") or ()
    return [
        (each[0], each[1])
        for each in told[:_MOST_ALIASES]
        if isinstance(each, list | tuple)
        and len(each) == 2
        and each[0] in _TOLD_KINDS
        and isinstance(each[1], str)
        and each[1]
    ]
