"""`memctl dream`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command, option
from memctl.cli.options import parse_count, parse_token_count
from memctl.core.errors import UsageError
from memctl.results.journal import DreamReport

_EXCLUSIVE = "name one of --stage, --approve, --reject, --restore, --diff and --history"


@command(
    "memctl dream",
    "memctl dream --project harbor-tides --stage",
    "memctl dream --diff",
    "memctl dream --approve 01JV6D2M7A --dir ~/notes",
    "memctl dream --history --project harbor-tides",
    codes=(11, 20, 21),
)
def run(
    call: Call,
    project: Annotated[
        str | None,
        option("--project", metavar="NAME", help="Only this project, by name or id."),
    ] = None,
    days: Annotated[
        int | None,
        option(
            "--days",
            parser=parse_count,
            metavar="N",
            help="Cover the sessions of the last N days (default: journal.days).",
        ),
    ] = None,
    budget: Annotated[
        int | None,
        option(
            "--budget",
            parser=parse_token_count,
            metavar="TOKENS",
            help="The maximum size of each (default: journal.memory_budget).",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        option(
            "--dir",
            metavar="FOLDER",
            help="The folder of MEMORY.md (default: journal.dir).",
        ),
    ] = None,
    stage: Annotated[
        bool, option("--stage", help="Keep the new version until you decide on it.")
    ] = False,
    approve: Annotated[
        str | None,
        option("--approve", metavar="ID", help="Write this staged version into MEMORY.md."),
    ] = None,
    reject: Annotated[
        str | None,
        option(
            "--reject", metavar="ID", help="Reject this version: the same text is not staged again."
        ),
    ] = None,
    restore: Annotated[
        str | None,
        option(
            "--restore",
            metavar="ID",
            help="Go back to this version, except for what is no longer true.",
        ),
    ] = None,
    diff: Annotated[
        bool, option("--diff", help="Show what staged versions change, line by line.")
    ] = False,
    history: Annotated[
        bool, option("--history", help="List the versions: what each changed, and why.")
    ] = False,
    no_model: Annotated[
        bool, option("--no-model", help="Do not let a model word the lines, even if one is set.")
    ] = False,
) -> DreamReport:
    """Propose a new MEMORY.md: what is true now, why, and what changed, each line with its record.

    Each project has one, and global records have one. It is shown, or staged with --stage; only you
    can approve it. What you wrote into the file stays as it is. Once journal.dir is set, `maintain`
    stages one a night.
    """
    chosen = [stage, approve, reject, restore, diff, history]
    if sum(map(bool, chosen)) > 1:
        raise UsageError(_EXCLUSIVE)
    journal = call.engine.journal
    if approve:
        return journal.approve(approve, folder=folder)
    if reject:
        return journal.reject(reject)
    if restore:
        return journal.restore(restore, folder=folder)
    if diff:
        return journal.compare_staged(project=project)
    if history:
        return journal.list_versions(project=project)
    return journal.dream(
        lookback_days=days,
        project=project,
        budget=budget,
        folder=folder,
        stages=stage,
        uses_model=not no_model,
    )
