"""Questions to a language model: the cache of its answers, and what they cost.

A question is noted before it is asked and counts from then on. A question that was answered is
found by its hash; its words are not kept, only those of the answer.
"""

from __future__ import annotations

from memctl.core import clock
from memctl.core.frozen import asdict, dataclass
from memctl.core.model import Memory, Source
from memctl.store import records, sources
from memctl.store.database import Database, Row

# What a question is marked with until it is known what became of it.
UNDER_WAY = "it did not come to an end"


@dataclass(frozen=True, slots=True)
class Key:
    """What makes two questions to a model the same."""

    purpose: str
    model: str
    prompt_version: str
    input_hash: str


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls, tokens and cost of a period."""

    calls: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """Return the tokens of questions and answers together."""
        return self.tokens_in + self.tokens_out


def begin_call(
    db: Database, key: Key, about: str, *, tokens_in: int, tokens_out: int, cost: float
) -> str:
    """Note a question about to be asked, with its highest possible cost; return its id."""
    call = clock.new_id()
    noted = {"tokens_in": tokens_in, "tokens_out": tokens_out, "cost": cost}
    db.run(
        "model_calls.insert",
        id=call,
        **asdict(key),
        about=about,
        state="failed",
        output=None,
        duration_ms=0.0,
        error=UNDER_WAY,
        at=clock.now(),
        **noted,
    )
    return call


@dataclass(frozen=True, slots=True)
class End:
    """How a call ended: the answer as JSON, or the error; and its cost."""

    is_done: bool
    output: str | None
    error: str | None
    tokens_in: int
    tokens_out: int
    cost: float
    duration_ms: float


def finish_call(db: Database, call: str, end: End) -> None:
    """Note how a call ended and what it really cost."""
    values = asdict(end)
    db.run(
        "model_calls.finish", id=call, state="done" if values.pop("is_done") else "failed", **values
    )


def mark_finished(db: Database, purpose: str, name: str, about: str) -> None:
    """Note that a piece of work was finished, under a name of its own."""
    nothing = dict.fromkeys(("output", "tokens_in", "tokens_out", "cost", "error"))
    db.run(
        "model_calls.insert",
        id=clock.new_id(),
        purpose=purpose,
        model="",
        prompt_version="",
        input_hash=name,
        about=about,
        state="done",
        duration_ms=0.0,
        at=clock.now(),
        **nothing,
    )


def find_answer(db: Database, key: Key) -> Row | None:
    """Return the answer given to the same question; its `output` is null if it was unusable."""
    return db.one("model_calls.answered", **asdict(key))


def count_attempts(db: Database, key: Key, since: str, besides: str) -> int:
    """Count how often the same question failed since a time, besides errors that begin so."""
    values = {"since": since, "besides": besides, **asdict(key)}
    return int(db.value("model_calls.attempts", **values))


def sum_spent(db: Database, since: str) -> Spent:
    """Return what was spent since a time."""
    row = db.one("model_calls.spent", since=since)
    return (
        Spent()
        if row is None
        else Spent(row["calls"], row["failed"], row["tokens_in"], row["tokens_out"], row["cost"])
    )


def sum_by_purpose(db: Database, since: str) -> list[Row]:
    """Return what was spent since a time, by purpose and model."""
    return db.all("model_calls.by_purpose", since=since)


def list_latest(db: Database, model: str, limit: int) -> list[Row]:
    """List state, error, duration, cost and time of the latest calls of a model, newest first."""
    return db.all("model_calls.latest", model=model, limit=limit)


def list_troubles(db: Database, limit: int) -> list[Row]:
    """List the latest failures, newest first."""
    return db.all("model_calls.troubles", limit=limit)


def measure_answers(db: Database) -> tuple[int, int]:
    """Return the number of kept answers and their size in bytes."""
    row = db.one("model_calls.kept")
    return (0, 0) if row is None else (row["answers"], row["bytes"])


def forget_answers(db: Database, before: str) -> int:
    """Delete the words of old answers; the calls stay. Returns how many."""
    return db.run("model_calls.forget_answers", before=before)


def list_unread_sources(db: Database, purpose: str, limit: int) -> list[Source]:
    """List sources not read for a purpose in their present length, newest first."""
    return [
        sources.from_row(row)
        for row in db.all("model_calls.unread_sources", purpose=purpose, limit=limit)
    ]


def list_records_after(db: Database, at: str, record_id: str, limit: int) -> list[Memory]:
    """List living records in the order of their last change, after one of them."""
    return [
        records.from_row(row)
        for row in db.all("model_calls.records_after", at=at, id=record_id, limit=limit)
    ]


def list_fresh_of_project(db: Database, project_id: str, since: str, limit: int) -> list[Memory]:
    """List active records of one project created since a time, oldest first."""
    return [
        records.from_row(row)
        for row in db.all(
            "model_calls.fresh_of_project", project_id=project_id, since=since, limit=limit
        )
    ]


def list_reworded_from(db: Database, record_id: str, limit: int) -> list[Memory]:
    """List living records that absorbed others of nearly the same words, by id, after one of
    them.
    """
    return [
        records.from_row(row)
        for row in db.all("model_calls.reworded_from", id=record_id, limit=limit)
    ]
