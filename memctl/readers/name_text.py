"""Read talk written as `Name: text`: transcripts of meetings, podcasts and chats.

A talk needs a speaker who speaks twice, or one whom the front matter names, so that neither `Note:`
nor code makes a talk. In a talk everything that looks like a speaker is one, even if heard once,
because words given to the wrong person are worse than words given to nobody. Text before the first
speaker is nobody's words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Role, Transcript
from memctl.core.typing_lite import ClassVar
from memctl.readers.base import Input, make_digest_id
from memctl.readers.text_document import TextDocument, decode_head, parse_document, read_document
from memctl.readers.turns import Turns
from memctl.readers.values import as_name, parse_time
from memctl.text.markdown_lines import HEADING, classify_lines

_WORD = r"[^\W_][\w.'’&-]{0,30}"
_NAME = (
    rf"(?P<name>[^\W\d_][\w.'’&-]{{0,39}}(?: {_WORD}){{0,3}})"
    r"(?: \((?P<initials>[^():\n]{1,12})\))?"
)
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?"


def _build_clock_pattern(group: str) -> str:
    return rf"\\?[\[(]?(?P<{group}>{_CLOCK})\\?[\])]?"


def _build_clock_behind(group: str) -> str:
    return rf"(?:\s{{1,4}}[-–—|]?\s{{0,2}}{_build_clock_pattern(group)})?"


_BEFORE = rf"(?:{_build_clock_pattern('before')}\s{{0,3}}[-–—]?\s{{0,3}})?"
_COLON = compile_later(
    rf"{_BEFORE}{_NAME}{_build_clock_behind('after')}\s?:(?:[ \t]{{1,8}}(?P<text>\S.*)"
    rf"|[ \t]{{0,8}})"
)
_BOLD = compile_later(
    rf"{_BEFORE}(?:\*\*|__){_NAME}{_build_clock_behind('after')}(?P<colon>:?)(?:\*\*"
    rf"|__){_build_clock_behind('after2')}(?P<colon2>:?)(?:\s{{1,8}}(?P<text>\S.*))?"
)
_TIMED = compile_later(
    rf"{_NAME}\s{{1,8}}[-–—|]?\s{{0,2}}{_build_clock_pattern('after')}:?\s{{0,8}}"
)
# What stands before a colon in notes, mails and logs and is nobody's name.
_NOT_NAMES = frozenset(
    "note notes nb ps tip tips hint warning warn error info debug trace fatal todo fixme example "
    "examples usage http https ftp "
    "file mailto date time title topic topics location video audio agenda subject from to cc bcc "
    "re fwd sent tags tag link links "
    "url source sources media podcast action actions decision decisions attendees participants "
    "present absent summary conclusion "
    "status owner due deadline version author authors name description type id key value result "
    "output input step steps goal goals "
    "context background problem solution rationale reason reasons alternatives pros cons risk "
    "risks question questions total "
    "default returns return args raises yields class def if else for while try except case import "
    "next blocker blockers done today "
    "yesterday tomorrow priority category".split()
)
# What transcribers note where nobody speaks.
_PAUSES = frozenset("break jingle music ad sponsor intro outro applause laughter silence".split())
# Characters; longer names, and longer ones that end with a dot or a hyphen, are text.
_LONGEST_NAME = 40
_LONGEST_ABBREVIATION = 4
_MAY_BE_INITIALS = frozenset({"IF", "TO", "RE", "ID", "PS", "NB"})
_ASSISTANTS = frozenset(
    "assistant chatgpt claude ai bot gpt gemini copilot "
    "assistent asistente assistente ассистент помощник 助手 アシスタント 어시스턴트 مساعد".split()
)
# What a person is called in a talk with a model.
_ASKERS = frozenset(
    "user human me you prompt nutzer ich usuario utilisateur usuário "
    "пользователь человек я 用户 我 ユーザー 사용자 المستخدم".split()
)
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
_MODELS = frozenset("sonnet opus haiku code pro flash ai bot assistant gpt".split())


@dataclass(frozen=True, slots=True)
class SpeakerLabel:
    """The beginning of a line that may name a speaker, and the rest of the line.

    `initials` are those that it introduces, `clock` is the time beside the name. `marked` says that
    more than a colon marks the name: bold type, a clock or initials.
    """

    name: str
    initials: str | None
    clock: str | None
    text: str
    marked: bool


class NameText:
    """Reader of talk with names of speakers."""

    name: ClassVar[str] = "name-text"
    agent: ClassVar[str] = "talk"
    is_chat: ClassVar[bool] = True

    def sniff(self, head: bytes, name: str) -> float:
        """Return how sure it is: two speakers count more than one, and neither is certain."""
        page = parse_document(decode_head(head))
        speakers = set(_find_speakers(page).values())
        if not speakers:
            return 0.0
        return 0.65 if len(speakers) > 1 else 0.45

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the one talk of the file."""
        page = read_document(source)
        turns = _collect_turns(page, _find_speakers(page))
        path = source.path
        first = next((turn.text for turn in turns.collect()), "")
        yield Transcript(
            format=NameText.name,
            agent=NameText.agent,
            session_id=f"talk-{path.stem}" if path else make_digest_id("talk", first[:400]),
            turns=turns.collect(),
            title=as_name(page.get_value("title")),
            started_at=parse_time(page.get_value("date")),
            is_chat=True,
            unknown=dict(source.unknown),
        )


READER = NameText()


def parse_label(line: str) -> SpeakerLabel | None:
    """Parse the label at the beginning of a line, whoever it names."""
    if not line or len(line) < 3 or line[0] in " \t#>-|<":
        return None
    found = _BOLD.fullmatch(line) if "**" in line[:24] or "__" in line[:24] else None
    if found is not None:
        has_sign = any(found[name] for name in ("colon", "colon2", "after", "after2"))
        return _build_label(found) if has_sign else None
    found = _COLON.fullmatch(line) or (_TIMED.fullmatch(line) if len(line) < 80 else None)
    return _build_label(found) if found is not None else None


def _build_label(found: re.Match[str]) -> SpeakerLabel | None:
    groups = found.groupdict()
    name = groups["name"]
    is_common_word = name.lower() in _NOT_NAMES and name not in _MAY_BE_INITIALS
    is_cut_off = name.endswith((".", "-")) and len(name) > _LONGEST_ABBREVIATION
    if len(name) > _LONGEST_NAME or is_common_word or is_cut_off:
        return None
    clock = groups.get("before") or groups.get("after") or groups.get("after2")
    marked = bool(clock or groups["initials"]) or "colon" in groups
    return SpeakerLabel(name, groups["initials"], clock, groups.get("text") or "", marked)


def _find_labels(page: TextDocument) -> Iterator[tuple[int, SpeakerLabel]]:
    for index, line in enumerate(classify_lines(page.lines)):
        label = None if line.is_code else parse_label(line.text.rstrip())
        if label is not None:
            yield index, label


def _find_speakers(page: TextDocument) -> Mapping[str, str]:
    """Map each accepted label to its speaker; initials stand for the name that introduced them."""
    labels = [label for _, label in _find_labels(page) if label.name.lower() not in _PAUSES]
    full = {label.initials: label.name for label in labels if label.initials}
    counts = Counter(full.get(label.name, label.name) for label in labels)
    named = {name.lower() for name in page.get_values("speakers")}
    regular = {name for name, count in counts.items() if count >= 2 or name.lower() in named}
    regular = regular or _find_exchange_speakers(page, labels)
    if not regular:
        return {}
    is_lower_case = all(name.islower() for name in regular)
    accepted = set(regular)
    for label in labels:
        is_lower_name = is_lower_case and label.name.islower()
        if label.name not in full and (label.marked or _is_name(label.name) or is_lower_name):
            accepted.add(label.name)
    speakers = {name: name for name in accepted}
    return speakers | {initials: name for initials, name in full.items() if name in accepted}


def _find_exchange_speakers(page: TextDocument, labels: list[SpeakerLabel]) -> set[str]:
    """Return the speakers of a short exchange, or none.

    In an exchange every line is somebody's, all labels look like names, and all say more than a
    word or end as a sentence does. With a model it may be of any words.
    """
    line_count = sum(1 for line in page.lines if line.strip())
    if len(labels) < 2 or line_count != len(labels):
        return set()
    names = {label.name for label in labels}
    if {infer_talk_role(name) for name in names} == {"human", "assistant"} and any(
        name.lower() in _ASKERS for name in names
    ):
        return names
    if not all(_is_name(label.name) and _is_said(label.text.strip()) for label in labels):
        return set()
    return names


def _is_said(text: str) -> bool:
    """Whether it is more than a word, or a word that is said."""
    return " " in text or text.endswith(_SENTENCE_ENDS)


def _is_name(name: str) -> bool:
    """Whether every word begins as a name does."""
    words = name.split()
    return len(words) <= 3 and not any(word[0].islower() for word in words)


def _collect_turns(page: TextDocument, speakers: Mapping[str, str]) -> Turns:
    """Collect what each speaker says, up to the next one."""
    starts = {
        index: label
        for index, label in _find_labels(page)
        if label.name in speakers or label.name.lower() in _PAUSES
    }
    talk = _TalkBuilder(page.first_line)
    for index, line in enumerate(classify_lines(page.lines)):
        label = starts.get(index)
        if label is not None:
            talk.start_turn(index, speakers.get(label.name), label)
        elif line.kind == HEADING:
            talk.enter_heading(index, line.content)
        else:
            talk.lines.append(line.text)
    talk.finish_turn()
    return talk.turns


class _TalkBuilder:
    """Holds who is speaking, and gathers the lines of the turn."""

    def __init__(self, first_line: int) -> None:
        self.turns = Turns()
        self.first_line = first_line
        self.index = 0
        self.lines: list[str] = []
        self.speaker: str | None = None
        self.clock: str | None = None
        self.heading: str | None = None

    def start_turn(self, index: int, speaker: str | None, label: SpeakerLabel) -> None:
        """Begin what a speaker says; None for a pause."""
        self.finish_turn()
        self.index, self.speaker, self.clock = index, speaker, label.clock
        self.lines = [label.text]

    def enter_heading(self, index: int, heading: str) -> None:
        """Begin a section; words without a name in it are nobody's."""
        self.finish_turn()
        self.index, self.heading = index, heading
        self.speaker = self.clock = None
        self.lines = []

    def finish_turn(self) -> None:
        """Add the turn that was gathered."""
        role: Role = "system" if self.speaker is None else infer_talk_role(self.speaker)
        pairs = (("at", self.clock), ("heading", self.heading))
        data = {key: value for key, value in pairs if value}
        self.turns.add(
            role,
            "text",
            "\n".join(self.lines),
            speaker=self.speaker,
            line=self.first_line + self.index,
            data=data,
        )
        self.lines = []


def infer_talk_role(speaker: str) -> Role:
    """Return `assistant` for the name of a model, such as `Claude` or `GPT-5`, else `human`.

    `Claude Monet` is a person.
    """
    words = speaker.lower().replace("-", " ").split()
    is_alone = len(words) == 1 or words[1] in _MODELS or words[1][0].isdigit()
    is_model = (words[0] in _ASSISTANTS and is_alone) or words[-1] in _MODELS & _ASSISTANTS
    return "assistant" if is_model else "human"
