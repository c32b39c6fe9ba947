"""aider's chat history: one Markdown file for all runs of a repository, or one run shown on a web page.

`# aider chat started at ...` begins a run, `#### ` lines are the user's, `> ` lines are aider's own messages and the output of
commands, the rest is the model's. The model's headings may look like prompts; aider ends a prompt with two spaces, which tells them
apart wherever an editor has not stripped them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, clip
from memctl.readers.tool_summaries import describe_files
from memctl.readers.turns import Turns
from memctl.readers.values import clean_text, parse_time

_STARTED = "# aider chat started at "
_PROMPT = "####"
_COMMIT = re.compile(r"Commit ([0-9a-f]{7,40}) (.*)")
_APPLIED = "Applied edit to "
_NOISE = (
    "Tokens:",
    "Cost:",
    "Aider v",
    "aider v",
    "Main model:",
    "Weak model:",
    "Editor model:",
    "Model:",
    "Models:",
    "Git repo:",
    "Repo-map:",
    "Using git repo:",
    "Use /help",
    "Cur working dir:",
    "Git working dir:",
    "Restored previous conversation",
    "VSCode terminal",
)
_PAGE_LINES = ('<div class="chat-transcript"', "</div>")


class Aider:
    """Reads aider's chat histories."""

    name: ClassVar[str] = "aider"
    agent: ClassVar[str] = "aider"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure of the line that begins a run; a page is told by prompts beside aider's own messages."""
        lined = b"\n" + head.replace(b"\r\n", b"\n")
        if f"\n{_STARTED}".encode() in lined:
            return 0.98
        if b"\n#### " not in lined:
            return 0.0
        if name.startswith(".aider.chat.history"):
            return 0.95
        marks = (
            b"\n> Applied edit to ",
            b"\n> $ aider",
            b"\n> Tokens: ",
            b'<div class="chat-transcript"',
        )
        return 0.85 if any(mark in lined for mark in marks) else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """The runs that hold turns, in order."""
        marked = _marks_prompts(source)
        run = _Run(source, "", marked)
        for number, raw in source.read_lines():
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            if line.startswith(_STARTED):
                yield from run.finished()
                run = _Run(source, line.removeprefix(_STARTED).strip(), marked)
            else:
                run.take(number, line)
        yield from run.finished()


READER = Aider()


def _marks_prompts(source: Input) -> bool:
    """Whether this file still has the two spaces that end a prompt."""
    return any(
        raw.startswith(b"####") and raw.rstrip(b"\r\n").endswith(b"  ")
        for _, raw in source.read_lines()
    )


class _Run:
    """One run: blocks of lines of one voice, each block a turn."""

    def __init__(self, source: Input, started: str, marked: bool) -> None:
        self.source, self.started, self.marked = source, started, marked
        self.turns = Turns()
        self.block: list[str] = []
        self.said: list[str] = []
        self.voice = ""
        self.line = self.said_line = 0
        self.in_fence = False
        self.first_prompt = ""

    def take(self, number: int, line: str) -> None:
        """Add a line to the block it continues, or begin the next block with it."""
        if line.startswith("```") and self.voice != _PROMPT:
            self.in_fence = not self.in_fence
        voice = self._voice_of(line)
        if voice != self.voice:
            self._end_block()
            self.voice, self.line = voice, number
        self.block.append(line)

    def finished(self) -> list[Transcript]:
        """The run, or nothing when nobody said anything."""
        self._end_block()
        self._end_said()
        turns = self.turns.collect()
        if not turns:
            return []
        path = self.source.path
        is_history = path is not None and path.name.startswith(".aider.")
        started = _local_time(self.started)
        transcript = Transcript(
            format=Aider.name,
            agent=Aider.agent,
            session_id=self._session_id(),
            turns=turns,
            cwd=str(path.absolute().parent) if path is not None and is_history else None,
            started_at=started,
            unknown=dict(self.source.unknown),
        )
        return [transcript]

    def _voice_of(self, line: str) -> str:
        if line.startswith(f"{_PROMPT} ") or line.rstrip() == _PROMPT:
            return "" if self.in_fence and not self.marked else _PROMPT
        if line == ">" or line.startswith("> "):
            return ">"
        return "" if self.voice != ">" or line.strip() else ">"

    def _end_block(self) -> None:
        lines, self.block = self.block, []
        if self.voice == _PROMPT and (not self.marked or lines[-1].endswith("  ")):
            self._end_said()
            self._prompt(lines)
        elif self.voice == ">":
            self._end_said()
            self._messages([line[2:].rstrip() for line in lines])
        elif self.first_prompt:
            self.said_line = self.said_line if self.said else self.line
            self.said += [line for line in lines if not line.startswith(_PAGE_LINES)]

    def _end_said(self) -> None:
        self.turns.add("assistant", "text", "\n".join(self.said), line=self.said_line)
        self.said.clear()

    def _prompt(self, lines: list[str]) -> None:
        text = clean_text(
            "\n".join(line.removeprefix(_PROMPT).removeprefix(" ").rstrip() for line in lines)
        )
        kind = "command" if text.startswith(("/", "!")) else "text"
        self.first_prompt = self.first_prompt or text
        self.in_fence = False
        self.turns.add("human", kind, text, line=self.line)

    def _messages(self, lines: list[str]) -> None:
        """aider's messages: edits and commits are facts, the rest is output."""
        output = []
        edited: dict[str, None] = {}
        for line in lines:
            commit = _COMMIT.match(line)
            if line.startswith(_APPLIED):
                edited[line.removeprefix(_APPLIED).strip()] = None
            elif commit is not None:
                self._edits(edited)
                data = {"commit": commit[1], "message": commit[2]}
                self.turns.add(
                    "tool",
                    "tool_result",
                    line,
                    tool="git commit",
                    ok=True,
                    line=self.line,
                    data=data,
                )
            elif not line.startswith(_NOISE):
                output.append(line)
        self._edits(edited)
        said = "\n".join(output).strip()
        if said and self.first_prompt:
            self.turns.add("tool", "tool_result", clip(said), line=self.line)

    def _edits(self, files: dict[str, None]) -> None:
        if files:
            text, data = describe_files("edit", list(files))
            self.turns.add("assistant", "tool_call", text, tool="edit", line=self.line, data=data)
            files.clear()

    def _session_id(self) -> str:
        """Stable while the run grows: when it began and what was asked first."""
        name = self.source.path.stem if self.source.path and not self.started else ""
        digest = hashlib.sha256(self.first_prompt.encode("utf-8", "replace")).hexdigest()[:8]
        stamp = re.sub(r"[^0-9A-Za-z]+", "-", self.started or name).strip("-")
        return "-".join(part for part in ("aider", stamp, digest) if part)


def _local_time(text: str) -> str | None:
    """aider writes the machine's local time without a zone."""
    try:
        return parse_time(datetime.fromisoformat(text).astimezone(UTC).isoformat())
    except (ValueError, OverflowError, OSError):
        return None
