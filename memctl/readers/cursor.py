"""Cursor's transcripts of its agent: `{role, message: {content: [block]}}` a line, without times, ids and mostly without results.

What a person typed stands in `<user_query>`; rules, open files and notices stand around it and are nobody's words. A transcript in a
folder `subagents` is told by the agent of the folder above, in which no human speaks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

from memctl.core.model import Role, Transcript
from memctl.readers.base import Input, clip, make_digest_id
from memctl.readers.envelopes import extract_block, unwrap
from memctl.readers.messages import join_text
from memctl.readers.sniffing import parse_head_objects
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, clean_text, parse_time

QUERY = "user_query"
_WRAPPINGS = frozenset(
    "user_info rules user_rules project_rules always_applied_workspace_rules always_applied_workspace_rule git_status "
    "agent_requestable_workspace_rules agent_requestable_workspace_rule required_instructions project_layout timestamp "
    "agent_transcripts agent_skills available_skills manually_attached_skills system_reminder system-reminder "
    "system_notification open_and_recently_viewed_files recently_viewed_files attached_files attached_code_selections "
    "code_selection additional_data current_file cursor_position linter_errors edit_history external_links "
    "terminal_files_information mcp_file_system mcp_instructions image_files hook_context context memories uploaded_documents "
    "cursor_commands task_notification background_task environment_details mode_notice".split()
)
_SUMMARY = "[Previous conversation summary]"
_WORKSPACE = re.compile(r"Workspace Paths?: {0,4}(/[^\n<]{1,1000}|[A-Za-z]:\\[^\n<]{1,1000})")
_QUIET = frozenset(
    "thinking reasoning redacted-reasoning redacted_thinking image image_url file document".split()
)
_CALLS = frozenset(["tool_use", "tool_call", "tool-call"])
_RESULTS = frozenset(["tool_result", "tool-result"])


class Cursor:
    """Reads transcripts of Cursor's agent."""

    name: ClassVar[str] = "cursor"
    agent: ClassVar[str] = "cursor"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when the role stands outside of the message and no envelope around both."""
        objects = parse_head_objects(head)
        if any(_is_message(entry) for entry in objects):
            return 0.97
        begins = (
            head.removeprefix(b"\xef\xbb\xbf")
            .lstrip()[:40]
            .replace(b" ", b"")
            .startswith((b'{"role":"user","message":', b'{"role":"assistant","message":'))
        )
        return 0.96 if begins and not objects else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        turns, parent, cwd = Turns(), parent_of(source), None
        human: Role = "system" if parent else "human"
        for line, entry in source.read_json_lines():
            role = as_text(entry.get("role"))
            if role in ("user", "assistant", "tool", "system"):
                content = as_dict(entry.get("message")).get("content")
                cwd = cwd or (workspace_in(content) if role == "user" else None)
                take(
                    turns,
                    source.unknown,
                    role,
                    content,
                    line=line,
                    ts=parse_time(entry.get("timestamp")),
                    human=human,
                )
            elif as_text(entry.get("type")) != "turn_ended":
                source.unknown[f"type {as_text(entry.get('type'))[:40] or '(none)'}"] += 1
        yield session(Cursor.name, source, turns, parent, cwd)


READER = Cursor()


def _is_message(entry: dict[str, Any]) -> bool:
    content = as_dict(entry.get("message")).get("content")
    return (
        as_text(entry.get("role")) in ("user", "assistant")
        and isinstance(content, (str, list))
        and "type" not in entry
    )


def session(
    format_name: str, source: Input, turns: Turns, parent: str | None, cwd: str | None
) -> Transcript:
    """The finished transcript; what was piped in is known by its beginning."""
    said = turns.collect()
    return Transcript(
        format=format_name,
        agent=Cursor.agent,
        session_id=source.path.stem
        if source.path
        else make_digest_id("cursor", said[0].text if said else ""),
        turns=said,
        parent_session_id=parent,
        cwd=cwd,
        unknown=dict(source.unknown),
    )


def parent_of(source: Input) -> str | None:
    """The session that a sub-agent worked for, which its folder names."""
    folders = [folder.name for folder in source.path.parents] if source.path else []
    place = folders.index("subagents") if "subagents" in folders else -1
    return folders[place + 1] or None if place >= 0 else None


def take(
    turns: Turns,
    unknown: Counter[str],
    role: str,
    content: object,
    *,
    line: int,
    ts: str | None = None,
    human: Role = "human",
) -> None:
    """Add what one message says and does."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else as_list(content)
    words = []
    for block in blocks:
        given = as_dict(block)
        kind = as_text(given.get("type"))
        if kind in _CALLS:
            _call(turns, given, ts, line)
        elif kind in _RESULTS:
            _result(turns, given, ts, line)
        elif kind in _QUIET:
            continue
        elif isinstance(given.get("text"), str):
            words.append(given["text"])
            if role == "assistant":
                _answer(turns, words.pop(), ts, line)
        else:
            unknown[f"block {kind[:40]}" if kind else "block"] += 1
    if role == "user":
        asked(turns, words, ts=ts, line=line, human=human)
    elif role == "tool":
        turns.add(
            "tool", "tool_result", clip("\n".join(words)), ts=ts, line=line
        ) if words else None


def asked(turns: Turns, texts: list[str], *, ts: str | None, line: int, human: Role) -> None:
    """Add what a person typed in a message, whose context may stand in the same text or in texts of its own."""
    queries = [
        query for text in texts if (query := extract_block(text, QUERY, _WRAPPINGS)) is not None
    ]
    said = (
        "\n\n".join(query or "" for query in queries)
        if queries
        else "\n\n".join(filter(None, (unwrap(text, _WRAPPINGS) for text in texts)))
    )
    if said.startswith(_SUMMARY):
        turns.add("summary", "compact", said, ts=ts, line=line)
    else:
        turns.add(human, "text", unwrap(said, _WRAPPINGS), ts=ts, line=line)


def workspace_in(content: object) -> str | None:
    """The folder that the context of a first prompt names."""
    texts = (
        [content]
        if isinstance(content, str)
        else [as_text(as_dict(block).get("text")) for block in as_list(content)]
    )
    for text in texts:
        found = _WORKSPACE.search(text[:20_000]) if "<user_info>" in text[:4000] else None
        if found:
            return as_name(found[1].strip())
    return None


def _answer(turns: Turns, text: str, ts: str | None, line: int) -> None:
    # Cursor writes this where it keeps thoughts back.
    turns.add(
        "assistant", "text", "" if clean_text(text) == "[REDACTED]" else text, ts=ts, line=line
    )


def _call(turns: Turns, block: dict[str, Any], ts: str | None, line: int) -> None:
    tool = as_text(block.get("name")) or as_text(block.get("toolName"))
    given = next((block[key] for key in ("input", "args", "arguments") if key in block), None)
    text, data = describe_call(tool, given)
    call_id = as_name(block.get("id") or block.get("toolCallId"))
    turns.add(
        "assistant",
        "tool_call",
        text,
        ts=ts,
        tool=tool or None,
        call_id=call_id,
        line=line,
        data=data,
    )


def _result(turns: Turns, block: dict[str, Any], ts: str | None, line: int) -> None:
    said = join_text(
        next((block[key] for key in ("content", "result", "output") if key in block), "")
    )
    tool, call_id = (
        as_name(block.get("name") or block.get("toolName")),
        as_name(block.get("tool_use_id") or block.get("toolCallId")),
    )
    ok = False if block.get("is_error") is True or block.get("isError") is True else None
    turns.add(
        "tool", "tool_result", clip(said), ts=ts, tool=tool, call_id=call_id, ok=ok, line=line
    )
