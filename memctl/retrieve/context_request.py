"""What a context is asked for, with every default filled in and every word checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Place
from memctl.core.typing_lite import Any
from memctl.records.as_of import parse_moment
from memctl.retrieve.layout import FORMATS
from memctl.retrieve.phases import PHASES, USUAL, Phase
from memctl.settings.config import Config

# What may be asked for beside the caller and the task, with what holds where it is not named.
DEFAULT_OPTIONS: Mapping[str, Any] = {
    "budget": None,
    "level": None,
    "since": None,
    "phase": None,
    "format": "markdown",
    "fresh": False,
    "repeat": False,
    "prompt_only": False,
    "session_start": False,
    "as_of": None,
}


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """A context as it was asked for. `budget` is in tokens; `options` holds what was asked for
    beside the task, as the log keeps it.

    With `prompt_only` only the hits of the task are wanted; with `is_fresh` only what the session
    was not told yet, and what became of what it was told.
    """

    caller: Place
    task: str
    budget: int
    level: int
    since: str | None
    phase: Phase
    format: str
    prompt_only: bool
    is_fresh: bool
    options: Mapping[str, Any]
    as_of: str | None = None

    def with_budget(self, budget: int) -> ContextRequest:
        """Return the same request for another budget."""
        return replace(self, budget=budget, options={**self.options, "budget": budget})


def build_request(
    config: Config, caller: Place, task: str, options: Mapping[str, Any]
) -> ContextRequest:
    """The request for these options, which have the keys of DEFAULT_OPTIONS. Raises UsageError
    for a word that does not fit.
    """
    is_prompt = bool(options["prompt_only"])
    level, budget = options["level"], options["budget"]
    if level is None:
        level = int(config["context.level"])
    if budget is None:
        budget = config["context.prompt_budget" if is_prompt else "context.budget"]
    _require_one_of("level", level, (0, 1, 2))
    _require_one_of("phase", options["phase"], (None, *PHASES))
    _require_one_of("format", options["format"], FORMATS)
    if options["fresh"] and not caller.session_id:
        raise UsageError(
            "what is fresh depends on the session", hint="name it: --session ID --fresh"
        )
    if options["fresh"] and options["repeat"]:
        raise UsageError("--fresh and --repeat exclude each other", hint="name one of them")
    # A session that begins has been told nothing; who asks for the past wants all of it.
    tells_once = not (options["repeat"] or options["session_start"] or options["as_of"])
    is_fresh = options["fresh"] or (tells_once and bool(config["context.omit_already_served"]))
    named = {name: value for name, value in options.items() if value not in (None, False)}
    return ContextRequest(
        caller,
        task,
        int(budget),
        level,
        parse_moment(options["since"]),
        USUAL if options["phase"] is None else PHASES[options["phase"]],
        options["format"],
        is_prompt,
        bool(caller.session_id) and is_fresh,
        named | {"budget": int(budget), "level": level},
        parse_moment(options["as_of"], end_of_day=True),
    )


def _require_one_of(name: str, value: object, allowed: Sequence[object]) -> None:
    if value not in allowed:
        words = ", ".join(str(word) for word in allowed if word is not None)
        raise UsageError(f"the {name} is {words}; not {value}")
