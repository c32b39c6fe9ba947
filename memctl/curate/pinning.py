"""What every context begins with: pinned records, then rules of the operator, then frequent ones.

Only the operator pins. A pinned record is never dropped silently. What comes by rule or use fits
within `context.always_budget`, is chosen again by every maintenance run, and is never a mere claim
of an agent or a page.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from memctl.core import clock, timestamps
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import RefusedByPolicy
from memctl.core.frozen import replace
from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID, Actor, Memory
from memctl.curate import refusals
from memctl.records import drafts
from memctl.records.views import read_views
from memctl.redact.redactor import make_redactor
from memctl.results.feedback import PinReport
from memctl.retrieve import decay
from memctl.retrieve.bundle import count_tokens, list_forms
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import context_records, event_log, meta, records
from memctl.store import pinning as store
from memctl.store.database import Database

# Kinds that are loaded by rule where the operator stated them, in this order.
_RULED_KINDS = ("constraint", "correction", "convention", "preference")
# Use, 0 to 1 (see `retrieve.decay`), from which a record is loaded. Chosen by hand.
_MIN_USE = 0.3
_TYPES_BY_USE = ("profile", "project", "decision", "artifact")
# The share of the budget for records that hold everywhere, so that each project has room for its
# own. Chosen by hand.
_GLOBAL_SHARE = 0.5
# Tokens of the short id and the punctuation of a line.
_FRAME_TOKENS = 5


def pin_records(
    db: Database, config: Config, actor: Actor, ids: Iterable[str], *, reason: str | None = None
) -> PinReport:
    """Put records at the start of every context of their scope.

    Raises NotFound; RefusedByPolicy unless the operator.
    """
    return _set_pins(db, config, actor, ids, "pinned", always=True, never=False, reason=reason)


def unpin_records(
    db: Database,
    config: Config,
    actor: Actor,
    ids: Iterable[str],
    *,
    auto: bool = False,
    reason: str | None = None,
) -> PinReport:
    """Take records out of the start of contexts; with `auto`, rule and use may choose them again.

    Raises like `pin_records`.
    """
    return _set_pins(
        db, config, actor, ids, "unpinned", always=False, never=not auto, reason=reason
    )


def _set_pins(
    db: Database,
    config: Config,
    actor: Actor,
    ids: Iterable[str],
    verb: str,
    *,
    always: bool,
    never: bool,
    reason: str | None,
) -> PinReport:
    if not actor.is_operator:
        raise RefusedByPolicy(f"choosing what every context begins with {policy.AT_A_TERMINAL}")
    cause = drafts.clean_reason(reason, make_redactor(config)) or verb
    with db.write():
        allowed, refused = refusals.split_by_refusal(
            records.resolve_all(db, ids),
            lambda memory: (
                f"it is {memory.status}" if always and not policy.is_in_force(memory) else None
            ),
        )
        for memory in allowed:
            changed = replace(memory, always_load=always, never_load=never, updated_at=clock.now())
            with event_log.group_changes(db, actor=actor.name, cause=verb):
                records.replace_record(
                    db, memory, changed, verb=verb, actor=actor.name, cause=cause
                )
        over_budget = tuple(list_over_budget(db, config))
    return PinReport(verb, read_views(db, [memory.id for memory in allowed]), refused, over_budget)


def list_over_budget(db: Database, config: Config) -> Iterator[str]:
    """One sentence for each scope whose pinned records alone exceed the budget."""
    budget = int(config["context.always_budget"])
    for project_id, name, pinned in store.list_pinned(db):
        cost = sum(map(estimate_cost, pinned))
        if cost > budget:
            where = name or ("everywhere" if project_id is None else project_id)
            yield (
                f"{len(pinned)} pinned records of {where} cost {cost} of {budget} tokens "
                "(context.always_budget); a context names those that do not fit"
            )


def choose_loaded_records(
    db: Database, config: Config, work: BoundedWork | None = None
) -> dict[str, int]:
    """Choose again what contexts begin with by rule and use, for all projects and for each.

    Counts the `projects` that were checked, and the records `loaded` for them and for all.
    """
    work = work or BoundedWork()
    work.counts.update(projects=0, loaded=0)
    now = clock.now()
    budget = int(config["context.always_budget"])
    global_budget = int(config["context.always_budget"] * _GLOBAL_SHARE)
    chosen, tokens_left = _choose_for_project(db, config, None, global_budget, now)
    _store_chosen(db, None, chosen, work)
    project_budget = budget - (global_budget - tokens_left)
    for project_id in store.list_projects(db):
        if work.must_stop():
            break
        chosen, _ = _choose_for_project(db, config, project_id, project_budget, now)
        _store_chosen(db, project_id, chosen, work)
    return dict(work.counts)


def _store_chosen(
    db: Database, project_id: str | None, chosen: dict[str, str], work: BoundedWork
) -> None:
    """Store what contexts of one project (None: all) begin with, unless that is what is stored."""
    key, value = context_records.compute_loaded_key(project_id), json.dumps(chosen)
    if meta.get_note(db, key) not in (value, None if not chosen else value):
        with db.write():
            meta.put_note(db, key, value)
    work.count("projects", project_id is not None)
    work.count("loaded", len(chosen))


def _choose_for_project(
    db: Database, config: Config, project_id: str | None, budget: int, now: str
) -> tuple[dict[str, str], int]:
    """Choose by rule and use for one project (None: all); return reasons by id and tokens left."""
    candidates = store.list_candidates(db, project_id)
    left = budget - sum(estimate_cost(memory) for memory in candidates if memory.always_load)
    loaded: dict[str, str] = {}
    undecided = [each for each in candidates if not (each.always_load or each.never_load)]
    for memory, why in _rank_candidates(undecided, config, now):
        cost = estimate_cost(memory)
        if cost <= left:
            loaded[memory.id] = why
            left -= cost
    return loaded, max(0, left)


def _rank_candidates(
    memories: Sequence[Memory], config: Config, now: str
) -> Iterator[tuple[Memory, str]]:
    """Rank records by rule, then by use, each with the reason."""
    use = {memory.id: decay.compute_usage(memory, now) for memory in memories}
    ruled = [
        memory
        for memory in memories
        if memory.trust >= OPERATOR_SAID and memory.kind in _RULED_KINDS
    ]

    def rank(memory: Memory) -> tuple[int, float, float, str]:
        confidence = decay.compute_confidence(memory, now, config["decay.rates"])
        return _RULED_KINDS.index(memory.kind), -use[memory.id], -confidence, memory.id

    for memory in sorted(ruled, key=rank):
        yield memory, f"by rule: a {memory.kind} that the operator stated"
    by_rule = {memory.id for memory in ruled}
    used = [
        memory
        for memory in memories
        if memory.id not in by_rule
        and memory.type in _TYPES_BY_USE
        and memory.trust >= OPERATOR_IMPLIED
        and use[memory.id] >= _MIN_USE
    ]
    for memory in sorted(used, key=lambda memory: (-use[memory.id], memory.id)):
        day = timestamps.to_local_day(memory.last_accessed_at or "")
        yield memory, f"by use: served {memory.access_count} times, last on {day}"


def estimate_cost(memory: Memory) -> int:
    """The tokens that one record costs in a context of the default level."""
    return count_tokens(list_forms(memory, 1)[0]) + _FRAME_TOKENS
