"""Tells prose, which may be somebody's notes, from data, code and logs."""

from __future__ import annotations

from pathlib import PurePath

from memctl.core.lazy_pattern import compile_later

_ENDINGS = frozenset({"", ".txt", ".text", ".md", ".markdown", ".rst", ".org", ".adoc", ".note"})
# Characters with which data and markup begin.
_DATA_STARTS = ("{", "[", "<", "%PDF", "#!")
_CONTROL = compile_later(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
# A letter of a script that is written without spaces is a word.
_WORD = compile_later(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|[^\W\d_](?:[^\W_]|['’-]){0,40}"
)
# Lines of programs: logs begin with a time, a level or a mark; code ends with a sign.
_LOGGED = compile_later(
    r"[\[(]?(?:\d{4}[-/.]\d\d|\d\d:\d\d:\d\d)|[\[(]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b|[$>+@]|---"
    r"|\s+at |Traceback "
)
_CODED = compile_later(
    r".*[;{}(\[=\\]$|\s*(?:import|from|def|class|return|const|let|var|if|for)\b.*[:;()]$"
)
# Words of a statement, at least; and the part of the lines that may be a program's.
_FEWEST_WORDS = 3
_MOST_OTHER = 0.3


def is_prose(head: bytes, name: str) -> bool:
    """Return whether a text, by its first bytes and its name, is written by a person in words."""
    if PurePath(name).suffix.lower() not in _ENDINGS:
        return False
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The last character may be cut off.
        if error.start < len(head) - 4:
            return False
        text = head[: error.start].decode("utf-8-sig")
    text = text.replace("\r\n", "\n").strip()
    if not text or text.startswith(_DATA_STARTS) or _CONTROL.search(text):
        return False
    lines = [line for line in text.split("\n") if line.strip()]
    other = sum(bool(_LOGGED.match(line) or _CODED.fullmatch(line[:400])) for line in lines)
    wordy = sum(len(_WORD.findall(line[:2000])) >= _FEWEST_WORDS for line in lines)
    return wordy > 0 and other <= _MOST_OTHER * len(lines)
