"""Secrets that a name or a shape gives away: assignments, headers, connection strings, keys in armour."""

from __future__ import annotations

import re

from memctl.redact.checks import given, header_value, is_password, is_secret, random, url_password, varied
from memctl.redact.pattern import LEFT, Pattern, Rule
from memctl.redact.tokens import token_rules

_KEY_OF = (
    "api",
    "access",
    "account",
    "auth",
    "private",
    "signing",
    "encryption",
    "master",
    "secret",
    "shared",
    "storage",
    "service",
    "app",
)
_TAIL = rb"(?P<tail>[\w.-]{0,32}+)"
_GIVES = rb"""(?:\\?["'`\]]){0,3}+(?:\s{0,4}+(?:=>|:=|={1,3}|:|>)|\s{1,4}is:?(?=\s))\s{0,4}+"""
_PLAIN = rb"""(?P<plain>[^\s"'`,;<>()\[\]{}&|\\]{1,512}+(?:&(?!\w{1,30}=)[^\s"'`,;<>()\[\]{}&|\\]{0,256}+){0,8}+)(?!\()"""
_VALUE = rb"""(?:(?P<q>\\?["'`])(?P<quoted>(?:(?!(?P=q))[^\s\\]|\\[^"'nrt\s]){4,2048}+)(?=(?P=q))|""" + _PLAIN + rb")"
_PHRASE = (
    rb"""(?:(?P<q>\\?["'])(?P<quoted>[^"'\\\n]{4,256}+)(?=(?P=q))|(?P<plain>(?:[^\s"'`,;<>()\[\]{}&|\\]|&(?!\w{1,30}=)){4,512}+)(?!\())"""
)


def _assignment(name: bytes, value: bytes = _VALUE) -> Pattern:
    # A bare space gives a value only to an option of a command line.
    option = rb"(?<=--)%s(?P<tail2>[\w-]{0,32}+)\s{1,4}+" % name
    return Pattern(rb"(?:%s%s%s|%s)%s" % (name, _TAIL, _GIVES, option, value), re.I)


# `PASS:` is how test runners begin a line.
_PASS = rb"(?:pass(?:words?|wd|code)|(?:(?<=_)|(?-i:(?!PASS:)))(?<![a-z])(?<!by-)pass(?![a-z]))"
_KEY_LEFT = b"|".join(b"(?<=%s)|(?<=%s[-_. ])" % (word.encode(), word.encode()) for word in _KEY_OF)
# Rules on names and shapes; the anchors are lower case and found in the text's lower case.
FOLDED: tuple[Rule, ...] = (
    Rule(
        "private_key",
        b"-----begin ",
        Pattern(
            rb"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            rb"(?:(?:[^-]{0,400}+-{1,4}(?!-)){0,6}[A-Za-z0-9+/=\s\\.:,()@<>_]{0,16384}+-----END [A-Z0-9 ]{0,40}-----"
            rb"|(?:(?:\s|\\[nr]){0,8}+[A-Za-z0-9+/=]{24,100}+){1,400}+)"
        ),
    ),
    Rule("private_key", b"private-lines:", Pattern(rb"Private-Lines: \d{1,4}\s{1,2}(?P<v>[A-Za-z0-9+/=\s]{40,4096}+)", re.I)),
    Rule("url_password", b"://", Pattern(rb"""://[^\s:@/"'<>]{0,80}+:(?P<v>[^\s@/"'<>]{1,256}+)@"""), url_password),
    Rule(
        "authorization",
        b"authorization",
        Pattern(
            rb"""authorization(?:\\?["'\]]){0,3}\s{0,3}[:=,]\s{0,3}(?:\\?["'])?(?:(?:bearer|basic|token|digest|apikey|key|bot|aws4-hmac-sha256)\s{1,3})?"""
            rb"(?P<v>[A-Za-z0-9._~+/=-]{8,4096}+)",
            re.I,
        ),
        header_value,
    ),
    Rule("authorization", b"bearer", Pattern(rb"bearer(?:\s{1,3}|%20|\+)(?P<v>[A-Za-z0-9._~+/=-]{16,4096}+)", re.I), header_value),
    Rule(
        "authorization",
        b"cookie",
        Pattern(rb"""cookie["']?:\s{0,3}["']?(?P<v>[\w.-]{1,64}=[^\s"'\\]{16,2048}+(?:; ?[^\s"'\\;]{1,2048}+){0,40})""", re.I),
    ),
    Rule("password", b"pass", _assignment(_PASS), given(is_password)),
    Rule("password", b"passphrase", _assignment(rb"passphrase", _PHRASE), given(is_password)),
    Rule("password", b"pwd", _assignment(rb"pwd"), given(is_password)),
    Rule("password", b"identified by", Pattern(rb"""identified by\s{1,3}["'](?P<v>[^"'\n]{3,256}+)["']""", re.I), url_password),
    Rule("password", b"login ", Pattern(rb"login\s{1,3}\S{1,80}+\s{1,3}password\s{1,3}(?P<v>\S{4,256}+)", re.I), url_password),
    Rule("password", b"sshpass", Pattern(rb"""sshpass\s{1,3}-p\s{0,3}["']?(?P<v>[^\s"']{3,256}+)"""), url_password),
    Rule(
        "password",
        b"curl ",
        Pattern(rb"""curl [^\n]{0,200}?(?:-u|--user)[ =]["']?[^\s:"']{1,80}+:(?P<v>[^\s"']{3,256}+)"""),
        url_password,
    ),
    Rule("secret", b"secret", _assignment(rb"secret"), given(is_secret)),
    Rule("secret", b"token", _assignment(rb"token"), given(is_secret)),
    Rule("secret", b"key", _assignment(rb"(?:%s)key" % _KEY_LEFT), given(is_secret)),
    Rule("secret", b"credential", _assignment(rb"credential"), given(is_secret)),
    Rule("secret", b"_auth", _assignment(rb"_auth"), given(is_secret)),
    Rule("azure", b"sig=", Pattern(rb"(?<=[?&;])sig=(?P<v>[A-Za-z0-9%+/=]{40,100}+)", re.I)),
)
SHAPED: tuple[Rule, ...] = (
    *token_rules(),
    Rule("openai", b"sk-", Pattern(LEFT + rb"sk-[A-Za-z0-9_-]{20,200}+"), random),
    Rule("jwt", b"eyJ", Pattern(LEFT + rb"eyJ[\w-]{8,300}+\.[\w-]{8,8192}+(?:\.[\w-]{10,4096}+){0,3}"), varied),
    Rule("telegram", b":AA", Pattern(rb"\d{6}:AA[\w-]{32,34}(?![\w-])"), varied, back=6),
    Rule("azure", b"8Q~", Pattern(rb"[\w~.-]{3}\dQ~[\w~.-]{31,34}"), varied, back=3),
    Rule("terraform", b".atlasv1.", Pattern(rb"\w{14}\.atlasv1\.[\w=-]{60,70}"), varied, back=14),
    Rule("mailchimp", b"-us", Pattern(rb"[0-9a-f]{32}-us\d{1,2}(?!\w)"), varied, back=32),
    Rule("discord", b"", Pattern(rb"(?<![\w.-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])"), random),
    Rule("airtable", b"", Pattern(rb"(?<![\w.-])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![\w.-])")),
)
