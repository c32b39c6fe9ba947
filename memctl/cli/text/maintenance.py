"""Maintenance as lines of text: one a step, and none for a step that had nothing to do. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memctl.cli.text.records import at, flags, flat, number
from memctl.results.maintenance import MaintainReport, StepReport, StepsReport, StepState

# What maintenance counts, in the words of a person: for one, and for several where those differ.
_DID = {
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
    "places": ("place looked at", "places looked at"),
    "weeks_told": ("week told in a digest", "weeks told in digests"),
    "weeks_retold": ("digest of a week told anew", "digests of weeks told anew"),
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


def maintenance(data: MaintainReport) -> Iterator[str]:
    """One run of maintenance, or its plan."""
    if data.dry_run and data.steps:
        yield from _plan(data)
    else:
        yield from _run(data)
    yield from (f"problem: {flat(text)}" for text in data.problems)
    yield from flags(data.flags)
    if data.inbox:
        yield f"in the inbox: {data.inbox} (see memctl inbox)"


def steps(data: StepsReport) -> Iterator[str]:
    """What the steps are for, and how they fared."""
    for state in data.items:
        yield f"{state.name:<12} {state.says}"
        yield f"{'':<12} {'; '.join(_facts(state))}"


def _run(data: MaintainReport) -> Iterator[str]:
    told = [line for step in data.steps if (line := _line(step))]
    if told:
        yield from told
        return
    totals = did_words({name: int(getattr(data, name, 0)) for name in _DID})
    yield f"would be: {totals}" if totals and data.dry_run else totals or "nothing to do"


def _line(step: StepReport) -> str | None:
    """What there is to say of a step; None of one that did nothing, or that merely was not due."""
    did = did_words(step.did)
    if step.state == "unfinished":
        did = "; ".join(
            part for part in (did, f"{flat(step.reason)}; the next run goes on") if part
        )
    if step.state == "failed":
        did = "; ".join(part for part in (did, f"failed: {flat(step.reason)}") if part)
    if step.state == "skipped" and any(
        word in step.reason for word in ("another run", "which failed", "no time")
    ):
        did = f"skipped: {flat(step.reason)}"
    return (
        f"{step.name:<12} {did}" + (f" ({step.seconds:.1f} s)" if step.seconds >= 0.1 else "")
        if did
        else None
    )


def _plan(data: MaintainReport) -> Iterator[str]:
    yield "would take these steps:"
    for step in data.steps:
        if step.state != "skipped":
            sure = f" (at least {step.sure:.1f} s of the budget)" if step.sure is not None else ""
            yield f"  {step.name:<12} {flat(step.reason)}{sure}"
    yield from (
        f"not {step.name}: {flat(step.reason)}" for step in data.steps if step.state == "skipped"
    )


def _facts(state: StepState) -> Iterator[str]:
    if state.off:
        yield f"off: {state.off}"
    if state.needs:
        yield f"needs {', '.join(state.needs)}"
    if state.state is None:
        yield "never ran"
        return
    took = (
        f" in {state.seconds:.1f} s" if state.seconds is not None and state.seconds >= 0.1 else ""
    )
    did = did_words(state.did)
    yield f"{state.state} at {at(state.started_at or '')}{took}" + (f": {did}" if did else "")
    if state.error:
        yield flat(state.error)
    if state.due_at:
        yield f"due at {at(state.due_at)}"


def did_words(did: Mapping[str, int | float]) -> str:
    """What was done, in words: what counts nothing is left out."""
    return ", ".join(_counted(name, many) for name, many in did.items() if many)


def _counted(name: str, many: int | float) -> str:
    return number(int(many), *_named(name)) if many == int(many) else f"{many:g} {_named(name)[1]}"


def _named(name: str) -> tuple[str, str]:
    words = flat(name.replace("_", " "))
    one, several = _DID.get(name, (words, words))
    return one, several or one


MAKERS: dict[type, Callable[[Any], Iterator[str]]] = {
    MaintainReport: maintenance,
    StepsReport: steps,
}
