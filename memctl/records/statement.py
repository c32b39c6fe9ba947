"""A record as consolidation sees it. Plain data, no I/O."""

from __future__ import annotations

from memctl.core.frozen import dataclass
from memctl.core.model import AGENT_CLAIMED, OPERATOR_IMPLIED, OWNER_OF, Memory, Owner
from memctl.text.corrections import drop_corrected_words
from memctl.text.normalize import make_fingerprint, make_scope_key

LIVE = ("active", "contradicted", "inbox")


@dataclass(frozen=True, slots=True)
class Statement:
    """What is compared: one memory without its evidence.

    `fingerprint` may be left empty and is then worked out. `origins` names the distinct channels
    the statement came through (sessions, agents): corroboration counts them. `observed_at` is when
    it was last said on its own authority, in UTC and the store's one format, so that text order is
    time order. `announces` says that the operator's words announce a change; `pinned` that it was
    chosen by hand.
    """

    id: str
    content: str
    subject: str | None = None
    scope: str = "global"
    project_id: str | None = None
    type: str = "project"
    kind: str = "fact"
    status: str = "inbox"
    trust: int = AGENT_CLAIMED
    observed_at: str | None = None
    fingerprint: str = ""
    agent_id: str | None = None
    repo_id: str | None = None
    origins: frozenset[str] = frozenset()
    announces: bool = False
    pinned: bool = False

    @property
    def scope_key(self) -> str:
        """The scope key: statements of different rooms never meet."""
        return make_scope_key(self.scope, self.project_id, self.agent_id, self.repo_id)

    @property
    def digest(self) -> str:
        """The stored fingerprint, or the one it would have."""
        return self.fingerprint or make_fingerprint(
            self.content, self.scope, self.project_id, self.agent_id, self.repo_id
        )

    @property
    def owner(self) -> Owner:
        """Who may write records of this type."""
        return OWNER_OF.get(self.type, "shared")

    @property
    def is_operators(self) -> bool:
        """Does the best evidence come from the operator?"""
        return self.trust >= OPERATOR_IMPLIED

    @property
    def is_in_force(self) -> bool:
        """Are agents served it?"""
        return self.status in ("active", "contradicted")

    @property
    def is_live(self) -> bool:
        """May it still gain evidence and stand in a contradiction?"""
        return self.status in LIVE


def find_holder(memory: Memory) -> str | None:
    """Whose a private record is: its agent's or its session's; None for what is shared."""
    return memory.session_id if memory.scope == "session" else memory.agent_id


def compute_fingerprint(memory: Memory) -> str:
    """The fingerprint of a record's content in its place."""
    return make_fingerprint(
        memory.content, memory.scope, memory.project_id, find_holder(memory), memory.repo_id
    )


def make_statement(memory: Memory) -> Statement:
    """Make what is compared of a record, as far as the record itself tells."""
    return Statement(
        id=memory.id,
        content=drop_corrected_words(memory.content),
        subject=memory.subject,
        scope=memory.scope,
        project_id=memory.project_id,
        type=memory.type,
        kind=memory.kind,
        status=memory.status,
        trust=memory.trust,
        observed_at=memory.observed_at,
        fingerprint=memory.fingerprint,
        agent_id=find_holder(memory),
        repo_id=memory.repo_id,
    )
