"""Plan a setup, carry it out, undo it, and report how things are.

The plan is made from what is on the disk, and only what was planned is written. The manifest
records a change before it is made. A file that cannot be edited safely is left as it is and named;
the others are done all the same.
"""

from __future__ import annotations

import difflib
import hashlib
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from memctl.agents import session_locations
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass, replace
from memctl.redact import redact
from memctl.results.setup import SetupFile, SetupItem, SetupReport
from memctl.settings.config import Config
from memctl.setup import disk, manifest, recipes, targets, timer
from memctl.setup.aider import ReadList
from memctl.setup.manifest import Manifest, ManifestEntry
from memctl.setup.recipes import EditedFile, Editor, Recipe, SetupContext
from memctl.setup.textedit import Unfit, cut_spans, relocate_spans

TIMER = "timer"


@dataclass(frozen=True, slots=True)
class SetupRequest:
    """What was asked for: agents (none: all that are here), undo, a repository, a kind of timer."""

    names: tuple[str, ...] = ()
    undo: bool = False
    folder: Path | None = None
    kind: str | None = None


def parse_request(
    names: Sequence[str], *, undo: bool = False, folder: Path | None = None, kind: str | None = None
) -> SetupRequest:
    """Build a request from the words of the command line. Raises UsageError for unknown names."""
    unknown = next((name for name in names if name not in recipes.NAMES), None)
    if unknown is not None:
        raise UsageError(
            f"{unknown!r} cannot be set up; known are {', '.join((*recipes.AGENTS, TIMER))}"
        )
    if kind not in (None, *timer.KINDS):
        raise UsageError(f"{kind!r} is not one of {', '.join(timer.KINDS)}")
    return SetupRequest(
        tuple(dict.fromkeys(recipes.NAMES[name] for name in names)), undo, folder, kind
    )


@dataclass(frozen=True, slots=True)
class FileStep:
    """One file before and after: `after` is None if it goes, `entry` the manifest's new entry."""

    target: EditedFile
    spot: disk.FileState
    action: str = "none"
    after: bytes | None = None
    entry: ManifestEntry | None = None
    problem: str | None = None

    @property
    def is_change(self) -> bool:
        """Whether something has to be written."""
        return self.action in ("create", "change", "delete")


@dataclass(frozen=True, slots=True)
class AgentWork:
    """All file steps for one agent, and the commands before and after them."""

    agent: str
    found: bool
    steps: tuple[FileStep, ...]
    root: str | None = None
    before: tuple[tuple[str, ...], ...] = ()
    behind: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def is_change(self) -> bool:
        """Whether something has to be done."""
        return bool(self.before or self.behind) or any(step.is_change for step in self.steps)


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
    items = [
        _describe_agent(
            work, "planned" if dry_run else "done", "absent" if request.undo else "connected"
        )
        for work in works
    ]
    return SetupReport("undo" if request.undo else "setup", tuple(items), dry_run=dry_run)


# -- planning -----------------------------------------------------------------


def plan_setup(config: Config, request: SetupRequest, kept: Manifest) -> list[AgentWork]:
    """Plan what to do for each agent."""
    where = targets.locate_setup(config, request.folder)
    names = request.names or tuple(
        name for name in recipes.AGENTS if session_locations.is_installed(name, where.environ)
    )
    if request.folder and TIMER in names:
        raise UsageError("the timer is no repository's: leave out --project")
    return [
        _plan_timer(where, request.kind, kept) if name == TIMER else _plan_agent(name, where, kept)
        for name in names
    ]


def _plan_agent(agent: str, where: SetupContext, kept: Manifest) -> AgentWork:
    found, root = (
        session_locations.is_installed(agent, where.environ),
        str(where.root) if where.root else None,
    )
    try:
        recipe = recipes.build_recipe(agent, where)
    except Unfit as error:
        return AgentWork(agent, found, (), root, problems=(str(error),))
    notes = (*targets.list_warnings(where), *recipe.notes)
    if recipe.served:
        return AgentWork(agent, found, (), root, notes=(f"Nothing to add: {recipe.served}.",))
    return AgentWork(
        agent,
        found,
        tuple(_plan_addition(agent, target, kept, root) for target in recipe.targets),
        root,
        notes=notes,
    )


def _plan_timer(where: SetupContext, kind: str | None, kept: Manifest) -> AgentWork:
    known = next(
        (timer.kind_of(Path(entry.path)) for entry in kept.entries if entry.agent == TIMER), None
    )
    chosen = timer.build_timer(timer.choose_kind(kind or known, where.environ), where)
    steps = tuple(_plan_addition(TIMER, target, kept, None) for target in chosen.targets)
    is_on = not chosen.ask or timer.succeeds(chosen.ask)
    changed = any(step.is_change for step in steps)
    before = chosen.turn_off if chosen.ask and is_on and changed else ()
    return AgentWork(
        TIMER,
        True,
        steps,
        None,
        before,
        chosen.turn_on if changed or not is_on else (),
        targets.list_warnings(where),
    )


def _plan_addition(agent: str, target: EditedFile, kept: Manifest, root: str | None) -> FileStep:
    spot, editor, entry = targets.look_at(target.path), target.editor, kept.entry(target.path)
    try:
        text = spot.text
        if spot.data is not None and editor.is_current(text):
            return FileStep(target, spot, entry=entry)
        if spot.problem:
            raise Unfit(spot.problem)
        base = remove_ours(text, entry, editor)
        edit = editor.add(base)
    except Unfit as error:
        return FileStep(target, spot, "left", entry=entry, problem=str(error))
    is_new = spot.data is None or (entry is not None and entry.created)
    about = editor.file if isinstance(editor, ReadList) else ""
    made = ManifestEntry(
        agent,
        str(target.path),
        editor.name,
        manifest.hash_text(base),
        manifest.hash_text(edit.text),
        is_new,
        root,
        about,
        edit.spans,
        edit.made,
    )
    return FileStep(
        target, spot, "create" if spot.data is None else "change", edit.text.encode(), made
    )


def plan_undo(config: Config, request: SetupRequest, kept: Manifest) -> list[AgentWork]:
    """Plan what to take out: everything in the manifest, and what else looks like setup's."""
    where = targets.locate_setup(config, request.folder, need_commands=False)
    root = str(where.root) if where.root else None
    entries = [
        entry
        for entry in kept.entries
        if not (request.names or root) or _is_requested(entry, request.names, root)
    ]
    known = {entry.path for entry in entries}
    wholes: dict[tuple[str, str | None], list[FileStep]] = {}
    for entry in entries:
        editor = recipes.make_editor(entry.editor, entry.agent, entry.about)
        wholes.setdefault((entry.agent, entry.root), []).append(
            _plan_removal(EditedFile(Path(entry.path), editor), entry)
        )
    for agent, target in _find_lost_entries(request.names, where, root):
        if str(target.path) not in known and (step := _plan_removal(target, None)).action != "none":
            wholes.setdefault((agent, root), []).append(step)
    for name in request.names:
        wholes.setdefault((name, root), [])
    return [_plan_agent_undo(agent, of, steps, where) for (agent, of), steps in wholes.items()]


def _is_requested(entry: ManifestEntry, names: Sequence[str], root: str | None) -> bool:
    return (not names or entry.agent in names) and entry.root == root


def _find_lost_entries(
    names: Sequence[str], where: SetupContext, root: str | None
) -> Iterator[tuple[str, EditedFile]]:
    """Where setup would write: this finds what a lost manifest would have named."""
    for agent in names or recipes.AGENTS:
        try:
            targets = [] if agent == TIMER else recipes.build_recipe(agent, where).targets
        except Unfit:
            continue
        yield from ((agent, target) for target in targets)
    if root is None and (not names or TIMER in names):
        for kind in timer.list_available(where.environ):
            yield from ((TIMER, target) for target in timer.build_timer(kind, where).targets)


def _plan_agent_undo(
    agent: str, root: str | None, steps: Sequence[FileStep], where: SetupContext
) -> AgentWork:
    work = AgentWork(
        agent,
        session_locations.is_installed(agent, where.environ) or agent == TIMER,
        tuple(steps),
        root,
    )
    changed = {
        timer.kind_of(step.target.path) for step in steps if agent == TIMER and step.is_change
    }
    timers = [timer.build_timer(kind, where) for kind in sorted(changed)]
    before = [
        command for one in timers if one.ask and timer.succeeds(one.ask) for command in one.turn_off
    ]
    return replace(
        work,
        before=tuple(before),
        behind=tuple(command for one in timers for command in one.settle),
    )


def _plan_removal(target: EditedFile, entry: ManifestEntry | None) -> FileStep:
    spot, editor = targets.look_at(target.path), target.editor
    if spot.data is None:
        # Without a file nothing of ours can be left; one that cannot be looked at is the operator's
        # to see to.
        return FileStep(
            target,
            spot,
            "left" if spot.problem and entry else "none",
            entry=entry if spot.problem else None,
            problem=spot.problem,
        )
    try:
        text = spot.text
        base = remove_ours(text, entry, editor)
        if base == text and not (entry and entry.created and editor.is_bare(text)):
            return FileStep(target, spot)
        if spot.problem:
            raise Unfit(spot.problem)
    except Unfit as error:
        return FileStep(target, spot, "left", entry=entry, problem=str(error))
    goes = editor.is_bare(base) and (entry.created if entry else editor.name == "file")
    return FileStep(target, spot, "delete" if goes else "change", None if goes else base.encode())


def remove_ours(text: str, entry: ManifestEntry | None, editor: Editor) -> str:
    """The text without what setup added. Raises Unfit.

    Exact to the byte where nothing else changed since; otherwise only what is known to be ours
    goes.
    """
    if entry and manifest.hash_text(text) == entry.after:
        before = cut_spans(text, entry.spans)
        if before is not None and manifest.hash_text(before) == entry.before:
            return before
    if not editor.has_ours(text):
        return text
    result = editor.remove(text, entry.made if entry else None)
    moved = relocate_spans(text, entry.spans) if entry else None
    again = cut_spans(text, moved) if moved else None
    return again if again is not None and editor.agrees(again, result) else result


# -- doing --------------------------------------------------------------------


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
    gone = [step for step in steps if step.entry is None and kept.entry(step.target.path)]
    for step in gone:
        kept = kept.without(step.target.path)
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
        manifest.save_manifest(manifest.remove_left_folders(kept.without(step.target.path)))
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


# -- telling ------------------------------------------------------------------


def report_status(config: Config, request: SetupRequest) -> SetupReport:
    """Report how things are: for the named agents, else for those here or set up, and the timer."""
    kept = manifest.load_manifest(config)
    where = targets.locate_setup(config, request.folder, need_commands=False)
    root = str(where.root) if where.root else None
    known = {entry.agent for entry in kept.entries if entry.root == root}
    names = request.names or tuple(
        name
        for name in recipes.AGENTS
        if name in known or session_locations.is_installed(name, where.environ)
    )
    items = [_report_agent(name, where) for name in names if name != TIMER]
    if root is None and (TIMER in names or not request.names):
        items.append(_report_timer(where))
    return SetupReport("status", tuple(items))


def _report_agent(agent: str, where: SetupContext) -> SetupItem:
    found, root = (
        session_locations.is_installed(agent, where.environ),
        str(where.root) if where.root else None,
    )
    try:
        recipe: Recipe = recipes.build_recipe(agent, where)
    except Unfit as error:
        return SetupItem(agent, found, "absent", root, problems=(str(error),))
    if recipe.served:
        return SetupItem(
            agent, found, "connected", root, notes=(f"By other means: {recipe.served}.",)
        )
    files = tuple(map(_report_file, recipe.targets))
    return SetupItem(
        agent,
        found,
        _combine_states(files),
        root,
        files,
        notes=recipe.notes if _combine_states(files) != "absent" else (),
    )


def _report_timer(where: SetupContext) -> SetupItem:
    for kind in timer.list_available(where.environ):
        made = timer.build_timer(kind, where)
        files = tuple(map(_report_file, made.targets))
        if _combine_states(files) != "absent":
            is_on = not made.ask or timer.succeeds(made.ask)
            problems = (
                () if is_on else (f"{kind} does not run it; `memctl setup timer` turns it on",)
            )
            return SetupItem(TIMER, True, _combine_states(files), files=files, problems=problems)
    return SetupItem(TIMER, True, "absent")


def _report_file(target: EditedFile) -> SetupFile:
    spot = targets.look_at(target.path)
    try:
        text = spot.text
        if spot.data is None and spot.problem:
            raise Unfit(spot.problem)
        is_current = spot.data is not None and target.editor.is_current(text)
        state = (
            "connected" if is_current else "partly" if target.editor.has_ours(text) else "absent"
        )
    except Unfit as error:
        return SetupFile(str(target.path), "left", problem=str(error), leads_to=_resolve_link(spot))
    return SetupFile(str(target.path), state, leads_to=_resolve_link(spot))


def _combine_states(files: Sequence[SetupFile]) -> str:
    """One state for several files."""
    states = {file.action for file in files}
    if states == {"connected"}:
        return "connected"
    return "partly" if states & {"connected", "partly"} else "absent"


def _describe_agent(work: AgentWork, state: str, otherwise: str) -> SetupItem:
    """One agent in the report; `otherwise` is its state where nothing had to be done."""
    files = tuple(map(_describe_file, work.steps))
    left, done = any(file.problem for file in files), any(step.is_change for step in work.steps)
    if left or work.problems:
        state = "partly" if done or any(file.action == "none" for file in files) else "absent"
    elif not work.is_change:
        state = otherwise
    commands = tuple(shlex.join(command) for command in (*work.before, *work.behind))
    return SetupItem(
        work.agent, work.found, state, work.root, files, commands, work.notes, work.problems
    )


def _describe_file(step: FileStep) -> SetupFile:
    path = str(step.target.path)
    return SetupFile(
        path,
        step.action,
        _diff_redacted(step),
        _resolve_link(step.spot),
        step.problem,
        _hash_step(step.spot.data),
    )


def _diff_redacted(step: FileStep) -> str:
    """The change as a unified diff without secrets that stand near it."""
    if not step.is_change:
        return ""
    before, after = (
        (data or b"").decode("utf-8", "replace").splitlines()
        for data in (step.spot.data, step.after)
    )
    lines = list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]
    # Without the key of the store, which might be made for it: a plan writes nothing.
    return redact("\n".join(lines))


def _resolve_link(spot: disk.FileState) -> str | None:
    return None if str(spot.real) == str(spot.path) else str(spot.real)


def _hash_step(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
