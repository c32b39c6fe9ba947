"""Read messages copied out of Slack: a line with a name and a clock, then the text.

Days, reactions, counts of replies and the mark of an edited message are nobody's words. Apps are no
people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Role, Transcript
from memctl.core.typing_lite import ClassVar
from memctl.readers.base import Input
from memctl.readers.chats import build_chat, infer_role
from memctl.readers.text_document import blank_out_contexts, decode_head
from memctl.readers.turns import Turns

_CLOCK = r"\[?(?P<clock>\d{1,2}:\d\d(?::\d\d)?[ \u00a0\u202f]?[AaPp][Mm])\]?"
_NAME = r"(?P<name>[^\W\d_][^\n\[\]:<>|]{0,60}?)(?:\s{0,2}:[\w+-]{1,40}:)?"
_HEADER = compile_later(rf"{_NAME}(?P<app>\s{{1,4}}APP)?\s{{1,4}}{_CLOCK}\s{{0,4}}")
_CLOCK_LINE = compile_later(
    rf"(?P<app>APP\s{{1,4}})?(?::[\w+-]{{1,40}}:\s{{0,4}})?{_CLOCK}\s{{0,4}}"
)
_LONE_NAME = compile_later(rf"{_NAME}\s{{0,4}}")
_MORE = compile_later(rf"{_CLOCK}\s{{1,4}}(?P<text>\S.*)")
_DECORATION = compile_later(
    r"(?::[\w+'-]{1,60}:\s{0,2}){1,8}\d{0,4}|\d{1,4} (?:repl(?:y|ies)|files?)|last reply .{1,60}"
    r"|view thread|new(?: messages)?|\(edited\)"
    r"|(?:today|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?:, \w{3,9} \d{1,2}(?:st|nd"
    r"|rd|th)?)?(?: at .{1,20})?"
    r"|also sent to the channel|replied to a thread:.{0,200}|(?:was added to|joined|has joined"
    r"|left) #?[\w-]{1,80}.{0,80}|\d{1,4}",
    re.IGNORECASE,
)
_EDITED = compile_later(r"\s{1,2}\(edited\)\s{0,2}$")
# Lines that are looked at to recognize the format.
_SNIFFED_LINES = 400
# Characters of a line with a clock, and of a line with a name alone. Chosen by hand.
_SHORTEST_HEADER = 6
_LONGEST_HEADER = 120
_LONGEST_NAME_LINE = 80


class SlackText:
    """Reader of text copied from Slack."""

    name: ClassVar[str] = "slack-text"
    agent: ClassVar[str] = "slack"
    is_chat: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return more than the reader of other talk for clocks of twelve hours; never certain."""
        lines = decode_head(head).split("\n", _SNIFFED_LINES)[:_SNIFFED_LINES]
        starts = [index for index, _, _, _ in _find_starts(lines)]
        with_text = [index for index in starts if any(map(str.strip, lines[index + 1 : index + 3]))]
        return 0.8 if len(with_text) > 1 else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one conversation that was copied."""
        lines = blank_out_contexts(source.read_text()).split("\n")
        builder = _SlackTurns(lines)
        for index, name, clock, is_app in _find_starts(lines):
            builder.start_turn(index, name, clock, is_app)
        builder.finish_turns(len(lines))
        yield build_chat(self, source, builder.turns, session_id=None)


READER = SlackText()


def _find_starts(lines: list[str]) -> Iterator[tuple[int, str, str, bool]]:
    """Yield the index of each line with a clock, the name, the clock and whether it is an app."""
    for index, line in enumerate(lines):
        if not _SHORTEST_HEADER <= len(line) <= _LONGEST_HEADER:
            continue
        may_be_name = line[0] not in " \t:[" and not line[0].isdigit()
        header = _HEADER.fullmatch(line) if may_be_name and not line.startswith("APP ") else None
        if header is not None:
            yield index, header["name"].strip(), header["clock"], header["app"] is not None
            continue
        clock = _CLOCK_LINE.fullmatch(line.strip())
        if clock is None or not index or len(lines[index - 1]) >= _LONGEST_NAME_LINE:
            continue
        name = _LONE_NAME.fullmatch(lines[index - 1])
        if name is not None:
            yield index, name["name"].strip(), clock["clock"], clock["app"] is not None


class _SlackTurns:
    """Gathers the turns of a copied conversation."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.turns = Turns()
        self.index = 0
        self.speaker: str | None = None
        self.clock = ""
        self.is_app = False

    def start_turn(self, index: int, name: str, clock: str, is_app: bool) -> None:
        """Begin what somebody says; the name may stand on a line above the clock."""
        self.finish_turns(index - 1 if self.lines[index - 1].strip() == name and index else index)
        self.index, self.speaker, self.clock, self.is_app = index + 1, name, clock, is_app

    def finish_turns(self, end: int) -> None:
        """Add what the speaker said up to here, one turn for each message with its own clock."""
        said: list[str] = []
        first = self.index
        for index in range(self.index, end):
            line = self.lines[index]
            start = line.lstrip()[:1]
            more = _MORE.fullmatch(line.strip()) if start.isdigit() or start == "[" else None
            if more is not None:
                self._add_turn(first, said)
                said, first, self.clock = [more["text"]], index, more["clock"]
            elif not _DECORATION.fullmatch(line.strip()[:300]):
                # The mark stands at the end, where alone it is looked for.
                said.append(line[:-200] + _EDITED.sub("", line[-200:]))
        self._add_turn(first, said)

    def _add_turn(self, index: int, said: list[str]) -> None:
        if self.speaker is not None:
            role: Role = "assistant" if self.is_app else infer_role(self.speaker)
            self.turns.add(
                role,
                "text",
                "\n".join(said),
                speaker=self.speaker,
                line=index + 1,
                data={"at": self.clock},
            )
