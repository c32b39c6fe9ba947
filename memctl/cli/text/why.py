"""Why a search answered as it did, as lines of text: parts of scores, thresholds, near misses, past retrievals and their replays. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memctl.cli.text.records import (
    at,
    block,
    facts,
    flags,
    flat,
    former,
    head,
    links,
    number,
    quote,
)
from memctl.core.model import Event
from memctl.results.explanations import (
    MemoryExplanation,
    ReplayChange,
    ReplayReport,
    RetrievalExplanation,
    SettingChange,
)
from memctl.results.records import RecordView
from memctl.results.retrieval import Hit, NearMiss, SearchReport
from memctl.retrieve.logged_query import sections

_OUTCOMES = {"below_floor": "below the floor", "beyond_limit": "beyond the limit"}
_PARTS = (
    "lexical",
    "semantic",
    "linked",
    "beside",
    "scope",
    "freshness",
    "confidence",
    "trust",
    "outcomes",
)
_QUOTE_LENGTH, _MOST_QUOTES = 120, 2
# What a retrieval depends on, in the words of a person; what is not here is named as it is.
_SETTINGS = {
    "floor": "threshold",
    "other_project_floor": "threshold in other projects",
    "rates": "rates of fading",
    "half_life_days": "half-life in days",
    "fingerprint": "weights of the model",
    "flags": "what was off",
    "episodes": "episodes at most",
    "fresh": "only what is new",
    "neighbours": "share of neighbours",
}


def parts(values: Mapping[str, float]) -> str:
    """The parts of a score on one line, what answers the question first."""
    names = sorted(
        values, key=lambda name: (_PARTS.index(name) if name in _PARTS else len(_PARTS), name)
    )
    return ", ".join(f"{name} {values[name]:.2f}" for name in names)


def hit(data: Hit) -> Iterator[str]:
    """How one result's score came about, and on what it rests."""
    yield f"      {parts(data.parts)}; scope {data.matched_scope}"
    words = _words(data.matched)
    link = f", risen with {data.lifted_by}" if data.lifted_by else ""
    yield f"      relevance {data.relevance:.2f}{words}{link}"
    evidence = data.record.evidence
    yield from (f"      {_cut(quote(item))}" for item in evidence[:_MOST_QUOTES])
    if len(evidence) > _MOST_QUOTES:
        yield f"      {number(len(evidence) - _MOST_QUOTES, 'more quote')}: memctl explain {data.record.short}"


def search(data: SearchReport) -> Iterator[str]:
    """What the results were held against, and what just missed."""
    if data.thresholds:
        here, there = data.thresholds["floor"], data.thresholds["other_project_floor"]
        settings = ", ".join(
            f"{name} is {value:g}" for name, value in data.thresholds.items() if "." in name
        )
        yield f"Thresholds of relevance: {here:.2f} here, {there:.2f} in other projects ({settings})."
    if data.near_misses:
        yield "Just missed:"
        yield from map(_near_miss, data.near_misses)


def _near_miss(miss: NearMiss) -> str:
    into = f" into {miss.into}" if miss.into else ""
    relevance = f"relevance {miss.relevance:.2f}{f' of {miss.floor:.2f}' if miss.reason == 'below_floor' else ''}"
    return f"  {_outcome(miss.reason)}{into}  {relevance}, score {miss.score:.2f}  {miss.short}  {flat(miss.title)}"


def retrieval(data: RetrievalExplanation) -> Iterator[str]:
    """How a past search or context was scored."""
    row = data.retrieval
    yield f"{row.get('command')} {flat(str(row.get('id')))} at {at(str(row.get('at')))} for {flat(str(row.get('actor')))}"
    if row.get("query"):
        yield f"  query: {flat(str(row['query']))}"
    filters = row.get("filters") or {}
    run: Mapping[str, Any] = filters["run"] if isinstance(filters.get("run"), Mapping) else {}
    asked = ", ".join(_filters({name: value for name, value in filters.items() if name != "run"}))
    if asked:
        yield f"  filters: {asked}"
    if run:
        yield f"  {', '.join(_run(run))}"
    yield from flags(tuple(row.get("flags") or ()))
    for candidate in row.get("candidates") or ():
        if isinstance(candidate, Mapping):
            yield from _candidate(candidate, data.records)
    yield from _lines(row, run, data.records)


def _candidate(candidate: Mapping[str, Any], known: Mapping[str, RecordView]) -> Iterator[str]:
    view = known.get(str(candidate.get("id")))
    into = f" into {candidate['into']}" if candidate.get("into") else ""
    yield f"{_decimal(candidate.get('score'))}  {_outcome(candidate.get('outcome'))}{into}  {head(view) if view else candidate.get('id')}"
    values = candidate.get("parts")
    if isinstance(values, Mapping):
        yield f"      {parts({name: value for name, value in values.items() if _is_number(value)})}; scope {candidate.get('scope')}"
    words = _words(candidate.get("matched"))
    link = f", risen with {candidate['lifted_by']}" if candidate.get("lifted_by") else ""
    if _is_number(candidate.get("relevance")):
        yield f"      relevance {_decimal(candidate['relevance'])}{words}{link}"


def _words(matched: Any) -> str:
    return (
        f", words {', '.join(flat(str(word)) for word in matched)}"
        if matched and isinstance(matched, list | tuple)
        else ""
    )


def _lines(
    row: Mapping[str, Any], run: Mapping[str, Any], known: Mapping[str, RecordView]
) -> Iterator[str]:
    """What a context said, section by section."""
    said = row.get("returned")
    if row.get("command") != "context" or not isinstance(said, list) or not said:
        return
    yield f"It said {number(len(said), 'line')}:"
    names = sections(run.get("sections"), len(said))
    for place, memory_id in enumerate(map(str, said)):
        section = f"{flat(names[place])}  " if names else ""
        yield f"  {section}{head(known[memory_id]) if memory_id in known else memory_id}"


def _run(run: Mapping[str, Any]) -> Iterator[str]:
    """What a retrieval depended on beside its own words."""
    if run.get("now"):
        yield f"asked at {at(str(run['now']))}"
    if _is_number(run.get("floor")) and _is_number(run.get("other_project_floor")):
        yield f"threshold {run['floor']:g} here and {run['other_project_floor']:g} in other projects"
    yield f"sense by {flat(str(run['model']))}" if run.get("model") else "words only"


def _filters(filters: Mapping[str, Any]) -> Iterator[str]:
    """The filters that were given, one by one; a place is the ids that it has."""
    for name, value in filters.items():
        if isinstance(value, Mapping):
            yield from _filters(value)
        elif value not in (None, "", [], ()):
            words = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            yield f"{flat(name).removesuffix('_id')} {flat(words)}"


def replay(data: ReplayReport) -> Iterator[str]:
    """What a past retrieval would answer now, and why."""
    yield f"{data.command} {data.retrieval_id}, asked again as of {at(data.asked_at)}"
    if data.query:
        yield f"  query: {flat(data.query)}"
    yield from (f"  {flat(note)}" for note in data.notes)
    for change in data.changes:
        yield from _change(change, data.records.get(change.record_id))
    yield from map(_setting, data.settings)
    if data.unreturned:
        yield f"{number(data.unreturned, 'candidate')} that did not come up either time would come, go or score otherwise."
    yield _verdict(data)


def _verdict(data: ReplayReport) -> str:
    if data.same:
        return f"Nothing would differ: {number(data.returned_now, 'record')}, in the same order, with the same scores."
    if not data.changes:
        return f"The answer would be the same: {number(data.returned_now, 'record')}, in the same order, with the same scores."
    return f"{number(data.returned_then, 'record')} then, {data.returned_now} now."


def _change(change: ReplayChange, view: RecordView | None) -> Iterator[str]:
    ranks = f"{change.rank_then or '-'} -> {change.rank_now or '-'}"
    yield f"{change.what}  {ranks}  {head(view) if view else change.record_id}"
    yield f"    {flat(change.sentence)}"
    scores = {"score": (change.score_then, change.score_now), **change.parts}
    differing = [
        f"{name} {_part(then)} -> {_part(now)}"
        for name, (then, now) in scores.items()
        if then != now
    ]
    if differing:
        yield f"    {', '.join(differing)}"


def _part(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def _setting(change: SettingChange) -> str:
    return f"{_SETTINGS.get(change.name, flat(change.name))}: {_value(change.then)} then, {_value(change.now)} now"


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(flat(str(item)) for item in value) or "nothing"
    return (
        "none" if value is None else f"{value:g}" if isinstance(value, float) else flat(str(value))
    )


def _outcome(word: Any) -> str:
    return _OUTCOMES.get(str(word), flat(str(word)).replace("_", " "))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _decimal(value: Any) -> str:
    return f"{value if _is_number(value) else 0:.2f}"


def _cut(text: str) -> str:
    return text if len(text) <= _QUOTE_LENGTH else f"{text[: _QUOTE_LENGTH - 1].rstrip()}…"


def explanation(data: MemoryExplanation) -> Iterator[str]:
    """Where a record comes from."""
    yield head(data.record)
    yield from block(data.record.memory.content)
    yield from facts(data.record)
    yield from former(data.record)
    for check in data.evidence:
        source = check.source
        origin = (
            f"{source.agent} session {source.session_id}, turn {check.evidence.turn}"
            if source
            else "by hand"
        )
        yield f"  evidence {check.state}: {quote(check.evidence)}; {flat(origin)}"
    yield from links(data.record, data.linked)
    if data.tombstone:
        yield f"  forgotten: {flat(data.tombstone)}"
    yield "  history:"
    yield from (_event(data.record, event) for event in data.history)


def _event(view: RecordView, event: Event) -> str:
    """One change; one to another record, or to what hangs on it, says so."""
    of = (
        []
        if event.memory_id == view.memory.id
        else [next((f.short for f in view.former if f.id == event.memory_id), event.memory_id)]
    )
    words = [*of, *([] if event.topic == "record" else [event.topic]), event.verb]
    return f"    {event.seq}  {at(event.at)}  {' '.join(words)} by {flat(event.actor)} ({flat(event.cause)})"


MAKERS: dict[type, Callable[[Any], Iterator[str]]] = {
    MemoryExplanation: explanation,
    RetrievalExplanation: retrieval,
    ReplayReport: replay,
}
