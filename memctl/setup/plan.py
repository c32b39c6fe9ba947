"""Plan what setup would do to which file, and what undoing it would take out.

A plan is made from what is on the disk. A file that cannot be edited safely is left as it is and
named; the others are planned all the same.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from memctl.agents import session_locations
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass, replace
from memctl.settings.config import Config
from memctl.setup import disk, manifest, messages, recipes, targets, timer
from memctl.setup.aider import ReadList
from memctl.setup.manifest import Manifest, ManifestEntry
from memctl.setup.reader_settings import ReaderSettings
from memctl.setup.recipes import READER, TIMER, EditedFile, Editor, SetupContext
from memctl.setup.textedit import Unfit, cut_spans, relocate_spans


@dataclass(frozen=True, slots=True)
class ChosenReader:
    """An agent that shall read: its name as a model, its program (None: not found), its title.

    `settings` are what else is set for it, `limit` its daily budget in words.
    """

    model: str
    program: Path | None
    title: str
    settings: tuple[tuple[str, Any], ...]
    limit: str


@dataclass(frozen=True, slots=True)
class SetupRequest:
    """What was asked for: agents (none: all that are here), undo, a repository, a kind of timer, an
    agent that reads.
    """

    names: tuple[str, ...] = ()
    undo: bool = False
    folder: Path | None = None
    kind: str | None = None
    reader: ChosenReader | None = None


def parse_request(
    names: Sequence[str],
    *,
    undo: bool = False,
    folder: Path | None = None,
    kind: str | None = None,
    reader: ChosenReader | None = None,
) -> SetupRequest:
    """Build a request from the words of the command line. Raises UsageError for unknown names."""
    unknown = next((name for name in names if name not in recipes.NAMES), None)
    if unknown is not None:
        raise UsageError(
            f"{unknown!r} cannot be set up; known are {', '.join((*recipes.AGENTS, TIMER, READER))}"
        )
    if kind not in (None, *timer.KINDS):
        raise UsageError(f"{kind!r} is not one of {', '.join(timer.KINDS)}")
    return SetupRequest(
        tuple(dict.fromkeys(recipes.NAMES[name] for name in names)), undo, folder, kind, reader
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


def plan_setup(config: Config, request: SetupRequest, kept: Manifest) -> list[AgentWork]:
    """Plan what to do for each agent."""
    where = targets.locate_setup(config, request.folder)
    names = request.names or tuple(
        name for name in recipes.AGENTS if session_locations.is_installed(name, where.environ)
    )
    if request.folder and {TIMER, READER} & {*names}:
        raise UsageError("the timer and the reader are no repository's: leave out --project")
    works = [
        _plan_timer(where, request.kind, kept) if name == TIMER else _plan_agent(name, where, kept)
        for name in names
        if name != READER
    ]
    if request.reader is not None:
        works.append(_plan_reader(config, request.reader, kept))
    return works


def _plan_reader(config: Config, reader: ChosenReader, kept: Manifest) -> AgentWork:
    if reader.program is None:
        return AgentWork(READER, False, (), problems=(f"{reader.title}: its program is not found",))
    others = (("model_program", str(reader.program)), *reader.settings)
    editor = ReaderSettings(reader.model, others)
    step = _plan_addition(READER, EditedFile(config.path, editor), kept, None)
    notes = (note.format(title=reader.title, limit=reader.limit) for note in messages.READER_NOTES)
    return AgentWork(READER, True, (step,), notes=tuple(notes))


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
    about = editor.model if isinstance(editor, ReaderSettings) else about
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
            is_agent = agent not in (TIMER, READER)
            targets = recipes.build_recipe(agent, where).targets if is_agent else ()
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
        session_locations.is_installed(agent, where.environ) or agent in (TIMER, READER),
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
