"""The steps of maintenance, in the order in which they are taken, each with what it needs and when it is due.

What a step does stands elsewhere and is imported when it runs. A step works in short transactions, may be stopped between any two of
them, and finds by itself what is still to be done; two runs at once do nothing twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl.core.frozen import replace
from memctl.maintain import pending_work
from memctl.maintain.plan import Step
from memctl.maintain.run_state import Run
from memctl.settings.config import Config

# A little less than a day: what runs at the same hour every night is always due.
_DAILY = 20.0


def _history(run: Run) -> Mapping[str, int]:
    from memctl.history import rebuild

    return {"recorded": rebuild.ensure(run.db)}


def _digest(run: Run) -> Mapping[str, int]:
    from memctl.curate import digest

    return digest.waiting(run.db)


def _take_in(run: Run) -> Mapping[str, int]:
    from memctl.maintain import intake_step

    return intake_step.take_in(run)


def _extract(run: Run) -> Mapping[str, int]:
    from memctl.maintain import ingestion_jobs

    return ingestion_jobs.extract_waiting(run)


def _model(run: Run) -> Mapping[str, Any]:
    from memctl.llm import maintenance

    budget = None if run.left() == float("inf") else run.left()
    told = dict(maintenance.run(run.db, run.config, budget=budget, between=run.enough))
    flag = told.pop("flag", None)
    if flag is not None:
        run.flags = (*run.flags, flag)
    if flag == maintenance.NO_TIME:
        run.stop()
    return told


def _embed(run: Run) -> Mapping[str, int]:
    from memctl.maintain import index_step

    return index_step.embed(run)


def _consolidate(run: Run) -> Mapping[str, int]:
    from memctl.maintain import compare_step

    return compare_step.consolidate(run)


def _tiers(run: Run) -> Mapping[str, Any]:
    from memctl.patterns import update

    return run.within(lambda: update.run(run.db, run.config))


def _entities(run: Run) -> Mapping[str, Any]:
    from memctl.curate import entities

    return run.within(lambda: entities.tidy(run.db, run.config))


def _promote(run: Run) -> Mapping[str, int]:
    from memctl.curate import promote

    return run.within(lambda: {"promoted": promote.by_rules(run.db, run.config)})


def _expire(run: Run) -> Mapping[str, int]:
    from memctl.maintain import tidy_step

    return tidy_step.expire(run)


def _age(run: Run) -> Mapping[str, int]:
    from memctl.maintain import tidy_step

    return tidy_step.age(run)


def _quality(run: Run) -> Mapping[str, Any]:
    from memctl.records import quality

    return run.within(lambda: quality.propose_mutes(run.db, run.config))


def _citations(run: Run) -> Mapping[str, Any]:
    from memctl.records import citations

    return run.within(lambda: citations.check(run.db, run.config))


def _cold(run: Run) -> Mapping[str, Any]:
    from memctl.retrieve import freshness

    return run.within(lambda: freshness.propose_cold(run.db, run.config))


def _evict(run: Run) -> Mapping[str, Any]:
    from memctl.retrieve import freshness

    return run.within(lambda: freshness.evict(run.db, run.config))


def _pins(run: Run) -> Mapping[str, Any]:
    from memctl.curate import pinning

    return run.within(lambda: pinning.settle(run.db, run.config))


def _index(run: Run) -> Mapping[str, int]:
    from memctl.maintain import index_step

    return index_step.index(run)


def _optimise(run: Run) -> Mapping[str, int]:
    from memctl.maintain import index_step

    return index_step.optimise(run)


def _retention(run: Run) -> Mapping[str, int]:
    from memctl.maintain import tidy_step

    return tidy_step.retention(run)


def _backup(run: Run) -> Mapping[str, Any]:
    from memctl.maintain import backup_step

    return backup_step.backup(run)


STEPS: tuple[Step, ...] = (
    Step(
        "history",
        "tell the stream of what hung on records before it told of that",
        _history,
        waits=pending_work.untold,
    ),
    Step(
        "take_in",
        "take in what hooks have left in the spool",
        _take_in,
        weight=4,
        waits=pending_work.spooled,
    ),
    Step(
        "extract",
        "propose memories from the sessions that wait",
        _extract,
        after=("take_in",),
        weight=10,
        is_shared=True,
        waits=pending_work.jobs,
    ),
    Step(
        "entities",
        "find known names in new records, make one what surely is one",
        _entities,
        after=("extract",),
        waits=pending_work.names,
    ),
    Step(
        "model",
        "ask the configured language model",
        _model,
        needs=("extract",),
        weight=8,
        off=pending_work.no_model,
    ),
    Step(
        "index",
        "build the index of words anew where it was made by another program",
        _index,
        weight=6,
        waits=pending_work.index,
    ),
    Step(
        "embed",
        "give records their vectors",
        _embed,
        after=("extract", "model", "index"),
        every=_DAILY,
        early=True,
        weight=10,
        waits=pending_work.vectors,
    ),
    Step(
        "consolidate",
        "merge what says the same, set what contradicts against each other",
        _consolidate,
        needs=("extract",),
        after=("model", "embed"),
        weight=8,
        waits=pending_work.changed,
    ),
    Step(
        "tiers",
        "propose what repeats itself in several sessions, tell each week in one digest",
        _tiers,
        needs=("extract",),
        after=("consolidate",),
        every=_DAILY,
        weight=2,
    ),
    Step(
        "promote",
        "make candidates active that your rules cover",
        _promote,
        needs=("consolidate",),
        off=pending_work.no_rules,
    ),
    Step("expire", "archive what was only true until now", _expire, waits=pending_work.expired),
    Step(
        "age",
        "archive episodes and hints that nobody asked for in a long time",
        _age,
        every=_DAILY,
        off=pending_work.no_ageing,
    ),
    Step(
        "citations",
        "look whether the files and commands that records cite are still there",
        _citations,
        after=("consolidate", "promote"),
        every=_DAILY,
    ),
    Step(
        "cold",
        "propose for the archive what was neither confirmed nor used for long",
        _cold,
        after=("consolidate", "promote", "citations"),
        every=_DAILY,
    ),
    Step(
        "evict",
        "archive what is beyond the limits of a place",
        _evict,
        after=("consolidate", "promote", "age"),
        every=_DAILY,
    ),
    Step(
        "quality",
        "propose to mute rules whose candidates you reject",
        _quality,
        after=("consolidate",),
        every=_DAILY,
    ),
    Step(
        "pins",
        "choose what every context begins with",
        _pins,
        after=("promote", "expire", "age", "evict"),
        every=_DAILY,
    ),
    Step(
        "embed_new",
        "give what the steps before made its vectors",
        _embed,
        needs=("embed",),
        after=("consolidate", "tiers", "promote"),
        weight=2,
        waits=pending_work.vectors,
        off=pending_work.no_vectors,
    ),
    Step(
        "digest",
        "count what changed since you last read the digest",
        _digest,
        after=("promote", "evict"),
        every=_DAILY,
    ),
    Step(
        "optimise",
        "put the pieces of the index together, fold the write-ahead log in",
        _optimise,
        after=("embed_new",),
        every=_DAILY,
    ),
    Step(
        "retention",
        "drop logs that are older than they are kept",
        _retention,
        waits=pending_work.old_logs,
    ),
    Step(
        "backup",
        "copy the store and keep the newest copies",
        _backup,
        after=("retention", "optimise"),
        weight=4,
        waits=pending_work.unsaved,
        off=pending_work.no_backup,
    ),
)


def in_force(config: Config) -> tuple[Step, ...]:
    """The steps as the settings have them."""
    return tuple(
        replace(step, every=24.0 * config["backup.every_days"] - 4)
        if step.name == "backup"
        else step
        for step in STEPS
    )
