"""Options that give a value to each of several records, such as `--until ID=TIME`."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core.errors import UsageError


def parse_values_by_id(words: Sequence[str] | None, option: str) -> dict[str, str]:
    """Parse words like `01JV3KQX2M=2026-03-01` to values by id. Raises UsageError."""
    values = {}
    for text in words or ():
        record, mark, value = text.partition("=")
        if not (mark and record.strip() and value.strip()):
            raise UsageError(f"{option} takes ID=VALUE, not {text!r}")
        values[record.strip()] = value.strip()
    return values
