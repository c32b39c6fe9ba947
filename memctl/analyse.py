"""How text becomes searchable words, the same way for what is stored and for what is asked. Pure.

FTS5's unicode61 tokenizer splits at punctuation, so `snake_case`, `a.b.c` and `--flag` are found by part, and whole as a phrase.
What it cannot do is done here: camelCase is also given in parts, and runs of scripts that put no spaces between words become bigrams.
"""

from __future__ import annotations

import re

# Scripts written without spaces (and Korean, whose particles cling): kana, Han, Hangul, Thai, Lao, Myanmar, Khmer.
_UNSPACED = re.compile(
    "[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ede\u1000-\u109f\u1780-\u17d3\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_WORD = re.compile(r"[^\W_]+(?:[^\w\s]?_*[^\W_]+)*", re.UNICODE)
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LONGEST_WORD = 64
MOST_TERMS = 48

STOP_WORDS = frozenset(
    """a about above after again against all am an and any are aren as at be because been before being below between both but by can
    could couldn did didn do does doesn doing don down during each few for from further had hadn has hasn have haven having he her here
    hers herself him himself his how i if in into is isn it its itself just ll m me might more most must my myself no nor not now o of
    off on once only or other our ours ourselves out over own re s same shall she should shouldn so some such t than that the their
    theirs them themselves then there these they this those through to too under until up us ve very was wasn we were weren what when
    where which while who whom why will with won would wouldn y you your yours yourself yourselves please let lets want need get got
    okay ok yes hi hello thanks thank""".split()
)


def index_text(text: str) -> str:
    """The text as it goes into the index: unspaced runs as bigrams, camelCase words followed by their parts."""
    spaced = _UNSPACED.sub(lambda run: f" {' '.join(_bigrams(run.group()))} ", text)
    parts = [part for word in dict.fromkeys(re.findall(r"\b[A-Za-z]+\d*[A-Z]?\w*\b", spaced)) for part in camel_parts(word)]
    return spaced + ("\n" + " ".join(parts) if parts else "")


def query_terms(text: str) -> list[str]:
    """The words to look for, in order, without stop words (unless nothing else is left); at most MOST_TERMS."""
    words: dict[str, None] = {}
    for piece in _UNSPACED.sub(_bigram_words, text).split():
        for match in _WORD.finditer(piece):
            words.setdefault(match.group()[:_LONGEST_WORD])
            for part in camel_parts(match.group()):
                words.setdefault(part)
    kept = [word for word in words if word.casefold() not in STOP_WORDS]
    return (kept or list(words))[:MOST_TERMS]


def match_expression(terms: list[str]) -> str:
    """An FTS5 query that any of the terms satisfies; every term is quoted, so no query string can be a syntax error."""
    return " OR ".join(quoted(term) for term in terms)


def quoted(term: str) -> str:
    """One term as an FTS5 string; a single unspaced character matches every bigram that it begins."""
    text = '"' + term.replace('"', '""').replace("\0", "") + '"'
    return text + "*" if len(term) == 1 and _UNSPACED.fullmatch(term) else text


def camel_parts(word: str) -> list[str]:
    """The parts of a camelCase word in lower case; empty for a word that has only one."""
    if word.islower() or word.isupper() or not word.isascii() or len(word) > _LONGEST_WORD:
        return []
    parts = [part.lower() for part in _CAMEL.findall(word)]
    return [part for part in parts if len(part) > 1] if len(parts) > 1 else []


def _bigram_words(run: re.Match[str]) -> str:
    text = run.group()
    return f" {' '.join(text[i : i + 2] for i in range(max(1, len(text) - 1)))} "


def _bigrams(text: str) -> list[str]:
    """Every pair of neighbours, and the last character alone, so that each character begins some entry."""
    return [text[i : i + 2] for i in range(len(text))]
