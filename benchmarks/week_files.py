"""The sessions of the week as Claude Code, Codex and Gemini CLI write them: one growing file each,
with what hooks injected among the lines, as these agents keep it.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.week_talk import Deed, Exchange, WeekSession

Line = dict[str, Any]
_NAMESPACE = uuid.UUID("5d8f3c52-9a51-4a8e-8f2c-6c1de2f0a911")


def make_id(*parts: object) -> str:
    """The same UUID for the same parts in every run."""
    return str(uuid.uuid5(_NAMESPACE, "/".join(map(str, parts))))


@dataclass
class WeekTranscript:
    """One session's file. `add` writes a turn; `moment` is the agent's clock, UTC."""

    talk: WeekSession
    cwd: Path
    home: Path
    moment: datetime
    lines: list[Line] = field(default_factory=list)
    parent: str | None = None

    @property
    def session(self) -> str:
        """The session's id."""
        return make_id("session", self.talk.name)

    @property
    def path(self) -> Path:
        """Where this agent keeps the session."""
        start = datetime.fromisoformat(self.talk.start)
        if self.talk.agent == "claude-code":
            slug = "".join(sign if sign.isalnum() else "-" for sign in str(self.cwd))
            return self.home / f".claude/projects/{slug}/{self.session}.jsonl"
        if self.talk.agent == "codex":
            name = f"rollout-{start:%Y-%m-%dT%H-%M-%S}-{self.session}.jsonl"
            return self.home / f".codex/sessions/{start:%Y/%m/%d}/{name}"
        name = f"session-{start:%Y-%m-%dT%H-%M}-{self.session[:8]}.jsonl"
        return self.home / f".gemini/tmp/{self.talk.project}/chats/{name}"

    def begin(self, injected: str) -> None:
        """Write what stands before the first prompt."""
        writer = {"codex": _begin_codex, "gemini-cli": _begin_gemini}.get(self.talk.agent)
        if writer:
            self.lines.extend(writer(self))
        if injected and self.talk.agent == "claude-code":
            self.lines.append(_attach_claude(self, "SessionStart", injected))
        self.save()

    def add_prompt(self, turn: Exchange, injected: str) -> None:
        """Write what the operator typed, and what a hook added to it."""
        self.lines.extend(_PROMPTS[self.talk.agent](self, turn.prompt, injected))
        self.save()

    def add_deeds(self, turn: Exchange) -> None:
        """Write all that the agent answered."""
        for number, deed in enumerate(turn.deeds):
            self.moment += timedelta(seconds=20)
            is_last = number == len(turn.deeds) - 1
            self.lines.extend(_DEEDS[self.talk.agent](self, deed, is_last))
        self.save()

    def add_compaction(self) -> None:
        """Write that the conversation was compacted."""
        if self.talk.agent == "claude-code":
            boundary = _node(
                self, "system", subtype="compact_boundary", content="Conversation compacted"
            )
            boundary["logicalParentUuid"], boundary["parentUuid"] = boundary["parentUuid"], None
            self.lines.append(boundary)
        elif self.talk.agent == "codex":
            self.lines.append(_codex(self, "compacted", {"message": "", "replacement_history": []}))
        self.save()

    def save(self) -> None:
        """Write the file as it stands."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self.lines))

    def stamp(self) -> str:
        """The moment as transcripts write it."""
        return self.moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.moment.microsecond // 1000:03}Z"


def _node(transcript: WeekTranscript, kind: str, **more: Any) -> Line:
    """A line of Claude Code's chain."""
    name = make_id(transcript.talk.name, len(transcript.lines), kind, transcript.parent)
    line = {
        "parentUuid": transcript.parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": str(transcript.cwd),
        "sessionId": transcript.session,
        "version": "2.1.168",
        "gitBranch": "main",
        "type": kind,
        "uuid": name,
        "timestamp": transcript.stamp(),
        **more,
    }
    transcript.parent = name
    return line


def _attach_claude(transcript: WeekTranscript, event: str, injected: str) -> Line:
    return _node(
        transcript,
        "attachment",
        attachment={
            "type": "hook_additional_context",
            "content": [injected],
            "hookName": event,
            "hookEvent": event,
        },
    )


def _prompt_claude(transcript: WeekTranscript, prompt: str, injected: str) -> Iterator[Line]:
    yield _node(
        transcript,
        "user",
        message={"role": "user", "content": prompt},
        promptSource="typed",
        origin={"kind": "human"},
    )
    if injected:
        yield _attach_claude(transcript, "UserPromptSubmit", injected)


def _deed_claude(transcript: WeekTranscript, deed: Deed, is_last: bool) -> Iterator[Line]:
    name = make_id(transcript.talk.name, "deed", len(transcript.lines))
    block: Line = {"type": "text", "text": deed.text}
    if deed.kind == "$":
        block = {
            "type": "tool_use",
            "id": f"toolu_{name[:12]}",
            "name": "Bash",
            "input": {"command": deed.text, "description": "Run a command"},
        }
    elif deed.kind == "edit":
        block = {
            "type": "tool_use",
            "id": f"toolu_{name[:12]}",
            "name": "Edit",
            "input": {
                "file_path": str(transcript.cwd / deed.text),
                "old_string": "a",
                "new_string": "b",
            },
        }
    yield _node(
        transcript,
        "assistant",
        message={
            "id": f"msg_{name[:12]}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-4-6",
            "content": [block],
            "stop_reason": "end_turn" if is_last else "tool_use",
            "usage": {"input_tokens": 9, "output_tokens": 60},
        },
    )
    if deed.kind != "ai":
        output = deed.output or f"The file {deed.text} has been updated."
        yield _node(
            transcript,
            "user",
            message={
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": f"toolu_{name[:12]}",
                        "content": output,
                        "is_error": False,
                    }
                ],
            },
            toolUseResult={"stdout": output, "stderr": "", "interrupted": False}
            if deed.kind == "$"
            else {"filePath": str(transcript.cwd / deed.text), "structuredPatch": []},
        )


def _codex(transcript: WeekTranscript, kind: str, payload: Line) -> Line:
    return {"timestamp": transcript.stamp(), "type": kind, "payload": payload}


def _said_codex(transcript: WeekTranscript, role: str, text: str) -> Line:
    part = "output_text" if role == "assistant" else "input_text"
    content = [{"type": part, "text": text}]
    return _codex(
        transcript, "response_item", {"type": "message", "role": role, "content": content}
    )


def _begin_codex(transcript: WeekTranscript) -> Iterator[Line]:
    yield _codex(
        transcript,
        "session_meta",
        {
            "id": transcript.session,
            "timestamp": transcript.stamp(),
            "cwd": str(transcript.cwd),
            "originator": "codex_cli_rs",
            "cli_version": "0.140.0",
            "source": "cli",
            "model_provider": "openai",
            "git": {"branch": "main"},
        },
    )
    rules = transcript.cwd / "AGENTS.md"
    if rules.exists():
        text = f"# AGENTS.md instructions for {transcript.cwd}\n\n<INSTRUCTIONS>\n{rules.read_text()}\n</INSTRUCTIONS>"
        yield _said_codex(transcript, "user", text)
    place = f"<environment_context>\n  <cwd>{transcript.cwd}</cwd>\n  <shell>zsh</shell>\n</environment_context>"
    yield _said_codex(transcript, "user", place)


def _prompt_codex(transcript: WeekTranscript, prompt: str, injected: str) -> Iterator[Line]:
    turn = {
        "cwd": str(transcript.cwd),
        "approval_policy": "on-request",
        "model": "gpt-5.3-codex",
        "turn_id": make_id(transcript.talk.name, "turn", len(transcript.lines)),
    }
    yield _codex(transcript, "turn_context", turn)
    yield _said_codex(transcript, "user", prompt)
    yield _codex(transcript, "event_msg", {"type": "user_message", "message": prompt, "images": []})
    if injected:
        yield _said_codex(transcript, "developer", injected)


def _deed_codex(transcript: WeekTranscript, deed: Deed, is_last: bool) -> Iterator[Line]:
    call = f"call_{make_id(transcript.talk.name, len(transcript.lines))[:12]}"
    if deed.kind == "ai":
        phase = "final_answer" if is_last else "commentary"
        yield _codex(
            transcript, "event_msg", {"type": "agent_message", "message": deed.text, "phase": phase}
        )
        yield _said_codex(transcript, "assistant", deed.text)
    elif deed.kind == "$":
        arguments = json.dumps({"cmd": deed.text})
        yield _codex(
            transcript,
            "response_item",
            {
                "type": "function_call",
                "name": "exec_command",
                "arguments": arguments,
                "call_id": call,
            },
        )
        yield _codex(
            transcript,
            "response_item",
            {"type": "function_call_output", "call_id": call, "output": deed.output or "ok"},
        )
    else:
        patch = f"*** Begin Patch\n*** Update File: {deed.text}\n@@\n-a\n+b\n*** End Patch"
        yield _codex(
            transcript,
            "response_item",
            {"type": "custom_tool_call", "name": "apply_patch", "input": patch, "call_id": call},
        )
        yield _codex(
            transcript,
            "response_item",
            {"type": "custom_tool_call_output", "call_id": call, "output": "Success."},
        )
    if is_last:
        done = {
            "type": "task_complete",
            "last_agent_message": deed.text if deed.kind == "ai" else None,
        }
        yield _codex(transcript, "event_msg", done)


def _begin_gemini(transcript: WeekTranscript) -> Iterator[Line]:
    yield {
        "sessionId": transcript.session,
        "projectHash": make_id("project", transcript.talk.project).replace("-", ""),
        "startTime": transcript.stamp(),
        "lastUpdated": transcript.stamp(),
        "kind": "main",
        "directories": [str(transcript.cwd)],
    }


def _gemini(transcript: WeekTranscript, kind: str, **more: Any) -> Line:
    name = make_id(transcript.talk.name, len(transcript.lines), kind)
    return {"id": name, "timestamp": transcript.stamp(), "type": kind, **more}


def _prompt_gemini(transcript: WeekTranscript, prompt: str, injected: str) -> Iterator[Line]:
    parts = [{"text": prompt}]
    if injected:
        parts.append({"text": f"<hook_context>{injected}</hook_context>"})
    yield _gemini(transcript, "user", content=parts)


def _deed_gemini(transcript: WeekTranscript, deed: Deed, is_last: bool) -> Iterator[Line]:
    if deed.kind == "ai":
        yield _gemini(transcript, "gemini", content=deed.text, thoughts=[], model="gemini-3-pro")
        return
    is_command = deed.kind == "$"
    name = "run_shell_command" if is_command else "replace"
    arguments = (
        {"command": deed.text} if is_command else {"file_path": str(transcript.cwd / deed.text)}
    )
    call = make_id(transcript.talk.name, "call", len(transcript.lines))
    response = {"id": call, "name": name, "response": {"output": deed.output or "ok"}}
    yield _gemini(
        transcript,
        "gemini",
        content="",
        model="gemini-3-pro",
        toolCalls=[
            {
                "id": call,
                "name": name,
                "args": arguments,
                "status": "success",
                "timestamp": transcript.stamp(),
                "result": [{"functionResponse": response}],
            }
        ],
    )


_PROMPTS = {"claude-code": _prompt_claude, "codex": _prompt_codex, "gemini-cli": _prompt_gemini}
_DEEDS = {"claude-code": _deed_claude, "codex": _deed_codex, "gemini-cli": _deed_gemini}
