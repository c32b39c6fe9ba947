"""Which of the projects that look alike are one: asked of the operator, one pair at a time."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.text import reports
from memctl.core.errors import UsageError
from memctl.engine.memory_engine import MemoryEngine
from memctl.results.projects import Doubt, ProjectReport

_QUESTION = "One project? [y]es, [n]o, [l]ater:"


def settle(engine: MemoryEngine) -> ProjectReport:
    """Ask about every doubtful pair; what is answered is done at once. Raises UsageError where nobody can be asked."""
    doubtful = engine.projects().doubtful
    if doubtful and not prompts.is_person():
        raise UsageError(
            "this asks, and nobody is here to answer",
            hint="use memctl project adopt and memctl project apart",
        )
    gone: set[str] = set()
    for doubt in doubtful:
        if not gone & {doubt.project_id, doubt.other_id} and _settled(engine, doubt) == "one":
            gone.add(doubt.project_id)
    return engine.projects()


def _settled(engine: MemoryEngine, doubt: Doubt) -> str:
    prompts.say(reports.doubt_of(doubt))
    answer = prompts.ask(_QUESTION).lower()
    if answer in ("y", "yes"):
        engine.adopt_project(doubt.project_id, doubt.other_id)
        return "one"
    if answer in ("n", "no"):
        engine.keep_projects_apart(doubt.project_id, doubt.other_id)
    return "two"
