"""Projects and possible duplicates among them as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, format_counts
from memctl.results.projects import Doubt, ProjectReport, ProjectView


def render_projects(data: ProjectReport) -> Iterator[str]:
    """Yield projects, and pairs that may be one."""
    waiting = {doubt.project_id for doubt in data.doubtful}
    for view in data.items:
        yield from _render_project(view, is_waiting=view.project.id in waiting)
    if not data.items:
        yield "No project is known yet."
    yield from (f"doubtful: {flatten(format_doubt(doubt))}" for doubt in data.doubtful)
    if data.doubtful:
        yield (
            "Decide with `memctl project settle`, or with `memctl project adopt` and"
            " `memctl project apart`."
        )


def format_doubt(doubt: Doubt) -> str:
    """Return why two projects may be one."""
    newer = f"{doubt.name} ({doubt.project_id}, {doubt.root_path or 'no folder'})"
    older = f"{doubt.other_name} ({doubt.other_id}, {doubt.other_root_path or 'no folder'})"
    return f"{newer} may be {older}, {doubt.why}"


def _render_project(view: ProjectView, *, is_waiting: bool) -> Iterator[str]:
    project = view.project
    mark = "  waits for the operator" if is_waiting else ""
    counts = format_counts(view.records, "no records")
    yield f"{project.id}  {flatten(project.name)}  {counts}{mark}"
    yield from (f"    {kind}: {flatten(value)}" for kind, value in project.aliases)
    yield from (f"    linked with: {flatten(other)}" for other in view.linked)
