"""The year as it is meant to happen, before any memory sees it: sessions, what is true when, and
what the operator says in which words.

Everything follows from the seed. A fact's statements are spread over the sessions of its project;
what an agent says and what the operator answers to that depends on what the memory served, and is
made while the year runs (`year_run`).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from benchmarks import year_words as words
from benchmarks.year_beside import SAME_SUBJECT, SAME_THEME
from benchmarks.year_facts import (
    DECISIONS,
    LIKINGS,
    PROJECTS,
    SLOTS,
    STABLE,
    Fixed,
    Liking,
    Names,
    Slot,
)
from benchmarks.year_files import AGENTS

Thing = TypeVar("Thing")
# How many facts beside its slots a project has.
BESIDE = 12
START = "2025-01-06T00:00:00.000Z"
# A project's number, or None for what is the operator's own; and the name of the fact.
Key = tuple[int | None, str]


class Stated(NamedTuple):
    """One sentence and what it says: `key` is None for noise; `form` says in which way (see
    `year_words`) or what kind of noise.
    """

    text: str
    key: Key | None
    value: str
    form: str

    @property
    def is_fact(self) -> bool:
        """Whether it says that something is so, whoever says it."""
        return self.key is not None and self.form not in ("hypothetical", "one-off", "pasted")


class Reign(NamedTuple):
    """A value that holds from a day on."""

    day: int
    value: str


@dataclass(frozen=True)
class Fact:
    """A fact with its values in the order of time and the questions that ask for it."""

    key: Key
    reigns: tuple[Reign, ...]
    questions: tuple[str, ...]
    shape: str
    slot: Slot | None = None

    def at(self, day: int) -> str | None:
        """The value on a day; None before it was first told."""
        known = [reign.value for reign in self.reigns if reign.day <= day]
        return known[-1] if known else None


@dataclass
class Session:
    """A session to come: where, when, by which agent, what the operator will say; `resumes` is the
    number of the one it goes on from.
    """

    number: int
    day: int
    hour: float
    project: int
    agent: str
    says: list[Stated] = field(default_factory=list)
    resumes: int | None = None


@dataclass(frozen=True)
class World:
    """A year."""

    seed: int
    family: str
    days: int
    sessions: tuple[Session, ...]
    facts: Mapping[Key, Fact]

    def of_project(self, project: int) -> list[Fact]:
        """The facts that are known in a project, the operator's own among them."""
        return [fact for fact in self.facts.values() if fact.key[0] in (project, None)]


def world(
    seed: int,
    family: str,
    *,
    days: int = 365,
    sessions: int = 300,
    slots: int = len(SLOTS),
    beside: int = BESIDE,
) -> World:
    """A year (or less) of work on three projects, worded by one family; `beside` is how many facts
    beside its slots each project has.
    """
    draw = random.Random(f"{seed}/{family}")
    planned = _sessions(draw, days, sessions)
    told: list[tuple[Fact, list[tuple[Session, Stated]]]] = []
    for number in range(len(PROJECTS)):
        here = [one for one in planned if one.project == number]
        told += [
            _slot(draw, family, slot, number, here, days) for slot in _some(draw, SLOTS, slots)
        ]
        told += [
            _fixed(draw, family, one, number, here)
            for one in _some(draw, (*DECISIONS, *STABLE), slots)
        ]
    told += [_liking(draw, family, one, planned, days) for one in _some(draw, LIKINGS, slots)]
    told += _beside(seed, family, planned, min(beside, slots))
    for _, statements in told:
        for session, stated in statements:
            session.says.append(stated)
    return World(seed, family, days, tuple(planned), {fact.key: fact for fact, _ in told})


def _some(draw: random.Random, things: Sequence[Thing], most: int) -> list[Thing]:
    return draw.sample(things, min(most, len(things)))


def _sessions(draw: random.Random, days: int, count: int) -> list[Session]:
    places = sorted((draw.randrange(days), draw.uniform(7, 19)) for _ in range(count))
    made = [
        Session(n, day, hour, draw.randrange(len(PROJECTS)), draw.choice(AGENTS))
        for n, (day, hour) in enumerate(places)
    ]
    for one in made:
        before = [
            other
            for other in made[: one.number][-15:]
            if (other.project, other.agent) == (one.project, one.agent)
        ]
        if before and draw.random() < 0.1:
            one.resumes = draw.choice(before).number
    return made


def _turning_points(
    draw: random.Random, here: Sequence[Session], days: int, most: int
) -> list[Session]:
    """The session in which a fact is first told, and those in which it changes, at least two weeks
    (or a tenth of a short time) apart.
    """
    gap = min(14, days // 10)
    early = [one for one in here if one.day <= days // 5] or list(here[:1])
    points = [draw.choice(early)]
    later = [one for one in here if points[0].day + gap <= one.day <= days - gap]
    for one in draw.sample(later, len(later)):
        if len(points) <= most and all(abs(one.day - other.day) >= gap for other in points):
            points.append(one)
    return sorted(points, key=lambda one: one.number)


def _slot(
    draw: random.Random, family: str, slot: Slot, project: int, here: Sequence[Session], days: int
) -> tuple[Fact, list[tuple[Session, Stated]]]:
    key: Key = (project, slot.name)
    points = _turning_points(draw, here, days, draw.randint(1, 6))
    values = list(_values(draw, slot.pool(project), len(points)))
    said: list[tuple[Session, Stated]] = []
    for n, (point, value) in enumerate(zip(points, values, strict=True)):
        form = _form(draw) if n else "first"
        said.append(
            (point, worded(draw, family, slot, key, form, value, values[n - 1] if n else ""))
        )
        until = points[n + 1].number if n + 1 < len(points) else here[-1].number + 1
        between = [one for one in here if point.number < one.number < until]
        for one in draw.sample(between, min(len(between), draw.choice((0, 1, 1, 2)))):
            said.append((one, worded(draw, family, slot, key, "again", value, "")))
    reigns = tuple(Reign(point.day, value) for point, value in zip(points, values, strict=True))
    return Fact(key, reigns, _names(slot, family).questions, slot.shape, slot), said


def _form(draw: random.Random) -> str:
    return draw.choices(list(words.CHANGES), list(words.CHANGES.values()))[0]


def _values(draw: random.Random, pool: Sequence[str], count: int) -> Iterator[str]:
    """Values one after another, none twice in a row; an old one may come back."""
    last = ""
    for _ in range(count):
        last = draw.choice([value for value in pool if value != last])
        yield last


def _names(slot: Slot, family: str) -> Names:
    return slot.a if family == "A" else slot.b


def worded(
    draw: random.Random, family: str, slot: Slot, key: Key, form: str, value: str, old: str
) -> Stated:
    """A statement about a slot in some words of the family."""
    text = filled(
        draw, draw.choice(words.skeletons(family, slot.shape, form)), family, slot, value, old
    )
    return Stated(_as_sentence(draw, text), key, value, form)


def filled(
    draw: random.Random, skeleton: str, family: str, slot: Slot, value: str, old: str = ""
) -> str:
    """A skeleton with the names and values of a slot put in."""
    names = _names(slot, family)
    return skeleton.format(
        n=draw.choice(names.nouns), r=draw.choice(names.roles), v=value, o=old or "the old one"
    )


def _as_sentence(draw: random.Random, text: str) -> str:
    """People begin with a capital, mostly, and end with a point, mostly."""
    is_name = any(mark in text.split()[0] for mark in "/:.")
    text = text[:1].upper() + text[1:] if draw.random() < 0.8 and not is_name else text
    return text + "." if text[-1] not in ".!?" and draw.random() < 0.8 else text


def _beside(
    seed: int, family: str, planned: Sequence[Session], most: int
) -> Iterator[tuple[Fact, list[tuple[Session, Stated]]]]:
    """What stands beside the slots of each project: half of one subject with a slot, half of one
    theme, told once or twice. Drawn apart, so that the rest of a seed's year is as without it.
    """
    draw = random.Random(f"beside {seed}/{family}")
    for number in range(len(PROJECTS)):
        here = [one for one in planned if one.project == number]
        for one in (*_some(draw, SAME_SUBJECT, most // 2), *_some(draw, SAME_THEME, most // 2)):
            yield _fixed(draw, family, one, number, here, (1, 2))


def _fixed(
    draw: random.Random,
    family: str,
    one: Fixed,
    project: int,
    here: Sequence[Session],
    times: tuple[int, int] = (2, 5),
) -> tuple[Fact, list[tuple[Session, Stated]]]:
    key: Key = (project, one.name)
    wordings, asked = (one.a, one.ask_a) if family == "A" else (one.b, one.ask_b)
    told = sorted(
        draw.sample(list(here), min(len(here), draw.randint(*times))),
        key=lambda session: session.number,
    )
    said = [
        (session, Stated(draw.choice(wordings), key, one.name, "again" if n else "first"))
        for n, session in enumerate(told)
    ]
    return Fact(key, (Reign(told[0].day, one.name),), asked, "fixed"), said


def _liking(
    draw: random.Random, family: str, one: Liking, sessions: Sequence[Session], days: int
) -> tuple[Fact, list[tuple[Session, Stated]]]:
    key: Key = (None, one.name)
    values, asked = (one.a, one.ask_a) if family == "A" else (one.b, one.ask_b)
    points = _turning_points(draw, sessions, days, draw.randint(1, 4))
    chosen = [int(n) for n in _values(draw, [str(n) for n in range(len(values))], len(points))]
    said: list[tuple[Session, Stated]] = []
    for n, (point, value) in enumerate(zip(points, chosen, strict=True)):
        text = draw.choice(values[value])
        turned = (
            text
            if not n
            else f"{text} now"
            if one.is_fact
            else draw.choice(words.TURNS[family]).format(x=text)
        )
        said.append(
            (
                point,
                Stated(_as_sentence(draw, turned), key, str(value), "explicit" if n else "first"),
            )
        )
        until = points[n + 1].number if n + 1 < len(points) else sessions[-1].number + 1
        between = [session for session in sessions if point.number < session.number < until]
        for session in draw.sample(between, min(len(between), draw.choice((0, 1, 1, 2)))):
            said.append(
                (
                    session,
                    Stated(
                        _as_sentence(draw, draw.choice(values[value])), key, str(value), "again"
                    ),
                )
            )
    reigns = tuple(
        Reign(point.day, str(value)) for point, value in zip(points, chosen, strict=True)
    )
    return Fact(key, reigns, asked, "liking"), said


def stated_values(facts: Iterable[Fact], day: int) -> int:
    """How many different things were true at some time until a day: what a memory may rightly grow
    by.
    """
    return sum(reign.day <= day for fact in facts for reign in fact.reigns)
