"""`memctl edit`."""

from __future__ import annotations

from memctl.cli import yaml_editor
from memctl.cli.call import Call, drop_unset
from memctl.cli.declarations import Annotated, command, option
from memctl.cli.options import Moment, NewScope, NewTags, NewType, Reason, RecordId, parse_tag
from memctl.core.errors import UsageError
from memctl.core.typing_lite import Any
from memctl.results.records import ChangeReport


@command(
    'memctl edit 01JV3KQX2M --title "Times are stored in UTC"',
    "memctl edit 01JV3KQX2M --project harbor-tides",
    "memctl edit 01JV3KQX2M --tag tides --untag harbour",
    "memctl edit 01JV3KQX2M --editor",
    codes=(20, 21),
)
def run(
    call: Call,
    record: RecordId,
    type_: NewType = None,
    kind: Annotated[str | None, option("--kind", metavar="KIND", help="Refines the type.")] = None,
    project: Annotated[
        str | None,
        option("--project", metavar="NAME", help="Move it to this project, by name or id."),
    ] = None,
    scope: NewScope = None,
    title: Annotated[str | None, option("--title", metavar="TEXT", help="One line.")] = None,
    content: Annotated[
        str | None, option("--content", metavar="TEXT", help="The whole statement.")
    ] = None,
    summary: Annotated[
        str | None, option("--summary", metavar="TEXT", help="One or two sentences.")
    ] = None,
    subject: Annotated[str | None, option("--subject", metavar="TEXT", help="The subject.")] = None,
    rationale: Annotated[
        str | None, option("--rationale", metavar="TEXT", help="The rationale of a decision.")
    ] = None,
    confidence: Annotated[
        float | None,
        option("--confidence", min=0, max=1, metavar="0..1", help="The confidence."),
    ] = None,
    always_load: Annotated[
        bool | None,
        option(
            "--pin/--unpin",
            "--always-load/--on-demand",
            help="Begin every context of its scope with it, or tell it only where relevant.",
        ),
    ] = None,
    protected: Annotated[
        bool | None,
        option(
            "--protect/--unprotect", help="Exempt it from fading and from being archived by age."
        ),
    ] = None,
    tags: NewTags = None,
    untag: Annotated[
        list[str] | None,
        option("--untag", parser=parse_tag, metavar="TAG", help="Take this tag off (repeatable)."),
    ] = None,
    valid_from: Moment = None,
    valid_until: Moment = None,
    reason: Reason = None,
    editor: Annotated[
        bool, option("--editor", help="Open the record in $VISUAL or $EDITOR.")
    ] = False,
) -> ChangeReport:
    """Change fields of a record in place; the event log keeps the old values.

    To replace a record that turned out wrong, use `memctl correct`.
    """
    changes: dict[str, Any] = drop_unset(
        {
            "type": type_,
            "kind": kind,
            "project": project,
            "scope": scope,
            "title": title,
            "content": content,
            "summary": summary,
            "subject": subject,
            "rationale": rationale,
            "confidence": confidence,
            "always_load": always_load,
            "protected": protected,
            "valid_from": valid_from,
            "valid_until": valid_until,
            "add_tags": tags,
            "drop_tags": untag,
        }
    )
    if editor:
        changes |= yaml_editor.edit_record(call.engine.records.show(record))
    if not changes:
        raise UsageError("nothing to change", hint="name a field, such as --title, or use --editor")
    place = call.place() if scope == "repo" else None
    return call.engine.records.edit(record, changes, reason=reason, place=place)
