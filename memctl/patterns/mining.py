"""What repeats itself in the sessions of one project: steps in an order, ways out of errors, files that change together, work asked for.

Pure. Precision comes first: a pattern needs enough origins (a session, its forks and its helpers are one), enough days between the first
and the last, and must hold nearly every time its parts occur. What every project does is no pattern.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from memctl.core.frozen import dataclass
from memctl.core.model import Span
from memctl.core.timestamps import days_between
from memctl.patterns.session_traits import Session, Step, error_key
from memctl.patterns.workflow_steps import is_common
from memctl.text.normalize import content_words

STEPS, FIX, TOGETHER, ASKED = "tiers.steps", "tiers.fix", "tiers.together", "tiers.asked"
_LONGEST_WAY, _FEWEST_COMMON = 6, 3
# Between two steps that belong together lie no more turns than this.
_NEAR = 40
_IN_ORDER, _BACKWARDS, _PART_OF_EACH, SAME = 0.75, 0.5, 0.4, 0.5
_TOGETHER, _EVERYWHERE, _LIFT = 0.9, 0.6, 1.5
_SAME_ASK, _MOST_OF_THEM, _USUAL = 0.75, 0.8, 0.3
_MOST_OF_RULE = 3


@dataclass(frozen=True, slots=True)
class Enough:
    """How often, and over how many days, something must have happened."""

    sessions: int
    days: float

    def and_more(self, many: int) -> Enough:
        """The same with some sessions more, for what chance brings about more easily."""
        return Enough(self.sessions + many, self.days)


@dataclass(frozen=True, slots=True)
class Seen:
    """A pattern in one session, with the words it stands on."""

    session: Session
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What repeats itself. `parts` are its steps, or files; `of` is the command that failed or what was asked for; `error` its words."""

    rule: str
    parts: tuple[str, ...]
    seen: tuple[Seen, ...]
    of: str = ""
    error: str = ""
    files: tuple[str, ...] = ()


def patterns(sessions: Sequence[Session], enough: Enough) -> list[Pattern]:
    """All patterns of one project's sessions, the most telling of each rule first; nothing is told twice."""
    asked, fixes = (
        list(_asked(sessions, enough))[:_MOST_OF_RULE],
        _fixes(sessions, enough)[:_MOST_OF_RULE],
    )
    known = [{*pattern.parts, pattern.of} for pattern in (*asked, *fixes)]
    ways = [
        way
        for way in _ways(sessions, enough)
        if not any(share(set(way.parts), steps) >= SAME for steps in known)
    ]
    return [*asked, *fixes, *ways[:_MOST_OF_RULE], *_together(sessions, enough)[:_MOST_OF_RULE]]


# -- steps in an order -----------------------------------------------------------------------------------------------------


def _ways(sessions: Sequence[Session], enough: Enough) -> Iterator[Pattern]:
    """Steps that were taken in the same order, the ways that explain most first; of ways that share their steps only the first."""
    frequent = {text for text, seen in _steps_seen(sessions).items() if _is_enough(seen, enough)}
    walks = {session.id: _walk(session, frequent) for session in sessions}
    grams: dict[tuple[str, ...], list[Seen]] = defaultdict(list)
    for session in sessions:
        for texts, spans in _grams(walks[session.id]):
            grams[texts].append(Seen(session, spans))
    support = {text: len(seen) for text, seen in _steps_seen(sessions).items() if text in frequent}
    held = {
        texts: seen
        for texts, found in grams.items()
        if _is_enough(
            seen := _one_of_each_origin(found), enough if len(texts) > 2 else enough.and_more(1)
        )
        and len(seen) >= _PART_OF_EACH * max(support[text] for text in texts)
    }
    chosen: list[set[str]] = []
    for texts in sorted(
        held, key=lambda texts: (-(len(texts) - 1) * len(held[texts]), -len(texts), texts)
    ):
        fits = _says_something(texts) and _is_in_order(texts, grams, sessions)
        if fits and not any(share(set(texts), steps) >= SAME for steps in chosen):
            chosen.append(set(texts))
            yield Pattern(STEPS, texts, tuple(held[texts]))


def _steps_seen(sessions: Iterable[Session]) -> dict[str, list[Seen]]:
    found: dict[str, list[Seen]] = defaultdict(list)
    for session in sessions:
        for text, step in {step.text: step for step in reversed(session.steps)}.items():
            found[text].append(Seen(session, (step.span,)))
    return {text: _one_of_each_origin(seen) for text, seen in found.items()}


def _walk(session: Session, frequent: set[str]) -> list[Step]:
    """The session's steps that occur elsewhere too; the same one again at once is one."""
    kept = [step for step in session.steps if step.text in frequent]
    return [
        step
        for before, step in zip([None, *kept], kept, strict=False)
        if before is None or before.text != step.text
    ]


def _grams(walk: Sequence[Step]) -> Iterator[tuple[tuple[str, ...], tuple[Span, ...]]]:
    """Every run of two to six different steps near each other, where it stands first."""
    told: set[tuple[str, ...]] = set()
    for start in range(len(walk)):
        texts: tuple[str, ...] = (walk[start].text,)
        for end in range(start + 1, min(start + _LONGEST_WAY, len(walk))):
            if walk[end].text in texts or walk[end].span.turn - walk[end - 1].span.turn > _NEAR:
                break
            texts = (*texts, walk[end].text)
            if texts not in told:
                told.add(texts)
                yield texts, tuple(step.span for step in walk[start : end + 1])


def _says_something(texts: Sequence[str]) -> bool:
    """Whether a way has something of its own: a step that not every project has, or three of them beyond git."""
    own = [text for text in texts if not is_common(text)]
    return bool(own) or (
        len(texts) >= _FEWEST_COMMON and any(not text.startswith("git ") for text in texts)
    )


def _is_in_order(
    texts: Sequence[str], grams: Mapping[tuple[str, ...], list[Seen]], sessions: Sequence[Session]
) -> bool:
    """Whether the steps come in this order nearly every time they all occur, and seldom the other way round."""
    have_all = {
        session.origin
        for session in sessions
        if {step.text for step in session.steps}.issuperset(texts)
    }
    in_order = {seen.session.origin for seen in grams[tuple(texts)]}
    back = [
        len({seen.session.origin for seen in grams.get((b, a), ())} & in_order)
        for a, b in pairwise(texts)
    ]
    return len(in_order) >= _IN_ORDER * len(have_all) and all(
        many <= _BACKWARDS * len(in_order) for many in back
    )


# -- ways out of errors -----------------------------------------------------------------------------------------------------


def _fixes(sessions: Sequence[Session], enough: Enough) -> list[Pattern]:
    """What was run each time after the same error, until the command worked."""
    found: dict[tuple[str, tuple[str, ...]], list[tuple[Seen, str, str]]] = defaultdict(list)
    for session in sessions:
        for way in session.ways_out:
            found[error_key(way.error), way.fix].append(
                (Seen(session, way.spans), way.command, way.error)
            )
    made = []
    for (_, fix), hits in found.items():
        seen = _one_of_each_origin(hit[0] for hit in hits)
        if _is_enough(seen, enough):
            made.append(Pattern(FIX, fix, tuple(seen), of=hits[0][1], error=hits[0][2]))
    return sorted(made, key=lambda pattern: (-len(pattern.seen), pattern.parts))


# -- files that change together ----------------------------------------------------------------------------------------------


def _together(sessions: Sequence[Session], enough: Enough) -> list[Pattern]:
    """Pairs of files where whoever changed the first changed the second, which is not changed everywhere anyway."""
    touched: dict[str, list[Seen]] = defaultdict(list)
    for session in sessions:
        for name, span in session.files.items():
            touched[name].append(Seen(session, (span,)))
    more = enough.and_more(2)
    frequent = {
        name: seen
        for name, found in touched.items()
        if _is_enough(seen := _one_of_each_origin(found), more)
    }
    all_origins = len({session.origin for session in sessions if session.files})
    pairs = (pair for a, b in combinations(sorted(frequent), 2) for pair in ((a, b), (b, a)))
    found = [
        Pattern(TOGETHER, (a, b), both)
        for a, b in pairs
        if (both := _both(a, b, frequent, all_origins, more))
    ]
    best: dict[frozenset[str], Pattern] = {}
    for pattern in sorted(found, key=lambda pattern: (-len(pattern.seen), pattern.parts)):
        best.setdefault(frozenset(pattern.parts), pattern)
    return list(best.values())


def _both(
    a: str, b: str, frequent: Mapping[str, list[Seen]], all_origins: int, enough: Enough
) -> tuple[Seen, ...]:
    """Where both were changed, if changing the first means changing the second; else nothing."""
    of_b = {seen.session.origin: seen for seen in frequent[b]}
    seen = [
        Seen(one.session, (*one.spans, *of_b[one.session.origin].spans))
        for one in frequent[a]
        if one.session.origin in of_b
    ]
    seen = [one for one in seen if b in one.session.files]
    both, usual = len(seen) / len(frequent[a]), len(of_b) / max(1, all_origins)
    if (
        both < _TOGETHER
        or usual > _EVERYWHERE
        or both < _LIFT * usual
        or _are_twins(a, b)
        or not _is_enough(seen, enough)
    ):
        return ()
    return tuple(Seen(one.session, (one.session.files[a], one.session.files[b])) for one in seen)


def _are_twins(a: str, b: str) -> bool:
    """Whether two files belong together by their names alone, as a module and its test do."""
    one, two = (
        name.rsplit("/", 1)[-1].split(".", 1)[0].lower().removeprefix("test_").removesuffix("_test")
        for name in (a, b)
    )
    return one == two or (min(len(one), len(two)) > 2 and (one in two or two in one))


# -- what is asked for again and again -----------------------------------------------------------------------------------------


def _asked(sessions: Sequence[Session], enough: Enough) -> Iterator[Pattern]:
    """Work that was asked for in the same words, with the steps and the files that it took nearly every time."""
    clusters: list[list[Session]] = []
    for session in sessions:
        if session.ask is not None:
            home = next(
                (c for c in clusters if _is_same_ask(c[0].ask_words, session.ask_words)), None
            )
            clusters.append([session]) if home is None else home.append(session)
    made = []
    for cluster in clusters:
        seen = _one_of_each_origin(
            Seen(session, (session.ask,) if session.ask else ()) for session in cluster
        )
        pattern = _work(seen, _usual(sessions, cluster)) if _is_enough(seen, enough) else None
        # One thing in common may be chance where it happened no more often than it must.
        if pattern is not None and (
            len(pattern.parts) + len(pattern.files) > 1 or _is_enough(seen, enough.and_more(1))
        ):
            made.append(pattern)
    yield from sorted(made, key=lambda pattern: (-len(pattern.seen), pattern.of))


def _is_same_ask(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether two sessions were asked for the same: most of the shorter one's words; a month or a number may differ."""
    both = len(one & two)
    return (
        both >= _FEWEST_COMMON
        and both >= _SAME_ASK * min(len(one), len(two))
        and 2 * both >= max(len(one), len(two))
    )


def _usual(sessions: Sequence[Session], cluster: Sequence[Session]) -> set[str]:
    """The steps and files that many of the project's other sessions have too: they are not what this work takes."""
    others = [session for session in sessions if session not in cluster]
    counts: dict[str, int] = defaultdict(int)
    for session in others:
        for name in {*(step.text for step in session.steps), *session.files}:
            counts[name] += 1
    return {name for name, many in counts.items() if many >= _USUAL * len(others)}


def _work(seen: Sequence[Seen], usual: set[str]) -> Pattern | None:
    """What work took nearly every time it was asked for, beyond the usual; None if that says nothing."""
    places: dict[str, list[int]] = defaultdict(list)
    for one in seen:
        for text, place in _first_places(one.session.steps).items():
            places[text].append(place)
    most = _MOST_OF_THEM * len(seen)
    steps = [text for text, found in places.items() if len(found) >= most and text not in usual]
    steps.sort(key=lambda text: (sum(places[text]) / len(places[text]), text))
    files = sorted(
        name
        for name in seen[0].session.files
        if sum(name in one.session.files for one in seen) >= most and name not in usual
    )
    own = [text for text in steps if not is_common(text)]
    if not own and not (files and len(files) <= _FEWEST_COMMON):
        return None
    ask = common_ask([one.session.ask.quote for one in seen if one.session.ask])
    told = tuple(Seen(one.session, (*one.spans, *_first_spans(one.session, steps))) for one in seen)
    return Pattern(
        ASKED, tuple(steps[:_LONGEST_WAY]), told, of=ask, files=tuple(files[:_FEWEST_COMMON])
    )


def common_ask(asks: Sequence[str]) -> str:
    """The shortest of several ways to ask for the same, with `…` for what differs: `Update the tables for …`."""
    shared = frozenset.intersection(*(frozenset(content_words(ask)) for ask in asks))
    kept = [
        word if shared.issuperset(content_words(word)) else "…"
        for word in min(asks, key=lambda ask: (len(ask), ask)).split()
    ]
    return " ".join(
        word
        for before, word in zip(["", *kept], kept, strict=False)
        if word != "…" or before != "…"
    )


def _first_places(steps: Sequence[Step]) -> dict[str, int]:
    return {step.text: place for place, step in reversed(list(enumerate(steps)))}


def _first_spans(session: Session, texts: Iterable[str]) -> tuple[Span, ...]:
    first = {step.text: step.span for step in reversed(session.steps)}
    return tuple(first[text] for text in texts if text in first)


# -- counting --------------------------------------------------------------------------------------------------------------------


def _one_of_each_origin(found: Iterable[Seen]) -> list[Seen]:
    """The earliest of each origin, in the order of time."""
    first: dict[str, Seen] = {}
    for seen in sorted(found, key=lambda seen: (seen.session.at, seen.session.id)):
        first.setdefault(seen.session.origin, seen)
    return list(first.values())


def _is_enough(seen: Sequence[Seen], enough: Enough) -> bool:
    """Whether it happened often enough, over enough days."""
    if len(seen) < max(2, enough.sessions):
        return False
    return (
        days_between(min(one.session.at for one in seen), max(one.session.at for one in seen))
        >= enough.days
    )


def share(one: set[str], two: set[str]) -> float:
    """How much of the smaller of two sets is in the other: what has half in common says the same, or nearly."""
    return len(one & two) / max(1, min(len(one), len(two)))
