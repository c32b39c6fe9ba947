"""Where a record has its place in a tree of folders: for browsing, and for folders of notes. Pure.

    profile/SLUG-ID                  what is known of the operator
    global/KINDS/SLUG-ID             what holds everywhere
    projects/NAME/KINDS/SLUG-ID      what a project knows
    agents/NAME/KINDS/SLUG-ID        private to one agent
    sessions/NAME/KINDS/SLUG-ID      the working memory of one session
    inbox/SLUG-ID                    what waits for the operator
    archive/SLUG-ID                  what no longer holds

Names are safe in every file system: no separators, no signs that Windows forbids, no more bytes
than a name may have. They keep the letters of every script.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Protocol

PROFILE = "profile"
GLOBAL = "global"
PROJECTS = "projects"
AGENTS = "agents"
SESSIONS = "sessions"
INBOX = "inbox"
ARCHIVE = "archive"
# The folder of a kind, where it is not just the kind with an `s`.
_FOLDERS: Mapping[str, str] = {
    "reflection": "reflections",
    "preference": "preferences",
    "hint": "hints",
    "task_hint": "hints",
    "history": "history",
    "knowledge": "knowledge",
    "policy": "policies",
    "summary": "summaries",
}
# Where a kind says nothing, the type does.
_FOLDERS_OF_TYPES: Mapping[str, str] = {
    "profile": "profile",
    "project": "facts",
    "decision": "decisions",
    "artifact": "artifacts",
    "episode": "episodes",
    "task_hint": "hints",
}
# Names that Windows keeps for devices.
_DEVICES = compile_later(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")
# Characters; chosen by hand.
_LONGEST_SLUG = 60
_LONGEST_NAME = 80
# Bytes: a name may have 255 in most file systems; the rest is for an id, an ending and a prefix.
_MOST_BYTES = 180


class Placed(Protocol):
    """What says where a record lies: its own fields."""

    @property
    def type(self) -> str:
        """Return the type."""

    @property
    def kind(self) -> str:
        """Return the kind."""

    @property
    def scope(self) -> str:
        """Return the scope."""

    @property
    def status(self) -> str:
        """Return the status."""

    @property
    def project_id(self) -> str | None:
        """Return the project."""

    @property
    def agent_id(self) -> str | None:
        """Return the agent."""

    @property
    def session_id(self) -> str | None:
        """Return the session."""


def find_folder(
    memory: Placed, project_name: str | None, *, by_status: bool = True
) -> tuple[str, ...]:
    """Return the folders that a record lies in, from the top.

    `project_name` is the name of its project. Unless `by_status`, what waits or no longer holds
    lies where it would lie if it held.
    """
    if by_status and memory.status == "inbox":
        return (INBOX,)
    if by_status and memory.status in ("archived", "superseded"):
        return (ARCHIVE,)
    kind = find_kind_folder(memory.type, memory.kind)
    if memory.scope == "agent":
        return (AGENTS, make_name(memory.agent_id or ""), kind)
    if memory.scope == "session":
        return (SESSIONS, make_name(memory.session_id or ""), kind)
    if memory.type == "profile":
        return (PROFILE,)
    if memory.scope in ("project", "repo") and memory.project_id:
        return (PROJECTS, make_name(project_name or memory.project_id), kind)
    return (GLOBAL, kind)


def find_kind_folder(type_: str, kind: str) -> str:
    """Return the folder of records of a kind: `decisions`, `conventions`, `facts`."""
    word = make_slug(kind).replace("-", "_")
    if word in ("", "untitled"):
        return _FOLDERS_OF_TYPES.get(type_, "records")
    if word in _FOLDERS:
        return _FOLDERS[word]
    name = word.replace("_", "-")
    return name if name.endswith("s") else name + "s"


def make_note_name(title: str, some_id: str) -> str:
    """Return the name of a record's note: its title as a slug, and an id of it."""
    return f"{make_slug(title)}-{some_id}"


def make_slug(title: str) -> str:
    """Return a title in small letters, with hyphens between its words; `untitled` for none."""
    text = unicodedata.normalize("NFC", title).casefold()
    text = unicodedata.normalize("NFC", text)
    words = "".join(char if _belongs_to_word(char) else " " for char in text).split()
    return _shorten("-".join(words), _LONGEST_SLUG) or "untitled"


def make_name(name: str) -> str:
    """Return a name as that of a folder: the same as far as file systems take it."""
    text = unicodedata.normalize("NFC", name)
    kept = "".join(char if _may_stand_in_name(char) else "-" for char in text)
    short = _shorten(" ".join(kept.split()), _LONGEST_NAME).strip(" .")
    if not short:
        return "unnamed"
    return f"{short}-" if _DEVICES.match(short) else short


def _belongs_to_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char) in ("Mn", "Mc")


def _may_stand_in_name(char: str) -> bool:
    return char not in '/\\:*?"<>|[]#^' and unicodedata.category(char)[0] != "C"


def _shorten(text: str, length: int) -> str:
    """Cut a text to a length in characters and to the bytes that a name may have."""
    short = text[:length]
    while len(short.encode("utf-8", "replace")) > _MOST_BYTES:
        short = short[:-1]
    if len(short) < len(text) and "-" in short[length // 2 :]:
        short = short[: short.rindex("-")]
    return short.strip("-")
