"""Split text into WordPiece tokens of BERT's uncased vocabulary, as the model was trained.

Controls, lone surrogates and accents vanish. Every punctuation mark and every CJK character is a
word. A word that the vocabulary cannot spell, or of more than 100 characters, is [UNK]. Any text
gives between 2 and `CUT` tokens, in time bounded by `CHARACTERS`.
"""

from __future__ import annotations

import os

# Tokens of a text at most: the length that the model was trained with.
CUT = 256
# Characters of a text that are read: 254 tokens are about 1,000 characters of prose.
CHARACTERS = 16_384
# The vocabulary: `word number` lines in the order of the words' bytes.
WORDS = os.path.join(os.path.dirname(__file__), "words.txt")
# Token numbers of [UNK], [CLS] and [SEP] in that vocabulary.
UNKNOWN = 100
START = 101
END = 102
# Characters; a longer word is [UNK], as in the tokenizer that the model was trained with.
_LONGEST_WORD = 100
# Words whose pieces are remembered at most: a few megabytes.
_MOST_REMEMBERED = 50_000
# Controls, formats, surrogates and private use. Unassigned characters stay, because what is
# unassigned differs from one Python to the next.
_DROPPED = {"Cc", "Cf", "Cs", "Co"}
_SPACES = "\t\n\r"
# For texts of ASCII alone: no controls, lower case, marks apart.
_ASCII = {
    code: chr(code).lower() if chr(code).isalnum() or code == 32 else f" {chr(code)} "
    for code in range(32, 127)
}
_ASCII |= dict.fromkeys((*range(32), 127)) | {ord(c): " " for c in _SPACES}


class WordPiece:
    """The vocabulary, searched in its file.

    A dictionary of 30,000 words would cost more than everything else that a query takes.
    """

    def __init__(self) -> None:
        with open(WORDS, "rb") as file:
            self._lines = file.read()
        self._remembered: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """Return token numbers with [CLS] before and [SEP] after, at most `CUT`."""
        tokens = [START]
        for word in split_words(text[:CHARACTERS]):
            tokens += self._remembered.get(word) or self._learn_word(word)
            if len(tokens) >= CUT - 1:
                break
        return [*tokens[: CUT - 1], END]

    def find_whole(self, word: str) -> int:
        """Return the number of a word that the vocabulary has as a whole; 0 if it has not."""
        found, number = self._find_last_until(word.encode())
        return int(number) if found == word.encode() else 0

    def _learn_word(self, word: str) -> list[int]:
        if len(self._remembered) >= _MOST_REMEMBERED:
            self._remembered.clear()
        pieces = self._remembered[word] = (
            [UNKNOWN] if len(word) > _LONGEST_WORD else self._split_into_pieces(word.encode())
        )
        return pieces

    def _split_into_pieces(self, word: bytes) -> list[int]:
        """Return the longest known pieces from the left; [UNK] if any part is not known."""
        pieces: list[int] = []
        start, mark = 0, b""
        while start < len(word):
            size, number = self._find_longest(mark + word[start:])
            if size <= len(mark):
                return [UNKNOWN]
            pieces.append(number)
            start, mark = start + size - len(mark), b"##"
        return pieces

    def _find_longest(self, rest: bytes) -> tuple[int, int]:
        """Return length and number of the longest word that `rest` begins with; length 0 for none.

        That word also begins the last word that does not sort behind `rest`, so the prefix that
        these two share is the next to look for.
        """
        while rest:
            word, number = self._find_last_until(rest)
            if word == rest:
                return len(word), int(number)
            rest = _find_common_prefix(word, rest)
        return 0, UNKNOWN

    def _find_last_until(self, wanted: bytes) -> tuple[bytes, bytes]:
        """Return the last word, with its number, that does not sort behind the wanted one.

        Both are empty if all do.
        """
        lines, low, high = self._lines, 0, len(self._lines)
        found = b"", b""
        while low < high:
            start = lines.rfind(b"\n", low, (low + high) // 2) + 1 or low
            end = lines.index(b"\n", start)
            word, _, number = lines[start:end].partition(b" ")
            if word <= wanted:
                low, found = end + 1, (word, number)
            else:
                high = start
        return found


def _find_common_prefix(one: bytes, other: bytes) -> bytes:
    """Return the prefix that both share."""
    size = min(len(one), len(other))
    while one[:size] != other[:size]:
        size -= 1
    return one[:size]


def split_words(text: str) -> list[str]:
    """List the words and marks of a text, in lower case and without accents."""
    return (text.translate(_ASCII) if text.isascii() else _split_unicode(text)).split()


def _split_unicode(text: str) -> str:
    import unicodedata

    spaced = text.translate(
        {
            ord(c): new
            for c in set(text)
            if (new := _clean_character(c, unicodedata.category(c))) != c
        }
    )
    plain = unicodedata.normalize("NFD", spaced)
    # Letter by letter, so that a sigma at a word's end stays one.
    lower = (
        plain.translate({ord(c): None for c in set(plain) if unicodedata.category(c) == "Mn"})
        .replace("Σ", "σ")
        .lower()
    )
    return lower.translate(
        {ord(c): f" {c} " for c in set(lower) if _is_mark(c, unicodedata.category(c))}
    )


def _clean_character(c: str, category: str) -> str | None:
    """Return what replaces a character: nothing, a blank, itself, or itself between blanks."""
    if c in _SPACES:
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
