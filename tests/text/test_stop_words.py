"""One table of stop words, of which the index depends on one subset."""

from __future__ import annotations

import hashlib

from memctl.text import tokens
from memctl.text.stop_words import COMPARISON_STOP_WORDS, NEGATIONS, SEARCH_STOP_WORDS


def test_what_the_index_skips_changes_only_with_its_version() -> None:
    digest = hashlib.sha256(" ".join(sorted(SEARCH_STOP_WORDS)).encode()).hexdigest()
    assert (tokens.VERSION, digest) == (
        2,
        "8fe1079a016d8072549f51bc40d48262359fcaac02030023c81b36d2a8e65909",
    )


def test_a_comparison_skips_no_negation_and_no_condition() -> None:
    assert COMPARISON_STOP_WORDS.isdisjoint(NEGATIONS)
    assert COMPARISON_STOP_WORDS.isdisjoint({"before", "after", "only", "once", "until", "if"})
