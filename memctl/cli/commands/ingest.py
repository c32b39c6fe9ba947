"""`memctl ingest`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memctl.cli import declarations, input_files, memory_files
from memctl.cli.call import Call, drop_unset
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import (
    Agent,
    Global,
    Moment,
    NewScope,
    NewTags,
    NewType,
    ProjectName,
    Session,
    parse_entity,
)
from memctl.core.errors import StoreLocked, UsageError
from memctl.core.frozen import replace
from memctl.core.model import EntityRef, NewMemory, Place
from memctl.core.typing_lite import Any
from memctl.results.records import IngestReport


@command(
    'memctl ingest "Tests run with pytest -q" --kind command',
    'memctl ingest "Times are stored in UTC" --type decision --rationale "local times repeat"',
    "git log -1 --format=%B | memctl ingest - --type episode",
    'memctl ingest "Tide tables come from the harbour office" --tag tides --tag data/sources',
    "memctl ingest --file memories.yaml",
    codes=(20, 21),
)
def run(
    call: Call,
    content: Annotated[
        str | None,
        argument(metavar="TEXT", help="The statement; - or nothing reads standard input."),
    ] = None,
    file: Annotated[
        Path | None,
        option(
            "--file",
            metavar="FILE",
            help="A .yaml, .json or .jsonl file with many records; all are written or none.",
        ),
    ] = None,
    type_: NewType = None,
    kind: Annotated[
        str | None,
        option(
            "--kind",
            metavar="KIND",
            help="Refines the type: constraint, command, fact, convention ...",
        ),
    ] = None,
    scope: NewScope = None,
    title: Annotated[
        str | None,
        option("--title", metavar="TEXT", help="One line (default: the first sentence)."),
    ] = None,
    summary: Annotated[
        str | None, option("--summary", metavar="TEXT", help="One or two sentences.")
    ] = None,
    rationale: Annotated[
        str | None, option("--rationale", metavar="TEXT", help="The rationale of a decision.")
    ] = None,
    alternatives: Annotated[
        list[str] | None,
        option("--alternative", metavar="TEXT", help="A rejected alternative (repeatable)."),
    ] = None,
    subject: Annotated[
        str | None,
        option("--subject", metavar="TEXT", help="The subject; one statement holds about each."),
    ] = None,
    confidence: Annotated[
        float | None,
        option("--confidence", min=0, max=1, metavar="0..1", help="The confidence."),
    ] = None,
    always_load: Annotated[
        bool,
        option("--pin", "--always-load", help="Pin it: every context of its scope begins with it."),
    ] = False,
    valid_from: Moment = None,
    valid_until: Moment = None,
    entities: Annotated[
        list[EntityRef] | None,
        declarations.option(
            "--entity",
            parser=parse_entity,
            metavar="KIND:NAME",
            help="Whom or what it mentions (repeatable).",
        ),
    ] = None,
    tags: NewTags = None,
    project: ProjectName = None,
    everywhere: Global = False,
    agent: Agent = None,
    session: Session = None,
) -> IngestReport:
    """Write records by hand; where policy requires it, they wait in the inbox."""
    call.agent = agent
    flags = drop_unset(
        {
            "type": type_,
            "kind": kind,
            "scope": scope or ("global" if everywhere else None),
            "title": title,
            "summary": summary,
            "rationale": rationale,
            "alternatives": tuple(alternatives or ()),
            "subject": subject,
            "confidence": confidence,
            "always_load": always_load or None,
            "valid_from": valid_from,
            "valid_until": valid_until,
            "project": project,
            "entities": tuple(entities or ()),
            "tags": tuple(tags or ()),
            "agent_id": agent,
            "session_id": session,
        }
    )
    items = _read_items(content, file, {"type": "project", **flags})
    everywhere = everywhere or not _has_local(items)
    try:
        place = call.place_to_write(project, everywhere=everywhere, session=session)
    except StoreLocked:
        return call.leave_for_later(
            items, file=file, project=project, everywhere=everywhere, session=session
        )
    return _write_items(call, items, place, file)


def _write_items(
    call: Call, items: Sequence[NewMemory], place: Place, file: Path | None
) -> IngestReport:
    """Write, and show how far it is where a file may hold much."""
    if file is None:
        return call.engine.ingest(items, place=place)
    with call.show_progress("storing", "checking the records", "records") as progress:
        return call.engine.ingest(items, place=place, file=file, progress=progress)


def _read_items(
    content: str | None, file: Path | None, defaults: Mapping[str, Any]
) -> list[NewMemory]:
    if file and content:
        raise UsageError("--file and a text exclude each other")
    if file:
        return memory_files.read_memories(file, defaults)
    return [replace(NewMemory("project", input_files.read_statement(content)), **defaults)]


def _has_local(items: list[NewMemory]) -> bool:
    """Whether any of them belongs to a project; only then the folder's project is registered."""
    return any(item.type != "profile" and item.scope != "global" for item in items)
