"""`memctl report`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command, option
from memctl.results.store import ReportFile


@command("memctl report", "memctl report --out memories.html --force", "memctl report --open")
def run(
    call: Call,
    out: Annotated[
        Path | None,
        option("--out", metavar="FILE", help="The file (default: report.html beside the store)."),
    ] = None,
    opened: Annotated[bool, option("--open", help="Open it in the browser.")] = False,
    force: Annotated[bool, option("--force", help="Replace a file that is there already.")] = False,
) -> ReportFile:
    """Write an HTML page about the store: growth, inbox, links, freshness, retrieval, conflicts.

    The page is complete in itself: it loads nothing, runs nothing, and follows your dark or light
    setting. Only you can read the file. It holds titles of records.
    """
    report = call.engine.upkeep.write_report(out, replaces=force)
    if opened:
        import webbrowser

        webbrowser.open(Path(report.path).as_uri())
    return report
