"""Report what the model was asked and what it cost."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core import clock, timestamps
from memctl.core.errors import ConfigError
from memctl.core.typing_lite import Any
from memctl.llm import calls, settings
from memctl.llm.settings import ModelSettings
from memctl.results.language_model import ModelReport, ModelTrouble, ModelUse
from memctl.results.store import Check
from memctl.settings.config import Config
from memctl.store import model_calls
from memctl.store.database import Database
from memctl.store.model_calls import Spent

_MONTH_SECONDS = 30 * 86400
# Failures that a report shows. Chosen by hand.
_MAX_TROUBLES = 5


def summarise_usage(db: Database, since: str) -> dict[str, Any]:
    """Sum up the calls since a time: calls, failures, tokens, cost, in all and by purpose and
    model.
    """
    spent = model_calls.sum_spent(db, since)
    parts = [dict(row) for row in model_calls.sum_by_purpose(db, since)]
    return {
        "calls": spent.calls,
        "failed": spent.failed,
        "tokens": spent.tokens,
        "cost": round(spent.cost, 6),
        "purposes": parts,
    }


def report_status(db: Database, config: Config) -> ModelReport:
    """Report the configured model, its usage and budget today, kept answers and last failures.

    Raises ConfigError.
    """
    set_up = settings.read_settings(config)
    today = model_calls.sum_spent(db, calls.find_day_start())
    month = summarise_usage(db, timestamps.add_seconds(clock.now(), seconds=-_MONTH_SECONDS))
    answers, size = model_calls.measure_answers(db)
    uses = [
        ModelUse(
            part["purpose"],
            part["model"],
            part["calls"],
            part["failed"],
            part["tokens_in"] + part["tokens_out"],
            part["cost"],
        )
        for part in month["purposes"]
    ]
    return ModelReport(
        set_up.model,
        set_up.purposes if set_up.model else (),
        today.calls,
        today.failed,
        today.tokens,
        round(today.cost, 6),
        _list_budget_left(set_up, today),
        calls.find_pause_end(db, set_up) if set_up.model else None,
        answers,
        size,
        tuple(uses),
        _list_troubles(db),
    )


def check_model(db: Database, config: Config) -> Iterator[Check]:
    """Check the settings of the model and whether it is failing, for `doctor`."""
    try:
        set_up = settings.read_settings(config)
    except ConfigError as error:
        yield Check("model", "problem", str(error), f"set it right in {config.path}")
        return
    if not set_up.model:
        yield Check("model", "ok", "no language model is configured; everything works without")
        return
    if set_up.agent is not None and set_up.agent.find_program() is None:
        cure = "set maintain.model_program to its full path, or empty maintain.model"
        yield Check("model", "problem", set_up.agent.describe_missing(), cure)
        return
    today = model_calls.sum_spent(db, calls.find_day_start())
    used = f"{set_up.model}: {today.calls} questions today, {today.tokens} tokens" + (
        f", cost {today.cost:.4f}" if today.cost else ""
    )
    if set_up.agent is not None:
        used += f"; it runs {set_up.agent.find_program()}"
    until = calls.find_pause_end(db, set_up)
    if until is None:
        yield Check("model", "ok", used)
    else:
        last = next((trouble.error for trouble in _list_troubles(db)), "it failed")
        yield Check(
            "model",
            "note",
            f"{used}; it is left alone until {until}: {last}",
            "`memctl model status`",
        )


def _list_budget_left(set_up: ModelSettings, today: Spent) -> dict[str, float]:
    """What may still be used today, for each budget that has a limit."""
    budgets = {
        "calls": (set_up.calls, today.calls),
        "tokens": (set_up.tokens, today.tokens),
        "cost": (set_up.cost, today.cost),
    }
    return {
        name: max(0, round(limit - used, 6)) for name, (limit, used) in budgets.items() if limit
    }


def _list_troubles(db: Database) -> tuple[ModelTrouble, ...]:
    return tuple(
        ModelTrouble(row["at"], row["purpose"], row["model"], row["error"])
        for row in model_calls.list_troubles(db, _MAX_TROUBLES)
    )
