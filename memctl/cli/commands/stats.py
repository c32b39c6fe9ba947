"""`memctl stats`."""

from __future__ import annotations

from typing import Annotated

import typer

from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import Since, build_choice_parser
from memctl.core.errors import UsageError
from memctl.results.quality import MuteReport, QualityReport
from memctl.results.store import StatsReport

_TOPICS = ("store", "quality")
Topic = Annotated[
    str,
    typer.Argument(
        parser=build_choice_parser(*_TOPICS),
        metavar="TOPIC",
        help="store (the store in numbers), or quality (how much of what each agent and rule proposes you keep).",
    ),
]


@command(
    "memctl stats",
    "memctl stats quality --since 90d",
    "memctl stats quality --agent codex --json",
    "memctl stats quality --mute commands.checks",
    codes=(20, 21),
)
def run(
    call: Call,
    topic: Topic = "store",
    since: Since = None,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", help="quality: only of this agent's sessions."),
    ] = None,
    extractor: Annotated[
        str | None,
        typer.Option(
            "--extractor",
            metavar="NAME",
            help="quality: only of this extractor (such as commands), or of this format.",
        ),
    ] = None,
    rule: Annotated[
        str | None, typer.Option("--rule", metavar="NAME", help="quality: only of this rule.")
    ] = None,
    mute: Annotated[
        str | None, typer.Option("--mute", metavar="RULE", help="Let a rule propose nothing more.")
    ] = None,
    unmute: Annotated[
        str | None, typer.Option("--unmute", metavar="RULE", help="Let a muted rule propose again.")
    ] = None,
) -> StatsReport | QualityReport | MuteReport:
    """The store in numbers; how much of what is proposed is kept; rules muted and heard again."""
    if mute and unmute:
        raise UsageError("either --mute or --unmute")
    if mute or unmute:
        return call.engine.upkeep.mute_rule(mute or unmute or "", muted=bool(mute))
    if topic == "quality" or since or agent or extractor or rule:
        return call.engine.upkeep.quality(since=since, agent=agent, extractor=extractor, rule=rule)
    return call.engine.upkeep.stats()
