"""`memctl profile`: facts about you, the operator."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.input_files import read_argument
from memctl.cli.options import AsOf
from memctl.results.records import ChangeReport, IngestReport, Page

HELP = "Facts about you and your preferences: agents read them, only you write them."
Key = Annotated[
    str,
    argument(metavar="KEY", help="A short name for the fact, such as language or editor."),
]


@command(
    'memctl profile set language "Answer in British English"',
    "memctl profile set timezone Europe/Lisbon --kind fact",
    codes=(21,),
)
def set_(
    call: Call,
    key: Key,
    value: Annotated[
        str,
        argument(metavar="TEXT", help="The fact, as a sentence or a value; - for standard input."),
    ],
    kind: Annotated[
        str, option("--kind", metavar="KIND", help="preference, fact, workflow ...")
    ] = "preference",
    always_load: Annotated[
        bool,
        option(
            "--pin/--unpin",
            "--always-load/--on-demand",
            help="Begin every context with it, or tell it only where relevant.",
        ),
    ] = True,
) -> IngestReport:
    """Set a fact about you. An earlier value is superseded and kept."""
    return call.engine.upsert_profile_fact(
        key, read_argument(value), kind=kind, always_load=always_load
    )


@command(
    "memctl profile list", "memctl profile list --as-of 2026-01-31", "memctl profile list --json"
)
def list_(call: Call, as_of: AsOf = None) -> Page:
    """List the facts in force."""
    return call.engine.records.list_profile(as_of=as_of)


@command("memctl profile unset editor", codes=(20, 21))
def unset(call: Call, key: Key) -> ChangeReport:
    """Archive a fact; `memctl revert` restores it."""
    return call.engine.records.unset_profile_fact(key)


COMMANDS = {"set": set_, "list": list_, "unset": unset}
