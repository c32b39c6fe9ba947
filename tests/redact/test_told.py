"""Secrets that people tell in their own words."""

from __future__ import annotations

import pytest
from plain_redaction import redact

WORDS = (
    "abandon ability able about above absent absorb abstract absurd abuse access accident "
    "account accuse achieve acid acoustic acquire across act action actor actress actual"
)


@pytest.mark.parametrize(
    ("told", "secret"),
    [
        ("the password for the router is Blue7Kettle!", "Blue7Kettle"),
        ("change the password to Hunter22xyz", "Hunter22xyz"),
        ("pw: kiln42x", "kiln42x"),
        ("Mein Passwort für die Datenbank lautet Fruehling!2026", "Fruehling!2026"),
        ("la contraseña del servidor es Otono2026x", "Otono2026x"),
        ("le mot de passe du serveur est Hiver_2026b", "Hiver_2026b"),
        ("a senha do banco é Verao2026porto", "Verao2026porto"),
        ("Пароль для админки — Kiln_77_x", "Kiln_77_x"),
        ("数据库密码是Qiu2026kiln。", "Qiu2026kiln"),
        ("資料庫密碼：Qiu2026kiln", "Qiu2026kiln"),
        ("データベースのパスワードは Haru2026kiln です", "Haru2026kiln"),
        ("서버 비밀번호는 Bom2026kiln 입니다", "Bom2026kiln"),
        ("كلمة مرور الخادم: Rabie2026kiln", "Rabie2026kiln"),
        ("la password è Estate2026x", "Estate2026x"),
        ("hasło do bazy: Wiosna2026x", "Wiosna2026x"),
        ("my PIN is 4821", "4821"),
        ("Meine PIN lautet 4821.", "4821"),
        ("пин-код: 4821", "4821"),
        (f"Recovery phrase: {WORDS}", "acoustic"),
        (f"my recovery phrase is {' '.join(WORDS.split()[:12])}", "absent"),
        (f"助记词：{WORDS}", "acoustic"),
        ("Mnemonic:\n" + "\n".join(f"{n}. {w}" for n, w in enumerate(WORDS.split(), 1)), "acid"),
    ],
)
def test_a_secret_told_in_words_is_redacted_whatever_the_language(told: str, secret: str) -> None:
    assert secret in told and secret not in redact(told)


@pytest.mark.parametrize(
    "said",
    [
        "the password for the router is stored in Vault",
        "das Passwort ist falsch",
        "пароль должен быть длиннее 12 символов",
        "密码使用 bcrypt2 加密，密码是必填项",
        "パスワードは8文字以上です",
        "비밀번호는 SHA256으로 해시합니다",
        "كلمة السر مطلوبة",
        "clave primaria: id_2024",
        "pin the version to 2024.1",
        "the pin for the led is 13",
        "pinned: 2024",
        "the seed is 20260917",
        "The recovery phrase has 24 words: keep them offline and never tell them to anyone else",
        "le mot de passe est dans le fichier .env",
    ],
)
def test_what_only_speaks_of_secrets_stays(said: str) -> None:
    assert redact(said) == said
