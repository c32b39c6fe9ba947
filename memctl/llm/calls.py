"""One question to the configured model, within all that bounds it: the cache first, then budgets and back-off, then the call.

Kept true: the same question is never answered twice; the budget is checked, and the question counted, in one transaction before it is
asked; no transaction is held while the model works; what goes wrong is a row with its reason, and then the model is left alone, longer
each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl.core import clock, timestamps
from memctl.core.frozen import dataclass
from memctl.llm import answer_schema, runner
from memctl.llm.answer_schema import Misfit
from memctl.llm.prompts import PROMPTS, neutral, render, shape_words
from memctl.llm.runner import Answer, Failed
from memctl.llm.settings import Settings
from memctl.records import drafts
from memctl.redact.redactor import Redactor
from memctl.store import model_calls
from memctl.store.database import Database
from memctl.store.model_calls import UNDER_WAY, End, Key
from memctl.store.rows import canonical, digest

# Characters of a token, on average and on the safe side.
_TOKEN_CHARS = 3.5
# What is set aside for an answer before it is known how long it is.
_ANSWER_TOKENS = 600
_FIRST_PAUSE, _LONGEST_PAUSE = 60, 86400
# A question that failed so often is passed over for a month: it may be the question that breaks the model.
_MOST_ATTEMPTS, _ATTEMPTS_SECONDS = 3, 30 * 86400
_CUT_SHORT = "the time for it was over"
_LOOKED_AT = 30
_LEAST_SECONDS = 5.0
NO_TIME = "model_no_time"


class Held(Exception):
    """Nothing may be asked now; `flag` is the word for it in a report, `until` when the model may be asked again, if that is the reason."""

    def __init__(self, flag: str, until: str | None = None) -> None:
        super().__init__(flag)
        self.flag, self.until = flag, until


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about: for which purpose, about which records or sources (ids), and the material as it stands in the store."""

    purpose: str
    about: str
    material: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question. how: `answered`, `cached`, `unusable` (an answer, but not what was asked for), `failed`, `given_up`."""

    how: str
    value: Any = None
    call: str = ""


def ask(
    db: Database, settings: Settings, question: Question, *, seconds: float | None = None
) -> Reply:
    """The answer to a question, from the cache or the model, in at most so many seconds. Raises Held where nothing may be asked."""
    material = neutral(question.material)
    prompt = PROMPTS[question.purpose]
    key = Key(question.purpose, settings.model, prompt.version, digest(material))
    known = model_calls.answered(db, key)
    if known is not None:
        return _known(known, prompt.schema)
    if (
        model_calls.attempts(
            db, key, timestamps.add_seconds(clock.now(), seconds=-_ATTEMPTS_SECONDS)
        )
        >= _MOST_ATTEMPTS
    ):
        return Reply("given_up")
    limit = _time_for(db, settings, seconds)
    system, text = render(question.purpose, material, clock.new_id()[-16:])
    request = {
        "model": settings.model,
        "system": system,
        "prompt": text,
        "schema": prompt.schema,
        "shape": shape_words(question.purpose),
        "memory_mb": settings.memory_mb,
    }
    call, reserved = _begin(db, settings, key, question.about, _tokens(system + text))
    return _Call(db, settings, call, reserved).run(
        request, prompt.schema, limit, is_cut_short=limit < settings.seconds
    )


def pause(db: Database, settings: Settings) -> str | None:
    """Until when a model that fails is left alone; None if it may be asked."""
    streak = 0
    rows = [
        row
        for row in model_calls.latest(db, settings.model, _LOOKED_AT)
        if row["error"] != _CUT_SHORT
    ]
    for row in rows:
        if row["state"] != "failed":
            break
        streak += 1
    if not streak:
        return None
    until = timestamps.add_seconds(
        rows[0]["at"],
        seconds=min(_FIRST_PAUSE * 2 ** (streak - 1), _LONGEST_PAUSE)
        + rows[0]["duration_ms"] / 1000,
    )
    return until if until > clock.now() else None


def day_began() -> str:
    """When the day of the budgets began: midnight in UTC."""
    return f"{clock.now()[:10]}T00:00:00.000Z"


def _known(row: Mapping[str, Any], schema: Mapping[str, Any]) -> Reply:
    """A kept answer; one whose words were taken out since, or that fitted nothing, is of no use."""
    try:
        return Reply("cached", answer_schema.read(row["output"] or "", schema), row["id"])
    except Misfit:
        return Reply("cached", call=row["id"])


def _time_for(db: Database, settings: Settings, seconds: float | None) -> float:
    """How long the model may take. Raises Held where less is left than its slowest answer of late took."""
    if seconds is None or seconds >= settings.seconds:
        return float(settings.seconds)
    took = [
        row["duration_ms"] / 1000
        for row in model_calls.latest(db, settings.model, _LOOKED_AT)
        if row["state"] == "done"
    ]
    if seconds < max(_LEAST_SECONDS, *took, 0.0):
        raise Held(NO_TIME)
    return seconds


def _begin(
    db: Database, settings: Settings, key: Key, about: str, tokens_in: int
) -> tuple[str, int]:
    """Note the question and what it may cost. Raises Held where that is more than what is left for today, or the model fails."""
    with db.write():
        until = pause(db, settings)
        if until is not None:
            raise Held("model_failing", until)
        spent = model_calls.spent(db, day_began())
        cost = settings.price(tokens_in, _ANSWER_TOKENS)
        tokens = spent.tokens + tokens_in + _ANSWER_TOKENS
        limits = (
            (spent.calls + 1, settings.calls),
            (tokens, settings.tokens),
            (spent.cost + cost, settings.cost),
        )
        if any(limit and wanted > limit for wanted, limit in limits):
            raise Held("model_budget_spent")
        return model_calls.begin(
            db, key, about, tokens_in=tokens_in, tokens_out=_ANSWER_TOKENS, cost=cost
        ), tokens_in


@dataclass(frozen=True, slots=True)
class _Call:
    """A question that was noted: it is asked, and what came of it is noted too."""

    db: Database
    settings: Settings
    id: str
    tokens_in: int

    def run(
        self,
        request: Mapping[str, Any],
        schema: Mapping[str, Any],
        limit: float,
        *,
        is_cut_short: bool,
    ) -> Reply:
        started = clock.seconds()
        try:
            answer = runner.ask(request, seconds=limit)
        except Failed as error:
            took = clock.seconds() - started
            why = (
                _CUT_SHORT
                if is_cut_short and took >= limit
                else _told(str(error), self.settings.redactor)
            )
            self._finish(None, why, took, Answer("", self.tokens_in, 0, False))
            return Reply("failed", call=self.id)
        took = clock.seconds() - started
        try:
            if answer.was_cut:
                raise Misfit(f"the answer is longer than {runner.MOST_CHARS} characters")
            value = answer_schema.read(answer.text, schema)
        except Misfit as error:
            self._finish(
                None, _told(str(error), self.settings.redactor), took, answer, is_done=True
            )
            return Reply("unusable", call=self.id)
        self._finish(
            drafts.clean_text(canonical(value), self.settings.redactor),
            None,
            took,
            answer,
            is_done=True,
        )
        return Reply("answered", value, self.id)

    def _finish(
        self,
        output: str | None,
        error: str | None,
        took: float,
        answer: Answer,
        *,
        is_done: bool = False,
    ) -> None:
        tokens_in = self.tokens_in if answer.tokens_in is None else answer.tokens_in
        tokens_out = _tokens(answer.text) if answer.tokens_out is None else answer.tokens_out
        cost = self.settings.price(tokens_in, tokens_out)
        with self.db.write():
            model_calls.finish(
                self.db,
                self.id,
                End(is_done, output, error, tokens_in, tokens_out, cost, took * 1000),
            )


def _told(error: str, redactor: Redactor) -> str:
    """What went wrong, fit to be stored and never mistaken for a mark of our own."""
    text = drafts.shorten(drafts.clean_line(error, redactor) or "it said nothing", 300)
    return f"{text}." if text in (UNDER_WAY, _CUT_SHORT) else text


def _tokens(text: str) -> int:
    return int(len(text.encode("utf-8", "replace")) / _TOKEN_CHARS) + 1
