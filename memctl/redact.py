"""Secrets replaced by `[REDACTED:kind]` before anything is written.

Kept true: redacting twice changes nothing more; text without a secret comes back as the same object; time stays linear on
hostile input. Every rule starts at a literal anchor and looks at a bounded window, so a text without anchors costs a few
scans at the speed of `bytes.find`. Text is searched as UTF-8 bytes, whose lower case has the same length and costs little.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from importlib import import_module

from memctl.data import dataclass, filled
from memctl.model import REDACTED
from memctl.typed import Any

# A token stands alone, or behind an escaped line end as in JSON inside JSON.
_LEFT = rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
_RIGHT = rb"(?![A-Za-z0-9])"
# A run of short words, of which no token consists.
_SHORT_WORDS = re.compile(rb"[^\w./+-]++(?:[\w./+-]{1,15}+[^\w./+-]++)*+")
_IN_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-"
_MAX_ROUNDS = 8
_MAX_DEPTH = 100
_MARK = REDACTED.encode()

Check = Callable[[re.Match[bytes]], bool]


class Pattern:
    """An expression compiled when it is first needed: few texts hold many anchors, and all of them at once take 40 ms."""

    def __init__(self, source: bytes, flags: int = 0) -> None:
        self.source = source
        self.flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[bytes]:
        """The expression itself."""
        return re.compile(self.source, self.flags)


class Token(Pattern):
    """The expression of a token: its prefix and what follows."""

    def __init__(self, prefix: str, body: str) -> None:
        self.prefix = prefix
        self.body = body

    @cached_property
    def compiled(self) -> re.Pattern[bytes]:
        """The expression itself."""
        bounded = self.body.replace(",}", ",400}+").encode() + (b"" if self.body.endswith(",}") else _RIGHT)
        left = b"" if self.prefix.startswith(".") or "/" in self.prefix else _LEFT
        return re.compile(left + re.escape(self.prefix.encode()) + bounded)


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret: where to look (`anchor`, `back` bytes before it), what must stand there, what to check besides.

    The group `v` is replaced, or the whole match without one.
    """

    kind: str
    anchor: bytes
    pattern: Pattern
    check: Check | None = None
    back: int = 0


# kind, prefixes, what follows the prefix. A prefix is matched with its case.
_TOKENS: tuple[tuple[str, str, str], ...] = (
    ("adafruit", "aio_", r"[A-Za-z0-9]{28}"),
    ("age_key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}"),
    ("alibaba", "LTAI", r"[A-Za-z0-9]{16,24}"),
    ("anthropic", "sk-ant-", r"[\w-]{20,}"),
    ("artifactory", "AKCp", r"[A-Za-z0-9]{60,}"),
    ("asana", "ASANA_PAT_", r"[A-Za-z0-9]{20,}"),
    ("atlassian", "ATATT3 ATCTT3 ATBB", r"[\w=-]{20,}"),
    ("aws", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}"),
    ("aws", "ABSK", r"[A-Za-z0-9+/]{100,}={0,2}"),
    ("aws", "amzn.mws.", r"[0-9a-f-]{36}"),
    ("buildkite", "bkua_ bkpt_", r"[0-9a-z]{30,}"),
    ("circleci", "CCIPAT_ CCIPRJ_", r"\w{30,}"),
    ("clojars", "CLOJARS_", r"[a-z0-9]{60}"),
    ("contentful", "CFPAT-", r"[\w-]{43}"),
    ("databricks", "dapi dkea", r"[0-9a-f]{32}(?:-\d)?"),
    ("datadog", "ddapi_ ddpat_ ddapp_", r"[A-Za-z0-9]{30,}"),
    ("digitalocean", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    ("discord", "/api/webhooks/", r"\d{15,21}/[\w-]{50,80}"),
    ("docker", "dckr_pat_ dckr_oat_", r"[\w-]{24,}"),
    ("doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[\w.-]{40,60}"),
    ("dropbox", "sl.", r"[\w-]{100,}"),
    ("duffel", "duffel_live_ duffel_test_", r"[\w-]{40,}"),
    ("dynatrace", "dt0c01. dt0s16. dt0s01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("easypost", "EZAK EZTK", r"[A-Za-z0-9]{54}"),
    ("facebook", "EAA", r"[A-Za-z0-9]{80,}"),
    ("figma", "figd_ figo_", r"[\w-]{38,}"),
    ("flutterwave", "FLWSECK-", r"[\w-]{16,}"),
    ("flutterwave", "FLWSECK_TEST-", r"[\w-]{12,}"),
    ("fly", "FlyV1 fm2_", r"[\w+/=,-]{60,}"),
    ("frameio", "fio-u-", r"[\w=-]{60,}"),
    ("github", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9_.-]{30,}"),
    ("github", "github_pat_", r"\w{22,}"),
    ("gitlab", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- gloas- glimt- glagent- glffct- glwt- GR1348941", r"[\w.=-]{20,}"),
    ("google", "AIza", r"[\w-]{35}"),
    ("google", "GOCSPX-", r"[\w-]{28}"),
    ("google", "ya29.", r"[\w.-]{20,}"),
    ("google", "1//0", r"[\w-]{30,}"),
    ("google", "AQ.Ab8", r"[\w-]{30,}"),
    ("grafana", "glsa_", r"[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
    ("grafana", "glc_ eyJrIjoi", r"[\w+/=-]{30,}"),
    ("groq", "gsk_", r"[A-Za-z0-9]{40,}"),
    ("heroku", "HRKU-", r"[\w-]{36,}"),
    ("huggingface", "hf_ api_org_", r"[A-Za-z0-9]{30,}"),
    ("infracost", "ico-", r"[A-Za-z0-9]{32}"),
    ("langsmith", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}"),
    ("langfuse", "sk-lf-", r"[0-9a-f-]{36}"),
    ("linear", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,}"),
    ("mailgun", "key-", r"[0-9a-f]{32}"),
    ("netlify", "nfp_ nfc_ nfo_ nfu_", r"[A-Za-z0-9]{36,}"),
    ("newrelic", "NRAK- NRRA- NRII- NRJS- NRBR- NRSP-", r"[A-Za-z0-9-]{19,}"),
    ("notion", "ntn_", r"[A-Za-z0-9]{40,}"),
    ("notion", "secret_", r"[A-Za-z0-9]{43}"),
    ("npm", "npm_", r"[A-Za-z0-9]{36}"),
    ("nuget", "oy2", r"[a-z0-9]{43}"),
    ("nvidia", "nvapi-", r"[\w-]{50,}"),
    ("onepassword", "ops_eyJ", r"[A-Za-z0-9+/=]{100,}"),
    ("perplexity", "pplx-", r"[A-Za-z0-9]{40,}"),
    ("pinecone", "pcsk_", r"\w{40,}"),
    ("plaid", "access-production- access-sandbox- access-development-", r"[0-9a-f-]{36}"),
    ("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w=.-]{32,}"),
    ("postman", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    ("prefect", "pnu_ pnb_", r"[A-Za-z0-9]{36}"),
    (
        "private_key",
        "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVk LS0tLS1CRUdJTiBQUklWQVRFIEtFWS LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS",
        r"[\w+/=]{20,8000}+",
    ),
    ("private_key", "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ", r"[\w+/=]{20,8000}+"),
    ("pulumi", "pul-", r"[0-9a-f]{40}"),
    ("pypi", "pypi-AgE", r"[\w-]{50,}"),
    ("readme", "rdme_", r"[a-z0-9]{70}"),
    ("replicate", "r8_", r"[A-Za-z0-9]{37}"),
    ("rubygems", "rubygems_", r"[0-9a-f]{48}"),
    ("sendgrid", "SG.", r"[\w-]{16,32}\.[\w-]{16,64}"),
    ("sendinblue", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("sentry", "sntrys_ sntryu_ sntryi_ sntrya_", r"[\w+/=-]{40,}"),
    ("shippo", "shippo_live_ shippo_test_", r"[0-9a-f]{40}"),
    ("shopify", "shpat_ shpca_ shppa_ shpss_ shptka_", r"[0-9A-Fa-f]{32}"),
    ("slack", "xoxb- xoxa- xoxp- xoxo- xoxs- xoxr- xoxe- xoxe.xoxp- xoxe.xoxb- xoxc- xoxd- xapp- xwfp-", r"[\w%.-]{12,}"),
    ("slack", "hooks.slack.com/", r"(?:services|workflows|triggers)/[\w/]{20,}"),
    ("sonar", "sqp_ squ_ sqa_", r"[0-9a-f]{40}"),
    ("square", "sq0atp- sq0csp- sq0idp- EAAAE EAAAl", r"[\w-]{22,}"),
    ("stripe", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_", r"[A-Za-z0-9]{10,}"),
    ("stripe", "whsec_", r"[A-Za-z0-9+/=]{20,}"),
    ("supabase", "sbp_ sb_secret_", r"[\w-]{24,}"),
    ("tailscale", "tskey-", r"[A-Za-z]{2,10}-[A-Za-z0-9-]{16,}"),
    ("teams", ".webhook.office.com/webhookb2/", r"[\w@/-]{60,}"),
    ("tencent", "AKID", r"[A-Za-z0-9]{32}"),
    ("twilio", "SK", r"[0-9a-f]{32}"),
    ("typeform", "tfp_", r"[\w.=-]{40,}"),
    ("vault", "hvs. hvb. hvr.", r"[\w-]{20,}"),
    ("xai", "xai-", r"[A-Za-z0-9]{60,}"),
    ("yandex", "AQVN", r"[\w-]{35,}"),
    ("zapier", "hooks.zapier.com/hooks/catch/", r"\d{4,}/[a-z0-9]{5,}"),
    ("openai", "sk-proj- sk-svcacct- sk-admin- sk-None-", r"[\w-]{20,}"),
    ("openrouter", "sk-or-", r"[\w-]{20,}"),
)


def _varied(match: re.Match[bytes]) -> bool:
    """Whether a token has more than a handful of different characters: `xxxx…` and `0000…` are examples."""
    return len(set(match[0][-32:])) > 5


def _random(match: re.Match[bytes]) -> bool:
    """Whether a token looks drawn, not written: a digit, many different characters, and not words joined by hyphens."""
    value = match[0]
    return len(set(value[-40:])) > 9 and _DIGIT.compiled.search(value) is not None and not _WORDS.compiled.fullmatch(value.lower())


def _token_rules() -> Iterator[Rule]:
    for kind, prefixes, body in _TOKENS:
        for prefix in prefixes.split():
            yield filled(Rule, (kind, prefix.encode(), Token(prefix, body), _varied, 0))


# Values that a reader fills in, or that a program computes: nothing to hide.
_BLANKS = frozenset(
    b"your my the example sample change changeme replace insert placeholder dummy fake redacted todo foo bar enter env environ getenv"
    b" secrets process os self this config settings args options req request ctx".split()
)
_ANY_WORD = Pattern(rb"[a-z0-9]+")
_PLACEHOLDER = Pattern(
    rb"[$%<{\[#@/~.]|(?:u|i|f|int|uint|float|bytes|char|varchar|str|utf|base|sha|md|hs|rs|es|ed|aes|rsa)[_-]?\d{1,4}$"
    rb"|(?:none|null|nil|true|false|undefined|string|str|text|bytes|number|int|bool|boolean|any|object|optional|required|password|passwd"
    rb"|passphrase|pass|pwd|secret|token|apikey|api[_-]?key|key|value|hidden|masked|yes|no|default|empty|unset|missing|invalid|user"
    rb"|username|login)$"
)
_FILLERS = (b"${", b"$(", b"{{", b"***", b"...", b"\xe2\x80\xa6", b"xxxx", b"://")
_WORDS = Pattern(rb"[a-z]++(?:[-_./:]++(?:[a-z]++|v?\d{1,4}+))++")
_DIGIT = Pattern(rb"\d")
_SYMBOL = Pattern(rb"[!@#$%^&*+=~?]")


def _written(value: bytes) -> bool:
    """Whether a value could be a literal secret: not short, no placeholder, no expression, nothing redacted already."""
    return len(value) > 3 and len(set(value[:64])) > 3 and _MARK not in value and not _is_blank(value)


def _is_blank(value: bytes) -> bool:
    """Whether a value stands for one that somebody fills in or a program computes."""
    start = value[:80].lower()
    return (
        bool(_PLACEHOLDER.compiled.match(start))
        or any(map(start.__contains__, _FILLERS))
        or not _BLANKS.isdisjoint(_ANY_WORD.compiled.findall(start))
    )


def _mixed(value: bytes) -> bool:
    """Whether letters stand beside digits or symbols."""
    return value.lower() != value.upper() and bool(_DIGIT.compiled.search(value) or _SYMBOL.compiled.search(value))


def _is_password(value: bytes, *, quoted: bool) -> bool:
    """Whether the value given to a password is one; unquoted it must not be a plain word of prose or code."""
    return _written(value) and (quoted or _mixed(value) or (value.isdigit() and len(value) >= 5))


def _is_secret(value: bytes, *, quoted: bool) -> bool:
    """Whether the value given to a key, token or secret looks drawn at random."""
    if len(value) < (8 if quoted else 12) or not (_DIGIT.compiled.search(value) or quoted):
        return False
    many = len(set(value[:64]))
    if many < 7 or _WORDS.compiled.fullmatch(value.lower()) or not _written(value):
        return False
    return _mixed(value) or (len(value) >= 24 and many > 14 and value.lower() != value and b"_" not in value)


_NOT_THE_VALUE = Pattern(
    rb"(?:count|url|uri|endpoint|file|path|dir|name|type|kind|len|length|limit|usage|used|ids?|izers?|ize[dr]?|hash|sha\d*|env|field|policy"
    rb"|expir\w*|ttl|ref|regex|pattern|min|max|size|budget|format|prompt|label|placeholder|index|rotation|version|fingerprint|ed|ing|age|enger)$"
)
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


def _given(accept: Callable[..., bool]) -> Check:
    """A check of the assigned value that also looks at the end of the name: `token_count` gives no token."""

    def check(match: re.Match[bytes]) -> bool:
        tail = (match["tail"] or match["tail2"] or b"").lower()
        if _NOT_THE_VALUE.compiled.search(tail) or _inside_marker(match):
            return False
        quoted = match["quoted"]
        return accept(quoted, quoted=True) if quoted is not None else accept(match["plain"], quoted=False)

    return check


def _inside_marker(match: re.Match[bytes]) -> bool:
    before = match.string[max(0, match.start() - 40) : match.start()]
    at = before.rfind(_MARK)
    return at >= 0 and b"]" not in before[at:]


def _url_password(match: re.Match[bytes]) -> bool:
    return _MARK not in match["v"] and not _is_blank(match["v"])


def _header_value(match: re.Match[bytes]) -> bool:
    value = match["v"]
    return _mixed(value) and _written(value)


# `PASS:` is how test runners begin a line.
_PASS = rb"(?:pass(?:words?|wd|code)|(?:(?<=_)|(?-i:(?!PASS:)))(?<![a-z])(?<!by-)pass(?![a-z]))"
_KEY_LEFT = b"|".join(b"(?<=%s)|(?<=%s[-_. ])" % (word.encode(), word.encode()) for word in _KEY_OF)
# Rules on names and shapes; the anchors are lower case and found in the text's lower case.
_FOLDED: tuple[Rule, ...] = (
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
    Rule("url_password", b"://", Pattern(rb"""://[^\s:@/"'<>]{0,80}+:(?P<v>[^\s@/"'<>]{1,256}+)@"""), _url_password),
    Rule(
        "authorization",
        b"authorization",
        Pattern(
            rb"""authorization(?:\\?["'\]]){0,3}\s{0,3}[:=,]\s{0,3}(?:\\?["'])?(?:(?:bearer|basic|token|digest|apikey|key|bot|aws4-hmac-sha256)\s{1,3})?"""
            rb"(?P<v>[A-Za-z0-9._~+/=-]{8,4096}+)",
            re.I,
        ),
        _header_value,
    ),
    Rule("authorization", b"bearer", Pattern(rb"bearer(?:\s{1,3}|%20|\+)(?P<v>[A-Za-z0-9._~+/=-]{16,4096}+)", re.I), _header_value),
    Rule(
        "authorization",
        b"cookie",
        Pattern(rb"""cookie["']?:\s{0,3}["']?(?P<v>[\w.-]{1,64}=[^\s"'\\]{16,2048}+(?:; ?[^\s"'\\;]{1,2048}+){0,40})""", re.I),
    ),
    Rule("password", b"pass", _assignment(_PASS), _given(_is_password)),
    Rule("password", b"passphrase", _assignment(rb"passphrase", _PHRASE), _given(_is_password)),
    Rule("password", b"pwd", _assignment(rb"pwd"), _given(_is_password)),
    Rule("password", b"identified by", Pattern(rb"""identified by\s{1,3}["'](?P<v>[^"'\n]{3,256}+)["']""", re.I), _url_password),
    Rule("password", b"login ", Pattern(rb"login\s{1,3}\S{1,80}+\s{1,3}password\s{1,3}(?P<v>\S{4,256}+)", re.I), _url_password),
    Rule("password", b"sshpass", Pattern(rb"""sshpass\s{1,3}-p\s{0,3}["']?(?P<v>[^\s"']{3,256}+)"""), _url_password),
    Rule(
        "password",
        b"curl ",
        Pattern(rb"""curl [^\n]{0,200}?(?:-u|--user)[ =]["']?[^\s:"']{1,80}+:(?P<v>[^\s"']{3,256}+)"""),
        _url_password,
    ),
    Rule("secret", b"secret", _assignment(rb"secret"), _given(_is_secret)),
    Rule("secret", b"token", _assignment(rb"token"), _given(_is_secret)),
    Rule("secret", b"key", _assignment(rb"(?:%s)key" % _KEY_LEFT), _given(_is_secret)),
    Rule("secret", b"credential", _assignment(rb"credential"), _given(_is_secret)),
    Rule("secret", b"_auth", _assignment(rb"_auth"), _given(_is_secret)),
    Rule("azure", b"sig=", Pattern(rb"(?<=[?&;])sig=(?P<v>[A-Za-z0-9%+/=]{40,100}+)", re.I)),
)
_SHAPED: tuple[Rule, ...] = (
    *_token_rules(),
    Rule("openai", b"sk-", Pattern(_LEFT + rb"sk-[A-Za-z0-9_-]{20,200}+"), _random),
    Rule("jwt", b"eyJ", Pattern(_LEFT + rb"eyJ[\w-]{8,300}+\.[\w-]{8,8192}+(?:\.[\w-]{10,4096}+){0,3}"), _varied),
    Rule("telegram", b":AA", Pattern(rb"\d{6}:AA[\w-]{32,34}(?![\w-])"), _varied, back=6),
    Rule("azure", b"8Q~", Pattern(rb"[\w~.-]{3}\dQ~[\w~.-]{31,34}"), _varied, back=3),
    Rule("terraform", b".atlasv1.", Pattern(rb"\w{14}\.atlasv1\.[\w=-]{60,70}"), _varied, back=14),
    Rule("mailchimp", b"-us", Pattern(rb"[0-9a-f]{32}-us\d{1,2}(?!\w)"), _varied, back=32),
    Rule("discord", b"", Pattern(rb"(?<![\w.-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])"), _random),
    Rule("airtable", b"", Pattern(rb"(?<![\w.-])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![\w.-])")),
)

# Priority, rule, anchor, and whether the anchor can only stand within a long word: worked out once, not for every text.
_GATES = tuple((priority, rule, rule.anchor, not rule.anchor.strip(_IN_WORD)) for priority, rule in enumerate(_SHAPED))

KINDS: tuple[str, ...] = tuple(sorted({rule.kind for rule in (*_SHAPED, *_FOLDED)}))

Found = tuple[int, int, int, str]


@dataclass(frozen=True, slots=True)
class Marks:
    """The rules that need to be asked: those whose anchor stands somewhere in the texts at hand."""

    gates: tuple[tuple[int, Rule, bytes, bool], ...]
    folded: tuple[tuple[int, Rule], ...]


_EVERY = Marks(_GATES, tuple(enumerate(_FOLDED, len(_SHAPED))))


def marks_in(texts: Iterable[str]) -> Marks:
    """What to look for in many short texts: asking each of them for every anchor takes longer than all the rest."""
    raw = "\n".join(texts).encode("utf-8", "surrogatepass")
    long_words, low = _SHORT_WORDS.sub(b" ", raw), raw.lower()
    gates = tuple(gate for gate in _EVERY.gates if gate[2] in (long_words if gate[3] else raw))
    return Marks(gates, tuple(entry for entry in _EVERY.folded if entry[1].anchor in low))


def redact(text: str, *, deep: bool = False, among: Marks = _EVERY) -> str:
    """The text with every secret replaced by `[REDACTED:kind]`; `deep` also asks the package redact-secret, if installed.

    `among` may be the `marks_in` of texts that this one belongs to.
    """
    raw = text.encode("utf-8", "surrogatepass")
    changed = False
    for _ in range(_MAX_ROUNDS):
        found = sorted(_find(raw, _EVERY if changed else among))
        if not found:
            break
        raw, changed = _replace(raw, found), True
    result = raw.decode("utf-8", "surrogatepass") if changed else text
    return _second_layer(result) if deep else result


def redact_value(value: Any, *, deep: bool = False, among: Marks = _EVERY) -> Any:
    """The same for every string in nested lists and mappings, keys included; a mapping's key tells what its value is."""
    return _redact_nested(value, 0, deep, among)


def _redact_nested(value: Any, depth: int, deep: bool, among: Marks) -> Any:
    if isinstance(value, str):
        return redact(value, deep=deep, among=among)
    if depth > _MAX_DEPTH:
        return f"{REDACTED}depth]"
    if isinstance(value, dict):
        return {_redact_key(key, deep, among): _redact_member(key, item, depth + 1, deep, among) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_redact_nested(item, depth + 1, deep, among) for item in value]
    return value


def _redact_key(key: Any, deep: bool, among: Marks) -> Any:
    return redact(key, deep=deep, among=among) if isinstance(key, str) else key


def _redact_member(key: Any, item: Any, depth: int, deep: bool, among: Marks) -> Any:
    cleaned = _redact_nested(item, depth, deep, among)
    if not isinstance(item, str) or not isinstance(key, str) or cleaned != item or len(item) > 2048 or not item:
        return cleaned
    prefix = f"{key}: "
    probed = redact(f'{prefix}"{item}"' if '"' not in item else f"{prefix}{item}", among=among)
    return probed[len(prefix) :].strip('"') if probed.startswith(prefix + '"' + REDACTED) else cleaned


def _find(raw: bytes, marks: Marks) -> Iterator[Found]:
    """Where secrets stand: start, priority, end and kind, unsorted and possibly overlapping."""
    long_words = _SHORT_WORDS.sub(b" ", raw)
    for priority, rule, anchor, in_word in marks.gates:
        gate = long_words if in_word else raw
        # The rules without an anchor want a dot.
        if anchor in gate and (anchor or (b"." in gate and rule.pattern.compiled.search(gate))):
            yield from _accepted(rule, priority, raw, raw)
    folded = raw.lower()
    for priority, rule in marks.folded:
        if rule.anchor in folded:
            yield from _accepted(rule, priority, raw, folded)


def _accepted(rule: Rule, priority: int, raw: bytes, where: bytes) -> Iterator[Found]:
    look = rule.pattern.compiled.match if rule.anchor else rule.pattern.compiled.search
    at = where.find(rule.anchor)
    while at >= 0:
        match = look(raw, max(0, at - rule.back))
        after = at + len(rule.anchor)
        if match and (rule.check is None or rule.check(match)):
            start, end = _replaced(match)
            after = max(after, end)
            yield start, priority, end, rule.kind
        elif not rule.anchor:
            if not match:
                return
            after = match.end()
        at = where.find(rule.anchor, after)


def _replaced(match: re.Match[bytes]) -> tuple[int, int]:
    for name in ("v", "quoted", "plain"):
        if name in match.re.groupindex and match[name] is not None:
            return match.span(name)
    return match.span()


def _replace(raw: bytes, found: list[Found]) -> bytes:
    """The bytes with the found pieces replaced; overlapping ones become one, named by the most specific rule."""
    pieces: list[bytes] = []
    done = 0
    start, priority, end, kind = found[0]
    for next_start, next_priority, next_end, next_kind in [*found[1:], (len(raw) + 1, 0, 0, "")]:
        if next_start < end:
            if next_priority < priority:
                priority, kind = next_priority, next_kind
            end = max(end, next_end)
            continue
        while end < len(raw) and raw[end] & 0xC0 == 0x80:
            end += 1
        pieces += [raw[done:start], b"%s%s]" % (_MARK, kind.encode())]
        done = end
        start, priority, end, kind = next_start, next_priority, next_end, next_kind
    return b"".join([*pieces, raw[done:]])


def _second_layer(text: str) -> str:
    """What the package redact-secret finds besides; the text itself where it is not installed or refuses the text."""
    try:
        redact_secret: Any = import_module("redact_secret")
    except ImportError:
        return text
    try:
        findings = redact_secret.scan(text)
    except (redact_secret.SecretScanError, UnicodeError):
        return text
    pieces: list[str] = []
    done = 0
    for finding in sorted(findings, key=lambda each: each.start):
        if finding.action not in ("redact", "block") or finding.start < done or REDACTED in text[finding.start : finding.end]:
            continue
        pieces += [text[done : finding.start], f"{REDACTED}{finding.type}]"]
        done = finding.end
    return "".join([*pieces, text[done:]])
