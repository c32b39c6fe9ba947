"""Asking the operator which of the projects that look alike are one, pair by pair."""

from __future__ import annotations

from pathlib import Path

from memctl.cli import output, prompts
from memctl.cli.text.projects import format_doubt
from memctl.core.errors import UsageError
from memctl.engine.memory_engine import MemoryEngine
from memctl.results.projects import Doubt, ProjectReport, WaitingPlace

_QUESTION = "One project? [y]es, [n]o, [l]ater:"


def review_doubtful_projects(engine: MemoryEngine) -> ProjectReport:
    """Ask about every doubtful pair; each answer is carried out at once.

    Raises UsageError where nobody can be asked.
    """
    doubtful = engine.projects.list().doubtful
    if doubtful and not prompts.is_person():
        raise UsageError(
            "this asks, and nobody is here to answer",
            hint="use memctl project adopt and memctl project apart",
        )
    adopted: set[str] = set()
    for doubt in doubtful:
        is_open = not adopted & {doubt.project_id, doubt.other_id}
        if is_open and _review_pair(engine, doubt):
            adopted.add(doubt.project_id)
    return engine.projects.list()


def review_waiting_place(
    engine: MemoryEngine, folder: Path, waiting: WaitingPlace, *, again: bool = False
) -> bool:
    """Ask whether a folder is the known project that it may be; return whether that was decided.

    Where no operator can answer, or the answer was put off before and is not asked `again`, one
    line says what is to do.
    """
    is_asked = engine.actor.is_operator and prompts.is_person() and output.is_watched()
    if not is_asked or (not again and engine.projects.was_put_off(waiting)):
        prompts.say(f"memctl: {waiting}")
        return False
    if waiting.project_id is None:
        engine.init(project=folder)
        waiting = engine.projects.find_waiting_place(folder) or waiting
    prompts.say(f"{waiting.folder} may be the project {waiting.known}, {waiting.why}.")
    answer = prompts.ask(_QUESTION).lower()
    if answer in ("y", "yes"):
        engine.projects.adopt(waiting.project_id or "", waiting.known_id or "")
    elif answer in ("n", "no"):
        engine.projects.keep_apart(waiting.project_id or "", waiting.known_id or "")
    else:
        engine.projects.put_off(waiting)
    return True


def _review_pair(engine: MemoryEngine, doubt: Doubt) -> bool:
    """Ask about one pair; return whether the newer project became part of the older."""
    prompts.say(format_doubt(doubt))
    answer = prompts.ask(_QUESTION).lower()
    if answer in ("y", "yes"):
        engine.projects.adopt(doubt.project_id, doubt.other_id)
        return True
    if answer in ("n", "no"):
        engine.projects.keep_apart(doubt.project_id, doubt.other_id)
    return False
