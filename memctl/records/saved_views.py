"""Saved views: searches and contexts under a name.

A view keeps options as they were given (`7d`, a project's name), not what they meant then. A
definition is a JSON object with its version beside the options. One that a newer memctl made is
shown as far as it is known here; only its use is refused, because ignoring a filter would give
other results than were asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core import clock
from memctl.core.errors import NotFound, UsageError
from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Any
from memctl.redact.redactor import make_redactor
from memctl.results.saved_views import SavedView, ViewReport
from memctl.settings.config import Config
from memctl.store import saved_views
from memctl.store.database import Database
from memctl.text.private_blocks import remove_private_in_value

VERSION = 1
_NAME = compile_later(r"\w[\w.-]{0,63}")
_PLACE: Mapping[str, type] = {"project": str, "everywhere": bool, "since": str}
# What each kind of view may hold, with the type of its value; the names are those of the
# commands' options.
OPTIONS: Mapping[str, Mapping[str, type]] = {
    "search": {
        "query": str,
        "types": list,
        "kinds": list,
        "scopes": list,
        "tags": list,
        **_PLACE,
        "all_projects": bool,
        "limit": int,
        "include": list,
        "as_of": str,
        "min_confidence": float,
    },
    "context": {"task": str, "phase": str, "budget": int, "level": int, "format": str, **_PLACE},
}


def save_view(
    db: Database,
    config: Config,
    name: str,
    kind: str,
    options: Mapping[str, Any],
    *,
    replace: bool = False,
) -> ViewReport:
    """Keep options under a name; secrets in them are removed. Raises UsageError."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be a view's name",
            hint="letters, digits, - _ . (64 at most, the first no - or .)",
        )
    redactor = make_redactor(config)
    if redactor.redact(name) != name:
        raise UsageError("a view's name may not hold a secret")
    definition = {
        "version": VERSION,
        **redactor.redact_value(remove_private_in_value(_check_options(kind, options))),
    }
    with db.write():
        outcome = saved_views.put_view(db, name, kind, definition, clock.now(), replace=replace)
    if outcome is None:
        raise UsageError(
            f"there is a view called {name} already", hint="--replace puts this one in its place"
        )
    return ViewReport((_build_view(db, name),), outcome)


def show_view(db: Database, name: str) -> ViewReport:
    """Show one view. Raises NotFound."""
    return ViewReport((_build_view(db, name),))


def list_views(db: Database) -> ViewReport:
    """List all views, by name."""
    return ViewReport(tuple(map(_parse_view, saved_views.list_views(db))))


def delete_view(db: Database, name: str) -> ViewReport:
    """Delete a view. Raises NotFound."""
    with db.write():
        view = _build_view(db, name)
        saved_views.delete_view(db, name)
    return ViewReport((view,), "deleted")


def read_options(db: Database, name: str, kind: str) -> dict[str, Any]:
    """Read the options of a view that is to be used for a search or a context. Raises NotFound,
    UsageError.
    """
    view = _build_view(db, name)
    if view.kind != kind:
        raise UsageError(f"the view {name} is one of `memctl {view.kind}`, not of `memctl {kind}`")
    if view.unknown:
        raise UsageError(
            f"the view {name} holds {', '.join(view.unknown)}, which this memctl does not know: "
            "it was made by a newer memctl",
            hint=f"upgrade, or save it anew: memctl view save {name} --replace",
        )
    return dict(view.options)


def _check_options(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that say something. Raises UsageError for one that no view of this kind
    has.
    """
    if kind not in OPTIONS:
        raise UsageError(f"a view is one of {', '.join(OPTIONS)}, not {kind}")
    given = {
        key: list(value) if isinstance(value, tuple) else value for key, value in options.items()
    }
    given = {
        key: value
        for key, value in given.items()
        if value is not None and value is not False and value not in ("", [])
    }
    strange = [key for key, value in given.items() if not _has_type(kind, key, value)]
    if strange:
        raise UsageError(f"a {kind} has no {', '.join(strange)}", hint=_OTHER_KIND[kind])
    return given


_OTHER_KIND = {
    "search": "for a context: memctl view save NAME --context",
    "context": "for a search: memctl view save NAME QUERY",
}


def _has_type(kind: str, key: str, value: object) -> bool:
    wanted = OPTIONS[kind].get(key)
    if wanted is list:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return wanted is not None and (
        type(value) is wanted or (wanted is float and type(value) is int)
    )


def _build_view(db: Database, name: str) -> SavedView:
    row = saved_views.find_view(db, name)
    if row is None:
        raise NotFound(f"there is no view {name}", hint="`memctl view list` names those there are")
    return _parse_view(row)


def _parse_view(row: Mapping[str, Any]) -> SavedView:
    """Parse a stored view; what is not known here, by name or by its value, is kept apart."""
    definition = row["definition"] if isinstance(row["definition"], dict) else {}
    options = {key: value for key, value in definition.items() if key != "version"}
    known = {
        key: options[key]
        for key in OPTIONS[row["kind"]]
        if key in options and _has_type(row["kind"], key, options[key])
    }
    unknown = tuple(sorted(options.keys() - known.keys()))
    return SavedView(row["name"], row["kind"], known, row["created_at"], row["updated_at"], unknown)
