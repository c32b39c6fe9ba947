"""`memctl export`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli.call import Call
from memctl.cli.cli_results import Raw
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.results.store import TransferReport


@command(
    "memctl export memories.jsonl",
    "memctl export > memories.jsonl",
    "memctl export memories.jsonl --force",
    "memctl export --shared shared.jsonl",
    codes=(20,),
)
def run(
    call: Call,
    file: Annotated[
        Path, argument(metavar="FILE", help="The new file; - for standard output.")
    ] = Path("-"),
    force: Annotated[bool, option("--force", help="Replace a file that is there already.")] = False,
    shared: Annotated[
        bool,
        option(
            "--shared",
            help="Only what travels by `memctl sync`: the same bytes on all machines of yours that "
            "have the same.",
        ),
    ] = False,
) -> TransferReport | Raw:
    """Export everything as one JSONL file with a manifest and checksums."""
    path = None if str(file) == "-" else file
    write = call.engine.sync.export_shared if shared else call.engine.export
    report = write(path, force=force)
    return Raw(report.text) if report.text is not None and not call.as_json else report
