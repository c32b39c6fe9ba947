"""aider's chat history: one Markdown file for all runs of a repository, or one run on a web page.

`# aider chat started at ...` begins a run, `#### ` lines are the user's, `> ` lines are aider's own
messages and the output of commands, the rest is the model's. The model's headings may look like
prompts; aider ends a prompt with two spaces, which tells them apart where no editor has stripped
them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript
from memctl.core.typing_lite import ClassVar
from memctl.readers.base import Input, Reader
from memctl.readers.session import Session
from memctl.readers.tool_summaries import describe_files
from memctl.readers.values import clean_text, parse_time

_RUN_START = "# aider chat started at "
# Who speaks in a line, by how the line begins; the model's lines have no mark.
_PROMPT = "####"
_AIDER = ">"
_MODEL = ""
_PROMPT_END = "  "
_FENCE = "```"
_COMMIT = compile_later(r"Commit ([0-9a-f]{7,40}) (.*)")
# A question of aider with its choices, the default, and what was typed: `(Y)es/(N)o [Yes]: y`.
_CONFIRM = compile_later(r"(.*?)\s*\(Y\)es/\(N\)o[^\[\]:]{0,80}(?:\[[^\]]{0,20}\])?:\s*(\S.*)")
# Replies that only choose say nothing beside the question.
_MERE_CHOICES = frozenset({"y", "n", "yes", "no", "a", "all", "s", "skip", "d", "don't ask again"})
_APPLIED_EDIT = "Applied edit to "
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
_PAGE_START = '<div class="chat-transcript"'
_PAGE_LINES = (_PAGE_START, "</div>")
# Texts that identify a run on a web page.
_PAGE_MARKS = (b"\n> Applied edit to ", b"\n> $ aider", b"\n> Tokens: ", _PAGE_START.encode())
# Hex digits of the digest of the first prompt in a run's id.
_DIGEST_LENGTH = 8


class Aider:
    """Reads aider's chat histories."""

    name: ClassVar[str] = "aider"
    agent: ClassVar[str] = "aider"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if a line begins a run; a web page is recognised by aider's messages beside
        prompts.
        """
        lines = b"\n" + head.replace(b"\r\n", b"\n")
        if f"\n{_RUN_START}".encode() in lines:
            return 0.98
        if b"\n#### " not in lines:
            return 0.0
        if name.startswith(".aider.chat.history"):
            return 0.95
        return 0.85 if any(mark in lines for mark in _PAGE_MARKS) else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the runs that hold turns, in order."""
        has_marked_prompts = _has_marked_prompts(source)
        run = _AiderRun(source, self, "", has_marked_prompts)
        for number, raw in source.read_lines():
            line = raw.decode("utf-8", "replace").rstrip("\r\n")
            if line.startswith(_RUN_START):
                yield from run.finish()
                run = _AiderRun(
                    source, self, line.removeprefix(_RUN_START).strip(), has_marked_prompts
                )
            else:
                run.read_line(number, line)
        yield from run.finish()


READER = Aider()


def _has_marked_prompts(source: Input) -> bool:
    """Return whether this file still has the two spaces that end each prompt."""
    prompts = (line for _, line in source.read_lines() if line.startswith(_PROMPT.encode()))
    return any(line.rstrip(b"\r\n").endswith(_PROMPT_END.encode()) for line in prompts)


class _AiderRun(Session):
    """One run: blocks of lines with one speaker; `line` is where the current block begins."""

    def __init__(
        self, source: Input, reader: Reader, started: str, has_marked_prompts: bool
    ) -> None:
        super().__init__(source, reader)
        self.started, self.has_marked_prompts = started, has_marked_prompts
        self.block: list[str] = []
        self.voice = _MODEL
        self.answer: list[str] = []
        self.answer_line = 0
        self.is_in_fence = False
        self.first_prompt = ""

    def read_line(self, number: int, line: str) -> None:
        """Add a line to the block it continues, or begin the next block with it."""
        if line.startswith(_FENCE) and self.voice != _PROMPT:
            self.is_in_fence = not self.is_in_fence
        voice = self._find_voice(line)
        if voice != self.voice:
            self._end_block()
            self.voice, self.line = voice, number
        self.block.append(line)

    def finish(self) -> Iterator[Transcript]:
        """Yield the run, unless it is empty."""
        self._end_block()
        self._end_answer()
        if not len(self.turns):
            return
        path = self.source.path
        if path is not None and path.name.startswith(".aider."):
            self.cwd = str(path.absolute().parent)
        self.session_id = self._make_run_id()
        self.began_at = _parse_local_time(self.started)
        yield self.to_transcript()

    def _find_voice(self, line: str) -> str:
        if line.startswith(f"{_PROMPT} ") or line.rstrip() == _PROMPT:
            return _MODEL if self.is_in_fence and not self.has_marked_prompts else _PROMPT
        if line == _AIDER or line.startswith(f"{_AIDER} "):
            return _AIDER
        # An empty line between two of aider's messages belongs to them.
        return _AIDER if self.voice == _AIDER and not line.strip() else _MODEL

    def _end_block(self) -> None:
        lines, self.block = self.block, []
        is_prompt = self.voice == _PROMPT
        if is_prompt and self.has_marked_prompts:
            is_prompt = lines[-1].endswith(_PROMPT_END)
        if is_prompt:
            self._end_answer()
            self._add_own_prompt(lines)
        elif self.voice == _AIDER:
            self._end_answer()
            self._read_messages([line[2:].rstrip() for line in lines])
        elif self.first_prompt:
            self.answer_line = self.answer_line if self.answer else self.line
            self.answer += [line for line in lines if not line.startswith(_PAGE_LINES)]

    def _end_answer(self) -> None:
        self.turns.add("assistant", "text", "\n".join(self.answer), line=self.answer_line)
        self.answer.clear()

    def _add_own_prompt(self, lines: list[str]) -> None:
        rows = (line.removeprefix(_PROMPT).removeprefix(" ").rstrip() for line in lines)
        text = clean_text("\n".join(rows))
        self.first_prompt = self.first_prompt or text
        self.is_in_fence = False
        self.add("human", "command" if text.startswith(("/", "!")) else "text", text)

    def _read_messages(self, lines: list[str]) -> None:
        """Read aider's own messages: edits and commits become facts, the rest is output."""
        output = []
        confirmed: list[tuple[str, str]] = []
        edited: dict[str, None] = {}
        for line in lines:
            commit, confirm = _COMMIT.match(line), _CONFIRM.match(line)
            if confirm is not None and confirm[2].strip().lower() not in _MERE_CHOICES:
                confirmed.append((confirm[1], confirm[2].strip()))
            if line.startswith(_APPLIED_EDIT):
                edited[line.removeprefix(_APPLIED_EDIT).strip()] = None
            elif commit is not None:
                self._add_edits(edited)
                data = {"commit": commit[1], "message": commit[2]}
                self.add("tool", "tool_result", line, tool="git commit", ok=True, data=data)
            elif not line.startswith(_NOISE):
                output.append(line)
        self._add_edits(edited)
        text = "\n".join(output).strip()
        if text and self.first_prompt:
            self.add_result(text)
        for question, answer in confirmed:
            data = {"questions": [{"question": question, "answer": answer}]}
            self.add("human", "answer", answer, tool="confirm", data=data)

    def _add_edits(self, files: dict[str, None]) -> None:
        if files:
            self.add_described_call("edit", *describe_files("edit", list(files)))
            files.clear()

    def _make_run_id(self) -> str:
        """Make an id from the start time and the first prompt; it stays the same as the run
        grows.
        """
        prompt = self.first_prompt.encode("utf-8", "replace")
        digest = hashlib.sha256(prompt).hexdigest()[:_DIGEST_LENGTH]
        stamp = re.sub(r"[^0-9A-Za-z]+", "-", self.started or self.source.stem).strip("-")
        return "-".join(part for part in ("aider", stamp, digest) if part)


def _parse_local_time(text: str) -> str | None:
    """Convert aider's local time, which has no zone."""
    try:
        return parse_time(datetime.fromisoformat(text).astimezone(UTC).isoformat())
    except (ValueError, OverflowError, OSError):
        return None
