"""Redaction for tests that need no store: without the operator's patterns, and without a key
unless one is given.
"""

from __future__ import annotations

from typing import Any

from memctl.redact.redactor import Redactor
from memctl.redact.secret_replacer import RuleSelection, SecretReplacer

PLAIN_REDACTOR = Redactor(store=None, patterns=(), is_deep=False)


def redact(
    text: str,
    *,
    key: bytes | None = None,
    is_deep: bool = False,
    rules: RuleSelection | None = None,
) -> str:
    """Redact one text."""
    return SecretReplacer(lambda: key, (), is_deep=is_deep).redact(text, rules=rules)


def redact_value(
    value: Any, *, key: bytes | None = None, rules: RuleSelection | None = None
) -> Any:
    """Redact every string in nested lists and mappings."""
    return SecretReplacer(lambda: key, (), is_deep=False).redact_value(value, rules=rules)
