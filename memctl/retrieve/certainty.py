"""How sure it is that a prompt calls for a record, 0..1. Pure: no I/O, no clock.

Nobody who prompts an agent has asked for anything, so a record must be called for by more than a
word in common. What speaks for it is weighed as a logistic regression weighs it: the share of the
prompt that it holds, how rare its words are, whether they name it, what it holds in related words
or another language (`text.related_words`), how alike the two are in meaning, by itself and beside
the others that come into question; and against it, how many records it is one of, and that the
prompt points at what lies before it (`this function`), edits a part at hand or asks for common
knowledge (`text.prompt_forms`). An order seldom names the rule that it touches (`add a float
column`): what instructs is called for by less where nothing was asked, and by still less where the
order names what the rule is laid down for (`ship it`).

How rare a word is, a small store cannot say: there every word stands once or never. So plain
English counts beside it for as many records as `search.word_prior` says, and the larger the store,
the less. The record itself is left out of the count.

The weights were fitted by `benchmarks/certainty.py` (docs/benchmarks.md has its figures).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import mul

from memctl.core.frozen import dataclass, field
from memctl.embed.word_ranks import find_rank
from memctl.text import prompt_forms, questions, related_words, tokens
from memctl.text.stop_words import SEARCH_STOP_WORDS

# The share of texts that hold a word of a rank is about this divided by the rank, and at most the
# second: a record or prompt has some twenty words, and words follow Zipf's law.
_TEXTS_PER_RANK = 5.0
_MOST_TEXTS = 0.2
# The least share for a word that nearly every prompt to a coding agent holds.
_COMMON_TEXTS = 0.1
# The same for a number of one or two digits, and for a longer one.
_SHORT_NUMBER_TEXTS = 0.02
_NUMBER_TEXTS = 0.003
# No word says less than this, in nats.
_LEAST_INFORMATION = 0.05
# Nats. Words beyond what so many say are names: `windrose`, `e1042`.
_NAME_INFORMATION = 6.0
# A long prompt need not be matched in every word: so many of the rarest make a full answer.
_WORDS_THAT_COUNT = 8
# Records. Fewer make nothing surer.
_FEWEST_RECORDS = 3
# In a prompt that points at what lies before it, or asks for play, few words are about records.
_POINTING = frozenset(
    """this that these those it above below
    haiku limerick poem joke riddle song rhyme novel story sonnet""".split()
)
_POINTING_PAIR = ("fairy", "tale")

# The weight of each feature, in the order of `list_features`: where meaning was compared, and by
# words alone. At .5, of a hundred prompts that call for nothing one gets something in a store of
# hundreds, and four in one of a dozen.
_WEIGHTS = (
    -2.05,
    1.89,
    0.38,
    2.07,
    1.33,
    -1.27,
    -0.80,
    0.96,
    1.54,
    0.42,
    0.83,
    1.07,
    0.69,
    -0.84,
    -0.44,
    -1.99,
    -2.66,
    0.74,
    4.33,
    3.89,
    -0.81,
)
_WEIGHTS_OF_WORDS = (
    -2.17,
    2.70,
    0.63,
    3.78,
    3.43,
    -0.93,
    -0.69,
    1.10,
    2.04,
    0.48,
    0.85,
    0.47,
    0.33,
    -0.52,
    0.54,
    -1.90,
    -2.78,
    1.42,
)
# The kinds that instruct, but for commands: an order to run one names it.
_RULES = frozenset({"constraint", "correction", "convention", "workflow", "preference"})
# What is laid down for whoever does something.
STANDING_KINDS = _RULES | {"command"}
# So many of the nearest others are what a record's meaning is compared with; chosen by hand.
_COMPARED = 8
# Terms. A shorter prompt says little.
_SHORT = 2
# Words of a prompt. What is to be done stands among the first.
_FIRST_WORDS = 4


@dataclass(frozen=True, slots=True)
class PromptWords:
    """The words of a prompt by what each says (`information`, nats); `full` is what a full answer
    would say; `size` counts the records it is asked of. `groups` are the groups of related words
    of each, `actions` and `first_actions` those that name what is to be done, anywhere and at the
    beginning. `common` are the words of every prompt, `related` are terms with what each says and
    the groups by which a record may hold it. The rest tell its form (`prompt_forms`).
    """

    information: Mapping[str, float]
    full: float
    size: int
    is_question: bool = False
    is_pointing: bool = False
    groups: Mapping[str, frozenset[int]] = field(default_factory=dict)
    actions: frozenset[int] = frozenset()
    first_actions: frozenset[int] = frozenset()
    is_local: bool = False
    is_general: bool = False
    is_foreign: bool = False
    is_order: bool = True
    common: frozenset[str] = frozenset()
    related: tuple[tuple[str, float, frozenset[int]], ...] = ()

    def list_all_groups(self) -> frozenset[int]:
        """The groups by which a record may have to do with the prompt."""
        return self.actions.union(*self.groups.values())


@dataclass(frozen=True, slots=True)
class PromptCrowd:
    """The candidates that a record stands among: the semantic parts of the nearest, the largest
    first, and how many standing records know each action.
    """

    nearest: tuple[float, ...] = ()
    actions: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordWords:
    """What is held against a prompt: the matched terms, the title, the kind and those groups of
    related words of a record that the prompt has too; `semantic` is None where meaning was not
    compared.
    """

    matched: Sequence[str]
    title: str = ""
    semantic: float | None = None
    kind: str = ""
    groups: frozenset[int] = frozenset()

    @property
    def is_standing(self) -> bool:
        """Whether the record instructs whoever does something."""
        return self.kind in STANDING_KINDS


def weigh_prompt(
    prompt: str, terms: Sequence[str], frequencies: Mapping[str, int], size: int, prior: float
) -> PromptWords:
    """What the terms of a prompt say, by how many of `size` records hold each beside one that is
    held against it; `prior` is how many records plain English counts for.
    """
    compounds = set(tokens.find_compounds(list(terms)))
    groups = {term: found for term in terms if (found := related_words.find_groups(term))}
    is_foreign = tokens.is_foreign(prompt)
    information = {}
    for term in terms:
        if term in compounds:
            continue
        said = _compute_information(term, frequencies.get(term, 0), size, prior)
        if is_foreign and term in groups:  # it says what its English word does
            word = related_words.open_groups().plainest[min(groups[term])]
            said = min(said, _compute_information(word, frequencies.get(term, 0), size, prior))
        information[term] = said
    words = tokens.list_words(prompt)
    actions = related_words.find_actions(words)
    first_actions = related_words.find_actions(words[:_FIRST_WORDS])
    common = frozenset(filter(tokens.is_common, terms))
    return PromptWords(
        information,
        sum(sorted(information.values(), reverse=True)[:_WORDS_THAT_COUNT]),
        size,
        questions.is_question(prompt),
        # `ship it` says all that it wants.
        not first_actions and _is_pointing(prompt),
        groups,
        actions,
        first_actions,
        prompt_forms.names_part_at_hand(words),
        prompt_forms.asks_common_knowledge(words),
        is_foreign,
        prompt_forms.gives_an_order(words),
        common,
        tuple(_list_related(information, groups, actions, common)),
    )


def _list_related(
    information: Mapping[str, float],
    groups: Mapping[str, frozenset[int]],
    actions: frozenset[int],
    common: frozenset[str],
) -> Iterable[tuple[str, float, frozenset[int]]]:
    """The terms that a record may hold in related words; a word of every prompt must name what is
    to be done.
    """
    for term, said in information.items():
        sharing = groups.get(term)
        if sharing and term in common:
            sharing &= actions
        if sharing:
            yield term, said, sharing


def _is_pointing(prompt: str) -> bool:
    """Does a prompt point at what lies before it, or ask for play?"""
    words = re.findall(r"\w+", prompt.lower())
    return not _POINTING.isdisjoint(words) or (
        _POINTING_PAIR[0] in words and _POINTING_PAIR in pairwise(words)
    )


def build_crowd(records: Iterable[RecordWords], prompt: PromptWords) -> PromptCrowd:
    """What the candidates of a prompt have in common."""
    nearest: list[float] = []
    actions: dict[int, int] = {}
    for record in records:
        nearest.append(record.semantic or 0.0)
        if record.is_standing:
            for action in prompt.actions & record.groups:
                actions[action] = actions.get(action, 0) + 1
    return PromptCrowd(tuple(sorted(nearest, reverse=True)[: _COMPARED + 1]), actions)


def compute_certainty(prompt: PromptWords, record: RecordWords, crowd: PromptCrowd) -> float:
    """How sure it is that a prompt calls for a record among others, 0..1.

    What shares neither word nor meaning is not called for.
    """
    features = list_features(prompt, record, crowd)
    if not features:
        return 0.0
    weights = _WEIGHTS_OF_WORDS if record.semantic is None else _WEIGHTS
    said = sum(map(mul, weights, features))
    return 1 / (1 + math.exp(-said))


def list_features(prompt: PromptWords, record: RecordWords, crowd: PromptCrowd) -> list[float]:
    """What the certainty is computed from, each about 0..1; without meaning the last three are
    missing, and nothing is there where nothing is shared.
    """
    matched = _list_matched(prompt, record)
    held = sorted((prompt.information.get(term, 0.0) for term in matched), reverse=True)
    related = [
        said
        for term, said, groups in prompt.related
        if not groups.isdisjoint(record.groups) and term not in matched
    ]
    if not held and not related and not record.semantic:
        return []
    said, best = sum(held), held[0] if held else 0.0
    is_rule, asks = record.kind in _RULES, prompt.is_question
    orders = prompt.is_order and not asks
    own = prompt.actions & record.groups if orders and record.is_standing else ()
    features = [
        1.0,
        _divide(said, prompt.full),
        max(0.0, best - _NAME_INFORMATION) / 3,
        min(said, 20.0) / 16,
        _compute_title_share(matched, record.title) * best / 8 if held else 0.0,
        float(prompt.is_pointing),
        math.log10(max(_FEWEST_RECORDS, prompt.size)),
        _divide(sum(related), prompt.full),
        max(related, default=0.0) / 8,
        max((1 / max(1, crowd.actions.get(action, 1)) for action in own), default=0.0),
        float(any(action in prompt.first_actions for action in own)),
        float(is_rule and orders),
        float(record.kind == "command" and orders),
        float(is_rule and asks),
        float(len(prompt.information) <= _SHORT),
        float(prompt.is_local),
        float(prompt.is_general),
        float(prompt.is_foreign),
    ]
    if record.semantic is None:
        return features
    lead = record.semantic - _compute_mean_of_others(record.semantic, crowd.nearest)
    return [*features, record.semantic, lead, float(not held and not related)]


def _list_matched(prompt: PromptWords, record: RecordWords) -> Sequence[str]:
    """The terms that a record holds, but if all of them are words of every prompt; of a prompt in
    another language also those that it holds in English.
    """
    if not prompt.is_foreign:
        return () if prompt.common.issuperset(record.matched) else record.matched
    said = [term for term, groups in prompt.groups.items() if groups & record.groups]
    return list(dict.fromkeys([*record.matched, *said]))


def _divide(part: float, whole: float) -> float:
    return min(1.0, part / whole) if whole else 0.0


def _compute_mean_of_others(own: float, nearest: Sequence[float]) -> float:
    """The mean of the nearest semantic parts but one's own; where nothing else was found, one's
    own says nothing either.
    """
    others = list(nearest)
    if own in others:
        others.remove(own)
    others = others[:_COMPARED]
    return sum(others) / len(others) if others else own


def _compute_information(term: str, frequency: int, size: int, prior: float) -> float:
    others = max(0, frequency - 1)
    share = (others + prior * _estimate_share(term)) / max(1.0, size + prior)
    return max(_LEAST_INFORMATION, -math.log(max(share, 1e-9)))


def _estimate_share(term: str) -> float:
    """The share of English texts that hold a word."""
    if term.isdigit():
        return _SHORT_NUMBER_TEXTS if len(term) < 3 else _NUMBER_TEXTS
    share = min(_MOST_TEXTS, _TEXTS_PER_RANK / find_rank(term))
    return max(share, _COMMON_TEXTS) if tokens.is_common(term) else share


def _compute_title_share(matched: Iterable[str], title: str) -> float:
    """The share of a title's words that a prompt has too."""
    told = [word for word in re.findall(r"[^\W_]+", title) if word.lower() not in SEARCH_STOP_WORDS]
    held = {stem for term in matched for stem in _list_stems(term)}
    first_letters = {stem[:1] for stem in held}
    # Most titles share no word, which is seen without stemming them.
    near = [word for word in told if not word.isascii() or word[0].lower() in first_letters]
    if held.isdisjoint([stem for word in near for stem in _list_stems(word)]):
        return 0.0
    words = {stem for word in told for stem in _list_stems(word)}
    return len(words & held) / len(words)


@lru_cache(maxsize=2048)
def _list_stems(word: str) -> Sequence[str]:
    return tokens.list_stems(word)
