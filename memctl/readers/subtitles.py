"""Read subtitles and transcripts of meetings as SubRip (SRT) or WebVTT.

Speakers come from voice tags (Teams), from `Name: text` inside a cue (Zoom), or are unknown. Cues
of one speaker in a row are one turn, which keeps the time of its first cue. Rolling captions, as
YouTube writes them, are read once. Sounds in brackets are nobody's words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Transcript
from memctl.core.typing_lite import ClassVar
from memctl.readers.base import Input, make_digest_id
from memctl.readers.html_text import unescape
from memctl.readers.name_text import infer_talk_role, parse_label
from memctl.readers.text_document import blank_out_contexts, decode_head
from memctl.readers.turns import Turns

_STAMP = r"(?:[0-9]{1,4}:)?[0-9]{1,2}:[0-9]{1,2}[,.][0-9]{1,3}"
_TIMING = compile_later(
    rf"[ \t]{{0,8}}{_STAMP}[ \t]{{0,8}}-->[ \t]{{0,8}}{_STAMP}(?:[ \t].{{0,300}})?"
)
_STAMPED = compile_later(_STAMP)
_VOICE = compile_later(r"<v(?:\.[\w.-]{1,60})?[ \t]{1,8}([^<>\n]{1,200})>")
_TAG = compile_later(r"</?[a-zA-Z\d][^<>\n]{0,200}>|\{\\?[a-zA-Z\d][^{}\n]{0,60}\}")
_SOUND = compile_later(
    r"(?:>>\s?)?[♪♫#*\s]{0,8}(?:\[[^\[\]\n]{0,80}\]|\([^()\n]{0,80}\)|♪[^♪\n]{0,200}♪?"
    r"|[♪♫\s]{1,8})[♪♫#*\s]{0,8}"
)
_TURN_SIGN = compile_later(r"(?:>>|&gt;&gt;|[-–—])\s{0,3}(?=\S)")
# Characters of a line in which times are looked for, and lines of a cue that are read.
_LONGEST_TIMING = 2000
_MOST_CUE_LINES = 400
# Lines that are looked at to recognize the format.
_SNIFFED_LINES = 60
# Characters of a turn that ends with its sentence. Chosen by hand.
_LONG_TURN = 8000
# One cue in so many must repeat the one before to make captions that roll.
_ROLLING_SHARE = 3
# Lines of two cues that are compared.
_MOST_OVERLAP = 4


@dataclass(frozen=True, slots=True)
class Caption:
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
        for index, line in enumerate(text.split("\n", _SNIFFED_LINES)[:_SNIFFED_LINES]):
            if len(line) < 400 and _TIMING.fullmatch(line.rstrip()):
                return 0.93 if index < 4 else 0.7
        return 0.0

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


def _parse_vtt(text: str) -> Iterator[Caption]:
    import webvtt

    for caption in webvtt.from_string(text).captions:
        yield Caption(caption.start_in_seconds, list(caption.lines))


def _parse_srt(text: str) -> Iterator[Caption]:
    """Yield the cues of SubRip.

    The library is given the times alone: it logs whatever else it cannot read, and is slow on some
    of it.
    """
    import srt

    lines = text.split("\n")
    starts = [
        index
        for index, line in enumerate(lines)
        if "-->" in line and _TIMING.fullmatch(line[:_LONGEST_TIMING].rstrip())
    ]
    for start, end in pairwise([*starts, len(lines)]):
        stamps = _STAMPED.findall(lines[start][:_LONGEST_TIMING])[:2]
        full_stamps = (stamp if stamp.count(":") == 2 else f"0:{stamp}" for stamp in stamps)
        times = " --> ".join(full_stamps).replace(".", ",")
        cue_lines = _drop_cue_numbers(lines[start + 1 : end], is_last=end == len(lines))
        for subtitle in srt.parse(f"1\n{times}\n-\n", ignore_errors=True):
            yield Caption(subtitle.start.total_seconds(), cue_lines)


def _drop_cue_numbers(lines: list[str], *, is_last: bool) -> list[str]:
    """Remove the number of the next cue, and numbers of cues without times, which end up here."""
    if not is_last and lines and lines[-1].strip().isdecimal():
        lines = lines[:-1]
    return [
        line
        for before, line in zip(["-", *lines], lines, strict=False)
        if before.strip() or not line.strip().isdecimal()
    ]


def _unroll(cues: list[Caption]) -> list[Caption]:
    """Remove what cues repeat from the one before, if a third of them repeat."""
    shown: list[Caption] = []
    for cue in cues:
        lines = [line for line in cue.lines[:_MOST_CUE_LINES] if _strip_tags(line)]
        if lines:
            shown.append(Caption(cue.start, lines))
    overlaps = [_count_overlap(before.lines, cue.lines) for before, cue in pairwise(shown)]
    if not shown or sum(map(bool, overlaps)) * _ROLLING_SHARE < len(shown):
        return shown
    unrolled: list[Caption] = []
    for cue, overlap in zip(shown, [0, *overlaps], strict=True):
        if cue.lines[overlap:]:
            unrolled.append(Caption(cue.start, cue.lines[overlap:]))
    return unrolled


def _count_overlap(before: list[str], after: list[str]) -> int:
    """Count how many of the last lines before are the first lines after."""
    ending = [_strip_tags(line) for line in before[-_MOST_OVERLAP:]]
    beginning = [_strip_tags(line) for line in after[:_MOST_OVERLAP]]
    sizes = range(min(len(ending), len(beginning)), 0, -1)
    return next((size for size in sizes if ending[-size:] == beginning[:size]), 0)


def _strip_tags(line: str) -> str:
    if "<" in line or "{" in line:
        line = _TAG.sub("", _VOICE.sub("", line))
    return (unescape(line) if "&" in line else line).strip()


def _split_pieces(cues: list[Caption]) -> Iterator[SpokenPiece]:
    """Yield what the cues say, piece by piece, with those labels that are names."""
    counts = Counter(
        label.name
        for cue in cues
        for line in cue.lines
        if (label := parse_label(_strip_tags(line)))
    )
    is_mostly_labelled = counts.total() * 2 >= len(cues)
    names = {name for name, count in counts.items() if count > 1 or is_mostly_labelled}
    for cue in cues:
        voice: str | None = None
        for line in cue.lines:
            parts = _VOICE.split(line) if "<v" in line else [line]
            # Every second part is the name in a voice tag.
            for index, part in enumerate(parts):
                if index % 2:
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
    texts: list[str] = []
    start, size, speaker = 0.0, 0, None
    for piece in pieces:
        is_same = piece.speaker == speaker or (piece.speaker is None and named_by_label)
        is_next_speaker = not is_same or (piece.fresh and piece.speaker is None)
        is_full = size > _LONG_TURN and texts[-1].endswith((".", "?", "!"))
        if texts and (is_next_speaker or is_full):
            _add_turn(turns, start, speaker, texts)
            texts, size = [], 0
        if not texts:
            start = piece.start
        if is_next_speaker:
            speaker = piece.speaker
        if piece.text:
            texts.append(piece.text)
            size += len(piece.text)
    _add_turn(turns, start, speaker, texts)
    return turns


def _add_turn(turns: Turns, start: float, speaker: str | None, texts: list[str]) -> None:
    whole = int(start)
    at = f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
    turns.add(
        infer_talk_role(speaker) if speaker else "human",
        "text",
        " ".join(texts),
        speaker=speaker,
        data={"at": at},
    )
