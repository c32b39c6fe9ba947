"""WordPiece over BERT's uncased vocabulary: text to token numbers, as the built-in model was trained to see it.

Controls and lone surrogates vanish, accents too; every punctuation mark and every CJK character stands alone; a word that the vocabulary
cannot spell, or of more than 100 characters, is [UNK]. Any text gives between 2 and `CUT` tokens, in time bounded by `CHARACTERS`.
"""

from __future__ import annotations

import re
from pathlib import Path

CUT = 256
# A text is read so far: 254 tokens are about 1,000 characters of prose.
CHARACTERS = 16_384
VOCABULARY = Path(__file__).with_name("vocab.txt")
UNKNOWN, START, END = 100, 101, 102
_LONGEST_WORD = 100
# Controls, formats, surrogates and private use; not what is merely unassigned, which differs from one Python to the next.
_DROPPED = {"Cc", "Cf", "Cs", "Co"}

_ASCII_WORDS = re.compile(r"[a-z0-9]+|[^ a-z0-9]")
_ASCII_SPACES = {ord(c): " " for c in "\t\n\r"}
_ASCII_CLEAN = dict.fromkeys((*range(32), 127)) | _ASCII_SPACES


class WordPiece:
    """The vocabulary, held as a dictionary."""

    def __init__(self, path: Path = VOCABULARY) -> None:
        self._numbers = {word: number for number, word in enumerate(path.read_bytes().decode().split("\n")[:-1])}

    def encode(self, text: str) -> list[int]:
        """Token numbers with [CLS] before and [SEP] after, at most `CUT`."""
        tokens = [START]
        for word in words(text[:CHARACTERS]):
            tokens += self._pieces(word)
            if len(tokens) >= CUT - 1:
                break
        return [*tokens[: CUT - 1], END]

    def _pieces(self, word: str) -> list[int]:
        """The longest known pieces from the left; [UNK] for the whole word where any part is not known."""
        if len(word) > _LONGEST_WORD:
            return [UNKNOWN]
        pieces, start, mark = [], 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._numbers.get(mark + word[start:end])
                if number is not None:
                    break
            else:
                return [UNKNOWN]
            pieces.append(number)
            start, mark = end, "##"
        return pieces


def words(text: str) -> list[str]:
    """The words and marks of a text, in lower case and without accents."""
    if text.isascii():
        return _ASCII_WORDS.findall((text if text.isprintable() else text.translate(_ASCII_CLEAN)).lower())
    return _any_words(text)


def _any_words(text: str) -> list[str]:
    import unicodedata

    spaced = text.translate({ord(c): new for c in set(text) if (new := _cleaned(c, unicodedata.category(c))) != c})
    plain = unicodedata.normalize("NFD", spaced)
    # Letter by letter, so that a sigma at a word's end stays one.
    lower = plain.translate({ord(c): None for c in set(plain) if unicodedata.category(c) == "Mn"}).replace("Σ", "σ").lower()
    return lower.translate({ord(c): f" {c} " for c in set(lower) if _is_mark(c, unicodedata.category(c))}).split(" ")


def _cleaned(c: str, category: str) -> str | None:
    """What stands for a character: nothing, a space, itself, or itself apart."""
    if c in "\t\n\r":
        return " "
    if category in _DROPPED or c == "\ufffd":
        return None
    if category[0] == "Z":
        return " "
    return f" {c} " if _is_ideograph(ord(c)) else c


def _is_ideograph(code: int) -> bool:
    return (
        0x4E00 <= code <= 0x9FFF
        or 0x3400 <= code <= 0x4DBF
        or 0xF900 <= code <= 0xFAFF
        or 0x20000 <= code <= 0x2A6DF
        or 0x2A700 <= code <= 0x2B81F
        or 0x2B820 <= code <= 0x2CEAF
        or 0x2F800 <= code <= 0x2FA1F
    )


def _is_mark(c: str, category: str) -> bool:
    return category[0] == "P" or (c.isascii() and not c.isalnum() and c != " ")
