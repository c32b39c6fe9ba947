"""The rest of `memctl setup` at a terminal: from connected agents to a first useful context.

Each step is offered only where there is something to do, can be skipped, and says how it is done
later and undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from memctl.cli import confirm_setup, prompts, review_inbox
from memctl.cli.call import Call
from memctl.cli.confirm_setup import WantedSetup
from memctl.cli.text.formatting import format_count, format_size
from memctl.core.errors import Interrupted, MemctlError
from memctl.core.frozen import dataclass
from memctl.core.model import Filter
from memctl.results.setup import SetupReport

# Seconds for which the first upkeep works at most; the next run goes on. Chosen by hand.
_FIRST_UPKEEP_SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class GuideStep:
    """One step: what is asked, how it is done later and undone, and what does it."""

    question: str
    later: str
    act: Callable[[], None]


def set_up(call: Call, wanted: WantedSetup, *, yes: bool) -> SetupReport:
    """Connect what is wanted; where a person named nothing, go on to the first context."""
    is_whole = wanted == WantedSetup((), kind=wanted.kind, reader=wanted.reader, mcp=wanted.mcp)
    is_path = is_whole and not yes and prompts.is_person()
    report = confirm_setup.set_up(call.engine.setup, wanted, yes=yes, skips=is_path)
    if is_path and not report.unanswered:
        with confirm_setup.explain_stop():
            _go_on(call)
    return report


def _go_on(call: Call) -> None:
    for offer in (_offer_timer, _offer_sessions, _offer_memories, _offer_upkeep, _offer_review):
        try:
            for step in offer(call):
                prompts.say("", f"{step.question}", f"  {step.later}")
                if _agrees():
                    step.act()
        except Interrupted:
            raise
        except MemctlError as error:
            prompts.say(f"memctl: {error}", *([f"  {error.hint}"] if error.hint else []))
    _show_first_context(call)


def _agrees() -> bool:
    """Ask until the answer is one; Enter is a yes. Raises Interrupted where the person stops."""
    while True:
        answer = prompts.ask("[Y/n]").lower()
        if answer in ("", "y", "yes"):
            return True
        if answer in ("n", "no", "s", "skip"):
            return False
        if answer in ("q", "quit"):
            raise Interrupted("stopped")
        prompts.say("  y: do it, n: skip it, q: stop here")


def _offer_timer(call: Call) -> Iterator[GuideStep]:
    only = WantedSetup(("timer",))
    try:
        plan = only.plan(call.engine.setup)
    except MemctlError:
        prompts.say("", "No timer can be installed here: hooks start the upkeep.")
        return
    if not any(item.state == "planned" for item in plan.items):
        return
    yield GuideStep(
        "Let a timer run `memctl maintain` every 15 minutes? Without one, hooks start it.",
        "later: memctl setup timer; undo: memctl setup timer --undo",
        lambda: _tell(only.carry_out(call.engine.setup, plan)),
    )


def _tell(report: SetupReport) -> None:
    from memctl.cli.text.setup import render_setup_plan

    prompts.say(*render_setup_plan(report, with_changes=False))


def _offer_sessions(call: Call) -> Iterator[GuideStep]:
    plan = call.engine.setup.backfill(dry_run=True)
    if not plan.files:
        return
    agents = ", ".join(agent.agent for agent in plan.agents if agent.files)
    yield GuideStep(
        f"Capture {format_count(plan.files, 'past session')} of {agents}"
        f" ({format_size(plan.bytes)})? They stay on this machine.",
        "later: memctl backfill [--since 30d]; undo: memctl purge --source ID, or reject its"
        " candidates",
        lambda: _capture_sessions(call),
    )


def _capture_sessions(call: Call) -> None:
    with call.show_progress("capturing", "looking for sessions", in_bytes=True) as progress:
        report = call.engine.setup.backfill(progress=progress)
    prompts.say(f"  {format_count(report.sessions, 'session')} captured")


def _offer_memories(call: Call) -> Iterator[GuideStep]:
    plan = call.engine.setup.import_memories(found=True, cwd=Path.cwd(), dry_run=True)
    files = [item for item in plan.items if item.new]
    if not files:
        return
    count = sum(item.new for item in files)
    yield GuideStep(
        f"Propose {format_count(count, 'rule')} that other tools keep, from"
        f" {format_count(len(files), 'file')} such as {files[0].path}?",
        "they wait in the inbox; later: memctl import-memories --found; undo: memctl inbox"
        " --reject-all --source document",
        lambda: _import_memories(call),
    )


def _import_memories(call: Call) -> None:
    report = call.engine.setup.import_memories(found=True, cwd=Path.cwd())
    count = sum(item.new for item in report.items)
    prompts.say(f"  {format_count(count, 'candidate')} in the inbox")


def _offer_upkeep(call: Call) -> Iterator[GuideStep]:
    status = call.engine.upkeep.status()
    if not (status.queue.get("queued") or status.spool):
        return
    waiting = format_count(status.queue.get("queued", 0), "captured session")
    yield GuideStep(
        f"Read {waiting} now, for at most three minutes?",
        "later: memctl maintain, which the timer or a hook starts; undo: memctl inbox"
        " --reject-all --source conversation",
        lambda: _maintain(call),
    )


def _maintain(call: Call) -> None:
    with call.show_progress("reading", "looking for sessions") as progress:
        report = call.engine.maintain(
            progress=progress, at_step=progress.begin, budget=_FIRST_UPKEEP_SECONDS
        )
    failed = [step.name for step in report.steps if step.state == "failed"]
    if failed:
        prompts.say(f"  failed: {', '.join(failed)} (see memctl doctor)")
    else:
        prompts.say("  read")


def _offer_review(call: Call) -> Iterator[GuideStep]:
    total = call.engine.inbox.list(limit=1).total
    if not total:
        return
    yield GuideStep(
        f"{format_count(total, 'candidate')} found. Decide on them now, one by one?",
        "no agent is told of them before you approve; later: memctl review; undo: u there, or"
        " memctl undo",
        lambda: _review(call),
    )


def _review(call: Call) -> None:
    review_inbox.review_waiting(call.engine, call.place(), Filter(statuses=("inbox",)))


def _show_first_context(call: Call) -> None:
    """Show what an agent that starts in this folder is told."""
    text = call.engine.context_for(place=call.place(), session_start=False).text
    if not text:
        prompts.say("", "Done. Your agents' next sessions are captured when they end.")
        return
    lines = text.strip().splitlines()
    prompts.say("", "This is what an agent that starts in this folder is told:", "", *lines)
    prompts.say("", "Every day: memctl review, memctl search. To remove it: memctl uninstall")
