"""Transcripts of simulated sessions as Claude Code, Codex and Gemini CLI write them, in their own
folders below a home.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from memctl.core import timestamps

AGENTS = ("claude-code", "codex", "gemini-cli")


class Said(NamedTuple):
    """One message: `who` is human, agent, tool or given (what a hook put before the agent)."""

    who: str
    text: str
    at: str


def session_id(seed: int, number: int) -> str:
    """The id of a session, the same in every run."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"memctl-year/{seed}/{number}"))


def write(
    home: Path, agent: str, name: str, cwd: Path, said: Sequence[Said], parent: str | None = None
) -> Path:
    """Write (or write anew, when a session was resumed) the transcript of a session; its path."""
    path = _path(home, agent, name, cwd, said[0].at)
    path.parent.mkdir(parents=True, exist_ok=True)
    if agent == "gemini-cli":
        path.write_text(json.dumps(_gemini(name, cwd, said)), encoding="utf-8")
    else:
        lines = (
            _claude(name, cwd, said) if agent == "claude-code" else _codex(name, cwd, said, parent)
        )
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def _path(home: Path, agent: str, name: str, cwd: Path, at: str) -> Path:
    if agent == "claude-code":
        return home / ".claude" / "projects" / str(cwd).replace("/", "-") / f"{name}.jsonl"
    if agent == "codex":
        return (
            home
            / ".codex"
            / "sessions"
            / at[:4]
            / at[5:7]
            / at[8:10]
            / f"rollout-{at[:19].replace(':', '-')}-{name}.jsonl"
        )
    return (
        home
        / ".gemini"
        / "tmp"
        / cwd.name
        / "chats"
        / f"session-{at[:16].replace(':', '-')}-{name[:8]}.json"
    )


def _claude(name: str, cwd: Path, said: Sequence[Said]) -> Iterable[dict[str, Any]]:
    before: str | None = None
    for n, one in enumerate(said):
        uid = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{name}/{n}"))
        head = {
            "uuid": uid,
            "parentUuid": before,
            "isSidechain": False,
            "sessionId": name,
            "cwd": str(cwd),
            "gitBranch": "main",
            "version": "2.1.178",
            "timestamp": one.at,
        }
        yield head | _claude_message(uid, one)
        before = uid


def _claude_message(uid: str, one: Said) -> dict[str, Any]:
    if one.who == "human":
        said: dict[str, Any] = {"role": "user", "content": one.text}
        return {
            "type": "user",
            "message": said,
            "promptSource": "typed",
            "origin": {"kind": "human"},
        }
    if one.who == "given":
        hooked = {
            "type": "hook_additional_context",
            "content": [one.text],
            "hookName": "SessionStart",
        }
        return {"type": "attachment", "attachment": hooked}
    if one.who == "tool":
        result = {"type": "tool_result", "tool_use_id": f"toolu_{uid[:8]}", "content": one.text}
        return {"type": "user", "message": {"role": "user", "content": [result]}}
    content = [{"type": "text", "text": one.text}]
    return {
        "type": "assistant",
        "message": {
            "id": f"msg_{uid[:8]}",
            "role": "assistant",
            "model": "claude-x",
            "content": content,
        },
    }


def _codex(
    name: str, cwd: Path, said: Sequence[Said], parent: str | None
) -> Iterable[dict[str, Any]]:
    meta = {
        "id": name,
        "timestamp": said[0].at,
        "cwd": str(cwd),
        "originator": "codex_cli_rs",
        "cli_version": "0.136.0",
        "source": "cli",
    }
    yield {
        "timestamp": said[0].at,
        "type": "session_meta",
        "payload": meta | ({"forked_from_id": parent} if parent else {}),
    }
    for n, one in enumerate(said):
        yield from (
            {"timestamp": one.at, "type": kind, "payload": payload}
            for kind, payload in _codex_items(n, one)
        )


def _codex_items(n: int, one: Said) -> Iterable[tuple[str, dict[str, Any]]]:
    if one.who == "tool":
        call = {
            "type": "function_call",
            "name": "shell",
            "call_id": f"call_{n}",
            "arguments": json.dumps({"command": ["cat", "x"]}),
        }
        yield "response_item", call
        yield (
            "response_item",
            {"type": "function_call_output", "call_id": f"call_{n}", "output": one.text},
        )
        return
    role = {"human": "user", "given": "developer"}.get(one.who, "assistant")
    part = "output_text" if role == "assistant" else "input_text"
    yield (
        "response_item",
        {"type": "message", "role": role, "content": [{"type": part, "text": one.text}]},
    )
    if role == "user":
        yield "event_msg", {"type": "user_message", "message": one.text, "kind": "plain"}


def _gemini(name: str, cwd: Path, said: Sequence[Said]) -> dict[str, Any]:
    messages = []
    for n, one in enumerate(said):
        kind = {"human": "user", "agent": "gemini"}.get(one.who, "info")
        message: dict[str, Any] = {
            "id": f"{name[:8]}-{n}",
            "timestamp": one.at,
            "type": kind,
            "content": one.text,
        }
        if one.who == "tool":
            output = {
                "functionResponse": {
                    "id": f"c{n}",
                    "name": "run_shell_command",
                    "response": {"output": one.text},
                }
            }
            call = {
                "id": f"c{n}",
                "name": "run_shell_command",
                "args": {"command": "cat x"},
                "status": "success",
                "timestamp": one.at,
            }
            message |= {"type": "gemini", "content": "", "toolCalls": [call | {"result": [output]}]}
        messages.append(message)
    head = {
        "sessionId": name,
        "projectHash": cwd.name,
        "startTime": said[0].at,
        "lastUpdated": said[-1].at,
    }
    return head | {"messages": messages, "directories": [str(cwd)]}


def later(at: str, minutes: float) -> str:
    """A time some minutes later."""
    return timestamps.add_seconds(at, seconds=60 * minutes)
