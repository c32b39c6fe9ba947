"""Namespaces: where a memory belongs, as other memory libraries write it, told in memctl's words.

A namespace is a tuple of words and names, the widest first: `("project", NAME)`,
`("agent", NAME)`, `("session", ID)`, `("global",)`, and several in one:
`("project", NAME, "agent", NAME)`. The last word is the scope. A word alone at the end means the
caller's own: `("project",)`, or just `"project"`. A project and a repository may be named by their
folder, as a `Path`. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass
from memctl.core.model import SCOPES, Scope
from memctl.core.typing_lite import TypeAlias

# What a caller may give: a word, or words and names in turn.
AnyNamespace: TypeAlias = str | Sequence[str | Path]

# Words of other libraries for what is not kept apart here, with why.
_REFUSED = {
    "user": "a store is the memory of one operator: give each user a store, "
    "`MemoryEngine.open(PATH)`",
}
_REFUSED["user_id"] = _REFUSED["tenant"] = _REFUSED["user"]
# Which scopes are named by a folder where a name would do too.
_IN_FOLDERS = ("project", "repo")
_EXAMPLES = '("project", NAME), ("agent", NAME), ("session", ID) or ("global",)'


@dataclass(frozen=True, slots=True)
class Namespace:
    """A scope with what its namespace named; what it did not name is the caller's own.

    `folder` stands where a project or repository was named by its folder.
    """

    scope: Scope
    project: str | None = None
    folder: Path | None = None
    agent: str | None = None
    session: str | None = None


def read_namespace(value: AnyNamespace) -> Namespace:
    """Read a namespace. Raises UsageError that says what does not fit, and why."""
    found: dict[str, str | Path | None] = {}
    for word, name in _split_pairs(value):
        if word in _REFUSED:
            raise UsageError(f"there is no namespace {word!r}: {_REFUSED[word]}")
        if word not in SCOPES:
            raise UsageError(f"{word!r} begins no namespace", hint=f"it is {_EXAMPLES}")
        if found and SCOPES.index(word) <= max(map(SCOPES.index, found)):
            raise UsageError(f"{word!r} stands behind what is narrower", hint="the widest is first")
        found[word] = _check_name(word, name)
    if "global" in found and len(found) > 1:
        raise UsageError("what is global belongs to no project, agent or session")
    project = found.get("project")
    if project is not None and found.get("repo") is not None:
        raise UsageError("a repository's folder tells its project", hint='it is ("repo", PATH)')
    where = found.get("repo") or project
    return Namespace(
        list(found)[-1],  # type: ignore[arg-type]
        project if isinstance(project, str) else None,
        where if isinstance(where, Path) else None,
        _to_text(found.get("agent")),
        _to_text(found.get("session")),
    )


def format_namespace(namespace: Namespace) -> tuple[str | Path, ...]:
    """Return the tuple that `read_namespace` reads as this."""
    named = {
        "project": namespace.project,
        "agent": namespace.agent,
        "session": namespace.session,
    }
    if namespace.folder is not None:
        named["repo" if namespace.scope == "repo" else "project"] = namespace.folder  # type: ignore[assignment]
    parts: list[str | Path] = []
    for word in SCOPES:
        if named.get(word) is not None:
            parts += [word, named[word]]  # type: ignore[list-item]
        elif word == namespace.scope:
            parts.append(word)
    return tuple(parts)


def _split_pairs(value: AnyNamespace) -> Iterable[tuple[str, str | Path | None]]:
    """Pair each word with its name; the last word may have none."""
    parts = (value,) if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not parts:
        raise UsageError(f"{value!r} is no namespace", hint=f"it is {_EXAMPLES}")
    words, names = list(parts[0::2]), [*parts[1::2], None]
    odd = [word for word in words if not isinstance(word, str)]
    if odd:
        raise UsageError(f"{odd[0]!r} begins no namespace", hint=f"it is {_EXAMPLES}")
    return zip(words, names, strict=False)


def _check_name(word: str, name: object) -> str | Path | None:
    if name is None:
        return None
    if word == "global":
        raise UsageError("what is global has no name", hint='it is ("global",)')
    if isinstance(name, Path) and word in _IN_FOLDERS:
        return name
    if word == "repo":
        raise UsageError("a repository is named by its folder, as a Path")
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"{name!r} names no {word}")
    return name


def _to_text(name: str | Path | None) -> str | None:
    return None if name is None else str(name)
