"""What comes up in a context, by phase: one table, data only.

Each phase names its sections in order, with the records that come up in each and the share of the
budget that it may take before the others had theirs. A record that every context begins with comes
up in every phase, in `profile` or `project`.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass

TITLES: Mapping[str, str] = {
    "changes": "Changed since you were told",
    "profile": "About the operator",
    "project": "What holds here",
    "decisions": "Decisions in force",
    "task": "For this task",
    "open": "Ideas and what is left to do",
    "fixes": "Fixes that worked",
    "failures": "What is known to fail",
    "references": "Where to look",
    "episodes": "Recent work",
    "contradictions": "Open contradictions: do not rely on either side",
}
_SHARED = ("project", "artifact", "task_hint")
_FAILURE = (
    r"(?i)\b(?:fail(?:s|ed|ing|ure|ures)?|errors?|exceptions?|crash(?:es|ed|ing)?|bugs?|broken?"
    r"|breaks|flaky|tim(?:es|ed)[ -]?out|timeouts?|hangs?|hung|deadlocks?|leaks?"
    r"|corrupt(?:s|ed|ion)?|segfaults?|tracebacks?|panic(?:s|ked)?|regressions?|does not work"
    r"|doesn't work)\b"
)


@dataclass(frozen=True, slots=True)
class PhaseSection:
    """One section: its share of the budget (0..1), and which records come up in it, of which types,
    kinds and words.

    Without types they are chosen by what is asked (`task`) or by their status (`contradictions`);
    without kinds they are of any kind. At most `most` come up, or `beside_task` where a task is
    named; `first` of them come before the rest of any section. `words` is a pattern that their text
    must match. How many episodes there are is a setting.
    """

    share: float
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    most: int = 8
    beside_task: int = 5
    first: int = 4
    words: str | None = None


Phase = Mapping[str, PhaseSection]
# With no phase: what is good to know before anything is done.
USUAL: Phase = {
    "profile": PhaseSection(0.3, ("profile",)),
    "project": PhaseSection(0.35, ("project",), most=20, beside_task=10),
    "decisions": PhaseSection(0.25, ("decision",)),
    "task": PhaseSection(0.5),
    "episodes": PhaseSection(0.15, ("episode", "task_hint"), first=0),
    "contradictions": PhaseSection(0.15),
}
# The shares of a phase leave room for each other and for what stands around them, so that no
# section goes without.
PHASES: Mapping[str, Phase] = {
    # What has been settled, what must be kept, what was thought of, where more is to be read.
    "plan": {
        "profile": PhaseSection(0.1, ("profile",), most=4, beside_task=3),
        "decisions": PhaseSection(0.28, ("decision",), most=12, beside_task=8),
        "project": PhaseSection(0.15, ("project",), ("constraint",), most=10, beside_task=8),
        "task": PhaseSection(0.15),
        "open": PhaseSection(0.1, _SHARED, ("idea", "todo")),
        "contradictions": PhaseSection(0.1),
        "references": PhaseSection(
            0.07, _SHARED, ("domain-reference", "reference", "pointer"), most=6, beside_task=4
        ),
    },
    # How things are done here and what is so, and what the task itself calls for.
    "work": {
        "profile": PhaseSection(0.15, ("profile",)),
        "project": PhaseSection(
            0.4,
            ("project",),
            ("constraint", "convention", "correction", "command", "workflow", "fact"),
            most=20,
            beside_task=12,
        ),
        "task": PhaseSection(0.4),
    },
    # What a change is held against.
    "review": {
        "profile": PhaseSection(0.1, ("profile",)),
        "project": PhaseSection(
            0.38, ("project",), ("constraint", "correction", "convention"), most=20, beside_task=14
        ),
        "decisions": PhaseSection(0.27, ("decision",), most=12, beside_task=8),
        "task": PhaseSection(0.2),
    },
    # What helped before, what is known to fail, what was done last.
    "debug": {
        "profile": PhaseSection(0.05, ("profile",), most=2, beside_task=2),
        "task": PhaseSection(0.28),
        "fixes": PhaseSection(0.18, _SHARED, ("fix",), most=10, beside_task=8),
        "failures": PhaseSection(0.14, _SHARED, ("fact", "reflection"), words=_FAILURE),
        "project": PhaseSection(0.1, ("project",), ("command",)),
        "episodes": PhaseSection(0.12, ("episode",)),
        "references": PhaseSection(0.08, _SHARED, ("pointer",), most=6, beside_task=4),
    },
}
