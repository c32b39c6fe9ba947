"""Why a retrieval returned what it did, as lines of text. Pure.

Score parts, thresholds, near misses, past retrievals and their replays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memctl.cli.text.formatting import (
    flatten,
    format_count,
    format_time,
    indent_lines,
    render_flags,
)
from memctl.cli.text.record_parts import (
    format_heading,
    format_quote,
    render_facts,
    render_former,
    render_links,
)
from memctl.cli.text.retrieval import render_hit
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

_OUTCOME_WORDS = {"below_floor": "below the floor", "beyond_limit": "beyond the limit"}

_PART_ORDER = (
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

# Chosen by hand: a quote in characters, and how many of them a search shows.
_QUOTE_LENGTH = 120

_MAX_QUOTES = 2

# What a retrieval depends on, in the words of a person; what is not here is named as it is.
_SETTING_WORDS = {
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


def format_score_parts(values: Mapping[str, float]) -> str:
    """The parts of a score on one line, what answers the question first."""
    names = sorted(
        values,
        key=lambda name: (
            _PART_ORDER.index(name) if name in _PART_ORDER else len(_PART_ORDER),
            name,
        ),
    )
    return ", ".join(f"{name} {values[name]:.2f}" for name in names)


def render_explained_search(data: SearchReport) -> Iterator[str]:
    """Yield the results with how their scores came about, the thresholds and the near misses."""
    for hit in data.items:
        yield from render_hit(hit)
        yield from render_hit_details(hit)
    if not data.items:
        yield "Nothing relevant."
    yield from render_search_details(data)
    yield from render_flags(data.flags)


def render_hit_details(data: Hit) -> Iterator[str]:
    """How one result's score came about, and on what it rests."""
    yield f"      {format_score_parts(data.parts)}; scope {data.matched_scope}"
    words = _format_matched_words(data.matched)
    link = f", risen with {data.boosted_by}" if data.boosted_by else ""
    yield f"      relevance {data.relevance:.2f}{words}{link}"
    evidence = data.record.evidence
    yield from (f"      {_cut_quote(format_quote(item))}" for item in evidence[:_MAX_QUOTES])
    if len(evidence) > _MAX_QUOTES:
        yield f"      {format_count(len(evidence) - _MAX_QUOTES, 'more quote')}: memctl explain {data.record.short}"


def render_search_details(data: SearchReport) -> Iterator[str]:
    """What the results were held against, and what just missed."""
    if data.thresholds:
        here, there = data.thresholds["floor"], data.thresholds["other_project_floor"]
        settings = ", ".join(
            f"{name} is {value:g}" for name, value in data.thresholds.items() if "." in name
        )
        yield f"Thresholds of relevance: {here:.2f} here, {there:.2f} in other projects ({settings})."
    if data.near_misses:
        yield "Just missed:"
        yield from map(_format_near_miss, data.near_misses)


def _format_near_miss(miss: NearMiss) -> str:
    into = f" into {miss.into}" if miss.into else ""
    relevance = f"relevance {miss.relevance:.2f}{f' of {miss.threshold:.2f}' if miss.reason == 'below_floor' else ''}"
    return f"  {_format_outcome(miss.reason)}{into}  {relevance}, score {miss.score:.2f}  {miss.short}  {flatten(miss.title)}"


def render_retrieval(data: RetrievalExplanation) -> Iterator[str]:
    """How a past search or context was scored."""
    row = data.retrieval
    yield f"{row.get('command')} {flatten(str(row.get('id')))} at {format_time(str(row.get('at')))} for {flatten(str(row.get('actor')))}"
    if row.get("query"):
        yield f"  query: {flatten(str(row['query']))}"
    filters = row.get("filters") or {}
    run: Mapping[str, Any] = filters["run"] if isinstance(filters.get("run"), Mapping) else {}
    asked = ", ".join(
        _list_filters({name: value for name, value in filters.items() if name != "run"})
    )
    if asked:
        yield f"  filters: {asked}"
    if run:
        yield f"  {', '.join(_list_run_settings(run))}"
    yield from render_flags(tuple(row.get("flags") or ()))
    for candidate in row.get("candidates") or ():
        if isinstance(candidate, Mapping):
            yield from _render_candidate(candidate, data.records)
    yield from _render_context_lines(row, data.sections, data.records)


def _render_candidate(
    candidate: Mapping[str, Any], known: Mapping[str, RecordView]
) -> Iterator[str]:
    view = known.get(str(candidate.get("id")))
    into = f" into {candidate['into']}" if candidate.get("into") else ""
    yield f"{_format_decimal(candidate.get('score'))}  {_format_outcome(candidate.get('outcome'))}{into}  {format_heading(view) if view else candidate.get('id')}"
    values = candidate.get("parts")
    if isinstance(values, Mapping):
        yield f"      {format_score_parts({name: value for name, value in values.items() if _is_number(value)})}; scope {candidate.get('scope')}"
    words = _format_matched_words(candidate.get("matched"))
    link = f", risen with {candidate['lifted_by']}" if candidate.get("lifted_by") else ""
    if _is_number(candidate.get("relevance")):
        yield f"      relevance {_format_decimal(candidate['relevance'])}{words}{link}"


def _format_matched_words(matched: Any) -> str:
    return (
        f", words {', '.join(flatten(str(word)) for word in matched)}"
        if matched and isinstance(matched, list | tuple)
        else ""
    )


def _render_context_lines(
    row: Mapping[str, Any], sections: Sequence[str], known: Mapping[str, RecordView]
) -> Iterator[str]:
    """Yield what a context returned, line by line with its section."""
    said = row.get("returned")
    if row.get("command") != "context" or not isinstance(said, list) or not said:
        return
    yield f"It said {format_count(len(said), 'line')}:"
    for position, memory_id in enumerate(map(str, said)):
        section = f"{flatten(sections[position])}  " if sections else ""
        yield f"  {section}{format_heading(known[memory_id]) if memory_id in known else memory_id}"


def _list_run_settings(run: Mapping[str, Any]) -> Iterator[str]:
    """What a retrieval depended on beside its own words."""
    if run.get("now"):
        yield f"asked at {format_time(str(run['now']))}"
    if _is_number(run.get("floor")) and _is_number(run.get("other_project_floor")):
        yield f"threshold {run['floor']:g} here and {run['other_project_floor']:g} in other projects"
    yield f"sense by {flatten(str(run['model']))}" if run.get("model") else "words only"


def _list_filters(filters: Mapping[str, Any]) -> Iterator[str]:
    """The filters that were given, one by one; a place is the ids that it has."""
    for name, value in filters.items():
        if isinstance(value, Mapping):
            yield from _list_filters(value)
        elif value not in (None, "", [], ()):
            words = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            yield f"{flatten(name).removesuffix('_id')} {flatten(words)}"


def render_replay(data: ReplayReport) -> Iterator[str]:
    """What a past retrieval would answer now, and why."""
    yield f"{data.command} {data.retrieval_id}, asked again as of {format_time(data.asked_at)}"
    if data.query:
        yield f"  query: {flatten(data.query)}"
    yield from (f"  {flatten(note)}" for note in data.notes)
    for change in data.changes:
        yield from _render_replay_change(change, data.records.get(change.record_id))
    yield from map(_format_setting_change, data.settings)
    if data.unreturned:
        yield f"{format_count(data.unreturned, 'candidate')} that did not come up either time would come, go or score otherwise."
    yield _format_conclusion(data)


def _format_conclusion(data: ReplayReport) -> str:
    if data.same:
        return f"Nothing would differ: {format_count(data.returned_now, 'record')}, in the same order, with the same scores."
    if not data.changes:
        return f"The answer would be the same: {format_count(data.returned_now, 'record')}, in the same order, with the same scores."
    return f"{format_count(data.returned_then, 'record')} then, {data.returned_now} now."


def _render_replay_change(change: ReplayChange, view: RecordView | None) -> Iterator[str]:
    ranks = f"{change.rank_then or '-'} -> {change.rank_now or '-'}"
    yield f"{change.what}  {ranks}  {format_heading(view) if view else change.record_id}"
    yield f"    {flatten(change.sentence)}"
    scores = {"score": (change.score_then, change.score_now), **change.parts}
    differing = [
        f"{name} {_format_part(then)} -> {_format_part(now)}"
        for name, (then, now) in scores.items()
        if then != now
    ]
    if differing:
        yield f"    {', '.join(differing)}"


def _format_part(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def _format_setting_change(change: SettingChange) -> str:
    return f"{_SETTING_WORDS.get(change.name, flatten(change.name))}: {_format_value(change.then)} then, {_format_value(change.now)} now"


def _format_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(flatten(str(item)) for item in value) or "nothing"
    return (
        "none"
        if value is None
        else f"{value:g}"
        if isinstance(value, float)
        else flatten(str(value))
    )


def _format_outcome(word: Any) -> str:
    return _OUTCOME_WORDS.get(str(word), flatten(str(word)).replace("_", " "))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _format_decimal(value: Any) -> str:
    return f"{value if _is_number(value) else 0:.2f}"


def _cut_quote(text: str) -> str:
    return text if len(text) <= _QUOTE_LENGTH else f"{text[: _QUOTE_LENGTH - 1].rstrip()}…"


def render_explanation(data: MemoryExplanation) -> Iterator[str]:
    """Where a record comes from."""
    yield format_heading(data.record)
    yield from indent_lines(data.record.memory.content)
    yield from render_facts(data.record)
    yield from render_former(data.record)
    for check in data.evidence:
        source = check.source
        origin = (
            f"{source.agent} session {source.session_id}, turn {check.evidence.turn}"
            if source
            else "by hand"
        )
        yield f"  evidence {check.state}: {format_quote(check.evidence)}; {flatten(origin)}"
    yield from render_links(data.record, data.linked)
    if data.tombstone:
        yield f"  forgotten: {flatten(data.tombstone)}"
    yield "  history:"
    yield from (_format_event(data.record, event) for event in data.history)


def _format_event(view: RecordView, event: Event) -> str:
    """One change; one to another record, or to what hangs on it, says so."""
    of = (
        []
        if event.memory_id == view.memory.id
        else [next((f.short for f in view.former if f.id == event.memory_id), event.memory_id)]
    )
    words = [*of, *([] if event.topic == "record" else [event.topic]), event.verb]
    return f"    {event.seq}  {format_time(event.at)}  {' '.join(words)} by {flatten(event.actor)} ({flatten(event.cause)})"
