"""Claude Code's session files: JSONL, one event a line, and the one-object export of web sessions. iFlow writes the same.

Most `user` lines are not the user's: tool results, echoes, notices and injected context travel in them too. What is kept as human
is only what a person typed, once, however often the file repeats it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Role, Transcript
from memctl.readers import claude_text
from memctl.readers.base import Input, clip
from memctl.readers.sniffing import has_keys, parse_head_objects
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_DROPPED = frozenset(
    [
        "summary",
        "progress",
        "file-history-snapshot",
        "file-history-delta",
        "last-prompt",
        "mode",
        "permission-mode",
        "bridge-session",
        "worktree-state",
        "started",
        "result",
        "relocated",
        "frame-link",
    ]
)
_OWN_TYPES = frozenset(
    [
        "user",
        "assistant",
        "system",
        "attachment",
        "queue-operation",
        "summary",
        "progress",
        "file-history-snapshot",
        "pr-link",
    ]
)
_QUIET_SYSTEM = frozenset(
    [
        "compact_boundary",
        "microcompact_boundary",
        "turn_duration",
        "stop_hook_summary",
        "api_error",
        "bridge_status",
        "informational",
        "session_start",
        "init",
    ]
)
# What newer sessions begin with, before anything is said.
_STATES = frozenset({"mode", "permission-mode", "last-prompt", "bridge-session"})
_TITLES = {"ai-title": "aiTitle", "agent-name": "agentName", "custom-title": "customTitle"}
_ENVELOPE = frozenset({"sessionId", "session_id", "timestamp"})
_TYPED = frozenset({"typed", "queued", "sdk", "user"})


class ClaudeCode:
    """Reads Claude Code sessions."""

    name: ClassVar[str] = "claude-code"
    agent: ClassVar[str] = "claude-code"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when a line has Claude Code's envelope; a head without one whole line is judged by its keys."""
        objects = parse_head_objects(head)
        if any(
            "systemPayload" in entry or "parts" in as_dict(entry.get("message"))
            for entry in objects
        ):
            return 0.0
        if any(_is_own(entry) for entry in objects):
            return 0.97
        if has_keys(head, "loglines", "message", "type"):
            return 0.96
        cut_off = not objects and has_keys(head, "sessionId", "type", "message")
        return 0.8 if cut_off and not has_keys(head, "parts") else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        session = _Session(source)
        for line, entry in _entries(source):
            session.take(line, entry)
        yield session.finished()


READER = ClaudeCode()


def _is_own(entry: dict[str, Any]) -> bool:
    message = entry.get("message")
    if isinstance(message, dict):
        return (
            entry.get("type") in ("user", "assistant")
            and "content" in message
            and not _ENVELOPE.isdisjoint(entry)
        )
    if "leafUuid" in entry or "snapshot" in entry:
        return as_text(entry.get("type")) in _OWN_TYPES
    kind = as_text(entry.get("type"))
    named = {"uuid", "sessionId"} if kind in ("system", "attachment", "progress") else {"sessionId"}
    return named <= entry.keys() and (kind in _OWN_TYPES or kind in _TITLES or kind in _STATES)


def _entries(source: Input) -> Iterator[tuple[int, dict[str, Any]]]:
    if not has_keys(source.read_head(), "loglines"):
        yield from source.read_json_lines()
        return
    whole = as_dict(source.read_json())
    entries = as_list(whole.get("loglines"))
    if not entries:
        yield from source.read_json_lines()
    for number, entry in enumerate(entries, 1):
        if isinstance(entry, dict):
            yield number, entry
        else:
            source.unknown["bad line"] += 1


class _Session:
    """One session as far as it has been read: the main thread, and what sub-agents wrote into the same file."""

    def __init__(self, source: Input) -> None:
        self.source = source
        self.unknown: Counter[str] = source.unknown
        self.main, self.side = Turns(), Turns()
        self.uuids: set[str] = set()
        self.tools: dict[str, str] = {}
        self.plans: dict[str, int] = {}
        self.queued: defaultdict[str, list[int]] = defaultdict(list)
        self.links: set[str] = set()
        self.titles: dict[str, tuple[int, str]] = {}
        self.session_ids: dict[str, None] = {}
        self.agent_id: str | None = None
        self.cwd: str | None = None
        self.git_branch: str | None = None

    def take(self, line: int, entry: dict[str, Any]) -> None:
        """Understand one line."""
        kind = as_text(entry.get("type"))
        uuid = as_text(entry.get("uuid"))
        if uuid and uuid in self.uuids:
            return
        if isinstance(entry.get("message", {}), dict):
            self.uuids.add(uuid)
        self._note_where(entry)
        handler = (
            getattr(self, f"_take_{kind.replace('-', '_')}", None) if kind in _HANDLED else None
        )
        if handler is not None:
            handler(line, entry)
        elif kind in _TITLES:
            self.titles[kind] = line, as_text(entry.get(_TITLES[kind]))
        elif kind not in _DROPPED:
            self.unknown[f"type {kind[:40] or '(none)'}"] += 1

    def finished(self) -> Transcript:
        """The session as a transcript; a file of nothing but a sub-agent's lines is that sub-agent's."""
        is_sub = not len(self.main) and len(self.side) > 0
        turns = self.side if is_sub else self.main
        line, title = next(
            (
                self.titles[kind]
                for kind in ("custom-title", "ai-title", "agent-name")
                if kind in self.titles
            ),
            (0, ""),
        )
        turns.add("system", "title", title, line=line)
        own, parent = self._ids(is_sub)
        return Transcript(
            format=ClaudeCode.name,
            agent=self._agent(own),
            session_id=own,
            turns=turns.collect(),
            parent_session_id=parent,
            cwd=self.cwd,
            git_branch=self.git_branch,
            title=as_name(title),
            started_at=turns.started_at,
            ended_at=turns.ended_at,
            unknown=dict(self.unknown),
        )

    def _note_where(self, entry: dict[str, Any]) -> None:
        session_id = as_name(entry.get("sessionId")) or as_name(entry.get("session_id"))
        if session_id:
            self.session_ids[session_id] = None
        self.cwd = self.cwd or as_name(entry.get("cwd"))
        self.git_branch = as_name(entry.get("gitBranch")) or self.git_branch
        self.agent_id = self.agent_id or as_name(entry.get("agentId"))

    def _ids(self, is_sub: bool) -> tuple[str, str | None]:
        """The session's own id and its parent's; the file's name decides among several ids, then the last id seen."""
        stem = self.source.path.stem if self.source.path else ""
        ids = list(self.session_ids)
        if not is_sub:
            return stem if stem in self.session_ids or not ids else ids[-1], None
        own = f"agent-{self.agent_id}" if self.agent_id else stem
        parents = [session_id for session_id in ids if session_id != own]
        return own, parents[-1] if parents else self._parent_folder()

    def _parent_folder(self) -> str | None:
        parents = [part.name for part in self.source.path.parents] if self.source.path else []
        place = parents.index("subagents") if "subagents" in parents else -1
        return parents[place + 1] if place >= 0 else None

    def _agent(self, session_id: str) -> str:
        is_iflow = session_id.startswith("session-") or (
            self.source.path is not None and ".iflow" in self.source.path.parts
        )
        return "iflow" if is_iflow else ClaudeCode.agent

    def _turns(self, entry: dict[str, Any]) -> Turns:
        return self.side if entry.get("isSidechain") is True else self.main

    def _take_user(self, line: int, entry: dict[str, Any]) -> None:
        content = as_dict(entry.get("message")).get("content")
        blocks = (
            [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)
        )
        if not isinstance(content, (str, list)):
            self.unknown["user content"] += 1
        words = []
        for block in blocks:
            kind = as_dict(block).get("type")
            if kind == "tool_result":
                self._tool_result(line, entry, block)
            elif kind == "text":
                words.append(as_text(block.get("text")))
            elif kind not in ("image", "document", "tool_reference"):
                self.unknown[f"user block {str(kind)[:40]}"] += 1
        if words:
            self._words(line, entry, words)

    def _words(self, line: int, entry: dict[str, Any], words: list[str]) -> None:
        if entry.get("isCompactSummary") is True:
            self._turns(entry).add(
                "summary",
                "compact",
                "\n\n".join(words),
                ts=parse_time(entry.get("timestamp")),
                line=line,
            )
        elif as_text(entry.get("planContent")):
            self._approved_plan(line, entry, entry["planContent"])
        elif (
            entry.get("isMeta") is not True
            and entry.get("isVisibleInTranscriptOnly") is not True
            and self._is_typed(entry)
        ):
            self._said(line, entry, words)

    def _is_typed(self, entry: dict[str, Any]) -> bool:
        """Whether a person wrote it, as far as the line says; lines of before `origin` say nothing and count as typed."""
        origin = as_dict(entry.get("origin")).get("kind")
        prompt_source = as_text(entry.get("promptSource"))
        if origin is None:
            return prompt_source != "system"
        if origin in ("human", "task-notification"):
            return bool(origin == "human")
        self.unknown[f"origin {str(origin)[:40]}"] += 1
        return prompt_source in _TYPED

    def _said(self, line: int, entry: dict[str, Any], words: list[str]) -> None:
        understood = [said for said in map(claude_text.parse_user_text, words) if said is not None]
        plain = "\n\n".join(said.text for said in understood if said.kind == "text")
        for said in understood:
            if said.kind == "plan":
                self._approved_plan(line, entry, said.text)
            elif said.kind == "compact":
                self._turns(entry).add(
                    "summary",
                    "compact",
                    said.text,
                    ts=parse_time(entry.get("timestamp")),
                    line=line,
                )
            elif said.kind == "command":
                self._human(line, entry, "command", said.text, said.data)
        if plain:
            self._human(line, entry, "text", plain, {})

    def _human(
        self, line: int, entry: dict[str, Any], kind: str, text: str, data: dict[str, Any]
    ) -> int | None:
        """A person's words; in a sub-agent's thread they are the parent agent's."""
        for place in self.queued.pop(text, [])[:1]:
            self.main.remove(place)
        role: Role = "system" if entry.get("isSidechain") is True else "human"
        return self._turns(entry).add(
            role, kind, text, ts=parse_time(entry.get("timestamp")), line=line, data=data
        )

    def _approved_plan(self, line: int, entry: dict[str, Any], text: str) -> None:
        self._turns(entry).add(
            "assistant", "plan", text, ts=parse_time(entry.get("timestamp")), ok=True, line=line
        )

    def _take_assistant(self, line: int, entry: dict[str, Any]) -> None:
        message = as_dict(entry.get("message"))
        if entry.get("isApiErrorMessage") is True or message.get("model") == "<synthetic>":
            return
        content = message.get("content")
        for block in (
            [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)
        ):
            kind = as_text(as_dict(block).get("type"))
            if kind == "text":
                self._turns(entry).add(
                    "assistant",
                    "text",
                    as_text(block.get("text")),
                    ts=parse_time(entry.get("timestamp")),
                    line=line,
                )
            elif kind in ("tool_use", "server_tool_use"):
                self._tool_call(line, entry, block)
            elif kind.endswith("_tool_result"):
                self._tool_result(line, entry, block)
            elif kind not in ("thinking", "redacted_thinking"):
                self.unknown[f"assistant block {kind[:40]}"] += 1

    def _tool_call(self, line: int, entry: dict[str, Any], block: dict[str, Any]) -> None:
        tool, call_id = as_text(block.get("name")), as_name(block.get("id"))
        given, turns, ts = (
            as_dict(block.get("input")),
            self._turns(entry),
            parse_time(entry.get("timestamp")),
        )
        if call_id:
            self.tools[call_id] = tool
        if tool == "ExitPlanMode" and as_text(given.get("plan")):
            place = turns.add(
                "assistant", "plan", given["plan"], ts=ts, tool=tool, call_id=call_id, line=line
            )
            if call_id and place is not None and turns is self.main:
                self.plans[call_id] = place
            return
        text, data = describe_call(tool, given)
        turns.add(
            "assistant",
            "tool_call",
            text or tool,
            ts=ts,
            tool=tool or None,
            call_id=call_id,
            line=line,
            data=data,
        )

    def _tool_result(self, line: int, entry: dict[str, Any], block: dict[str, Any]) -> None:
        call_id = as_name(block.get("tool_use_id"))
        tool = self.tools.get(call_id or "", "")
        text = _result_text(block.get("content"))
        structured = as_dict(entry.get("toolUseResult"))
        ok = block.get("is_error") is not True and structured.get("interrupted") is not True
        if tool == "AskUserQuestion" and ok and self._answer(line, entry, call_id, text):
            return
        reason = None if ok else claude_text.find_refusal(text)
        if call_id in self.plans:
            self.main.set_outcome(self.plans[call_id], ok=ok)
        turns, ts = self._turns(entry), parse_time(entry.get("timestamp"))
        if reason:
            turns.add(
                "human",
                "rejection",
                reason,
                ts=ts,
                tool=tool or None,
                call_id=call_id,
                ok=False,
                line=line,
            )
            return
        code = claude_text.parse_exit_code(text) if not ok else None
        data: dict[str, Any] = {} if code is None else {"exit_code": code}
        if reason == "":
            data["refused"] = True
        shown = clip(claude_text.strip_envelopes(text))
        turns.add(
            "tool",
            "tool_result",
            shown,
            ts=ts,
            tool=tool or None,
            call_id=call_id,
            ok=ok,
            line=line,
            data=data,
        )

    def _answer(self, line: int, entry: dict[str, Any], call_id: str | None, text: str) -> bool:
        questions = _answered(as_dict(entry.get("toolUseResult"))) or claude_text.parse_answers(
            text
        )
        answers = "\n".join(question["answer"] for question in questions)
        turns, ts, data = (
            self._turns(entry),
            parse_time(entry.get("timestamp")),
            {"questions": questions},
        )
        place = turns.add(
            "human",
            "answer",
            answers,
            ts=ts,
            tool="AskUserQuestion",
            call_id=call_id,
            line=line,
            data=data,
        )
        return place is not None

    def _take_system(self, line: int, entry: dict[str, Any]) -> None:
        subtype = as_text(entry.get("subtype"))
        text = as_text(entry.get("content"))
        if subtype == "away_summary":
            self._turns(entry).add(
                "summary", "text", text, ts=parse_time(entry.get("timestamp")), line=line
            )
        elif subtype == "local_command":
            said = claude_text.parse_user_text(text)
            if said is not None and said.kind == "command":
                self._human(line, entry, "command", said.text, said.data)
        elif subtype not in _QUIET_SYSTEM:
            self.unknown[f"system {subtype[:40] or '(none)'}"] += 1

    def _take_attachment(self, line: int, entry: dict[str, Any]) -> None:
        """Of all attachments only the prompt that was typed while a tool ran is a person's."""
        attachment = as_dict(entry.get("attachment"))
        if attachment.get("type") != "queued_command" or attachment.get("isMeta") is True:
            return
        prompt = attachment.get("prompt")
        words = (
            [prompt]
            if isinstance(prompt, str)
            else [as_text(as_dict(block).get("text")) for block in as_list(prompt)]
        )
        if self._is_typed(attachment):
            self._said(line, entry, words)

    def _take_queue_operation(self, line: int, entry: dict[str, Any]) -> None:
        """A queued prompt comes again when it is sent, except where older versions slipped it between two tool calls."""
        if entry.get("operation") == "popAll":
            for places in self.queued.values():
                for queued in places:
                    self.main.remove(queued)
            self.queued.clear()
        said = (
            claude_text.parse_user_text(as_text(entry.get("content")))
            if entry.get("operation") == "enqueue"
            else None
        )
        if said is not None and said.kind == "text":
            ts = parse_time(entry.get("timestamp"))
            place = self.main.add("human", "text", said.text, ts=ts, line=line)
            if place is not None:
                self.queued[said.text].append(place)

    def _take_pr_link(self, line: int, entry: dict[str, Any]) -> None:
        url = as_text(entry.get("prUrl")).strip()
        if not url or url in self.links:
            return
        self.links.add(url)
        number = entry.get("prNumber")
        data = {
            "url": url,
            "number": number if isinstance(number, int) else None,
            "repository": as_text(entry.get("prRepository")),
        }
        self.main.add(
            "system", "link", url, ts=parse_time(entry.get("timestamp")), line=line, data=data
        )


_HANDLED = frozenset({"user", "assistant", "system", "attachment", "queue-operation", "pr-link"})


def _result_text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        text for block in as_list(content) if (text := as_text(as_dict(block).get("text")))
    )


def _answered(structured: dict[str, Any]) -> list[dict[str, str]]:
    """Questions with the answers that the user picked or typed, and the notes added to them."""
    notes = as_dict(structured.get("annotations"))
    questions = []
    for question, answer in as_dict(structured.get("answers")).items():
        picked = ", ".join(map(as_text, answer)) if isinstance(answer, list) else as_text(answer)
        note = as_text(as_dict(notes.get(question)).get("notes"))
        said = "\n".join(part for part in (picked, note) if part)
        if said:
            questions.append({"question": question, "answer": said})
    return questions
