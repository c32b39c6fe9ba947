"""The options of a saved view, overridden by those of the command line."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.cli.call import Call
from memctl.cli.declarations import MalformedValue
from memctl.cli.options import parse_moment, parse_past_moment
from memctl.core.errors import UsageError
from memctl.core.typing_lite import Any

# Options that answer one question: where one is given, the view's others do not count.
_EXCLUSIVE_OPTIONS = ({"project", "everywhere"},)


def apply_view(call: Call, kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a call, completed by those of its view.

    Words of the query are added to those of the view. Raises NotFound, UsageError.
    """
    call.agent = options.get("agent")
    own = {name: value for name, value in options.items() if _is_set(value) and name != "view"}
    view = call.engine.views.read_options(options["view"], kind)
    for exclusive in _EXCLUSIVE_OPTIONS:
        if exclusive & own.keys():
            view = {name: value for name, value in view.items() if name not in exclusive}
    for name in ("since", "as_of"):
        if name in view:
            view[name] = _parse_view_time(name, view[name])
    query = [view["query"]] if "query" in view else []
    query += own.get("query", ())
    return {**view, **own, **({"query": query} if query else {})}


def _is_set(value: object) -> bool:
    return value is not None and value is not False and value != () and value != []


def _parse_view_time(name: str, text: str) -> str:
    try:
        return parse_past_moment(text) if name == "as_of" else parse_moment(text)
    except MalformedValue as error:
        raise UsageError(f"the view's {name}: {error}") from error
