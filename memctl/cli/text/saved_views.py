"""Saved views as lines of text. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from memctl.cli.text.formatting import flatten
from memctl.core.typing_lite import Any
from memctl.results.saved_views import ViewReport

# Options whose spelling differs from their name in data. Arguments have no spelling.
_SPELLINGS = {
    "query": "",
    "types": "--type",
    "kinds": "--kind",
    "tags": "--tag",
    "scopes": "--scope",
    "everywhere": "--global",
}


def render_saved_views(data: ViewReport) -> Iterator[str]:
    """Yield saved views, each with its options as they would be typed."""
    for view in data.items:
        command = " ".join([view.kind, *_list_option_words(view.options)])
        parts = (data.outcome or "", flatten(view.name), command)
        yield "  ".join(part for part in parts if part)
        if view.unknown:
            names = ", ".join(map(flatten, view.unknown))
            yield f"    made by a newer memctl, not understood here: {names}"
    if not data.items:
        yield "No saved views."


def _list_option_words(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        spelling = _SPELLINGS.get(name, f"--{name.replace('_', '-')}")
        for item in value if isinstance(value, list) else [value]:
            word = "" if item is True else shlex.quote(flatten(str(item)))
            yield " ".join(part for part in (spelling, word) if part)
