"""Read subtitles and transcripts of meetings as SubRip (SRT) or WebVTT.

Speakers come from voice tags (Teams), from `Name: text` inside a cue (Zoom), or are unknown. Cues
of one speaker in a row are one turn, which keeps the time of its first cue. Rolling captions, as
YouTube writes them, are read once. Sounds in brackets are nobody's words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import ClassVar

from memctl.core.frozen import dataclass
from memctl.core.model import Transcript
from memctl.readers.base import Input, make_digest_id
from memctl.readers.html_text import unescape
from memctl.readers.name_text import parse_label, infer_talk_role
from memctl.readers.text_document import blank_out_contexts, decode_head
from memctl.readers.turns import Turns

_STAMP = r"(?:[0-9]{1,4}:)?[0-9]{1,2}:[0-9]{1,2}[,.][0-9]{1,3}"
_TIMING = re.compile(
    rf"[ \t]{{0,8}}{_STAMP}[ \t]{{0,8}}-->[ \t]{{0,8}}{_STAMP}(?:[ \t].{{0,300}})?"
)
_STAMPED = re.compile(_STAMP)
_VOICE = re.compile(r"<v(?:\.[\w.-]{1,60})?[ \t]{1,8}([^<>\n]{1,200})>")
_TAG = re.compile(r"</?[a-zA-Z\d][^<>\n]{0,200}>|\{\\?[a-zA-Z\d][^{}\n]{0,60}\}")
_SOUND = re.compile(
    r"(?:>>\s?)?[♪♫#*\s]{0,8}(?:\[[^\[\]\n]{0,80}\]|\([^()\n]{0,80}\)|♪[^♪\n]{0,200}♪?"
    r"|[♪♫\s]{1,8})[♪♫#*\s]{0,8}"
)
_TURN_SIGN = re.compile(r"(?:>>|&gt;&gt;|[-–—])\s{0,3}(?=\S)")
_LINE, _LOOK_AT, _MOST_LINES = 2000, 60, 400
_LONG = 8000


@dataclass(frozen=True, slots=True)
class Cue:
    """One caption: the second at which it begins, and its lines with their tags."""

    start: float
    lines: list[str]


@dataclass(frozen=True, slots=True)
class SpokenPiece:
    """What one speaker says in one cue.

    `fresh` says that a new speaker begins whom the line names, or does not name at all.
    """

    start: float
    speaker: str | None
    text: str
    fresh: bool


class Subtitles:
    """Reader of SRT and WebVTT."""

    name: ClassVar[str] = "subtitles"
    agent: ClassVar[str] = "talk"
    is_chat: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure it is: WebVTT's first word, or a line with two times and an arrow."""
        text = decode_head(head).lstrip("\n")
        if text.startswith("WEBVTT"):
            return 0.98
        lines = text.split("\n", _LOOK_AT)[:_LOOK_AT]
        at = next(
            (
                place
                for place, line in enumerate(lines)
                if len(line) < 400 and _TIMING.fullmatch(line.rstrip())
            ),
            None,
        )
        return 0.0 if at is None else 0.93 if at < 4 else 0.7

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one recording of the file."""
        text = blank_out_contexts(source.read_text()).replace("\r", "\n").lstrip("\n")
        cues = list(_parse_vtt(text) if text.startswith("WEBVTT") else _parse_srt(text))
        lost = sum(1 for line in text.split("\n") if "-->" in line) - len(cues)
        if lost > 0:
            source.unknown["cue"] += lost
        turns = _join_turns(list(_split_pieces(_unroll(cues))))
        first = " ".join(turn.text for turn in turns.collect()[:3])
        yield Transcript(
            format=Subtitles.name,
            agent=Subtitles.agent,
            session_id=make_digest_id("talk", first[:400]),
            turns=turns.collect(),
            is_chat=True,
            unknown=dict(source.unknown),
        )


READER = Subtitles()


def _parse_vtt(text: str) -> Iterator[Cue]:
    import webvtt

    for caption in webvtt.from_string(text).captions:
        yield Cue(caption.start_in_seconds, list(caption.lines))


def _parse_srt(text: str) -> Iterator[Cue]:
    """Yield the cues of SubRip.

    The library is given the times alone: it logs whatever else it cannot read, and is slow on some
    of it.
    """
    import srt

    lines = text.split("\n")
    starts = [
        place
        for place, line in enumerate(lines)
        if "-->" in line and _TIMING.fullmatch(line[:_LINE].rstrip())
    ]
    for start, end in pairwise([*starts, len(lines)]):
        stamps = _STAMPED.findall(lines[start][:_LINE])[:2]
        times = " --> ".join(
            stamp if stamp.count(":") == 2 else f"0:{stamp}" for stamp in stamps
        ).replace(".", ",")
        kept = lines[start + 1 : end]
        if end < len(lines) and kept and kept[-1].strip().isdecimal():
            kept.pop()
        # A cue without times ends up in the one before; its number, after a blank line, is no text.
        numbers = {
            place
            for place, line in enumerate(kept)
            if line.strip().isdecimal() and (place and not kept[place - 1].strip())
        }
        for subtitle in srt.parse(f"1\n{times}\n-\n", ignore_errors=True):
            yield Cue(
                subtitle.start.total_seconds(),
                [line for place, line in enumerate(kept) if place not in numbers],
            )


def _unroll(cues: list[Cue]) -> list[Cue]:
    """Remove what cues repeat from the one before, if a third of them repeat."""
    shown = [
        Cue(cue.start, [line for line in cue.lines[:_MOST_LINES] if _strip_tags(line)])
        for cue in cues
    ]
    shown = [cue for cue in shown if cue.lines]
    repeats = [
        _count_overlap(shown[place - 1].lines, cue.lines) if place else 0
        for place, cue in enumerate(shown)
    ]
    if sum(1 for repeat in repeats if repeat) * 3 < len(shown):
        return shown
    return [
        Cue(cue.start, cue.lines[repeat:])
        for cue, repeat in zip(shown, repeats, strict=True)
        if cue.lines[repeat:]
    ]


def _count_overlap(before: list[str], after: list[str]) -> int:
    """Count how many of the last lines before are the first lines after."""
    ending, beginning = (
        [_strip_tags(line) for line in before[-4:]],
        [_strip_tags(line) for line in after[:4]],
    )
    sizes = range(min(len(ending), len(beginning)), 0, -1)
    return next((size for size in sizes if ending[-size:] == beginning[:size]), 0)


def _strip_tags(line: str) -> str:
    if "<" in line or "{" in line:
        line = _TAG.sub("", _VOICE.sub("", line))
    return (unescape(line) if "&" in line else line).strip()


def _split_pieces(cues: list[Cue]) -> Iterator[SpokenPiece]:
    """Yield what the cues say, piece by piece, with those labels that are names."""
    labels = Counter(
        label.name
        for cue in cues
        for line in cue.lines
        if (label := parse_label(_strip_tags(line)))
    )
    names = {
        name for name, count in labels.items() if count > 1 or sum(labels.values()) * 2 >= len(cues)
    }
    for cue in cues:
        voice: str | None = None
        for line in cue.lines:
            parts = _VOICE.split(line) if "<v" in line else [line]
            for place, part in enumerate(parts):
                if place % 2:
                    voice = " ".join(unescape(part).split())
                elif _strip_tags(part):
                    yield _build_piece(cue.start, voice, _strip_tags(part), names)


def _build_piece(start: float, voice: str | None, text: str, names: set[str]) -> SpokenPiece:
    label = parse_label(text)
    if label is not None and label.name in names:
        return SpokenPiece(start, label.name, _drop_sound(label.text), fresh=True)
    sign = _TURN_SIGN.match(text)
    return SpokenPiece(
        start,
        voice,
        _drop_sound(text[sign.end() :] if sign else text),
        fresh=sign is not None and voice is None,
    )


def _drop_sound(text: str) -> str:
    return "" if _SOUND.fullmatch(text) else text


def _join_turns(pieces: list[SpokenPiece]) -> Turns:
    """Join pieces of one speaker in a row into turns.

    In a file that writes names once, a piece without a name continues the speaker before it.
    """
    turns = Turns()
    named_by_label = any(piece.fresh and piece.speaker for piece in pieces)
    held: list[str] = []
    start, size, speaker = 0.0, 0, None
    for piece in pieces:
        same = piece.speaker == speaker or (piece.speaker is None and named_by_label)
        is_full = size > _LONG and held[-1].endswith((".", "?", "!"))
        if held and (not same or (piece.fresh and piece.speaker is None) or is_full):
            _add_turn(turns, start, speaker, held)
            held, size = [], 0
        if not held:
            start = piece.start
        if not same or (piece.fresh and piece.speaker is None):
            speaker = piece.speaker
        if piece.text:
            held.append(piece.text)
            size += len(piece.text)
    _add_turn(turns, start, speaker, held)
    return turns


def _add_turn(turns: Turns, start: float, speaker: str | None, held: list[str]) -> None:
    whole = int(start)
    at = f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
    turns.add(
        infer_talk_role(speaker) if speaker else "human",
        "text",
        " ".join(held),
        speaker=speaker,
        data={"at": at},
    )
