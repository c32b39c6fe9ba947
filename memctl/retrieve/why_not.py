"""Why a record is not among the results of a query: the first reason that holds, in the order in which a search would meet them.

Kept true: a record is `returned` here exactly when the search returns it; of what is private to another nothing is told but that.
"""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core import clock
from memctl.core.frozen import dataclass
from memctl.core.model import Actor, Memory, Query
from memctl.records import as_of
from memctl.records.views import links_by_record, superseded_by, view
from memctl.results.records import RecordView
from memctl.results.retrieval import WhyNot
from memctl.retrieve import candidates, score, search, visibility
from memctl.retrieve.candidates import Asked
from memctl.retrieve.query_embedding import is_readable
from memctl.retrieve.score import Scored
from memctl.retrieve.search import Outcome
from memctl.settings.config import Config
from memctl.store import context_records, links, records, tombstones
from memctl.store.database import Db

Reason = tuple[str, str]
# No chain of corrections is so long, but a damaged store may hold a circle.
_LONGEST_CHAIN = 100


@dataclass(frozen=True, slots=True)
class Case:
    """One record before one outcome, and who asks."""

    db: Db
    query: Query
    outcome: Outcome
    shown: RecordView
    viewer: Actor
    session_id: str | None

    @property
    def asked(self) -> Asked:
        """The query made ready."""
        return self.outcome.asked

    def named(self, memory_id: str) -> str:
        """A record by its short id and title, as far as the viewer may know it."""
        found = records.by_ids(self.db, [memory_id]).get(memory_id)
        short = context_records.short_ids(self.db, [memory_id]).get(memory_id, memory_id)
        if found is None or visibility.is_hidden(found, self.viewer, self.session_id):
            return short
        return f"{short} “{' '.join(found.title.split())}”"


def why_not(
    db: Db, config: Config, query: Query, record_id: str, *, viewer: Actor = visibility.OPERATOR
) -> WhyNot:
    """The reason, with the record's score parts where it could be scored. Raises NotFound, UsageError."""
    with db.snapshot():
        memory = records.resolve(db, record_id)
        if visibility.is_hidden(memory, viewer, query.place.session_id):
            return WhyNot(
                query.text,
                visibility.veiled(view(db, memory), viewer, query.place.session_id),
                *private(db, memory),
            )
        outcome = search.run(db, config, query, clock.now())
        case = Case(db, query, outcome, view(db, memory), viewer, query.place.session_id)
        item = scored(case, memory)
        reason, sentence = explained(case, item)
    return WhyNot(query.text, case.shown, reason, sentence, item.score, item.parts)


def scored(case: Case, memory: Memory) -> Scored:
    """A record's worth: as the search reckoned it, or as it would have."""
    known = next(
        (
            item
            for item in (*case.outcome.returned, *case.outcome.others)
            if item.memory.id == memory.id
        ),
        None,
    )
    return known or score.scored(
        candidates.single(case.db, case.asked, memory), case.asked.question, case.asked.stand
    )


def explained(case: Case, item: Scored) -> Reason:
    """A word for a program and a sentence for a person."""
    memory, asked = case.shown.memory, case.asked
    if any(found.memory.id == memory.id for found in case.outcome.returned):
        return "returned", "It is among the results."
    if asked.as_of is not None:
        before = as_of.replayed(case.db, memory, asked.as_of)
        if before is None:
            return "not_yet", f"It was created after {asked.as_of}."
        memory = before
    return kept_out(case, memory) or _by_relevance(case, item)


def kept_out(case: Case, memory: Memory) -> Reason | None:
    """Why a record could not be returned by this query whatever it says, if that is so."""
    return (
        _by_status(case, memory)
        or _by_place(case, memory)
        or _by_filter(case.asked, memory)
        or _by_validity(case.asked, memory)
    )


def private(db: Db, memory: Memory) -> Reason:
    """A record of which nobody else is told anything."""
    if memory.scope == "session":
        return "private", "It belongs to another session only."
    project = context_records.project_name(db, memory.project_id)
    return (
        "private",
        f"It is private to the agent {memory.agent_id}{f', in the project {project}' if project else ''}.",
    )


# -- what leaves a record out whatever it says ------------------------------------------------------------------------


def _by_status(case: Case, memory: Memory) -> Reason | None:
    if memory.status in candidates.wanted_statuses(case.query):
        return None
    if memory.status == "inbox":
        return "inbox", "It is in the inbox and waits for your approval."
    if memory.status == "superseded":
        return (
            "superseded",
            f"It was superseded by {_successors(case, memory.id)}{_because(_said_of_it(case, memory))}",
        )
    row = tombstones.of_memory(case.db, memory.id)
    verdict = row["verdict"] if row is not None else "archived"
    told = (memory.status_reason or "").removeprefix(verdict).removeprefix(":")
    return (
        "rejected" if verdict == "rejected" else "archived"
    ), f"It was {verdict}{_because(told)}"


def _because(reason: str | None) -> str:
    """The end of a sentence: a reason, if there is one."""
    text = " ".join((reason or "").split())
    return "." if not text else f": {text}" if text.endswith((".", "!", "?", "…")) else f": {text}."


def _said_of_it(case: Case, memory: Memory) -> str | None:
    """Why one record took another's place, if more was said than that it did."""
    own = memory.status_reason or ""
    if own and not own.startswith(("superseded by ", "merged into ")):
        return own
    chain = _chain(case, memory.id)
    touching = links.of_memory(case.db, memory.id)
    return next(
        (
            link.reason
            for link in touching
            if chain and (link.relation, link.from_id) == ("supersedes", chain[0])
        ),
        None,
    )


def _successors(case: Case, memory_id: str) -> str:
    """What took a record's place, and at the end of the chain what holds now."""
    chain = _chain(case, memory_id)
    if not chain:
        return "a newer record"
    last = records.by_ids(case.db, chain[-1:]).get(chain[-1])
    holds = (
        "which holds now"
        if last and last.status in ("active", "contradicted")
        else f"which is {last.status if last else 'gone'}"
    )
    if len(chain) == 1:
        return f"{case.named(chain[0])}, {holds}"
    between = f", over {len(chain) - 2} more," if len(chain) > 2 else ""
    return f"{case.named(chain[0])}, and that{between} by {case.named(chain[-1])}, {holds}"


def _chain(case: Case, memory_id: str) -> list[str]:
    """What superseded a record, what superseded that, and so on."""
    chain: list[str] = []
    while len(chain) < _LONGEST_CHAIN:
        last = chain[-1] if chain else memory_id
        newer = superseded_by(
            last, links_by_record(links.of_memory(case.db, last), case.asked.as_of)
        )
        if newer is None or newer == memory_id or newer in chain:
            break
        chain.append(newer)
    return chain


def _by_place(case: Case, memory: Memory) -> Reason | None:
    if memory.scope not in ("agent", "session") or case.asked.scope.sees(memory):
        return None
    return private(case.db, memory)


def _by_filter(asked: Asked, memory: Memory) -> Reason | None:
    failed = asked.scope.refusal(memory)
    values = {
        "type": memory.type,
        "kind": memory.kind,
        "scope": memory.scope,
        "since": memory.observed_at,
        "confidence": memory.confidence,
    }
    return (
        None
        if failed is None
        else ("filtered", f"The filter on {failed} leaves it out: it has {values[failed]}.")
    )


def _by_validity(asked: Asked, memory: Memory) -> Reason | None:
    if candidates.is_valid(memory, asked.stand.now):
        return None
    if memory.valid_until is not None and memory.valid_until <= asked.stand.now:
        return "expired", f"It was valid until {memory.valid_until}."
    return "expired", f"It is valid only from {memory.valid_from}."


# -- what a record says -----------------------------------------------------------------------------------------------


def _by_relevance(case: Case, item: Scored) -> Reason:
    outcome, memory_id = case.outcome, item.memory.id
    if memory_id in outcome.folded:
        return "folded", _folded(case, outcome.folded[memory_id])
    if outcome.reasons.get(memory_id) == "beyond_limit":
        return "beyond_limit", _beyond(case, item)
    floor = search.floor_of(item, case.asked)
    if item.relevance >= floor:
        return "not_looked_at", _not_looked_at(case, item)
    if item.matched_scope == "other project" and item.relevance >= case.asked.floor:
        return "other_project", _other_project(case, item, floor)
    low = f"Its relevance {item.relevance:.2f} is below the floor of {floor:.2f}."
    if item.matched:
        return "below_floor", " ".join(
            filter(None, (low, *_sense(case, item), *_weak_link(case, item)))
        )
    words = (
        "It holds none of the query's words."
        if case.asked.question.terms
        else "The query has no words to look for."
    )
    return "no_match", " ".join(
        filter(
            None,
            (words, *_sense(case, item), low if item.relevance else "", *_weak_link(case, item)),
        )
    )


def _folded(case: Case, into: str) -> str:
    was_returned = any(item.memory.id == into for item in case.outcome.returned)
    return f"It says what {case.named(into)} says, which {'was returned' if was_returned else 'counts'} in its place."


def _other_project(case: Case, item: Scored, floor: float) -> str:
    project = context_records.project_name(case.db, item.memory.project_id)
    whose = f"the project {project}" if project else "another project"
    return f"It is of {whose}, which is not linked with this one: its relevance must be {floor:.2f} there, and is {item.relevance:.2f}."


def _sense(case: Case, item: Scored) -> Iterator[str]:
    """How far a record's sense is from the query's, or why that is not known."""
    if case.asked.sense is None:
        yield "" if item.matched else "Sense was not compared: this search had no vectors."
    elif item.vector is None:
        yield "It has no vector yet, so its sense is not known; memctl maintain makes one."
    elif not is_readable(item.memory.content, case.asked.sense.model):
        yield "The embedding model does not read its language."
    else:
        near = item.parts["semantic"]
        yield (
            f"Its sense is {near:.2f} of the way from unrelated to the same."
            if near
            else "Its sense is unrelated."
        )


def _weak_link(case: Case, item: Scored) -> Iterator[str]:
    """Why a link with something found did not lift the record."""
    found = {other.memory.id: other for other in (*case.outcome.returned, *case.outcome.others)}
    touching = [
        link for link in links.of_memory(case.db, item.memory.id) if link.relation in score.LIFTING
    ]
    ends = [
        (link.relation, found[end])
        for link in touching
        for end in (link.from_id, link.to_id)
        if end in found
    ]
    ends = [(relation, hit) for relation, hit in ends if hit.memory.id != item.memory.id]
    relation, best = max(
        ends, key=lambda end: (end[1].relevance, end[1].memory.id), default=("", None)
    )
    if best is not None and best.relevance < score.STRONG:
        yield f"It is linked ({relation}) with {case.named(best.memory.id)}, which is too weak a hit to lift it:"
        yield f"{best.relevance:.2f}, where {score.STRONG:.2f} is needed."


def _beyond(case: Case, item: Scored) -> str:
    """Its rank, and what the last result scored."""
    outcome = case.outcome
    after = [memory_id for memory_id, reason in outcome.reasons.items() if reason == "beyond_limit"]
    rank = len(outcome.returned) + 1 + after.index(item.memory.id)
    if not outcome.returned:
        return f"It would be number {rank}, and the limit is {case.query.limit}."
    last = min(other.score for other in outcome.returned)
    why = f"with a score of {item.score:.2f}; the last that was returned has {last:.2f}"
    if item.score > last:
        why = f"though its score is {item.score:.2f}: what repeats a better one, or is the older word in one matter, goes back"
    return f"It is number {rank} of {len(outcome.returned) + len(after)}, beyond the limit of {case.query.limit}, {why}."


def _not_looked_at(case: Case, item: Scored) -> str:
    """A record that is relevant, but that neither index named: it looks at so many only."""
    many = len(case.outcome.returned) + len(case.outcome.others)
    return f"It was not looked at: the indexes named {many} others before it. Its score would be {item.score:.2f}."
