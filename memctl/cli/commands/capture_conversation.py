"""`memctl capture-conversation`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli import input_files
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command
from memctl.cli.options import CapturedAt, CapturedFor, CapturedScope
from memctl.results.captures import CaptureReport


@command(
    "memctl capture-conversation chat-export.json",
    "memctl capture-conversation - < notes.md",
    "memctl capture-conversation chat-export.json --project harbor-tides",
    codes=(20, 30, 31),
)
def run(
    call: Call,
    file: Annotated[
        Path,
        argument(
            metavar="FILE",
            help="A conversation, a document, or an export of many; - for standard input.",
        ),
    ] = Path("-"),
    cwd: CapturedAt = None,
    project: CapturedFor = None,
    scope: CapturedScope = None,
) -> CaptureReport:
    """Capture any conversation or document; its format is detected by content.

    Without a project, its candidates wait in the inbox and are not served. Set `operator.names` to
    the names you appear under, so that what others say does not count as yours.
    """
    source = input_files.find_file(file) or input_files.read_piped(
        "nothing on standard input", hint="name a file, or pipe the conversation in"
    )
    return call.tell_missing_store(
        call.engine.capture_conversation(source, cwd=cwd, project=project, scope=scope)
    )
