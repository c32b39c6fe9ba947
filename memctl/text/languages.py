"""Languages other than English: letters, stop words, endings. Pure, and loaded on demand.

What is stored and what is asked are folded alike (`fold_text`): width, accents, optional vowel
points, digits of other scripts. Vowel signs and tone marks of Indic and South-East Asian scripts
are kept, but the index's tokenizer would split at them: each becomes a letter of a block that no
text uses, and `unfold_text` turns it back. Traditional and simplified Chinese stay apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from memctl.core.lazy_pattern import compile_later
from memctl.text import foreign_stop_words
from memctl.text.language_hints import GERMAN_ENDINGS

# Where the signs of spaced scripts (Devanagari to Sinhala) and of unspaced ones (Thai to Khmer) are
# moved: far CJK ideographs.
_SPACED_SIGNS = 0x28000
_UNSPACED_SIGNS = 0x29000
_FIRST_SPACED = 0x0900
_FIRST_UNSPACED = 0x0E00
_LAST = 0x17FF
_OTHER_LETTERS = (
    "ß:ss æ:ae ø:o œ:oe ł:l đ:d ð:d þ:th ı:i ς:σ Æ:AE Ø:O Œ:OE Ł:L Đ:D ى:ي ی:ي ک:ك ۀ:ه ة:ه ٱ:ا"
)
_LETTERS = dict(pair.split(":") for pair in _OTHER_LETTERS.split())
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
# A stroke more makes another letter of these, not an accent.
_WHOLE = frozenset("йЙїЇ")
_COMPATIBLE = (
    (0x3200, 0x33FF),
    (0xF900, 0xFAFF),
    (0xFB00, 0xFDFF),
    (0xFE70, 0xFEFE),
    (0xFF01, 0xFFEE),
)
_NUKTAS = frozenset("\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc")
_HALF = compile_later(
    "[\u1100-\u11ff\uff65-\uff9f]+|[\u3041-\u30ff][\u3099\u309a]|[\u0418\u0438]\u0306"
    "|[\u0406\u0456]\u0308"
)
# What is written around one consonant of Thai, Lao, Khmer or Burmese: a vowel before it, signs,
# what is stacked below, a vowel after it.
_CLUSTER = compile_later(
    "[\u0e40-\u0e44\u0ec0-\u0ec4]?.(?:[\U000291d2\U00029239\U000299d2]."
    "|[\U00029000-\U000299ff\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3])*"
)
_END_SIGNS = compile_later("[\U00028000-\U000284ff]+(?![^\\W_])")
_ARTICLE = compile_later("(?<!\\w)[وف]?(?:ال|بال|كال|لل)(?=[\u0621-\u064a]{3})")


class _Folds(dict[int, str]):
    """What each code point becomes, computed when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold_char(chr(code))
        return folded


_FOLDS = _Folds()


def is_new_sign(char: str) -> bool:
    """Whether a character is a sign that Unicode 3.2 did not have, and no mark on a letter."""
    is_new = unicodedata.ucd_3_2_0.category(char) == "Cn"
    return is_new and unicodedata.category(char) not in ("Mn", "Mc", "Me", "Cn", "Co", "Cs")


def fold_text(text: str) -> str:
    """Fold a text to the one form in which it is compared.

    ASCII stays as it is, and folding twice changes nothing.
    """
    if text.isascii():
        return text
    whole = _HALF.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    return _END_SIGNS.sub("", whole.translate(_FOLDS))


def unfold_text(text: str) -> str:
    """A folded text with its signs as people write them."""
    return text if text.isascii() else "".join(map(_unfold_char, text))


def _unfold_char(char: str) -> str:
    code = ord(char)
    if _UNSPACED_SIGNS <= code <= _UNSPACED_SIGNS + _LAST - _FIRST_UNSPACED:
        return chr(code - _UNSPACED_SIGNS + _FIRST_UNSPACED)
    return (
        chr(code - _SPACED_SIGNS + _FIRST_SPACED)
        if _SPACED_SIGNS <= code < _SPACED_SIGNS + 0x500
        else char
    )


def _fold_char(char: str) -> str:
    code, kind = ord(char), unicodedata.category(char)
    if code < 0x80 or char in _WHOLE:
        return char
    if char in _LETTERS:
        return _LETTERS[char]
    if kind[0] == "M" or kind == "Cf":
        return _fold_sign(char, code, kind)
    if kind == "Nd":
        return str(unicodedata.digit(char))
    if kind[0] == "C" or kind[0] == "Z":
        return " "
    if any(first <= code <= last for first, last in _COMPATIBLE) or kind == "No":
        return unicodedata.normalize("NFKC", char)
    return _strip_accent(char, code)


def _fold_sign(char: str, code: int, kind: str) -> str:
    if char == "\u200b":  # it stands between words where no space does
        return " "
    if (
        kind == "Cf"
        or char in _NUKTAS
        or not _FIRST_SPACED <= code <= _LAST
        or 0x0F00 <= code < 0x1000
    ):
        return ""
    return chr(
        code - _FIRST_UNSPACED + _UNSPACED_SIGNS
        if code >= _FIRST_UNSPACED
        else code - _FIRST_SPACED + _SPACED_SIGNS
    )


def _strip_accent(char: str, code: int) -> str:
    """The letter under an accent; syllables and kana, which also come apart, stay whole."""
    if code > 0x1FFF or 0x0E00 <= code < 0x1E00:
        return char
    apart = unicodedata.normalize("NFD", char)
    is_accented = len(apart) > 1 and all(map(unicodedata.combining, apart[1:]))
    return _LETTERS.get(apart[0], apart[0]) if is_accented else char


def split_clusters(run: str) -> list[str]:
    """Split a folded run of an alphabet without spaces into what is written around one consonant.

    Pairs of single letters would say too little.
    """
    return _CLUSTER.findall(run)


def strip_articles(text: str) -> str:
    """A folded text whose Arabic words stand without the article that is joined to them."""
    return text if text.isascii() else _ARTICLE.sub("", text)


def _spell_umlauts(text: str) -> list[str]:
    """The words of a text that have umlauts, as they are typed without (`ae`, `oe`, `ue`)."""
    if not any(letter in text for letter in "äöüÄÖÜ"):
        return []
    return [
        spelt for word in re.findall(r"\w+", text) if (spelt := word.translate(_UMLAUTS)) != word
    ]


# -- words that say nothing ------------------------------------------------------------------------

# First and last character of scripts.
_KANJI = ("\u3400", "\u9fff")
_HIRAGANA = ("\u3041", "\u309f")
_KATAKANA = ("\u30a0", "\u30ff")


@cache
def _load_stop_words() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    return {
        name: (frozenset(fold_text(own).split()), frozenset(fold_text(shared).split()))
        for name, (own, shared) in foreign_stop_words.STOP_WORDS.items()
    }


@cache
def _list_unambiguous_words() -> frozenset[str]:
    return frozenset(
        word for name in foreign_stop_words.UNAMBIGUOUS for word in _load_stop_words()[name][0]
    )


# Letters that hint at a language as a word of its own does.
_LETTER_HINTS = {
    "de": "äöüßÄÖÜ",
    "es": "ñ¿¡Ñáéíóú",
    "fr": "èêçœùûéà",
    "pt": "ãõáéíóúç",
    "it": "àèìòùé",
}


def detect_language(words: Iterable[str], english: frozenset[str], text: str = "") -> str | None:
    """The language of folded lower-case words, of those written like English, or None.

    It takes two words of that language alone, or one where hardly more are given, or three that it
    shares with others. The letters of the text that the words were taken from count too.
    """
    given = set(words)
    foreign = given - english
    own, shared = {}, {}
    for name in foreign_stop_words.STOP_WORDS.keys() - foreign_stop_words.UNAMBIGUOUS:
        own[name] = len(foreign & _load_stop_words()[name][0]) + any(
            letter in text for letter in _LETTER_HINTS.get(name, "")
        )
        shared[name] = len(foreign & _load_stop_words()[name][1])
    best = max(sorted(own), key=lambda name: (own[name], shared[name]))
    at_home = len((given & english) - _load_stop_words()[best][1] - _load_stop_words()[best][0])
    told = (
        own[best] > 1
        or (own[best] == 1 and (shared[best] or len(given) <= 5))
        or (shared[best] > 2 and not at_home)
    )
    return best if told and own[best] + shared[best] > at_home else None


def is_stop_word(word: str, code: str | None) -> bool:
    """Does a folded lower-case word or bigram say nothing of what is asked?"""
    if code and any(word in words for words in _load_stop_words()[code]):
        return True
    if word.isascii():
        return False
    if len(word) == 2 and word[0] >= "\u3041":
        return _is_stop_bigram(word)
    return word in _list_unambiguous_words() or word in _list_thai_frame_bigrams()


def _is_stop_bigram(pair: str) -> bool:
    first, second = pair[0], pair[1]
    if (
        pair in foreign_stop_words.STOP_BIGRAMS
        or first in foreign_stop_words.STOP_CHARACTERS
        or second in foreign_stop_words.STOP_CHARACTERS
    ):
        return True
    if _is_in_script(first, _HIRAGANA) and (
        _is_in_script(second, _KANJI) or _is_in_script(second, _KATAKANA)
    ):
        return True
    return second in foreign_stop_words.JAPANESE_PARTICLES and not _is_in_script(first, _HIRAGANA)


def _is_in_script(char: str, script: tuple[str, str]) -> bool:
    return script[0] <= char <= script[1]


def strip_question_words(text: str) -> str:
    """A folded question without what only makes it a question.

    That is Korean particles, and Chinese, Korean and Thai question words.
    """
    if any("\uac00" <= char <= "\ud7a3" for char in text):
        text = " ".join(filter(None, map(_strip_particle, text.split())))
    for word in (*foreign_stop_words.HAN_QUESTION_WORDS, *_list_thai_question_words()):
        text = text.replace(word, " ")
    return text


def _strip_particle(word: str) -> str:
    """A Korean word without its particle; empty for one that says nothing."""
    core = word.rstrip("?!.,~")
    if core in foreign_stop_words.KOREAN_STOP_WORDS:
        return ""
    ending = next(
        (
            josa
            for josa in foreign_stop_words.KOREAN_PARTICLES
            if core.endswith(josa) and "\uac00" <= core[-len(josa) - 2 : -len(josa)][:1] <= "\ud7a3"
        ),
        "",
    )
    return core[: len(core) - len(ending)] if ending and len(core) - len(ending) > 1 else word


@cache
def _list_thai_frame_bigrams() -> frozenset[str]:
    units = map(split_clusters, map(fold_text, foreign_stop_words.THAI_FRAME_WORDS))
    return frozenset(
        "".join(word[i : i + 2]) for word in units for i in range(max(1, len(word) - 1))
    )


@cache
def _list_thai_question_words() -> tuple[str, ...]:
    return tuple(map(fold_text, foreign_stop_words.THAI_QUESTION_WORDS))


# -- endings ---------------------------------------------------------------------------------------

_GERMAN = "ungen ung heiten keiten ionen en em es te ten st et e n s t".split()
_ROMANCE = (
    """aciones acion ciones cion ando iendo aron ieron aban amos emos imos ados adas idos
    idas ado ada ido ida ores ar er ir an en as os es a o e s"""
).split()
_RUSSIAN = (
    """иями ями ами ого его ому ему ыми ими иях ях ах ешь ует ают яют ить ать еть ется
    ится ться тся ов ев ей ий ый ой ая яя ое ее ые ие ия ии ию ых их ом ем ым им ет ит ют
    ут ла ло ли ть л ы и а я о е у ю ь й"""
).split()
_ENDINGS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("de", "nl"), tuple(_GERMAN)),
    **dict.fromkeys(("es", "fr", "pt", "it"), tuple(_ROMANCE)),
    "ru": tuple(_RUSSIAN),
}
# Words of so many letters are cut into what may be parts of a compound.
_LEAST_COMPOUND = 10
_LONGEST_COMPOUND = 64
_LEAST_STEM = {"ru": 3}


def cut_ending(word: str, code: str | None) -> str:
    """A folded lower-case word with `*` for the ending that it may have, or as it is."""
    if code is None and "\u0430" <= word[:1] <= "\u045f":
        code = "ru"
    if code is None and word.isascii() and word.endswith(GERMAN_ENDINGS) and len(word) > 7:
        code = "de"
    if code not in _ENDINGS or not word.isalpha() or len(word) < 5:
        return word
    least = _LEAST_STEM.get(code, 4)
    for ending in sorted(_ENDINGS[code], key=len, reverse=True):
        stem = word[: -len(ending)]
        if (
            word.endswith(ending)
            and len(stem) >= least
            and not (ending == "t" and stem.endswith(("h", "s")))
        ):
            return f"{stem}*"
    return f"{word}*"


def list_index_spellings(text: str, words: Iterable[str], english: frozenset[str]) -> list[str]:
    """What else to index of a text.

    Words without umlauts, and of German (or Dutch) the beginnings and ends of long words.
    """
    known = list(words)
    more = _spell_umlauts(text)
    if detect_language(known, english, text) in ("de", "nl"):
        more += [
            cut
            for word in known
            if _LEAST_COMPOUND <= len(word) <= _LONGEST_COMPOUND
            for cut in _list_compound_parts(word)
        ]
    return more


def _list_compound_parts(word: str) -> list[str]:
    """The beginnings and ends of a long German word, any of which may be a word of its own."""
    return [word[:end] for end in range(5, len(word))] + [
        word[start:] for start in range(4, len(word) - 4)
    ]
