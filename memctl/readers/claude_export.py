"""A session of Claude Code as its `/export` command, or a copy of the terminal, writes it down.

`> prompt`, `⏺ answer`, `⎿ result`: a mark in the first column begins a block, and only there. What
the agent thinks, its clocks and its boxes are no turns; answers to its questions and reasons for
refusing are the operator's words. A prompt that the terminal broke at its width is joined again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript, Turn
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers import claude_text
from memctl.readers.base import Input, Reader, make_digest_id
from memctl.readers.session import Session
from memctl.readers.text_document import blank_out_contexts, decode_head
from memctl.readers.tool_summaries import describe_call

_BANNER = compile_later(r"[▐▛▜▌█\s╭─│✻*]{0,60}(?:Welcome to )?Claude Code(?: v\d|!|\s)")
# Lines at the start that are searched for the banner, and for marks.
_BANNER_LINES = 12
_HEAD_LINES = 400
_PROMPT = compile_later(r"[>❯](?:\s(?P<text>.*))?")
_SHELL = compile_later(r"! {1,2}(?P<text>\S.*)")
_ANSWER = compile_later(r"[⏺●]\s(?P<text>.*)")
# By the first character of a line: the kind of block that it begins, and its pattern.
_MARKS = {
    ">": ("prompt", _PROMPT),
    "❯": ("prompt", _PROMPT),
    "⏺": ("answer", _ANSWER),
    "●": ("answer", _ANSWER),
    "!": ("shell", _SHELL),
}
_QUIET = compile_later(
    r"[✻✶✳✢✽✺∴※⏵]|═{4}|─{20}|[╭▐▝]"
    r"|  [A-Z(][^()\n]{0,200}\(?ctrl\+[a-z] to (?:expand|see all)\)\s{0,200}$"
)
# First characters of lines that continue a block.
_CONTINUATION_STARTS = " abcdefghijklmnopqrstuvwxyz"
_RESULT = compile_later(r"\s{0,12}⎿\s{0,4}(?P<text>.*)")
_INLINE_RESULT = compile_later(r"\s{2}⎿\s{1,4}")
_CALL = compile_later(
    r"(?P<tool>[A-Z][\w.]{0,60}|[\w.:-]{1,80} - [\w.:-]{1,80})(?: \(MCP\))?\((?P<args>.*)",
    re.DOTALL,
)
_NAMED_ARGUMENT = compile_later(r"[a-z_]{1,40}: ")
_SLASH_COMMAND = compile_later(r"(?P<name>/[a-z][\w:.-]{0,80})(?=\s|$)")
# Answers that only say that something is collapsed.
_FOLDED = compile_later(
    r".{0,200}\(ctrl\+[a-z] [^()]{0,30}\)\s{0,4}"
    r"|(?:Ran|Read|Searched|Listed|Thought for) .{0,40}"
    r"|Updated plan|Entered plan mode\b.{0,200}",
    re.DOTALL,
)
_CWD = compile_later(r"[│\s]{0,8}cwd: (?P<path>(?:/|[A-Za-z]:\\)[^│\n]{1,300})")
# Characters at the start of an export that are searched for its folder.
_CWD_HEAD = 4000
_REJECTED = "Tool use rejected"
_REJECTED_WITH_REASON = "Tool use rejected with user message:"
_CLARIFY = "The user wants to clarify these questions"
_PLAN_REJECTED = "User rejected Claude's plan"
_PLAN_APPROVED = "User approved Claude's plan"
_QUESTIONS_ANSWERED = "User answered Claude's questions"
_QUIET_RESULTS = ("Interrupted", "/plan to ", "(no content)", "(No content)")
_FAILED_RESULTS = ("Error", "Invalid tool parameters")
_ANSWER_ITEM = compile_later(r"(?:^|\n)\s{0,8}· ")
# Columns of the narrowest terminal.
_MIN_WIDTH = 60


class ClaudeExport:
    """Reads exports of Claude Code's terminal."""

    name: ClassVar[str] = "claude-export"
    agent: ClassVar[str] = "claude-code"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if there is the banner and a mark; nearly certain if there are all three
        marks.
        """
        lines = decode_head(head).split("\n", _HEAD_LINES)[:_HEAD_LINES]
        has_answer = any(_ANSWER.match(line) for line in lines)
        has_prompt = any(_PROMPT.match(line) and line[1:].strip() for line in lines)
        has_result = any(_RESULT.match(line) for line in lines)
        has_banner = any(_BANNER.match(line) for line in lines[:_BANNER_LINES])
        if has_banner and (has_answer or has_prompt or has_result):
            return 0.97
        if has_answer and has_result:
            return 0.94 if has_prompt else 0.8
        if has_answer and has_prompt:
            return 0.8 if any(line.startswith("⏺") for line in lines) else 0.5
        return 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one session of the file."""
        text = blank_out_contexts(source.read_text())
        lines = text.split("\n")
        widths = (len(line) for line in lines if _PROMPT.match(line))
        session = _ExportSession(source, self, max(widths, default=0))
        for kind, number, block in _split_blocks(lines):
            session.line = number
            session.read_block(kind, block)
        cwd = _CWD.search(text[:_CWD_HEAD])
        session.cwd = cwd["path"].strip() if cwd else None
        yield session.to_transcript()


READER = ClaudeExport()


def _split_blocks(lines: list[str]) -> Iterator[tuple[str, int, list[str]]]:
    """Yield the kind, the first line's number and the lines of each block, without its mark.

    The kind is `prompt`, `shell`, `answer` or `quiet`.
    """
    kind, start, block, is_after_result = "quiet", 1, list[str](), False
    for number, line in enumerate(lines, 1):
        new_kind, text = _parse_start(line)
        if not new_kind and is_after_result and _is_answer_again(line, block):
            new_kind, text = "answer", line.strip()
        if new_kind:
            yield kind, start, block
            kind, start, block, is_after_result = new_kind, number, [text], False
        else:
            block.append(line)
            if "⎿" in line and _RESULT.match(line):
                is_after_result = True
    yield kind, start, block


def _parse_start(line: str) -> tuple[str, str]:
    """Return the kind of block that a line begins and the line without its mark, or two empty
    texts.
    """
    if line[:1] in _MARKS:
        kind, pattern = _MARKS[line[:1]]
        start = pattern.fullmatch(line)
        if start is not None:
            return kind, start["text"] or ""
    if not line or (line[0] in _CONTINUATION_STARTS and "ctrl+" not in line):
        return "", ""
    return ("quiet", "") if _QUIET.match(line) else ("", "")


def _is_answer_again(line: str, block: list[str]) -> bool:
    """Return whether a line after a result is the agent's: less indented, after a blank line."""
    is_less_indented = line.startswith("  ") and not line.startswith("    ")
    return not block[-1].strip() and is_less_indented and line[2:3].strip() not in ("", "⎿")


class _ExportSession(Session):
    """The session; `width` is the terminal's width, as far as the prompts show it."""

    def __init__(self, source: Input, reader: Reader, width: int) -> None:
        super().__init__(source, reader)
        self.width = max(width, _MIN_WIDTH)

    def _make_session_id(self, turns: tuple[Turn, ...]) -> str:
        prompts = (turn.text for turn in turns if turn.role == "human")
        return make_digest_id("export", next(prompts, ""))

    def read_block(self, kind: str, lines: list[str]) -> None:
        """Add what a block says."""
        rows, results = _split_results(lines)
        if kind == "prompt":
            self._read_prompt(rows)
        elif kind == "shell":
            self.add("human", "command", "\n".join(rows), data={"shell": True})
        elif kind == "answer":
            self._read_answer(rows, results)
        for result in results if kind in ("prompt", "quiet") else []:
            self._read_rejection(result)

    def _read_prompt(self, rows: list[str]) -> None:
        bare_rows = [row.removeprefix("  ") for row in rows]
        text = "\n".join(_join_wrapped(bare_rows, self.width - 2)).strip()
        slash_command = _SLASH_COMMAND.match(text)
        if slash_command is not None:
            command = text.removesuffix(" is running…")
            self.add("human", "command", command, data={"command": slash_command["name"]})
            return
        user_text = claude_text.parse_user_text(text)
        if user_text is None or text.startswith("[Pasted text"):
            return
        if user_text.kind == "compact":
            self.add_summary(user_text.text)
        elif user_text.kind == "plan":
            self.add("assistant", "plan", user_text.text, ok=True)
        else:
            self.add("human", user_text.kind, user_text.text, data=user_text.data)

    def _read_answer(self, rows: list[str], results: list[list[str]]) -> None:
        """The agent's words, a tool call, or what the operator decided."""
        text = "\n".join(row.removeprefix("  ").rstrip() for row in rows).strip()
        all_results = "\n".join("\n".join(result) for result in results)
        if text.startswith(_QUESTIONS_ANSWERED):
            self._add_answers(all_results)
            return
        if text.startswith(_PLAN_APPROVED):
            self.add("assistant", "plan", _strip_saved_path(all_results), ok=True)
            return
        call = _CALL.fullmatch(text) if "(" in text else None
        if call is not None:
            self._add_shown_call(call["tool"], call["args"])
        elif not _FOLDED.fullmatch(text):
            self.add_answer(text)
        for result in results:
            self._read_result(call["tool"] if call else None, result)

    def _add_shown_call(self, tool: str, shown: str) -> None:
        arguments = _parse_arguments(shown.rstrip().removesuffix(")"))
        described = describe_call("Edit" if tool == "Update" else tool, arguments)
        self.add_described_call(tool, *described)

    def _read_result(self, tool: str | None, result: list[str]) -> None:
        text = "\n".join(result).strip()
        if self._read_rejection(result):
            return
        if text.startswith(_PLAN_REJECTED):
            plan = "\n".join(row.strip("│╭╮╰╯─ ") for row in result[1:]).strip()
            self.add("assistant", "plan", plan, ok=False)
        elif text and not text.startswith(_QUIET_RESULTS):
            ok = False if text.startswith(_FAILED_RESULTS) else None
            self.add_result(text, tool=tool, ok=ok)

    def _read_rejection(self, result: list[str]) -> bool:
        """Return whether a result is a refusal; the operator's reason, if any, becomes a turn."""
        if not result or not result[0].startswith(_REJECTED):
            return False
        text = " ".join(row.strip() for row in result)
        reason = text.partition(_REJECTED_WITH_REASON)[2].strip()
        if reason and not reason.startswith(_CLARIFY):
            self.add("human", "rejection", reason, ok=False)
        return True

    def _add_answers(self, listing: str) -> None:
        """Add what the operator chose; a question and its answer may span several lines."""
        questions = []
        for item in _ANSWER_ITEM.split(listing):
            question, arrow, answer = " ".join(item.split()).rpartition(" → ")
            if arrow:
                questions.append({"question": question, "answer": answer})
        answers = "\n".join(dict.fromkeys(pair["answer"] for pair in questions))
        data = {"questions": questions}
        self.add("human", "answer", answers, tool="AskUserQuestion", data=data)


def _split_results(lines: list[str]) -> tuple[list[str], list[list[str]]]:
    """Return the rows of a block itself, and the rows of each result below it."""
    rows: list[str] = []
    results: list[list[str]] = []
    if len(lines) == 1 or not any("⎿" in row for row in lines):
        return lines, results
    for row in lines:
        inline = _INLINE_RESULT.search(row) if "⎿" in row else None
        result = _RESULT.fullmatch(row)
        if result is not None:
            results.append([result["text"]])
        elif inline is not None and not results:
            rows.append(row[: inline.start()])
            results.append([row[inline.end() :]])
        elif results:
            results[-1].append(row.strip() if row[:5].strip() else row[5:].rstrip())
        else:
            rows.append(row)
    return rows, results


def _join_wrapped(rows: list[str], width: int) -> list[str]:
    """Join rows that the terminal broke: the next row's first word had no room left."""
    joined: list[str] = []
    space_left = width + 1
    for row in rows:
        bare = row.rstrip()
        first_word = bare.partition(" ")[0]
        starts_anew = row.startswith((" ", "- ", "* "))
        if joined and bare and space_left <= len(first_word) and not starts_anew:
            joined[-1] = f"{joined[-1]} {bare}"
        else:
            joined.append(bare)
        space_left = width - len(bare) - 1 if bare else width + 1
    return joined


def _parse_arguments(shown: str) -> dict[str, Any]:
    """Parse a tool's argument as the terminal shows it: a command, a path, or named values."""
    if _NAMED_ARGUMENT.match(shown):
        return {"description": shown}
    return {"command": shown, "file_path": shown.partition("\n")[0]}


def _strip_saved_path(plan: str) -> str:
    """Remove the line, broken or not, that says where an approved plan was saved."""
    first, _, following = plan.partition("\n")
    if not first.startswith("Plan saved to:"):
        return plan
    continues = following.lstrip().startswith(("edit", "to edit", "/plan"))
    is_broken = not first.endswith("/plan to edit") and continues
    return following.partition("\n")[2] if is_broken else following
