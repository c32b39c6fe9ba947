"""The settings in force as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.cli_results import SettingsReport
from memctl.cli.text.formatting import flatten
from memctl.core.typing_lite import Any


def render_settings(data: SettingsReport) -> Iterator[str]:
    """Yield every setting with its value and its origin."""
    yield data.path if data.exists else f"{data.path} (does not exist; using defaults)"
    for item in data.items:
        yield f"{item.key} = {_format_setting(item.value)}  ({item.origin})"


def _format_setting(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return flatten(str(value)) or '""'
