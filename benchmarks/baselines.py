"""The systems that memctl has to beat: counting words, FTS5 as it comes, and FTS5 as well tuned as
it gets without vectors.

Each takes documents and returns a function from a question to the ids of the best documents. They
share no code with memctl but its list of stop words.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence

from benchmarks.haystack import Document
from memctl.text.stop_words import SEARCH_STOP_WORDS

LIMIT = 20
Ranker = Callable[[str], list[str]]
_WORD = re.compile(r"\w+")


def grep(documents: Sequence[Document]) -> Ranker:
    """The most distinct words of the question, in any case; equals in the order they stand in."""
    texts = [(document.id, set(words(document.text))) for document in documents]

    def rank(question: str) -> list[str]:
        asked = set(words(question))
        counted = [(len(asked & held), name) for name, held in texts]
        return [name for count, name in sorted(counted, key=lambda pair: -pair[0]) if count][:LIMIT]

    return rank


def plain_fts5(documents: Sequence[Document]) -> Ranker:
    """FTS5 with its own defaults: unicode61, every word of the question quoted and OR-ed, bm25."""
    return _fts5(((document.id, document.text) for document in documents), "unicode61", words)


def tuned_fts5(documents: Sequence[Document]) -> Ranker:
    """FTS5 with Porter's stemmer, stop words left out of the question, and each document's date in
    its text.
    """
    dated = (
        (document.id, f"{document.text}\n{document.told} {document.day or ''}")
        for document in documents
    )
    return _fts5(dated, "porter unicode61", _telling)


def words(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.lower())


def _telling(question: str) -> list[str]:
    asked = words(question)
    return [word for word in asked if word not in SEARCH_STOP_WORDS] or asked


def _fts5(
    texts: Iterable[tuple[str, str]], tokenizer: str, terms: Callable[[str], list[str]]
) -> Ranker:
    db = sqlite3.connect(":memory:")
    db.execute(
        f"CREATE VIRTUAL TABLE texts USING fts5(name UNINDEXED, text, tokenize = '{tokenizer}')"
    )
    db.executemany("INSERT INTO texts (name, text) VALUES (?, ?)", texts)

    def rank(question: str) -> list[str]:
        match = " OR ".join(f'"{term}"' for term in dict.fromkeys(terms(question)))
        if not match:
            return []
        rows = db.execute(
            "SELECT name FROM texts WHERE texts MATCH ? ORDER BY bm25(texts), rowid LIMIT ?",
            (match, LIMIT),
        )
        return [name for (name,) in rows]

    return rank


BASELINES: dict[str, Callable[[Sequence[Document]], Ranker]] = {
    "grep": grep,
    "plain FTS5": plain_fts5,
    "tuned FTS5": tuned_fts5,
}
