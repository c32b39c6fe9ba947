"""Connected agents, and the changes that connect them, as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.cli.text.formatting import flatten
from memctl.core.frozen import replace
from memctl.results.setup import SetupFile, SetupItem, SetupReport

_STATE_WORDS = {
    ("setup", "planned"): "to be connected",
    ("undo", "planned"): "to be taken out",
    ("setup", "done"): "connected now",
    ("undo", "done"): "taken out",
    ("setup", "partly"): "connected in part",
    ("undo", "partly"): "taken out in part",
    ("setup", "absent"): "not connected",
    ("undo", "absent"): "nothing to take out",
    ("status", "absent"): "not connected",
    ("status", "partly"): "connected in part; memctl setup mends it",
}

# How a file is: that our part is not in it must not read as if the file were not there.
_FILE_STATE_WORDS = {"absent": "nothing of memctl in", "partly": "in part in", "connected": "in"}


def render_setup(data: SetupReport) -> Iterator[str]:
    """What is to be done, with every change; what was done; or how things are."""
    yield from render_setup_plan(data, with_changes=data.dry_run)
    if not data.items:
        yield (
            "Nothing is set up."
            if data.action == "undo"
            else "No agent was found on this machine; name one to set it up all the same."
        )
    elif data.unanswered:
        yield f"Nothing was written: nobody is at a terminal to agree. --yes {'takes it out' if data.action == 'undo' else 'writes it'}."
    elif data.dry_run and any(item.state == "planned" for item in data.items):
        yield "Nothing was written; this is what would be."


def render_setup_plan(data: SetupReport, *, with_changes: bool = True) -> Iterator[str]:
    """One agent after the other; a note that holds for several is made once."""
    said: set[str] = set()
    for item in data.items:
        yield from _render_item(
            data,
            replace(item, notes=tuple(note for note in item.notes if note not in said)),
            with_changes=with_changes,
        )
        said.update(item.notes)


def _render_item(data: SetupReport, item: SetupItem, *, with_changes: bool) -> Iterator[str]:
    found = "" if item.found else " (not found on this machine)"
    place = f" in {item.root}" if item.root else ""
    yield f"{item.agent}{place}: {_describe_state(data.action, item)}{found}"
    for file in item.files:
        yield from _render_file(file)
        yield from (f"    {line}" for line in file.diff.split("\n") if line and with_changes)
    yield from (f"  run {command}" for command in item.commands)
    yield from (f"  problem: {flatten(problem)}" for problem in item.problems)
    if item.state != "absent" and data.action != "undo":
        yield from (f"  note: {flatten(note)}" for note in item.notes)


def _describe_state(action: str, item: SetupItem) -> str:
    if (action, item.state) == ("undo", "absent") and (
        item.problems or any(file.problem for file in item.files)
    ):
        return "not taken out"
    return _STATE_WORDS.get((action, item.state), item.state)


def _render_file(file: SetupFile) -> Iterator[str]:
    leads = f" (a link to {file.leads_to})" if file.leads_to else ""
    if file.problem:
        yield f"  left as it is: {file.path}{leads}: {flatten(file.problem)}"
    elif file.action != "none":
        yield f"  {_FILE_STATE_WORDS.get(file.action, file.action)} {file.path}{leads}"
