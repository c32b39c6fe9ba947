"""A screen of words chooses the very rules that a look at each whole text chooses."""

from __future__ import annotations

import random
import re

from corpus import LOOK_ALIKES, SECRETS
from drawing import sample

from memctl.redact.secret_replacer import ALL_RULES, RuleSelection, select_rules
from memctl.redact.word_screen import WordScreen, narrow_to_text, split_by_quotes

NO_WORD = re.compile(r"(?!)")
EMPTY = RuleSelection((), (), ())


def choose_by_words(texts: list[str]) -> list[RuleSelection]:
    marked = WordScreen(NO_WORD).find_marked(texts)
    return [narrow_to_text(marked.get(place, EMPTY), text) for place, text in enumerate(texts)]


def test_the_words_of_known_secrets_and_look_alikes_choose_the_rules_of_the_whole_text() -> None:
    texts = [
        *(sample(each, "screen").text for each in (*SECRETS.values(), *LOOK_ALIKES.values())),
        '{"d":"x","auth":"y"}',
        'variable "db"',
        "-----BEGIN KEY-----",
    ]
    assert choose_by_words(texts) == [select_rules([text]) for text in texts]


def test_anchors_amid_other_text_choose_the_same_rules() -> None:
    draw = random.Random(5)
    anchors = [gate[2].decode() for gates in _list_gates() for gate in gates]
    parts = [*anchors, " ", '"', "\n", "word", "a" * 20, ",", "é", ":", "0123456789abcdef"]
    texts = ["".join(draw.choices(parts, k=6)) for _ in range(2000)]
    assert choose_by_words(texts) == [select_rules([text]) for text in texts]


def test_every_anchor_has_a_part_that_stands_inside_of_one_word() -> None:
    for gates in _list_gates():
        for _, _, anchor in gates:
            assert max(map(len, split_by_quotes(anchor.decode()))) > 0


def _list_gates() -> tuple[tuple[tuple[int, object, bytes], ...], ...]:
    return ALL_RULES.tokens, ALL_RULES.shapes, ALL_RULES.folded
