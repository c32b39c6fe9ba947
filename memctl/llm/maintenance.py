"""All that a configured model is asked in one run of maintenance, purpose by purpose, within the time and the budgets.

Kept true: without a model nothing happens; whatever holds the model back ends this run of it and is said in one flag; each item is stored
by itself, so that the next run goes on where this one ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from memctl.core import clock, timestamps
from memctl.llm import calls, contradictions, extraction, reflection, rewording, settings
from memctl.llm.calls import Held
from memctl.llm.session import Ask
from memctl.settings.config import Config
from memctl.store import model_calls
from memctl.store.database import Db
from memctl.store.model_calls import Spent

_WORK = {
    module.PURPOSE: module.work for module in (extraction, contradictions, reflection, rewording)
}
# The flag of a run whose time was over.
NO_TIME = calls.NO_TIME
_DAY = 86400


def run(
    db: Db,
    config: Config,
    *,
    budget: float | None = None,
    between: Callable[[], object] = lambda: None,
) -> dict[str, Any]:
    """Ask the configured model what there is to ask, for so many seconds at most: counts, `cost` if any, `flag` if it was held.

    `between` is called before each question.
    """
    set_up = settings.of(config)
    if not set_up.model:
        return {}
    began = calls.day_began()
    before = model_calls.spent(db, began)
    ask, counts = Ask(db, set_up, budget, between), Counter[str]()
    flag = None
    try:
        for purpose in set_up.purposes:
            for done in _WORK[purpose](db, config, ask):
                counts.update(done)
    except Held as held:
        flag = held.flag
    _prune(db, config)
    if ask.counts["failed"] and flag is None:
        flag = "model_failing"
    return _report(counts + ask.counts, before, model_calls.spent(db, began), flag)


def _report(counts: Counter[str], before: Spent, after: Spent, flag: str | None) -> dict[str, Any]:
    told: dict[str, Any] = {name: many for name, many in sorted(counts.items()) if many}
    told |= {"calls": after.calls - before.calls, "tokens": after.tokens - before.tokens}
    if after.cost > before.cost:
        told["cost"] = round(after.cost - before.cost, 6)
    return told | ({"flag": flag} if flag else {})


def _prune(db: Db, config: Config) -> None:
    """Answers that were used long ago lose their words; that they were given stays, so that nothing is asked again."""
    days = config["logs.keep_days"]
    if days:
        with db.write():
            model_calls.forget_answers(
                db, timestamps.add_seconds(clock.now(), seconds=-_DAY * days)
            )
