"""Cursor's older transcripts of its agent, as text.

`user:` and `assistant:` stand alone on a line, thoughts and tools under marks in brackets. Indented
text below a mark belongs to it; the next line at the left margin is the agent's answer again.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.model import Transcript
from memctl.core.typing_lite import ClassVar
from memctl.readers.base import Input, parse_json
from memctl.readers.cursor import QUERY_TAG, CursorTranscript
from memctl.readers.jsonl_session import Entry
from memctl.readers.text_document import decode_head

_USER = "user:"
_ASSISTANT = "assistant:"
_SPEAKERS = (_USER, _ASSISTANT)
_THOUGHT = "[Thinking]"
_CALL = "[Tool call] "
_RESULT = "[Tool result]"
_MARKS = (_THOUGHT, _CALL, _RESULT)


class CursorText:
    """Reads transcripts of Cursor's agent that are plain text."""

    name: ClassVar[str] = "cursor-text"
    agent: ClassVar[str] = "cursor"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if the first line is a speaker and one of Cursor's marks follows."""
        lines = [line.rstrip() for line in decode_head(head).lstrip().split("\n")]
        if lines[0] not in _SPEAKERS:
            return 0.0
        if any(line.startswith(_MARKS) or line == f"<{QUERY_TAG}>" for line in lines):
            return 0.96
        return 0.9 if set(_SPEAKERS) <= set(lines) else 0.4

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        yield from _CursorTextSession(source, self).read()


READER = CursorText()


class _CursorTextSession(CursorTranscript):
    def list_entries(self) -> Iterator[tuple[int, Entry]]:
        """Yield what each speaker says, with the number of the line that names the speaker.

        Text before the first speaker is ignored.
        """
        entry: Entry | None = None
        start = 0
        for number, line in enumerate(self.source.read_text().split("\n"), 1):
            if line.rstrip() in _SPEAKERS:
                if entry is not None:
                    yield start, entry
                start, entry = number, {"speaker": line.rstrip(), "lines": []}
            elif entry is not None:
                entry["lines"].append(line)
        if entry is not None:
            yield start, entry

    def read_entry(self, entry: Entry) -> None:
        """Read what one speaker says."""
        self.ts = self.ts or self.asked_at
        if entry["speaker"] == _USER:
            text = "\n".join(entry["lines"])
            self.note_workspace(text)
            self.add_query([text])
        else:
            self._read_answer(entry["lines"])

    def _read_answer(self, lines: list[str]) -> None:
        """Add the agent's words and tools in their order, each with its own line number."""
        first = self.line + 1
        mark, block = "", list[str]()
        self.line = first
        for number, line in enumerate(lines, first):
            is_mark = line.startswith(_MARKS)
            is_answer_again = bool(mark and line and not line[0].isspace())
            if not is_mark and not is_answer_again:
                block.append(line)
                continue
            self._add_block(mark, block)
            mark, block = (line.rstrip(), []) if is_mark else ("", [line])
            self.line = number
        self._add_block(mark, block)

    def _add_block(self, mark: str, lines: list[str]) -> None:
        if not mark:
            self.add_answer("\n".join(lines))
        elif mark.startswith(_CALL):
            self.add_call(mark.removeprefix(_CALL).strip(), _parse_arguments(lines))
        elif mark.startswith(_RESULT):
            self.add_result(_dedent(lines), tool=mark.removeprefix(_RESULT))


def _dedent(lines: list[str]) -> str:
    return "\n".join(line.strip() for line in lines).strip()


def _parse_arguments(lines: list[str]) -> object:
    """Parse a call's arguments: JSON, a patch, or a name and a value on each line."""
    whole = _dedent(lines)
    if whole.startswith(("***", "@@")):
        return whole
    parsed = parse_json(whole)
    if isinstance(parsed, dict):
        return parsed
    arguments = {}
    for line in lines:
        separator = "=" if "=" in line.partition(":")[0] else ":"
        name, found, value = line.strip().partition(separator)
        if found and name.strip():
            arguments[name.strip()] = value.strip()
    return arguments
