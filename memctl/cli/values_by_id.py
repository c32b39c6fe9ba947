"""What `memctl resolve` is told of the sides of a contradiction."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core.errors import UsageError


def parse_values_by_id(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Values by id, from words like `01JV3KQX2M=2026-03-01`. Raises UsageError."""
    found = {}
    for text in given or ():
        record, mark, value = text.partition("=")
        if not (mark and record.strip() and value.strip()):
            raise UsageError(f"{option} takes ID=VALUE, not {text!r}")
        found[record.strip()] = value.strip()
    return found
