"""Which records a context says, strongest first: decided from what was read, with the reason of
each. Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from memctl.core import timestamps
from memctl.core.frozen import dataclass
from memctl.core.model import NO_SIGNALS, OPERATOR_IMPLIED, STANDING_KINDS, Memory
from memctl.core.typing_lite import TYPE_CHECKING
from memctl.retrieve import score
from memctl.retrieve.context_request import ContextRequest
from memctl.retrieve.phases import Phase, PhaseSection
from memctl.retrieve.score import ScoredRecord, ScoringContext
from memctl.text.episode_parts import tells_outcome

if TYPE_CHECKING:
    from memctl.retrieve.context_material import ContextMaterial

# Rules of one section that are held ready for the budget, strongest first; the rest are counted.
# Chosen by hand: about what the largest budget by default has room for.
_MOST_RULES = 32
# The rule by which digests of a week are known.
WEEKLY = "tiers.week"
# Task hints beside the recent episodes; chosen by hand.
_MOST_HINTS = 2
# Days. Older episodes and hints are no recent work; chosen by hand.
_RECENT_DAYS = 120
# Days. The last sessions are told one by one, whatever digest there is; chosen by hand.
_LAST_DAYS = 3
_DAY_SECONDS = 86400
# The first day of 1970 was a Thursday: so many days after a Monday.
_EPOCH_WEEKDAY = 3
_NO_COMMANDS: frozenset[str] = frozenset()
_PINNED = "pinned: every context here begins with it"


@dataclass(frozen=True, slots=True)
class ContextChoice:
    """A record to be said: in which section, its score where it was searched for, else why it
    comes up. One that stands only `beside` another names that one's id.
    """

    section: str
    memory: Memory
    hit: ScoredRecord | None = None
    why: str | None = None
    beside: str | None = None

    @property
    def is_rule(self) -> bool:
        """Whether it must be said, or named where it finds no room."""
        return is_rule(self.memory)


def choose_records(
    request: ContextRequest,
    context: ScoringContext,
    hits: Sequence[ContextChoice],
    material: ContextMaterial,
    most_episodes: int,
) -> list[ContextChoice]:
    """Everything that may be said, strongest first, each record once."""
    from memctl.retrieve import place_fit  # here, because prompts have no use for it

    strengths = {
        memory.id: score.compute_strength(
            memory, context, material.signals.get(memory.id, NO_SIGNALS)
        )
        for memory in material.pool
    }
    pool = list(place_fit.list_fitting(material.pool, request.caller.project_id))
    ranked = {
        name: _rank_section(name, section, request, strengths, pool, context.now, most_episodes)
        for name, section in request.phase.items()
        if section.types
    }
    hit_ids = {choice.memory.id for choice in hits}
    # What is disputed and not a hit is said among the contradictions only.
    only_disputed = {memory.id for memory in material.disputed} - hit_ids
    choices = chain(
        (_choose_first(memory, _PINNED) for memory in material.pinned),
        (_choose_first(memory, why) for memory, why in material.loaded),
        hits,
        # What forbids or demands comes before what is good to know.
        sorted(
            (choice for section in ranked.values() for choice in section if choice.is_rule),
            key=lambda choice: -strengths[choice.memory.id],
        ),
        *(section[: request.phase[name].first] for name, section in ranked.items()),
        (
            ContextChoice("contradictions", memory, why="an open contradiction")
            for memory in material.disputed
        ),
        # Most of the profile has been said by now, and recent work is the first to go without.
        *(ranked[name] for name in sorted(ranked, key=("profile", "episodes").__contains__)),
    )
    return _drop_repeated(
        choice
        for choice in choices
        if choice.section == "contradictions" or choice.memory.id not in only_disputed
    )


def count_weeks(at: str) -> int:
    """The number of the week of a time, counted from the one that holds 1 January 1970; weeks
    begin on Monday.
    """
    return int(timestamps.parse_iso(at) // _DAY_SECONDS + _EPOCH_WEEKDAY) // 7


def _choose_first(memory: Memory, why: str) -> ContextChoice:
    return ContextChoice("profile" if memory.type == "profile" else "project", memory, why=why)


def _drop_repeated(choices: Iterable[ContextChoice]) -> list[ContextChoice]:
    """Each record where it came up first, and of commands in other words around them the first."""
    first: dict[str, ContextChoice] = {}
    commands = set[frozenset[str]]()
    for choice in choices:
        told = _list_bare_commands(choice.memory)
        if choice.memory.id in first or (told and told in commands):
            continue
        first[choice.memory.id] = choice
        commands |= {told} if told else set()
    return list(first.values())


def _rank_section(
    name: str,
    section: PhaseSection,
    request: ContextRequest,
    strengths: Mapping[str, float],
    pool: Iterable[Memory],
    now: str,
    most_episodes: int,
) -> list[ContextChoice]:
    """The records that come up in one section, strongest first: all rules, and so many others as
    the phase says.
    """
    fitting = [
        memory for memory in pool if not memory.never_load and is_of_section(memory, section)
    ]
    if name == "episodes":
        return _choose_recent(fitting, now, most_episodes)
    fitting.sort(key=lambda memory: (-strengths[memory.id], memory.id))
    most = section.beside_task if request.task else section.most
    rules = [memory for memory in fitting if is_rule(memory)][:_MOST_RULES]
    others = [memory for memory in fitting if not is_rule(memory)][:most]
    why = {memory.id: "a rule that holds here" for memory in rules} | {
        memory.id: "among the strongest here" for memory in others
    }
    return [
        ContextChoice(name, memory, why=why[memory.id]) for memory in fitting if memory.id in why
    ]


def _list_bare_commands(memory: Memory) -> frozenset[str]:
    if memory.kind != "command":
        return _NO_COMMANDS
    from memctl.retrieve import place_fit

    return place_fit.list_bare_commands(memory)


def count_unchosen_rules(
    choices: Iterable[ContextChoice], material: ContextMaterial, phase: Phase
) -> int:
    """How many rules of the sections of a phase are not among the choices."""
    chosen, commands = set[str](), set[frozenset[str]]()
    for choice in choices:
        chosen.add(choice.memory.id)
        commands.add(_list_bare_commands(choice.memory))
    return material.unread + sum(
        1
        for memory in material.pool
        if is_rule(memory)
        and not memory.never_load
        and memory.id not in chosen
        and (_list_bare_commands(memory) or frozenset("?")) not in commands
        and any(is_of_section(memory, section) for section in phase.values())
    )


def is_rule(memory: Memory) -> bool:
    """Whether a record forbids or demands something, by the operator's word."""
    return memory.kind in STANDING_KINDS and memory.trust >= OPERATOR_IMPLIED


def is_of_section(memory: Memory, section: PhaseSection) -> bool:
    """Whether a record is of a type, a kind and words that come up in a section."""
    if memory.type not in section.types or (section.kinds and memory.kind not in section.kinds):
        return False
    text = f"{memory.title}\n{memory.content}"
    return section.words is None or re.search(section.words, text) is not None


def _choose_recent(memories: Iterable[Memory], now: str, most: int) -> list[ContextChoice]:
    """The last episodes that tell an outcome, and what was left to do, unless long past."""
    recent = [
        memory
        for memory in memories
        if timestamps.days_between(memory.observed_at, now) <= _RECENT_DAYS
    ]
    recent.sort(key=lambda memory: (memory.observed_at, memory.id), reverse=True)
    told = [one for one in recent if one.type == "episode" and tells_outcome(one.content)]
    episodes = _fold_weeks(told, now)[:most]
    hints = [memory for memory in recent if memory.type == "task_hint"][:_MOST_HINTS]
    return [ContextChoice("episodes", memory, why="recent work") for memory in (*episodes, *hints)]


def _fold_weeks(episodes: Sequence[Memory], now: str) -> list[Memory]:
    """The last days session by session; of past weeks the digest instead of its sessions, where
    there is one.
    """
    digested = set(_find_digested_weeks(episodes, now))
    chosen = []
    for memory in episodes:
        is_digested = count_weeks(memory.observed_at) in digested
        is_digest = memory.rule == WEEKLY
        if is_digested == is_digest or (
            not is_digest and timestamps.days_between(memory.observed_at, now) <= _LAST_DAYS
        ):
            chosen.append(memory)
    return chosen


def _find_digested_weeks(episodes: Iterable[Memory], now: str) -> Iterator[int]:
    """The past weeks that have a digest."""
    this_week = count_weeks(now)
    for memory in episodes:
        week = count_weeks(memory.observed_at)
        if memory.rule == WEEKLY and week < this_week:
            yield week
