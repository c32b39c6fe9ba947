"""Later words of a session overrule earlier ones: what stands at its end is proposed, and what it
took the place of is its history.

A change that names what it changes (`we drop gRPC and go back to REST`) is compared with all that
was said before it. One that leans on what was said (`make it 40 instead`, `scrap that`) is about
the nearest thing it can be about: what the agent just asked, or the last thing the operator
decided. Where that is not plain, nothing is taken back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_IMPLIED, Candidate, Span
from memctl.extract import build, session_cues
from memctl.extract.change_candidates import (
    BACK,
    BACK_WITH_VALUE,
    add_history,
    build_announced,
    build_change,
    build_change_of_record,
    complete_candidate,
)
from memctl.extract.said_changes import (
    SaidChange,
    cut_clause,
    find_agents_value,
    find_changes,
    is_bare_change,
    name_what_stays,
    put_into_words,
    says_by_itself,
    says_more,
)
from memctl.extract.sentences import fold_for_cues
from memctl.extract.transcript_view import TranscriptView
from memctl.text.changes import read_change
from memctl.text.overruled import (
    find_rival_value,
    is_near_change,
    is_other_value,
    judge_overruling,
    list_telling_words,
    turns_round,
)
from memctl.text.typed_values import find_typed_values

# Characters beyond the change itself from which on a candidate says something else too.
_LONGER = 12


_CHANGES_MIND = compile_later(
    r"\b(?:changed (?:my|our) minds?|change of plans?|on (?:second thoughts?|reflection)"
    r"|scratch that|scrap that|i was wrong|plans? changed|i slept on it)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Standing:
    """A candidate with its place, and what it took the place of."""

    candidate: Candidate
    place: tuple[int, int]
    stands: bool = True
    overruled: tuple[int, ...] = ()


def settle_changes(view: TranscriptView, found: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that stand at the end of the session, with what each took the place of.

    Where a later statement takes the place of a candidate and is none itself, it becomes one.
    """
    standing = _settle(view, found)
    left = [name_what_stays(view, each.candidate) for each in standing if each.stands]
    return sorted(left, key=lambda each: (each.evidence[0].turn, each.evidence[0].start))


def _settle(view: TranscriptView, found: Sequence[Candidate]) -> list[_Standing]:
    """The candidates in their order, with what came of each; what became one stands last."""
    standing = [_Standing(each, _find_place(view, each)) for each in found]
    for change in find_changes(view):
        _settle_change(view, change, standing)
    _settle_other_values(view, standing)
    return standing


def list_overruled(view: TranscriptView, found: Sequence[Candidate]) -> list[int]:
    """The positions of the candidates that no longer stand at the end of the session."""
    standing = _settle(view, found)
    return [n for n, each in enumerate(standing[: len(found)]) if not each.stands]


def propose_changes_of_records(view: TranscriptView, found: Sequence[Candidate]) -> list[Candidate]:
    """Changes of what no candidate of the session says: worth it only where a record says it."""
    known = [span for each in found if each.type != "episode" for span in each.evidence]
    proposed: list[tuple[SaidChange, Candidate]] = []
    for change in find_changes(view):
        if any(build.share_text(change.span, span) for span in known):
            continue
        reading, turn = change.reading, change.span.turn
        if reading.leans and not reading.new:
            near = proposed and _count_turns_back(view, proposed[-1][0].span.turn, turn) <= BACK
            proposed = proposed[:-1] if near else proposed
            continue
        built = build_change_of_record(view, change)
        if built is not None:
            proposed = [one for one in proposed if not _overrules(change, one[1])]
            proposed.append((change, built))
    return [built for _, built in proposed]


def _overrules(change: SaidChange, earlier: Candidate) -> bool:
    """Whether a change, or its value alone, takes the place of an earlier change."""
    if is_other_value(earlier.content, change.said):
        return True
    return judge_overruling(change.reading, change.said, earlier.content) in ("named", "asked")


# -- what a change is about ---------------------------------------------------------------------


def _settle_change(view: TranscriptView, change: SaidChange, standing: list[_Standing]) -> None:
    """Take back what one change overrules, and let its own words stand instead."""
    own = [n for n, each in enumerate(standing) if _says(each.candidate, change.span)]
    before = [
        n
        for n, each in enumerate(standing)
        if each.stands and n not in own and each.place < (change.span.turn, change.span.start)
    ]
    targets = _find_targets(view, change, standing, before)
    reading = change.reading
    for n in targets:
        standing[n].stands = False
    if reading.sort in ("takes_back", "returns") and not reading.old:
        # That something is taken back says nothing by itself.
        for n in own:
            is_return = reading.sort == "returns"
            standing[n].stands = not is_return and _says_more(change, standing[n].candidate)
        for n in (each for target in targets for each in standing[target].overruled):
            standing[n].stands = True
        return
    place = (change.span.turn, change.span.start)
    if not targets:
        if not own and says_by_itself(change):
            standing.append(_Standing(build_announced(view, change), place))
        return
    olds = [standing[n].candidate for n in targets]
    for n in targets:
        _keep_what_holds(change, standing[n])
    if reading.sort == "takes_back" and not says_more(change.said):
        for n in own:
            standing[n].stands = False
        return
    if own:
        first = standing[own[0]]
        first.candidate = complete_candidate(view, change, first.candidate, olds)
        first.overruled = tuple(targets)
        return
    built = build_change(view, change, olds)
    standing.append(_Standing(built, place, overruled=tuple(targets)))


def _says_more(change: SaidChange, own: Candidate) -> bool:
    """Whether the words that take something back go on: `forget that rule, I push myself`."""
    if len(own.content) > len(change.said) + _LONGER:
        return True
    return says_more(change.said)


def _keep_what_holds(change: SaidChange, old: _Standing) -> None:
    """Let a candidate that says more than what changes stand with the rest of its words."""
    rest = cut_clause(change.reading, old.candidate.content)
    if rest:
        old.candidate = put_into_words(old.candidate, rest)
        old.stands = True


def _settle_other_values(view: TranscriptView, standing: Sequence[_Standing]) -> None:
    """Of two candidates that are the same but for a value, let the later one stand."""
    able = [each for each in standing if each.stands and _can_be_overruled(view, each.candidate)]
    for n, later in enumerate(able):
        for older in able[:n]:
            if older.stands and is_other_value(older.candidate.content, later.candidate.content):
                older.stands = False
                later.candidate = add_history(view, later.candidate, [older.candidate])


def _find_targets(
    view: TranscriptView, change: SaidChange, standing: Sequence[_Standing], before: Sequence[int]
) -> list[int]:
    """The candidates that a change overrules."""
    reading = change.reading
    able = [n for n in before if _can_be_overruled(view, standing[n].candidate)]
    if not reading.leans or reading.old:
        named = [
            n
            for n in able
            if judge_overruling(reading, change.said, standing[n].candidate.content)
            in ("named", "asked")
        ] or _find_just_before(view, change, standing, able)
        if named or not is_bare_change(reading, change.said):
            return named
    return _find_nearest(view, change, standing, able)


def _find_just_before(
    view: TranscriptView, change: SaidChange, standing: Sequence[_Standing], able: Sequence[int]
) -> list[int]:
    """The one candidate of the last turns that holds what a change names, or shares its topic
    where it is announced as a change of mind.
    """
    reading, turn = change.reading, change.span.turn
    most = 1 if reading.is_near else BACK
    near = [n for n in able if 0 < _count_turns_back(view, standing[n].place[0], turn) <= most]
    asked = view.said_before(turn)
    if reading.is_near and asked is not None and _asks(view, asked):
        return []
    found = [n for n in near if _is_meant(change, standing[n].candidate.content)]
    return found if len(found) == 1 else []


def _is_meant(change: SaidChange, older: str) -> bool:
    """Whether a change can be meant of one of the last statements."""
    reading = change.reading
    if turns_round(reading, change.said, older) or is_near_change(reading, older):
        return True
    is_of_mind = _CHANGES_MIND.search(change.said) is not None and not reading.old
    return is_of_mind and bool(list_telling_words(change.said) & list_telling_words(older))


def _can_be_overruled(view: TranscriptView, candidate: Candidate) -> bool:
    return (
        candidate.type in ("project", "decision", "profile")
        and candidate.trust >= OPERATOR_IMPLIED
        and any(view.turns[span.turn].role == "human" for span in candidate.evidence)
    )


def _find_nearest(
    view: TranscriptView, change: SaidChange, standing: Sequence[_Standing], able: Sequence[int]
) -> list[int]:
    """The one candidate that a change leans on; none where that is not plain."""
    reading, turn = change.reading, change.span.turn
    has_value = len(find_typed_values(reading.new)) == 1
    most = BACK_WITH_VALUE if has_value else BACK
    near = [n for n in able if _count_turns_back(view, standing[n].place[0], turn) <= most]
    asked = view.said_before(turn)
    if has_value:
        near = [
            n for n in near if find_rival_value(reading, standing[n].candidate.content) is not None
        ]
        if reading.old:
            near = [n for n in near if _holds(standing[n].candidate.content, reading.old)]
        if asked is not None and _is_about_agents_value(view, change, standing, near, asked):
            return []
    elif asked is not None and _asks(view, asked) and not _is_in_turn(standing, near, turn):
        return []
    if not near:
        return []
    last = max(standing[n].place[0] for n in near)
    nearest = [n for n in near if standing[n].place[0] == last]
    if len(nearest) != 1 or not _may_be_taken_back(view, change, standing[nearest[0]]):
        return []
    return nearest


def _is_in_turn(standing: Sequence[_Standing], near: Sequence[int], turn: int) -> bool:
    return any(standing[n].place[0] == turn for n in near)


def _may_be_taken_back(view: TranscriptView, change: SaidChange, old: _Standing) -> bool:
    """Whether words that only point back can mean this candidate.

    `Keep it as it was` means something only after a change; `revert that` means work, unless what
    was said is a choice and no standing rule.
    """
    reading = change.reading
    if reading.sort == "returns":
        return bool(old.overruled) or read_change(old.candidate.content) is not None
    low = fold_for_cues(change.said)
    if reading.sort == "takes_back" and re.search(r"\b(?:undo|revert|roll back|skip)\b", low):
        quote = fold_for_cues(old.candidate.evidence[0].quote)
        return old.place[0] != change.span.turn and not session_cues.STANDING.search(quote)
    return True


def _is_about_agents_value(
    view: TranscriptView,
    change: SaidChange,
    standing: Sequence[_Standing],
    near: Sequence[int],
    asked: int,
) -> bool:
    """Whether the agent just named another value of that kind, which none of these says."""
    rival = find_agents_value(view, change.reading, asked)
    if rival is None:
        return False
    return not any(_holds(standing[n].candidate.content, rival[1]) for n in near)


def _asks(view: TranscriptView, index: int) -> bool:
    return any(session_cues.QUESTION.search(s.low) for s in view.sentences(index)[-2:])


def _holds(content: str, value: str) -> bool:
    """Whether a statement holds a value."""
    wanted = find_typed_values(value)
    if not wanted:
        return value.lower() in content.lower()
    return any(wanted[0].equals(held) for held in find_typed_values(content))


def _count_turns_back(view: TranscriptView, turn: int, later: int) -> int:
    return sum(turn < each <= later for each in view.human)


def _find_place(view: TranscriptView, candidate: Candidate) -> tuple[int, int]:
    """Where the operator said it last."""
    places = [
        (span.turn, span.start)
        for span in candidate.evidence
        if view.turns[span.turn].role == "human"
    ]
    return max(places or [(span.turn, span.start) for span in candidate.evidence])


def _says(candidate: Candidate, span: Span) -> bool:
    return any(build.share_text(each, span) for each in candidate.evidence)
