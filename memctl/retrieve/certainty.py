"""How sure it is that a prompt calls for a record, 0..1. Pure: no I/O, no clock.

Nobody who prompts an agent has asked for anything, so a record must be called for by more than a
word in common. What speaks for it is weighed as a logistic regression weighs it: the share of the
prompt that it holds, how rare its words are, whether they name it, how alike the two are in
meaning; and against it, how many records it is one of, and that the prompt points at what lies
before it (`this function`) or asks for play (`a haiku`). An order seldom names the rule that it
touches (`add a float column`), so a rule is called for by less where nothing was asked.

How rare a word is, a small store cannot say: there every word stands once or never. So plain
English counts beside it for as many records as `search.word_prior` says, and the larger the store,
the less. The record itself is left out of the count.

The weights were fitted by `benchmarks/certainty.py` (docs/benchmarks.md has its figures).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from memctl.core.frozen import dataclass
from memctl.embed.word_ranks import find_rank
from memctl.text import questions, tokens
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
_POINTING = re.compile(
    r"\b(?:this|that|these|those|it|above|below"
    r"|haiku|limerick|poem|joke|riddle|song|rhyme|novel|story|fairy tale|sonnet)\b",
    re.IGNORECASE,
)

# The weight of each feature, in the order of `list_features`: where meaning was compared, and by
# words alone. At .5, of a hundred prompts that call for nothing two to three get something.
_WEIGHTS = (-3.86, 1.03, 1.68, 2.87, 0.78, 1.31, -0.39, -1.19, 10.09)
_WEIGHTS_OF_WORDS = (-2.07, 1.94, 1.21, 4.53, 1.41, 4.85, -0.91, -0.96)
# Log-odds by which a rule is surer where nothing was asked; chosen by hand on the published prompts
# of `benchmarks/served.py`, of which odd and even ones gain alike.
_RULE_AT_ORDER = 1.3
# The kinds that instruct, but for commands: an order to run one names it.
_RULES = frozenset({"constraint", "correction", "convention", "workflow", "preference"})


@dataclass(frozen=True, slots=True)
class PromptWords:
    """The words of a prompt by what each says (`information`, nats); `full` is what a full answer
    would say; `size` counts the records it is asked of; `is_question` and `is_pointing` tell its
    form.
    """

    information: Mapping[str, float]
    full: float
    size: int
    is_question: bool = False
    is_pointing: bool = False


def weigh_prompt(
    prompt: str, terms: Sequence[str], frequencies: Mapping[str, int], size: int, prior: float
) -> PromptWords:
    """What the terms of a prompt say, by how many of `size` records hold each beside one that is
    held against it; `prior` is how many records plain English counts for.
    """
    compounds = set(tokens.find_compounds(list(terms)))
    information = {
        term: _compute_information(term, frequencies.get(term, 0), size, prior)
        for term in terms
        if term not in compounds
    }
    full = sum(sorted(information.values(), reverse=True)[:_WORDS_THAT_COUNT])
    is_pointing = _POINTING.search(prompt) is not None
    return PromptWords(information, full, size, questions.is_question(prompt), is_pointing)


def compute_certainty(
    prompt: PromptWords,
    matched: Sequence[str],
    title: str,
    semantic: float | None,
    kind: str = "",
) -> float:
    """How sure it is that a prompt calls for a record with a title and matched terms, 0..1.

    `semantic` is the semantic part, None where meaning was not compared; `kind` is that of
    the record. What shares neither word nor meaning is not called for.
    """
    if not matched and not semantic:
        return 0.0
    weights = _WEIGHTS_OF_WORDS if semantic is None else _WEIGHTS
    features = list_features(prompt, matched, title, semantic)
    said = sum(a * b for a, b in zip(weights, features, strict=True))
    if kind in _RULES and not prompt.is_question:
        said += _RULE_AT_ORDER
    return 1 / (1 + math.exp(-said))


def compute_least_semantic(prompt: PromptWords, threshold: float) -> float:
    """The semantic part from which a record without any matched word reaches a certainty."""
    if threshold <= 0:
        return 0.0
    if threshold >= 1:
        return 1.0
    *weights, of_meaning = _WEIGHTS
    *features, _ = list_features(prompt, (), "", 0.0)
    said = sum(a * b for a, b in zip(weights, features, strict=True))
    if not prompt.is_question:
        said += _RULE_AT_ORDER
    return min(1.0, max(0.0, (math.log(threshold / (1 - threshold)) - said) / of_meaning))


def list_features(
    prompt: PromptWords, matched: Iterable[str], title: str, semantic: float | None
) -> list[float]:
    """What the certainty is computed from, each about 0..1; without `semantic` one fewer."""
    held = sorted((prompt.information.get(term, 0.0) for term in matched), reverse=True)
    said = sum(held)
    best, second = (*held, 0.0, 0.0)[:2]
    features = [
        1.0,
        min(1.0, said / prompt.full) if prompt.full else 0.0,
        max(0.0, best - _NAME_INFORMATION) / 3,
        min(said, 20.0) / 16,
        second / 8,
        _compute_title_share(matched, title) * best / 8 if held else 0.0,
        float(prompt.is_pointing),
        math.log10(max(_FEWEST_RECORDS, prompt.size)),
    ]
    return features if semantic is None else [*features, semantic]


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
    words = {
        stem
        for word in re.findall(r"[^\W_]+", title)
        if word.lower() not in SEARCH_STOP_WORDS
        for stem in tokens.list_stems(word)
    }
    held = {stem for term in matched for stem in tokens.list_stems(term)}
    return len(words & held) / len(words) if words else 0.0
