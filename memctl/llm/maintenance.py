"""Ask a configured model everything there is to ask in one maintenance run, purpose by purpose.

Guarantees: without a model nothing happens; whatever holds the model back ends this step and is
reported as one flag; each item is stored by itself, so the next run continues where this one ended.
"""

from __future__ import annotations

from memctl.core import clock, timestamps
from memctl.core.bounded_work import BoundedWork
from memctl.core.frozen import dataclass
from memctl.llm import calls, contradictions, extraction, reflection, rewording, settings
from memctl.llm.calls import ModelHeldBack
from memctl.llm.session import QuestionSession
from memctl.settings.config import Config
from memctl.store import model_calls
from memctl.store.database import Database

# What is done for each purpose that the settings can name; MEMORY.md is worded by another step.
_WORK_BY_PURPOSE = {
    extraction.PURPOSE: extraction.extract_unread,
    contradictions.PURPOSE: contradictions.judge_pairs,
    reflection.PURPOSE: reflection.reflect_on_projects,
    rewording.PURPOSE: rewording.reword_merged,
}
# The flag of a run whose time was over.
NO_TIME = calls.NO_TIME
# The flag where an agent's program is not there: no question counts as asked.
MISSING = "model_missing"
_DAY_SECONDS = 86400


@dataclass(frozen=True, slots=True)
class ModelRun:
    """How a run of questions ended: `cost` in the currency of the settings, `flag` if held back."""

    cost: float
    flag: str | None


def ask_model(
    db: Database, config: Config, work: BoundedWork, *, budget: float | None = None
) -> ModelRun:
    """Ask the configured model what there is to ask, for at most `budget` seconds.

    Counts `calls`, `tokens`, how the questions ended, and what came of the answers.
    """
    model_settings = settings.read_settings(config)
    if not model_settings.model:
        return ModelRun(0.0, None)
    if model_settings.agent is not None and model_settings.agent.find_program() is None:
        return ModelRun(0.0, MISSING)
    day_began = calls.find_day_start()
    before = model_calls.sum_spent(db, day_began)
    ask = QuestionSession(db, model_settings, budget, work)
    flag = None
    try:
        for purpose in filter(_WORK_BY_PURPOSE.__contains__, model_settings.purposes):
            for counts in _WORK_BY_PURPOSE[purpose](db, config, ask):
                work.counts.update(counts)
    except ModelHeldBack as held:
        flag = held.flag
    finally:
        after = model_calls.sum_spent(db, day_began)
        work.count("calls", after.calls - before.calls)
        work.count("tokens", after.tokens - before.tokens)
    _drop_old_answers(db, config)
    if work.counts["failed"] and flag is None:
        flag = "model_failing"
    return ModelRun(round(after.cost - before.cost, 6), flag)


def _drop_old_answers(db: Database, config: Config) -> None:
    """Drop the text of old answers; that they were given stays, so nothing is asked again."""
    days = config["logs.keep_days"]
    if days:
        with db.write():
            model_calls.forget_answers(
                db, timestamps.add_seconds(clock.now(), seconds=-_DAY_SECONDS * days)
            )
