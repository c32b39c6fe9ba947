"""`memctl ingest`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memctl.cli import declarations, input_files, memory_files
from memctl.cli.call import Call, drop_unset
from memctl.cli.command import command
from memctl.cli.options import (
    Agent,
    Global,
    Moment,
    NewScope,
    NewType,
    ProjectName,
    Session,
    parse_entity,
)
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.core.model import EntityRef, NewMemory
from memctl.results.records import IngestReport


@command(
    'memctl ingest "Tests run with pytest -q" --kind command',
    'memctl ingest "Times are stored in UTC" --type decision --rationale "local times repeat when clocks change"',
    "git log -1 --format=%B | memctl ingest - --type episode",
    "memctl ingest --file memories.yaml",
    codes=(20, 21),
)
def run(
    call: Call,
    content: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="What to remember; - or nothing reads standard input."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", metavar="FILE", help="Many at once: .yaml, .json or .jsonl, all or none."
        ),
    ] = None,
    type_: NewType = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Refines the type: constraint, command, fact, convention ...",
        ),
    ] = None,
    scope: NewScope = None,
    title: Annotated[
        str | None,
        typer.Option("--title", metavar="TEXT", help="One line (else its first sentence)."),
    ] = None,
    summary: Annotated[
        str | None, typer.Option("--summary", metavar="TEXT", help="One or two sentences.")
    ] = None,
    rationale: Annotated[
        str | None, typer.Option("--rationale", metavar="TEXT", help="Why, for a decision.")
    ] = None,
    alternatives: Annotated[
        list[str] | None,
        typer.Option(
            "--alternative", metavar="TEXT", help="What was decided against (repeatable)."
        ),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Option("--subject", metavar="TEXT", help="What it is about: one subject, one truth."),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", min=0, max=1, metavar="0..1", help="How sure it is."),
    ] = None,
    always_load: Annotated[
        bool, typer.Option("--always-load", help="In every context of its scope.")
    ] = False,
    valid_from: Moment = None,
    valid_until: Moment = None,
    entities: Annotated[
        list[EntityRef] | None,
        declarations.option(
            "--entity",
            parser=parse_entity,
            metavar="KIND:NAME",
            help="Whom or what it speaks of (repeatable).",
        ),
    ] = None,
    project: ProjectName = None,
    everywhere: Global = False,
    agent: Agent = None,
    session: Session = None,
) -> IngestReport:
    """Write memories by hand. They are active at once where policy allows, else they wait in the inbox."""
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
            "agent_id": agent,
            "session_id": session,
        }
    )
    if file and content:
        raise UsageError("--file and a text exclude each other")
    defaults = {"type": "project", **flags}
    items = (
        memory_files.read_memories(file, defaults)
        if file
        else [replace(NewMemory("project", input_files.read_statement(content)), **defaults)]
    )
    place = call.place_to_write(
        project, everywhere=everywhere or not _local(items), session=session
    )
    return call.engine.ingest(items, place=place, file=file)


def _local(items: list[NewMemory]) -> bool:
    """Whether any of them belongs to a project; only then is the folder's project made known."""
    return any(item.type != "profile" and item.scope != "global" for item in items)
