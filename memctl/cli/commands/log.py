"""`memctl log`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command
from memctl.cli.options import Limit, Since, build_choice_parser
from memctl.results.store import LogReport

_KINDS = ("events", "retrievals", "changes")
Kind = Annotated[
    str,
    argument(
        parser=build_choice_parser(*_KINDS),
        metavar="KIND",
        help="events (captures and their processing), retrievals, or changes (to records).",
    ),
]


@command("memctl log", "memctl log changes --since 7d", "memctl log retrievals --limit 5 --json")
def run(call: Call, kind: Kind = "events", limit: Limit = 20, since: Since = None) -> LogReport:
    """Show captures, retrievals or changes to records, newest first."""
    return call.engine.history.log(kind, limit=limit, since=since)
