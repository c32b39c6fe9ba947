"""Filters over records, from options."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.cli.call import Call
from memctl.core.model import SOURCE_KINDS, Filter
from memctl.core.typing_lite import Any


def build_filter(
    call: Call, *, project: str | None = None, source: str | None = None, **options: Any
) -> Filter:
    """Build a filter from options; the project is looked up by name, and `source` is an id or a
    kind of source. Raises NotFound.
    """
    if source is not None:
        options["source_kind" if source in SOURCE_KINDS else "source_ref"] = source
    project_id = call.engine.place(None, project=project).project_id if project else None
    ready: dict[str, Any] = {
        name: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for name, value in options.items()
    }
    return Filter(
        project_id=project_id, **{name: value for name, value in ready.items() if value is not None}
    )
