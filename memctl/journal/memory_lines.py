"""The lines of MEMORY.md: what each is, whose, and which records it says. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any

# What a line is: headings and the like, the words of records, a person's own, an entry of the
# diary, or (never shown) a record that the person took out by hand.
FRAME = "frame"
RECORD = "record"
PERSON = "person"
DIARY = "diary"
DROPPED = "dropped"

# Where lines stand: above all sections, in one, or below.
TOP = "top"
YOU = "you"
RULES = "rules"
DECISIONS = "decisions"
BUILD = "build"
FACTS = "facts"
NEXT = "next"
LATELY = "lately"
QUESTIONS = "questions"
CHANGES = "changes"
TITLES: Mapping[str, str] = {
    YOU: "The operator",
    RULES: "Rules and conventions",
    DECISIONS: "Decisions",
    BUILD: "How to build, test and run",
    FACTS: "How it is",
    NEXT: "Still to do",
    LATELY: "Lately",
    QUESTIONS: "Open questions",
    CHANGES: "What changed here",
}
SECTIONS = tuple(TITLES)


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """One line, or several of a person's.

    `text` is how it stands in the file, redacted; `ids` name every record whose words it has.
    `plain` is what the records say in their own words, by which a change of theirs is seen; `topic`
    is the group that it stands in, `model` who worded it otherwise. `raw` is how a person wrote it.
    """

    kind: str
    section: str
    text: str
    ids: tuple[str, ...] = ()
    plain: str = ""
    topic: str = ""
    model: str = ""
    raw: str = ""


def to_objects(lines: Iterable[DocumentLine]) -> list[dict[str, Any]]:
    """Lines as they are stored: without what is empty, and without secrets."""
    names = ("kind", "section", "text", "ids", "plain", "topic", "model")
    return [
        {
            name: list(value) if name == "ids" else value
            for name in names
            if (value := getattr(line, name)) or name in ("kind", "ids")
        }
        for line in lines
    ]


def from_objects(objects: Iterable[Mapping[str, Any]]) -> tuple[DocumentLine, ...]:
    """Lines as they were stored; what is no line is left out."""
    return tuple(
        DocumentLine(
            kind=str(each.get("kind", FRAME)),
            section=str(each.get("section", TOP)),
            text=str(each.get("text", "")),
            ids=tuple(str(one) for one in each.get("ids", ())),
            plain=str(each.get("plain", "")),
            topic=str(each.get("topic", "")),
            model=str(each.get("model", "")),
        )
        for each in objects
    )


def pick(lines: Iterable[DocumentLine], *kinds: str) -> list[DocumentLine]:
    """The lines of some kinds."""
    return [line for line in lines if line.kind in kinds]


def render(lines: Iterable[DocumentLine]) -> str:
    """The file: every line as it stands there, a person's as they wrote it."""
    shown = (line.raw or line.text for line in lines if line.kind != DROPPED)
    return "\n".join(shown) + "\n"
