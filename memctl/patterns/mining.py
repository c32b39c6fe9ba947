"""Find what recurs in the sessions of one project. Pure.

It finds sequences of commands, fixes of errors, files that change together, and work that is
requested again. Precision comes first: a pattern needs enough origins (a session with its forks and
sub-agents is one), enough days between the first and the last, and must hold nearly every time its
parts occur. What every project does is no pattern.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from memctl.core.frozen import dataclass
from memctl.core.model import Span
from memctl.core.timestamps import days_between
from memctl.patterns.session_traits import SessionTraits, WorkingCommand, normalise_error
from memctl.patterns.workflow_steps import is_common
from memctl.text.normalize import list_content_words

# The rules, as records store them: commands in the same order, the fix of an error, files that
# change together, work that is requested again and again.
STEPS = "tiers.steps"
FIX = "tiers.fix"
TOGETHER = "tiers.together"
ASKED = "tiers.asked"

# All numbers below were chosen by hand and checked with benchmarks/patterns.py.
# The longest sequence of commands.
_MAX_SEQUENCE = 6
# What every project does (commands, words of a request) says something only from so many on.
_MIN_COMMON = 3
# Two commands of one sequence are at most so many turns apart.
_MAX_TURNS_APART = 40
# A sequence comes in this order in such a share of the sessions that have all its commands.
_MIN_IN_ORDER = 0.75
# Its pairs come the other way round in at most such a share of them.
_MAX_BACKWARDS = 0.5
# It covers such a share of the sessions that have its most frequent command.
_MIN_SUPPORT = 0.4
# Patterns whose smaller set of parts overlaps so far say the same.
SAME_OVERLAP = 0.5
# Of the sessions that change the first file such a share changes the second,
_MIN_TOGETHER = 0.9
# which is changed in at most such a share of all sessions,
_MAX_EVERYWHERE = 0.6
# and so many times more often than in all sessions.
_MIN_LIFT = 1.5
# Two requests are the same if they share such a part of the shorter one's words.
_MIN_SHARED_WORDS = 0.75
# Work needs what such a share of its sessions has,
_MIN_NEEDED = 0.8
# unless such a share of the project's other sessions has it too.
_USUAL_SHARE = 0.3
# Patterns proposed of each rule at once.
_MAX_PER_RULE = 3
# A pair of files, or a pair of commands, comes about by chance more easily: sessions on top.
_EXTRA_SESSIONS_FILES = 2
_EXTRA_SESSIONS_PAIR = 1


@dataclass(frozen=True, slots=True)
class PatternThreshold:
    """In how many sessions, and over how many days, a pattern must have occurred."""

    sessions: int
    days: float

    def add_sessions(self, many: int) -> PatternThreshold:
        """The same with some sessions more, for what comes about by chance more easily."""
        return PatternThreshold(self.sessions + many, self.days)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A pattern in one session, with the words it rests on."""

    session: SessionTraits
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What recurs.

    `parts` are its commands, or files; `of` is the command that failed or the request; `error` the
    words of the error.
    """

    rule: str
    parts: tuple[str, ...]
    seen: tuple[Occurrence, ...]
    of: str = ""
    error: str = ""
    files: tuple[str, ...] = ()


def find_patterns(sessions: Sequence[SessionTraits], enough: PatternThreshold) -> list[Pattern]:
    """Find all patterns of one project's sessions, the most telling of each rule first.

    Nothing is found twice under two rules.
    """
    requests = list(_find_repeated_requests(sessions, enough))[:_MAX_PER_RULE]
    fixes = _find_fixes(sessions, enough)[:_MAX_PER_RULE]
    known = [{*pattern.parts, pattern.of} for pattern in (*requests, *fixes)]
    sequences = [
        sequence
        for sequence in _find_sequences(sessions, enough)
        if not any(compute_overlap(set(sequence.parts), parts) >= SAME_OVERLAP for parts in known)
    ]
    file_pairs = _find_file_pairs(sessions, enough)
    return [*requests, *fixes, *sequences[:_MAX_PER_RULE], *file_pairs[:_MAX_PER_RULE]]


# commands that are run in one order


def _find_sequences(
    sessions: Sequence[SessionTraits], enough: PatternThreshold
) -> Iterator[Pattern]:
    """Commands that were run in the same order, those that explain most first.

    Of sequences that share their commands only the first counts.
    """
    frequent = {
        text for text, seen in _group_commands(sessions).items() if _reaches_threshold(seen, enough)
    }
    walks = {session.id: _list_frequent_commands(session, frequent) for session in sessions}
    grams: dict[tuple[str, ...], list[Occurrence]] = defaultdict(list)
    for session in sessions:
        for texts, spans in _list_runs(walks[session.id]):
            grams[texts].append(Occurrence(session, spans))
    support = {
        text: len(seen) for text, seen in _group_commands(sessions).items() if text in frequent
    }
    held = {
        texts: seen
        for texts, found in grams.items()
        if _reaches_threshold(
            seen := _keep_first_of_origin(found),
            enough if len(texts) > 2 else enough.add_sessions(_EXTRA_SESSIONS_PAIR),
        )
        and len(seen) >= _MIN_SUPPORT * max(support[text] for text in texts)
    }
    chosen: list[set[str]] = []
    for texts in sorted(
        held, key=lambda texts: (-(len(texts) - 1) * len(held[texts]), -len(texts), texts)
    ):
        fits = _is_specific(texts) and _is_in_order(texts, grams, sessions)
        if fits and not any(compute_overlap(set(texts), steps) >= SAME_OVERLAP for steps in chosen):
            chosen.append(set(texts))
            yield Pattern(STEPS, texts, tuple(held[texts]))


def _group_commands(sessions: Iterable[SessionTraits]) -> dict[str, list[Occurrence]]:
    found: dict[str, list[Occurrence]] = defaultdict(list)
    for session in sessions:
        for text, step in {step.text: step for step in reversed(session.steps)}.items():
            found[text].append(Occurrence(session, (step.span,)))
    return {text: _keep_first_of_origin(seen) for text, seen in found.items()}


def _list_frequent_commands(session: SessionTraits, frequent: set[str]) -> list[WorkingCommand]:
    """The session's commands that occur elsewhere too; an immediate repetition counts once."""
    kept = [step for step in session.steps if step.text in frequent]
    return [
        step
        for before, step in zip([None, *kept], kept, strict=False)
        if before is None or before.text != step.text
    ]


def _list_runs(
    walk: Sequence[WorkingCommand],
) -> Iterator[tuple[tuple[str, ...], tuple[Span, ...]]]:
    """Every run of two to six different commands near each other, at its first position."""
    told: set[tuple[str, ...]] = set()
    for start in range(len(walk)):
        texts: tuple[str, ...] = (walk[start].text,)
        for end in range(start + 1, min(start + _MAX_SEQUENCE, len(walk))):
            if (
                walk[end].text in texts
                or walk[end].span.turn - walk[end - 1].span.turn > _MAX_TURNS_APART
            ):
                break
            texts = (*texts, walk[end].text)
            if texts not in told:
                told.add(texts)
                yield texts, tuple(step.span for step in walk[start : end + 1])


def _is_specific(texts: Sequence[str]) -> bool:
    """Whether a sequence says something: a command that not every project has, or three beyond
    git.
    """
    own = [text for text in texts if not is_common(text)]
    return bool(own) or (
        len(texts) >= _MIN_COMMON and any(not text.startswith("git ") for text in texts)
    )


def _is_in_order(
    texts: Sequence[str],
    grams: Mapping[tuple[str, ...], list[Occurrence]],
    sessions: Sequence[SessionTraits],
) -> bool:
    """Whether the commands nearly always come in this order, and seldom the other way round."""
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
    return len(in_order) >= _MIN_IN_ORDER * len(have_all) and all(
        many <= _MAX_BACKWARDS * len(in_order) for many in back
    )


# ways out of errors


def _find_fixes(sessions: Sequence[SessionTraits], enough: PatternThreshold) -> list[Pattern]:
    """What was run each time after the same error, until the command worked."""
    found: dict[tuple[str, tuple[str, ...]], list[tuple[Occurrence, str, str]]] = defaultdict(list)
    for session in sessions:
        for way in session.ways_out:
            found[normalise_error(way.error), way.fix].append(
                (Occurrence(session, way.spans), way.command, way.error)
            )
    made = []
    for (_, fix), hits in found.items():
        seen = _keep_first_of_origin(hit[0] for hit in hits)
        if _reaches_threshold(seen, enough):
            made.append(Pattern(FIX, fix, tuple(seen), of=hits[0][1], error=hits[0][2]))
    return sorted(made, key=lambda pattern: (-len(pattern.seen), pattern.parts))


# files that change together


def _find_file_pairs(sessions: Sequence[SessionTraits], enough: PatternThreshold) -> list[Pattern]:
    """Pairs of files where whoever changed the first changed the second too.

    The second must not be a file that is changed in most sessions anyway.
    """
    touched: dict[str, list[Occurrence]] = defaultdict(list)
    for session in sessions:
        for name, span in session.files.items():
            touched[name].append(Occurrence(session, (span,)))
    more = enough.add_sessions(_EXTRA_SESSIONS_FILES)
    frequent = {
        name: seen
        for name, found in touched.items()
        if _reaches_threshold(seen := _keep_first_of_origin(found), more)
    }
    all_origins = len({session.origin for session in sessions if session.files})
    pairs = (pair for a, b in combinations(sorted(frequent), 2) for pair in ((a, b), (b, a)))
    found = [
        Pattern(TOGETHER, (a, b), both)
        for a, b in pairs
        if (both := _find_joint_changes(a, b, frequent, all_origins, more))
    ]
    best: dict[frozenset[str], Pattern] = {}
    for pattern in sorted(found, key=lambda pattern: (-len(pattern.seen), pattern.parts)):
        best.setdefault(frozenset(pattern.parts), pattern)
    return list(best.values())


def _find_joint_changes(
    a: str,
    b: str,
    frequent: Mapping[str, list[Occurrence]],
    all_origins: int,
    enough: PatternThreshold,
) -> tuple[Occurrence, ...]:
    """Where both files were changed, if changing the first means changing the second; else ()."""
    of_b = {seen.session.origin: seen for seen in frequent[b]}
    seen = [
        Occurrence(one.session, (*one.spans, *of_b[one.session.origin].spans))
        for one in frequent[a]
        if one.session.origin in of_b
    ]
    seen = [one for one in seen if b in one.session.files]
    both, usual = len(seen) / len(frequent[a]), len(of_b) / max(1, all_origins)
    if (
        both < _MIN_TOGETHER
        or usual > _MAX_EVERYWHERE
        or both < _MIN_LIFT * usual
        or _have_similar_names(a, b)
        or not _reaches_threshold(seen, enough)
    ):
        return ()
    return tuple(
        Occurrence(one.session, (one.session.files[a], one.session.files[b])) for one in seen
    )


def _have_similar_names(a: str, b: str) -> bool:
    """Whether two files belong together by their names alone, as a module and its test do."""
    one, two = (
        name.rsplit("/", 1)[-1].split(".", 1)[0].lower().removeprefix("test_").removesuffix("_test")
        for name in (a, b)
    )
    return one == two or (min(len(one), len(two)) > 2 and (one in two or two in one))


# what is asked for again and again


def _find_repeated_requests(
    sessions: Sequence[SessionTraits], enough: PatternThreshold
) -> Iterator[Pattern]:
    """Work that was requested in the same words, with what it took nearly every time."""
    clusters: list[list[SessionTraits]] = []
    for session in sessions:
        if session.ask is not None:
            home = next(
                (c for c in clusters if _is_same_request(c[0].ask_words, session.ask_words)), None
            )
            clusters.append([session]) if home is None else home.append(session)
    made = []
    for cluster in clusters:
        seen = _keep_first_of_origin(
            Occurrence(session, (session.ask,) if session.ask else ()) for session in cluster
        )
        pattern = (
            _build_request_pattern(seen, _find_usual_parts(sessions, cluster))
            if _reaches_threshold(seen, enough)
            else None
        )
        # One thing in common may be chance where it happened no more often than it must.
        if pattern is not None and (
            len(pattern.parts) + len(pattern.files) > 1
            or _reaches_threshold(seen, enough.add_sessions(_EXTRA_SESSIONS_PAIR))
        ):
            made.append(pattern)
    yield from sorted(made, key=lambda pattern: (-len(pattern.seen), pattern.of))


def _is_same_request(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether two requests are the same: they share most words of the shorter one.

    A month or a number may differ.
    """
    both = len(one & two)
    return (
        both >= _MIN_COMMON
        and both >= _MIN_SHARED_WORDS * min(len(one), len(two))
        and 2 * both >= max(len(one), len(two))
    )


def _find_usual_parts(
    sessions: Sequence[SessionTraits], cluster: Sequence[SessionTraits]
) -> set[str]:
    """The commands and files that many of the project's other sessions have too."""
    others = [session for session in sessions if session not in cluster]
    counts: dict[str, int] = defaultdict(int)
    for session in others:
        for name in {*(step.text for step in session.steps), *session.files}:
            counts[name] += 1
    return {name for name, many in counts.items() if many >= _USUAL_SHARE * len(others)}


def _build_request_pattern(seen: Sequence[Occurrence], usual: set[str]) -> Pattern | None:
    """What requested work took nearly every time, beyond the usual; None if that says nothing."""
    places: dict[str, list[int]] = defaultdict(list)
    for one in seen:
        for text, place in _find_first_positions(one.session.steps).items():
            places[text].append(place)
    most = _MIN_NEEDED * len(seen)
    steps = [text for text, found in places.items() if len(found) >= most and text not in usual]
    steps.sort(key=lambda text: (sum(places[text]) / len(places[text]), text))
    files = sorted(
        name
        for name in seen[0].session.files
        if sum(name in one.session.files for one in seen) >= most and name not in usual
    )
    own = [text for text in steps if not is_common(text)]
    if not own and not (files and len(files) <= _MIN_COMMON):
        return None
    ask = merge_requests([one.session.ask.quote for one in seen if one.session.ask])
    told = tuple(
        Occurrence(one.session, (*one.spans, *_list_first_spans(one.session, steps)))
        for one in seen
    )
    return Pattern(
        ASKED, tuple(steps[:_MAX_SEQUENCE]), told, of=ask, files=tuple(files[:_MIN_COMMON])
    )


def merge_requests(asks: Sequence[str]) -> str:
    """The shortest of several wordings of a request, with `…` for what differs.

    Example: `Update the tables for …`.
    """
    shared = frozenset.intersection(*(frozenset(list_content_words(ask)) for ask in asks))
    kept = [
        word if shared.issuperset(list_content_words(word)) else "…"
        for word in min(asks, key=lambda ask: (len(ask), ask)).split()
    ]
    return " ".join(
        word
        for before, word in zip(["", *kept], kept, strict=False)
        if word != "…" or before != "…"
    )


def _find_first_positions(steps: Sequence[WorkingCommand]) -> dict[str, int]:
    return {step.text: place for place, step in reversed(list(enumerate(steps)))}


def _list_first_spans(session: SessionTraits, texts: Iterable[str]) -> tuple[Span, ...]:
    first = {step.text: step.span for step in reversed(session.steps)}
    return tuple(first[text] for text in texts if text in first)


# counting


def _keep_first_of_origin(found: Iterable[Occurrence]) -> list[Occurrence]:
    """The earliest occurrence of each origin, in the order of time."""
    first: dict[str, Occurrence] = {}
    for seen in sorted(found, key=lambda seen: (seen.session.at, seen.session.id)):
        first.setdefault(seen.session.origin, seen)
    return list(first.values())


def _reaches_threshold(seen: Sequence[Occurrence], enough: PatternThreshold) -> bool:
    """Whether a pattern occurred often enough, over enough days."""
    if len(seen) < max(2, enough.sessions):
        return False
    return (
        days_between(min(one.session.at for one in seen), max(one.session.at for one in seen))
        >= enough.days
    )


def compute_overlap(one: set[str], two: set[str]) -> float:
    """How much of the smaller of two sets is in the other, from 0 to 1."""
    return len(one & two) / max(1, min(len(one), len(two)))
