"""Asking the operator which of the projects that look alike are one, pair by pair."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.text.projects import format_doubt
from memctl.core.errors import UsageError
from memctl.engine.memory_engine import MemoryEngine
from memctl.results.projects import Doubt, ProjectReport

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
