"""Ask the configured model one question, within all limits: cache, budgets, back-off, then the
call.

Guarantees: an answered question is not asked again; the budget is checked, and the call counted, in
one transaction before the call; no transaction is open while the model works; a failure is stored
with its reason, and the model is then left alone, longer each time.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core import clock, timestamps
from memctl.core.frozen import dataclass
from memctl.core.typing_lite import Any
from memctl.llm import agent_reader, answer_schema, runner
from memctl.llm.answer_schema import SchemaMismatch
from memctl.llm.prompts import PROMPTS, describe_shape, neutralise, render_prompt
from memctl.llm.runner import ModelAnswer, ModelFailed, ModelUnavailable
from memctl.llm.settings import ModelSettings
from memctl.records import drafts
from memctl.redact.redactor import Redactor
from memctl.store import model_calls
from memctl.store.database import Database
from memctl.store.model_calls import UNDER_WAY, End, Key
from memctl.store.rows import compute_sha256, to_canonical_json

# Characters per token: English has about 4; fewer are on the safe side.
_TOKEN_CHARS = 3.5
# Tokens reserved for an answer before its length is known. Chosen by hand.
_ANSWER_TOKENS = 600
# How long a failing model is left alone, in seconds: doubled from the first with each failure.
_FIRST_PAUSE = 60
_LONGEST_PAUSE = 86400
# A question that failed so often within so many seconds is passed over: it may be the question
# that breaks the model. Chosen by hand.
_MAX_ATTEMPTS = 3
_ATTEMPTS_SECONDS = 30 * 86400
_CUT_SHORT = "the time for it was over"
# How the error begins of a call that says nothing of its question.
UNAVAILABLE = "not available: "
# How many of the latest calls tell how a model is doing. Chosen by hand.
_RECENT_CALLS = 30
# A model is not asked with less time than this, in seconds. Chosen by hand.
_MIN_SECONDS = 5.0
NO_TIME = "model_no_time"


class ModelHeldBack(Exception):
    """Nothing may be asked now.

    `flag` is the word for it in a report; `until` is when the model may be asked again, if that is
    the reason.
    """

    def __init__(self, flag: str, until: str | None = None) -> None:
        super().__init__(flag)
        self.flag, self.until = flag, until


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """What is asked: the purpose, the ids of the records or sources it is about, and the text to
    judge.
    """

    purpose: str
    about: str
    material: str


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came of a question.

    how: `answered`, `cached`, `unusable` (an answer of another shape), `failed` or `given_up` (it
    failed too often before).
    """

    how: str
    value: Any = None
    call: str = ""


def ask_question(
    db: Database, settings: ModelSettings, question: ModelQuestion, *, seconds: float | None = None
) -> ModelReply:
    """Answer a question from the cache or by the model, within so many seconds.

    Raises ModelHeldBack where nothing may be asked.
    """
    material = neutralise(question.material)
    prompt = PROMPTS[question.purpose]
    key = Key(question.purpose, settings.model, prompt.version, compute_sha256(material))
    known = model_calls.find_answer(db, key)
    if known is not None:
        return _read_kept_answer(known, prompt.schema)
    if (
        model_calls.count_attempts(
            db, key, timestamps.add_seconds(clock.now(), seconds=-_ATTEMPTS_SECONDS), UNAVAILABLE
        )
        >= _MAX_ATTEMPTS
    ):
        return ModelReply("given_up")
    limit = _compute_time_limit(db, settings, seconds)
    system, text = render_prompt(question.purpose, material, clock.new_id()[-16:])
    request = {
        "model": settings.model,
        "system": system,
        "prompt": text,
        "schema": prompt.schema,
        "shape": describe_shape(question.purpose),
        "memory_mb": settings.memory_mb,
    }
    asked = _estimate_tokens(system + text) + settings.overhead_tokens
    call, reserved = _reserve_call(db, settings, key, question.about, asked)
    return _Call(db, settings, call, reserved).ask_model(
        request, prompt.schema, limit, is_cut_short=limit < settings.seconds
    )


def find_pause_end(db: Database, settings: ModelSettings) -> str | None:
    """Until when a failing model is left alone; None if it may be asked."""
    streak = 0
    rows = [
        row
        for row in model_calls.list_latest(db, settings.model, _RECENT_CALLS)
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


def find_day_start() -> str:
    """When the day of the budgets began: midnight in UTC."""
    return f"{clock.now()[:10]}T00:00:00.000Z"


def _read_kept_answer(row: Mapping[str, Any], schema: Mapping[str, Any]) -> ModelReply:
    """Read a kept answer; one that lost its text since, or never fitted, has no value."""
    try:
        return ModelReply(
            "cached", answer_schema.parse_answer(row["output"] or "", schema), row["id"]
        )
    except SchemaMismatch:
        return ModelReply("cached", call=row["id"])


def _compute_time_limit(db: Database, settings: ModelSettings, seconds: float | None) -> float:
    """How many seconds the model may take.

    Raises ModelHeldBack where less is left than its slowest recent answer took.
    """
    if seconds is None or seconds >= settings.seconds:
        return float(settings.seconds)
    took = [
        row["duration_ms"] / 1000
        for row in model_calls.list_latest(db, settings.model, _RECENT_CALLS)
        if row["state"] == "done"
    ]
    if seconds < max(_MIN_SECONDS, *took, 0.0):
        raise ModelHeldBack(NO_TIME)
    return seconds


def _reserve_call(
    db: Database, settings: ModelSettings, key: Key, about: str, tokens_in: int
) -> tuple[str, int]:
    """Store the call with its estimated cost; its id, and the tokens of the question.

    Raises ModelHeldBack where that exceeds the budget of the day, or the model is failing.
    """
    with db.write():
        until = find_pause_end(db, settings)
        if until is not None:
            raise ModelHeldBack("model_failing", until)
        spent = model_calls.sum_spent(db, find_day_start())
        cost = _estimate_cost(db, settings, tokens_in)
        tokens = spent.tokens + tokens_in + _ANSWER_TOKENS
        limits = (
            (spent.calls + 1, settings.calls),
            (tokens, settings.tokens),
            (spent.cost + cost, settings.cost),
        )
        if any(limit and wanted > limit for wanted, limit in limits):
            raise ModelHeldBack("model_budget_spent")
        return model_calls.begin_call(
            db, key, about, tokens_in=tokens_in, tokens_out=_ANSWER_TOKENS, cost=cost
        ), tokens_in


def _estimate_cost(db: Database, settings: ModelSettings, tokens_in: int) -> float:
    """What a question may cost: by the prices, or as much as the dearest that was reported."""
    reported = [
        row["cost"] or 0.0 for row in model_calls.list_latest(db, settings.model, _RECENT_CALLS)
    ]
    by_price = settings.compute_cost(tokens_in, _ANSWER_TOKENS)
    return max((by_price, *reported)) if settings.agent is not None else by_price


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that was stored: it is made, and its result stored too."""

    db: Database
    settings: ModelSettings
    id: str
    tokens_in: int

    def ask_model(
        self,
        request: Mapping[str, Any],
        schema: Mapping[str, Any],
        limit: float,
        *,
        is_cut_short: bool,
    ) -> ModelReply:
        started = clock.read_monotonic()
        try:
            answer = self._run_model(request, limit)
        except ModelFailed as error:
            took = clock.read_monotonic() - started
            prefix = UNAVAILABLE if isinstance(error, ModelUnavailable) else ""
            why = (
                _CUT_SHORT
                if is_cut_short and took >= limit
                else _clean_error(f"{prefix}{error}", self.settings.redactor)
            )
            self._store_result(None, why, took, ModelAnswer("", self.tokens_in, 0, False))
            return ModelReply("failed", call=self.id)
        took = clock.read_monotonic() - started
        try:
            if answer.was_cut:
                raise SchemaMismatch(
                    f"the answer is longer than {runner.MAX_ANSWER_CHARS} characters"
                )
            value = answer_schema.parse_answer(answer.text, schema)
        except SchemaMismatch as error:
            self._store_result(
                None, _clean_error(str(error), self.settings.redactor), took, answer, is_done=True
            )
            return ModelReply("unusable", call=self.id)
        self._store_result(
            drafts.clean_text(to_canonical_json(value), self.settings.redactor),
            None,
            took,
            answer,
            is_done=True,
        )
        return ModelReply("answered", value, self.id)

    def _run_model(self, request: Mapping[str, Any], seconds: float) -> ModelAnswer:
        """Ask the agent's program or the model of `llm`. Raises ModelFailed."""
        agent = self.settings.agent
        if agent is None:
            return runner.run_model(request, seconds=seconds)
        program = agent.find_program()
        if program is None:
            raise ModelUnavailable(agent.describe_missing())
        return agent_reader.run_agent(
            agent.contract, program, agent.model, request, seconds=seconds
        )

    def _store_result(
        self,
        output: str | None,
        error: str | None,
        took: float,
        answer: ModelAnswer,
        *,
        is_done: bool = False,
    ) -> None:
        tokens_in = self.tokens_in if answer.tokens_in is None else answer.tokens_in
        tokens_out = (
            _estimate_tokens(answer.text) if answer.tokens_out is None else answer.tokens_out
        )
        cost = self.settings.compute_cost(tokens_in, tokens_out)
        if answer.cost is not None:
            cost = answer.cost
        with self.db.write():
            model_calls.finish_call(
                self.db,
                self.id,
                End(is_done, output, error, tokens_in, tokens_out, cost, took * 1000),
            )


def _clean_error(error: str, redactor: Redactor) -> str:
    """A failure as it is stored: redacted, and never equal to a mark of our own."""
    text = drafts.shorten(drafts.clean_line(error, redactor) or "it said nothing", 300)
    return f"{text}." if text in (UNDER_WAY, _CUT_SHORT) else text


def _estimate_tokens(text: str) -> int:
    return int(len(text.encode("utf-8", "replace")) / _TOKEN_CHARS) + 1
