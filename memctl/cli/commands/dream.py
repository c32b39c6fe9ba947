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
            help="Tell sessions of so many days (default: journal.days).",
        ),
    ] = None,
    budget: Annotated[
        int | None,
        option(
            "--budget",
            parser=parse_token_count,
            metavar="TOKENS",
            help="What each may cost (default: journal.memory_budget).",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        option(
            "--dir",
            metavar="FOLDER",
            help="Where MEMORY.md stands (default: journal.dir).",
        ),
    ] = None,
    stage: Annotated[
        bool, option("--stage", help="Keep what is new as a version that waits for you.")
    ] = False,
    approve: Annotated[
        str | None,
        option("--approve", metavar="ID", help="Write this staged version into MEMORY.md."),
    ] = None,
    reject: Annotated[
        str | None,
        option("--reject", metavar="ID", help="Turn it down: the same is not staged again."),
    ] = None,
    restore: Annotated[
        str | None,
        option(
            "--restore", metavar="ID", help="Go back to this version, but for what holds no more."
        ),
    ] = None,
    diff: Annotated[
        bool, option("--diff", help="Show what staged versions change, line by line.")
    ] = False,
    history: Annotated[
        bool, option("--history", help="List the versions: what each changed, and why.")
    ] = False,
    no_model: Annotated[
        bool, option("--no-model", help="Let no model word lines, though one is set.")
    ] = False,
) -> DreamReport:
    """Propose a new MEMORY.md: what holds, why, and what changed, each line with its record.

    There is one of each project, and one of what holds everywhere. It is shown, or staged with
    --stage; only you can approve it. What you wrote into the file stays as it is. `maintain` stages
    one a night once journal.dir is set.
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
