"""`memctl help`."""

from __future__ import annotations

from memctl.cli import help_topics
from memctl.cli.call import Call
from memctl.cli.cli_results import Raw
from memctl.cli.declarations import Annotated, argument, command


@command("memctl help", "memctl help search", "memctl help privacy", store=False)
def run(
    call: Call,
    words: Annotated[
        list[str] | None,
        argument(metavar="TOPIC", help="A command, such as `search`, or a topic of the list."),
    ] = None,
) -> Raw:
    """Explain a command or a topic; without one, list both.

    The topics are the pages of the documentation, which are installed with the program.
    """
    width = None if call.as_json else help_topics.find_width()
    return Raw(help_topics.explain_topic(words or [], width))
