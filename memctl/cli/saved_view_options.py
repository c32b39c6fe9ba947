"""A saved view under a command line: what the view says, where the command line says nothing of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl.cli.call import Call
from memctl.cli.declarations import MalformedValue
from memctl.cli.options import parse_moment, parse_past_moment
from memctl.core.errors import UsageError

# Options that answer one question: where one of them is given, the view's other ones have no say.
_EXCLUSIVE_OPTIONS = ({"project", "everywhere"},)


def apply_view(call: Call, kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a call with those of its view below them; words beside the view are added to its own. Raises NotFound, UsageError."""
    call.agent = given.get("agent")
    said = {name: value for name, value in given.items() if _is_set(value) and name != "view"}
    view = call.engine.views.read_options(given["view"], kind)
    for rivals in _EXCLUSIVE_OPTIONS:
        if rivals & said.keys():
            view = {name: value for name, value in view.items() if name not in rivals}
    view |= {
        name: _parse_view_time(name, view[name]) for name in ("since", "as_of") if name in view
    }
    query = [*([view["query"]] if "query" in view else []), *said.get("query", ())]
    return {**view, **said, **({"query": query} if query else {})}


def _is_set(value: object) -> bool:
    return value is not None and value is not False and value != () and value != []


def _parse_view_time(name: str, text: str) -> str:
    try:
        return parse_past_moment(text) if name == "as_of" else parse_moment(text)
    except MalformedValue as error:
        raise UsageError(f"the view's {name}: {error}") from error
