"""The words of memctl as plain data: turns, candidates, records. No I/O, no decisions.

Closed vocabularies are tuples here and CHECK constraints in the schema; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Type = Literal["profile", "project", "decision", "artifact", "episode", "task_hint"]
Scope = Literal["global", "project", "repo", "agent", "session"]
Status = Literal["inbox", "active", "superseded", "contradicted", "archived"]
SourceKind = Literal["manual", "conversation", "run", "document", "import"]
Relation = Literal["supports", "contradicts", "supersedes", "applies_to", "derived_from", "related_to"]
Owner = Literal["operator", "shared", "agent"]
Role = Literal["human", "assistant", "tool", "system", "summary"]
EntityKind = Literal["person", "project", "org", "concept", "tool"]

TYPES: tuple[Type, ...] = ("profile", "project", "decision", "artifact", "episode", "task_hint")
SCOPES: tuple[Scope, ...] = ("global", "project", "repo", "agent", "session")
STATUSES: tuple[Status, ...] = ("inbox", "active", "superseded", "contradicted", "archived")
SOURCE_KINDS: tuple[SourceKind, ...] = ("manual", "conversation", "run", "document", "import")
RELATIONS: tuple[Relation, ...] = ("supports", "contradicts", "supersedes", "applies_to", "derived_from", "related_to")
OWNERS: tuple[Owner, ...] = ("operator", "shared", "agent")
ENTITY_KINDS: tuple[EntityKind, ...] = ("person", "project", "org", "concept", "tool")

OWNER_OF: Mapping[str, Owner] = {
    "profile": "operator",
    "project": "shared",
    "decision": "shared",
    "artifact": "shared",
    "episode": "agent",
    "task_hint": "agent",
}

# Trust of evidence, ordered: the origin is set by the channel a text came through, never by the text itself.
FETCHED_TEXT, AGENT_CLAIMED, TOOL_RESULT, OPERATOR_IMPLIED, OPERATOR_SAID = 1, 2, 3, 4, 5
TRUST_NAMES: Mapping[int, str] = {
    FETCHED_TEXT: "fetched_text",
    AGENT_CLAIMED: "agent_claimed",
    TOOL_RESULT: "tool_result",
    OPERATOR_IMPLIED: "operator_implied",
    OPERATOR_SAID: "operator_said",
}
TRUST_RANKS: Mapping[str, int] = {name: rank for rank, name in TRUST_NAMES.items()}

# What stands before and after every context that memctl hands out, so that capture can strip it again.
SENTINEL_OPEN = "<memctl-context"
SENTINEL_CLOSE = "</memctl-context>"

# What redaction leaves in place of a secret: `[REDACTED:kind]`.
REDACTED = "[REDACTED:"


@dataclass(frozen=True, slots=True)
class Turn:
    """One normalised step of a transcript.

    kind: `text` (prose of a human, assistant, system or summary), `tool_call`, `tool_result`,
    `plan` (a plan and what became of it: `ok` True approved, False rejected), `answer` (the human's answers to the agent's
    questions; `data["questions"]` holds them), `rejection` (the human refused a tool use; text is the human's reason),
    `compact` (a compaction summary), `link` (a pull request or issue; `data["url"]`), `title`, `command` (a slash or shell command
    typed by the human).
    `text` of a tool result is cut to its head and tail; nothing else is cut.
    """

    seq: int
    role: Role
    kind: str
    text: str
    ts: str | None = None
    speaker: str | None = None
    tool: str | None = None
    call_id: str | None = None
    ok: bool | None = None
    line: int = 0
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Transcript:
    """One session or conversation as a reader understood it.

    `unknown` counts what the reader did not know, by a short label; `humans` names the operator's side:
    in an agent transcript every human turn is the operator's, in a chat each turn carries its `speaker`.
    """

    format: str
    agent: str
    session_id: str
    turns: tuple[Turn, ...]
    parent_session_id: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    title: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    is_chat: bool = False
    unknown: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Span:
    """An exact piece of one turn: `turns[turn].text[start:end] == quote`. Offsets count code points."""

    turn: int
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class EntityRef:
    """A named thing that a candidate speaks of."""

    kind: EntityKind
    name: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that an extractor proposes, with the exact words it rests on.

    `trust` is the best rank among its evidence. `corrects` is the statement that this one corrects, if any;
    `subject` names what the claim is about where the rule knows it; `rule` names the rule that proposed it.
    """

    type: Type
    kind: str
    scope: Scope
    title: str
    content: str
    summary: str
    confidence: float
    trust: int
    evidence: tuple[Span, ...]
    entities: tuple[EntityRef, ...] = ()
    subject: str | None = None
    rationale: str | None = None
    alternatives: tuple[str, ...] = ()
    corrects: Span | None = None
    rule: str = ""
    observed_at: str | None = None
