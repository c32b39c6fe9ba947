"""`memctl daily`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.results.journal import DailyReport


@command(
    "memctl daily",
    "memctl daily yesterday --project harbor-tides",
    "memctl daily 2026-03-09 --dir ~/notes",
    codes=(11, 20),
)
def run(
    call: Call,
    day: Annotated[
        str | None,
        argument(metavar="DAY", help="A date, today or yesterday (default: today)."),
    ] = None,
    project: Annotated[
        str | None,
        option("--project", metavar="NAME", help="Only this project, by name or id."),
    ] = None,
    folder: Annotated[
        Path | None,
        option(
            "--dir",
            metavar="FOLDER",
            help="Write it below this folder, into daily/DAY.md (default: journal.dir).",
        ),
    ] = None,
) -> DailyReport:
    """Write a note of one day, by project: what was captured, decided, changed, settled, retired.

    Without a folder the note is printed. A file that is there is brought up to date; what you wrote
    into it is kept. What waits in the inbox is counted, not quoted.
    """
    return call.engine.journal.keep_daily_note(day, project=project, folder=folder)
