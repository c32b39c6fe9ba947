"""What a context may say beside the hits of its task: read from the record source in one place,
and only what the caller may see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from memctl.core.frozen import dataclass
from memctl.core.model import STANDING_KINDS, FeedbackSignals, Memory
from memctl.records.record_source import RecordSource
from memctl.records.views import find_opponents, group_links
from memctl.retrieve import score
from memctl.retrieve.context_request import ContextRequest
from memctl.retrieve.prepared_query import PreparedQuery
from memctl.store import lexical

# How many of each standing kind, in a project and without one, are held against one another. They
# are taken by date, which only counts where there are more: of those that come by rule, maintenance
# has chosen the strongest of all. This and the numbers below were chosen by hand.
_MOST_OF_STANDING_KIND = 32
_NEWEST_OF_PHASE_KIND = 24
_NEWEST_CONTRADICTED = 12
_NEWEST_OF_PROJECT: Mapping[str, int] = {
    "project": 24,
    "decision": 12,
    "episode": 6,
    "task_hint": 3,
}
_NEWEST_GLOBAL: Mapping[str, int] = {"project": 6, "decision": 4, "profile": 8}
_MOST_PINNED = 200
# Sides of open contradictions.
_MOST_DISPUTED = 6
_LIVING = ("active", "contradicted")


@dataclass(frozen=True, slots=True)
class ContextMaterial:
    """Records that may be said. `unread` counts the standing rules that were not looked at.

    `pinned` come first in every context; `loaded` come by rule and use, each with the reason;
    `pool` has the newest of each type and kind, with the `signals` known of them; `disputed` are
    the sides of open contradictions, side by side.
    """

    pinned: Sequence[Memory]
    loaded: Sequence[tuple[Memory, str]]
    pool: Sequence[Memory]
    signals: Mapping[str, FeedbackSignals]
    disputed: Sequence[Memory]
    unread: int = 0


def read_material(
    source: RecordSource, request: ContextRequest, prepared: PreparedQuery
) -> ContextMaterial:
    """Everything that a context of this request may say beside its hits."""
    pinned = keep_visible(
        source.list_always_loaded(request.caller.project_id, _MOST_PINNED, request.since), prepared
    )
    loaded = _read_loaded(source, request, prepared)
    standing, unread = _read_standing(source, request)
    pool = keep_visible(_merge(standing, _read_newest(source, request)), prepared)
    disputed = []
    if "contradictions" in request.phase:
        disputed = _read_disputed(source, [*pinned, *pool], prepared)
    return ContextMaterial(pinned, loaded, pool, source.find_signals(pool), disputed, unread)


def _read_loaded(
    source: RecordSource, request: ContextRequest, prepared: PreparedQuery
) -> list[tuple[Memory, str]]:
    """What comes by rule and use, as maintenance last decided, as far as it still may."""
    reasons = source.read_loading_reasons(request.caller.project_id)
    known = source.read_records(reasons) if reasons else {}
    memories = [
        memory
        for memory in (known[memory_id] for memory_id in reasons if memory_id in known)
        if memory.status in _LIVING
        and not (memory.always_load or memory.never_load)
        and (request.since is None or memory.updated_at >= request.since)
    ]
    return [(memory, reasons[memory.id]) for memory in keep_visible(memories, prepared)]


def _read_standing(source: RecordSource, request: ContextRequest) -> tuple[list[Memory], int]:
    """What holds for every task, however old it is, and how many more there are."""
    found: list[Memory] = []
    unread = 0
    for owner in dict.fromkeys((request.caller.project_id, None)):
        for kind in STANDING_KINDS:
            most = _MOST_OF_STANDING_KIND
            rules = source.list_newest_of_kind(owner, kind, most, request.since)
            found.extend(rules)
            if len(rules) == most and request.since is None:
                unread += source.count_of_kind(owner, kind) - most
    return found, max(0, unread)


def _merge(*lists: Iterable[Memory]) -> list[Memory]:
    """Each record once."""
    return list({memory.id: memory for memory in chain(*lists)}.values())


def _read_newest(source: RecordSource, request: ContextRequest) -> list[Memory]:
    """The newest of each type and each kind of the phase, and contradictions."""
    project, since, phase = request.caller.project_id, request.since, request.phase
    # What is without a project comes up beside what is of the caller's.
    owners = dict.fromkeys((project, None))
    found: list[list[Memory]] = []
    if project:
        for type_, most in _NEWEST_OF_PROJECT.items():
            found.append(source.list_newest_of_type(project, type_, most, since))
    for type_, most in _NEWEST_GLOBAL.items():
        found.append(source.list_newest_of_type(None, type_, most, since))
    for kind in dict.fromkeys(chain.from_iterable(section.kinds for section in phase.values())):
        for owner in owners:
            found.append(source.list_newest_of_kind(owner, kind, _NEWEST_OF_PHASE_KIND, since))
    if "contradictions" in phase:
        for owner in owners:
            found.append(source.list_contradicted(owner, _NEWEST_CONTRADICTED, since))
    return _merge(*found)


def keep_visible(memories: Iterable[Memory], prepared: PreparedQuery) -> list[Memory]:
    """Those that are valid now and that the caller may see; another repo's are left to the
    search.
    """
    visible = prepared.scope.words()
    return [
        memory
        for memory in memories
        if lexical.compute_scope_key(memory) in visible
        and memory.is_valid_at(prepared.context.now)
        and score.find_matched_scope(memory, prepared.context) != "other repo"
    ]


def _read_disputed(
    source: RecordSource, memories: Sequence[Memory], prepared: PreparedQuery
) -> list[Memory]:
    """Both sides of open contradictions, side by side; only where both may be shown."""
    known = {memory.id: memory for memory in memories}
    contradicted = [memory.id for memory in memories if memory.status == "contradicted"]
    touching = group_links(source.list_links(contradicted))
    pairs = [
        (memory_id, other)
        for memory_id in sorted(known, reverse=True)
        for other in find_opponents(memory_id, touching)
    ]
    missing = source.read_records({other for _, other in pairs} - known.keys())
    for memory in keep_visible(missing.values(), prepared):
        if memory.status in _LIVING:
            known[memory.id] = memory
    sides = dict.fromkeys(side for pair in pairs if known.keys() >= set(pair) for side in pair)
    return [known[side] for side in sides][:_MOST_DISPUTED]
