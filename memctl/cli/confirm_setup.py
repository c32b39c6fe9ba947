"""Before `memctl setup` writes anything, the person is shown what, and agrees."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memctl.cli import prompts
from memctl.cli.text import setup
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.results.setup import SetupReport


def list_agents(given: Sequence[str] | None, *, every: bool) -> tuple[str, ...]:
    """The agents asked for, each once; none for those that are here. Raises UsageError."""
    if every and given:
        raise UsageError("--all and names exclude each other")
    return tuple(dict.fromkeys(given or ()))


def confirm_and_set_up(
    plan: SetupReport, carry_out: Callable[[SetupReport], SetupReport], *, yes: bool
) -> SetupReport:
    """Carry a plan out if the person agrees or said so beforehand; with nobody to ask the plan itself is the answer, and nothing is done.

    Raises Interrupted on a no.
    """
    if not any(
        item.state == "planned" or item.commands or _has_changes(item.files) for item in plan.items
    ):
        return carry_out(plan)
    if not yes and not prompts.is_person():
        return replace(plan, unanswered=True)
    if not yes:
        prompts.say(*setup.render_setup_plan(plan))
        prompts.require_consent(
            "Take this out?" if plan.action == "undo" else "Write this?", yes=False
        )
    return carry_out(plan)


def _has_changes(files: Sequence[object]) -> bool:
    return any(getattr(file, "action", "") in ("create", "change", "delete") for file in files)
