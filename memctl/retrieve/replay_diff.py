"""Why a retrieval would answer otherwise now: for each record that comes, goes or moves, what happened to it or around it.

A reason is what the store can show: a change in the record's own history, another threshold, model or place, a record that stands in its
place. What is left is what the index knows of all records together: how rare the words are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl.core.frozen import dataclass
from memctl.core.model import Actor, Memory, Query
from memctl.records.views import view
from memctl.results.records import RecordView
from memctl.retrieve import changes_since, why_not
from memctl.retrieve.changes_since import History
from memctl.retrieve.logged_query import Past
from memctl.retrieve.search import Outcome
from memctl.store import records, tombstones
from memctl.store.database import Db

Reason = tuple[str, str]
_MOST_NAMED = 3
_RARITY = "How rare the query's words are has changed with the other records."
_PROGRAM = "No record has changed since: this version of memctl reckons otherwise."


@dataclass(frozen=True, slots=True)
class Both:
    """A retrieval as it was and as it is now, and who asks; `told` and `fresh` are what a context could say, and what of it is new."""

    db: Db
    then: Past
    query: Query
    outcome: Outcome
    run: Mapping[str, Any]
    candidates: Mapping[str, Mapping[str, Any]]
    returned: tuple[str, ...]
    told: frozenset[str]
    fresh: frozenset[str]
    viewer: Actor

    @property
    def is_context(self) -> bool:
        """Whether lines were given, not results."""
        return self.then.command == "context"

    def memory(self, memory_id: str) -> Memory | None:
        """A record as it is now."""
        return records.by_ids(self.db, [memory_id]).get(memory_id)

    def case(self, memory_id: str) -> why_not.Case:
        """One record before the answer of today."""
        shown: RecordView = view(self.db, records.get(self.db, memory_id))
        return why_not.Case(self.db, self.query, self.outcome, shown, self.viewer, None)

    def history(self, memory_id: str) -> History:
        """What happened to a record since."""
        return changes_since.of(self.db, memory_id, self.then.now)

    def scores(self, memory_id: str) -> tuple[float | None, float | None]:
        """Its score then and now, as far as it was looked at."""
        then, now = self.then.candidates.get(memory_id), self.candidates.get(memory_id)
        return (then.get("score") if then else None), (now.get("score") if now else None)

    def parts(self, memory_id: str) -> dict[str, tuple[float | None, float | None]]:
        """The parts of its score that differ."""
        if memory_id not in self.then.candidates or memory_id not in self.candidates:
            return {}
        then, now = self.then.candidates[memory_id]["parts"], self.candidates[memory_id]["parts"]
        return {
            name: (then.get(name), now.get(name))
            for name in {**then, **now}
            if then.get(name) != now.get(name)
        }

    @property
    def has_other_floor(self) -> bool:
        """Whether another threshold holds."""
        return any(
            name in self.then.run and self.then.run[name] != self.run[name]
            for name in ("floor", "other_project_floor")
        )

    @property
    def has_other_model(self) -> bool:
        """Whether sense is compared by another model, or only then, or only now."""
        return bool(self.then.run) and self.then.run.get("fingerprint") != self.run["fingerprint"]


# -- gone -------------------------------------------------------------------------------------------------------------


def missing(both: Both, memory_id: str) -> Reason:
    """Why a record that was returned would not be now."""
    memory = both.memory(memory_id)
    if memory is None:
        verdict = tombstones.of_memory(both.db, memory_id)
        return (
            "gone",
            f"It was {verdict['verdict']} and is no longer in the store."
            if verdict
            else "It is no longer in the store.",
        )
    case, history = both.case(memory_id), both.history(memory_id)
    if both.is_context and (line := _line(both, case, memory)):
        return line[0], _with(line[1], history)
    reason, sentence = why_not.explained(case, why_not.scored(case, memory))
    if reason == "beyond_limit":
        return reason, _with(f"{sentence}{_pushed_by(both, case)}", history)
    if reason in ("below_floor", "no_match", "other_project") and both.has_other_floor:
        reason, sentence = "threshold", f"{sentence} The threshold was another then."
    elif (
        reason in ("below_floor", "no_match", "other_project", "not_looked_at")
        and not history.told()
    ):
        sentence = f"{sentence} {_causes(both, memory_id, history)[1]}"
    return reason, _with(sentence, history)


def _line(both: Both, case: why_not.Case, memory: Memory) -> Reason | None:
    """Why a context leaves out what it could have said."""
    kept_out = why_not.kept_out(case, memory)
    if kept_out:
        return kept_out
    if memory.id in both.fresh:
        return "no_room", f"There is no room left for it within the budget.{_pushed_by(both, case)}"
    if memory.id in both.told:
        return "known", "The session had been given it before."
    if (
        memory.type == "episode"
        and both.then.run.get("episodes", both.run["episodes"]) > both.run["episodes"]
    ):
        return (
            "episodes",
            f"Fewer episodes are shown now: {both.run['episodes']} at most (context.episodes).",
        )
    was_hit = both.then.candidates.get(memory.id, {}).get("outcome") == "returned"
    is_hit = any(item.memory.id == memory.id for item in both.outcome.returned)
    if was_hit and not is_hit:
        return None
    return (
        "not_chosen",
        f"It does not come up any more: of its kind, others come first.{_pushed_by(both, case)}",
    )


def _pushed_by(both: Both, case: why_not.Case) -> str:
    """The newcomers that may stand in a record's place."""
    newcomers = [memory_id for memory_id in both.returned if memory_id not in both.then.returned]
    if not newcomers:
        return ""
    more = f" and {len(newcomers) - _MOST_NAMED} more" if len(newcomers) > _MOST_NAMED else ""
    return f" New among the results: {', '.join(map(case.named, newcomers[:_MOST_NAMED]))}{more}."


def _with(sentence: str, history: History) -> str:
    return " ".join((sentence, *history.told()))


# -- come -------------------------------------------------------------------------------------------------------------


def new(both: Both, memory_id: str) -> Reason:
    """Why a record that was not returned would be now."""
    history = both.history(memory_id)
    arrival = history.arrival()
    if arrival:
        return arrival
    if history.reworded or history.is_moved:
        return ("edited" if history.reworded else "place"), " ".join(history.told())
    before = both.then.candidates.get(memory_id, {})
    hit = both.candidates.get(memory_id, {}).get("lifted_by")
    if hit and hit != before.get("lifted_by"):
        return (
            "link",
            f"It rises by its link with {both.case(memory_id).named(hit)}, which it did not then.",
        )
    outcome = before.get("outcome")
    if outcome == "folded":
        better = both.case(memory_id).named(before["into"]) if before.get("into") else "another"
        return (
            "unfolded",
            f"It was left out then, as it says what {better} says, which stood in its place.",
        )
    if outcome == "beyond_limit":
        return "moved_up", _moved_up(both, memory_id, history)
    if both.is_context and outcome in (None, "returned"):
        return _line_now(both, memory_id)
    if both.has_other_floor:
        return "threshold", "The threshold was another then."
    return _causes(both, memory_id, history)


def _moved_up(both: Both, memory_id: str, history: History) -> str:
    gone = [other for other in both.then.returned if other not in both.returned]
    if gone:
        case = both.case(memory_id)
        return f"It was beyond the limit then; {', '.join(map(case.named, gone[:_MOST_NAMED]))} made room for it."
    return f"It was beyond the limit then. {_causes(both, memory_id, history)[1]}"


def _line_now(both: Both, memory_id: str) -> Reason:
    """Why a context says what it did not say then."""
    if memory_id in both.then.candidates:
        return (
            "room",
            "It was among the hits then too, but found no room or was known to the session.",
        )
    if memory_id in both.candidates:
        return _causes(both, memory_id, both.history(memory_id))
    return "chosen", "It comes up now: what came before it then is gone, or there is room for more."


# -- in other places, with other scores ---------------------------------------------------------------------------------


def moved(both: Both, memory_id: str) -> Reason:
    """Why a record stands elsewhere in the order."""
    if not both.parts(memory_id) and len(set(both.scores(memory_id))) == 1:
        return "others", "Its own score is as it was; others stand elsewhere now."
    return rescored(both, memory_id)


def rescored(both: Both, memory_id: str) -> Reason:
    """Why a record has another score."""
    return _causes(both, memory_id, both.history(memory_id))


def reworded(both: Both, memory_id: str) -> Reason:
    """Why a context says a record in other words."""
    history = both.history(memory_id)
    if history.reworded:
        return "edited", " ".join(history.told())
    if history.changed("status"):
        return "doubt", "It is said with another mark: what contradicts it has changed."
    return (
        "form",
        "It is said more shortly or more fully: the room that there is for it has changed.",
    )


def _causes(both: Both, memory_id: str, history: History) -> Reason:
    """What changed a score: the record itself, the model, a link, a setting, or the other records."""
    parts = both.parts(memory_id)
    if history.told():
        return ("edited" if history.reworded else "changed"), " ".join(history.told())
    found = [cause for name in parts if (cause := _cause(both, name, *parts[name])) is not None]
    if not found and both.has_other_model:
        found = [_model(both)]
    if not found and changes_since.is_untouched(both.db, both.then.now):
        return "program", _PROGRAM
    if not found:
        return "statistics", _RARITY
    return found[0][0], " ".join(dict.fromkeys(sentence for _, sentence in found))


def _cause(both: Both, name: str, then: float | None, now: float | None) -> Reason | None:
    """Why one part of a score differs though the record does not; None where only all records together can say."""
    if name == "semantic":
        return _model(both) if both.has_other_model or not both.then.run else _vector(then, now)
    if name == "freshness":
        if both.then.run.get("rates") != both.run["rates"]:
            return "rates", "Records fade at another rate (decay.rates, decay.in_ranking)."
        return "used", "It was used since, which keeps it fresh."
    if name == "confidence":
        return "citations", "What it cites is there no more, or again, than it was then."
    if name == "outcomes":
        return "outcomes", "Something else was said since of whether it helps."
    if name == "scope":
        return "place", "The projects are linked in another way."
    if name == "beside" and both.then.run.get("neighbours") != both.run["neighbours"]:
        return (
            "neighbours",
            "What was said beside it counts more or less than then (search.neighbours).",
        )
    if name in ("linked", "beside"):
        return (
            "link",
            "What it is linked with, or was said beside, lifts it more or less than then.",
        )
    return None


def _model(both: Both) -> Reason:
    then, now = both.then.run.get("model"), both.run["model"]
    if then and now:
        return (
            "model",
            f"Sense is compared by {now} now, then by {then}{' with other weights' if then == now else ''}.",
        )
    return (
        "model",
        f"Sense is compared now (by {now}), which it was not then."
        if now
        else "Sense was compared then, and is not now.",
    )


def _vector(then: float | None, now: float | None) -> Reason:
    if not then:
        return "vector", "It had no vector then."
    return (
        "vector",
        "Its vector, or the question's, was made anew." if now else "It has no vector now.",
    )
