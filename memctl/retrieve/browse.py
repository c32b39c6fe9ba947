"""The store as a tree of folders: what is where, by path and pattern.

The folders of records are those of `records/paths`; besides, `entities` has the entities by kind
and `sources` the captured conversations by agent. The tree is made anew at each call: nothing is
kept, and what one looks at is what the store holds. A relative path begins in the folder of the
caller's project. In patterns `*`, `?` and `[...]` stand for parts of one name.
"""

from __future__ import annotations

import fnmatch
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from memctl.core.errors import NotFound
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Actor, Place
from memctl.records import paths
from memctl.results.browsing import BrowseEntry, BrowseReport
from memctl.retrieve import turn_search
from memctl.store import browse, context_records, projects, records
from memctl.store.context_records import shorten_among
from memctl.store.database import Database, Row

ENTITIES = "entities"
SOURCES = "sources"
# The folders at the top, in the order in which they are shown.
_TOP = (
    paths.PROFILE,
    paths.GLOBAL,
    paths.PROJECTS,
    paths.AGENTS,
    paths.SESSIONS,
    paths.INBOX,
    paths.ARCHIVE,
    ENTITIES,
    SOURCES,
)
_WILD = ("*", "?", "[")
# Names that an error suggests, and how alike they must be. By hand.
_MOST_NEAR = 4
_ALIKE = 0.5
# Characters of an id by which an entry is called at least.
_SHORTEST_ID = 4
# Fewer characters of an id, alone, are rather a name: they hold the time to about a quarter hour.
_LONGEST_COMMON = 7


class BrowseNode:
    """A folder with its children by name, or a leaf: `what` it is and its id.

    Records get their names, which take most of the time, when somebody looks into their folder:
    until then they are `unnamed`, rows of `store/browse`.
    """

    __slots__ = ("_children", "id", "name", "name_leaves", "title", "unnamed", "what")

    def __init__(
        self, name: str, what: str = "folder", title: str = "", id: str | None = None
    ) -> None:
        self.name, self.what, self.title, self.id = name, what, title, id
        self._children: dict[str, BrowseNode] = {}
        self.unnamed: list[Row] = []
        self.name_leaves: Callable[[Sequence[Row]], Iterable[BrowseNode]] | None = None

    @property
    def children(self) -> dict[str, BrowseNode]:
        """What lies in this folder, by name."""
        if self.unnamed and self.name_leaves is not None:
            rows, self.unnamed = self.unnamed, []
            for leaf in self.name_leaves(rows):
                _put_leaf(self._children, leaf)
        return self._children

    def count_leaves(self) -> int:
        """Count what lies in this folder and in its folders."""
        return len(self.unnamed) + sum(
            child.count_leaves() if child.what == "folder" else 1
            for child in self._children.values()
        )

    def list_folders(self) -> list[BrowseNode]:
        """The folders in this one."""
        return [child for child in self._children.values() if child.what == "folder"]


@dataclass(frozen=True, slots=True)
class Found:
    """A node with the path to it, names from the top."""

    path: tuple[str, ...]
    node: BrowseNode

    def write_path(self) -> str:
        """Return the path as one types it."""
        return "/" + "/".join(self.path)


def list_folder(
    db: Database,
    viewer: Actor,
    place: Place,
    text: str,
    *,
    level: int = 0,
    limit: int = 200,
    offset: int = 0,
) -> BrowseReport:
    """List what is in a folder, or what fits a pattern. Raises NotFound, which names what is near.

    At level 1 records have their summaries, at level 2 all that they say.
    """
    with db.snapshot():
        root = build_tree(db, viewer, place)
        path = read_path(text, find_home(db, place))
        found = find_nodes(root, path)
        if len(found) == 1 and found[0].node.what == "folder" and not _is_pattern(path):
            (folder,) = found
            found = [
                Found((*folder.path, name), child) for name, child in folder.node.children.items()
            ]
        shown = found[offset:] if limit < 0 else found[offset : offset + limit]
        entries = tuple(_fill(db, [_describe(each) for each in shown], level))
    return BrowseReport("/" + "/".join(path), entries, len(found), level, offset)


def list_tree(
    db: Database,
    viewer: Actor,
    place: Place,
    text: str,
    *,
    level: int = 0,
    depth: int = 3,
    limit: int = 200,
    offset: int = 0,
) -> BrowseReport:
    """List folders and what is in them, so many folders deep. Raises NotFound."""
    with db.snapshot():
        root = build_tree(db, viewer, place)
        path = read_path(text, find_home(db, place))
        lines = [
            replace(_describe(each), depth=deep)
            for top in find_nodes(root, path)
            for each, deep in _walk(top, depth)
        ]
        shown = lines[offset:] if limit < 0 else lines[offset : offset + limit]
        entries = tuple(_fill(db, shown, level))
    return BrowseReport("/" + "/".join(path), entries, len(lines), level, offset, is_tree=True)


def find_leaves(
    db: Database, viewer: Actor, place: Place, texts: Sequence[str]
) -> list[BrowseEntry]:
    """Find the records, conversations and entities at some paths.

    Raises NotFound, also for a folder.
    """
    with db.snapshot():
        root, home = build_tree(db, viewer, place), find_home(db, place)
        leaves = []
        for text in texts:
            path = read_path(text, home)
            found = _find_by_id(root, text) or find_nodes(root, path)
            files = [each for each in found if each.node.what != "folder"]
            if not files:
                folder = found[0].write_path()
                raise NotFound(f"{folder} is a folder", hint=f"memctl ls {folder}")
            leaves += [_describe(each) for each in files]
    return leaves


def list_beginning(db: Database, viewer: Actor, place: Place, text: str) -> list[str]:
    """List the paths that begin like a text, one folder deep; folders end in a slash."""
    before, _, begun = text.rpartition("/")
    folder_text = f"{before}/" if "/" in text else ""
    wanted = _fold(begun)
    with db.snapshot():
        root, home = build_tree(db, viewer, place), find_home(db, place)
        try:
            found = find_nodes(root, read_path(folder_text or ".", home))
        except NotFound:
            return []
        return [
            folder_text + name + ("/" if child.what == "folder" else "")
            for each in found
            for name, child in each.node.children.items()
            if _fold(name).startswith(wanted)
        ]


def build_tree(db: Database, viewer: Actor, place: Place) -> BrowseNode:
    """Build the whole tree, as far as the viewer may see it."""
    root = BrowseNode("")
    for name in _TOP:
        root.children[name] = BrowseNode(name)
    agent = None if viewer.is_operator else viewer.agent
    folders = _name_projects(db)
    _put_records(
        db, root, browse.list_records(db, viewer=agent, session_id=place.session_id), folders
    )
    for project, name in folders.items():
        if project:
            _find_or_make(root, (paths.PROJECTS, name))
    for row in browse.list_entities(db):
        name = paths.make_name(row["name"])
        _put(root, (ENTITIES, row["kind"]), BrowseNode(name, "entity", row["name"], row["id"]))
    _put_conversations(db, root, viewer, place)
    return root


def _put_records(
    db: Database, root: BrowseNode, rows: Iterable[Row], folders: Mapping[str, str]
) -> None:
    """Put records into their folders; all of one kind and place lie in the same."""

    def name_leaves(rows: Sequence[Row]) -> Iterator[BrowseNode]:
        shorts = context_records.shorten_ids(db, [row["id"] for row in rows])
        for row in rows:
            some_id, title = str(row["id"]), str(row["title"])
            name = paths.make_note_name(title, shorts.get(some_id, some_id))
            yield BrowseNode(name, "record", title, some_id)

    found: dict[tuple[object, ...], BrowseNode] = {}
    for row in rows:
        # All that says where it lies: what stands between the id and the title.
        where = tuple(row)[1:-1]
        node = found.get(where)
        if node is None:
            entry = browse.build_entry(row)
            folder = paths.find_folder(entry, folders.get(entry.project_id or ""))
            node = found[where] = _find_or_make(root, folder)
            node.name_leaves = name_leaves
        node.unnamed.append(row)


def _name_projects(db: Database) -> dict[str, str]:
    """The name of each project's folder, by id; two of one name are told apart by their ids."""
    names = {project_id: paths.make_name(name) for project_id, name in projects.names(db).items()}
    folded: dict[str, list[str]] = {}
    for project_id, name in sorted(names.items()):
        folded.setdefault(_fold(name), []).append(project_id)
    for same in folded.values():
        shorts = shorten_among(
            {"id": each, "before": before, "after": after}
            for each, before, after in zip(same, [None, *same], [*same[1:], None], strict=False)
        )
        for each in same[1:]:
            names[each] = f"{names[each]}-{shorts[each]}"
    return names


def _put_conversations(db: Database, root: BrowseNode, viewer: Actor, place: Place) -> None:
    query = turn_search.TurnQuery("", place, all_projects=True)
    rows = turn_search.list_readable(db, query, viewer)
    shorts = turn_search.shorten_conversations(db, rows)
    for row in rows.values():
        title = str(row["title"] or row["session_id"])
        name = paths.make_note_name(title, shorts.get(row["id"]) or str(row["id"]))
        folder = (SOURCES, paths.make_name(row["agent"]))
        _put(root, folder, BrowseNode(name, "conversation", title, row["id"]))


def _put(root: BrowseNode, folder: tuple[str, ...], leaf: BrowseNode) -> None:
    _put_leaf(_find_or_make(root, folder).children, leaf)


def _put_leaf(children: dict[str, BrowseNode], leaf: BrowseNode) -> None:
    # Two entities whose names differ only in signs that no file name takes.
    name = leaf.name if leaf.name not in children else f"{leaf.name}-{leaf.id}"
    children[name] = leaf


def _find_or_make(root: BrowseNode, folder: tuple[str, ...]) -> BrowseNode:
    node = root
    for name in folder:
        node = node.children.setdefault(name, BrowseNode(name))
    return node


def find_home(db: Database, place: Place) -> tuple[str, ...]:
    """Return the folder in which relative paths begin: that of the caller's project, or the top."""
    name = _name_projects(db).get(place.project_id or "")
    return (paths.PROJECTS, name) if name else ()


def read_path(text: str, home: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of a path from the top; `.` and `..` mean what they mean in a shell."""
    names = [] if text.startswith("/") else [*home]
    for name in text.split("/"):
        if name == "..":
            names = names[:-1]
        elif name not in ("", "."):
            names.append(name)
    return tuple(names)


def find_nodes(root: BrowseNode, path: tuple[str, ...]) -> list[Found]:
    """Find what is at a path, or fits it as a pattern. Raises NotFound, which names what is near.

    A record may also be named by its id alone, or by the beginning of its name.
    """
    found = [Found((), root)]
    for place, wanted in enumerate(path):
        following = [
            Found((*each.path, name), each.node.children[name])
            for each in found
            for name in _match(each.node, wanted)
        ]
        if not following:
            raise _report_missing(found, path, place)
        found = following
    return found


def _find_by_id(root: BrowseNode, text: str) -> list[Found]:
    """What has an id that begins with a word, wherever it lies, if that is only one."""
    if not (text.isalnum() and text.isascii() and len(text) >= _LONGEST_COMMON):
        return []
    found = [*_walk_to_id(Found((), root), text.upper())]
    return found if len(found) == 1 else []


def _walk_to_id(top: Found, wanted: str) -> Iterator[Found]:
    """What is below a folder and has an id that begins so; other records need no names."""
    node = top.node
    if not node.unnamed or any(row["id"].startswith(wanted) for row in node.unnamed):
        for name, child in node.children.items():
            if (child.id or "").startswith(wanted):
                yield Found((*top.path, name), child)
    for folder in node.list_folders():
        yield from _walk_to_id(Found((*top.path, folder.name), folder), wanted)


def _match(node: BrowseNode, wanted: str) -> list[str]:
    """The names in a folder that a name or pattern means."""
    folded = _fold(wanted)
    for name in node.children:
        if name == wanted or _fold(name) == folded:
            return [name]
    if _is_pattern([wanted]):
        return [name for name in node.children if fnmatch.fnmatchcase(_fold(name), folded)]
    if len(wanted) < _SHORTEST_ID:
        return []
    by_id = [
        name
        for name, child in node.children.items()
        if child.id is not None and child.id.startswith(wanted.rpartition("-")[2].upper())
    ]
    if len(by_id) == 1:
        return by_id
    begun = [
        name
        for name, child in node.children.items()
        if child.what != "folder" and _fold(name).startswith(folded)
    ]
    return begun if len(begun) == 1 else []


def _report_missing(found: Sequence[Found], path: tuple[str, ...], place: int) -> NotFound:
    from difflib import get_close_matches

    missing = "/" + "/".join(path[: place + 1])
    folders = [each for each in found if each.node.what == "folder"]
    if not folders:
        return NotFound(f"{found[0].write_path()} is no folder, so nothing is at {missing}")
    names = {_fold(name): name for each in folders for name in each.node.children}
    wanted = _fold(path[place])
    near = get_close_matches(wanted, names, n=_MOST_NEAR, cutoff=_ALIKE)
    near += [name for name in names if wanted in name and name not in near]
    folder = folders[0].write_path()
    told = ", ".join(names[name] for name in near[:_MOST_NEAR])
    hint = f"near: {told}" if near else f"memctl ls {folder}"
    return NotFound(f"nothing is at {missing}", hint=hint)


def _walk(top: Found, depth: int) -> Iterator[tuple[Found, int]]:
    """A node and what is below it, each with its depth."""
    yield top, 0
    if depth > 0:
        for name, child in top.node.children.items():
            for each, deep in _walk(Found((*top.path, name), child), depth - 1):
                yield each, deep + 1


def _describe(found: Found) -> BrowseEntry:
    node = found.node
    is_folder = node.what == "folder"
    return BrowseEntry(
        found.write_path(),
        found.path[-1] if found.path else "/",
        node.what,
        node.title,
        count=node.count_leaves() if is_folder else 0,
        id=node.id,
    )


def _fill(db: Database, entries: Iterable[BrowseEntry], level: int) -> Iterator[BrowseEntry]:
    """Entries with what the level shows of records."""
    listed = [*entries]
    if not level:
        yield from listed
        return
    ids = [entry.id for entry in listed if entry.what == "record" and entry.id]
    read = records.list_by_ids(db, ids)
    for entry in listed:
        memory = read.get(entry.id or "")
        if memory is None:
            yield entry
            continue
        content = memory.content if level > 1 else None
        yield replace(entry, summary=memory.summary, content=content)


def _is_pattern(names: Iterable[str]) -> bool:
    return any(sign in name for name in names for sign in _WILD)


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
