"""What memctl knows of each agent's hooks: the events, the fields of the JSON on stdin, the JSON
that may be answered.

Tables and pure functions. Nothing here reads the environment (a mapping is passed in), writes, or
raises on odd input: a hook that fails would fail the agent's own work.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from memctl.core.frozen import dataclass, field
from memctl.core.model import SENTINEL_CLOSE, Role
from memctl.core.typing_lite import Any, Literal
from memctl.core.user_folders import find_xdg_folder

# What an event means for a memory: give context at the start or for a prompt; capture after a turn,
# at the end or before a compaction.
Meaning = Literal["start", "prompt", "stop", "end", "compact", "none"]
# How an agent wants context: nested under hookSpecificOutput with the event's name, or under one
# key of its own.
Shape = Literal["nested", "additional_context", "additionalContext", "context"]

# What a call says of the conversation beside its transcript: who said it, and the field that holds
# it.
Said = tuple[tuple["Role", str], ...]

# Events just before a session loses what it was told.
_BEFORE_COMPACTION = ("PreCompact", "PreCompress", "preCompact", "session.compacting")

# A session id becomes part of a path and of a pattern; anything else than these characters is not
# looked for.
_SAFE_ID = r"[A-Za-z0-9][A-Za-z0-9_-]{3,127}"


@dataclass(frozen=True, slots=True)
class AgentContract:
    """One agent's hook contract.

    Fields are dotted paths, tried in order. `answers` lists the events at which context reaches the
    model. `said` names the fields that hold what the agent said last; `notice` is the key of the
    answer whose text the agent shows to the person and not to the model, if it has one.

    `keeps_prompt_context` says that what is answered at a prompt stays in the conversation;
    `replays_on_resume`, that a resumed session has before it what it had been answered.
    """

    name: str
    events: Mapping[str, Meaning]
    answers: Mapping[str, Shape]
    session: tuple[str, ...] = ("session_id", "sessionId")
    transcript: tuple[str, ...] = ("transcript_path", "transcriptPath")
    cwd: tuple[str, ...] = ("cwd",)
    prompt: tuple[str, ...] = ("prompt",)
    reason: tuple[str, ...] = ("reason", "trigger", "source")
    said: Said = ()
    subagents: tuple[str, ...] = ()
    limit: int = 9_000
    aliases: tuple[str, ...] = ()
    notice: str = ""
    keeps_prompt_context: bool = True
    replays_on_resume: bool = False


@dataclass(frozen=True, slots=True)
class HookCall:
    """One call of a hook, in our words.

    `transcript` is as the agent gave it: it may be missing, not exist yet, or lag behind `said`.
    """

    agent: str
    event: str
    meaning: Meaning
    session_id: str | None = None
    transcript: str | None = None
    cwd: str | None = None
    prompt: str | None = None
    reason: str | None = None
    is_repeat: bool = field(default=False)
    is_sub: bool = field(default=False)
    said: Said = ()


CLAUDE_CODE = AgentContract(
    name="claude-code",
    aliases=("claude",),
    events={
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "Stop": "stop",
        "SubagentStop": "stop",
        "PreCompact": "compact",
        "PostCompact": "compact",
        "SessionEnd": "end",
    },
    answers={"SessionStart": "nested", "UserPromptSubmit": "nested"},
    said=(("assistant", "last_assistant_message"), ("summary", "compact_summary")),
    subagents=("SubagentStop",),
    # Above 10,000 characters the text goes to a file and the model sees a preview only.
    limit=9_500,
    notice="systemMessage",
    replays_on_resume=True,
)

CODEX = AgentContract(
    name="codex",
    events={
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "Stop": "stop",
        "SubagentStop": "stop",
        "PreCompact": "compact",
        "PostCompact": "compact",
        "notify": "stop",
    },
    answers={"SessionStart": "nested", "UserPromptSubmit": "nested"},
    session=("session_id", "thread-id"),
    said=(
        ("human", "input-messages"),
        ("assistant", "last_assistant_message"),
        ("assistant", "last-assistant-message"),
    ),
    subagents=("SubagentStop",),
    # About 2,500 tokens; the rest would be spilled to a file. Three characters a token is the
    # cautious figure.
    limit=7_500,
    replays_on_resume=True,
)

GEMINI_CLI = AgentContract(
    name="gemini-cli",
    aliases=("gemini",),
    events={
        "SessionStart": "start",
        "BeforeAgent": "prompt",
        "AfterAgent": "stop",
        "PreCompress": "compact",
        "SessionEnd": "end",
    },
    answers={"SessionStart": "nested", "BeforeAgent": "nested"},
    said=(("human", "prompt"), ("assistant", "prompt_response")),
    notice="systemMessage",
    # What BeforeAgent answers is there for that turn only.
    keeps_prompt_context=False,
)

CURSOR = AgentContract(
    name="cursor",
    events={
        "sessionStart": "start",
        "beforeSubmitPrompt": "none",
        "stop": "stop",
        "preCompact": "compact",
        "sessionEnd": "end",
    },
    answers={"sessionStart": "additional_context"},
    session=("conversation_id", "session_id"),
    cwd=("cwd", "workspace_roots.0"),
    reason=("reason", "trigger", "status"),
)

COPILOT_CLI = AgentContract(
    name="copilot-cli",
    aliases=("copilot",),
    events={
        "sessionStart": "start",
        "userPromptSubmitted": "none",
        "UserPromptSubmit": "none",
        "agentStop": "stop",
        "Stop": "stop",
        "subagentStop": "none",
        "preCompact": "compact",
        "sessionEnd": "end",
    },
    answers={"sessionStart": "additionalContext"},
    prompt=("prompt", "initialPrompt"),
    reason=("reason", "trigger", "source", "stopReason"),
)

# OpenCode has no shell hooks: these are the calls, and the answer, of the small plugin that memctl
# installs there.
OPENCODE = AgentContract(
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
    answers={
        "session.created": "context",
        "system.transform": "context",
        "chat.message": "context",
    },
    session=("sessionID", "session_id"),
    cwd=("directory", "cwd", "worktree"),
    # The plugin puts the answer to the latest prompt in the place of the one before.
    keeps_prompt_context=False,
)

WINDSURF = AgentContract(
    name="windsurf",
    events={
        "pre_user_prompt": "none",
        "post_cascade_response": "none",
        "post_cascade_response_with_transcript": "stop",
    },
    answers={},
    session=("trajectory_id",),
    transcript=("tool_info.transcript_path",),
    cwd=("tool_info.cwd", "cwd"),
    prompt=("tool_info.user_prompt",),
    reason=(),
)

AGENTS: Mapping[str, AgentContract] = {
    agent.name: agent
    for agent in (CLAUDE_CODE, CODEX, GEMINI_CLI, CURSOR, COPILOT_CLI, OPENCODE, WINDSURF)
}
_BY_ALIAS: Mapping[str, str] = {
    alias: agent.name for agent in AGENTS.values() for alias in agent.aliases
}


def find_agent(name: str) -> AgentContract | None:
    """The agent of that name or short name, or None."""
    plain = name.strip().lower().replace("_", "-")
    return AGENTS.get(_BY_ALIAS.get(plain, plain))


def normalize_event(agent: AgentContract, event: str) -> str | None:
    """The event as the agent spells it, whatever its case and separators; None if unknown."""
    return {_fold_event(name): name for name in agent.events}.get(_fold_event(event))


def read_call(agent: AgentContract, event: str, payload: Mapping[str, Any]) -> HookCall:
    """Read the agent's JSON. The event of the command line counts; the JSON's only fills a gap."""
    name = (
        normalize_event(agent, event)
        or normalize_event(
            agent, _read_first_text(payload, ("hook_event_name", "agent_action_name")) or ""
        )
        or event
    )
    meaning, is_sub = agent.events.get(name, "none"), name in agent.subagents
    return HookCall(
        agent=agent.name,
        event=name,
        meaning=meaning,
        session_id=_read_first_text(payload, agent.session),
        transcript=_find_subagent_transcript(payload, agent)
        if is_sub
        else _read_first_text(payload, agent.transcript),
        cwd=_read_first_text(payload, agent.cwd),
        prompt=_read_first_text(payload, agent.prompt),
        reason=_read_first_text(payload, agent.reason),
        is_repeat=payload.get("stop_hook_active") is True,
        is_sub=is_sub,
        said=tuple(_read_said(payload, agent)) if meaning in ("stop", "end", "compact") else (),
    )


def identify_agent(
    agent: AgentContract, payload: Mapping[str, Any], environ: Mapping[str, str]
) -> AgentContract:
    """The agent that runs the session: Cursor and Copilot also run Claude Code's hooks."""
    if agent is not CLAUDE_CODE:
        return agent
    if _read_first_text(payload, ("cursor_version",)):
        return CURSOR
    session = _read_first_text(payload, agent.session) or ""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    is_copilots = re.fullmatch(_SAFE_ID, session) and any(
        path.is_file() for path in _list_session_paths(COPILOT_CLI.name, session, home, environ)
    )
    return COPILOT_CLI if is_copilots else agent


def keeps_prompt_context(agent: str | None) -> bool:
    """Whether an agent still has before it what it was answered at earlier prompts."""
    known = AGENTS.get(agent or "")
    return known is None or known.keeps_prompt_context


def begins_anew(agent: AgentContract, call: HookCall) -> bool:
    """Whether at this start the session has been told nothing yet, or has lost what it was told."""
    return call.meaning == "start" and not (agent.replays_on_resume and call.reason == "resume")


def precedes_compaction(call: HookCall) -> bool:
    """Whether the session is about to lose what it was told."""
    return call.event in _BEFORE_COMPACTION


def accepts_context(agent: AgentContract, event: str) -> bool:
    """Whether the agent's model sees what is answered at this event."""
    return event in agent.answers


def render_output(agent: AgentContract, event: str, context: str, notice: str | None = None) -> str:
    """The context as one JSON object of that agent's contract; empty without context.

    `notice` is for the person, where the agent has a place for it.
    """
    shape = agent.answers.get(event)
    answer: dict[str, object] = {}
    if notice and agent.notice:
        answer[agent.notice] = notice
    if shape is not None and context.strip():
        text = truncate_to_limit(context, agent.limit)
        if shape == "nested":
            answer["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": text}
        else:
            answer[shape] = text
    return json.dumps(answer) if answer else ""


def truncate_to_limit(text: str, limit: int) -> str:
    """Cut the text to the limit: whole lines from the top, and the closing mark.

    Capture could not strip the context from a transcript without that mark.
    """
    if _count_utf16_units(text) <= limit:
        return text
    body = text.removesuffix("\n").removesuffix(SENTINEL_CLOSE)
    closing = SENTINEL_CLOSE if body != text.removesuffix("\n") else ""
    room, kept = limit - len(closing), []
    for line in body.splitlines(keepends=True):
        room -= _count_utf16_units(line)
        if room < 0:
            break
        kept.append(line)
    return "".join(kept) + closing if kept else ""


def locate_transcript(
    agent: AgentContract, call: HookCall, environ: Mapping[str, str]
) -> Path | None:
    """The session's transcript: where the agent says, else where it keeps that session; or None."""
    given = read_transcript_path(call, environ)
    if given is not None and given.is_file():
        return given
    return None if call.is_sub else find_session(agent.name, call.session_id or "", environ)


def read_transcript_path(call: HookCall, environ: Mapping[str, str]) -> Path | None:
    """The path at which the agent says that the transcript is, or will be."""
    if not call.transcript:
        return None
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    path = Path(home + call.transcript[1:] if call.transcript.startswith("~/") else call.transcript)
    return path if path.is_absolute() or path.is_file() else None


def is_safe_session_id(session: str | None) -> bool:
    """Whether a file may be looked for by this name."""
    return session is not None and re.fullmatch(_SAFE_ID, session) is not None


def find_session(agent: str, session: str, environ: Mapping[str, str]) -> Path | None:
    """The file of a session id; None for an unsafe id, and where there is no such file."""
    if not is_safe_session_id(session):
        return None
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    return next(
        (path for path in _list_session_paths(agent, session, home, environ) if path.is_file()),
        None,
    )


def _list_session_paths(
    agent: str, session: str, home: str, environ: Mapping[str, str]
) -> Iterator[Path]:
    """Where the agent keeps that session, the likeliest path first."""
    if agent == "claude-code":
        yield from (Path(environ.get("CLAUDE_CONFIG_DIR") or f"{home}/.claude") / "projects").glob(
            f"*/{session}.jsonl"
        )
    elif agent == "codex":
        root = Path(environ.get("CODEX_HOME") or f"{home}/.codex")
        yield from sorted(root.glob(f"sessions/*/*/*/rollout-*-{session}.jsonl"), reverse=True)
        yield from root.glob(f"archived_sessions/rollout-*-{session}.jsonl")
    elif agent == "gemini-cli":
        yield from sorted(
            Path(home, ".gemini/tmp").glob(f"*/chats/session-*-{session[:8]}.json*"), reverse=True
        )
    elif agent == "cursor":
        yield from Path(home, ".cursor/projects").glob(
            f"*/agent-transcripts/{session}/{session}.jsonl"
        )
        yield from Path(home, ".cursor/projects").glob(f"*/agent-transcripts/{session}.*")
    elif agent == "copilot-cli":
        root = Path(environ.get("COPILOT_HOME") or f"{home}/.copilot") / "session-state"
        yield from (root / session / "events.jsonl", root / f"{session}.jsonl")
    elif agent == "opencode":
        root = find_xdg_folder(environ, "XDG_DATA_HOME", Path(home)) / "opencode"
        yield root / "opencode.db"
        yield from root.glob(f"storage/session/*/{session}.json")


def _find_subagent_transcript(payload: Mapping[str, Any], agent: AgentContract) -> str | None:
    """A sub-agent's own file: as named, or beside its parent's; never the parent's."""
    named = _read_first_text(payload, ("agent_transcript_path",))
    parents, name = (
        _read_first_text(payload, agent.transcript) or "",
        _read_first_text(payload, ("agent_id",)) or "",
    )
    if named or not parents.endswith(".jsonl") or not re.fullmatch(_SAFE_ID, name):
        return named
    return f"{parents.removesuffix('.jsonl')}/subagents/agent-{name}.jsonl"


def _read_said(payload: Mapping[str, Any], agent: AgentContract) -> Iterator[tuple[Role, str]]:
    for role, name in agent.said:
        value = payload.get(name)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text.strip():
                yield role, text


def _fold_event(event: str) -> str:
    return event.replace("_", "").replace("-", "").replace(".", "").lower()


def _read_first_text(payload: Mapping[str, Any], fields: tuple[str, ...]) -> str | None:
    """The first of the fields that holds a text."""
    for name in fields:
        value: Any = payload
        for part in name.split("."):
            value = _read_key(value, part)
        if isinstance(value, str) and value and "\0" not in value:
            return value
    return None


def _read_key(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part)
    if isinstance(value, list) and part.isdecimal():
        return next(iter(value[int(part) : int(part) + 1]), None)
    return None


def _count_utf16_units(text: str) -> int:
    """Length in UTF-16 units, as JavaScript agents count it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
