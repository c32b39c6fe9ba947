"""Why a retrieval returned what it did, as lines of text. Pure.

Score parts, thresholds, near misses, past retrievals and their replays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
from memctl.core.typing_lite import Any
from memctl.results.explanations import (
    EvidenceCheck,
    MemoryExplanation,
    ReplayChange,
    ReplayReport,
    RetrievalExplanation,
    SettingChange,
)
from memctl.results.records import RecordView
from memctl.results.retrieval import Hit, NearMiss, SearchReport

_OUTCOME_WORDS = {"below_floor": "below the threshold", "beyond_limit": "beyond the limit"}
# The parts of a score in the order in which they are printed.
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
# Chosen by hand: the length of a quote in characters, and how many quotes a search shows.
_QUOTE_LENGTH = 120
_MAX_QUOTES = 2
# What a retrieval depends on, in words. Others are printed under their own names.
_SETTING_WORDS = {
    "floor": "threshold",
    "other_project_floor": "threshold in other projects",
    "rates": "rates of decay",
    "half_life_days": "half-life in days",
    "fingerprint": "weights of the model",
    "flags": "what was unavailable",
    "episodes": "maximum of episodes",
    "fresh": "only what is new",
    "neighbours": "share of neighbours",
}


def render_explained_search(data: SearchReport) -> Iterator[str]:
    """Yield results with their score parts, the relevance thresholds and the near misses."""
    for hit in data.items:
        yield from render_hit(hit)
        yield from _render_hit_details(hit)
    if not data.items:
        yield "Nothing relevant."
    if data.thresholds:
        yield _format_thresholds(data.thresholds)
    if data.near_misses:
        yield "Just missed:"
        yield from map(_format_near_miss, data.near_misses)
    yield from render_flags(data.flags)


def _render_hit_details(hit: Hit) -> Iterator[str]:
    yield f"      {format_score_parts(hit.parts)}; scope {hit.matched_scope}"
    words = _format_matched_words(hit.matched)
    boost = f", boosted by {hit.boosted_by}" if hit.boosted_by else ""
    yield f"      relevance {hit.relevance:.2f}{words}{boost}"
    evidence = hit.record.evidence
    yield from (f"      {_cut_quote(format_quote(item))}" for item in evidence[:_MAX_QUOTES])
    others = len(evidence) - _MAX_QUOTES
    if others > 0:
        quotes = format_count(others, "more quote")
        yield f"      {quotes}: memctl explain {hit.record.short}"


def _format_thresholds(thresholds: Mapping[str, float]) -> str:
    here, elsewhere = thresholds["relevance_threshold"], thresholds["other_project_threshold"]
    settings = [f"{name} is {value:g}" for name, value in thresholds.items() if "." in name]
    return (
        f"Relevance thresholds: {here:.2f} here, {elsewhere:.2f} in other projects"
        f" ({', '.join(settings)})."
    )


def _format_near_miss(miss: NearMiss) -> str:
    reason = _format_outcome(miss.reason) + (f" into {miss.into}" if miss.into else "")
    relevance = f"relevance {miss.relevance:.2f}"
    if miss.reason == "below_floor":
        relevance += f" of {miss.threshold:.2f}"
    title = flatten(miss.title)
    return f"  {reason}  {relevance}, score {miss.score:.2f}  {miss.short}  {title}"


def render_retrieval(data: RetrievalExplanation) -> Iterator[str]:
    """Yield how a past search or context was scored."""
    row = data.retrieval
    command, retrieval_id = row.get("command"), flatten(str(row.get("id")))
    time, actor = format_time(str(row.get("at"))), flatten(str(row.get("actor")))
    yield f"{command} {retrieval_id} at {time} for {actor}"
    if row.get("query"):
        yield f"  query: {flatten(str(row['query']))}"
    filters = dict(row.get("filters") or {})
    run = filters.pop("run", None)
    filter_words = ", ".join(_list_filters(filters))
    if filter_words:
        yield f"  filters: {filter_words}"
    if run and isinstance(run, Mapping):
        yield f"  {', '.join(_list_run_settings(run))}"
    yield from render_flags(tuple(row.get("flags") or ()))
    for candidate in row.get("candidates") or ():
        if isinstance(candidate, Mapping):
            yield from _render_candidate(candidate, data.records)
    yield from _render_context_lines(row, data.sections, data.records)


def _render_candidate(
    candidate: Mapping[str, Any], known: Mapping[str, RecordView]
) -> Iterator[str]:
    """Yield a candidate of the log; its keys may be missing, because older versions wrote it."""
    view = known.get(str(candidate.get("id")))
    heading = format_heading(view) if view else candidate.get("id")
    into = f" into {candidate['into']}" if candidate.get("into") else ""
    outcome = f"{_format_outcome(candidate.get('outcome'))}{into}"
    yield f"{_format_decimal(candidate.get('score'))}  {outcome}  {heading}"
    parts = candidate.get("parts")
    if isinstance(parts, Mapping):
        numbers = {name: value for name, value in parts.items() if _is_number(value)}
        yield f"      {format_score_parts(numbers)}; scope {candidate.get('scope')}"
    if _is_number(candidate.get("relevance")):
        words = _format_matched_words(candidate.get("matched"))
        boost = f", boosted by {candidate['lifted_by']}" if candidate.get("lifted_by") else ""
        yield f"      relevance {_format_decimal(candidate['relevance'])}{words}{boost}"


def _render_context_lines(
    row: Mapping[str, Any], sections: Sequence[str], known: Mapping[str, RecordView]
) -> Iterator[str]:
    """Yield what a context returned, line by line with its section."""
    returned = row.get("returned")
    if row.get("command") != "context" or not isinstance(returned, list) or not returned:
        return
    yield f"It returned {format_count(len(returned), 'line')}:"
    for position, memory_id in enumerate(map(str, returned)):
        section = f"{flatten(sections[position])}  " if sections else ""
        heading = format_heading(known[memory_id]) if memory_id in known else memory_id
        yield f"  {section}{heading}"


def _list_run_settings(run: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a retrieval depended on besides its query and filters."""
    if run.get("now"):
        yield f"asked at {format_time(str(run['now']))}"
    here, elsewhere = run.get("floor"), run.get("other_project_floor")
    if _is_number(here) and _is_number(elsewhere):
        yield f"threshold {here:g} here and {elsewhere:g} in other projects"
    model = run.get("model")
    yield f"semantic similarity by {flatten(str(model))}" if model else "word matches only"


def _list_filters(filters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the filters that were given; a location is the ids that it has."""
    for name, value in filters.items():
        if isinstance(value, Mapping):
            yield from _list_filters(value)
        elif value not in (None, "", [], ()):
            words = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            yield f"{flatten(name).removesuffix('_id')} {flatten(words)}"


def render_replay(data: ReplayReport) -> Iterator[str]:
    """Yield what a past retrieval would return now, and why."""
    yield f"{data.command} {data.retrieval_id}, asked again as of {format_time(data.asked_at)}"
    if data.query:
        yield f"  query: {flatten(data.query)}"
    yield from (f"  {flatten(note)}" for note in data.notes)
    for change in data.changes:
        yield from _render_replay_change(change, data.records.get(change.record_id))
    yield from map(_format_setting_change, data.settings)
    if data.unreturned:
        candidates = format_count(data.unreturned, "candidate")
        yield f"{candidates} that neither answer returned would come, go or score differently."
    yield _format_conclusion(data)


def _format_conclusion(data: ReplayReport) -> str:
    records = format_count(data.returned_now, "record")
    if data.same:
        return f"Nothing would differ: {records}, in the same order, with the same scores."
    if not data.changes:
        return f"The answer would be the same: {records}, in the same order, with the same scores."
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
    name = _SETTING_WORDS.get(change.name, flatten(change.name))
    return f"{name}: {_format_value(change.then)} then, {_format_value(change.now)} now"


def _format_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(flatten(str(item)) for item in value) or "nothing"
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else flatten(str(value))


def format_score_parts(parts: Mapping[str, float]) -> str:
    """Return the parts of a score on one line, in a fixed order."""
    ordered = [name for name in _PART_ORDER if name in parts]
    ordered += sorted(set(parts) - set(_PART_ORDER))
    return ", ".join(f"{name} {parts[name]:.2f}" for name in ordered)


def _format_matched_words(matched: Any) -> str:
    if not matched or not isinstance(matched, list | tuple):
        return ""
    return f", words {', '.join(flatten(str(word)) for word in matched)}"


def _format_outcome(word: Any) -> str:
    return _OUTCOME_WORDS.get(str(word), flatten(str(word)).replace("_", " "))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _format_decimal(value: Any) -> str:
    return f"{value if _is_number(value) else 0:.2f}"


def _cut_quote(text: str) -> str:
    return text if len(text) <= _QUOTE_LENGTH else f"{text[: _QUOTE_LENGTH - 1].rstrip()}…"


def render_explanation(data: MemoryExplanation) -> Iterator[str]:
    """Yield where a record comes from."""
    yield format_heading(data.record)
    yield from indent_lines(data.record.memory.content)
    yield from render_facts(data.record)
    yield from render_former(data.record)
    yield from map(_format_check, data.evidence)
    yield from render_links(data.record, data.linked)
    if data.tombstone:
        yield f"  forgotten: {flatten(data.tombstone)}"
    yield "  history:"
    yield from (_format_event(data.record, event) for event in data.history)


def _format_check(check: EvidenceCheck) -> str:
    origin = "by hand"
    if check.source:
        session = f"{check.source.agent} session {check.source.session_id}"
        origin = f"{session}, turn {check.evidence.turn}"
    return f"  evidence {check.state}: {format_quote(check.evidence)}; {flatten(origin)}"


def _format_event(view: RecordView, event: Event) -> str:
    """Return one change; names the record or topic where it is not the explained record itself."""
    words = [event.verb]
    if event.topic != "record":
        words.insert(0, event.topic)
    if event.memory_id != view.memory.id:
        shorts = {former.id: former.short for former in view.former}
        words.insert(0, shorts.get(event.memory_id, event.memory_id))
    what = f"{' '.join(words)} by {flatten(event.actor)} ({flatten(event.cause)})"
    return f"    {event.seq}  {format_time(event.at)}  {what}"
