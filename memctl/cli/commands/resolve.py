"""`memctl resolve`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import DryRun, ProjectName, Reason
from memctl.cli.values_by_id import parse_values_by_id
from memctl.core import model
from memctl.results.conflicts import ResolveReport


@command(
    "memctl resolve 01JV3KQX2M 01JV3KR7AA --keep 01JV3KR7AA --reason 'measured again'",
    "memctl resolve --supersede 01JV3KR7AA 01JV3KQX2M --dry-run",
    "memctl resolve 01JV3KQX2M 01JV3KR7AA --both --until 01JV3KQX2M=2026-03-01",
    "memctl resolve 01JV3KQX2M 01JV3KR7AA --both --scope 01JV3KQX2M=repo",
    "memctl resolve 01JV3KQX2M 01JV3KR7AA --dismiss --reason 'two services'",
    codes=(20, 21),
)
def run(
    call: Call,
    ids: Annotated[
        list[str] | None,
        argument(metavar="ID", help="The two records, or the id of the contradiction."),
    ] = None,
    keep: Annotated[
        str | None,
        option("--keep", metavar="ID", help="Keep this one; the other is superseded or rejected."),
    ] = None,
    supersede: Annotated[
        tuple[str, str] | None,
        option("--supersede", metavar="NEW OLD", help="The new record supersedes the old one."),
    ] = None,
    both: Annotated[
        bool,
        option("--both", help="Both hold; say with --scope, --from and --until where and when."),
    ] = False,
    dismiss: Annotated[
        bool, option("--dismiss", help="They do not contradict each other.")
    ] = False,
    scope: Annotated[
        list[str] | None,
        option(
            "--scope",
            metavar="ID=SCOPE",
            help=f"Where it holds, of {', '.join(model.SCOPES)} (repeatable).",
        ),
    ] = None,
    from_: Annotated[
        list[str] | None,
        option("--from", metavar="ID=TIME", help="From when it holds (repeatable)."),
    ] = None,
    until: Annotated[
        list[str] | None,
        option("--until", metavar="ID=TIME", help="Until when it held (repeatable)."),
    ] = None,
    project: ProjectName = None,
    reason: Reason = None,
    dry_run: DryRun = False,
) -> ResolveReport:
    """Resolve a contradiction. All of it is one change, which one `memctl revert` undoes.

    Both records stay readable, with their evidence, the link and the reason.
    """
    return call.engine.conflicts.resolve(
        ids or (),
        call.place(project),
        keep=keep,
        supersede=supersede or (),
        both=both,
        dismiss=dismiss,
        scopes=parse_values_by_id(scope, "--scope"),
        starts=parse_values_by_id(from_, "--from"),
        ends=parse_values_by_id(until, "--until"),
        reason=reason,
        dry_run=dry_run,
    )
