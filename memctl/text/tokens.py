"""Turn text into searchable words, the same way for what is stored and what is asked. Pure.

FTS5's unicode61 tokenizer splits at punctuation, so `snake_case`, `a.b.c` and `--flag` are found by
part, and whole as a phrase. What it cannot do is done here: camelCase is also given in parts and
`node.js` as `nodejs`, days are also given as 2026-03-05, and runs of scripts that put no spaces
between words become bigrams. What only other languages than English need is in `languages`.
`list_stems` repeats what the index's tokenizer does (unicode61, then Porter), so that a result can
say which words it matched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby
from types import ModuleType

from memctl.core.lazy_pattern import compile_later
from memctl.text.language_hints import FOREIGN_WORDS, GERMAN_ENDINGS
from memctl.text.porter import stem
from memctl.text.stop_words import SEARCH_STOP_WORDS

# Changes whenever `index_text` gives something else than before: an index made by another version
# has to be built anew.
VERSION = 2

# Scripts written without spaces (and Korean, whose particles cling): kana, Han, Hangul, Thai, Lao,
# Myanmar, Khmer. Ranges of code points and not a pattern: compiling that one costs a hook more than
# all its searching. Ideographs from 0x28000 stand for signs: see `languages`.
_UNSPACED = (
    (0x0E01, 0x0E4E),
    (0x0E81, 0x0ECE),
    (0x0EDC, 0x0EDF),
    (0x1000, 0x103F),
    (0x1050, 0x109F),
    (0x1780, 0x17D3),
    (0x3041, 0x30FA),
    (0x30FC, 0x30FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0x20000, 0x27FFF),
    (0x28800, 0x3FFFF),
)
# The patterns that hardly a question needs are compiled when one does.
_WORD = compile_later(r"[^\W_]+(?:(?:(?:::|->|[^\w\s])_*|_+)[^\W_]+)*")
_TOKEN = compile_later(r"[^\W_]+")
_MIXED = r"\b[A-Za-z]\w*"
# A word with a capital letter behind a small one.
_INNER_CAPITAL = r"\b[A-Za-z0-9]*[a-z][A-Z]\w*"
# What parts words and is no ASCII.
_SIGN = r"[^\w\s\x00-\x7f]"
_CAMEL = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+"
# `node.js`, `dry-run`: the parts are also written together.
_JOINED = r"(?<!\w)(?<!\w[-.])([A-Za-z]{2,12})[-.]([A-Za-z]{2,12})(?![\w-]|\.\w)"
# `v1.2.3` is asked for as `1.2.3`, `0x80070005` as `80070005`.
_PREFIX = r"\b(?:[vV](?=\d+\.\d)|0[xX](?=[0-9a-fA-F]{4}))"
# Porter takes `deployments` to `deploy` but `deploy` to `deploi`; such words are given in both
# forms.
_YMENT = r"\b([A-Za-z]{2,20}y)ments?\b"
_NUMBERED_DAY = r"\d[-/.]\d|\d ?[年月년월]"
_ASCII_NUMBERED_DAY = r"(?a:\d[-/.]\d)"
# Every name of a month that `dates` knows has one of these in it.
_MONTH_HINTS = tuple(
    """jan feb fev fév mar mär mrz maa apr abr avr may mai mag mei jun jui giu jul lug aug ago aou
    aoû sep set oct okt out ott nov dec déc dez dic ene gen""".split()
)
_POSSESSIVE = ("'s", "’s")
_LONGEST_WORD = 64
# Of a long question, in which something was pasted, the beginning and the end say what is asked.
_LONGEST_QUESTION = 8000
_LONGEST_END = 2000
# How many terms are looked for, and how many of them come from the end of the text.
MOST_TERMS = 48
_LAST_TERMS = 16

# Of a run of characters without blanks: the names in it with their parts, the pairs that it joins
# by a sign, what follows a prefix, and its marks.
_IndexedWord = tuple[
    tuple[tuple[str, list[str]], ...], tuple[tuple[str, str], ...], tuple[str, ...], str
]

# Words (as Porter stems) that prompts to a coding agent are full of: they say that something is to
# be done, hardly to what.
COMMON_STEMS = frozenset(
    """add ahead alreadi also anoth app applic argument bug build call chang check class code
    comment compar compil convert correct creat current data describ differ easi edit error everi
    exampl explain fail file find finish first fix format function gener give go good help implement
    improv input instead issu know like line list load look loop make mean method name new next
    number object on open output paramet part possibl print problem program project put question
    quick read refactor remov renam result return rewrit right run save sai script see set short
    show simpl simplifi someth start step still string sure task tell test text thing think time
    todai togeth tri two type updat us valu variabl wai well whole word work write wrong
    yesterdai""".split()
)


def build_index_text(text: str) -> str:
    """The text as it goes into the index.

    It is folded, with unspaced runs as bigrams; then come the parts of its words and the days that
    it names.
    """
    plain = _normalise(text)
    spaced = _spread_unspaced(plain, _list_index_bigrams)
    told = [found for word in spaced.split() if (found := _read_indexed_word(word))]
    mixed = {name: parts for of_word, *_ in told for name, parts in of_word}
    parts = [part for of_name in mixed.values() for part in of_name] + _list_yment_stems(spaced)
    joined = dict.fromkeys(pair for _, pairs, *_ in told for pair in pairs)
    parts += [first + second for first, second in joined]
    parts += [word for _, _, behind, _ in told for word in behind]
    marks = {mark for *_, marks in told for mark in marks}
    if marks.issuperset("1d") or not text.isascii():
        parts += [day for _, _, days in _find_dates(plain) for day in days if day not in plain]
    if "f" in marks or not text.isascii():
        parts += _list_foreign_spellings(text, spaced)
    return spaced + ("\n" + " ".join(parts) if parts else "")


def build_turn_text(text: str) -> str:
    """The text of a captured turn as it goes into its index: folded, with unspaced runs as bigrams
    and the parts of camelCase words.

    What else a record's text gets costs 25 times as much, and there are many more turns.
    """
    spaced = _spread_unspaced(_normalise(text), _list_index_bigrams)
    mixed = dict.fromkeys(_compile(_INNER_CAPITAL).findall(spaced))
    parts = [part for word in mixed for part in split_camel_case(word)]
    return spaced + ("\n" + " ".join(parts) if parts else "")


def split_term(term: str) -> tuple[list[str], bool]:
    """The words of a term in order, as the index takes them, and whether the last only begins
    one.
    """
    bare, begins = _read_term(term)
    return _TOKEN.findall(bare), begins


def _read_indexed_word(word: str) -> _IndexedWord | None:
    """What a run of characters without blanks adds to the index; None if nothing."""
    if len(word) > _LONGEST_WORD:
        return _read_word.__wrapped__(word)
    return _read_word(word)


@lru_cache(maxsize=16384)
def _read_word(word: str) -> _IndexedWord | None:
    mixed = [name for name in _compile(_MIXED).findall(word) if not name.islower()]
    split = tuple([(name, parts) for name in mixed if (parts := split_camel_case(name))])
    joined = tuple(_compile(_JOINED).findall(word))
    ends = [match.end() for match in _compile(_PREFIX).finditer(word)]
    behind = tuple([each for end in ends for each in _find_first(word[end : end + _LONGEST_WORD])])
    found = split, joined, behind, _mark_word(word)
    return found if any(found) else None


def _mark_word(word: str) -> str:
    """`1` for a word with a digit, `d` for one that may be of a day, `f` for a foreign one."""
    lower = word.lower()
    marks = "1" if any(map(str.isdigit, word)) else ""
    if _has_day(word, lower):
        marks += "d"
    return marks + ("" if FOREIGN_WORDS.isdisjoint(_TOKEN.findall(lower)) else "f")


def _find_first(text: str) -> list[str]:
    return _WORD.findall(text)[:1]


def extract_query_terms(text: str) -> list[str]:
    """The words to look for, in order, at most MOST_TERMS.

    Stop words are left out unless nothing else is left. A compound (`snake_case`, `a/b.py`,
    `camelCase`) is a term as a whole, and each of its parts is one too. A day is one term, however
    it is written. A word of another language than English may end in `*`, for whatever ending it
    has.
    """
    if len(text) > _LONGEST_QUESTION:
        text = f"{text[: _LONGEST_QUESTION - _LONGEST_END]} {text[-_LONGEST_END:]}"
    plain, days = _cut_days(_strip_prefixes(_normalise(text)))
    words = dict.fromkeys(days)
    for piece in _spread_unspaced(
        plain if plain.isascii() else _load_languages().strip_question_words(plain),
        _list_query_bigrams,
    ).split():
        for found in _WORD.findall(piece):
            whole = found[:-2] if found.endswith(_POSSESSIVE) else found
            for word in (whole[:_LONGEST_WORD], *_split_compound(whole)):
                words.setdefault(word if _is_mixed(word) else word.lower())
    telling = _keep_telling_words(list(words), text)
    return (
        telling
        if len(telling) <= MOST_TERMS
        else telling[: MOST_TERMS - _LAST_TERMS] + telling[-_LAST_TERMS:]
    )


def _keep_telling_words(words: list[str], text: str) -> list[str]:
    """The words of a text that say something, those of other languages without their endings."""
    kept = [word for word in words if word.lower() not in SEARCH_STOP_WORDS]
    if (
        text.isascii()
        and FOREIGN_WORDS.isdisjoint(words)
        and not any(word.endswith(GERMAN_ENDINGS) for word in words)
    ):
        return kept or words
    languages = _load_languages()
    code = languages.detect_language(map(str.lower, words), SEARCH_STOP_WORDS, text)
    kept = [word for word in kept if not languages.is_stop_word(word.lower(), code)]
    return [
        languages.unfold_text(languages.cut_ending(word, code))
        for word in dict.fromkeys(kept or words)
    ]


def is_foreign(text: str) -> bool:
    """Is a text in Latin letters in another language than English, by its words and letters?"""
    words = [word.lower() for word in _TOKEN.findall(_normalise(text[:_LONGEST_QUESTION]))]
    if text.isascii() and FOREIGN_WORDS.isdisjoint(words):
        return False
    return _load_languages().detect_language(words, SEARCH_STOP_WORDS, text) is not None


def build_match_expression(terms: list[str]) -> str:
    """An FTS5 query that any of the terms satisfies.

    Every term is quoted, so that no query can be a syntax error.
    """
    return " OR ".join(quote_term(term) for term in terms)


def quote_term(term: str) -> str:
    """One term as an FTS5 string.

    One unit of an unspaced script matches every bigram that it begins, `*` whatever ends the word.
    """
    bare, begins = _read_term(term)
    text = '"' + bare.replace('"', '""').replace("\0", " ") + '"'
    return text + "*" if begins else text


def _read_term(term: str) -> tuple[str, bool]:
    """A term as the index writes it, and whether it only begins a word."""
    bare = _normalise(term)
    if len(bare) > 1 and bare.endswith("*"):
        return bare[:-1], True
    return bare, bool(bare) and _is_unspaced(bare[0]) and len(_split_units(bare)) == 1


def split_camel_case(word: str) -> list[str]:
    """The parts of a camelCase word in lower case; empty for a word that has only one."""
    if word.islower() or word.isupper() or not word.isascii() or len(word) > _LONGEST_WORD:
        return []
    parts = [part.lower() for part in _compile(_CAMEL).findall(word)]
    return [part for part in parts if len(part) > 1] if len(parts) > 1 else []


def list_words(text: str) -> list[str]:
    """The tokens of a text in lower case, as they are written."""
    return _TOKEN.findall(text.lower())


def fold_word(word: str) -> str:
    """A word in lower case without its diacritics, `ß` as `ss`."""
    return _fold_text(word).replace("ß", "ss")


def list_stems(text: str) -> list[str]:
    """The tokens of a text as the index holds them: folded, without diacritics, Porter-stemmed."""
    return [stem(token) for token in _TOKEN.findall(_fold_text(text))]


def find_matching_terms(terms: list[str], indexed: str) -> list[str]:
    """Those of the terms that an indexed text holds, a compound only as a phrase."""
    phrases, heads, first_letters = _read_phrases(tuple(terms))
    tokens = _TOKEN.findall(_fold_text(indexed))
    # The stemmer leaves the first two letters of all but the shortest words alone, and the first
    # one of these; the others need not be stemmed.
    held = {
        stem(token)
        for token in set(tokens)
        if token[:2] in heads or (len(token) < 5 and token[0] in first_letters)
    }
    near = [
        term
        for term, phrase, words in phrases
        if words and (phrase[-1] != " " or held.issuperset(words))
    ]
    if held.issuperset(map(_strip_phrase, near)):
        return near
    text = f" {' '.join(map(stem, tokens))} "
    return [term for term in near if _to_phrase(term) in text]


@lru_cache(maxsize=16)
def _read_phrases(
    terms: tuple[str, ...],
) -> tuple[list[tuple[str, str, list[str]]], set[str], set[str]]:
    """Terms with their phrases of stems and the stems of these; the two letters and the one that
    stems begin with.
    """
    phrases = [(term, phrase, phrase.split()) for term in terms for phrase in (_to_phrase(term),)]
    heads = {word[:2] for _, _, words in phrases for word in words}
    return phrases, heads, {head[0] for head in heads}


@lru_cache(maxsize=512)
def _strip_phrase(term: str) -> str:
    return _to_phrase(term).strip()


def is_common(term: str) -> bool:
    """Is a term one that nearly every prompt holds?"""
    return (
        len(term) <= 1
        or term.lower() in SEARCH_STOP_WORDS
        or _to_phrase(term).strip() in COMMON_STEMS
    )


def find_compounds(terms: list[str]) -> list[str]:
    """Those of the terms that are compounds of several tokens, all of which are terms too."""
    single = {phrase for term in terms if " " not in (phrase := _to_phrase(term).strip())}
    return [
        term
        for term in terms
        if " " in (phrase := _to_phrase(term).strip()) and single.issuperset(phrase.split())
    ]


@lru_cache(maxsize=512)
def _to_phrase(term: str) -> str:
    """A term as it stands in a text of stems, between spaces.

    It has no last space if it only begins a word.
    """
    bare, begins = _read_term(term)
    words = f" {' '.join(list_stems(bare))}"
    return words if begins else words + " "


def _fold_text(text: str) -> str:
    return text.lower() if text.isascii() else "".join(map(_fold_char, text))


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    """One character in lower case without its diacritics, as unicode61 folds it."""
    if char.isascii() or _is_unspaced(char):
        return char.lower()
    if char == "ς":
        return "σ"
    import unicodedata  # here, because plain ASCII has no need of its tables

    return "".join(
        part
        for part in unicodedata.normalize("NFD", char.lower())
        if not unicodedata.combining(part)
    )


@lru_cache(maxsize=16)
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _normalise(text: str) -> str:
    if text.isascii():
        return text
    languages = _load_languages()
    folded = str(languages.strip_articles(languages.fold_text(text)))
    return _compile(_SIGN).sub(_blank_if_new, folded)


def _blank_if_new(sign: re.Match[str]) -> str:
    """A blank for a sign that SQLite's tables may be too old for: it would take it for a letter
    (`₽`, many emoji).
    """
    return " " if _load_languages().is_new_sign(sign[0]) else sign[0]


def _load_languages() -> ModuleType:
    from memctl.text import (
        languages,  # here, because most of what is asked in English has no need of it
    )

    return languages


def _find_dates(text: str) -> list[tuple[int, int, tuple[str, ...]]]:
    if not _may_name_a_day(text):
        return []
    from memctl.text import dates  # here, because its pattern takes long to compile

    return dates.find_dates(text)


def _strip_prefixes(text: str) -> str:
    return _compile(_PREFIX).sub("", text) if any(map(str.isdigit, text)) else text


def _may_name_a_day(text: str) -> bool:
    return any(map(str.isdigit, text)) and _has_day(text, text.lower())


def _has_day(text: str, lower: str) -> bool:
    """Whether a text holds what the name of a month begins with, or two numbers as of a day."""
    pattern = _ASCII_NUMBERED_DAY if text.isascii() else _NUMBERED_DAY
    # A list, because a generator takes twice as long over so many short searches.
    hints = [hint for hint in _MONTH_HINTS if hint in lower]
    return bool(hints) or bool(_compile(pattern).search(text))


def _cut_days(text: str) -> tuple[str, list[str]]:
    """A folded text without the days that it names, and these."""
    found = _find_dates(text)
    for start, end, _ in reversed(found):
        text = f"{text[:start]} {text[end:]}"
    return text, [day for _, _, days in found for day in days]


def _list_foreign_spellings(text: str, spaced: str) -> list[str]:
    if text.isascii() and FOREIGN_WORDS.isdisjoint(_TOKEN.findall(spaced.lower())):
        return []
    words = dict.fromkeys(
        word.lower() for word in _TOKEN.findall(spaced) if word.isascii() and word.isalpha()
    )
    is_plain = text.isascii() or not any(char > "\x7f" and char.isalpha() for char in text)
    if is_plain and FOREIGN_WORDS.isdisjoint(words):
        return []
    return list(_load_languages().list_index_spellings(text, words, SEARCH_STOP_WORDS))


def _split_compound(word: str) -> list[str]:
    """The pieces of a compound word, and the camelCase parts of each."""
    pieces = _TOKEN.findall(word)
    whole = [] if len(pieces) < 2 else [piece for piece in pieces if len(piece) > 1]
    parts = [
        part
        for piece in pieces
        for part in (*([piece] if piece in whole else []), *split_camel_case(piece))
    ]
    return [part[:_LONGEST_WORD] for part in (*parts, *_list_yment_stems(word))]


def _list_yment_stems(text: str) -> list[str]:
    return _compile(_YMENT).findall(text) if "yment" in text.lower() else []


def _is_mixed(word: str) -> bool:
    return not (word.islower() or word.isupper() or word.istitle())


def _spread_unspaced(text: str, parts: Callable[[str], list[str]]) -> str:
    """The text with every unspaced run given in parts between spaces."""
    if text.isascii():
        return text
    return "".join(
        f" {' '.join(parts(''.join(run)))} " if unspaced else "".join(run)
        for unspaced, run in groupby(text, _is_unspaced)
    )


@lru_cache(maxsize=4096)
def _is_unspaced(char: str) -> bool:
    return not char.isascii() and any(first <= ord(char) <= last for first, last in _UNSPACED)


def _split_units(run: str) -> Sequence[str]:
    """What a run of an unspaced script is made of.

    Characters, and in alphabets what is written around one consonant.
    """
    return run if min(run) >= "\u3041" else _load_languages().split_clusters(run)


def _join_pairs(run: str, last: int) -> list[str]:
    units = _split_units(run)
    count = max(1, len(units) - last)
    if isinstance(units, str):
        return [units[i : i + 2] for i in range(count)]
    return ["".join(units[i : i + 2]) for i in range(count)]


def _list_query_bigrams(run: str) -> list[str]:
    return _join_pairs(run, 1)


def _list_index_bigrams(run: str) -> list[str]:
    """Every pair of neighbours, and the last one alone, so that each begins some entry."""
    return _join_pairs(run, 0)
