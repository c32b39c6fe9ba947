"""A session of Claude Code as its `/export` command, or a copy of the terminal, writes it down: `> prompt`, `⏺ answer`, `⎿ result`.

A mark in the first column begins a block, and only there. What the agent thinks, its clocks and its boxes are no turns; answers to its
questions and reasons for refusing are the operator's words. A prompt that the terminal broke at its width is joined again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from memctl.core.model import Transcript
from memctl.readers import claude_text
from memctl.readers.base import Input, clip, make_digest_id
from memctl.readers.text_document import blank_out_contexts, decode_head
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns

_BANNER = re.compile(r"[▐▛▜▌█\s╭─│✻*]{0,60}(?:Welcome to )?Claude Code(?: v\d|!|\s)")
_PROMPT = re.compile(r"[>❯](?:\s(?P<text>.*))?")
_SHELL = re.compile(r"! {1,2}(?P<text>\S.*)")
_ANSWER = re.compile(r"[⏺●]\s(?P<text>.*)")
_MARKS = {
    ">": ("prompt", _PROMPT),
    "❯": ("prompt", _PROMPT),
    "⏺": ("answer", _ANSWER),
    "●": ("answer", _ANSWER),
    "!": ("shell", _SHELL),
}
_QUIET = re.compile(
    r"[✻✶✳✢✽✺∴※⏵]|═{4}|─{20}|[╭▐▝]|  [A-Z(][^()\n]{0,200}\(?ctrl\+[a-z] to (?:expand|see all)\)\s{0,200}$"
)
_RESULT = re.compile(r"\s{0,12}⎿\s{0,4}(?P<text>.*)")
_INLINE_RESULT = re.compile(r"\s{2}⎿\s{1,4}")
_CALL = re.compile(
    r"(?P<tool>[A-Z][\w.]{0,60}|[\w.:-]{1,80} - [\w.:-]{1,80})(?: \(MCP\))?\((?P<args>.*)",
    re.DOTALL,
)
_SLASH = re.compile(r"(?P<name>/[a-z][\w:.-]{0,80})(?=\s|$)")
_FOLDED = re.compile(
    r".{0,200}\(ctrl\+[a-z] [^()]{0,30}\)\s{0,4}|(?:Ran|Read|Searched|Listed|Thought for) .{0,40}|Updated plan|Entered plan mode\b.{0,200}",
    re.DOTALL,
)
_CWD = re.compile(r"[│\s]{0,8}cwd: (?P<path>(?:/|[A-Za-z]:\\)[^│\n]{1,300})")
_REFUSED = "Tool use rejected with user message:"
_CLARIFY = "The user wants to clarify these questions"
_PLAN_NO, _PLAN_YES, _ANSWERED = (
    "User rejected Claude's plan",
    "User approved Claude's plan",
    "User answered Claude's questions",
)
_LOOK_AT, _LEAST_WIDTH = 400, 60


class ClaudeExport:
    """Reads exports of Claude Code's terminal."""

    name: ClassVar[str] = "claude-export"
    agent: ClassVar[str] = "claude-code"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure of the banner with an answer, nearly sure of all three marks."""
        lines = decode_head(head).split("\n", _LOOK_AT)[:_LOOK_AT]
        answers = any(_ANSWER.match(line) for line in lines)
        prompts = any(_PROMPT.match(line) and line[1:].strip() for line in lines)
        results = any(_RESULT.match(line) for line in lines)
        if any(_BANNER.match(line) for line in lines[:12]) and (answers or prompts or results):
            return 0.97
        if answers and results:
            return 0.94 if prompts else 0.8
        return (
            0.8
            if answers and prompts and any(line.startswith("⏺") for line in lines)
            else 0.5
            if answers and prompts
            else 0.0
        )

    def read(self, source: Input) -> Iterator[Transcript]:
        """The one session of the file."""
        text = blank_out_contexts(source.read_text())
        session = _Session(
            max((len(line) for line in text.split("\n") if _PROMPT.match(line)), default=0)
        )
        for kind, number, lines in _blocks(text.split("\n")):
            session.take(kind, number, lines)
        turns = session.turns.collect()
        cwd = _CWD.search(text[:4000])
        yield Transcript(
            format=ClaudeExport.name,
            agent=ClaudeExport.agent,
            session_id=make_digest_id(
                "export", next((turn.text for turn in turns if turn.role == "human"), "")
            ),
            turns=turns,
            cwd=cwd["path"].strip() if cwd else None,
            unknown=dict(source.unknown),
        )


READER = ClaudeExport()


def _blocks(lines: list[str]) -> Iterator[tuple[str, int, list[str]]]:
    """Kind (`prompt`, `shell`, `answer`, `quiet`), number of the first line, and lines of each block, its mark taken off."""
    kind, start, held, after_result = "quiet", 1, list[str](), False
    for number, line in enumerate(lines, 1):
        begun, text = _begins(line)
        if not begun and after_result and _is_aside(line, held):
            begun, text = "answer", line.strip()
        if not begun:
            held.append(line)
            after_result = after_result or ("⎿" in line and _RESULT.match(line) is not None)
            continue
        yield kind, start, held
        kind, start, held, after_result = begun, number, [text], False
    yield kind, start, held


def _begins(line: str) -> tuple[str, str]:
    """The kind of block that a line begins, and the line without its mark; nothing for a line that goes on."""
    mark = _MARKS.get(line[:1])
    if mark is not None and (found := mark[1].fullmatch(line)) is not None:
        return mark[0], found["text"] or ""
    if not line or (line[0] in " abcdefghijklmnopqrstuvwxyz" and "ctrl+" not in line):
        return "", ""
    return ("quiet", "") if _QUIET.match(line) else ("", "")


def _is_aside(line: str, held: list[str]) -> bool:
    """Whether a line after a result is the agent's again: it stands further left and after a blank line."""
    return (
        not held[-1].strip()
        and line[:2] == "  "
        and line[2:3].strip() not in ("", "⎿")
        and not line.startswith("    ")
    )


class _Session:
    """The turns of a session as far as it has been read; `width` is the terminal's, as far as prompts tell."""

    def __init__(self, width: int) -> None:
        self.turns = Turns()
        self.width = max(width, _LEAST_WIDTH)

    def take(self, kind: str, line: int, lines: list[str]) -> None:
        """Add what a block says."""
        said, results = _parted(lines)
        if kind == "prompt":
            self._prompt(line, said)
        elif kind == "shell":
            self.turns.add("human", "command", "\n".join(said), line=line, data={"shell": True})
        elif kind == "answer":
            self._answer(line, said, results)
        for result in results if kind in ("prompt", "quiet") else ():
            self._rejection(line, result)

    def _prompt(self, line: int, said: list[str]) -> None:
        text = "\n".join(
            _joined([row[2:] if row.startswith("  ") else row for row in said], self.width - 2)
        ).strip()
        slash = _SLASH.match(text)
        if slash is not None:
            self.turns.add(
                "human",
                "command",
                text.removesuffix(" is running…"),
                line=line,
                data={"command": slash["name"]},
            )
            return
        understood = claude_text.parse_user_text(text)
        if understood is None or text.startswith("[Pasted text"):
            return
        if understood.kind == "compact":
            self.turns.add("summary", "compact", understood.text, line=line)
        elif understood.kind == "plan":
            self.turns.add("assistant", "plan", understood.text, ok=True, line=line)
        else:
            self.turns.add(
                "human", understood.kind, understood.text, line=line, data=understood.data
            )

    def _answer(self, line: int, said: list[str], results: list[list[str]]) -> None:
        text = "\n".join(row.removeprefix("  ").rstrip() for row in said).strip()
        whole = "\n".join("\n".join(result) for result in results)
        if text.startswith(_ANSWERED):
            self._answers(line, whole)
            return
        if text.startswith(_PLAN_YES):
            self.turns.add("assistant", "plan", _without_place(whole), ok=True, line=line)
            return
        call = _CALL.fullmatch(text) if "(" in text else None
        if call is None:
            if not _FOLDED.fullmatch(text):
                self.turns.add("assistant", "text", text, line=line)
            tool = None
        else:
            tool = call["tool"]
            described, data = describe_call(
                "Edit" if tool == "Update" else tool,
                _arguments(call["args"].rstrip().removesuffix(")")),
            )
            self.turns.add(
                "assistant", "tool_call", described or tool, tool=tool, line=line, data=data
            )
        for result in results:
            self._result(line, tool, result)

    def _result(self, line: int, tool: str | None, result: list[str]) -> None:
        text = "\n".join(result).strip()
        if self._rejection(line, result):
            return
        if text.startswith(_PLAN_NO):
            plan = "\n".join(row.strip("│╭╮╰╯─ ") for row in result[1:]).strip()
            self.turns.add("assistant", "plan", plan, ok=False, line=line)
        elif text and not text.startswith(
            ("Interrupted", "/plan to ", "(no content)", "(No content)")
        ):
            ok = False if text.startswith(("Error", "Invalid tool parameters")) else None
            self.turns.add("tool", "tool_result", clip(text), tool=tool, ok=ok, line=line)

    def _rejection(self, line: int, result: list[str]) -> bool:
        """A refusal; its reason, if the operator gave one, is a turn."""
        if not result or not result[0].startswith("Tool use rejected"):
            return False
        reason = " ".join(row.strip() for row in result).partition(_REFUSED)[2].strip()
        if reason and not reason.startswith(_CLARIFY):
            self.turns.add("human", "rejection", reason, ok=False, line=line)
        return True

    def _answers(self, line: int, listed: str) -> None:
        """What the operator chose; a question and its answer may go over several lines."""
        pairs = [
            " ".join(item.split()).rpartition(" → ")
            for item in re.split(r"(?:^|\n)\s{0,8}· ", listed)
        ]
        questions = [
            {"question": question, "answer": answer} for question, arrow, answer in pairs if arrow
        ]
        answers = "\n".join(dict.fromkeys(pair["answer"] for pair in questions))
        self.turns.add(
            "human",
            "answer",
            answers,
            tool="AskUserQuestion",
            line=line,
            data={"questions": questions},
        )


def _parted(lines: list[str]) -> tuple[list[str], list[list[str]]]:
    """What a block says, and each of the results below it."""
    said: list[str] = []
    results: list[list[str]] = []
    if len(lines) == 1 or not any("⎿" in row for row in lines):
        return lines, results
    for row in lines:
        inline = _INLINE_RESULT.search(row) if "⎿" in row else None
        found = _RESULT.fullmatch(row)
        if found is not None:
            results.append([found["text"]])
        elif inline is not None and not results:
            said.append(row[: inline.start()])
            results.append([row[inline.end() :]])
        elif results:
            results[-1].append(row.strip() if row[:5].strip() else row[5:].rstrip())
        else:
            said.append(row)
    return said, results


def _joined(rows: list[str], width: int) -> list[str]:
    """Rows as they were typed: one that had no room for the next row's first word goes on there."""
    typed: list[str] = []
    room = width + 1
    for row in rows:
        bare = row.rstrip()
        first = bare.partition(" ")[0]
        if typed and bare and room <= len(first) and not row.startswith((" ", "- ", "* ")):
            typed[-1] = f"{typed[-1]} {bare}"
        else:
            typed.append(bare)
        room = width - len(bare) - 1 if bare else width + 1
    return typed


def _arguments(shown: str) -> object:
    """A tool's argument as the terminal shows it: one command or one path, or names with values."""
    if re.match(r"[a-z_]{1,40}: ", shown):
        return {"description": shown}
    return {"command": shown, "file_path": shown.partition("\n")[0]}


def _without_place(plan: str) -> str:
    """An approved plan without the line, broken or not, that says where it was saved."""
    first, _, rest = plan.partition("\n")
    if not first.startswith("Plan saved to:"):
        return plan
    is_broken = not first.endswith("/plan to edit") and rest.lstrip().startswith(
        ("edit", "to edit", "/plan")
    )
    return rest.partition("\n")[2] if is_broken else rest
