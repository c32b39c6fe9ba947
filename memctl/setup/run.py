"""Carry out a plan of setup, and describe what came of it.

Only what was planned is written. The manifest records a change before it is made.
"""

import difflib
import hashlib
import shlex
from collections.abc import Iterable, Iterator, Sequence

from memctl.core.frozen import replace
from memctl.redact.redactor import Redactor, make_redactor
from memctl.results.setup import SetupFile, SetupItem, SetupReport
from memctl.settings.config import Config
from memctl.setup import disk, manifest, targets, timer
from memctl.setup.plan import AgentWork, FileStep, SetupRequest, plan_setup, plan_undo
from memctl.setup.textedit import Unfit


def run_setup(
    config: Config, request: SetupRequest, *, dry_run: bool, shown: SetupReport | None = None
) -> SetupReport:
    """Plan a setup and, without `dry_run`, carry it out.

    `shown` is the plan that the operator agreed to: files that differ from it by now are not
    written. Raises UsageError for names and folders that do not fit, MemctlError if our commands
    are not found.
    """
    kept = manifest.load_manifest(config)
    works = plan_undo(config, request, kept) if request.undo else plan_setup(config, request, kept)
    if not dry_run:
        agreed = (
            {file.path: file.digest for item in shown.items for file in item.files}
            if shown
            else None
        )
        works = [_carry_out(config, work, agreed) for work in works]
    state = "planned" if dry_run else "done"
    state_otherwise = "absent" if request.undo else "connected"
    # Without the key of the store, which might be made for it: a plan writes nothing.
    redactor = make_redactor(config).without_key()
    items = [_describe_agent(work, state, state_otherwise, redactor) for work in works]
    return SetupReport("undo" if request.undo else "setup", tuple(items), dry_run=dry_run)


def _carry_out(config: Config, work: AgentWork, agreed: dict[str, str] | None) -> AgentWork:
    """Write what was planned for one agent; the result holds what went wrong."""
    if not work.is_change:
        _forget_gone_entries(config, work.steps)
        return work
    problems = list(_run_commands(work.before))
    steps = tuple(_write_step(config, step, agreed) for step in work.steps)
    if not any(step.problem for step in steps):
        problems += _run_commands(work.behind)
    return replace(work, steps=steps, problems=(*work.problems, *problems))


def _forget_gone_entries(config: Config, steps: Iterable[FileStep]) -> None:
    """Drop manifest entries of files that are gone."""
    kept = manifest.load_manifest(config)
    gone = [
        step
        for step in steps
        if step.entry is None and any(kept.entry(step.target.path, name) for name in step.editors)
    ]
    for step in gone:
        kept = kept.without(step.target.path, step.editors)
    if gone:
        manifest.save_manifest(kept)


def _write_step(config: Config, step: FileStep, agreed: dict[str, str] | None) -> FileStep:
    if not step.is_change:
        _forget_gone_entries(config, [step])
        return step
    kept = manifest.load_manifest(config)
    try:
        if agreed is not None and agreed.get(str(step.target.path)) != _hash_step(step.spot.data):
            raise Unfit("it was changed since the plan was shown")
        if step.entry:
            manifest.save_manifest(
                kept.with_entry(step.entry).with_folders(targets.list_missing_folders(step.spot))
            )
        targets.write_target(step.spot, step.after)
    except (Unfit, OSError) as error:
        if step.entry:
            manifest.save_manifest(kept)
        return replace(
            step,
            action="left",
            problem=(error.strerror or str(error)) if isinstance(error, OSError) else str(error),
        )
    if step.entry is None:
        left = kept.without(step.target.path, step.editors)
        manifest.save_manifest(manifest.remove_left_folders(left))
    return step


def _run_commands(commands: Iterable[Sequence[str]]) -> Iterator[str]:
    """Run commands; return the messages of those that failed."""
    for command in commands:
        try:
            done = timer.run_program(command)
        except Unfit as error:
            yield str(error)
            continue
        if done.returncode:
            yield f"{shlex.join(command)}: {timer.describe_failure(done)}"


def _describe_agent(work: AgentWork, state: str, otherwise: str, redactor: Redactor) -> SetupItem:
    """One agent in the report; `otherwise` is its state where nothing had to be done."""
    files = tuple([_describe_file(step, redactor) for step in work.steps])
    left, done = any(file.problem for file in files), any(step.is_change for step in work.steps)
    if left or work.problems:
        state = "partly" if done or any(file.action == "none" for file in files) else "absent"
    elif not work.is_change:
        state = otherwise
    commands = tuple(shlex.join(command) for command in (*work.before, *work.behind))
    return SetupItem(
        work.agent, work.found, state, work.root, files, commands, work.notes, work.problems
    )


def _describe_file(step: FileStep, redactor: Redactor) -> SetupFile:
    path = str(step.target.path)
    return SetupFile(
        path,
        step.action,
        _diff_redacted(step, redactor),
        resolve_link(step.spot),
        step.problem,
        _hash_step(step.spot.data),
    )


def _diff_redacted(step: FileStep, redactor: Redactor) -> str:
    """The change as a unified diff without secrets that stand near it."""
    if not step.is_change:
        return ""
    before, after = (
        (data or b"").decode("utf-8", "replace").splitlines()
        for data in (step.spot.data, step.after)
    )
    lines = list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]
    return redactor.redact("\n".join(lines))


def resolve_link(spot: disk.FileState) -> str | None:
    return None if str(spot.real) == str(spot.path) else str(spot.real)


def _hash_step(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
