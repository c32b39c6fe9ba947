"""`memctl capture-session`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli import declarations, input_files
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, command
from memctl.cli.options import CapturedAt, CapturedFor, CapturedScope, Session
from memctl.results.captures import CaptureReport


@command(
    "memctl capture-session ~/.claude/projects/harbor/5f1d2c3b.jsonl",
    "memctl capture-session rollout.jsonl --agent codex --json",
    "memctl capture-session --agent claude-code < hook-input.json",
    codes=(20, 30, 31),
)
def run(
    call: Call,
    file: Annotated[
        Path | None,
        declarations.argument(
            metavar="FILE",
            help="The transcript (default: the agent's hook JSON on standard input).",
        ),
    ] = None,
    agent: Annotated[
        str | None,
        declarations.option(
            "--agent",
            metavar="NAME",
            help="The agent of the transcript (default: detected by content).",
        ),
    ] = None,
    session: Session = None,
    cwd: CapturedAt = None,
    project: CapturedFor = None,
    scope: CapturedScope = None,
) -> CaptureReport:
    """Capture one session of a coding agent.

    Secrets are removed and the turns are stored; `memctl maintain` extracts memories later.
    Capturing a session again adds only what is new. If the store is busy or not there, the session
    waits in the spool folder. Without a project, its candidates wait in the inbox and are served
    only in that session.
    """
    transcript = input_files.find_file(file)
    if transcript is not None:
        return call.tell_missing_store(
            call.engine.capture_session(
                transcript, agent=agent, session_id=session, cwd=cwd, project=project, scope=scope
            )
        )
    raw = input_files.read_piped(
        "no transcript", hint="name a file, or give the agent's hook JSON on standard input"
    )
    return call.tell_missing_store(
        call.engine.captures.capture_piped(
            raw, agent=agent, session_id=session, cwd=cwd, project=project, scope=scope
        )
    )
