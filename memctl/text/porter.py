"""Porter's stemmer (Program 14:3, 1980), as FTS5 applies it: to words of 3 to 64 bytes. Pure.

The one stemmer of the project: what the index finds, what a search highlights and what two
statements have in common is decided by the same stems.
"""

from __future__ import annotations

from functools import lru_cache

_Step = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]


def _read_step(pairs: str) -> _Step:
    """Read `ending:replacement` words; the endings also apart, so that one test passes most
    words.
    """
    split = tuple(
        (ending, new) for ending, _, new in (pair.partition(":") for pair in pairs.split())
    )
    return tuple(ending for ending, _ in split), split


_STEP2 = _read_step(
    """ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al entli:ent eli:e
    ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al
    iviti:ive biliti:ble"""
)
_STEP3 = _read_step("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
_STEP4 = _read_step(
    "ement: ance: ence: able: ible: ment: ant: ent: ism: ate: iti: ous: ive: ize: al: er: ic: ou:"
)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The Porter stem of one lower-case token; like FTS5 it works on the bytes of UTF-8."""
    if word.isascii():
        return _stem_ascii(word)
    return (
        _stem_ascii(word.encode("utf-8", "replace").decode("latin-1"))
        .encode("latin-1")
        .decode("utf-8", "ignore")
    )


def _stem_ascii(word: str) -> str:
    if not 2 < len(word) <= 64:
        return word
    word = _replace_ending(_apply_step1(word), _STEP2, 0)
    word = _replace_ending(word, _STEP3, 0)
    return _apply_step5(_apply_step4(word))


def _to_shape(word: str) -> str:
    """The word as c and v; a y after a consonant is a vowel."""
    shape = ""
    for char in word:
        shape += "v" if char in "aeiou" or (char == "y" and shape[-1:] == "c") else "c"
    return shape


def _count_turns(word: str) -> int:
    """How many vowel-consonant turns a word has."""
    return _to_shape(word).count("vc")


def _has_vowel(word: str) -> bool:
    return "v" in _to_shape(word)


def _ends_cvc(word: str) -> bool:
    return _to_shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _apply_step1(word: str) -> str:
    if (word.endswith("sses") and len(word) > 4) or (word.endswith("ies") and len(word) > 3):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    word = _strip_past(word)
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _strip_past(word: str) -> str:
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _count_turns(word[:-3]) > 0 else word
    base = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if not base or not _has_vowel(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-2:-1] == base[-1] and base[-1] not in "aeioulsz":
        return base[:-1]
    return base + "e" if _count_turns(base) == 1 and _ends_cvc(base) else base


def _replace_ending(word: str, step: _Step, above: int) -> str:
    endings, pairs = step
    if not word.endswith(endings):
        return word
    ending, new = next(pair for pair in pairs if word.endswith(pair[0]))
    base = word[: -len(ending)]
    return base + new if _count_turns(base) > above else word


def _apply_step4(word: str) -> str:
    if word.endswith("ion"):
        return word[:-3] if word[-4:-3] in ("s", "t") and _count_turns(word[:-3]) > 1 else word
    return _replace_ending(word, _STEP4, 1)


def _apply_step5(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        if _count_turns(base) > 1 or (_count_turns(base) == 1 and not _ends_cvc(base)):
            word = base
    return word[:-1] if word.endswith("ll") and _count_turns(word) > 1 else word
