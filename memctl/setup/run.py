"""Setup: what would be done to which file, doing it, undoing it, and how things are.

Kept true: a plan is made of what is on the disk, and only what was planned is written; the manifest knows of a change before it is made; a
file that cannot be edited safely is left as it is and named, and the others are done all the same.
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
from memctl.setup.manifest import Entry, Manifest
from memctl.setup.recipes import Editor, Recipe, Target, Where
from memctl.setup.textedit import Unfit, cut, found_again

TIMER = "timer"


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for: names of agents (none: those that are here, or to be undone those that were set up), and for which repository."""

    names: tuple[str, ...] = ()
    undo: bool = False
    folder: Path | None = None
    kind: str | None = None


def asked(
    names: Sequence[str], *, undo: bool = False, folder: Path | None = None, kind: str | None = None
) -> Request:
    """A request in the words of the table. Raises UsageError for a name that is not in it."""
    unknown = next((name for name in names if name not in recipes.NAMES), None)
    if unknown is not None:
        raise UsageError(
            f"{unknown!r} cannot be set up; known are {', '.join((*recipes.AGENTS, TIMER))}"
        )
    if kind not in (None, *timer.KINDS):
        raise UsageError(f"{kind!r} is not one of {', '.join(timer.KINDS)}")
    return Request(tuple(dict.fromkeys(recipes.NAMES[name] for name in names)), undo, folder, kind)


@dataclass(frozen=True, slots=True)
class Step:
    """One file as it is and as it shall be: `after` is None if it goes. `entry` is what the manifest is to say of it (None: nothing)."""

    target: Target
    spot: disk.Spot
    action: str = "none"
    after: bytes | None = None
    entry: Entry | None = None
    problem: str | None = None

    @property
    def is_change(self) -> bool:
        """Whether something is to be written."""
        return self.action in ("create", "change", "delete")


@dataclass(frozen=True, slots=True)
class Work:
    """All steps for one agent, and the commands around them."""

    agent: str
    found: bool
    steps: tuple[Step, ...]
    root: str | None = None
    before: tuple[tuple[str, ...], ...] = ()
    behind: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def is_change(self) -> bool:
        """Whether something is to be done."""
        return bool(self.before or self.behind) or any(step.is_change for step in self.steps)


def setup(
    config: Config, request: Request, *, dry_run: bool, shown: SetupReport | None = None
) -> SetupReport:
    """Plan, and without `dry_run` carry out; `shown` is the plan that was agreed to: what differs from it by now is not written.

    Raises UsageError for names and folders that do not fit, MemctlError where our own commands cannot be found.
    """
    kept = manifest.load(config)
    works = plan_undo(config, request, kept) if request.undo else plan_setup(config, request, kept)
    if not dry_run:
        agreed = (
            {file.path: file.digest for item in shown.items for file in item.files}
            if shown
            else None
        )
        works = [_carry_out(config, work, agreed) for work in works]
    items = [
        _item(work, "planned" if dry_run else "done", "absent" if request.undo else "connected")
        for work in works
    ]
    return SetupReport("undo" if request.undo else "setup", tuple(items), dry_run=dry_run)


# -- planning ---------------------------------------------------------------------------------------------------------


def plan_setup(config: Config, request: Request, kept: Manifest) -> list[Work]:
    """What is to be done for each agent."""
    where = targets.where(config, request.folder)
    names = request.names or tuple(
        name for name in recipes.AGENTS if session_locations.is_installed(name, where.environ)
    )
    if request.folder and TIMER in names:
        raise UsageError("the timer is no repository's: leave out --project")
    return [
        _timer_work(where, request.kind, kept) if name == TIMER else _agent_work(name, where, kept)
        for name in names
    ]


def _agent_work(agent: str, where: Where, kept: Manifest) -> Work:
    found, root = (
        session_locations.is_installed(agent, where.environ),
        str(where.root) if where.root else None,
    )
    try:
        recipe = recipes.recipe(agent, where)
    except Unfit as error:
        return Work(agent, found, (), root, problems=(str(error),))
    notes = (*targets.warnings(where), *recipe.notes)
    if recipe.served:
        return Work(agent, found, (), root, notes=(f"Nothing to add: {recipe.served}.",))
    return Work(
        agent,
        found,
        tuple(_to_add(agent, target, kept, root) for target in recipe.targets),
        root,
        notes=notes,
    )


def _timer_work(where: Where, kind: str | None, kept: Manifest) -> Work:
    known = next(
        (timer.kind_of(Path(entry.path)) for entry in kept.entries if entry.agent == TIMER), None
    )
    chosen = timer.timer(timer.choose(kind or known, where.environ), where)
    steps = tuple(_to_add(TIMER, target, kept, None) for target in chosen.targets)
    is_on = not chosen.ask or timer.succeeds(chosen.ask)
    changed = any(step.is_change for step in steps)
    before = chosen.turn_off if chosen.ask and is_on and changed else ()
    return Work(
        TIMER,
        True,
        steps,
        None,
        before,
        chosen.turn_on if changed or not is_on else (),
        targets.warnings(where),
    )


def _to_add(agent: str, target: Target, kept: Manifest, root: str | None) -> Step:
    spot, editor, entry = targets.look(target.path), target.editor, kept.entry(target.path)
    try:
        text = spot.text
        if spot.data is not None and editor.is_current(text):
            return Step(target, spot, entry=entry)
        if spot.problem:
            raise Unfit(spot.problem)
        base = undone(text, entry, editor)
        edit = editor.add(base)
    except Unfit as error:
        return Step(target, spot, "left", entry=entry, problem=str(error))
    is_new = spot.data is None or (entry is not None and entry.created)
    about = editor.file if isinstance(editor, ReadList) else ""
    made = Entry(
        agent,
        str(target.path),
        editor.name,
        manifest.digest(base),
        manifest.digest(edit.text),
        is_new,
        root,
        about,
        edit.spans,
        edit.made,
    )
    return Step(target, spot, "create" if spot.data is None else "change", edit.text.encode(), made)


def plan_undo(config: Config, request: Request, kept: Manifest) -> list[Work]:
    """What is to be taken out: all that the manifest names, and what looks like setup's where agents keep their settings."""
    where = targets.where(config, request.folder, need_commands=False)
    root = str(where.root) if where.root else None
    entries = [
        entry
        for entry in kept.entries
        if not (request.names or root) or _is_asked(entry, request.names, root)
    ]
    known = {entry.path for entry in entries}
    wholes: dict[tuple[str, str | None], list[Step]] = {}
    for entry in entries:
        editor = recipes.editor(entry.editor, entry.agent, entry.about)
        wholes.setdefault((entry.agent, entry.root), []).append(
            _to_remove(Target(Path(entry.path), editor), entry)
        )
    for agent, target in _looked_like(request.names, where, root):
        if str(target.path) not in known and (step := _to_remove(target, None)).action != "none":
            wholes.setdefault((agent, root), []).append(step)
    for name in request.names:
        wholes.setdefault((name, root), [])
    return [_undo_work(agent, of, steps, where) for (agent, of), steps in wholes.items()]


def _is_asked(entry: Entry, names: Sequence[str], root: str | None) -> bool:
    return (not names or entry.agent in names) and entry.root == root


def _looked_like(
    names: Sequence[str], where: Where, root: str | None
) -> Iterator[tuple[str, Target]]:
    """Where setup would write, for finding what a lost manifest would have named."""
    for agent in names or recipes.AGENTS:
        try:
            targets = [] if agent == TIMER else recipes.recipe(agent, where).targets
        except Unfit:
            continue
        yield from ((agent, target) for target in targets)
    if root is None and (not names or TIMER in names):
        for kind in timer.available(where.environ):
            yield from ((TIMER, target) for target in timer.timer(kind, where).targets)


def _undo_work(agent: str, root: str | None, steps: Sequence[Step], where: Where) -> Work:
    work = Work(
        agent,
        session_locations.is_installed(agent, where.environ) or agent == TIMER,
        tuple(steps),
        root,
    )
    changed = {
        timer.kind_of(step.target.path) for step in steps if agent == TIMER and step.is_change
    }
    timers = [timer.timer(kind, where) for kind in sorted(changed)]
    before = [
        command for one in timers if one.ask and timer.succeeds(one.ask) for command in one.turn_off
    ]
    return replace(
        work,
        before=tuple(before),
        behind=tuple(command for one in timers for command in one.settle),
    )


def _to_remove(target: Target, entry: Entry | None) -> Step:
    spot, editor = targets.look(target.path), target.editor
    if spot.data is None:
        # Without a file nothing of ours can be left; one that cannot be looked at is the operator's to see to.
        return Step(
            target,
            spot,
            "left" if spot.problem and entry else "none",
            entry=entry if spot.problem else None,
            problem=spot.problem,
        )
    try:
        text = spot.text
        base = undone(text, entry, editor)
        if base == text and not (entry and entry.created and editor.is_bare(text)):
            return Step(target, spot)
        if spot.problem:
            raise Unfit(spot.problem)
    except Unfit as error:
        return Step(target, spot, "left", entry=entry, problem=str(error))
    goes = editor.is_bare(base) and (entry.created if entry else editor.name == "file")
    return Step(target, spot, "delete" if goes else "change", None if goes else base.encode())


def undone(text: str, entry: Entry | None, editor: Editor) -> str:
    """A text without what setup added: to the byte where nothing else changed since, else by what is known to be ours. Raises Unfit."""
    if entry and manifest.digest(text) == entry.after:
        before = cut(text, entry.spans)
        if before is not None and manifest.digest(before) == entry.before:
            return before
    if not editor.has_ours(text):
        return text
    result = editor.remove(text, entry.made if entry else None)
    moved = found_again(text, entry.spans) if entry else None
    again = cut(text, moved) if moved else None
    return again if again is not None and editor.agrees(again, result) else result


# -- doing ------------------------------------------------------------------------------------------------------------


def _carry_out(config: Config, work: Work, agreed: dict[str, str] | None) -> Work:
    """Write what was planned for one agent; what went wrong is in the result."""
    if not work.is_change:
        _settle(config, work.steps)
        return work
    problems = list(_ran(work.before))
    steps = tuple(_written(config, step, agreed) for step in work.steps)
    if not any(step.problem for step in steps):
        problems += _ran(work.behind)
    return replace(work, steps=steps, problems=(*work.problems, *problems))


def _settle(config: Config, steps: Iterable[Step]) -> None:
    """Forget entries of what is gone anyway."""
    kept = manifest.load(config)
    gone = [step for step in steps if step.entry is None and kept.entry(step.target.path)]
    for step in gone:
        kept = kept.without(step.target.path)
    if gone:
        manifest.save(kept)


def _written(config: Config, step: Step, agreed: dict[str, str] | None) -> Step:
    if not step.is_change:
        _settle(config, [step])
        return step
    kept = manifest.load(config)
    try:
        if agreed is not None and agreed.get(str(step.target.path)) != _digest(step.spot.data):
            raise Unfit("it was changed since the plan was shown")
        if step.entry:
            manifest.save(
                kept.with_entry(step.entry).with_folders(targets.missing_folders(step.spot))
            )
        targets.write(step.spot, step.after)
    except (Unfit, OSError) as error:
        if step.entry:
            manifest.save(kept)
        return replace(
            step,
            action="left",
            problem=(error.strerror or str(error)) if isinstance(error, OSError) else str(error),
        )
    if step.entry is None:
        manifest.save(manifest.tidied(kept.without(step.target.path)))
    return step


def _ran(commands: Iterable[Sequence[str]]) -> Iterator[str]:
    """Run commands; what those said that failed."""
    for command in commands:
        try:
            done = timer.run(command)
        except Unfit as error:
            yield str(error)
            continue
        if done.returncode:
            yield f"{shlex.join(command)}: {timer.said(done)}"


# -- telling ----------------------------------------------------------------------------------------------------------


def status(config: Config, request: Request) -> SetupReport:
    """How things are: for the agents named, else for those that are here or were set up, and the timer."""
    kept = manifest.load(config)
    where = targets.where(config, request.folder, need_commands=False)
    root = str(where.root) if where.root else None
    known = {entry.agent for entry in kept.entries if entry.root == root}
    names = request.names or tuple(
        name
        for name in recipes.AGENTS
        if name in known or session_locations.is_installed(name, where.environ)
    )
    items = [_status_of(name, where) for name in names if name != TIMER]
    if root is None and (TIMER in names or not request.names):
        items.append(_timer_status(where))
    return SetupReport("status", tuple(items))


def _status_of(agent: str, where: Where) -> SetupItem:
    found, root = (
        session_locations.is_installed(agent, where.environ),
        str(where.root) if where.root else None,
    )
    try:
        recipe: Recipe = recipes.recipe(agent, where)
    except Unfit as error:
        return SetupItem(agent, found, "absent", root, problems=(str(error),))
    if recipe.served:
        return SetupItem(
            agent, found, "connected", root, notes=(f"By other means: {recipe.served}.",)
        )
    files = tuple(map(_file_status, recipe.targets))
    return SetupItem(
        agent,
        found,
        _together(files),
        root,
        files,
        notes=recipe.notes if _together(files) != "absent" else (),
    )


def _timer_status(where: Where) -> SetupItem:
    for kind in timer.available(where.environ):
        made = timer.timer(kind, where)
        files = tuple(map(_file_status, made.targets))
        if _together(files) != "absent":
            is_on = not made.ask or timer.succeeds(made.ask)
            problems = (
                () if is_on else (f"{kind} does not run it; `memctl setup timer` turns it on",)
            )
            return SetupItem(TIMER, True, _together(files), files=files, problems=problems)
    return SetupItem(TIMER, True, "absent")


def _file_status(target: Target) -> SetupFile:
    spot = targets.look(target.path)
    try:
        text = spot.text
        if spot.data is None and spot.problem:
            raise Unfit(spot.problem)
        is_current = spot.data is not None and target.editor.is_current(text)
        state = (
            "connected" if is_current else "partly" if target.editor.has_ours(text) else "absent"
        )
    except Unfit as error:
        return SetupFile(str(target.path), "left", problem=str(error), leads_to=_leads_to(spot))
    return SetupFile(str(target.path), state, leads_to=_leads_to(spot))


def _together(files: Sequence[SetupFile]) -> str:
    """One word for several files."""
    states = {file.action for file in files}
    if states == {"connected"}:
        return "connected"
    return "partly" if states & {"connected", "partly"} else "absent"


def _item(work: Work, state: str, otherwise: str) -> SetupItem:
    """One agent as it is told; `otherwise` is the state where there was nothing to do."""
    files = tuple(map(_file, work.steps))
    left, done = any(file.problem for file in files), any(step.is_change for step in work.steps)
    if left or work.problems:
        state = "partly" if done or any(file.action == "none" for file in files) else "absent"
    elif not work.is_change:
        state = otherwise
    commands = tuple(shlex.join(command) for command in (*work.before, *work.behind))
    return SetupItem(
        work.agent, work.found, state, work.root, files, commands, work.notes, work.problems
    )


def _file(step: Step) -> SetupFile:
    path = str(step.target.path)
    return SetupFile(
        path, step.action, _diff(step), _leads_to(step.spot), step.problem, _digest(step.spot.data)
    )


def _diff(step: Step) -> str:
    """The change as a unified diff, without secrets that stand near it."""
    if not step.is_change:
        return ""
    before, after = (
        (data or b"").decode("utf-8", "replace").splitlines()
        for data in (step.spot.data, step.after)
    )
    lines = list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]
    # Without the key of the store, which might be made for it: a plan writes nothing.
    return redact("\n".join(lines))


def _leads_to(spot: disk.Spot) -> str | None:
    return None if str(spot.real) == str(spot.path) else str(spot.real)


def _digest(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
