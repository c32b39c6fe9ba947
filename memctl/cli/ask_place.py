"""Asking the person at the terminal which project a record belongs to."""

from __future__ import annotations

from memctl.cli import prompts
from memctl.cli.text.formatting import flatten
from memctl.core.frozen import dataclass
from memctl.engine.memory_engine import MemoryEngine
from memctl.results.records import RecordView

# Known projects that are offered by a number, so that one key chooses; any other is typed.
_MAX_OFFERED = 9
_EVERYWHERE = "g"


@dataclass(frozen=True, slots=True)
class PlaceAnswer:
    """The project that was named, or the scope `global`."""

    project: str | None = None
    scope: str | None = None

    def to_changes(self) -> dict[str, str]:
        """Return what `edit` changes by it."""
        pairs = {"project": self.project, "scope": self.scope}
        return {name: value for name, value in pairs.items() if value is not None}


def ask_place(engine: MemoryEngine, view: RecordView) -> PlaceAnswer | None:
    """Ask where a record belongs; None for no answer."""
    names = _list_names(engine, view)
    for number, name in enumerate(names, 1):
        says_so = " (its session says so)" if name == view.suggested_project else ""
        prompts.say(f"  {number}  {flatten(name)}{says_so}")
    prompts.say(f"  {_EVERYWHERE}  every project")
    answer = prompts.ask("Which project does it belong to? (number or name; Enter: leave it)")
    if not answer:
        return None
    if answer.lower() == _EVERYWHERE:
        return PlaceAnswer(scope="global")
    is_offered = answer.isascii() and answer.isdigit() and 0 < int(answer) <= len(names)
    return PlaceAnswer(project=names[int(answer) - 1] if is_offered else answer)


def _list_names(engine: MemoryEngine, view: RecordView) -> list[str]:
    """The names to offer: what the session says, then what is known, the newest first."""
    known = [item.project for item in engine.projects.list().items]
    known.sort(key=lambda project: project.updated_at, reverse=True)
    suggested = [view.suggested_project] if view.suggested_project else []
    return list(dict.fromkeys([*suggested, *(each.name for each in known)]))[:_MAX_OFFERED]
