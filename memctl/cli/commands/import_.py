"""`memctl import`."""

from __future__ import annotations

from pathlib import Path

from memctl.cli import prompts
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import DryRun
from memctl.results.store import TransferReport

_ANSWERS = {"y": "mine", "yours": "mine", "mine": "mine", "": "unknown", "u": "unknown"}


@command(
    "memctl import memories.jsonl --dry-run",
    "memctl import memories.jsonl",
    "memctl import memories.jsonl --from mine",
    "memctl import shared.jsonl --from Ana",
    codes=(1, 21, 30),
)
def run(
    call: Call,
    file: Annotated[Path, argument(metavar="FILE", help="A file that `memctl export` wrote.")],
    whose: Annotated[
        str | None,
        option(
            "--from",
            metavar="WHO",
            help="Whose memory it is: `mine`, a name, or `unknown`. At a terminal you are asked.",
        ),
    ] = None,
    dry_run: DryRun = False,
) -> TransferReport:
    """Merge an export by id. Bad lines are reported and skipped; no record gains trust.

    Only your own export is imported unchanged. From any other, no record ranks above an agent's
    claim, and each says whose export it came from. Records about you, or that tell agents what to
    do, wait in the inbox. Only you, at a terminal, can say that an export is yours; one you
    exported there is recognised.
    """
    origin = whose or _ask_whose(call, file)
    with call.show_progress("importing", "reading the file", "items") as progress:
        return call.engine.import_(file, origin=origin, dry_run=dry_run, progress=progress)


def _ask_whose(call: Call, file: Path) -> str | None:
    """Whose export it is, as far as the operator is here to say so."""
    if not call.engine.actor.is_operator:
        return None
    if call.engine.is_own_export(file):
        return "mine"
    if not prompts.is_person():
        return None
    answer = prompts.ask(
        "Whose memory is this? y = yours, u = unknown, or the name of whose it is [u]"
    )
    return _ANSWERS.get(answer.lower(), answer)
