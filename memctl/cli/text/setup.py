"""Connected agents, and the changes that connect them, as lines of text. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, format_count, format_size
from memctl.core.frozen import replace
from memctl.results.setup import SetupFile, SetupItem, SetupReport, UninstallReport

_STATE_WORDS = {
    ("setup", "planned"): "to be connected",
    ("undo", "planned"): "to be removed",
    ("setup", "done"): "connected now",
    ("undo", "done"): "removed",
    ("setup", "partly"): "partly connected",
    ("undo", "partly"): "partly removed",
    ("setup", "absent"): "not connected",
    ("undo", "absent"): "nothing to remove",
    ("status", "absent"): "not connected",
    ("status", "partly"): "partly connected; memctl setup repairs it",
}
# Worded so that "absent" cannot be read as if the file itself did not exist.
_FILE_STATE_WORDS = {"absent": "nothing of memctl in", "partly": "partly in", "connected": "in"}


def render_setup(data: SetupReport) -> Iterator[str]:
    """Yield a plan with every change, its result, or a status."""
    yield from render_setup_plan(data, with_changes=data.dry_run)
    is_undo = data.action == "undo"
    if not data.items and is_undo:
        yield "Nothing is set up."
    elif not data.items:
        yield "No agent was found on this machine; name one to set it up anyway."
    elif data.unanswered:
        yield (
            "Nothing was written: there is no terminal to ask at."
            f" --yes {'removes it' if is_undo else 'writes it'}."
        )
    elif data.dry_run and any(item.state == "planned" for item in data.items):
        yield "Nothing was written; this is the plan."


def render_uninstall(data: UninstallReport) -> Iterator[str]:
    """Yield what was taken out, or would be, then what stays and how to remove that."""
    yield from render_setup(replace(data.setup, dry_run=False))
    if data.setup.dry_run and any(item.state == "planned" for item in data.setup.items):
        yield "Nothing was removed; this is the plan."
    yield from _render_left_group(data)
    yield from _render_kept(data)


def render_uninstall_plan(data: UninstallReport) -> Iterator[str]:
    """Yield what would be taken out, without the changes line by line, and what stays."""
    yield from render_setup_plan(data.setup, with_changes=False)
    yield from _render_left_group(data)
    yield from _render_kept(data)


def _render_left_group(data: UninstallReport) -> Iterator[str]:
    """What becomes of the other machines that the store follows."""
    if data.sync is not None:
        from memctl.cli.text.sync import render_leaving  # few stores follow others

        yield from (f"sync: {line}" for line in render_leaving(data.sync))


def _render_kept(data: UninstallReport) -> Iterator[str]:
    if data.kept:
        yield ""
        yield "Your data stays:"
    for each in data.kept:
        size = f"{format_count(each.files, 'file')}, {format_size(each.size)}"
        yield f"  {each.path}: {each.what} ({size})"
    if data.erase:
        yield "To erase it for good (`memctl export FILE` first keeps a copy):"
        # One folder a line: a command that is wrapped and copied would do half of it.
        yield from (f"  rm -r -- {shlex.quote(each.path)}" for each in data.kept)
    yield "To remove the program:"
    yield f"  {data.remove}"


def render_setup_plan(data: SetupReport, *, with_changes: bool = True) -> Iterator[str]:
    """Yield one agent after the other; a note that applies to several is made once."""
    noted: set[str] = set()
    for item in data.items:
        notes = tuple(note for note in item.notes if note not in noted)
        yield from _render_item(data, replace(item, notes=notes), with_changes=with_changes)
        noted.update(item.notes)


def _render_item(data: SetupReport, item: SetupItem, *, with_changes: bool) -> Iterator[str]:
    found = "" if item.found else " (not found on this machine)"
    folder = f" in {item.root}" if item.root else ""
    yield f"{item.agent}{folder}: {_describe_state(data.action, item)}{found}"
    for file in item.files:
        yield from _render_file(file)
        yield from (f"    {line}" for line in file.diff.split("\n") if line and with_changes)
    yield from (f"  run {command}" for command in item.commands)
    yield from (f"  problem: {flatten(problem)}" for problem in item.problems)
    if item.state != "absent" and data.action != "undo":
        yield from (f"  note: {flatten(note)}" for note in item.notes)


def _describe_state(action: str, item: SetupItem) -> str:
    has_problem = bool(item.problems) or any(file.problem for file in item.files)
    if action == "undo" and item.state == "absent" and has_problem:
        return "not removed"
    state = _STATE_WORDS.get((action, item.state), item.state)
    # The completion of a shell is no agent.
    is_shell = item.agent.startswith("completion:")
    return state.replace("connected", "installed") if is_shell else state


def _render_file(file: SetupFile) -> Iterator[str]:
    link = f" (a link to {file.leads_to})" if file.leads_to else ""
    if file.problem:
        yield f"  left as it is: {file.path}{link}: {flatten(file.problem)}"
    elif file.action != "none":
        yield f"  {_FILE_STATE_WORDS.get(file.action, file.action)} {file.path}{link}"
