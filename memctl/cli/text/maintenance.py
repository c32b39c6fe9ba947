"""Maintenance runs and their steps as lines of text. Pure.

One line a step, and none for a step that had nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.cli.text.formatting import flatten, format_count, format_time, render_flags
from memctl.results.maintenance import (
    ConsolidationReport,
    MaintainReport,
    StepReport,
    StepsReport,
    StepState,
)

# What maintenance counts, in the words of a person: for one, and for several where those differ.
_COUNT_WORDS = {
    "spool_taken": ("taken from the spool", ""),
    "logs_taken": ("log line taken in", "log lines taken in"),
    "turns": ("turn", "turns"),
    "read_again": ("conversation read again", "conversations read again"),
    "jobs_done": ("capture processed", "captures processed"),
    "jobs_failed": ("capture failed", "captures failed"),
    "jobs_waiting": ("capture waiting", "captures waiting"),
    "proposed": ("candidate proposed", "candidates proposed"),
    "duplicates": ("duplicate merged", "duplicates merged"),
    "rejected_again": ("known as rejected", ""),
    "episodes": ("episode", "episodes"),
    "promoted": ("promoted by rule", ""),
    "contradictions": ("contradiction", "contradictions"),
    "expired": ("expired", ""),
    "archived": ("archived", ""),
    "logs_pruned": ("log line pruned", "log lines pruned"),
    "reindexed": ("indexed anew", ""),
    "embedded": ("record embedded", "records embedded"),
    "vectors_indexed": ("vector indexed", "vectors indexed"),
    "compared": ("record compared", "records compared"),
    "merge": ("duplicate merged", "duplicates merged"),
    "contradict": ("contradiction", "contradictions"),
    "propose": ("supersession proposed", "supersessions proposed"),
    "supersede": ("superseded", ""),
    "widen": ("wider fact proposed", "wider facts proposed"),
    "mutes_proposed": ("mute proposed", "mutes proposed"),
    "muted": ("candidate of a muted rule left out", "candidates of muted rules left out"),
    "corroborated": ("repetition seen again", "repetitions seen again"),
    "known": ("repetition known already", "repetitions known already"),
    "projects": ("project checked", "projects checked"),
    "loaded": ("record chosen", "records chosen"),
    "digests_written": ("weekly digest written", "weekly digests written"),
    "digests_rewritten": ("weekly digest rewritten", "weekly digests rewritten"),
    "recorded": ("line of history written", "lines of history written"),
    "changes": ("change waits in the digest", "changes wait in the digest"),
    "merges": ("piece of the index merged", "pieces of the index merged"),
    "steps_pruned": ("old step pruned", "old steps pruned"),
    "drafts_removed": ("unfinished file removed", "unfinished files removed"),
    "backups": ("copy made", "copies made"),
    "calls": ("question to the model", "questions to the model"),
    "tokens": ("token", "tokens"),
    "cost": ("cost", "cost"),
    "answered": ("answer", "answers"),
    "cached": ("answer known already", "answers known already"),
    "unusable": ("answer of no use", "answers of no use"),
    "failed": ("question failed", "questions failed"),
    "given_up": ("question passed over", "questions passed over"),
    "unfounded": (
        "claim without its words in the source dropped",
        "claims without their words in the source dropped",
    ),
    "not_theirs": (
        "claim of somebody who cannot make it dropped",
        "claims of those who cannot make them dropped",
    ),
    "unfaithful": (
        "wording that says something else dropped",
        "wordings that say something else dropped",
    ),
    "reflections": ("reflection proposed", "reflections proposed"),
    "wordings": ("clearer wording proposed", "clearer wordings proposed"),
    "judged_contradicts": ("pair judged contradictory", "pairs judged contradictory"),
    "judged_updates": ("pair judged outdated", "pairs judged outdated"),
    "judged_duplicate": ("pair judged the same", "pairs judged the same"),
    "judged_unrelated": ("pair judged unrelated", "pairs judged unrelated"),
}


def render_maintenance(data: MaintainReport) -> Iterator[str]:
    """One run of maintenance, or its plan."""
    if data.dry_run and data.steps:
        yield from _render_plan(data)
    else:
        yield from _render_run(data)
    yield from (f"problem: {flatten(text)}" for text in data.problems)
    yield from render_flags(data.flags)
    if data.inbox:
        yield f"in the inbox: {data.inbox} (see memctl inbox)"


def render_steps(data: StepsReport) -> Iterator[str]:
    """What the steps are for, and how they fared."""
    for state in data.items:
        yield f"{state.name:<12} {state.description}"
        yield f"{'':<12} {'; '.join(_list_step_facts(state))}"


def _render_run(data: MaintainReport) -> Iterator[str]:
    told = [line for step in data.steps if (line := _format_step(step))]
    if told:
        yield from told
        return
    totals = format_work_done({name: int(getattr(data, name, 0)) for name in _COUNT_WORDS})
    yield f"would be: {totals}" if totals and data.dry_run else totals or "nothing to do"


def _format_step(step: StepReport) -> str | None:
    """What there is to say of a step; None of one that did nothing, or that merely was not due."""
    did = format_work_done(step.counts)
    if step.state == "unfinished":
        did = "; ".join(
            part for part in (did, f"{flatten(step.reason)}; the next run continues") if part
        )
    if step.state == "failed":
        did = "; ".join(part for part in (did, f"failed: {flatten(step.reason)}") if part)
    if step.state == "skipped" and any(
        word in step.reason for word in ("another maintain run", "which failed", "no time")
    ):
        did = f"skipped: {flatten(step.reason)}"
    return (
        f"{step.name:<12} {did}" + (f" ({step.seconds:.1f} s)" if step.seconds >= 0.1 else "")
        if did
        else None
    )


def _render_plan(data: MaintainReport) -> Iterator[str]:
    yield "would take these steps:"
    for step in data.steps:
        if step.state != "skipped":
            reserved = ""
            if step.reserved_seconds is not None:
                reserved = f" (at least {step.reserved_seconds:.1f} s of the budget)"
            yield f"  {step.name:<12} {flatten(step.reason)}{reserved}"
    yield from (
        f"not {step.name}: {flatten(step.reason)}" for step in data.steps if step.state == "skipped"
    )


def _list_step_facts(state: StepState) -> Iterator[str]:
    if state.off_reason:
        yield f"off: {state.off_reason}"
    if state.needs:
        yield f"needs {', '.join(state.needs)}"
    if state.state is None:
        yield "never ran"
        return
    took = (
        f" in {state.seconds:.1f} s" if state.seconds is not None and state.seconds >= 0.1 else ""
    )
    did = format_work_done(state.counts)
    yield f"{state.state} at {format_time(state.started_at or '')}{took}" + (
        f": {did}" if did else ""
    )
    if state.error:
        yield flatten(state.error)
    if state.due_at:
        yield f"due at {format_time(state.due_at)}"


def format_work_done(did: Mapping[str, int | float]) -> str:
    """What was done, in words: what counts nothing is left out."""
    return ", ".join(_format_counter(name, many) for name, many in did.items() if many)


def _format_counter(name: str, many: int | float) -> str:
    return (
        format_count(int(many), *_find_count_words(name))
        if many == int(many)
        else f"{many:g} {_find_count_words(name)[1]}"
    )


def _find_count_words(name: str) -> tuple[str, str]:
    words = flatten(name.replace("_", " "))
    one, several = _COUNT_WORDS.get(name, (words, words))
    return one, several or one


def render_consolidation(data: ConsolidationReport) -> Iterator[str]:
    """What consolidation did or would do."""
    would = "would " if data.dry_run else ""
    yield from (
        f"{would}{step.action}  {step.id}  {step.other}  {flatten(step.reason)}"
        for step in data.steps
    )
    yield f"{format_count(len(data.steps), 'step')}, {format_count(data.looked_at, 'record')} looked at."
