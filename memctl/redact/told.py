"""Passwords, PINs and recovery phrases that people tell in their own words, in many languages.

`the password for the router is ...`, `mein Passwort lautet ...`, `пароль от базы: ...`. Anchors are
found in text whose ASCII letters are lower case: a capital of another alphabet is left out of them.
"""

from __future__ import annotations

import re

from memctl.core.model import REDACTED
from memctl.redact.checks import is_blank
from memctl.redact.pattern import Rule, SecretPattern

_MARK = REDACTED.encode()


def _join(words: str) -> bytes:
    return b"|".join(re.escape(word.encode()) for word in words.split())


# Whose password it is: a preposition and what it belongs to.
_WHOSE = rb"(?:[ \t]{1,3}(?i:%s)[ \t][^\n:=.,;!?\"'`]{1,60}?)??" % _join(
    "for of to on in at from für fuer vom von zur zum zu der des del de da do du des para pro "
    "pour per от для к на в до till för til voor na dla για"
)
# What stands between the name and the value.
_SAYS = (
    rb"(?:[ \t]{0,3}(?:\xef\xbc\x9a|:|=|\xe2\x80\x94|\xe2\x80\x93|->|\xe2\x86\x92|[ \t]-[ \t])"
    rb"[ \t]{0,3}|[ \t]{1,3}(?i:(?:is|was)(?: (?:now|still|just|currently))?|%s)"
    rb"[ \t]{0,2}:?[ \t]{1,3})"
    % _join(
        "to ist war lautet lautete heißt heisst es era est é eh è это такой będzie är er on είναι "
        "je być este هي هو"
    )
)
_SAYS_UNSPACED = (
    "(?:[ \\t]{0,2}(?:是|为|為|就是|はこちら|は|が|은|는|이|가|：|:|=))[ \\t]{0,2}[：:]?[ \\t]{0,2}"
).encode()
_QUOTED = rb"(?P<q>[\"'`])(?P<quoted>(?:(?!(?P=q))[^\n]){4,128})(?P=q)"
_FINAL = rb"[A-Za-z0-9!@#$%^&*+=~_-]"
_PLAIN = rb"(?P<plain>[A-Za-z0-9!@#$%%^&*+=~?_./:\x80-\xff-]{3,127}(?:%s|[\x80-\xbf]))" % _FINAL
_PLAIN_ASCII = rb"(?P<plain>[A-Za-z0-9!@#$%%^&*+=~?_./:-]{3,127}%s)" % _FINAL
# Names of methods and versions, which are told of a password more often than they are one.
_METHODS = SecretPattern(
    rb"(?:argon2\w{0,2}|oauth2?|sha-?\d{1,3}|md5|pbkdf2\S{0,20}|scrypt|bcrypt\S{0,4}|base\d\d|utf-?8"
    rb"|rfc\d+|aes-?\d{3}|v?\d+(?:\.\d+)+|\d+[-x]\d+|[a-z]+(?:_[a-z]+\d{0,3})+|[\w.-]*/[\w./-]*"
    rb"|\w+\.\w{1,4}|1password\S*|[a-z]+\d?\(.*)$",
    re.I,
)
_SNAKE_CAPITALS = SecretPattern(rb"[A-Z]+(?:_[A-Z]+)+\d{0,2}$")
_DIGIT = SecretPattern(rb"\d")
_LETTER = SecretPattern(rb"[A-Za-z\x80-\xff]")
_INNER_SYMBOL = SecretPattern(rb"[!@#$%^&*+=~][A-Za-z0-9]")
# A passphrase of so many words joined by hyphens is no compound of prose.
_FEWEST_HYPHENS = 3
_FEWEST_DIGITS = 5
_FEWEST_CHARACTERS = 5


def is_told_password(match: re.Match[bytes]) -> bool:
    """Whether what was told is a password, and no word about passwords."""
    if match["quoted"] is not None:
        value = match["quoted"]
        return _MARK not in value and not is_blank(value) and not _METHODS.compiled.match(value)
    value = match["plain"].rstrip(b"!?.")
    if len(value) < _FEWEST_CHARACTERS or _MARK in value or is_blank(value):
        return False
    if _METHODS.compiled.match(value):
        # Words with a year between them are a password, snake case is a name.
        return False
    if _SNAKE_CAPITALS.compiled.match(value) or len(set(value)) < 4:
        return False
    if value.isdigit():
        return len(value) >= _FEWEST_DIGITS
    if value.count(b"-") >= _FEWEST_HYPHENS and value.islower():
        return True
    return _LETTER.compiled.search(value) is not None and bool(
        _DIGIT.compiled.search(value) or _INNER_SYMBOL.compiled.search(value)
    )


def _tell(anchor: str, name: str, *, unspaced: bool = False, owner: bytes = b"") -> Rule:
    """A rule for what a password is called in some language."""
    says = rb"(?:%s|%s)" % (_SAYS_UNSPACED, _SAYS) if unspaced else _SAYS
    value = rb"(?:%s|%s)" % (_QUOTED, _PLAIN_ASCII if unspaced else _PLAIN)
    source = rb"(?i:%s)%s%s%s%s" % (name.encode(), owner, _WHOSE, says, value)
    return Rule("password", anchor.encode(), SecretPattern(source), is_told_password)


# Arabic names the owner without a preposition.
_ARABIC_WORDS = rb"(?:[ \t](?:[\xd8\xd9][\x80-\xbf]){1,20}){0,3}?"
_PASSWORDS = (
    _tell("pass", r"pass(?:words?|wd|code|wort|wörter|phrase)(?![\w-])"),
    _tell("pw", r"(?<![\w-])pw(?![\w-])"),
    _tell("kennwort", r"kennwort"),
    _tell("contrase", r"contrase(?:ñ|Ñ|n)a"),
    _tell("clave", r"(?<![\w])clave(?![\w])"),
    _tell("mot de passe", r"mot de passe"),
    _tell("senha", r"(?<![a-z])senha"),
    _tell("wachtwoord", r"wachtwoord"),
    _tell("ароль", r"ароль"),
    _tell("密码", r"密码", unspaced=True),
    _tell("密碼", r"密碼", unspaced=True),
    _tell("口令", r"口令", unspaced=True),
    _tell("パスワード", r"パスワード", unspaced=True),
    _tell("비밀번호", r"비밀번호", unspaced=True),
    _tell("비번", r"비번", unspaced=True),
    _tell("암호", r"암호", unspaced=True),
    _tell("كلم", "كلم(?:ة|ه|ات) ?(?:ال)?(?:سر|مرور)", owner=_ARABIC_WORDS),
    _tell("hasło", r"hasło"),
    _tell("ösenord", r"ösenord(?:et)?"),
    _tell("adgangskode", r"adgangskoden?"),
    _tell("salasana", r"salasana"),
    _tell("heslo", r"heslo"),
    _tell("ifre", r"ifre(?:si|miz|m)?"),
    _tell("ωδικός", r"ωδικός"),
)

# -- PINs ------------------------------------------------------------------------------------------

_PIN_VALUE = rb"[\"'`]?(?P<v>\d{4,8})(?![\w%]|[.,:/-]\d)"


def _tell_pin(anchor: str, name: bytes) -> Rule:
    source = rb"%s%s(?:%s|%s)%s" % (name, _WHOSE, _SAYS, _SAYS_UNSPACED, _PIN_VALUE)
    return Rule("pin", anchor.encode(), SecretPattern(source))


_PINS = (
    Rule(
        "pin",
        b"pin",
        SecretPattern(
            rb"(?i:(?:(?<=my )|(?<=the )|(?<=our )|(?<=mein )|(?<=meine )|(?<=die )|(?<=la )"
            rb"|(?<=el )|(?<=mi )|(?<=le )|(?<=mon )|(?<=meu )|(?<=code )|(?<=card )|(?<=door )"
            rb"|(?<=sim )|(?<=sim-)|(?<=phone ))pin|(?<![A-Za-z0-9_-])(?-i:PIN))"
            rb"(?:[ -]?(?i:code|nummer|number)|"
            + "(?: ?(?:码|碼|コード|번호))".encode()
            + rb")?"
            + _WHOSE
            + rb"(?:"
            + _SAYS
            + rb"|"
            + _SAYS_UNSPACED
            + rb")"
            + _PIN_VALUE
        ),
    ),
    _tell_pin("暗証番号", "暗証番号".encode()),
    _tell_pin("ин-код", "ин-код".encode()),
    _tell_pin("инкод", "инкод".encode()),
)

# -- recovery phrases ------------------------------------------------------------------------------

# 12, 15, 18, 21 or 24 words of three to eight letters, as wallets draw them; numbered or not.
_WORD = rb"(?:\d{1,2}[.):]?[ \t]{0,2})?[a-z]{3,8}"
_BETWEEN = rb"(?:[ \t]{0,2},[ \t]{0,2}|[ \t]{1,3}|\r?\n[ \t]{0,4})"
_PHRASE = rb"(?P<v>%s(?:%s%s){11,23}+)(?![a-z])" % (_WORD, _BETWEEN, _WORD)
_NAMES_PHRASE = rb"[^\n:=]{0,60}?(?:[:=]|\xef\xbc\x9a|[ \t](?i:%s)[ \t]:?)[\s\"'`]{0,4}" % _join(
    "is are ist lautet sind es son est sont é são это"
)
_COUNTS = frozenset({12, 15, 18, 21, 24})


def is_recovery_phrase(match: re.Match[bytes]) -> bool:
    """Whether so many words were told as a wallet draws, hardly one of them twice."""
    words = re.findall(rb"[a-z]{3,8}", match["v"])
    return len(words) in _COUNTS and len(set(words)) >= len(words) - 2 and not _PROSE & set(words)


# What no list of recovery words holds, and hardly a sentence does without.
_PROSE = frozenset(b"the and for with are was not you your that this from have".split())


def _tell_phrase(anchor: str, name: str) -> Rule:
    source = rb"(?i:%s)%s%s" % (name.encode(), _NAMES_PHRASE, _PHRASE)
    return Rule("seed_phrase", anchor.encode(), SecretPattern(source), is_recovery_phrase)


_PHRASES = (
    _tell_phrase(
        "phrase",
        r"(?<=recovery )phrase|(?<=backup )phrase|(?<=secret )phrase|"
        r"(?<=wallet )phrase|(?<=seed )phrase|phrase (?:de |secrète|mnémonique)|"
        r"(?<=wiederherstellungs)phrase|(?<=seed-)phrase|(?<=seed)phrase",
    ),
    _tell_phrase("seed", r"(?<![a-z])seed(?: words?)?(?![\w-])|seed-фраза|seed фраза"),
    _tell_phrase("mnemonic", r"mnemonics?"),
    _tell_phrase(" words", r"(?<=12|15|18|21|24) words"),
    _tell_phrase("frase", r"frase (?:semilla|semente|de |secreta|mnem)"),
    _tell_phrase("ид-фраза", r"ид-фраза"),
    _tell_phrase("раза восстановления", r"раза восстановления"),
    _tell_phrase("助记词", r"助记词(?:是)?"),
    _tell_phrase("助記詞", r"助記詞(?:是)?"),
    _tell_phrase("フレーズ", r"(?:フレーズ)(?:は)?"),
    _tell_phrase("니모닉", r"니모닉"),
    _tell_phrase("복구 문구", r"복구 문구"),
    _tell_phrase("عبارة", "عبارة (?:ال)?(?:استرداد|سر)"),
)

TOLD: tuple[Rule, ...] = (*_PASSWORDS, *_PINS, *_PHRASES)
