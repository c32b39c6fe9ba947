"""The optional second layer: what the package redact-secret finds besides our own rules."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import REDACTED
from memctl.core.typing_lite import Any

_NO_KIND = compile_later(r"[^a-z0-9_]+")


def apply_second_layer(text: str, placeholder: Callable[[str, str], str]) -> str:
    """Replace what the package redact-secret finds by `placeholder(kind, secret)`.

    Returns the text itself if the package is not installed or refuses the text.
    """
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
        secret = text[finding.start : finding.end]
        if finding.action not in ("redact", "block") or finding.start < done or REDACTED in secret:
            continue
        pieces += [
            text[done : finding.start],
            placeholder(_NO_KIND.sub("_", finding.type.lower())[:40], secret),
        ]
        done = finding.end
    return "".join([*pieces, text[done:]])
