"""Before `memctl setup` writes anything, the person sees what, and is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memctl.cli import prompts
from memctl.cli.text.setup import render_setup_plan
from memctl.core.errors import UsageError
from memctl.core.frozen import replace
from memctl.results.setup import SetupFile, SetupReport


def list_agents(names: Sequence[str] | None, *, every: bool) -> tuple[str, ...]:
    """Return the named agents, each once; none for all that are found. Raises UsageError."""
    if every and names:
        raise UsageError("--all and names exclude each other")
    return tuple(dict.fromkeys(names or ()))


def confirm_and_set_up(
    plan: SetupReport, carry_out: Callable[[SetupReport], SetupReport], *, yes: bool
) -> SetupReport:
    """Carry out a plan if the person agrees, or agreed beforehand with `yes`.

    Where nobody can be asked, nothing is done and the plan is the answer. Raises Interrupted on a
    no.
    """
    if not _has_work(plan):
        return carry_out(plan)
    if not yes and not prompts.is_person():
        return replace(plan, unanswered=True)
    if not yes:
        prompts.say(*render_setup_plan(plan))
        question = "Remove this?" if plan.action == "undo" else "Write this?"
        prompts.require_consent(question, yes=False)
    return carry_out(plan)


def _has_work(plan: SetupReport) -> bool:
    return any(
        item.state == "planned" or item.commands or _has_changes(item.files) for item in plan.items
    )


def _has_changes(files: Iterable[SetupFile]) -> bool:
    return any(file.action in ("create", "change", "delete") for file in files)
