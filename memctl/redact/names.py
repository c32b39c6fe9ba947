"""Secrets that a name gives away: what is assigned to a password, a key, a token, in any notation.

The anchors are lower case and found in the text's lower case.
"""

from __future__ import annotations

import re

from memctl.redact.checks import check_assignment, is_drawn, is_literal, is_password, is_secret
from memctl.redact.pattern import Rule, SecretPattern

# What stands before `key` where the key is a secret, and where it is some other key.
_SECRET_KEYS = (
    "api access account auth private signing encryption master secret shared storage service app "
    "admin"
).split()
_OTHER_KEYS = (
    "cache primary foreign sort partition row shard hash range public publishable object file "
    "idempotency dedup index lookup composite"
    " natural unique group bucket map config redis memo i18n translation locale message event "
    "query react state ssh routing host json dict"
    " answer license_plate metadata record item node tree cell".split()
)
_TAIL = rb"(?P<tail>[\w.-]{0,32}+)"
_GIVES = (
    rb"""(?:\\?["'`\]]){0,3}+(?:\s{0,4}+(?:=>|:=|={1,3}|:|>)"""
    rb"""|\s{1,4}(?i:is|ist|lautet|es|est):?(?=\s))\s{0,4}+"""
)
_PLAIN = (
    rb"""(?P<plain>[^\s"'`,;<>()\[\]{}&|\\]{1,512}+"""
    rb"""(?:&(?!\w{1,30}=)[^\s"'`,;<>()\[\]{}&|\\]{0,256}+){0,8}+)(?!\()"""
)
_VALUE = (
    rb"""(?:(?P<q>\\?["'`])(?P<quoted>(?:(?!(?P=q))[^\s\\]|\\[^"'nrt\s]){4,2048}+)(?=(?P=q))|"""
    + _PLAIN
    + rb")"
)
_PHRASE = (
    rb"""(?:(?P<q>\\?["'])(?P<quoted>[^"'\\\n]{4,256}+)(?=(?P=q))"""
    rb"""|(?P<plain>(?:[^\s"'`,;<>()\[\]{}&|\\]|&(?!\w{1,30}=)){4,512}+)(?!\())"""
)


def _match_assignment(name: bytes, value: bytes = _VALUE) -> SecretPattern:
    # A bare space gives a value only to an option of a command line.
    option = rb"(?<=--)(?i:%s)(?P<tail2>[\w-]{0,32}+)\s{1,4}+" % name
    # Case is ignored in the name alone: long values are matched three times as fast.
    return SecretPattern(rb"(?:(?i:%s)%s%s|%s)%s" % (name, _TAIL, _GIVES, option, value))


def _match_behind(words: list[str]) -> bytes:
    return b"|".join(b"(?<=%s)|(?<=%s[-_. ])" % (word.encode(), word.encode()) for word in words)


# `PASS:` is how test runners begin a line.
_PASS = (
    rb"(?:pass(?:words?|wd|code|wort)|(?:(?<=_)|(?-i:(?!PASS:)))(?<![a-z])(?<!by-)pass(?!_?[a-z]))"
)
# Not three letters of a base64 text.
_PWD = rb"(?-i:(?<![A-Za-z0-9])(?:pwd|PWD)|(?<=[a-z0-9])Pwd|(?:(?<=user)|(?<=db))pwd)"
# Tokens that turn pages, or stand for a public key.
_TOKEN = (
    rb"(?<!next)(?<!next[_-])(?<!page)(?<!page[_-])(?<!continuation)(?<!continuation[_-])"
    rb"(?<!publickey)(?<!clientrequest)token"
)
_OTHERS = tuple(word.encode() for word in _OTHER_KEYS)
_NOT_SECRET = b"".join(b"(?<!%s[-_])" % word.encode() for word in _SECRET_KEYS)

NAMED: tuple[Rule, ...] = (
    Rule("password", b"pass", _match_assignment(_PASS), check_assignment(is_password)),
    Rule(
        "password",
        b"passphrase",
        _match_assignment(rb"passphrase", _PHRASE),
        check_assignment(is_password),
    ),
    Rule("password", b"pwd", _match_assignment(_PWD), check_assignment(is_password)),
    Rule(
        "password",
        b"contrase",
        _match_assignment("contrase(?:ñ|Ñ|n)a".encode()),
        check_assignment(is_password),
    ),
    Rule("password", b"kennwort", _match_assignment(rb"kennwort"), check_assignment(is_password)),
    Rule(
        "password", b"senha", _match_assignment(rb"(?<![a-z])senha"), check_assignment(is_password)
    ),
    Rule(
        "password", b"wachtwoord", _match_assignment(rb"wachtwoord"), check_assignment(is_password)
    ),
    Rule(
        "password",
        b"mot de passe",
        _match_assignment(rb"mot de passe"),
        check_assignment(is_password),
    ),
    Rule(
        "password", b"psk", _match_assignment(rb"(?<![a-z0-9])psk"), check_assignment(is_password)
    ),
    Rule("secret", b"secret", _match_assignment(rb"secret"), check_assignment(is_secret)),
    Rule("secret", b"token", _match_assignment(_TOKEN), check_assignment(is_secret)),
    Rule(
        "secret",
        b"key",
        _match_assignment(rb"(?:%s)key" % _match_behind(_SECRET_KEYS)),
        check_assignment(is_secret),
    ),
    Rule(
        "secret",
        b"key",
        _match_assignment(rb"(?<=[a-z0-9][-_])%skey" % _NOT_SECRET),
        check_assignment(is_drawn, not_behind=_OTHERS),
    ),
    Rule("secret", b"credential", _match_assignment(rb"credential"), check_assignment(is_secret)),
    Rule("secret", b"_auth", _match_assignment(rb"_auth(?![a-z])"), check_assignment(is_secret)),
    Rule("secret", b"_pat", _match_assignment(rb"_pat(?![a-z])"), check_assignment(is_drawn)),
    Rule(
        "secret",
        b"honeycomb-team",
        _match_assignment(rb"honeycomb-team"),
        check_assignment(is_secret),
    ),
    # A name given as one argument and its value as the next.
    Rule(
        "secret",
        b"define(",
        SecretPattern(
            rb"""define\(\s{0,4}["']\w{0,40}(?:pass|secret|token|key|salt)\w{0,20}["'],\s{0,4}["'](?P<v>[^"'\n]{6,256}+)["']""",
            re.I,
        ),
        is_literal,
    ),
    Rule(
        "secret",
        b'variable "',
        SecretPattern(
            rb"""variable "\w{0,40}(?:pass|secret|token|key)\w{0,20}" ?\{"""
            rb"""[^{}]{0,600}?\bdefault\s{0,8}=\s{0,8}"(?P<v>[^"\n]{6,256}+)\"""",
            re.I,
        ),
        is_literal,
    ),
)
