"""After agents are connected, the person is asked whether one of them shall read too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memctl.cli import prompts
from memctl.core.frozen import replace
from memctl.results.setup import SetupItem, SetupReader, SetupReport

# The name by which `setup` knows the reader, and the answer that means none.
NAME = "reader"
NONE = "none"
_HOW = "nobody is here to choose; --reader {} chooses"
_NO_READER = "no agent that can read is installed, or maintain.model already names one"


def offer_readers(
    report: SetupReport,
    readers: Sequence[SetupReader],
    set_up: Callable[[SetupReader], SetupReport],
    *,
    is_named: bool,
) -> SetupReport:
    """Say what each agent would cost, ask, and set up the one that is chosen; no is the default.

    Where no agent is there or one reads already, or nobody can be asked, the report stays as it is;
    if the reader was asked for by name (`is_named`), it says why.
    """
    is_asked = bool(readers) and not report.unanswered and prompts.is_person()
    if not is_asked and is_named:
        why = _HOW.format(readers[0].model) if readers else _NO_READER
        item = SetupItem(NAME, bool(readers), "absent", problems=(why,))
        return replace(report, items=(*report.items, item))
    if not is_asked:
        return report
    prompts.say(
        "An agent can read your conversations for `memctl maintain`, and finds more than",
        "the rules do. The text, redacted, goes to its service.",
        "It costs what your account there costs. The daily maximum:",
        *(f"  {each.model.partition(':')[2]}: {each.limit}" for each in readers),
    )
    chosen = _ask_which(readers)
    if chosen is None:
        return report
    done = set_up(chosen)
    return replace(report, items=(*report.items, *done.items))


def _ask_which(readers: Sequence[SetupReader]) -> SetupReader | None:
    """The agent that the person names; None for a no, which is anything else."""
    if len(readers) == 1:
        answer = prompts.ask(f"Let {readers[0].title} read them? [y/N]").lower()
        return readers[0] if answer in ("y", "yes") else None
    names = {each.model.partition(":")[2]: each for each in readers}
    return names.get(
        prompts.ask(f"Which one should read them ({', '.join(names)})? [none]").lower()
    )
