"""Which of the projects that look alike are one: asked of the operator, one pair at a time."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.text import projects
from memctl.core.errors import UsageError
from memctl.engine.memory_engine import MemoryEngine
from memctl.results.projects import Doubt, ProjectReport

_QUESTION = "One project? [y]es, [n]o, [l]ater:"


def review_doubtful_projects(engine: MemoryEngine) -> ProjectReport:
    """Ask about every doubtful pair; what is answered is done at once. Raises UsageError where nobody can be asked."""
    doubtful = engine.projects.list().doubtful
    if doubtful and not prompts.is_person():
        raise UsageError(
            "this asks, and nobody is here to answer",
            hint="use memctl project adopt and memctl project apart",
        )
    gone: set[str] = set()
    for doubt in doubtful:
        if not gone & {doubt.project_id, doubt.other_id} and _ask_about(engine, doubt) == "one":
            gone.add(doubt.project_id)
    return engine.projects.list()


def _ask_about(engine: MemoryEngine, doubt: Doubt) -> str:
    prompts.say(projects.format_doubt(doubt))
    answer = prompts.ask(_QUESTION).lower()
    if answer in ("y", "yes"):
        engine.projects.adopt(doubt.project_id, doubt.other_id)
        return "one"
    if answer in ("n", "no"):
        engine.projects.keep_apart(doubt.project_id, doubt.other_id)
    return "two"
