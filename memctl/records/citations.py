"""Citations that go stale: files, folders and commands that a record cites, looked for where its
project lies.

Kept true: nothing is run, only names and small manifests are read, never outside the project's
folder, and not for long. No false alarm: a name counts as `missing` only if it was once seen here,
since much that looks like a path never was one (`and/or`, `node.js`) and a command may be a tool of
the machine. Where the project's folder is not on this machine, nothing is missing, only unknown.
What is missing lowers how sure a record is when it is ranked (see `retrieve.decay`); the record
itself is left alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from memctl.core import clock, timestamps
from memctl.core.bounded_work import BoundedWork
from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Memory
from memctl.core.regular_files import read_regular_file
from memctl.core.typing_lite import Any
from memctl.settings.config import Config
from memctl.store import citations as store
from memctl.store import meta
from memctl.store.citations import Citation
from memctl.store.database import Database

# Records that one run looks at, at most; the limits here were chosen by hand.
LIMIT = 5000
# The note of the store that says where the last run stopped.
_CURSOR = "citations_after"
# Seconds that one run may take.
_SECONDS = 10.0
# Records that are written in one transaction.
_BATCH = 50
# Characters of a text that are read.
_LONGEST_TEXT = 65536
# Citations of one record.
_MOST_CITED = 12
# Characters of a path or name.
_LONGEST_NAME = 200
# Bytes of a manifest that is read.
_LARGEST_MANIFEST = 1_000_000

_TOKEN = compile_later(r"""[^\s`'"()\[\]{},;|<>=]+""")
_LINE = compile_later(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?|::[\w:\[\]-]*)$")
_PLAIN = compile_later(r"[\w.@+-]+(?:/[\w.@+-]+)*/?")
_ENDINGS = frozenset(
    "c cc cfg conf cpp cs css csv dart env ex exs go gradle graphql h hpp html ini ipynb java js"
    " json jsx kt less lock lua md mjs mk php pl prisma properties proto ps1 py pyi r rb rs rst"
    " sass scala scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml zig".split()
)
_FILES = frozenset(
    (
        "Makefile",
        "Dockerfile",
        "Justfile",
        "justfile",
        "Procfile",
        "Jenkinsfile",
        "Gemfile",
        "Rakefile",
        "CODEOWNERS",
    )
)
_NODE = ("npm", "pnpm", "yarn", "bun")
_NODE_WORDS = ("test", "start", "stop", "restart")
_NODE_OWN = frozenset(
    "add ci install i init link login exec dlx create remove uninstall update upgrade why audit"
    " publish pack -v".split()
)
_PYTHON = ("poetry", "uv", "pdm", "hatch")
_NAME = compile_later(r"[A-Za-z0-9_][\w:.-]*")


def find_cited(text: str) -> tuple[tuple[str, str], ...]:
    """Find what a text cites, each once, in order, as kind (`path` or `command`) and value; at
    most twelve. Pure.
    """
    words = [word.rstrip(".:!?") or word for word in _TOKEN.findall(text[:_LONGEST_TEXT])]
    found = dict.fromkeys(
        [*_find_commands(words), *(("path", path) for word in words if (path := _parse_path(word)))]
    )
    return tuple(found)[:_MOST_CITED]


def _parse_path(word: str) -> str | None:
    """Return a word as a path within a project, if it may be one: it has a folder in it, or it
    ends as files do.
    """
    if len(word) > _LONGEST_NAME:
        return None
    name = _LINE.sub("", word).removeprefix("./")
    if not _PLAIN.fullmatch(name) or ".." in name.split("/"):
        return None
    last = name.rstrip("/").rpartition("/")[2]
    ending = last.rpartition(".")[2].lower() if "." in last.lstrip(".") else ""
    is_file = ending in _ENDINGS or last in _FILES or last.startswith(".env")
    return (
        name
        if is_file
        or ("/" in name.rstrip("/") and not name.replace("/", "").replace(".", "").isdigit())
        else None
    )


def _find_commands(words: list[str]) -> Iterator[tuple[str, str]]:
    """Find commands whose names a project defines: scripts of package.json and pyproject,
    targets of make and just, binaries of cargo.
    """
    for place, word in enumerate(words):
        rest = words[place + 1 : place + 4]
        name = _parse_script(word, rest)
        if name is not None and _NAME.fullmatch(name) and len(name) <= _LONGEST_NAME:
            tool = word if word in ("make", "just") else f"{word} run"
            yield "command", f"{tool} {name}"


def _parse_script(tool: str, rest: list[str]) -> str | None:
    """Return the name that a tool is asked to run, if a project defines such names for it."""
    first, second = (*rest, "", "")[:2]
    if tool in ("make", "just") or (tool in _NODE and first in _NODE_WORDS):
        return first or None
    if tool in _NODE and first != "run":
        return first if tool != "npm" and first and first not in _NODE_OWN else None
    if tool == "cargo":
        return rest[2] if first == "run" and second == "--bin" and len(rest) > 2 else None
    return second or None if tool in (*_NODE, *_PYTHON) and first == "run" else None


class ProjectFolder:
    """A project's folder, looked into without leaving it."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)

    @cached_property
    def is_there(self) -> bool:
        """Whether the folder is on this machine and can be looked into."""
        return os.path.isdir(self.root) and os.access(self.root, os.R_OK | os.X_OK)

    def contains(self, kind: str, value: str) -> bool | None:
        """Whether a cited thing is there; None where that cannot be told."""
        return self._contains_path(value) if kind == "path" else self._contains_command(value)

    def _contains_path(self, value: str) -> bool | None:
        try:
            whole = os.path.realpath(os.path.join(self.root, value))
            return (
                os.path.exists(whole)
                if whole == self.root or whole.startswith(self.root + os.sep)
                else None
            )
        except (OSError, ValueError):
            return None

    def _contains_command(self, value: str) -> bool | None:
        tool, _, name = value.replace(" run ", " ").partition(" ")
        if tool == "make":
            return self._in_rules(self._makefile, name, "include ", "%")
        if tool == "just":
            return self._in_rules(self._justfile, name, "import ", "mod ")
        if tool == "cargo":
            return self._contains_path(f"src/bin/{name}.rs") or any(
                one.get("name") == name for one in _list_mappings(self._cargo, "bin")
            )
        if tool in _NODE:
            return name in _get_mapping(self._package, "scripts")
        python = self._pyproject
        scripts = (
            _get_mapping(python, "project", "scripts"),
            *(_get_mapping(python, "tool", of, "scripts") for of in ("poetry", "pdm", "hatch")),
        )
        return any(name in known for known in scripts)

    @staticmethod
    def _in_rules(found: tuple[set[str], str], name: str, *more: str) -> bool | None:
        """Whether a target is defined; None where the file takes in others, which may define it."""
        names, text = found
        return True if name in names else None if any(mark in text for mark in more) else False

    @cached_property
    def _makefile(self) -> tuple[set[str], str]:
        text = next(filter(None, map(self._read, ("GNUmakefile", "makefile", "Makefile"))), "")
        return {name for line in text.split("\n") for name in _split_rule_names(line)}, text

    @cached_property
    def _justfile(self) -> tuple[set[str], str]:
        text = next(filter(None, map(self._read, ("justfile", "Justfile", ".justfile"))), "")
        return {
            names[0].removeprefix("@")
            for line in text.split("\n")
            if (names := _split_rule_names(line))
        }, text

    @cached_property
    def _package(self) -> Any:
        try:
            return json.loads(self._read("package.json") or "{}")
        except (ValueError, RecursionError):
            return {}

    @cached_property
    def _pyproject(self) -> Any:
        return self._toml("pyproject.toml")

    @cached_property
    def _cargo(self) -> Any:
        return self._toml("Cargo.toml")

    def _toml(self, name: str) -> Any:
        import tomllib  # here, because most records cite no package

        try:
            return tomllib.loads(self._read(name))
        except (ValueError, RecursionError):
            return {}

    def _read(self, name: str) -> str:
        """A small file of the folder; empty where there is none, or where it leads out of the
        folder.
        """
        if not self._contains_path(name):
            return ""
        path = Path(self.root, name)
        try:
            return read_regular_file(path, most=_LARGEST_MANIFEST).decode("utf-8", "replace")
        except OSError:
            return ""


def _split_rule_names(line: str) -> list[str]:
    """Return the words before the colon of a rule; none of a line that is indented, a comment or
    an assignment.
    """
    head, colon, rest = line.partition(":")
    return (
        head.split()
        if colon
        and not rest.startswith("=")
        and "=" not in head
        and line[:1] not in ("", " ", "\t", "#")
        else []
    )


def _get_mapping(value: Any, *names: str) -> Mapping[str, Any]:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _list_mappings(value: Any, name: str) -> list[Mapping[str, Any]]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """One record with its citations as they are now, and as they were before."""

    memory: Memory
    now: tuple[Citation, ...]
    before: tuple[Citation, ...]


def decide_state(before: str | None, is_there: bool | None) -> str:
    """Decide what a citation's state becomes: `missing` only if it was once seen here. Pure."""
    if is_there is None:
        return "unknown"
    return "here" if is_there else "missing" if before in ("here", "missing") else "unknown"


def check_citations(
    db: Database, config: Config, work: BoundedWork | None = None, *, limit: int = LIMIT
) -> dict[str, int]:
    """Look for what the next `limit` records cite, from where the last run stopped, for ten seconds
    at most.

    Counts `looked_at`, `cited`, `missing` and `news`.
    """
    work = work or BoundedWork()
    counts = work.counts
    counts.update(looked_at=0, cited=0, missing=0, news=0)
    disks: dict[str, ProjectFolder] = {}
    began, after = clock.read_monotonic(), meta.get_note(db, _CURSOR) or ""
    while counts["looked_at"] < limit and clock.read_monotonic() - began < _SECONDS:
        if work.must_stop():
            break
        due = store.list_due(db, after, min(_BATCH, limit - counts["looked_at"]))
        looked = [
            _check_record(db, memory, disks.setdefault(root, ProjectFolder(root)))
            for memory, root in due
        ]
        # A run that came to the end begins again at the first record.
        after = due[-1][0].id if due else ""
        with db.write():
            news = sum(_store_citations(db, one) for one in looked)
            meta.put_note(db, _CURSOR, after)
        counts["news"] += news
        counts["looked_at"] += len(looked)
        counts["cited"] += sum(len(one.now) for one in looked)
        counts["missing"] += sum(each.state == "missing" for one in looked for each in one.now)
        if not due:
            break
    return dict(counts)


def _check_record(db: Database, memory: Memory, disk: ProjectFolder) -> CheckedRecord:
    before = tuple(store.list_of_memory(db, memory.id))
    known = {(one.kind, one.value): one.state for one in before}
    if not disk.is_there:
        # Nobody can tell now; what was last seen here may be seen here again.
        away = tuple(
            Citation(one.kind, one.value, "unknown", clock.now()) if one.state == "missing" else one
            for one in before
        )
        return CheckedRecord(memory, away, before)
    found = find_cited(memory.content)
    now = clock.now()
    return CheckedRecord(
        memory,
        tuple(
            Citation(*key, decide_state(known.get(key), disk.contains(*key)), now) for key in found
        ),
        before,
    )


def _store_citations(db: Database, looked: CheckedRecord) -> int:
    """Write what one record cites, inside a transaction; return how many citations changed their
    state.
    """
    known = {(one.kind, one.value): one for one in looked.before}
    cited_now = {(one.kind, one.value) for one in looked.now}
    # What was never seen here and is not now says nothing: it is not kept.
    telling = [
        one for one in looked.now if one.state != "unknown" or (one.kind, one.value) in known
    ]
    for one in telling:
        store.put_citation(db, looked.memory.id, one)
    for key, old in known.items():
        if key not in cited_now:
            store.drop_citation(db, looked.memory.id, old)
    return sum(
        known[key].state != one.state
        for one in looked.now
        if (key := (one.kind, one.value)) in known
    )


def describe_citation(one: Citation) -> str | None:
    """Describe one citation for a person; None where there is nothing to tell."""
    day = timestamps.to_local_day(one.checked_at)
    return (
        f"cites {one.value}, which is gone (looked for on {day})"
        if one.state == "missing"
        else None
    )
