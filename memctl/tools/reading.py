"""The tools that read: searching, recalling, contexts, and why a record is what it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memctl.core.errors import NotFound
from memctl.core.model import TRUST_NAMES, Query
from memctl.results.conflicts import Conflict
from memctl.results.explanations import MemoryExplanation, RetrievalExplanation
from memctl.results.records import RecordView
from memctl.tools import answers
from memctl.tools.answers import Answer
from memctl.tools.tool import Desk

# Quotes that prove a record, and its changes, in an explanation; the newest of them.
_MOST_QUOTES = 5
# Records about an entity.
_MOST_RECORDS = 8
# Share of the budget that one recalled record may take, in characters a token.
_CHARACTERS_PER_TOKEN = 3


def search_memory(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Find records by words and meaning."""
    found = desk.engine.search(
        Query(
            given["query"],
            desk.find_place(),
            kinds=tuple(given["kinds"] or ()),
            tags=tuple(given["tags"] or ()),
            limit=given["limit"],
            all_projects=given["all_projects"],
        )
    )
    hint = None if found.items else "nothing fits: try other words, or all_projects"
    answer = answers.build_reference(retrieval_id=found.retrieval_id, hint=hint)
    hits = (
        {**answers.tell_record(hit.record), "score": round(hit.score, 2)} for hit in found.items
    )
    return answers.add_within_budget(answer, "memories", hits, desk.max_tokens)


def recall_memory(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Read records whole, by their ids; what has no room is cut."""
    desk.find_place()
    told: list[dict[str, Any]] = []
    missing: list[str] = []
    room = desk.max_tokens * _CHARACTERS_PER_TOKEN // len(given["ids"])
    for record_id in dict.fromkeys(given["ids"]):
        try:
            view = desk.engine.records.show(record_id)
        except NotFound:
            missing.append(record_id)
            continue
        told.append(answers.tell_record(view, characters=max(room, answers.LINE_CHARACTERS)))
    if not told:
        raise NotFound(f"no record has the id {', '.join(missing)}", hint="search_memory finds ids")
    answer = answers.build_reference(not_found=missing)
    return answers.add_within_budget(answer, "memories", told, desk.max_tokens)


def give_context(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Give what is worth knowing before a task, as one text."""
    place = desk.find_place()
    budget = min(given["max_tokens"], desk.max_tokens)
    report = desk.engine.context_for(
        place=place, task=given["task"], budget=budget, phase=given["phase"]
    )
    # The text says itself that it is reference data.
    return {
        "ok": True,
        **answers.drop_empty({"project": report.project}),
        "text": report.text,
        "left_out": report.left_out,
        "retrieval_id": report.retrieval_id,
    }


def explain_memory(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Explain where a record comes from, or why a retrieval returned what it did."""
    desk.find_place()
    told = desk.engine.explain(given["id"])
    if isinstance(told, RetrievalExplanation):
        return _explain_retrieval(desk, told)
    return _explain_record(desk, told)


def _explain_record(desk: Desk, told: MemoryExplanation) -> Answer:
    quotes = [
        answers.drop_empty(
            {
                "words": answers.cut_text(check.evidence.quote),
                "said_by": TRUST_NAMES[check.evidence.trust],
                "day": check.evidence.observed_at[:10],
                "session": check.source and check.source.session_id,
                "state": check.state,
            }
        )
        for check in told.evidence[-_MOST_QUOTES:]
    ]
    formerly = [
        {"id": former.short, "title": former.title, "until": former.until[:10]}
        for former in told.record.former[:_MOST_QUOTES]
    ]
    linked = [
        {"relation": link.relation, "id": view.short, "text": answers.cut_text(view.memory.title)}
        for link in told.record.links
        if (view := told.linked.get(link.find_other_end(told.record.memory.id)))
    ]
    changes = [
        {"what": event.verb, "by": event.actor, "day": event.at[:10]}
        for event in told.history[-_MOST_QUOTES:]
    ]
    answer = answers.build_reference(
        memory=answers.tell_record(told.record),
        confidence=told.record.memory.confidence,
        notes=[answers.cut_text(note) for note in told.record.standing],
        status_reason=told.record.memory.status_reason,
    )
    for name, items in (
        ("evidence", quotes),
        ("replaces", formerly),
        ("links", linked),
        ("history", changes),
    ):
        if items:
            _add_what_fits(answer, name, items, desk.max_tokens)
    return answer


def _add_what_fits(answer: Answer, name: str, items: list[dict[str, Any]], max_tokens: int) -> None:
    """Add items until the budget is spent, if only one of them, and none if not even that."""
    kept: list[dict[str, Any]] = []
    for item in items:
        if answers.count_answer({**answer, name: [*kept, item]}) > max_tokens:
            break
        kept.append(item)
    if kept:
        answer[name] = kept


def _explain_retrieval(desk: Desk, told: RetrievalExplanation) -> Answer:
    answer = answers.build_reference(
        retrieval_id=told.retrieval["id"],
        query=told.retrieval.get("query"),
        asked_at=told.retrieval.get("at"),
    )
    served = (answers.tell_record(view) for view in told.records.values())
    return answers.add_within_budget(answer, "memories", served, desk.max_tokens)


def describe_entity(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Tell what is known of a person, project, organisation, concept or tool."""
    desk.find_place()
    report = desk.engine.entities.show(given["name"])
    entity = report.entity
    answer = answers.build_reference(
        id=entity.short,
        name=entity.name,
        kind=entity.kind,
        also_called=list(entity.aliases),
        roles=[role.role for role in report.roles if role.until is None],
        related=[f"{other.kind}:{other.name}" for other in report.related[:_MOST_RECORDS]],
        records=entity.records,
    )
    views = {view.memory.id: view for view in (*report.decisions, *report.items)}
    told = (answers.tell_record(view) for view in [*views.values()][:_MOST_RECORDS])
    return answers.add_within_budget(answer, "memories", told, desk.max_tokens)


def count_memory(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """Tell the memory in numbers."""
    place = desk.find_place()
    stats, status = desk.engine.upkeep.stats(), desk.engine.upkeep.status()
    return answers.build_answer(
        in_force=stats.records,
        types=dict(stats.types),
        waiting_for_operator=stats.statuses.get("inbox", 0) + stats.proposals,
        contradicted=stats.statuses.get("contradicted", 0),
        sessions=sum(stats.sessions.values()),
        projects=len(stats.projects),
        captures_waiting=status.queue.get("queued", 0) + status.spool,
        last_consolidated=status.last_maintained or "never",
        here_is_a_project=place.project_id is not None,
    )


def list_conflicts(desk: Desk, given: Mapping[str, Any]) -> Answer:
    """List pairs of records that nobody has decided between, with what would settle each."""
    place = desk.find_place()
    here = place if place.project_id and not given["all_projects"] else None
    pairs = desk.engine.conflicts.list_undecided(here).items
    answer = answers.build_reference(
        pairs_in_all=len(pairs),
        how="read both, check the code or ask the operator, then call resolve_conflict with `ids`",
    )
    told = (_tell_pair(pair) for pair in pairs[: given["limit"]])
    answers.add_within_budget(answer, "pairs", told, desk.max_tokens)
    left_out = len(pairs) - len(answer["pairs"])
    return answer | ({"left_out": left_out} if left_out else {})


def _tell_pair(pair: Conflict) -> dict[str, Any]:
    older, newer = pair.sides
    return answers.drop_empty(
        {
            "ids": [older.short, newer.short],
            "kind": pair.kind,
            "reason": answers.cut_text(pair.reason),
            "first": _tell_side(older),
            "second": _tell_side(newer),
            "likely": _choose_likely(pair),
            "ways": list(_list_ways(pair)),
        }
    )


def _tell_side(side: Any) -> dict[str, Any]:
    return {
        "id": side.short,
        "text": answers.cut_text(side.text),
        "day": side.observed_at[:10],
        "said_by": TRUST_NAMES[side.trust],
        "quotes": side.evidence,
    }


def _choose_likely(pair: Conflict) -> str | None:
    """Which way is proposed already, if any."""
    if pair.kind == "mark":
        return "keep_second"
    if pair.newer is None:
        return None
    return "keep_first" if pair.newer == pair.sides[0].id else "keep_second"


def _list_ways(pair: Conflict) -> Iterator[str]:
    older, newer = pair.sides
    yield f"keep_second: only {newer.short} holds now"
    yield f"keep_first: only {older.short} holds"
    yield "both_hold: the first until a day, the second from then on (`since`)"
    yield "no_conflict: both hold side by side"


def tell_views(views: tuple[RecordView, ...]) -> list[dict[str, Any]]:
    """Tell records that a change returned."""
    return [answers.tell_record(view) for view in views]
