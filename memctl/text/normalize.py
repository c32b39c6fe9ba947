"""The words of a statement, freed of how they were typed. Pure.

`make_fingerprint` is stored with every record and must give the same digest for ever: `normalise`
and `make_scope_key` may only change together with `FINGERPRINT_VERSION` and a migration that
computes the column anew. Stems and stop words serve comparison only; no digest depends on them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from memctl.core.lazy_pattern import compile_later
from memctl.text.placeholders import remove_hashes
from memctl.text.porter import stem
from memctl.text.stop_words import COMPARISON_STOP_WORDS

FINGERPRINT_VERSION = 1
_SHORT = 2_000

_SIGNS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u02bc\u02b9\u2032\u00b4", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        **dict.fromkeys("\u2014\u2015\u2022\u00b7", " "),
        # A cross before a tool's name says the opposite of the bare name: two such facts must not
        # share a digest.
        **dict.fromkeys("\u274c\u2717\u2718\u26d4\U0001f6ab", " not "),
    }
)
_FENCE = compile_later(r"```[\w+-]*|`")
_LINK = compile_later(r"\[([^\[\]\n]{0,300})\]\(([^()\s]{0,500})\)")
_LINE_HEAD = compile_later(
    r"^[ \t]*(?:#{1,6}[ \t]|[-*+][ \t]|\d{1,2}[.)][ \t]|>[ \t](?=[^\W\d]))", re.M
)
_BREAK = compile_later(r"(?<!\d),|,(?!\d)|[\s;()\[\]{}\"“”„«»|、。，；！？]+")
_KEEP_HEAD = compile_later(
    r"\.{0,2}/\w|~/|\.\w|--?\w|[@#$]\w|[<>=!~^]=?\.?\w|\+\d|\*{1,2}[./]|_{1,2}\w"
)
_KEEP_TAIL = compile_later(r"\w(?:\+\+?|#|%|/|_{1,2})$|[/.-]\*{1,2}$")
_OPERATOR = compile_later(r"[<>!=]=?|[-=]>|\+|&&?")
_EMPHASIS = compile_later(r"_([^\W_]+)_")
_SHORT_FLAG = compile_later(r"-[A-Z]")
_SPELT_OUT = {
    "&": "and",
    "cannot": "can not",
    "can't": "can not",
    "cant": "can not",
    "won't": "will not",
    "wont": "will not",
    "shan't": "shall not",
    "dont": "do not",
    "doesnt": "does not",
    "didnt": "did not",
    "isnt": "is not",
    "arent": "are not",
    "wasnt": "was not",
    "shouldnt": "should not",
    "mustnt": "must not",
}


def _clean_characters(text: str) -> str:
    """Compatibility form, without format characters; controls and lone surrogates become spaces."""
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS)
    if text.isascii():
        return text
    kinds = {char: unicodedata.category(char) for char in set(text)}
    table = {
        ord(char): None if kind == "Cf" else " "
        for char, kind in kinds.items()
        if kind in ("Cf", "Cs", "Co", "Cn")
    }
    return text.translate(table)


def _is_edge(char: str) -> bool:
    return not (char.isalnum() or unicodedata.category(char)[0] == "M")


def _trim(token: str) -> str:
    """The token without the punctuation around it.

    Flags, paths, operators, signs and globs keep theirs.
    """
    if _OPERATOR.fullmatch(token):
        return token
    start, end = 0, len(token)
    while start < end and _is_edge(token[start]) and not _KEEP_HEAD.match(token, start, end):
        start += 1
    while (
        end > start
        and _is_edge(token[end - 1])
        and not _KEEP_TAIL.search(token, max(start, end - 4), end)
    ):
        end -= 1
    token = token[start:end]
    emphasis = _EMPHASIS.fullmatch(token)
    return emphasis[1] if emphasis else token


def _fold_case(token: str) -> str:
    """Lower case, save for a short flag: `-d` and `-D` are two different commands."""
    if _SHORT_FLAG.fullmatch(token):
        return token
    return unicodedata.normalize("NFKC", token.casefold())


def _spell_out(token: str) -> str:
    if token in _SPELT_OUT:
        return _SPELT_OUT[token]
    return f"{token[:-3]} not" if token.endswith("n't") and len(token) > 4 else token


def _normalise_word(token: str) -> str:
    if token.isascii() and token.isalnum():
        lower = token.lower()
        return _SPELT_OUT.get(lower, lower)
    return _spell_out(_trim(_fold_case(_trim(token))))


def _normalise_once(text: str) -> str:
    text = _LINE_HEAD.sub("", _LINK.sub(r"\1 \2", _FENCE.sub(" ", _clean_characters(text))))
    return " ".join(filter(None, map(_normalise_word, _BREAK.split(text))))


def normalise(text: str) -> str:
    """The words of a statement in order: NFKC, lower case, one space between, no markdown.

    Punctuation goes; identifiers, versions, paths, flags, operators, numbers and negations stay,
    and contractions of `not` are spelt out. The result is its own normal form.
    """
    return _normalise_cached(text) if len(text) <= _SHORT else _normalise_fully(text)


def _normalise_fully(text: str) -> str:
    before, after = text, _normalise_once(text)
    for _ in range(4):
        if before == after:
            break
        before, after = after, _normalise_once(after)
    return after


# A statement is compared with each of its neighbours, several ways.
_normalise_cached = lru_cache(maxsize=16384)(_normalise_fully)


@lru_cache(maxsize=1024)
def make_scope_key(
    scope: str,
    project_id: str | None = None,
    agent_id: str | None = None,
    repo_id: str | None = None,
) -> str:
    """The key of the scope that a statement belongs to.

    Two statements can only be one, or contradict each other, under one key. Who wrote a statement
    matters only in scopes private to an agent; where it was learned matters only below `global`.
    """
    parts = {
        "global": (),
        "project": (project_id,),
        "repo": (project_id, repo_id),
        "agent": (agent_id, project_id),
        "session": (agent_id, project_id, repo_id),
    }.get(scope, (project_id, repo_id, agent_id))
    return "\x1f".join((scope, *(part or "" for part in parts)))


def make_fingerprint(
    content: str,
    scope: str,
    project_id: str | None = None,
    agent_id: str | None = None,
    repo_id: str | None = None,
) -> str:
    """SHA-256 (hex) of the scope key and the normalised content; stable for ever.

    The digest is over UTF-8 of `"1" LF scope_key LF normalise(content)`, where placeholders of
    secrets have no hashes. Content without a single word counts as it is.
    """
    from hashlib import sha256  # here, because it loads OpenSSL, and reading needs no hash

    content = remove_hashes(content)
    words = normalise(content) or " ".join(_clean_characters(content).split())
    material = (
        f"{FINGERPRINT_VERSION}\n{make_scope_key(scope, project_id, agent_id, repo_id)}\n{words}"
    )
    return sha256(material.encode("utf-8", "replace")).hexdigest()


def stem_word(word: str) -> str:
    """The stem of a normalised word; identifiers and words of other scripts stay as they are."""
    return stem(word) if word.isascii() and word.isalpha() else word


def list_content_words(text: str) -> tuple[str, ...]:
    """The stems that carry the meaning, each once, in order, with negations and numbers."""
    words = (word.removesuffix("'s") for word in normalise(text).split())
    return tuple(
        dict.fromkeys(stem_word(word) for word in words if word not in COMPARISON_STOP_WORDS)
    )
