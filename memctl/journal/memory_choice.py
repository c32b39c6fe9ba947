"""Which records MEMORY.md says, where, and in which groups. Pure.

Kept true: the lines never cost more than their budget; equal records give equal lines, in whatever
order they came; two records that stand against each other are told together or not at all; of
duplicates one is told, and the others are named beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from memctl.core.frozen import dataclass, field, replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import AGENT_CLAIMED, FETCHED_TEXT, Memory
from memctl.journal import memory_lines
from memctl.journal.importance import STANDING_BONUS, compute_importance
from memctl.journal.inert_markdown import make_inert, make_inert_name
from memctl.journal.memory_lines import DocumentLine
from memctl.journal.plain_words import tidy_statement
from memctl.retrieve.bundle import count_tokens
from memctl.retrieve.order import fold_duplicates
from memctl.retrieve.score import ScoredRecord
from memctl.text.stop_words import NEGATIONS

# Characters of a record and of its reason. Chosen by hand.
_CONTENT_LENGTH = 320
_REASON_LENGTH = 160
# Sides of an open question that are told in words, the newest; chosen by hand.
_MOST_SIDES = 4
# Of each side of an open question.
_SIDE_LENGTH = 200
# Of a session.
_EPISODE_LENGTH = 180
# So many lines make a group of their own. Chosen by hand.
_GROUP_SIZE = 3
# So many records are compared for duplicates at most.
_MOST_COMPARED = 300
# Sessions told at most.
_MOST_EPISODES = 6
# An open question counts as much as a decision, and for more than either side alone.
_QUESTION_BONUS = 0.1
_RULE_KINDS = frozenset(("constraint", "convention", "preference"))
_BUILD_KINDS = frozenset(("command", "workflow"))
_WORD = compile_later(r"[^\W_]+")
_NEXT_KINDS = frozenset(("todo", "idea"))


@dataclass(frozen=True, slots=True)
class OpenPair:
    """Two records of which one may hold: `is_marked` if nobody said that they contradict, but the
    second is newer and may replace the first. `others` are in the same contradiction.
    """

    first: str
    second: str
    is_marked: bool
    others: tuple[str, ...] = ()

    @property
    def ends(self) -> tuple[str, ...]:
        """All its records."""
        return self.first, self.second, *self.others


@dataclass(frozen=True, slots=True)
class MemoryMaterial:
    """What a document may say: records in force, pairs that nobody has decided, names of things
    that records mention, and short ids.
    """

    memories: Sequence[Memory]
    pairs: Sequence[OpenPair]
    topics: Mapping[str, Sequence[str]]
    shorts: Mapping[str, str]
    now: str
    rates: Mapping[str, float]
    format_day: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class MemoryChoice:
    """The lines in order; `left_out` are the records without room, `folded` names what stands in
    the place of a duplicate.
    """

    lines: tuple[DocumentLine, ...]
    left_out: tuple[str, ...] = ()
    folded: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Option:
    """A line that could stand, how much it counts, and when its record was observed."""

    line: DocumentLine
    weight: float
    at: str


def choose_lines(
    material: MemoryMaterial, standing: Iterable[DocumentLine], budget: int
) -> MemoryChoice:
    """Choose the lines of a document with so many tokens for them, headings included; `standing`
    are those of the present version.
    """
    known = {memory.id: memory for memory in material.memories}
    pairs = [pair for pair in material.pairs if not _says_the_same(pair, known)]
    paired = {end for pair in pairs for end in pair.ends}
    alone = [memory for memory in material.memories if memory.id not in paired]
    kept, folded = _fold(alone, material)
    kept, folded = _fold_marked(kept, folded, material.pairs, known)
    options = [_make_option(memory, folded, material) for memory in kept]
    options += [_make_question(pair, known, material) for pair in pairs]
    chosen = _fill(_list_by_weight(options, standing), budget)
    left_out = [each for option in options if option not in chosen for each in option.line.ids]
    return MemoryChoice(tuple(_arrange(chosen, material)), tuple(left_out), folded)


def find_section(memory: Memory) -> str:
    """Where a record stands."""
    if memory.type == "episode":
        return memory_lines.LATELY
    if memory.type == "profile":
        return memory_lines.YOU
    if memory.type == "decision":
        return memory_lines.DECISIONS
    if memory.kind in _RULE_KINDS:
        return memory_lines.RULES
    if memory.kind in _BUILD_KINDS:
        return memory_lines.BUILD
    return memory_lines.NEXT if memory.kind in _NEXT_KINDS else memory_lines.FACTS


def word_record(
    memory: Memory,
    format_day: Callable[[str], str],
    length: int = _CONTENT_LENGTH,
    *,
    is_asked: bool = False,
) -> str:
    """What a record says, as a line without its id; `is_asked` where its doubt is told anyway."""
    length = _EPISODE_LENGTH if memory.type == "episode" else length
    text = make_inert(tidy_statement(memory.content), length)
    reason = make_inert(memory.rationale or "", _REASON_LENGTH)
    if reason and reason.casefold() not in text.casefold():
        text = f"{text}{'' if text.endswith(('.', '!', '?', '…')) else '.'} Why: {reason}"
    said = {AGENT_CLAIMED: "an agent says", FETCHED_TEXT: "from a fetched text"}.get(memory.trust)
    remarks = [said] if said and memory.type != "episode" else []
    if memory.type in ("decision", "episode"):
        remarks.insert(0, format_day(memory.observed_at))
    if memory.status == "contradicted" and not is_asked:
        remarks.append("disputed")
    return f"{text} ({', '.join(remarks)})" if remarks else text


def _fold(
    memories: Iterable[Memory], material: MemoryMaterial
) -> tuple[list[Memory], dict[str, str]]:
    """The records without duplicates of one that counts for more, and what stands for those."""
    scored = [
        ScoredRecord(each, compute_importance(each, material.now, material.rates), 0.0, {}, "", ())
        for each in memories
    ]
    scored.sort(key=lambda each: (-each.score, each.memory.id))
    kept, into = fold_duplicates(scored, most=_MOST_COMPARED)
    return [each.memory for each in kept], into


def _says_the_same(pair: OpenPair, known: Mapping[str, Memory]) -> bool:
    """Whether of a marked pair one side only repeats the other, with more around it."""
    first, second = (_list_words(known[each].content) for each in (pair.first, pair.second))
    few, many = sorted((first, second), key=len)
    return pair.is_marked and bool(few) and few <= many and not any(map(_is_telling, many - few))


def _list_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(tidy_statement(text).casefold()))


def _is_telling(word: str) -> bool:
    """Whether a word more makes a text another statement."""
    return word in NEGATIONS or any(char.isdigit() for char in word)


def _fold_marked(
    kept: Sequence[Memory],
    folded: Mapping[str, str],
    pairs: Iterable[OpenPair],
    known: Mapping[str, Memory],
) -> tuple[list[Memory], dict[str, str]]:
    """Of each pair that says the same, the shorter side alone."""
    left, into = {memory.id: memory for memory in kept}, dict(folded)
    for pair in pairs:
        if _says_the_same(pair, known) and {pair.first, pair.second} <= left.keys():
            sides = [left[pair.first], left[pair.second]]
            stays, goes = sorted(sides, key=lambda each: (len(each.content), each.id))
            del left[goes.id]
            into = {old: stays.id if new == goes.id else new for old, new in into.items()}
            into[goes.id] = stays.id
    return list(left.values()), into


def _make_option(memory: Memory, folded: Mapping[str, str], material: MemoryMaterial) -> _Option:
    same = sorted(old for old, new in folded.items() if new == memory.id)
    ids = (memory.id, *same)
    plain = word_record(memory, material.format_day)
    line = DocumentLine(
        memory_lines.RECORD,
        find_section(memory),
        format_line(plain, ids, material.shorts),
        ids,
        plain,
    )
    weight = compute_importance(memory, material.now, material.rates)
    return _Option(line, weight, memory.observed_at)


def format_line(plain: str, ids: Sequence[str], shorts: Mapping[str, str]) -> str:
    """A line of the file: what is said, then the records that say so."""
    return f"- {plain} {' '.join(f'`{shorts.get(each, each)}`' for each in ids)}"


def _make_question(
    pair: OpenPair, known: Mapping[str, Memory], material: MemoryMaterial
) -> _Option:
    """One line for records of which only one may hold; their ids with the oldest first."""
    sides = [known[each] for each in pair.ends]
    if not pair.is_marked:
        sides.sort(key=lambda each: (each.observed_at, each.id))
    words = [
        f"{word_record(side, material.format_day, _SIDE_LENGTH, is_asked=True)} "
        f"`{material.shorts[side.id]}`"
        for side in sides[-_MOST_SIDES:]
    ]
    more = " ".join(f"`{material.shorts[side.id]}`" for side in sides[:-_MOST_SIDES])
    day = material.format_day(sides[1].observed_at)
    plain = (
        f"Latest ({day}): {words[1]}; before: {words[0]}"
        if pair.is_marked
        else f"Which holds? {'; or: '.join(words)}{f'; or the older {more}' if more else ''}"
    )
    ids = tuple(side.id for side in sides)
    weight = _QUESTION_BONUS + max(
        compute_importance(side, material.now, material.rates) for side in sides
    )
    line = DocumentLine(memory_lines.RECORD, memory_lines.QUESTIONS, f"- {plain}", ids, plain)
    return _Option(line, weight, sides[-1].observed_at)


def _list_by_weight(options: Iterable[_Option], standing: Iterable[DocumentLine]) -> list[_Option]:
    """What counts most first; what stands there already counts for a little more."""
    there = {each for line in standing if line.kind == memory_lines.RECORD for each in line.ids}

    def rank(option: _Option) -> tuple[float, str, str]:
        bonus = STANDING_BONUS if there & {*option.line.ids} else 0.0
        return -round(option.weight + bonus, 6), option.line.plain, option.line.ids[0]

    return sorted(options, key=rank)


def _fill(options: Iterable[_Option], budget: int) -> list[_Option]:
    """As many as fit, with their headings; one that is too long makes room for shorter ones."""
    chosen: list[_Option] = []
    opened: set[str] = set()
    episodes = 0
    for option in options:
        section = option.line.section
        is_episode = section == memory_lines.LATELY
        cost = count_tokens(option.line.text + "\n")
        if section not in opened:
            cost += count_tokens(f"\n## {memory_lines.TITLES[section]}\n\n")
        if cost > budget or (is_episode and episodes >= _MOST_EPISODES):
            continue
        budget -= cost
        episodes += is_episode
        opened.add(section)
        chosen.append(option)
    return chosen


def _arrange(chosen: Sequence[_Option], material: MemoryMaterial) -> Iterator[DocumentLine]:
    """The lines by section; in one those without a group first, the oldest first, and the newest
    session first.
    """
    for section in memory_lines.SECTIONS:
        options = sorted(
            (each for each in chosen if each.line.section == section),
            key=lambda each: (each.at, each.line.plain, each.line.ids),
            reverse=section == memory_lines.LATELY,
        )
        topics = _find_topics(options, material) if section != memory_lines.LATELY else {}
        placed = [
            replace(option.line, topic=topics.get(option.line.ids[0], "")) for option in options
        ]
        yield from sorted(placed, key=lambda line: line.topic.casefold())


def _find_topics(options: Sequence[_Option], material: MemoryMaterial) -> dict[str, str]:
    """The group of each record, by id: the most common name that enough lines share."""
    names = {
        option.line.ids[0]: [
            make_inert_name(each) for each in material.topics.get(option.line.ids[0], ())
        ]
        for option in options
    }
    counts = Counter(name for found in names.values() for name in set(found))
    # What nearly all lines are about divides nothing.
    most = max(_GROUP_SIZE, len(options) - 2)
    shared = {name: many for name, many in counts.items() if _GROUP_SIZE <= many <= most}
    first = {
        memory_id: min(
            (name for name in found if name in shared),
            key=lambda name: (-shared[name], name),
            default="",
        )
        for memory_id, found in names.items()
    }
    sizes = Counter(first.values())
    return {
        memory_id: name for memory_id, name in first.items() if name and sizes[name] >= _GROUP_SIZE
    }
