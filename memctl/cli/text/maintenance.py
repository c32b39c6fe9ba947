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

# What maintenance counts, in words: the singular, and the plural where it differs.
_COUNT_WORDS = {
    "finished": ("cut-off operation finished", "cut-off operations finished"),
    "spool_taken": ("capture taken from the spool", "captures taken from the spool"),
    "logs_taken": ("log line stored", "log lines stored"),
    "turns": ("turn", "turns"),
    "read_again": ("conversation read again", "conversations read again"),
    "jobs_done": ("capture processed", "captures processed"),
    "jobs_failed": ("capture failed", "captures failed"),
    "jobs_waiting": ("capture waiting", "captures waiting"),
    "files_read": ("changed file read", "changed files read"),
    "files_missing": ("imported file is missing", "imported files are missing"),
    "lines_new": ("new line", "new lines"),
    "lines_changed": ("changed line", "changed lines"),
    "lines_moved": ("moved line", "moved lines"),
    "lines_gone": ("deleted line", "deleted lines"),
    "lines_back": ("line back", "lines back"),
    "proposed": ("candidate proposed", "candidates proposed"),
    "duplicates": ("duplicate merged", "duplicates merged"),
    "rejected_again": ("rejected before", ""),
    "episodes": ("episode", "episodes"),
    "retold": ("episode rewritten", "episodes rewritten"),
    "promoted": ("promoted by rule", ""),
    "contradictions": ("contradiction", "contradictions"),
    "expired": ("expired", ""),
    "archived": ("archived", ""),
    "logs_pruned": ("log line pruned", "log lines pruned"),
    "reindexed": ("reindexed", ""),
    "turns_indexed": ("captured turn indexed", "captured turns indexed"),
    "checksums": ("row given its checksum", "rows given their checksums"),
    "embedded": ("record embedded", "records embedded"),
    "slots_read": ("record read for what it answers", "records read for what they answer"),
    "vectors_indexed": ("vector indexed", "vectors indexed"),
    "compared": ("record compared", "records compared"),
    "merge": ("duplicate merged", "duplicates merged"),
    "contradict": ("contradiction", "contradictions"),
    "propose": ("supersession proposed", "supersessions proposed"),
    "supersede": ("superseded", ""),
    "widen": ("wider fact proposed", "wider facts proposed"),
    "marked": (
        "record marked that a newer one may replace",
        "records marked that newer ones may replace",
    ),
    "mutes_proposed": ("mute proposed", "mutes proposed"),
    "muted": ("candidate of a muted rule left out", "candidates of muted rules left out"),
    "corroborated": ("repetition seen again", "repetitions seen again"),
    "known": ("known repetition", "known repetitions"),
    "projects": ("project checked", "projects checked"),
    "loaded": ("record chosen", "records chosen"),
    "digests_written": ("weekly digest written", "weekly digests written"),
    "digests_rewritten": ("weekly digest rewritten", "weekly digests rewritten"),
    "recorded": ("event added", "events added"),
    "days_written": ("daily note written", "daily notes written"),
    "documents_staged": (
        "version of MEMORY.md waits (memctl dream --diff)",
        "versions of MEMORY.md wait (memctl dream --diff)",
    ),
    "changes": ("change waits in the digest", "changes wait in the digest"),
    "merges": ("index segment merged", "index segments merged"),
    "steps_pruned": ("old step pruned", "old steps pruned"),
    "drafts_removed": ("unfinished file removed", "unfinished files removed"),
    "backups": ("copy made", "copies made"),
    "backups_removed": ("older copy removed", "older copies removed"),
    "calls": ("question to the model", "questions to the model"),
    "tokens": ("token", "tokens"),
    "cost": ("cost", "cost"),
    "answered": ("answer", "answers"),
    "cached": ("cached answer", "cached answers"),
    "unusable": ("unusable answer", "unusable answers"),
    "failed": ("question failed", "questions failed"),
    "given_up": ("question given up", "questions given up"),
    "unfounded": (
        "claim without its words in the source dropped",
        "claims without their words in the source dropped",
    ),
    "not_theirs": (
        "claim that its speaker cannot make dropped",
        "claims that their speakers cannot make dropped",
    ),
    "unfaithful": (
        "wording with another meaning dropped",
        "wordings with another meaning dropped",
    ),
    "notes_written": ("note written", "notes written"),
    "notes_waiting": ("changed note waits for you", "changed notes wait for you"),
    "sync_sent": ("change sent", "changes sent"),
    "sync_received": ("change received", "changes received"),
    "sync_unreachable": ("place not reached", "places not reached"),
    "reflections": ("reflection proposed", "reflections proposed"),
    "wordings": ("clearer wording proposed", "clearer wordings proposed"),
    "judged_contradicts": ("pair judged contradictory", "pairs judged contradictory"),
    "judged_updates": ("pair judged outdated", "pairs judged outdated"),
    "judged_duplicate": ("pair judged the same", "pairs judged the same"),
    "judged_unrelated": ("pair judged unrelated", "pairs judged unrelated"),
}
# Reasons for which a skipped step is worth a line.
_NOTABLE_SKIPS = ("another maintain run", "which failed", "no time")
# In seconds; a shorter time is not worth mentioning.
_MIN_SECONDS = 0.1


def render_maintenance(data: MaintainReport) -> Iterator[str]:
    """Yield what one maintenance run did, or its plan."""
    if data.dry_run and data.steps:
        yield from _render_plan(data)
    else:
        yield from _render_run(data)
    yield from (f"problem: {flatten(text)}" for text in data.problems)
    yield from render_flags(data.flags)
    if data.inbox:
        yield f"in the inbox: {data.inbox} (see memctl inbox)"


def render_steps(data: StepsReport) -> Iterator[str]:
    """Yield what each step is for, and how its last run ended."""
    for state in data.items:
        yield f"{state.name:<12} {state.description}"
        yield f"{'':<12} {'; '.join(_list_step_facts(state))}"


def _render_run(data: MaintainReport) -> Iterator[str]:
    lines = [line for step in data.steps if (line := _format_step(step))]
    if lines:
        yield from lines
        return
    totals = format_work_done({name: int(getattr(data, name, 0)) for name in _COUNT_WORDS})
    if totals and data.dry_run:
        totals = f"would be: {totals}"
    yield totals or "nothing to do"


def _format_step(step: StepReport) -> str | None:
    """Return a line about a step; None for one that did nothing or was not due."""
    parts = [format_work_done(step.counts)]
    if step.state == "unfinished":
        parts.append(f"{flatten(step.reason)}; the next run continues")
    elif step.state == "failed":
        parts.append(f"failed: {flatten(step.reason)}")
    elif step.state == "skipped" and any(words in step.reason for words in _NOTABLE_SKIPS):
        parts = [f"skipped: {flatten(step.reason)}"]
    text = "; ".join(part for part in parts if part)
    if not text:
        return None
    seconds = f" ({step.seconds:.1f} s)" if step.seconds >= _MIN_SECONDS else ""
    return f"{step.name:<12} {text}{seconds}"


def _render_plan(data: MaintainReport) -> Iterator[str]:
    yield "would take these steps:"
    for step in data.steps:
        if step.state != "skipped":
            reserved = ""
            if step.reserved_seconds is not None:
                reserved = f" (at least {step.reserved_seconds:.1f} s of the budget)"
            yield f"  {step.name:<12} {flatten(step.reason)}{reserved}"
    for step in data.steps:
        if step.state == "skipped":
            yield f"not {step.name}: {flatten(step.reason)}"


def _list_step_facts(state: StepState) -> Iterator[str]:
    if state.off_reason:
        yield f"off: {state.off_reason}"
    if state.needs:
        yield f"needs {', '.join(state.needs)}"
    if state.state is None:
        yield "never ran"
        return
    line = f"{state.state} at {format_time(state.started_at or '')}"
    if state.seconds is not None and state.seconds >= _MIN_SECONDS:
        line += f" in {state.seconds:.1f} s"
    work = format_work_done(state.counts)
    yield f"{line}: {work}" if work else line
    if state.error:
        yield flatten(state.error)
    if state.due_at:
        yield f"due at {format_time(state.due_at)}"


def format_work_done(counts: Mapping[str, int | float]) -> str:
    """Return counters in words, without those that are zero."""
    return ", ".join(_format_counter(name, number) for name, number in counts.items() if number)


def _format_counter(name: str, number: int | float) -> str:
    one, several = _find_count_words(name)
    if number != int(number):
        return f"{number:g} {several}"
    return format_count(int(number), one, several)


def _find_count_words(name: str) -> tuple[str, str]:
    words = flatten(name.replace("_", " "))
    one, several = _COUNT_WORDS.get(name, (words, words))
    return one, several or one


def render_consolidation(data: ConsolidationReport) -> Iterator[str]:
    """Yield what consolidation did, or would do."""
    would = "would " if data.dry_run else ""
    for step in data.steps:
        yield f"{would}{step.action}  {step.id}  {step.other}  {flatten(step.reason)}"
    steps, records = len(data.steps), data.looked_at
    yield f"{format_count(steps, 'step')}, {format_count(records, 'record')} compared."
