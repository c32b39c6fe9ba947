"""Before `memctl setup` writes anything, the person is shown what, and agrees."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memctl.cli import prompts
from memctl.cli.text import connect
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.results.setup import SetupReport


def names(given: Sequence[str] | None, *, every: bool) -> tuple[str, ...]:
    """The agents asked for, each once; none for those that are here. Raises UsageError."""
    if every and given:
        raise UsageError("--all and names exclude each other")
    return tuple(dict.fromkeys(given or ()))


def agreed(
    plan: SetupReport, carry_out: Callable[[SetupReport], SetupReport], *, yes: bool
) -> SetupReport:
    """Carry a plan out if the person agrees or said so beforehand; with nobody to ask the plan itself is the answer, and nothing is done.

    Raises Interrupted on a no.
    """
    if not any(
        item.state == "planned" or item.commands or _changes(item.files) for item in plan.items
    ):
        return carry_out(plan)
    if not yes and not prompts.is_person():
        return replace(plan, unanswered=True)
    if not yes:
        prompts.say(*connect.plan(plan))
        prompts.agreed("Take this out?" if plan.action == "undo" else "Write this?", yes=False)
    return carry_out(plan)


def _changes(files: Sequence[object]) -> bool:
    return any(getattr(file, "action", "") in ("create", "change", "delete") for file in files)
