"""Report how each agent is connected, and how the timer runs."""

from collections.abc import Sequence

from memctl.agents import session_locations
from memctl.results.setup import SetupFile, SetupItem, SetupReport
from memctl.settings.config import Config
from memctl.setup import manifest, mcp_clients, recipes, targets, timer
from memctl.setup.mcp_clients import MCP
from memctl.setup.plan import SetupRequest
from memctl.setup.recipes import READER, TIMER, EditedFile, Recipe, SetupContext
from memctl.setup.run import resolve_link
from memctl.setup.textedit import Unfit

_MODEL = "maintain.model"


def report_status(config: Config, request: SetupRequest) -> SetupReport:
    """Report how things are: for the named agents, else for those here or set up, the timer, and an
    agent that reads.
    """
    kept = manifest.load_manifest(config)
    where = targets.locate_setup(config, request.folder, need_commands=False)
    root = str(where.root) if where.root else None
    known = {entry.agent for entry in kept.entries if entry.root == root}
    names = request.names or tuple(
        name
        for name in recipes.AGENTS
        if name in known or session_locations.is_installed(name, where.environ)
    )
    items = [_report_agent(name, where) for name in names if name in recipes.AGENTS]
    items += _report_servers(request, where) if root is None else []
    if root is None and (TIMER in names or not request.names):
        items.append(_report_timer(where))
    if root is None and (
        READER in names or (config[_MODEL].startswith("agent:") and not request.names)
    ):
        items.append(_report_reader(config))
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


def _report_servers(request: SetupRequest, where: SetupContext) -> list[SetupItem]:
    """Those who start our MCP server, and those who were asked about."""
    found = []
    for name, client in mcp_clients.CLIENTS.items():
        file = _report_file(client.target(where))
        is_named = name in request.names and name not in recipes.AGENTS
        if file.action != "absent" or is_named or MCP in request.names:
            is_here = client.folder(where).is_dir()
            state = _combine_states([file])
            found.append(SetupItem(f"{MCP}:{name}", is_here, state, files=(file,)))
    return found


def _report_reader(config: Config) -> SetupItem:
    """The agent that reads, whoever named it in the settings."""
    model, path = config[_MODEL], str(config.path)
    if not model.startswith("agent:"):
        return SetupItem(READER, True, "absent", files=(SetupFile(path, "absent"),))
    files = (SetupFile(path, "connected"),)
    return SetupItem(READER, True, "connected", files=files, notes=(f"{model} reads.",))


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
        return SetupFile(str(target.path), "left", problem=str(error), leads_to=resolve_link(spot))
    return SetupFile(str(target.path), state, leads_to=resolve_link(spot))


def _combine_states(files: Sequence[SetupFile]) -> str:
    """One state for several files."""
    states = {file.action for file in files}
    if states == {"connected"}:
        return "connected"
    return "partly" if states & {"connected", "partly"} else "absent"
