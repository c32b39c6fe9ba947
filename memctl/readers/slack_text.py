"""Read messages copied out of Slack: a line with a name and a clock, then the text.

Days, reactions, counts of replies and the mark of an edited message are nobody's words. Apps are no
people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from memctl.core.model import Role, Transcript
from memctl.readers.base import Input
from memctl.readers.chats import build_chat, infer_role
from memctl.readers.text_document import blank_out_contexts, decode_head
from memctl.readers.turns import Turns

_CLOCK = r"\[?(?P<clock>\d{1,2}:\d\d(?::\d\d)?[ \u00a0\u202f]?[AaPp][Mm])\]?"
_NAME = r"(?P<name>[^\W\d_][^\n\[\]:<>|]{0,60}?)(?:\s{0,2}:[\w+-]{1,40}:)?"
_HEADER = re.compile(rf"{_NAME}(?P<app>\s{{1,4}}APP)?\s{{1,4}}{_CLOCK}\s{{0,4}}")
_CLOCK_LINE = re.compile(rf"(?P<app>APP\s{{1,4}})?(?::[\w+-]{{1,40}}:\s{{0,4}})?{_CLOCK}\s{{0,4}}")
_LONE_NAME = re.compile(rf"{_NAME}\s{{0,4}}")
_MORE = re.compile(rf"{_CLOCK}\s{{1,4}}(?P<text>\S.*)")
_DECORATION = re.compile(
    r"(?::[\w+'-]{1,60}:\s{0,2}){1,8}\d{0,4}|\d{1,4} (?:repl(?:y|ies)|files?)|last reply .{1,60}"
    r"|view thread|new(?: messages)?|\(edited\)"
    r"|(?:today|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?:, \w{3,9} \d{1,2}(?:st|nd"
    r"|rd|th)?)?(?: at .{1,20})?"
    r"|also sent to the channel|replied to a thread:.{0,200}|(?:was added to|joined|has joined"
    r"|left) #?[\w-]{1,80}.{0,80}|\d{1,4}",
    re.IGNORECASE,
)
_EDITED = re.compile(r"\s{1,2}\(edited\)\s{0,2}$")
_SNIFFED_LINES = 400


class SlackText:
    """Reader of text copied from Slack."""

    name: ClassVar[str] = "slack-text"
    agent: ClassVar[str] = "slack"
    is_chat: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return more than the reader of other talk for clocks of twelve hours; never certain."""
        lines = decode_head(head).split("\n", _SNIFFED_LINES)[:_SNIFFED_LINES]
        starts = [place for place, _, _, _ in _find_starts(lines)]
        says = sum(
            1 for place in starts if any(line.strip() for line in lines[place + 1 : place + 3])
        )
        return 0.8 if says > 1 else 0.0

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one conversation that was copied."""
        lines = blank_out_contexts(source.read_text()).split("\n")
        said = _SlackTurns(lines)
        for place, name, clock, is_app in _find_starts(lines):
            said.start_turn(place, name, clock, is_app)
        said.finish_turns(len(lines))
        yield build_chat(self, source, said.turns, session_id=None)


READER = SlackText()


def _find_starts(lines: list[str]) -> Iterator[tuple[int, str, str, bool]]:
    """Yield the index of each line with a clock, the name, the clock and whether it is an app."""
    for place, line in enumerate(lines):
        if not 6 <= len(line) <= 120:
            continue
        found = (
            _HEADER.fullmatch(line)
            if line[0] not in " \t:[" and not line[0].isdigit() and not line.startswith("APP ")
            else None
        )
        if found is not None:
            yield place, found["name"].strip(), found["clock"], found["app"] is not None
            continue
        below = _CLOCK_LINE.fullmatch(line.strip())
        above = (
            _LONE_NAME.fullmatch(lines[place - 1])
            if below is not None and place and len(lines[place - 1]) < 80
            else None
        )
        if below is not None and above is not None:
            yield place, above["name"].strip(), below["clock"], below["app"] is not None


class _SlackTurns:
    """Gathers the turns of a copied conversation."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.turns = Turns()
        self.place = 0
        self.speaker: str | None = None
        self.clock = ""
        self.is_app = False

    def start_turn(self, place: int, name: str, clock: str, is_app: bool) -> None:
        """Begin what somebody says; the name may stand on a line above the clock."""
        self.finish_turns(place - 1 if self.lines[place - 1].strip() == name and place else place)
        self.place, self.speaker, self.clock, self.is_app = place + 1, name, clock, is_app

    def finish_turns(self, end: int) -> None:
        """Add what the speaker said up to here, one turn for each message with its own clock."""
        held: list[str] = []
        first = self.place
        for place in range(self.place, end):
            line = self.lines[place]
            more = (
                _MORE.fullmatch(line.strip())
                if line.lstrip()[:1].isdigit() or line.lstrip()[:1] == "["
                else None
            )
            if more is not None:
                self._add_turn(first, held)
                held, first, self.clock = [more["text"]], place, more["clock"]
            elif not _DECORATION.fullmatch(line.strip()[:300]):
                held.append(_EDITED.sub("", line[-200:]).join((line[:-200], "")))
        self._add_turn(first, held)

    def _add_turn(self, place: int, held: list[str]) -> None:
        if self.speaker is not None:
            role: Role = "assistant" if self.is_app else infer_role(self.speaker)
            self.turns.add(
                role,
                "text",
                "\n".join(held),
                speaker=self.speaker,
                line=place + 1,
                data={"at": self.clock},
            )
