"""What memctl knows of each agent's hooks: the events, the fields of the JSON on stdin, the JSON that may be answered.

Tables and pure functions. Nothing here reads the environment (a mapping is passed in), writes, or raises on odd input:
a hook that fails would fail the agent's own work.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from memctl.data import dataclass, field
from memctl.model import SENTINEL_CLOSE
from memctl.typed import Any, Literal

# What an event means for a memory: give context at the start or for a prompt; capture after a turn, at the end or before a compaction.
Meaning = Literal["start", "prompt", "stop", "end", "compact", "none"]
# How an agent wants context: nested under hookSpecificOutput with the event's name, or under one key of its own.
Shape = Literal["nested", "additional_context", "additionalContext", "context"]

# A session id becomes part of a path and of a pattern; anything else than these characters is not looked for.
_SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{3,127}")


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent's hook contract. Fields are dotted paths, tried in order; `answers` says at which events context reaches the model."""

    name: str
    events: Mapping[str, Meaning]
    answers: Mapping[str, Shape]
    session: tuple[str, ...] = ("session_id", "sessionId")
    transcript: tuple[str, ...] = ("transcript_path", "transcriptPath")
    cwd: tuple[str, ...] = ("cwd",)
    prompt: tuple[str, ...] = ("prompt",)
    reason: tuple[str, ...] = ("reason", "trigger", "source")
    limit: int = 9_000
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HookCall:
    """One call of a hook, in our words. `transcript` is as the agent gave it: it may be missing, or not exist yet."""

    agent: str
    event: str
    meaning: Meaning
    session_id: str | None = None
    transcript: str | None = None
    cwd: str | None = None
    prompt: str | None = None
    reason: str | None = None
    is_repeat: bool = field(default=False)


CLAUDE_CODE = Agent(
    name="claude-code",
    aliases=("claude",),
    events={
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "Stop": "stop",
        "SubagentStop": "none",
        "PreCompact": "compact",
        "PostCompact": "compact",
        "SessionEnd": "end",
    },
    answers={"SessionStart": "nested", "UserPromptSubmit": "nested"},
    # Above 10,000 characters the text goes to a file and the model sees a preview only.
    limit=9_500,
)

CODEX = Agent(
    name="codex",
    events={
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "Stop": "stop",
        "SubagentStop": "none",
        "PreCompact": "compact",
        "PostCompact": "compact",
        "notify": "stop",
    },
    answers={"SessionStart": "nested", "UserPromptSubmit": "nested"},
    session=("session_id", "thread-id"),
    # About 2,500 tokens; the rest would be spilled to a file. Three characters a token is the cautious figure.
    limit=7_500,
)

GEMINI_CLI = Agent(
    name="gemini-cli",
    aliases=("gemini",),
    events={"SessionStart": "start", "BeforeAgent": "prompt", "AfterAgent": "stop", "PreCompress": "compact", "SessionEnd": "end"},
    answers={"SessionStart": "nested", "BeforeAgent": "nested"},
)

CURSOR = Agent(
    name="cursor",
    events={"sessionStart": "start", "beforeSubmitPrompt": "none", "stop": "stop", "preCompact": "compact", "sessionEnd": "end"},
    answers={"sessionStart": "additional_context"},
    session=("conversation_id", "session_id"),
    cwd=("cwd", "workspace_roots.0"),
    reason=("reason", "trigger", "status"),
)

COPILOT_CLI = Agent(
    name="copilot-cli",
    aliases=("copilot",),
    events={
        "sessionStart": "start",
        "userPromptSubmitted": "none",
        "agentStop": "stop",
        "Stop": "stop",
        "preCompact": "compact",
        "sessionEnd": "end",
    },
    answers={"sessionStart": "additionalContext"},
    prompt=("prompt", "initialPrompt"),
    reason=("reason", "trigger", "source", "stopReason"),
)

# OpenCode has no shell hooks: these are the calls, and the answer, of the small plugin that memctl installs there.
OPENCODE = Agent(
    name="opencode",
    events={
        "session.created": "start",
        "system.transform": "start",
        "chat.message": "prompt",
        "session.idle": "stop",
        "session.compacting": "compact",
        "session.compacted": "compact",
        "session.deleted": "none",
    },
    answers={"session.created": "context", "system.transform": "context", "chat.message": "context"},
    session=("sessionID", "session_id"),
    cwd=("directory", "cwd", "worktree"),
)

WINDSURF = Agent(
    name="windsurf",
    events={"pre_user_prompt": "none", "post_cascade_response": "none", "post_cascade_response_with_transcript": "stop"},
    answers={},
    session=("trajectory_id",),
    transcript=("tool_info.transcript_path",),
    cwd=("tool_info.cwd", "cwd"),
    prompt=("tool_info.user_prompt",),
    reason=(),
)

AGENTS: Mapping[str, Agent] = {agent.name: agent for agent in (CLAUDE_CODE, CODEX, GEMINI_CLI, CURSOR, COPILOT_CLI, OPENCODE, WINDSURF)}
_BY_ALIAS: Mapping[str, str] = {alias: agent.name for agent in AGENTS.values() for alias in agent.aliases}


def find_agent(name: str) -> Agent | None:
    """The agent of that name or short name, or None."""
    plain = name.strip().lower().replace("_", "-")
    return AGENTS.get(_BY_ALIAS.get(plain, plain))


def event_name(agent: Agent, event: str) -> str | None:
    """The event as the agent itself spells it, whatever the case and the separators of the call; None for an event unknown here."""
    return {_folded(name): name for name in agent.events}.get(_folded(event))


def read_call(agent: Agent, event: str, payload: Mapping[str, Any]) -> HookCall:
    """The agent's JSON in our words. The event of the command line counts; the one in the JSON stands in for an unknown one."""
    name = event_name(agent, event) or event_name(agent, _text(payload, ("hook_event_name", "agent_action_name")) or "") or event
    return HookCall(
        agent=agent.name,
        event=name,
        meaning=agent.events.get(name, "none"),
        session_id=_text(payload, agent.session),
        transcript=_text(payload, agent.transcript),
        cwd=_text(payload, agent.cwd),
        prompt=_text(payload, agent.prompt),
        reason=_text(payload, agent.reason),
        is_repeat=payload.get("stop_hook_active") is True,
    )


def takes_context(agent: Agent, event: str) -> bool:
    """Whether what we answer at this event reaches the agent's model at all."""
    return event in agent.answers


def render_output(agent: Agent, event: str, context: str) -> str:
    """Exactly one JSON object of that agent's contract with the context in it, or nothing."""
    shape = agent.answers.get(event)
    if shape is None or not context.strip():
        return ""
    text = fit(context, agent.limit)
    if shape == "nested":
        return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
    return json.dumps({shape: text})


def fit(text: str, limit: int) -> str:
    """The text within the limit: whole lines from the top, and the closing mark, without which capture could not strip it again."""
    if _units(text) <= limit:
        return text
    body = text.removesuffix("\n").removesuffix(SENTINEL_CLOSE)
    closing = SENTINEL_CLOSE if body != text.removesuffix("\n") else ""
    room, kept = limit - len(closing), []
    for line in body.splitlines(keepends=True):
        room -= _units(line)
        if room < 0:
            break
        kept.append(line)
    return "".join(kept) + closing if kept else ""


def locate_transcript(agent: Agent, call: HookCall, environ: Mapping[str, str]) -> Path | None:
    """The session's transcript: where the agent says, or else where that agent keeps the session of that id. None if there is none."""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    if call.transcript:
        given = _expanded(call.transcript, home)
        if given.is_file():
            return given
    if not call.session_id or not _SAFE_ID.fullmatch(call.session_id):
        return None
    return next((path for path in _places(agent.name, call.session_id, home, environ) if path.is_file()), None)


def _places(agent: str, session: str, home: str, environ: Mapping[str, str]) -> Iterator[Path]:
    """Where the agent keeps that session, the likeliest place first."""
    if agent == "claude-code":
        yield from (Path(environ.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude") / "projects").glob(f"*/{session}.jsonl")
    elif agent == "codex":
        root = Path(environ.get("CODEX_HOME") or f"{home}/.codex")
        yield from sorted(root.glob(f"sessions/*/*/*/rollout-*-{session}.jsonl"), reverse=True)
        yield from root.glob(f"archived_sessions/rollout-*-{session}.jsonl")
    elif agent == "gemini-cli":
        yield from sorted(Path(home, ".gemini/tmp").glob(f"*/chats/session-*-{session[:8]}.json*"), reverse=True)
    elif agent == "cursor":
        yield from Path(home, ".cursor/projects").glob(f"*/agent-transcripts/{session}/{session}.jsonl")
        yield from Path(home, ".cursor/projects").glob(f"*/agent-transcripts/{session}.*")
    elif agent == "copilot-cli":
        root = Path(environ.get("COPILOT_HOME") or f"{home}/.copilot") / "session-state"
        yield from (root / session / "events.jsonl", root / f"{session}.jsonl")


def _expanded(path: str, home: str) -> Path:
    return Path(home + path[1:] if path.startswith("~/") else path)


def _folded(event: str) -> str:
    return event.replace("_", "").replace("-", "").replace(".", "").lower()


def _text(payload: Mapping[str, Any], fields: tuple[str, ...]) -> str | None:
    """The first of the fields that holds a text."""
    for name in fields:
        value: Any = payload
        for part in name.split("."):
            value = _step(value, part)
        if isinstance(value, str) and value and "\0" not in value:
            return value
    return None


def _step(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part)
    if isinstance(value, list) and part.isdecimal():
        return next(iter(value[int(part) : int(part) + 1]), None)
    return None


def _units(text: str) -> int:
    """Length as the agents count it: JavaScript's UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
