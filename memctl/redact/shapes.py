"""Secrets recognised by shape.

Armoured keys, headers, connection strings, command lines, password hashes, pairs.
"""

from __future__ import annotations

import re

from memctl.redact.checks import (
    decodes_to_pair,
    has_long_cookie,
    is_header_value,
    is_in_key_set,
    is_in_secret_manifest,
    is_literal,
    is_varied,
    looks_random,
)
from memctl.redact.pattern import LEFT, Rule, SecretPattern

_QUOTE = rb"""["']?"""
_OPTION = rb"""[ =]{0,2}["']?(?P<v>[^\s"']{4,256}+)"""
# `PRIVATE KEY` in base64 at each of the three places where it may begin.
_PRIVATE_KEY_64 = rb"(?:UFJJVkFURSBLRV|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW)"


def _match_command(program: str, options: str) -> SecretPattern:
    """A program, then an option, then the secret."""
    return SecretPattern(
        rb"%s\b[^\n;|]{0,300}?\s%s%s" % (program.encode(), options.encode(), _OPTION)
    )


FOLDED_SHAPES: tuple[Rule, ...] = (
    Rule(
        "private_key",
        b"-----begin ",
        SecretPattern(
            rb"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            rb"(?:(?:[^-]{0,400}+-{1,4}(?!-)){0,6}"
            rb"[A-Za-z0-9+/=\s\\.:,()@<>_|#*\xe2\x86\x92]{0,16384}+-----END [A-Z0-9 ]{0,40}-----"
            rb"|(?:(?:\s|\\[nr]|[>|#*]|\d{1,6}\xe2\x86\x92){0,12}+[A-Za-z0-9+/=]{24,100}+){1,400}+)"
        ),
    ),
    Rule(
        "private_key",
        b"private-lines:",
        SecretPattern(rb"Private-Lines: \d{1,4}\s{1,2}(?P<v>[A-Za-z0-9+/=\s]{40,4096}+)", re.I),
    ),
    Rule(
        "private_key",
        b'"d"',
        SecretPattern(rb'"d"\s{0,3}:\s{0,3}"(?P<v>[\w-]{40,1400}+)"'),
        is_in_key_set,
    ),
    Rule(
        "url_password",
        b"://",
        SecretPattern(rb"""://[^\s:@/"'<>]{0,80}+:(?P<v>[^\s@/"'<>]{3,256}+)@"""),
        is_literal,
    ),
    Rule(
        "url_password",
        b"://",
        SecretPattern(rb"://(?P<v>[\w-]{20,200}+):?(?:x-oauth-basic)?@"),
        looks_random,
    ),
    Rule(
        "otp",
        b"otpauth://",
        SecretPattern(
            rb"""otpauth://[^\s"'<>]{0,300}?[?&]secret=(?P<v>[A-Z2-7=]{10,200}+)""", re.I
        ),
    ),
    Rule(
        "authorization",
        b"authorization",
        SecretPattern(
            rb"""(?<![a-z:])authorization(?:\\?["'\]]){0,3}\s{0,3}[:=,]\s{0,3}(?:\\?["'])?(?:[a-z][a-z0-9-]{1,30}\s{1,3}(?:token=)?)?"""
            rb"""\\?["']?(?:key=)?(?P<v>[A-Za-z0-9._~+/=:-]{8,4096}+)(?!\()""",
            re.I,
        ),
        is_header_value,
    ),
    Rule(
        "authorization",
        b"bearer",
        SecretPattern(rb"bearer(?:\s{1,3}|%20|\+)(?P<v>[A-Za-z0-9._~+/=-]{16,4096}+)", re.I),
        is_header_value,
    ),
    Rule(
        "authorization",
        b"cookie",
        SecretPattern(
            rb"""cookie\\?["']?:\s{0,3}\\?["']?(?P<v>[\w.-]{1,64}=[^\s"'\\;]{0,2048}+(?:;\s?[\w.-]{1,64}(?:=[^"'\\;\n]{0,2048}+)?){0,40})""",
            re.I,
        ),
        has_long_cookie,
    ),
    Rule(
        "password",
        b"identified by",
        SecretPattern(rb"""identified by\s{1,3}["'](?P<v>[^"'\n]{3,256}+)["']""", re.I),
        is_literal,
    ),
    Rule(
        "password",
        b"password ",
        SecretPattern(rb"""password\s{1,3}'(?P<v>[^'\n]{4,256}+)'""", re.I),
        is_literal,
    ),
    Rule(
        "password",
        b"login ",
        SecretPattern(rb"login\s{1,3}\S{1,80}+\s{1,9}password\s{1,3}(?P<v>\S{4,256}+)", re.I),
        is_literal,
    ),
    Rule(
        "password",
        b"sshpass",
        SecretPattern(rb"""sshpass\s{1,3}-p\s{0,3}["']?(?P<v>[^\s"']{3,256}+)"""),
        is_literal,
    ),
    Rule(
        "password",
        b"curl ",
        SecretPattern(
            rb"""curl [^\n]{0,200}?(?:-u|--user|--proxy-user|-U)[ =]["']?"""
            rb"""[^\s:"']{1,80}+:(?P<v>[^\s"']{3,256}+)"""
        ),
        is_literal,
    ),
    Rule(
        "password",
        b"mysql",
        SecretPattern(
            rb"""mysql(?:dump|admin|sh|import)?\b[^\n;|]{0,200}?\s-p(?P<v>[^\s"'=-][^\s"']{3,128}+)"""
        ),
        is_literal,
    ),
    Rule("password", b"docker login", _match_command("docker login", "-p"), is_literal),
    Rule("password", b"redis-cli", _match_command("redis-cli", "(?:-a|--pass)"), is_literal),
    Rule("password", b"ldapsearch", _match_command("ldapsearch", "-w"), is_literal),
    Rule(
        "password",
        b"smbclient",
        SecretPattern(
            rb"""smbclient\b[^\n;|]{0,300}?\s-U\s?["']?[^\s%"']{1,80}%(?P<v>[^\s"']{4,128}+)"""
        ),
        is_literal,
    ),
    Rule(
        "password",
        b"http",
        SecretPattern(rb"https? [^\n;|]{0,80}?(?:-a|--auth)[ =][^\s:]{1,80}:(?P<v>[^\s]{4,128}+)"),
        is_literal,
    ),
    Rule(
        "password",
        b"convertto-securestring",
        SecretPattern(
            rb"""ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?["'](?P<v>[^"'\n]{4,128}+)["']""",
            re.I,
        ),
        is_literal,
    ),
    Rule(
        "password",
        b":543",
        SecretPattern(rb":543\d:[\w.*-]{1,64}+:[\w.*@-]{1,64}+:(?P<v>[^\s:]{6,128}+)(?!\S)"),
        is_literal,
    ),
    Rule("azure", b"sig=", SecretPattern(rb"(?<=[?&;])sig=(?P<v>[A-Za-z0-9%+/=]{40,100}+)", re.I)),
    Rule(
        "signature",
        b"signature=",
        SecretPattern(
            rb"(?<=[?&])(?:x-(?:amz|goog)-)?signature=(?P<v>[A-Za-z0-9%+/=_-]{32,700}+)", re.I
        ),
        is_varied,
    ),
    Rule(
        "signature",
        b"x-amz-",
        SecretPattern(rb"(?<=[?&])X-Amz-Signature=(?P<v>[0-9a-f]{64})", re.I),
        is_varied,
    ),
    Rule(
        "seed_phrase",
        b"mnemonic",
        SecretPattern(
            rb"""mnemonic["']?\s{0,3}(?:[:=]|is)\s{0,3}["']?"""
            rb"""(?P<v>(?:[a-z]{3,8} ){11,23}+[a-z]{3,8})""",
            re.I,
        ),
    ),
    Rule(
        "seed_phrase",
        b" phrase",
        SecretPattern(
            rb"""(?<=seed|ered) phrase["']?\s{0,3}(?:[:=]|is)\s{0,3}["']?"""
            rb"""(?P<v>(?:[a-z]{3,8} ){11,23}+[a-z]{3,8})""",
            re.I,
        ),
    ),
    Rule(
        "registry_auth",
        b'"auth',
        SecretPattern(rb'"auth\\?"\s{0,4}:\s{0,4}\\?"(?P<v>[A-Za-z0-9+/]{8,1024}+={0,2})'),
        decodes_to_pair,
    ),
    Rule(
        "manifest",
        b"data:",
        SecretPattern(
            rb"(?<=\n)data:[ \t]*\r?\n"
            rb"(?P<v>(?:[ \t]{1,8}[\w.-]{1,64}: ?[A-Za-z0-9+/]{8,8192}+={0,2}[ \t]*\r?\n?){1,64})",
            re.I,
        ),
        is_in_secret_manifest,
    ),
)

SHAPED_SHAPES: tuple[Rule, ...] = (
    Rule("openai", b"sk-", SecretPattern(LEFT + rb"sk-[A-Za-z0-9_-]{20,200}+"), looks_random),
    Rule(
        "jwt",
        b"eyJ",
        SecretPattern(LEFT + rb"eyJ[\w-]{8,300}+\.[\w-]{8,8192}+(?:\.[\w-]{10,4096}+){0,3}"),
        is_varied,
    ),
    Rule(
        "paseto",
        b".local.",
        SecretPattern(rb"(?:v[1-4])\.local\.[\w-]{40,4096}+(?:\.[\w-]{1,400}+)?"),
        is_varied,
        back=2,
    ),
    Rule("telegram", b":AA", SecretPattern(rb"\d{6}:AA[\w-]{32,34}(?![\w-])"), is_varied, back=6),
    Rule("azure", b"8Q~", SecretPattern(rb"[\w~.-]{3}\dQ~[\w~.-]{31,34}"), is_varied, back=3),
    Rule(
        "azure_devops",
        b"AZDO",
        SecretPattern(rb"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])"),
        is_varied,
        back=76,
    ),
    Rule(
        "terraform",
        b".atlasv1.",
        SecretPattern(rb"\w{14}\.atlasv1\.[\w=-]{60,70}"),
        is_varied,
        back=14,
    ),
    Rule("mailchimp", b"-us", SecretPattern(rb"[0-9a-f]{32}-us\d{1,2}(?!\w)"), is_varied, back=32),
    Rule(
        "discord",
        b"",
        SecretPattern(rb"(?<![\w.-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])"),
        looks_random,
    ),
    Rule("airtable", b"", SecretPattern(rb"(?<![\w.-])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![\w.-])")),
    Rule(
        "aws",
        b"AKIA",
        SecretPattern(
            rb"""AKIA[A-Z0-9]{16}[\s:,/|"';]{1,8}(?P<v>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])"""
        ),
        is_varied,
    ),
    Rule(
        "private_key",
        b"LS0tLS1CRUdJTi",
        SecretPattern(rb"LS0tLS1CRUdJTi[\w+/]{0,60}?" + _PRIVATE_KEY_64 + rb"[\w+/=]{20,16384}+"),
    ),
)
