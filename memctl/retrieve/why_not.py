"""Why a record is not among the results of a query: the first reason that holds, in the order in
which a search would meet them.

Kept true: a record is `returned` here exactly when the search returns it; of what is private to
another nothing is told but that.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core import clock
from memctl.core.frozen import dataclass
from memctl.core.model import Actor, Memory, Query
from memctl.records.as_of import records_at
from memctl.records.record_source import PresentRecords, RecordSource
from memctl.records.views import build_view
from memctl.results.records import RecordView
from memctl.results.retrieval import WhyNot
from memctl.retrieve import candidates, score, search, visibility
from memctl.retrieve.prepared_query import PreparedQuery, list_wanted_statuses
from memctl.retrieve.query_embedding import is_readable
from memctl.retrieve.score import ScoredRecord
from memctl.retrieve.search_outcome import SearchOutcome, find_threshold
from memctl.settings.config import Config
from memctl.store import context_records, links, records, tombstones
from memctl.store.database import Database

# A word for a program and a sentence for a person.
Reason = tuple[str, str]


@dataclass(frozen=True, slots=True)
class AbsenceCase:
    """One record (`shown`, as it is now) before one outcome, and who asks."""

    source: RecordSource
    outcome: SearchOutcome
    shown: RecordView
    viewer: Actor
    session_id: str | None

    @property
    def prepared(self) -> PreparedQuery:
        """The query made ready."""
        return self.outcome.prepared

    def name_record(self, memory_id: str) -> str:
        """A record by its short id and title, as far as the viewer may know it."""
        db = self.source.db
        memory = records.list_by_ids(db, [memory_id]).get(memory_id)
        short = context_records.shorten_ids(db, [memory_id]).get(memory_id, memory_id)
        if memory is None or visibility.is_hidden(memory, self.viewer, self.session_id):
            return short
        return f"{short} “{' '.join(memory.title.split())}”"


def explain_absence(
    db: Database,
    config: Config,
    query: Query,
    record_id: str,
    *,
    viewer: Actor = visibility.OPERATOR,
) -> WhyNot:
    """The reason, with the record's score parts where it could be scored. Raises NotFound,
    UsageError.
    """
    source, session_id = records_at(db, query.as_of), query.place.session_id
    with db.snapshot():
        memory = records.resolve_record(db, record_id)
        shown = build_view(PresentRecords(db), memory)
        if visibility.is_hidden(memory, viewer, session_id):
            hidden = visibility.hide_private(shown, viewer, session_id)
            return WhyNot(query.text, hidden, *describe_private(db, memory))
        outcome = search.run_search(source, config, query, clock.now())
        case = AbsenceCase(source, outcome, shown, viewer, session_id)
        item = score_record(case, memory)
        reason, sentence = find_reason(case, item)
    return WhyNot(query.text, shown, reason, sentence, item.score, item.parts)


def score_record(case: AbsenceCase, memory: Memory) -> ScoredRecord:
    """A record with its score: as the search computed it, or as it would have."""
    known = (*case.outcome.returned, *case.outcome.others)
    for item in known:
        if item.memory.id == memory.id:
            return item
    candidate = candidates.build_candidate(case.source, case.prepared, memory)
    best = max((item.parts["lexical"] for item in known), default=0.0)
    terms, context = case.prepared.terms, case.prepared.context
    return score.score_candidates([candidate], terms, context, best)[0]


def find_reason(case: AbsenceCase, item: ScoredRecord) -> Reason:
    """Why the record is not among the results, or `returned`."""
    memory = case.shown.memory
    if any(returned.memory.id == memory.id for returned in case.outcome.returned):
        return "returned", "It is among the results."
    state = case.source.find_state(memory)
    if state is None:
        return "not_yet", f"It was created after {case.source.at}."
    return find_exclusion(case, state) or find_relevance_reason(case, item)


def find_exclusion(case: AbsenceCase, memory: Memory) -> Reason | None:
    """Why a record could not be returned by this query whatever it says, if that is so."""
    return (
        _find_status_reason(case, memory)
        or _find_privacy_reason(case, memory)
        or _find_filter_reason(case.prepared, memory)
        or _find_validity_reason(case.prepared, memory)
    )


def describe_private(db: Database, memory: Memory) -> Reason:
    """A record of which nobody else is told anything."""
    if memory.scope == "session":
        return "private", "It belongs to another session only."
    project = context_records.find_project_name(db, memory.project_id)
    in_project = f", in the project {project}" if project else ""
    return "private", f"It is private to the agent {memory.agent_id}{in_project}."


# -- what leaves a record out whatever it says


def _find_status_reason(case: AbsenceCase, memory: Memory) -> Reason | None:
    if memory.status in list_wanted_statuses(case.prepared.query):
        return None
    if memory.status == "inbox":
        return "inbox", "It is in the inbox and waits for your approval."
    if memory.status == "superseded":
        chain = case.source.list_successors(memory.id)
        why = _format_reason(_find_supersession_reason(case, memory, chain))
        return "superseded", f"It was superseded by {_describe_successors(case, chain)}{why}"
    row = tombstones.find_of_memory(case.source.db, memory.id)
    verdict = row["verdict"] if row is not None else "archived"
    reason = (memory.status_reason or "").removeprefix(verdict).removeprefix(":")
    name = "rejected" if verdict == "rejected" else "archived"
    return name, f"It was {verdict}{_format_reason(reason)}"


def _format_reason(reason: str | None) -> str:
    """The end of a sentence: a reason, if there is one."""
    text = " ".join((reason or "").split())
    if not text:
        return "."
    return f": {text}" if text.endswith((".", "!", "?", "…")) else f": {text}."


def _find_supersession_reason(
    case: AbsenceCase, memory: Memory, chain: tuple[str, ...]
) -> str | None:
    """Why one record took another's place, if more was said than that it did."""
    own = memory.status_reason or ""
    if own and not own.startswith(("superseded by ", "merged into ")):
        return own
    for link in links.list_of_memory(case.source.db, memory.id):
        if chain and link.relation == "supersedes" and link.from_id == chain[0]:
            return link.reason
    return None


def _describe_successors(case: AbsenceCase, chain: tuple[str, ...]) -> str:
    """What took a record's place, and at the end of the chain what holds now."""
    if not chain:
        return "a newer record"
    last = records.list_by_ids(case.source.db, chain[-1:]).get(chain[-1])
    if last and last.status in ("active", "contradicted"):
        state = "which holds now"
    else:
        state = f"which is {last.status if last else 'gone'}"
    if len(chain) == 1:
        return f"{case.name_record(chain[0])}, {state}"
    between = f", through {len(chain) - 2} more," if len(chain) > 2 else ""
    first, head = case.name_record(chain[0]), case.name_record(chain[-1])
    return f"{first}, and that{between} by {head}, {state}"


def _find_privacy_reason(case: AbsenceCase, memory: Memory) -> Reason | None:
    if memory.scope not in ("agent", "session") or case.prepared.scope.sees(memory):
        return None
    return describe_private(case.source.db, memory)


def _find_filter_reason(prepared: PreparedQuery, memory: Memory) -> Reason | None:
    failed = prepared.scope.refusal(memory)
    if failed is None:
        return None
    values = {
        "type": memory.type,
        "kind": memory.kind,
        "scope": memory.scope,
        "since": memory.observed_at,
        "until": memory.observed_at,
        "repo": memory.repo_id or "none",
        "confidence": memory.confidence,
    }
    return "filtered", f"The filter on {failed} leaves it out: it has {values[failed]}."


def _find_validity_reason(prepared: PreparedQuery, memory: Memory) -> Reason | None:
    now = prepared.context.now
    if memory.is_valid_at(now):
        return None
    if memory.valid_until is not None and memory.valid_until <= now:
        return "expired", f"It was valid until {memory.valid_until}."
    return "expired", f"It is valid only from {memory.valid_from}."


# -- what a record says


def find_relevance_reason(case: AbsenceCase, item: ScoredRecord) -> Reason:
    """Why a record that could be returned is not, by what it says."""
    outcome, memory_id = case.outcome, item.memory.id
    if memory_id in outcome.folded:
        return "folded", _describe_folding(case, outcome.folded[memory_id])
    if outcome.reasons.get(memory_id) == "beyond_limit":
        return "beyond_limit", _describe_rank(case, item)
    threshold = find_threshold(item, case.prepared)
    if case.prepared.is_prompt:
        return _find_prompt_reason(case, item, threshold)
    if item.relevance >= threshold:
        return "not_looked_at", _describe_not_looked_at(case, item)
    if item.matched_scope == "other project" and item.relevance >= case.prepared.threshold:
        return "other_project", _describe_other_project(case, item, threshold)
    low = f"Its relevance {item.relevance:.2f} is below the relevance threshold of {threshold:.2f}."
    similarity = list(_describe_similarity(case, item))
    weak_link = list(_describe_weak_link(case, item))
    if item.matched:
        return "below_floor", " ".join([low, *similarity, *weak_link])
    words = "It holds none of the query's words."
    if not case.prepared.terms.terms:
        words = "The query has no words to look for."
    sentences = [words, *similarity, *([low] if item.relevance else []), *weak_link]
    return "no_match", " ".join(sentences)


def _find_prompt_reason(case: AbsenceCase, item: ScoredRecord, threshold: float) -> Reason:
    """The same where an agent is prompted or given a task, and nobody has searched."""
    prepared, reason = case.prepared, case.outcome.reasons.get(item.memory.id)
    if reason == "other_project" or item.matched_scope == "other project":
        return "other_project", _describe_foreign(case, item)
    kind = "prompt" if prepared.setting == "context.prompt_threshold" else "task"
    if reason == "past_work":
        return reason, f"It tells of past work, and the {kind} asks of none."
    if reason == "far_below_best":
        best = max(other.relevance for other in case.outcome.returned)
        return reason, (
            f"The {kind} calls for it with a certainty of {item.relevance:.2f}, and for another "
            f"with {best:.2f}: it must be {prepared.margin:.2f} as sure (context.prompt_margin)."
        )
    if item.relevance >= threshold:
        return "not_looked_at", _describe_not_looked_at(case, item)
    if prepared.is_plain and not prepared.terms.terms:
        return "no_match", f"The {kind} has only words that nearly every one has, and asks nothing."
    shared = ", ".join(f"'{word}'" for word in item.matched)
    has = f"It shares {shared} with the {kind}." if shared else f"It has no word of the {kind}."
    low = (
        f"The {kind} calls for it with a certainty of {item.relevance:.2f}; "
        f"{threshold:.2f} is needed ({prepared.setting})."
    )
    more = [*_describe_similarity(case, item), *_describe_weak_link(case, item)]
    return "below_floor" if shared else "no_match", " ".join([low, has, *more])


def _describe_foreign(case: AbsenceCase, item: ScoredRecord) -> str:
    """A record of which no agent is told unasked, because it is of elsewhere."""
    project = context_records.find_project_name(case.source.db, item.memory.project_id)
    owner = f"the project {project}" if project else "another project"
    if item.matched_scope == "linked project":
        return f"It tells of work in {owner}, which is told only there."
    return f"It is of {owner}, which is not linked with this one."


def _describe_folding(case: AbsenceCase, into: str) -> str:
    was_returned = any(item.memory.id == into for item in case.outcome.returned)
    fate = "was returned" if was_returned else "counts"
    return f"It says what {case.name_record(into)} says, which {fate} in its place."


def _describe_other_project(case: AbsenceCase, item: ScoredRecord, threshold: float) -> str:
    project = context_records.find_project_name(case.source.db, item.memory.project_id)
    owner = f"the project {project}" if project else "another project"
    return (
        f"It is of {owner}, which is not linked with this one: "
        f"its relevance must be {threshold:.2f} there, and is {item.relevance:.2f}."
    )


def _describe_similarity(case: AbsenceCase, item: ScoredRecord) -> Iterator[str]:
    """How similar a record is to the query semantically, or why that is not known; nothing where
    words matched without vectors.
    """
    if case.prepared.vector is None:
        if not item.matched:
            yield "Semantic similarity was not compared: this search had no vectors."
    elif item.vector is None:
        yield (
            "It has no vector yet, so its semantic similarity is not known; "
            "memctl maintain makes one."
        )
    elif not is_readable(item.memory.content, case.prepared.vector.model):
        yield "The embedding model does not read its language."
    elif item.parts["semantic"]:
        yield (
            f"Its semantic similarity is {item.parts['semantic']:.2f}, "
            "where 0 is unrelated and 1 says the same."
        )
    else:
        yield "It is semantically unrelated."


def _describe_weak_link(case: AbsenceCase, item: ScoredRecord) -> Iterator[str]:
    """Why a link with something found did not raise the record."""
    found = {other.memory.id: other for other in (*case.outcome.returned, *case.outcome.others)}
    hits = [
        (link.relation, found[end])
        for link in links.list_of_memory(case.source.db, item.memory.id)
        for end in (link.from_id, link.to_id)
        if link.relation in score.BOOSTING_RELATIONS and end in found and end != item.memory.id
    ]
    if not hits:
        return
    relation, best = max(hits, key=lambda hit: (hit[1].relevance, hit[1].memory.id))
    if best.relevance < case.prepared.linking:
        yield (
            f"It is linked ({relation}) with {case.name_record(best.memory.id)}, "
            f"which is too weak a hit to raise it: {best.relevance:.2f}, "
            f"where {case.prepared.linking:.2f} is needed."
        )


def _describe_rank(case: AbsenceCase, item: ScoredRecord) -> str:
    """Its rank, and what the last result scored."""
    outcome, limit = case.outcome, case.prepared.query.limit
    after = [memory_id for memory_id, reason in outcome.reasons.items() if reason == "beyond_limit"]
    rank = len(outcome.returned) + 1 + after.index(item.memory.id)
    if not outcome.returned:
        return f"It would be number {rank}, and the limit is {limit}."
    last = min(other.score for other in outcome.returned)
    why = f"with a score of {item.score:.2f}; the last that was returned has {last:.2f}"
    if item.score > last:
        why = (
            f"though its score is {item.score:.2f}: "
            "what repeats a better result, or is the older statement on one matter, moves down"
        )
    total = len(outcome.returned) + len(after)
    return f"It is number {rank} of {total}, beyond the limit of {limit}, {why}."


def _describe_not_looked_at(case: AbsenceCase, item: ScoredRecord) -> str:
    """A record that is relevant, but that neither index named: it looks at so many only."""
    many = len(case.outcome.returned) + len(case.outcome.others)
    return (
        f"It was not looked at: the indexes named {many} others before it. "
        f"Its score would be {item.score:.2f}."
    )
