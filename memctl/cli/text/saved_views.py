"""Saved views as lines of text. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from memctl.cli.text.formatting import flatten
from memctl.results.saved_views import ViewReport

# Options that are spelled otherwise than what they are called in data; words that stand by themselves have no spelling.
_SPELLINGS = {
    "query": "",
    "types": "--type",
    "kinds": "--kind",
    "scopes": "--scope",
    "everywhere": "--global",
}


def render_saved_views(data: ViewReport) -> Iterator[str]:
    """Saved views, each as its options would be typed."""
    for view in data.items:
        yield "  ".join(
            part
            for part in (
                data.outcome or "",
                flatten(view.name),
                " ".join([view.kind, *_list_option_words(view.options)]),
            )
            if part
        )
        if view.unknown:
            yield f"    made by a newer memctl, not understood here: {', '.join(map(flatten, view.unknown))}"
    if not data.items:
        yield "No saved views."


def _list_option_words(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        spelling = _SPELLINGS.get(name, f"--{name.replace('_', '-')}")
        for item in value if isinstance(value, list) else [value]:
            yield " ".join(
                part
                for part in (spelling, "" if item is True else shlex.quote(flatten(str(item))))
                if part
            )
