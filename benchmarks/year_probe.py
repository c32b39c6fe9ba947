"""What the memory serves, held against what is true: asked as an agent asks, of a copy of the
store, so that asking leaves no trace.

A fact counts as known from the day of its first statement. A probe's verdict is the strict one: it
is `current` if a search and the context for the question both serve the value of the day and
neither serves any other value of the fact anywhere; `stale` if either serves another value, at
whatever rank. What comes first, what is marked and whether only the past is told is judged beside
it, by `told_values`, for the search and for the context. Where the value of the day still waits in
the inbox for the operator, memory cannot serve it yet: such probes, unless they are `current`, are
told apart as `waiting` and left out of every share.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import told_values
from benchmarks.told_values import AnswerVerdict, Told
from benchmarks.year_run import Life, active, plain, shown
from benchmarks.year_world import START, Fact, Stated, stated_values
from memctl import MemoryEngine
from memctl.consolidate.compare import relation_of
from memctl.core.model import Actor, Filter, Query
from memctl.records.statement import Statement
from memctl.results.records import RecordView
from memctl.settings import config

_SETTLED_DAYS = 30
_IN_FORCE = ("active", "contradicted")


@dataclass(frozen=True)
class Probe:
    """One question about one fact on one day."""

    key: str
    question: str
    verdict: str
    searched: tuple[str, ...]
    given: tuple[str, ...]
    value: str
    ids: tuple[str, ...] = ()
    has_changed: bool = False
    is_known: bool = False
    told: Mapping[str, AnswerVerdict] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """The state of a store on a day."""

    day: int
    probes: tuple[Probe, ...]
    duplicates: float
    doubled: tuple[str, ...]
    stale_active: tuple[str, ...]
    junk: float
    junk_texts: tuple[str, ...]
    open_contradictions: int
    active: int
    records: int
    inbox: int
    bytes: int
    known: int
    marks: Mapping[str, float] = field(default_factory=dict)
    wrong_marks: tuple[str, ...] = ()

    def share(self, verdict: str) -> float:
        """The share of probes with a verdict among those that memory could answer."""
        judged = self.judged()
        return sum(probe.verdict == verdict for probe in judged) / max(1, len(judged))

    def judged(self, which: str = "") -> list[Probe]:
        """The probes that memory could answer: all, or only those of facts that had another value
        (`has_changed`), or of which a record of the reign states the value (`is_known`).
        """
        return [
            probe
            for probe in self.probes
            if probe.verdict != "waiting" and (not which or getattr(probe, which))
        ]

    def told(self, way: str, which: str = "") -> dict[str, float]:
        """What a search or a context tells first, marks, and tells alone (`told_values`)."""
        return told_values.count(probe.told[way] for probe in self.judged(which))


@contextmanager
def copied(life: Life, actor: str = "agent:claude-code") -> Iterator[MemoryEngine]:
    """An engine on a copy of the store, for whoever only looks or tries."""
    with tempfile.TemporaryDirectory() as folder:
        for part in life.home.glob("memory.db*"):
            if part.is_file():
                shutil.copy(part, Path(folder) / part.name)
        settings = config.load_config(
            Path(folder) / "memory.db", env={"HOME": folder, "MEMCTL_EMBEDDING_MODEL": _model(life)}
        )
        with MemoryEngine(settings, Actor(actor)) as engine:
            yield engine


def _model(life: Life) -> str:
    return str(life.engine().config["embedding.model"])


def read(life: Life, day: int) -> Reading:
    """Ask everything, and count what is there."""
    with copied(life) as engine:
        in_force, waiting = list(active(engine)), list(engine.inbox.list(limit=-1).items)
        says = {view.memory.id: _value_pairs(life, view) for view in in_force}
        pending = {pair for view in waiting for pair in _value_pairs(life, view)}
        known = _latest(life, engine)
        probes = tuple(
            _probe(life, engine, fact, day, pending, known)
            for fact in life.world.facts.values()
            if fact.at(day) is not None
        )
        stated = Counter(
            pair
            for pairs in says.values()
            for pair in pairs
            if pair[1] == life.current(pair[0], day)
        )
        stale = [view for view in in_force if _is_stale(life, says[view.memory.id], day)]
        junk = [
            view
            for view in in_force
            if not any(one.is_fact for one in life.meant(view.memory, view.evidence))
        ]
        everything = engine.records.list(Filter(statuses=())).total
        marks, wrong_marks = _marks(life, in_force, says, day)
        return Reading(
            day=day,
            probes=probes,
            duplicates=sum(stated.values()) / max(1, len(stated)),
            doubled=tuple(f"{pair}: {n}" for pair, n in stated.items() if n > 1),
            stale_active=tuple(
                f"[{_blame(life, view, in_force, day)}] {_brief(view)}" for view in stale
            ),
            junk=len(junk) / max(1, len(in_force)),
            junk_texts=tuple(map(_brief, junk)),
            open_contradictions=sum(view.memory.status == "contradicted" for view in in_force),
            active=len(in_force),
            records=everything,
            inbox=len(waiting),
            bytes=life.db.stat().st_size,
            known=stated_values(life.world.facts.values(), day),
            marks=marks,
            wrong_marks=wrong_marks,
        )


def _latest(life: Life, engine: MemoryEngine) -> dict[tuple[Any, str], str]:
    """When each value of a fact was last stated by a record that is, or was, in force."""
    latest: dict[tuple[Any, str], str] = {}
    for view in engine.records.list(Filter(statuses=(*_IN_FORCE, "superseded"))).items:
        if view.memory.type != "episode":
            for pair in _value_pairs(life, engine.records.show(view.memory.id)):
                latest[pair] = max(view.memory.observed_at, latest.get(pair, ""))
    return latest


def _marks(
    life: Life,
    in_force: Sequence[RecordView],
    says: Mapping[str, list[tuple[Any, str]]],
    day: int,
) -> tuple[dict[str, float], tuple[str, ...]]:
    """The shares of records in force that are marked: of those that hold by what says another
    thing or the same, of those that do not by what holds; and the wrong ones.
    """
    tally: Counter[str] = Counter()
    wrong = []
    for view in in_force:
        pairs = set(says[view.memory.id])
        if not pairs:
            continue
        newer = [(name, set(says.get(name, ()))) for name in list_marks(view)]
        now = {(key, life.current(key, day)) for key, _ in pairs}
        if pairs != now:
            tally["stale"] += 1
            tally["stale marked"] += any(now & other for _, other in newer)
            continue
        tally["hold"] += 1
        if any(pairs & other for _, other in newer):
            tally["same"] += 1
        elif newer:
            tally["wrong"] += 1
            texts = [one.memory.content for one in in_force if one.memory.id == newer[0][0]]
            same_key = {key for key, _ in pairs} & {key for key, _ in newer[0][1]}
            kind = "by what no longer holds" if same_key else "by another fact"
            wrong.append(f"{kind}: {view.memory.content!r} <- {' '.join(texts)!r}")
    return {
        "wrong marks": tally["wrong"] / max(1, tally["hold"]),
        "marked by what says the same": tally["same"] / max(1, tally["hold"]),
        "stale records marked": tally["stale marked"] / max(1, tally["stale"]),
    }, tuple(wrong)


def list_marks(view: RecordView) -> tuple[str, ...]:
    """The ids of what a record's mark names as newer."""
    newer = getattr(view, "newer", None)
    return () if newer is None else (newer.id,)


def _blame(life: Life, stale: RecordView, in_force: Sequence[RecordView], day: int) -> str:
    """Why a record of the past may still be in force: nothing newer is, or its relation to that is
    not seen, or not acted on.
    """
    keys = {key for key, _ in _value_pairs(life, stale)}
    newer = [
        view
        for view in in_force
        if view.memory.observed_at > stale.memory.observed_at
        and keys & {key for key, _ in _value_pairs(life, view)}
    ]
    if not newer:
        return "nothing newer"
    pairs = [(_as_statement(view), _as_statement(stale)) for view in newer]
    seen = Counter(relation_of(new, old) for new, old in pairs if new.scope_key == old.scope_key)
    if not seen:
        return "other rooms"
    return "seen " + "/".join(str(name) for name in seen if name) if any(seen) else "not seen"


def _as_statement(view: RecordView) -> Statement:
    memory = view.memory
    return Statement(
        memory.id,
        memory.content,
        memory.subject,
        memory.scope,
        memory.project_id,
        memory.type,
        memory.kind,
        memory.status,
        memory.trust,
        memory.observed_at,
        memory.fingerprint,
    )


def _brief(view: RecordView) -> str:
    memory = view.memory
    return f"{memory.id} {memory.status} {memory.type} ({memory.rule}) {memory.content[:90]}"


def _value_pairs(life: Life, view: RecordView) -> list[tuple[Any, str]]:
    return sorted(
        {(one.key, one.value) for one in life.meant(view.memory, view.evidence) if one.is_fact},
        key=str,
    )


def _is_stale(life: Life, pairs: Sequence[tuple[Any, str]], day: int) -> bool:
    return bool(pairs) and all(value != life.current(key, day) for key, value in pairs)


def _about(life: Life, views: Sequence[RecordView], fact: Fact) -> tuple[list[str], list[str]]:
    """The values of a fact that records state, in their order, and the records."""
    found = [
        (one.value, view.memory.id)
        for view in views
        for one in life.meant(view.memory, view.evidence)
        if one.key == fact.key and one.is_fact
    ]
    return [value for value, _ in found], [record for _, record in found]


def _probe(
    life: Life,
    engine: MemoryEngine,
    fact: Fact,
    day: int,
    pending: set[tuple[Any, str]],
    known: Mapping[tuple[Any, str], str],
) -> Probe:
    draw = random.Random(f"{life.world.seed}/{day}/{fact.key}")
    project = fact.key[0] if fact.key[0] is not None else draw.randrange(3)
    question, now = draw.choice(fact.questions), fact.at(day) or ""
    place = engine.place(life.folder(project), agent="claude-code")
    hits = [
        hit.record
        for hit in engine.search(Query(question, place)).items
        if hit.record.memory.type != "episode"
    ]
    found = [engine.records.show(view.memory.id) for view in hits]
    shown_ = shown(engine, engine.context_for(place=place, task=question))
    (searched, ids), (given, more) = _about(life, found, fact), _about(life, shown_, fact)
    verdict = verdict_of(searched, given, now)
    if verdict != "current" and (fact.key, now) in pending:
        verdict = "waiting"
    return Probe(
        str(fact.key),
        question,
        verdict,
        tuple(searched),
        tuple(given),
        now,
        tuple(dict.fromkeys([*ids, *more])),
        any(reign.value != now for reign in fact.reigns if reign.day <= day),
        known.get((fact.key, now), "") >= _beginning(life, fact, day),
        {
            "search": told_values.judge(_told(life, engine, found, fact), now),
            "context": told_values.judge(_told(life, engine, shown_, fact), now),
        },
    )


def _beginning(life: Life, fact: Fact, day: int) -> str:
    """Midnight of the day on which the value of a day began to hold."""
    began = max(reign.day for reign in fact.reigns if reign.day <= day)
    return life.moment_of(began)[:10]


def _told(life: Life, engine: MemoryEngine, views: Sequence[RecordView], fact: Fact) -> list[Told]:
    """The records of an answer with their values of a fact, and with those of what they name."""
    return [
        Told(
            view.memory.id,
            tuple(dict.fromkeys(_about(life, [view], fact)[0])),
            tuple(
                _about(
                    life,
                    [
                        engine.records.show(name)
                        for name in (*list_marks(view), *view.contradicted_by)
                    ],
                    fact,
                )[0]
            ),
        )
        for view in views
    ]


def verdict_of(searched: Sequence[str], given: Sequence[str], now: str) -> str:
    """What to think of the values of a fact that a search and a context served, when one of them
    holds.
    """
    if any(value != now for value in (*searched, *given)):
        return "stale"
    if not searched and not given:
        return "missing"
    return "current" if searched and given else "not searched" if given else "not given"


def past(life: Life, today: int) -> list[Probe]:
    """What a search tells of days long gone: the value of that day, of facts that had held for a
    month by then.
    """
    found = []
    with copied(life) as engine:
        for fact in life.world.facts.values():
            draw = random.Random(f"past {life.world.seed}/{fact.key}")
            for reign, until in zip(
                fact.reigns, [*(later.day for later in fact.reigns[1:]), today], strict=True
            ):
                if fact.slot is not None and until - reign.day > _SETTLED_DAYS + 2:
                    found.append(
                        _past_probe(
                            life,
                            engine,
                            fact,
                            draw.randrange(reign.day + _SETTLED_DAYS, until),
                            draw,
                        )
                    )
    return found


def _past_probe(
    life: Life, engine: MemoryEngine, fact: Fact, day: int, draw: random.Random
) -> Probe:
    moment = life.moment_of(day)
    question, then = draw.choice(fact.questions), fact.at(day) or ""
    place = engine.place(life.folder(fact.key[0] or 0))
    hits = [
        hit.record
        for hit in engine.search(Query(question, place, as_of=moment)).items
        if hit.record.memory.type != "episode"
    ]
    searched, ids = _about(life, [engine.records.show(view.memory.id) for view in hits], fact)
    verdict = (
        "current"
        if searched and all(value == then for value in searched)
        else "stale"
        if searched
        else "missing"
    )
    return Probe(
        f"{fact.key} on day {day}", question, verdict, tuple(searched), (), then, tuple(ids)
    )


def undone(life: Life) -> dict[str, int]:
    """What lives, and how much evidence there is, before and after everything is undone at once;
    what the stream tells otherwise.
    """
    with copied(life, "operator") as engine:
        before = _living(engine)
        differing = engine.history.rebuild(dry_run=True)
        engine.revert(since=START)
        after = _living(engine)
        return {
            "living before": before[0],
            "living after": after[0],
            "evidence before": before[1],
            "evidence after": after[1],
            "told otherwise by the stream": len(differing.differences),
        }


def _living(engine: MemoryEngine) -> tuple[int, int]:
    every = engine.records.list(Filter(statuses=())).items
    living = sum(view.memory.status in ("active", "contradicted", "inbox") for view in every)
    return living, sum(len(engine.records.show(view.memory.id).evidence) for view in every)


def as_data(reading: Reading) -> dict[str, Any]:
    """A reading for JSON, with the probes that failed only."""
    verdicts, told = Counter(probe.verdict for probe in reading.probes), reading.told("search")
    failed = [
        asdict(probe) for probe in reading.probes if probe.verdict not in ("current", "waiting")
    ]
    return {
        **asdict(reading),
        "probes": dict(verdicts),
        "failed": failed,
        "current": told["current first"],
        "marked": told["current or marked"],
        "stale": told["only stale told"],
    }


def quoted(life: Life) -> set[str]:
    """Every quote that a record rests on."""
    with copied(life) as engine:
        ids = [
            view.memory.id
            for view in engine.records.list(Filter(statuses=())).items
            if view.memory.type != "episode"
        ]
        return {
            plain(item.quote) for record in ids for item in engine.records.show(record).evidence
        }


def is_in(stated: Stated, quotes: set[str]) -> bool:
    """Whether a sentence stands behind some record."""
    own = plain(stated.text)
    return own in quotes or any(own in quote for quote in quotes)
