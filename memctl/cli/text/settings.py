"""The settings in force as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memctl.cli.cli_results import SettingsReport
from memctl.cli.text.formatting import flatten


def render_settings(data: SettingsReport) -> Iterator[str]:
    """Every setting with its value and its origin."""
    yield f"{data.path}{'' if data.exists else ' (not there; defaults hold)'}"
    yield from (
        f"{item.key} = {_format_setting(item.value)}  ({item.origin})" for item in data.items
    )


def _format_setting(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else flatten(str(value)) or '""'
