"""What travels, and where: the streams of a record. Pure, but for reading what was said.

A stream is a sequence of changes for one audience: `own:MEMBER` for the machines of one person,
`project:ID` for all who share a project, `project:global` for what holds everywhere and was shared.
What is private to an agent or a session stays at home, and so do candidates unless asked for. A
profile goes to others only where its type was named.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass
from memctl.core.model import Memory
from memctl.store import sync_group
from memctl.store.database import Database
from memctl.store.rows import to_canonical_json
from memctl.store.sync_group import StoredShare
from memctl.sync.project_identity import ProjectClasses

# What was said of what holds everywhere stands under this project.
EVERYWHERE = ""
# What nothing was said of travels to one's own machines.
USUAL_AUDIENCE = "own"
_GLOBAL_STREAM = "project:global"
_AT_HOME = ("agent", "session")
_ABOUT_PERSON = "profile"


def name_own_stream(member: str) -> str:
    """The stream that only the machines of a member read."""
    return f"own:{member}"


def name_project_stream(canonical: str | None) -> str:
    """The stream of a project (by its canonical id), or of what holds everywhere."""
    return f"project:{canonical}" if canonical else _GLOBAL_STREAM


@dataclass(frozen=True, slots=True)
class SharingRules:
    """What was said of projects (by the ids of this store), and whose store this is."""

    member: str
    shares: Mapping[str, StoredShare]

    @classmethod
    def read(cls, db: Database, member: str) -> SharingRules:
        """Read what was said."""
        return cls(member, sync_group.list_shares(db))

    @property
    def has_turns(self) -> bool:
        """Whether conversations of anything travel."""
        return any(share.with_turns for share in self.shares.values())

    def find_share(self, project_id: str | None) -> StoredShare:
        """What was said of a project of this store, or goes without saying."""
        key = project_id or EVERYWHERE
        return self.shares.get(key) or StoredShare(key, USUAL_AUDIENCE)

    def find_project_streams(self, project_id: str | None, classes: ProjectClasses) -> list[str]:
        """The streams that anything of a project travels in."""
        share = self.find_share(project_id)
        if share.audience == "never":
            return []
        streams = [name_own_stream(self.member)]
        if share.audience == "group":
            canonical = None if project_id is None else classes.get_canonical(project_id)
            streams.append(name_project_stream(canonical))
        return streams

    def takes_candidates(self, memory: Memory, classes: ProjectClasses) -> bool:
        """Whether candidates travel where a record belongs."""
        return self.find_share(_find_here(memory, classes)).with_candidates

    def find_streams(
        self, memory: Memory, classes: ProjectClasses, *, is_known: bool = False
    ) -> list[str]:
        """The streams that a record of this store's member travels in; none if it stays at home.

        One that is known to others goes on travelling when it becomes a candidate again. Whether
        one that is archived was ever more than a candidate is not looked at (see `collecting`).
        """
        if memory.scope in _AT_HOME or memory.origin is not None:
            return []
        here = _find_here(memory, classes)
        share = self.find_share(here)
        if share.types is not None and memory.type not in share.types:
            return []
        if memory.status == "inbox" and not is_known and not share.with_candidates:
            return []
        streams = self.find_project_streams(here, classes)
        if memory.type == _ABOUT_PERSON and _ABOUT_PERSON not in (share.types or ()):
            streams = streams[:1]
        return streams

    def compute_state(self, classes: ProjectClasses) -> str:
        """A text that changes when something else travels, or under another project's name."""
        told = [
            [key, share.audience, share.types and list(share.types), share.with_candidates]
            for key, share in sorted(self.shares.items())
        ]
        here = {each: classes.get_canonical(each) for each in classes.list_here()}
        renamed = sorted([each, name] for each, name in here.items() if name != each)
        return to_canonical_json([self.member, told, renamed])


def _find_here(memory: Memory, classes: ProjectClasses) -> str | None:
    return None if memory.project_id is None else classes.find_here(memory.project_id)
