"""Why a retrieval would answer otherwise now: for each record that comes, goes or moves, what
happened to it or around it.

A reason is what the store can show: a change in the record's own history, another threshold, model
or scope, a record in its place. What is left is what the index knows of all records together: how
rare the words are.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.frozen import dataclass
from memctl.core.model import Actor, Memory
from memctl.core.typing_lite import Any
from memctl.records.record_source import PresentRecords, RecordSource
from memctl.records.views import build_view
from memctl.retrieve import changes_since, why_not
from memctl.retrieve.changes_since import RecordHistory
from memctl.retrieve.logged_query import LoggedRetrieval
from memctl.retrieve.search_outcome import SearchOutcome
from memctl.retrieve.why_not import AbsenceCase, Reason
from memctl.store import records, tombstones
from memctl.store.database import Database

# So many records are named in one sentence.
_MOST_NAMED = 3
_RARITY = "How rare the query's words are has changed with the other records."
_PROGRAM = "No record has changed since: this version of memctl computes scores differently."
# What a search says of a record that is not relevant enough.
_IRRELEVANT = ("below_floor", "no_match", "other_project")


@dataclass(frozen=True, slots=True)
class RepeatedRetrieval:
    """What the same retrieval answers now, in the terms of its log line.

    For a context `choices` are the ids of what could be said, `fresh` of what was new to the
    session; `sections` and `texts` are those of each line.
    """

    outcome: SearchOutcome
    run: Mapping[str, Any]
    returned: tuple[str, ...]
    candidates: Mapping[str, Mapping[str, Any]]
    sections: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    choices: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Comparison:
    """A retrieval as it was (`then`) and as it is (`now`), and who asks."""

    source: RecordSource
    then: LoggedRetrieval
    now: RepeatedRetrieval
    viewer: Actor

    @property
    def db(self) -> Database:
        """The store that was asked again."""
        return self.source.db

    @property
    def is_context(self) -> bool:
        """Whether lines were given, not results."""
        return self.then.command == "context"

    def find_memory(self, memory_id: str) -> Memory | None:
        """A record as it is now."""
        return records.list_by_ids(self.db, [memory_id]).get(memory_id)

    def build_case(self, memory_id: str) -> AbsenceCase:
        """One record before the answer of today."""
        shown = build_view(PresentRecords(self.db), records.get_record(self.db, memory_id))
        return AbsenceCase(self.source, self.now.outcome, shown, self.viewer, None)

    def read_history(self, memory_id: str) -> RecordHistory:
        """What happened to a record since."""
        return changes_since.read_history(self.db, memory_id, self.then.now)

    def get_scores(self, memory_id: str) -> tuple[float | None, float | None]:
        """Its score then and now, as far as it was looked at."""
        then, now = self.then.candidates.get(memory_id), self.now.candidates.get(memory_id)
        return (then.get("score") if then else None), (now.get("score") if now else None)

    def find_changed_parts(self, memory_id: str) -> dict[str, tuple[float | None, float | None]]:
        """The parts of its score that differ."""
        if memory_id not in self.then.candidates or memory_id not in self.now.candidates:
            return {}
        then, now = (
            self.then.candidates[memory_id]["parts"],
            self.now.candidates[memory_id]["parts"],
        )
        return {
            name: (then.get(name), now.get(name))
            for name in {**then, **now}
            if then.get(name) != now.get(name)
        }

    @property
    def has_other_threshold(self) -> bool:
        """Whether another relevance threshold holds."""
        return any(
            name in self.then.run and self.then.run[name] != self.now.run[name]
            for name in ("floor", "other_project_floor")
        )

    @property
    def has_other_model(self) -> bool:
        """Whether meaning is compared by another model, or only then, or only now."""
        then = self.then.run
        return bool(then) and then.get("fingerprint") != self.now.run["fingerprint"]


# -- gone


def explain_missing(comparison: Comparison, memory_id: str) -> Reason:
    """Why a record that was returned would not be now."""
    memory = comparison.find_memory(memory_id)
    if memory is None:
        verdict = tombstones.find_of_memory(comparison.db, memory_id)
        fate = f"was {verdict['verdict']} and " if verdict else ""
        return "gone", f"It {fate}is no longer in the store."
    case, history = comparison.build_case(memory_id), comparison.read_history(memory_id)
    changes = history.describe_changes()
    if comparison.is_context:
        line = _explain_missing_line(comparison, case, memory)
        if line:
            return line[0], " ".join([line[1], *changes])
    reason, sentence = why_not.find_reason(case, why_not.score_record(case, memory))
    if reason == "beyond_limit":
        sentence = f"{sentence}{_describe_newcomers(comparison, case)}"
    elif reason in _IRRELEVANT and comparison.has_other_threshold:
        reason, sentence = "threshold", f"{sentence} The relevance threshold was another then."
    elif reason in (*_IRRELEVANT, "not_looked_at") and not changes:
        sentence = f"{sentence} {_find_causes(comparison, memory_id, history)[1]}"
    return reason, " ".join([sentence, *changes])


def _explain_missing_line(
    comparison: Comparison, case: AbsenceCase, memory: Memory
) -> Reason | None:
    """Why a context leaves out what it could have said; None where the search has to answer."""
    exclusion = why_not.find_exclusion(case, memory)
    if exclusion:
        return exclusion
    now = comparison.now
    newcomers = _describe_newcomers(comparison, case)
    if memory.id in now.fresh:
        return "no_room", f"There is no room left for it within the budget.{newcomers}"
    if memory.id in now.choices:
        return "known", "The session had been given it before."
    most = now.run["episodes"]
    if memory.type == "episode" and comparison.then.run.get("episodes", most) > most:
        return "episodes", f"Fewer episodes are shown now: {most} at most (context.episodes)."
    was_hit = comparison.then.candidates.get(memory.id, {}).get("outcome") == "returned"
    is_hit = any(item.memory.id == memory.id for item in now.outcome.returned)
    if was_hit and not is_hit:
        return None
    return "not_chosen", f"It does not come up any more: of its kind, others come first.{newcomers}"


def _describe_newcomers(comparison: Comparison, case: AbsenceCase) -> str:
    """The newcomers that may stand in a record's place."""
    before = comparison.then.returned
    newcomers = [memory_id for memory_id in comparison.now.returned if memory_id not in before]
    if not newcomers:
        return ""
    names = ", ".join(map(case.name_record, newcomers[:_MOST_NAMED]))
    more = f" and {len(newcomers) - _MOST_NAMED} more" if len(newcomers) > _MOST_NAMED else ""
    return f" New among the results: {names}{more}."


# -- come


def explain_new(comparison: Comparison, memory_id: str) -> Reason:
    """Why a record that was not returned would be now."""
    history = comparison.read_history(memory_id)
    arrival = history.describe_arrival()
    if arrival:
        return arrival
    if history.reworded or history.is_moved:
        return _explain_changes(history, otherwise="place")
    before = comparison.then.candidates.get(memory_id, {})
    hit = comparison.now.candidates.get(memory_id, {}).get("lifted_by")
    if hit and hit != before.get("lifted_by"):
        name = comparison.build_case(memory_id).name_record(hit)
        return "link", f"It rises by its link with {name}, which it did not then."
    outcome = before.get("outcome")
    if outcome == "folded":
        better = "another"
        if before.get("into"):
            better = comparison.build_case(memory_id).name_record(before["into"])
        return "unfolded", f"It was left out then as a duplicate of {better}."
    if outcome == "beyond_limit":
        return "moved_up", _describe_move_up(comparison, memory_id, history)
    if comparison.is_context and outcome in (None, "returned"):
        return _explain_new_line(comparison, memory_id)
    if comparison.has_other_threshold:
        return "threshold", "The relevance threshold was another then."
    return _find_causes(comparison, memory_id, history)


def _describe_move_up(comparison: Comparison, memory_id: str, history: RecordHistory) -> str:
    after = comparison.now.returned
    gone = [other for other in comparison.then.returned if other not in after]
    if not gone:
        cause = _find_causes(comparison, memory_id, history)[1]
        return f"It was beyond the limit then. {cause}"
    names = map(comparison.build_case(memory_id).name_record, gone[:_MOST_NAMED])
    return f"It was beyond the limit then; {', '.join(names)} made room for it."


def _explain_new_line(comparison: Comparison, memory_id: str) -> Reason:
    """Why a context says what it did not say then."""
    if memory_id in comparison.then.candidates:
        return (
            "room",
            "It was among the hits then too, but found no room or was known to the session.",
        )
    if memory_id in comparison.now.candidates:
        return _find_causes(comparison, memory_id, comparison.read_history(memory_id))
    return "chosen", "It comes up now: what came before it then is gone, or there is room for more."


# -- in another order, with other scores


def explain_moved(comparison: Comparison, memory_id: str) -> Reason:
    """Why a record has another rank."""
    then, now = comparison.get_scores(memory_id)
    if then == now and not comparison.find_changed_parts(memory_id):
        return "others", "Its own score is as it was; others have another rank now."
    return explain_rescored(comparison, memory_id)


def explain_rescored(comparison: Comparison, memory_id: str) -> Reason:
    """Why a record has another score."""
    return _find_causes(comparison, memory_id, comparison.read_history(memory_id))


def explain_reworded(comparison: Comparison, memory_id: str) -> Reason:
    """Why a context says a record in other words."""
    history = comparison.read_history(memory_id)
    if history.reworded:
        return _explain_changes(history, otherwise="edited")
    if history.list_changed("status"):
        return "doubt", "It is marked differently: what contradicts it has changed."
    return "form", "It is said more briefly or more fully: there is more or less room for it."


def _explain_changes(history: RecordHistory, *, otherwise: str) -> Reason:
    """The record's own changes as a reason; `otherwise` is its word where the text was not
    edited.
    """
    return "edited" if history.reworded else otherwise, " ".join(history.describe_changes())


def _find_causes(comparison: Comparison, memory_id: str, history: RecordHistory) -> Reason:
    """What changed a score: the record itself, the model, a link, a setting, or the other
    records.
    """
    if history.describe_changes():
        return _explain_changes(history, otherwise="changed")
    parts = comparison.find_changed_parts(memory_id)
    found = [_find_cause(comparison, name, then, now) for name, (then, now) in parts.items()]
    causes = [cause for cause in found if cause is not None]
    if not causes and comparison.has_other_model:
        causes = [_explain_model(comparison)]
    if causes:
        sentences = dict.fromkeys(sentence for _, sentence in causes)
        return causes[0][0], " ".join(sentences)
    if changes_since.is_untouched(comparison.db, comparison.then.now):
        return "program", _PROGRAM
    return "statistics", _RARITY


def _find_cause(
    comparison: Comparison, part: str, then: float | None, now: float | None
) -> Reason | None:
    """Why one part of a score differs though the record does not; None where only all records
    together can say.
    """
    run_then, run_now = comparison.then.run, comparison.now.run
    if part == "semantic":
        is_other_model = comparison.has_other_model or not run_then
        return _explain_model(comparison) if is_other_model else _explain_vector(then, now)
    if part == "freshness" and run_then.get("rates") != run_now["rates"]:
        return "rates", "Records decay at another rate (decay.rates, decay.in_ranking)."
    if part == "beside" and run_then.get("neighbours") != run_now["neighbours"]:
        sentence = "Its neighbours count more or less than then (search.neighbour_boost)."
        return "neighbours", sentence
    return _SIMPLE_CAUSES.get(part)


_LINK_CAUSE = "link", "What it is linked with, or its neighbours, raise it more or less than then."
_SIMPLE_CAUSES: Mapping[str, Reason] = {
    "freshness": ("used", "It was used since, which keeps it fresh."),
    "confidence": ("citations", "What it cites has gone or come back since then."),
    "outcomes": ("outcomes", "There is other feedback on it since then."),
    "scope": ("place", "The projects are linked in another way."),
    "linked": _LINK_CAUSE,
    "beside": _LINK_CAUSE,
}


def _explain_model(comparison: Comparison) -> Reason:
    then, now = comparison.then.run.get("model"), comparison.now.run["model"]
    if then and now:
        weights = " with other weights" if then == now else ""
        return "model", f"Semantic similarity is computed by {now} now, then by {then}{weights}."
    if now:
        return "model", f"Semantic similarity is compared now (by {now}), which it was not then."
    return "model", "Semantic similarity was compared then, and is not now."


def _explain_vector(then: float | None, now: float | None) -> Reason:
    if not then:
        return "vector", "It had no vector then."
    if not now:
        return "vector", "It has no vector now."
    return "vector", "Its vector, or the query's, was computed anew."
