"""What clients can read beside calling tools: the project's context, a record, the digest.

Each is Markdown that says itself that it is reference data. Arguments of templates complete to what
is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from memctl.core import clock, timestamps
from memctl.core.errors import NotFound
from memctl.core.model import CONTEXT_NOTICE, Filter
from memctl.tools import answers
from memctl.tools.answers import Answer
from memctl.tools.schemas import declare_id, declare_object, declare_text
from memctl.tools.tool import Desk, Tool

CONTEXT_URI = "memctl://context"
DIGEST_URI = "memctl://digest"
PROJECT_TEMPLATE = "memctl://context/{project}"
RECORD_TEMPLATE = "memctl://record/{id}"
MARKDOWN = "text/markdown"
# The argument that each template has, by its URI.
TEMPLATE_ARGUMENTS = {PROJECT_TEMPLATE: "project", RECORD_TEMPLATE: "id"}
# How far back the digest looks.
DIGEST_DAYS = 7
_DIGEST_ENTRIES = 30
_SECONDS_PER_DAY = 86_400
# Records that completion looks through, the last changed first, and values that it offers.
_COMPLETED_RECORDS = 200
MOST_COMPLETIONS = 50


def find_reading(uri: str) -> tuple[Tool, dict[str, Any], str | None]:
    """Find what reads a URI: the tool, its arguments, and the project if it names one. Raises
    NotFound.
    """
    kind, _, rest = uri.removeprefix("memctl://").partition("/")
    name = unquote(rest)
    if uri == CONTEXT_URI:
        return CONTEXT, {}, None
    if uri == DIGEST_URI:
        return DIGEST, {}, None
    if uri.startswith("memctl://") and kind == "context" and name:
        return CONTEXT, {}, name
    if uri.startswith("memctl://") and kind == "record" and name:
        return RECORD, {"id": name}, None
    raise NotFound(f"there is no resource {uri[:100]!r}")


def _read_context(desk: Desk, given: Mapping[str, Any]) -> Answer:
    report = desk.engine.context_for(place=desk.find_place(), budget=desk.max_tokens)
    return answers.build_answer(text=report.text or "Nothing is known here yet.\n")


def _read_record(desk: Desk, given: Mapping[str, Any]) -> Answer:
    desk.find_place()
    view = desk.engine.records.show(given["id"])
    told = answers.tell_record(view, characters=desk.max_tokens * 3)
    lines = [f"# {view.memory.title}", "", CONTEXT_NOTICE, "", str(told.pop("text")), ""]
    lines += [f"- {name}: {_say(value)}" for name, value in told.items()]
    lines += [f'- evidence: "{answers.cut_text(proof.quote)}"' for proof in view.evidence[:5]]
    return answers.build_answer(text="\n".join(lines) + "\n")


def _read_digest(desk: Desk, given: Mapping[str, Any]) -> Answer:
    desk.find_place()
    since = timestamps.add_seconds(clock.now(), seconds=-DIGEST_DAYS * _SECONDS_PER_DAY)
    report = desk.engine.history.digest(since=since, limit=_DIGEST_ENTRIES)
    lines = [f"# What changed since {since[:10]}", "", CONTEXT_NOTICE, ""]
    for entry in report.entries:
        for change in entry.changes:
            title = answers.cut_text(change.title or "", 120)
            lines.append(
                f"- {entry.at[:10]} {change.verb} [{change.short}] {title} ({entry.actor})"
            )
    waiting = ", ".join(f"{count} {name}" for name, count in report.waiting.items() if count)
    lines += ["", f"Waiting for the operator: {waiting or 'nothing'}."]
    return answers.build_answer(text="\n".join(lines) + "\n")


def _complete(desk: Desk, given: Mapping[str, Any]) -> Answer:
    desk.find_place()
    begun = (given["value"] or "").lower()
    if given["argument"] == "project":
        named = [view.project.name for view in desk.engine.projects.list().items]
        return {"values": sorted({name for name in named if name.lower().startswith(begun)})}
    page = desk.engine.records.list(
        Filter(statuses=("active", "contradicted")), limit=_COMPLETED_RECORDS
    )
    fitting = [
        view.short
        for view in page.items
        if view.short.lower().startswith(begun) or (begun and begun in view.memory.title.lower())
    ]
    return {"values": fitting}


def _say(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def build_record_uri(record_id: str) -> str:
    """The URI of a record."""
    return f"memctl://record/{quote(record_id, safe='')}"


CONTEXT = Tool("context", "", declare_object(), _read_context, is_reading=True)
RECORD = Tool(
    "record", "", declare_object(["id"], id=declare_id("")), _read_record, is_reading=True
)
DIGEST = Tool("digest", "", declare_object(), _read_digest, is_reading=True)
COMPLETION = Tool(
    "completion",
    "",
    declare_object(["argument"], argument=declare_text(""), value=declare_text("")),
    _complete,
    is_reading=True,
)
