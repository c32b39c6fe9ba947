"""`memctl model`: the language model that maintenance may ask."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import command
from memctl.results.language_model import ModelReport

HELP = "The language model that maintenance may ask (none unless you configure one)."


@command("memctl model status", "memctl model status --json", codes=(2,))
def status(call: Call) -> ModelReport:
    """Show the configured model, what it used today and may still use, and recent errors.

    This does not call the model.
    """
    return call.engine.upkeep.model_status()


COMMANDS = {"status": status}
