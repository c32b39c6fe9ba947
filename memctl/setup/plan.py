"""Plan what setup would do to which file, and what undoing it would take out.

A plan is made from what is on the disk. A file that cannot be edited safely is left as it is and
named; the others are planned all the same.
"""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from memctl.agents import session_locations
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.typing_lite import Any
from memctl.settings.config import Config
from memctl.setup import completions, disk, manifest, mcp_clients, messages, recipes, targets, timer
from memctl.setup.aider import ReadList
from memctl.setup.manifest import Manifest, ManifestEntry
from memctl.setup.mcp_clients import MCP
from memctl.setup.mcp_entries import McpJson
from memctl.setup.reader_settings import ReaderSettings
from memctl.setup.recipes import READER, TIMER, EditedFile, Editor, SetupContext
from memctl.setup.textedit import Unfit, cut_spans, relocate_spans

# The editors of settings that name MCP servers.
MCP_EDITORS = ("mcp-json", "mcp-toml")


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
    agent that reads, or the MCP server for agents instead of their hooks.
    """

    names: tuple[str, ...] = ()
    undo: bool = False
    folder: Path | None = None
    kind: str | None = None
    reader: ChosenReader | None = None
    mcp: bool = False


def parse_request(
    names: Sequence[str],
    *,
    undo: bool = False,
    folder: Path | None = None,
    kind: str | None = None,
    reader: ChosenReader | None = None,
    mcp: bool = False,
) -> SetupRequest:
    """Build a request from the words of the command line. Raises UsageError for unknown names."""
    known = {*recipes.NAMES, *mcp_clients.CLIENTS, MCP}
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        named = dict.fromkeys((*recipes.AGENTS, *mcp_clients.CLIENTS, TIMER, READER, MCP))
        raise UsageError(f"{unknown!r} cannot be set up; known are {', '.join(named)}")
    if kind not in (None, *timer.KINDS):
        raise UsageError(f"{kind!r} is not one of {', '.join(timer.KINDS)}")
    if mcp and folder is not None:
        raise UsageError("the MCP server serves every folder: leave out --project")
    chosen = tuple(dict.fromkeys(recipes.NAMES.get(name, name) for name in names))
    return SetupRequest(chosen, undo, folder, kind, reader, mcp)


@dataclass(frozen=True, slots=True)
class FileStep:
    """One file before and after: `after` is None if it goes, `entry` the manifest's new entry."""

    target: EditedFile
    spot: disk.FileState
    action: str = "none"
    after: bytes | None = None
    entry: ManifestEntry | None = None
    problem: str | None = None
    # The editors whose work a removal takes out; none: that of the target.
    removed: tuple[str, ...] = ()

    @property
    def editors(self) -> tuple[str, ...]:
        """The names of the editors that this step is the work of."""
        return self.removed or (self.target.editor.name,)

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
    if any(name.startswith(completions.PREFIX) for name in request.names):
        return [_plan_completion(name, where, kept) for name in request.names]
    if request.mcp:
        wanted = [name for name in request.names if name in mcp_clients.CLIENTS]
        chosen = wanted if request.names else mcp_clients.list_installed(where)
        return [_plan_mcp(name, where, kept) for name in chosen]
    names = request.names or tuple(
        name for name in recipes.AGENTS if session_locations.is_installed(name, where.environ)
    )
    if request.folder and {TIMER, READER} & {*names}:
        raise UsageError("the timer and the reader are no repository's: leave out --project")
    works = [
        _plan_timer(where, request.kind, kept) if name == TIMER else _plan_agent(name, where, kept)
        for name in names
        if name == TIMER or name in recipes.AGENTS
    ]
    if request.reader is not None:
        works.append(_plan_reader(config, request.reader, kept))
    return works


def _plan_completion(name: str, where: SetupContext, kept: Manifest) -> AgentWork:
    shell = name.removeprefix(completions.PREFIX)
    wanted = completions.list_targets(shell, where)
    steps = tuple(_plan_addition(name, target, kept, None) for target in wanted)
    return AgentWork(name, True, steps, notes=completions.describe_shell(shell))


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


def _plan_mcp(name: str, where: SetupContext, kept: Manifest) -> AgentWork:
    client = mcp_clients.CLIENTS[name]
    step = _plan_addition(name, client.target(where), kept, None)
    notes = (
        *targets.list_warnings(where),
        *(() if find_spec("mcp") else (messages.MCP_EXTRA,)),
        *((client.note,) if client.note else ()),
    )
    return AgentWork(f"{MCP}:{name}", client.folder(where).is_dir(), (step,), notes=notes)


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
    spot, editor = targets.look_at(target.path), target.editor
    entry = kept.entry(target.path, editor.name)
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
    is_new = spot.data is None or any(each.created for each in kept.list_at(target.path))
    about = editor.file if isinstance(editor, ReadList) else ""
    about = editor.model if isinstance(editor, ReaderSettings) else about
    about = editor.about if isinstance(editor, McpJson) else about
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
    known = {(entry.path, entry.editor) for entry in entries}
    wholes: dict[tuple[str, str | None], list[FileStep]] = {}
    for path in dict.fromkeys(entry.path for entry in entries):
        # What was added last goes first, so that each finds what it left.
        here = [entry for entry in reversed(entries) if entry.path == path]
        wholes.setdefault((_name_work(here[-1]), here[-1].root), []).append(
            _plan_removal(
                Path(path),
                [(recipes.make_editor(each.editor, each.agent, each.about), each) for each in here],
            )
        )
    for agent, target in _find_lost_entries(request.names, where, root):
        if (str(target.path), target.editor.name) not in known:
            step = _plan_removal(target.path, [(target.editor, None)])
            if step.action != "none":
                wholes.setdefault((agent, root), []).append(step)
    for name in request.names:
        if not any(agent in (name, f"{MCP}:{name}") for agent, _ in wholes) and name != MCP:
            wholes.setdefault((name, root), [])
    return [_plan_agent_undo(agent, of, steps, where) for (agent, of), steps in wholes.items()]


def _name_work(entry: ManifestEntry) -> str:
    """What the plan calls the work of an entry."""
    return f"{MCP}:{entry.agent}" if entry.editor in MCP_EDITORS else entry.agent


def _is_requested(entry: ManifestEntry, names: Sequence[str], root: str | None) -> bool:
    is_named = entry.agent in names or (MCP in names and entry.editor in MCP_EDITORS)
    return (not names or is_named) and entry.root == root


def _find_lost_entries(
    names: Sequence[str], where: SetupContext, root: str | None
) -> Iterator[tuple[str, EditedFile]]:
    """Where setup would write: this finds what a lost manifest would have named."""
    for agent in names or recipes.AGENTS:
        try:
            is_agent = agent in recipes.AGENTS
            targets = recipes.build_recipe(agent, where).targets if is_agent else ()
        except Unfit:
            continue
        yield from ((agent, target) for target in targets)
    for name, client in mcp_clients.CLIENTS.items() if root is None else ():
        if not names or name in names or MCP in names:
            yield f"{MCP}:{name}", client.target(where)
    for name, target in completions.list_all_targets(where) if root is None else ():
        if not names or name in names:
            yield name, target
    if root is None and (not names or TIMER in names):
        for kind in timer.list_available(where.environ):
            yield from ((TIMER, target) for target in timer.build_timer(kind, where).targets)


def _plan_agent_undo(
    agent: str, root: str | None, steps: Sequence[FileStep], where: SetupContext
) -> AgentWork:
    work = AgentWork(
        agent,
        agent in (TIMER, READER)
        or agent.startswith((MCP, completions.PREFIX))
        or session_locations.is_installed(agent, where.environ),
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


def _plan_removal(path: Path, wanted: Sequence[tuple[Editor, ManifestEntry | None]]) -> FileStep:
    """Plan to take out of one file what some editors added, in this order."""
    spot, (editor, entry) = targets.look_at(path), wanted[-1]
    target, removed = EditedFile(path, editor), tuple(each.name for each, _ in wanted)
    if spot.data is None:
        # Without a file nothing of ours can be left; one that cannot be looked at is the operator's
        # to see to.
        return FileStep(
            target,
            spot,
            "left" if spot.problem and entry else "none",
            entry=entry if spot.problem else None,
            problem=spot.problem,
            removed=removed,
        )
    is_made = any(each is not None and each.created for _, each in wanted)
    try:
        text = base = spot.text
        for each, of in wanted:
            base = remove_ours(base, of, each)
        if base == text and not (is_made and editor.is_bare(text)):
            return FileStep(target, spot, removed=removed)
        if spot.problem:
            raise Unfit(spot.problem)
    except Unfit as error:
        return FileStep(target, spot, "left", entry=entry, problem=str(error), removed=removed)
    goes = editor.is_bare(base) and (is_made if entry else editor.name == "file")
    action, after = ("delete", None) if goes else ("change", base.encode())
    return FileStep(target, spot, action, after, removed=removed)


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
