"""Read the phrases of a lexicon, and fold text to the form in which they are looked for. Pure.

Folding keeps where each character stood, so that a reason is quoted as it was typed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from memctl.core.frozen import dataclass
from memctl.extract.lexicons import LEXICONS, Lexicon

_SPELT = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "œ": "oe", "æ": "ae", "’": "'", "‘": "'"}
_SPELT |= {"ة": "ه", "ى": "ي", "ـ": "", "ı": "i", "ł": "l", "đ": "d"}
# The characters of cues that traditional Chinese writes in another way, and how the cues do.
_TRADITIONAL = (
    "們為須應該選擇決後從現開絕對請務換採記總遠這個時暫許規則習慣歡傾嗎麼幫項變棄續遷轉達"
    "確認強問別動嚴準間統來當臨實還過無與並讓給說簡潔覆複結釋訊討厭願較檢運誰裡庫倉錄試寫參"
)
_SIMPLIFIED = (
    "们为须应该选择决后从现开绝对请务换采记总远这个时暂许规则习惯欢倾吗么帮项变弃续迁转达"
    "确认强问别动严准间统来当临实还过无与并让给说简洁复复结释讯讨厌愿较检运谁里库仓录试写参"
)
_SPELT |= dict(zip(_TRADITIONAL, _SIMPLIFIED, strict=True))
_TONAL = "vi"
_UNSPACED = frozenset({"zh", "ja", "ko"})
# Between the two parts of a phrase: some words of one clause.
_GAP = r"[^.!?;,।。！？；，、]{1,48}?"
# The signs of Devanagari are no letters to a pattern, but parts of words.
_HINDI_PART = "[\\w\u0900-\u0963]"
_ARABIC_JOINED = "(?<![\u0621-\u064a])(?:[وفلبك]|ال|وال|بال|لل)?"


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text as phrases match it, and for each of its characters the place in the text."""

    text: str
    places: Sequence[int]

    def unfold(self, original: str, start: int, end: int) -> str:
        """The part of the original text that stands at two places of the folded one."""
        last = self.places[end] if end < len(self.places) else len(original)
        return original[self.places[start] : last] if start < len(self.places) else ""


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    if char.isspace():
        return " "
    if char in _SPELT:
        return _SPELT[char]
    if char.isascii() or "\u3040" <= char <= "\ud7a3":
        return char.lower()
    small = unicodedata.normalize("NFKD", char.lower())
    folded = "".join(c for c in small if not unicodedata.combining(c))
    return "".join(_SPELT.get(c, c) for c in folded)


def fold_phrases(text: str, code: str = "") -> FoldedText:
    """Fold a text to small letters without accents, each run of blanks to one blank.

    In Vietnamese (`vi`) the accents stay: without them, `đừng` (do not) is `dùng` (use).
    """
    if code == _TONAL:
        return _fold_case(text)
    letters: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        small = _SPELT.get(char.lower())
        folded = small if small is not None else _fold_char(char)
        if folded == " " and letters and letters[-1] == " ":
            continue
        letters += folded
        places += [at] * len(folded)
    return FoldedText("".join(letters), places)


def _fold_case(text: str) -> FoldedText:
    letters: list[str] = []
    places: list[int] = []
    for at, char in enumerate(unicodedata.normalize("NFC", text)):
        if char.isspace() and letters[-1:] == [" "]:
            continue
        letters.append(" " if char.isspace() else char.lower()[:1])
        places.append(at)
    return FoldedText("".join(letters), places)


def list_phrases(phrases: str) -> list[str]:
    """The phrases of one field of a lexicon."""
    return [" ".join(one.split()) for one in phrases.split("|") if one.strip()]


@lru_cache(maxsize=512)
def compile_phrases(code: str, phrases: str) -> re.Pattern[str] | None:
    """One pattern for all phrases of a field; None where there are none."""
    sources = [_translate(code, one) for one in list_phrases(phrases)]
    return re.compile("|".join(sources)) if sources else None


def _translate(code: str, phrase: str) -> str:
    folded = fold_phrases(phrase, code).text
    source = re.escape(folded).replace(r"\*", r"\w*").replace(r"\ \~\ ", f" (?:{_GAP} )?")
    source = source.replace(r"\~", _GAP if code in _UNSPACED else f"(?:{_GAP})?")
    # Where no blanks stand between words, those of a phrase may stand together or apart.
    source = source.replace(r"\ ", " ?" if code in _UNSPACED else " ")
    if code in _UNSPACED:
        return source
    if code == "hi":
        return f"(?<!{_HINDI_PART}){source}(?!{_HINDI_PART})"
    left = _ARABIC_JOINED if code == "ar" else r"(?<!\w)"
    return f"{left}{source}" + ("" if folded.endswith("'") else r"(?!\w)")


def _count(text: str, low: str, high: str) -> int:
    return sum(low <= char <= high for char in text)


# What only English has, of the words that stand in a developer's sentences.
_ENGLISH = frozenset(
    """the and to of is it we i you for with not this that be are don't should must always never
    please use if when before our my your it's let's i'm from by at or but because all can will
    only what how why which have has add make run fix they were there then than into let s t now
    here yes ok like commit tests test branch more long short file files code wait just in on as do
    me no so""".split()
)


# Words up to which a text needs no small word to be taken for English.
_FEW_WORDS = 4


def find_language(text: str) -> Lexicon | None:
    """The lexicon of a text's language; None where it is English or has no lexicon."""
    return LEXICONS.get(_find_code(text))


def reads_as_english(text: str) -> bool:
    """Whether a text is in no other known language and, unless it is very short, has a small word
    of English.
    """
    if find_language(text) is not None:
        return False
    words = re.findall(r"[^\W\d_]+", text.lower())
    return len(words) < _FEW_WORDS or any(word in _ENGLISH for word in words)


@lru_cache(maxsize=2048)
def _find_code(text: str) -> str:
    if not text.isascii():
        code = _find_script(text)
        if code:
            return code
    words = re.findall(r"[^\W\d_]+", fold_phrases(text).text)
    best, most = "", 0
    for code, known in _load_words().items():
        count = sum(word in known for word in words)
        if count > most:
            best, most = code, count
    english = sum(word in _ENGLISH and word not in _list_shared(best) for word in words)
    # One small word alone is a name or a piece of code as often as not.
    told = most > max(1, english) or (most == 1 and not english and _is_telling(best, words))
    return best if told else ""


@lru_cache(maxsize=32)
def _list_shared(code: str) -> frozenset[str]:
    return frozenset(LEXICONS[code].shared.split()) if code else frozenset()


def _is_telling(code: str, words: list[str]) -> bool:
    """Whether the one known word among few is a longer one."""
    known = _load_words()[code]
    return len(words) < 6 and any(word in known and len(word) > 3 for word in words)


def _find_script(text: str) -> str:
    """The language that a script of its own gives away."""
    if _count(text, "\u3041", "\u30fa") > 1:
        return "ja"
    letters = max(1, sum(map(str.isalpha, text)))
    for code, low, high, share in (
        ("zh", "\u3400", "\u9fff", 0.1),
        ("ko", "\uac00", "\ud7a3", 0.1),
        ("ru", "\u0400", "\u04ff", 0.3),
        ("ar", "\u0621", "\u064a", 0.3),
        ("hi", "\u0904", "\u0939", 0.3),
    ):
        if _count(text, low, high) >= max(2, share * letters):
            return code
    return ""


# Fields whose longer words tell the language too, as the smallest words do.
_TELLING_FIELDS = ("lasting", "always", "likes", "decides", "uses", "forbids", "duties", "reasons")
_FEWEST_LETTERS = 5
# Of these words some are English as well.
_SHARED = frozenset(
    "general minimum maximum permit prime default interdit serve stale principe standard".split()
)


@lru_cache(maxsize=1)
def _load_words() -> dict[str, frozenset[str]]:
    return {code: _list_telling_words(one) for code, one in LEXICONS.items() if one.words}


def _list_telling_words(lexicon: Lexicon) -> frozenset[str]:
    phrases = " ".join(getattr(lexicon, field) for field in _TELLING_FIELDS)
    longer = re.findall(r"[^\W\d_]+(?![*\w])", fold_phrases(phrases).text)
    telling = {word for word in longer if len(word) >= _FEWEST_LETTERS} - _SHARED
    smallest = {word for word in lexicon.words.split() if len(word) > 1}
    return frozenset(smallest | telling) - _ENGLISH
