"""What a line is worth where it was told. A human wrote the labels; nothing here reads memctl.

`labels.tsv`, one line of context each: the project it is about (`all`, or several by comma), its
label at a start, its label at a prompt, exceptions, its text. An exception is `s07.2=useful` (that
prompt; `.0` is the start), `s07=neutral` (that session) or `s07.2+=stale` (from there on). Told in
a session of another project a line is `foreign`; told again in one session without a compaction
between it is `twice`; told to an agent that reads the words in its rules file anyway, `twice` too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.week_talk import WeekSession

LABELS = (
    "useful",
    "neutral",
    "stale",
    "rejected",
    "foreign",
    "unapproved",
    "twice",
    "unreadable",
)
# Words from which on a rejected statement is recognised within a longer line.
_TELLING_WORDS = 4
# What stands behind a line's own words: its day, and who said it.
_NOTE = re.compile(r" \((?:\d{4}-\d\d-\d\d|claimed by|said by)[^()]*\)$")
_ITEM = re.compile(r"- (?:\[(?P<id>[0-9A-Z]{6,26})\] )?(?P<text>.*)")


@dataclass(frozen=True)
class HookAnswer:
    """What one hook answered: session, number of the prompt (0: its start), the whole text."""

    session: str
    number: int
    talk: WeekSession
    prompt: str
    text: str
    is_compaction: bool


@dataclass(frozen=True)
class JudgedLine:
    """One line that an agent was told, and its label."""

    at: str
    project: str
    agent: str
    is_start: bool
    label: str
    text: str
    heading: str
    prompt: str


@dataclass(frozen=True)
class LineLabel:
    """The worth of one text, by place."""

    projects: tuple[str, ...]
    start: str
    prompt: str
    exceptions: tuple[tuple[str, str], ...]

    def at(self, session: str, number: int) -> str:
        """The label there; the last exception that fits wins."""
        verdict = self.prompt if number else self.start
        for place, label in self.exceptions:
            if place.endswith("+"):
                if (session, number) >= _place(place[:-1]):
                    verdict = label
            elif place == session or (_place(place) == (session, number) and "." in place):
                verdict = label
        return verdict


def _place(name: str) -> tuple[str, int]:
    session, _, number = name.partition(".")
    return session, int(number or 0)


class LineLabels:
    """All labels, by normalised text."""

    def __init__(self, labels: Mapping[str, LineLabel]) -> None:
        self._labels = labels

    @classmethod
    def read(cls, path: Path) -> LineLabels:
        """Read `labels.tsv`. Raises ValueError for a label that is none."""
        labels: dict[str, LineLabel] = {}
        for number, line in enumerate(path.read_text("utf-8-sig").splitlines(), 1):
            if not line or line.startswith("#"):
                continue
            projects, start, prompt, exceptions, text = line.split("\t", 4)
            pairs = tuple(
                (place, label)
                for place, _, label in (each.partition("=") for each in exceptions.split(","))
                if place not in ("", "-")
            )
            for label in (start, prompt, *(label for _, label in pairs)):
                if label not in LABELS:
                    raise ValueError(f"{path.name}:{number}: no label: {label}")
            labels[_key(text)] = LineLabel(tuple(projects.split(",")), start, prompt, pairs)
        return cls(labels)

    def judge(self, text: str, project: str, session: str, number: int) -> str:
        """The label of a line there."""
        label = self._labels.get(_key(text))
        if label is None:
            return "unlabelled"
        if "all" not in label.projects and project not in label.projects:
            return "foreign"
        return label.at(session, number)


def normalise(text: str) -> str:
    """A text without case, signs and spaces between words: the key of labels and decisions."""
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def judge_all(
    told: Sequence[HookAnswer],
    talks: Sequence[WeekSession],
    labels: LineLabels,
    rules_files: Mapping[tuple[str, str], str],
    refused: Sequence[str],
) -> list[JudgedLine]:
    """Every line of every answer, in the order they were told. `refused`: what she rejected."""
    forbidden = [key for key in map(normalise, refused) if len(key.split()) >= _TELLING_WORDS]
    names = {talk.name for talk in talks}
    seen: dict[str, set[str]] = {name: set() for name in names}
    judged = []
    for answer in told:
        talk = answer.talk
        if answer.is_compaction:
            seen[answer.session].clear()
        read_anyway = normalise(rules_files.get((talk.project, talk.agent), ""))
        is_start = not answer.prompt
        for heading, text in split_lines(answer.text):
            number = 0 if is_start else answer.number
            label = labels.judge(text, talk.project, answer.session, number)
            key = normalise(text)
            if label in ("useful", "neutral", "unlabelled") and (
                key in seen[answer.session] or ((core := _core(text)) and core in read_anyway)
            ):
                label = "twice"
            if any(each in key for each in forbidden):
                label = "rejected"
            seen[answer.session].add(key)
            judged.append(
                JudgedLine(
                    f"{answer.session}.{answer.number}",
                    talk.project,
                    talk.agent,
                    is_start,
                    label,
                    text,
                    heading,
                    answer.prompt or "(start)",
                )
            )
    return judged


def check_answers(
    path: Path, judged: Sequence[JudgedLine], rules_files: Mapping[tuple[str, str], str]
) -> Iterator[tuple[str, str]]:
    """For each question of `answers.tsv`, its place and: told, missing, or outdated.

    `told` means that a line of that session, up to that prompt, or the rules file that the agent
    reads anyway holds the answer; `outdated` that a line holds what is no longer so.
    """
    for line in path.read_text("utf-8-sig").splitlines():
        if not line or line.startswith("#"):
            continue
        place, wanted, unwanted = line.split("\t")
        session, number = _place(place)
        texts = [
            each.text
            for each in judged
            if _place(each.at)[0] == session and _place(each.at)[1] <= number
        ]
        asking = next(
            ((each.project, each.agent) for each in judged if each.at.startswith(session)), None
        )
        texts.append(rules_files.get(asking, "") if asking else "")
        if unwanted != "-" and any(re.search(unwanted, text, re.IGNORECASE) for text in texts):
            yield place, "outdated"
        elif any(re.search(wanted, text, re.IGNORECASE) for text in texts):
            yield place, "told"
        else:
            yield place, "missing"


def _key(text: str) -> str:
    """The key of a line's label: its words without kind, rationale, day and speaker."""
    text = _NOTE.sub("", text).partition(" Because: ")[0]
    return normalise(re.sub(r"^[a-z_]{3,12}: ", "", text))


def _core(text: str) -> str:
    """The words of a line without its kind and rationale."""
    text = re.sub(r"^[a-z_ ]{3,20}: ", "", text)
    return normalise(re.sub(r" \([^()]*\)$", "", text).rstrip("."))


def split_lines(text: str) -> Iterator[tuple[str, str]]:
    """The heading and words of each item of a context, without ids."""
    heading = ""
    last = ""
    for line in text.splitlines():
        if line.startswith("#"):
            if last:
                yield heading, last
            heading, last = line.lstrip("# "), ""
        elif item := _ITEM.fullmatch(line):
            if last:
                yield heading, last
            last = item["text"]
        elif line.startswith(("<", "Reference data")) or not line.strip():
            continue
        elif last and line.startswith("  "):
            last += " / " + line.strip()
        else:
            if last:
                yield heading, last
            last = line.strip()
    if last:
        yield heading, last
