"""`memctl stats`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import Since, build_choice_parser
from memctl.core.errors import UsageError
from memctl.results.quality import MuteReport, QualityReport
from memctl.results.store import StatsReport

_TOPICS = ("store", "quality")
Topic = Annotated[
    str,
    argument(
        parser=build_choice_parser(*_TOPICS),
        metavar="TOPIC",
        help="store, or quality (how much you keep of what each agent and rule proposes).",
    ),
]


@command(
    "memctl stats",
    "memctl stats --plot",
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
        option("--agent", metavar="NAME", help="quality: only for sessions of this agent."),
    ] = None,
    extractor: Annotated[
        str | None,
        option(
            "--extractor",
            metavar="NAME",
            help="quality: only for this extractor (such as commands) or this format.",
        ),
    ] = None,
    rule: Annotated[
        str | None, option("--rule", metavar="NAME", help="quality: only for this rule.")
    ] = None,
    mute: Annotated[
        str | None, option("--mute", metavar="RULE", help="Stop the proposals of a rule.")
    ] = None,
    plot: Annotated[bool, option("--plot", help="Draw bars of 80 columns.")] = False,
    unmute: Annotated[
        str | None, option("--unmute", metavar="RULE", help="Let a muted rule propose again.")
    ] = None,
) -> StatsReport | QualityReport | MuteReport:
    """Show the store in numbers or the quality of proposals; mute rules."""
    call.verbose = plot
    if mute and unmute:
        raise UsageError("either --mute or --unmute")
    if mute or unmute:
        return call.engine.upkeep.mute_rule(mute or unmute or "", muted=bool(mute))
    if topic == "quality" or since or agent or extractor or rule:
        return call.engine.upkeep.quality(since=since, agent=agent, extractor=extractor, rule=rule)
    return call.engine.upkeep.stats()
