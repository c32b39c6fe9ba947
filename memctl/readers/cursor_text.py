"""Cursor's older transcripts of its agent, as text: `user:` and `assistant:` alone on a line, thoughts and tools under marks in brackets.

What stands indented under a mark belongs to it; the next line at the left margin is the agent's answer again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from memctl.core.model import Role, Transcript
from memctl.readers.base import Input, clip, parse_json
from memctl.readers.cursor import QUERY, asked, parent_of, session, workspace_in
from memctl.readers.text_document import decode_head
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns

_SPEAKERS = ("user:", "assistant:")
_THOUGHT, _CALL, _RESULT = "[Thinking]", "[Tool call] ", "[Tool result]"
_MARKS = (_THOUGHT, _CALL, _RESULT)


class CursorText:
    """Reads transcripts of Cursor's agent that are plain text."""

    name: ClassVar[str] = "cursor-text"
    agent: ClassVar[str] = "cursor"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when a speaker alone on the first line is followed by a mark of Cursor's own."""
        lines = [line.rstrip() for line in decode_head(head).lstrip().split("\n")]
        if lines[0] not in _SPEAKERS:
            return 0.0
        if any(line.startswith(_MARKS) or line == f"<{QUERY}>" for line in lines):
            return 0.96
        return 0.9 if set(_SPEAKERS) <= set(lines) else 0.4

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        turns, parent, cwd = Turns(), parent_of(source), None
        human: Role = "system" if parent else "human"
        for line, speaker, said in _blocks(source.read_text()):
            if speaker == "user:":
                text = "\n".join(said)
                cwd = cwd or workspace_in(text)
                asked(turns, [text], ts=None, line=line, human=human)
            else:
                _answer(turns, line, said)
        yield session(CursorText.name, source, turns, parent, cwd)


READER = CursorText()


def _blocks(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """What each speaker says, with the number of the line that names the speaker; text before the first is nobody's."""
    line, speaker, said = 0, "", list[str]()
    for number, found in enumerate(text.split("\n"), 1):
        if found.rstrip() in _SPEAKERS:
            if speaker:
                yield line, speaker, said
            line, speaker, said = number, found.rstrip(), []
        else:
            said.append(found)
    if speaker:
        yield line, speaker, said


def _answer(turns: Turns, line: int, said: list[str]) -> None:
    """The agent's words and tools in their order."""
    mark, held, start = "", list[str](), line + 1
    for number, found in enumerate(said, line + 1):
        is_mark = found.startswith(_MARKS)
        if is_mark or (mark and found and not found[0].isspace()):
            _add(turns, start, mark, held)
            mark, held, start = (
                found.rstrip() if is_mark else "",
                [] if is_mark else [found],
                number,
            )
        else:
            held.append(found)
    _add(turns, start, mark, held)


def _add(turns: Turns, line: int, mark: str, held: list[str]) -> None:
    if not mark:
        turns.add("assistant", "text", "\n".join(held), line=line)
    elif mark.startswith(_CALL):
        tool = mark.removeprefix(_CALL).strip()
        text, data = describe_call(tool, _arguments(held))
        turns.add("assistant", "tool_call", text, tool=tool or None, line=line, data=data)
    elif mark.startswith(_RESULT):
        tool = mark.removeprefix(_RESULT).strip()
        turns.add(
            "tool",
            "tool_result",
            clip("\n".join(found.strip() for found in held).strip()),
            tool=tool or None,
            line=line,
        )


def _arguments(held: list[str]) -> object:
    """A call's arguments, which stand as JSON, as a patch or as a name and a value a line."""
    whole = "\n".join(found.strip() for found in held).strip()
    given = parse_json(whole)
    if isinstance(given, dict) or whole.startswith(("***", "@@")):
        return given if isinstance(given, dict) else whole
    pairs = (
        found.strip().partition("=" if "=" in found.partition(":")[0] else ":") for found in held
    )
    return {
        name.strip(): value.strip() for name, between, value in pairs if between and name.strip()
    }
