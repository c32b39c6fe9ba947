"""Projects and possible duplicates among them as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, format_counts
from memctl.results.projects import Doubt, ProjectReport, ProjectView


def render_projects(data: ProjectReport) -> Iterator[str]:
    """Projects, and what is doubtful about them."""
    for view in data.items:
        yield from _render_project(view)
    if not data.items:
        yield "No project is known yet."
    for doubt in data.doubtful:
        yield f"doubtful: {flatten(format_doubt(doubt))}"
    if data.doubtful:
        yield "Settle it with `memctl project settle`, or `memctl project adopt` and `memctl project apart`."


def format_doubt(doubt: Doubt) -> str:
    """One doubt as a person reads it."""
    newer = f"{doubt.name} ({doubt.project_id}, {doubt.root_path or 'no folder'})"
    older = f"{doubt.other_name} ({doubt.other_id}, {doubt.other_root_path or 'no folder'})"
    return f"{newer} may be {older}, {doubt.why}"


def _render_project(view: ProjectView) -> Iterator[str]:
    project = view.project
    yield f"{project.id}  {flatten(project.name)}  {format_counts(view.records, 'no records')}"
    yield from (f"    {kind}: {flatten(value)}" for kind, value in project.aliases)
    yield from (f"    linked with: {flatten(other)}" for other in view.linked)
