"""Secrets leave, look-alikes stay, and neither a second pass nor a hostile text changes that."""

from __future__ import annotations

import json
import random
import re
import string
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_redaction import redact, redact_value

from memctl.core.model import REDACTED
from memctl.redact.pattern import expand_classes, make_portable
from memctl.redact.secret_pieces import RememberingReplacer
from memctl.redact.secret_replacer import KINDS, select_rules
from memctl.text.placeholders import count_secrets, remove_hashes

DRAW = random.Random(11)
LETTERS = string.ascii_letters + string.digits
HEX = string.digits + "abcdef"


def drawn(length: int, alphabet: str = LETTERS) -> str:
    return "".join(DRAW.choice(alphabet) for _ in range(length))


def pem(kind: str, body: str) -> str:
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


# kind, text around, the secret
SECRETS: list[tuple[str, str, str]] = [
    ("aws", "id {}", "AKIA" + drawn(16, string.ascii_uppercase + "234567")),
    ("secret", "aws_secret_access_key = {}", drawn(40)),
    ("github", "use {} now", "ghp_" + drawn(36)),
    ("github", "{}", "github_pat_" + drawn(22) + "_" + drawn(59)),
    ("gitlab", "{}", "glpat-" + drawn(20)),
    ("slack", "{}", "xoxb-" + drawn(12, string.digits) + "-" + drawn(24)),
    ("slack", "https://{}", "hooks.slack.com/services/T0AB12CD3/B0AB12CD3/" + drawn(24)),
    ("stripe", "{}", "sk_live_" + drawn(24)),
    ("openai", "{}", "sk-proj-" + drawn(60)),
    ("openai", "{}", "sk-" + drawn(48)),
    ("anthropic", "ANTHROPIC_API_KEY={}", "sk-ant-api03-" + drawn(93)),
    ("huggingface", "{}", "hf_" + drawn(34)),
    ("npm", "{}", "npm_" + drawn(36)),
    ("pypi", "{}", "pypi-AgEIcHlwaS5vcmc" + drawn(70)),
    ("sendgrid", "{}", "SG." + drawn(22) + "." + drawn(43)),
    ("twilio", "{}", "SK" + drawn(32, HEX)),
    ("secret", "TWILIO_AUTH_TOKEN={}", drawn(32, HEX)),
    ("telegram", "https://api.telegram.org/bot1234{}/getMe", "567890:AA" + drawn(33)),
    ("discord", "{}", "MT" + drawn(24) + "." + drawn(6) + "." + drawn(30)),
    ("jwt", "{}", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + drawn(43)),
    ("google", "?key={}", "AIza" + drawn(35)),
    ("google", "{}", "ya29." + drawn(60)),
    ("azure", "{}", "abc8Q~" + drawn(34)),
    ("azure", "https://x.blob/?sv=1&sig={}", drawn(43) + "%3D"),
    ("secret", "AccountName=x;AccountKey={};EndpointSuffix=core", drawn(86) + "=="),
    ("mailchimp", "{}", drawn(32, HEX) + "-us12"),
    ("digitalocean", "{}", "dop_v1_" + drawn(64, HEX)),
    ("grafana", "{}", "glsa_" + drawn(32) + "_" + drawn(8, HEX)),
    ("vault", "{}", "hvs." + drawn(90)),
    ("linear", "{}", "lin_api_" + drawn(40)),
    ("url_password", "postgres://admin:{}@db.internal:5432/app", "s3cr3tPw"),
    ("url_password", "redis://:{}@cache:6379", "abc123def"),
    ("authorization", "Authorization: Bearer {}", drawn(40)),
    ("authorization", "-H 'authorization: Basic {}'", "dXNlcjpwYXNzd29yZDEyMw=="),
    ("authorization", "Cookie: {}", "session=" + drawn(40)),
    ("password", "password={}", "hunter2!"),
    ("password", '"password": "{}"', "correcthorse"),
    ("password", "DB_PASS: {}", "S3cretPw1"),
    ("password", "my password is {} today", "Sup3rSecret9"),
    ("password", 'passphrase = "{}"', "correct horse battery staple"),
    ("password", "mysql -u root --password {}", "S3cretPw1"),
    ("password", "Server=x;User Id=sa;Password={};", "P@ssw0rd1"),
    ("password", "curl -u admin:{} https://host", "S3cretPw1"),
    ("password", "CREATE USER x IDENTIFIED BY '{}'", "S3cretPw1"),
    ("password", "<password>{}</password>", "S3cretPw1"),
    ("secret", r"{{\"api_key\": \"{}\"}}".replace("{{", "{{").replace("}}", "}}"), drawn(32)),
    ("secret", "x-api-key: {}", drawn(40)),
    ("secret", "//packages.example.org/:_authToken={}", drawn(36)),
    ("private_key", "{}", pem("RSA PRIVATE KEY", drawn(64) + "\n" + drawn(40))),
    (
        "private_key",
        "{}",
        pem(
            "RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n" + drawn(64)
        ),
    ),
    ("private_key", "{}", pem("OPENSSH PRIVATE KEY", drawn(64)).replace("\n", "\\n")),
]

LOOK_ALIKES = [
    "commit " + drawn(40, HEX),
    "sha256:" + drawn(64, HEX),
    "integrity sha512-" + drawn(86) + "==",
    "550e8400-e29b-41d4-a716-446655440000",
    "api_key: your-api-key",
    "API_KEY=${TOKEN}",
    "OPENAI_API_KEY=sk-...",
    "token: <your token>",
    "password = os.environ['PW']",
    "password: Optional[str] = None",
    "const token = getToken()",
    "password: process.env.DB_PASSWORD",
    "password: ********",
    "Authorization: Bearer $TOKEN",
    "the secret: nobody knows",
    "max_tokens=4096, total_tokens: 123456789012",
    "tokenizer: cl100k_base_v2_x1",
    "secretName: my-app-tls-2",
    "http://user:password@host and https://user:${PASS}@host",
    "git@github.com:x/y.git http://localhost:8080/a@b",
    "sk-learn-something-long-name-here",
    "cache_key = abcdef1234567890abcdef",
    "AKIAXXXXXXXXXXXXXXXX",
    "tests pass: 123 of 130",
    "--- PASS: TestTruncate/truncate_at_u2 (0.00s)",
    "ssh-rsa AAAAB3NzaC1yc2E" + drawn(80),
    pem("PUBLIC KEY", drawn(64)),
    pem("CERTIFICATE", drawn(64)),
    "toolu_01A09q90qw90lq917835lq9 req_011CSHoEeqs5C35K2UUqR7Fy",
]

HOSTILE = [
    "password=",
    "password='password=\"",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n-a-",
    "://a:",
    "sk-",
    "eyJ-",
    "api_key=",
    "ghp_",
    "curl -u ",
    "token='a1b2c3d4e5f6'",
    "MMMMMMMMMMMMMMMMMMMMMMMM.aaaaaa.",
    "a",
]


@pytest.mark.parametrize(("kind", "around", "secret"), SECRETS)
def test_a_secret_is_replaced_by_its_kind_and_nothing_else_changes(
    kind: str, around: str, secret: str
) -> None:
    text = around.replace("{}", secret)
    assert redact(text) == around.replace("{}", f"{REDACTED}{kind}]")


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_a_look_alike_stays_as_it_is(text: str) -> None:
    assert redact(text) is text


def test_text_without_a_secret_comes_back_as_the_same_object() -> None:
    text = (
        "We chose PostgreSQL because the pass rate was higher; the key point is latency. "
        "Ünïcode \ud800 stays."
    )
    assert redact(text) is text


def test_a_key_that_is_cut_off_goes_and_the_talk_after_it_stays() -> None:
    text = f"-----BEGIN PRIVATE KEY-----\n{drawn(64)}\n{drawn(64)}\nand then we talked"
    assert redact(text) == f"{REDACTED}private_key]\nand then we talked"
    assert (
        redact("-----BEGIN PRIVATE KEY----- is how it starts")
        == "-----BEGIN PRIVATE KEY----- is how it starts"
    )


def test_text_beside_a_secret_keeps_every_character() -> None:
    text = "naïve \ud800 żółw password=hunter2! 日本"
    assert redact(text) == f"naïve \ud800 żółw password={REDACTED}password] 日本"


def test_a_password_that_is_cut_inside_a_character_leaves_whole_characters() -> None:
    assert "\ufffd" not in redact("password=a1" + "é" * 900)


secret_like = st.sampled_from(
    [around.replace("{}", secret) for _, around, secret in SECRETS] + LOOK_ALIKES + HOSTILE
)
pieces = st.lists(
    st.one_of(secret_like, st.text(max_size=12), st.sampled_from(list("]=:'\" \n&"))), max_size=8
)


@settings(max_examples=300)
@given(pieces)
def test_a_second_pass_changes_nothing(parts: list[str]) -> None:
    once = redact("".join(parts))
    assert redact(once) == once


@settings(max_examples=100)
@given(st.sampled_from(SECRETS), st.text(max_size=30))
def test_a_secret_between_two_lines_of_anything_is_found(
    case: tuple[str, str, str], noise: str
) -> None:
    _, around, secret = case
    noise = noise.replace(REDACTED, "")
    assert secret not in redact(f"{noise}\n{around.replace('{}', secret)}\n{noise}")


def test_nested_data_is_redacted_with_the_key_as_context() -> None:
    token = "ghp_" + drawn(36)
    value = {
        "password": "hunter2",
        "args": [{"cmd": f"push {token}"}, 1, None, True],
        token: "x",
        "token": "short",
        "note": "token",
    }
    assert redact_value(value) == {
        "password": f"{REDACTED}password]",
        "args": [{"cmd": f"push {REDACTED}github]"}, 1, None, True],
        f"{REDACTED}github]": "x",
        "token": "short",
        "note": "token",
    }


def test_data_nested_too_deep_is_cut_not_followed() -> None:
    value: object = "ghp_" + drawn(36)
    for _ in range(900):
        value = [value]
    assert "ghp_" not in str(redact_value(value))


def test_every_kind_is_a_plain_word() -> None:
    assert all(kind.replace("_", "a").isalnum() and kind.islower() for kind in KINDS)


def test_the_second_layer_only_adds_to_the_first() -> None:
    text = "password=hunter2! and nothing else"
    assert redact(text, is_deep=True) == redact(text)


@given(st.lists(st.one_of(secret_like, st.text(max_size=40)), max_size=8))
@settings(max_examples=200)
def test_asking_only_for_what_stands_in_the_texts_finds_the_same(texts: list[str]) -> None:
    marks = select_rules(texts)
    assert [redact(text, rules=marks) for text in texts] == [redact(text) for text in texts]


keys = st.one_of(
    st.sampled_from(
        ["password", "api_key", "Authorization", "cookie", "login", "command", "private-lines"]
    ),
    st.text(max_size=9),
)


@given(
    st.recursive(
        st.one_of(secret_like, st.text(max_size=20), st.integers()),
        lambda inner: st.dictionaries(keys, inner, max_size=4),
        max_leaves=8,
    )
)
@settings(max_examples=200)
def test_in_nested_data_too(value: object) -> None:
    assert redact_value(
        value, rules=select_rules([json.dumps(value, ensure_ascii=False)])
    ) == redact_value(value)


def test_equal_secrets_stay_equal_and_another_key_hides_them_otherwise() -> None:
    first, second = "ghp_" + drawn(36), "ghp_" + drawn(36)
    text = redact(f"{first} {second} {first}", key=b"k" * 32).split(" ")
    assert text[0] == text[2] != text[1] and re.fullmatch(
        r"\[REDACTED:github:[0-9a-f]{8}\]", text[0]
    )
    assert redact(first, key=b"j" * 32) != text[0] and redact(first) == "[REDACTED:github]"


def test_placeholders_old_and_new_are_left_as_they_are() -> None:
    text = (
        "password=[REDACTED:password] token: [REDACTED:secret:0123abcd], authorization: "
        "[REDACTED:authorization:0123abcd] [REDACTED:pass"
    )
    assert redact(text, key=b"k" * 32) is text


def test_what_is_compared_for_ever_has_no_hashes() -> None:
    assert (
        remove_hashes("a [REDACTED:github:0123abcd] b [REDACTED:pattern]")
        == "a [REDACTED:github] b [REDACTED:pattern]"
    )
    assert count_secrets(
        [
            "[REDACTED:a:00000001] [REDACTED:a:00000002]",
            "[REDACTED:b:00000003] [REDACTED:a:00000001]",
        ]
    ) == {"a": 2, "b": 1}


def test_a_piece_of_a_secret_that_was_found_whole_is_found_too() -> None:
    token = "ghp_" + drawn(36)
    replacer = RememberingReplacer(lambda: b"k" * 32, (), is_deep=False)
    placeholder = replacer.redact(token)
    assert (
        replacer.redact_pieces(f"About {token[:24]}… and {token[9:33]}.")
        == f"About {placeholder}… and {placeholder}."
    )
    text = "About a [REDACTED:github:0123abcd] and ghp_ alone"
    assert replacer.redact_pieces(text) is text


def test_the_second_layer_replaces_what_it_finds_in_the_same_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Finding:
        start, end, action, type = 4, 12, "redact", "Odd-Kind 7"

    module = type("module", (), {"scan": lambda _text: [Finding], "SecretScanError": ValueError})
    monkeypatch.setitem(sys.modules, "redact_secret", module)
    assert re.fullmatch(
        r"the \[REDACTED:odd_kind_7:[0-9a-f]{8}\] word",
        redact("the unusual8 word", key=b"k" * 32, is_deep=True),
    )


def test_sets_are_spelt_out_and_mean_the_same() -> None:
    for source in (rb"[\w.-]+", rb"[^\s\\]\w", rb"\s[\d\]x]*", rb"\[\w[\w]"):
        sample = bytes(range(256)) + b"[a]_ 9x\\"
        assert re.findall(source, sample) == re.findall(expand_classes(source), sample)


@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ((3, 11, 2), rb"a++(?:b{1,9}+c)*(d)?(e){0,3}f\++"),
        ((3, 11, 5), rb"a++(?:b{1,9}+c)*+(d)?+(e){0,3}+f\++"),
    ],
)
def test_possessive_groups_are_only_used_where_python_gets_them_right(
    version: tuple[int, ...], wanted: bytes
) -> None:
    assert make_portable(rb"a++(?:b{1,9}+c)*+(d)?+(e){0,3}+f\++", version=version) == wanted


@pytest.mark.parametrize("colour", ["\x1b[1m", "\x1b[32m", "\x1b[0;31m", "\\u001b[1;36m"])
def test_a_token_in_a_colour_of_the_terminal_is_found(colour: str) -> None:
    token = "ghp_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))
    assert token not in redact(f"token is {colour}{token}\x1b[0m now")


@pytest.mark.parametrize("end", ["", "     9→-----END RSA PRIVATE KEY-----\n"])
def test_a_private_key_with_the_numbers_of_its_lines_goes_whole(end: str) -> None:
    drawn = random.Random(7)
    lines = [
        "".join(drawn.choices(string.ascii_letters + string.digits + "+/", k=64)) for _ in range(7)
    ]
    shown = (
        "     1→-----BEGIN RSA PRIVATE KEY-----\n"
        + "".join(f"     {at}→{line}\n" for at, line in enumerate(lines, 2))
        + end
    )
    cleaned = redact(f"the file:\n{shown}")
    assert not any(line in cleaned for line in lines)


# Prefixes that only a key has, and what may stand behind them in a note.
TELLING = [
    "sk-ant-",
    "sk-proj-",
    "ghp_",
    "glpat-",
    "hf_",
    "npm_",
    "gsk_",
    "hvs.",
    "lin_api_",
    "r8_",
]


@pytest.mark.parametrize("prefix", TELLING)
@pytest.mark.parametrize("body", ["kJ8xQ2mZ7pLwN4", "a1b2c3d4e5f60", "Ab12Cd34Ef56Gh78Ij9"])
def test_a_key_that_is_shorter_than_its_vendor_makes_them_leaves(prefix: str, body: str) -> None:
    cleaned = redact(f"use {prefix}{body} there")
    assert body not in cleaned
    assert cleaned.endswith(" there")


@pytest.mark.parametrize(
    "text",
    [
        "sk-ant-colony-optimizer-2024-tutorial",
        "sk-ant-your-api-key-goes-here-please",
        "sk-ant-xxxxxxxxxxxxxxxx",
        "npm_package_version2",
        "hf_transfer2024",
        "glpat-tokens-explained-in-ten-steps",
        "ghp_pages_deploy_2023",
        "pplx-multilingual2024v2release",
        "gsk_aaaaaaaa1111aa1",
    ],
)
def test_a_name_that_begins_like_a_key_stays(text: str) -> None:
    assert redact(f"see {text} for it") == f"see {text} for it"
