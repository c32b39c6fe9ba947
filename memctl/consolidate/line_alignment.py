"""Two versions of somebody's notes laid side by side: which line became which. Pure.

A line with the same words is the same line, wherever it stands. Of the others, a lost line and a
fresh one are the same line in other words if they share enough words, the more readily the nearer
they stand to each other. Where two lines fit about as well, nothing is sure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.text.stop_words import COMPARISON_STOP_WORDS

# Shares of words (0..1) from which two lines are the same in other words: wherever they stand, near
# each other, and where one stands exactly in the other's place. Chosen by hand, as are those below.
_ALIKE_ANYWHERE = 0.7
_ALIKE_NEARBY = 0.5
_ALIKE_IN_PLACE = 0.3
# From here on they may be the same.
_PERHAPS = 0.3
# The best fit is sure if it is that much better than the next one.
_MARGIN = 0.12
# What standing near each other adds when fits are compared.
_IN_PLACE_BONUS = 0.3
_NEARBY_BONUS = 0.15
# Weights of words that say little about what a line is about; others weigh 1.
_STOP_WORD = 0.25
_FRAME_WORD = 0.5
_FRAME = frozenset(
    "use uses using always never prefer avoid keep run make sure must should need needs do don't "
    "not no only every all when before after please ensure write".split()
)
# A word of more fresh lines than that leads to none of them.
_MOST_LINES_OF_A_WORD = 40
# Scripts without spaces between words are compared character by character.
_SPACELESS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = compile_later(rf"[{_SPACELESS}]|[^\W{_SPACELESS}]+(?:['’./@-][^\W{_SPACELESS}]+)*")


@dataclass(frozen=True, slots=True)
class NoteLine:
    """One line of notes: its words, and the heading that it stands below (None: not known)."""

    text: str
    heading: str | None = None

    @property
    def words(self) -> str:
        """The words on one line, in lower case and without marks around them."""
        return normalise_line(self.text)


@dataclass(frozen=True, slots=True)
class Rewording:
    """A lost line (`old`) and the fresh one (`new`) that it became, by their places.

    Where it is not sure, the two may as well be different things.
    """

    old: int
    new: int
    is_sure: bool


@dataclass(frozen=True, slots=True)
class LineAlignment:
    """What became of the lines of a version in the next one; places in the two versions.

    same: lines that stayed, by their place in the new version; moved: those that stand elsewhere or
    below another heading; reworded: see `Rewording`; lost and fresh: the rest.
    """

    same: Mapping[int, int]
    moved: Mapping[int, int]
    reworded: tuple[Rewording, ...]
    lost: tuple[int, ...]
    fresh: tuple[int, ...]


def normalise_line(text: str) -> str:
    """Return a line as it is compared: one space between words, no marks and emphasis around."""
    return " ".join(text.replace("**", "").replace("__", "").split()).strip(" .;-*").casefold()


def align_lines(old: Sequence[NoteLine], new: Sequence[NoteLine]) -> LineAlignment:
    """Lay two versions side by side."""
    kept, moved = _pair_equal_lines(old, new)
    paired = {**kept, **moved}
    lost = [place for place in range(len(old)) if place not in paired.values()]
    fresh = [place for place in range(len(new)) if place not in paired]
    reworded = tuple(_pair_reworded(old, new, kept, lost, fresh))
    for place, pair in list(kept.items()):
        headings = (old[pair].heading, new[place].heading)
        if None not in headings and headings[0] != headings[1]:
            moved[place] = kept.pop(place)
    gone = {each.old for each in reworded}
    come = {each.new for each in reworded}
    return LineAlignment(
        kept,
        moved,
        reworded,
        tuple(place for place in lost if place not in gone),
        tuple(place for place in fresh if place not in come),
    )


def _pair_equal_lines(
    old: Sequence[NoteLine], new: Sequence[NoteLine]
) -> tuple[dict[int, int], dict[int, int]]:
    """Pair lines of the same words: those in the same order, and those that moved."""
    before, after = [line.words for line in old], [line.words for line in new]
    kept: dict[int, int] = {}
    for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        kept.update((block.b + step, block.a + step) for step in range(block.size))
    left: dict[str, list[int]] = {}
    for place, words in enumerate(before):
        if place not in kept.values():
            left.setdefault(words, []).append(place)
    moved = {}
    for place, words in enumerate(after):
        if place not in kept and left.get(words):
            moved[place] = left[words].pop(0)
    return kept, moved


def _pair_reworded(
    old: Sequence[NoteLine],
    new: Sequence[NoteLine],
    kept: Mapping[int, int],
    lost: Sequence[int],
    fresh: Sequence[int],
) -> Iterable[Rewording]:
    """Pair lost with fresh lines, the best fits first, each line once."""
    old_gaps = _find_gaps(len(old), {place: place for place in kept.values()})
    new_gaps = _find_gaps(len(new), kept)
    alone = {gap for gap, many in Counter(old_gaps[place] for place in lost).items() if many == 1}
    alone &= {gap for gap, many in Counter(new_gaps[place] for place in fresh).items() if many == 1}
    fits = []
    for gone, come in _list_pairs(old, new, lost, fresh, old_gaps, new_gaps):
        alike = compute_likeness(old[gone].text, new[come].text)
        in_gap = old_gaps[gone] == new_gaps[come]
        is_near = in_gap or (
            old[gone].heading is not None and old[gone].heading == new[come].heading
        )
        in_place = in_gap and old_gaps[gone] in alone
        bonus = _IN_PLACE_BONUS if in_place else _NEARBY_BONUS if is_near else 0.0
        needed = _ALIKE_IN_PLACE if in_place else _ALIKE_NEARBY if is_near else _ALIKE_ANYWHERE
        if alike >= _PERHAPS:
            fits.append((alike + bonus, gone, come, alike >= needed))
    yield from _choose_best(fits)


def _choose_best(fits: list[tuple[float, int, int, bool]]) -> Iterable[Rewording]:
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    ranked = sorted(fits, key=lambda fit: (-fit[0], fit[1], fit[2]))
    for score, gone, come, is_alike in ranked:
        if gone in taken_old or come in taken_new:
            continue
        rivals = [
            other
            for other, old_place, new_place, _ in ranked
            if (old_place == gone) != (new_place == come)
            and old_place not in taken_old
            and new_place not in taken_new
        ]
        is_clear = score - max(rivals, default=0.0) >= _MARGIN
        yield Rewording(gone, come, is_alike and is_clear)
        taken_old.add(gone)
        taken_new.add(come)


def _find_gaps(length: int, kept: Mapping[int, int]) -> list[int]:
    """For each line, the kept line above it, by its place in the old version; -1 at the top."""
    gaps, above = [], -1
    for place in range(length):
        above = kept.get(place, above)
        gaps.append(above)
    return gaps


def _list_pairs(
    old: Sequence[NoteLine],
    new: Sequence[NoteLine],
    lost: Sequence[int],
    fresh: Sequence[int],
    old_gaps: Sequence[int],
    new_gaps: Sequence[int],
) -> set[tuple[int, int]]:
    """The pairs that are worth a look: they share a word that is not in every line, or a gap."""
    by_word: dict[str, list[int]] = {}
    by_gap: dict[int, list[int]] = {}
    for come in fresh:
        by_gap.setdefault(new_gaps[come], []).append(come)
        for word in set(_list_words(new[come].text)):
            by_word.setdefault(word, []).append(come)
    pairs: set[tuple[int, int]] = set()
    for gone in lost:
        groups = [by_word.get(word, []) for word in set(_list_words(old[gone].text))]
        groups.append(by_gap.get(old_gaps[gone], []))
        for group in groups:
            if len(group) <= _MOST_LINES_OF_A_WORD:
                pairs.update((gone, come) for come in group)
    return pairs


def compute_likeness(one: str, other: str) -> float:
    """The share of the words of two lines that they have in common, 0..1."""
    first, second = Counter(_list_words(one)), Counter(_list_words(other))
    common = sum(_weigh(word) * many for word, many in (first & second).items())
    total = sum(_weigh(word) * many for word, many in (first + second).items())
    return 2 * common / total if total else 0.0


def _list_words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _weigh(word: str) -> float:
    if word in _FRAME:
        return _FRAME_WORD
    return _STOP_WORD if word in COMPARISON_STOP_WORDS else 1.0
