"""Decide which of the things that a person typed are worth keeping, by a learned model.

The rules find statements and say what they are; the model looks at every sentence that was typed,
says which are worth keeping, and how sure that is. What the rules proposed of other sentences is
dropped; a sentence that is worth keeping and that no rule saw is proposed as it stands, with what
it answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memctl.core.frozen import dataclass, replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_IMPLIED, OPERATOR_SAID, Candidate, Span
from memctl.extract import (
    build,
    kinds,
    named_things,
    one_off,
    pasted,
    proposal_lookup,
    reasons,
    session_cues,
)
from memctl.extract.cue_phrases import reads_as_english
from memctl.extract.rank import CONFIDENCE_THRESHOLD
from memctl.extract.sentences import Sentence, fold_for_cues
from memctl.extract.transcript_view import PROSE_CHARS, TranscriptView
from memctl.extract.worth_features import TypedSentence, find_dialogue_around, list_typed_sentences
from memctl.extract.worth_model import WorthModel, find_vectors, load_model, read_vector

RULE = "operator.learned"
# The rule whose content is what was said, word for word.
_PLAIN_RULE = "operator.statement"
# Below this share of worthy sentences nothing is proposed. Chosen on folds: there three of ten
# negatives more would be proposed for one of twenty memories more.
FLOOR = CONFIDENCE_THRESHOLD
# By words alone a sentence below this needs no vector: it would not get above the floor.
_LOOK_CLOSER = 0.08
# What the plain rule is so sure of stays at the floor, whatever the model says: one of four of such
# is worth keeping, as it is of others at the floor. In a session in which little was typed less is
# enough: there are not many to look at.
_SURE_OF = 0.65
_SURE_OF_FEW = 0.45
_FEW_TYPED = 2
_SURE_RULES_OF_FEW = (_PLAIN_RULE, "operator.correction", "replies.", "deferred.")
# Sentences beside the best one belong to it where they too are worth keeping, from this share of
# its worth on: a task that was put in the same breath does not.
_NEIGHBOUR_SHARE = 0.5
_MOST_NEIGHBOURS = 4
# Candidates of one turn, and sentences from which on it may have one more.
_MOST_A_TURN = 2
_SENTENCES_A_CANDIDATE = 6
_MOST_A_LONG_TURN = 16
# Characters of a sentence that are embedded.
EMBEDDED_CHARS = 300
_KINDS_OF_TURN = frozenset({"text", "command", "rejection", "answer"})
_SUGGESTS = compile_later(
    r"^(?:(?:so|and|but|also|ok|hmm+|wait),? )*(?:(?:can|could|should)(?:n't| not)? (?:we|you|i|it)"
    r"|why (?:don't|not|can't)(?: (?:we|you|i))?|(?:what|how) about(?: if)?|what if (?:we|you|i))"
    r" (?:(?:just|also|maybe|perhaps|please|not) )*(?P<what>\S.{8,}?)\?+$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A sentence with the share of such sentences that are worth keeping."""

    sentence: TypedSentence
    worth: float


def keep_worthy(view: TranscriptView, proposals: Iterable[Candidate]) -> list[Candidate]:
    """Keep of what the operator typed what is worth it, and add what no rule saw.

    Proposals from the agent's words, and those that no model was taught to judge, stay as they
    are; all stay where the weights are missing.
    """
    proposals = list(proposals)
    model = load_model()
    if model is None:
        return proposals
    typed = {i for i, turn in enumerate(view.turns) if _is_typed(view, i)}
    found, of_turn = [], dict[int, list[Candidate]]()
    for candidate in proposals:
        turns = [e.turn for e in candidate.evidence if e.turn in typed]
        if turns:
            of_turn.setdefault(max(turns), []).append(candidate)
        else:
            found.append(candidate)
    for index in sorted(typed):
        found += _judge_turn(view, index, of_turn.get(index, []), model)
    return found


def _is_typed(view: TranscriptView, index: int) -> bool:
    turn = view.turns[index]
    return (
        turn.role == "human"
        and turn.kind in _KINDS_OF_TURN
        and bool(turn.text.strip())
        and not turn.data.get("shell")
        # The model was taught English; what other languages say is for the rules alone.
        and reads_as_english(turn.text[:PROSE_CHARS])
        and (turn.kind != "command" or bool(view.sentences(index)))
    )


def _judge_turn(
    view: TranscriptView, index: int, proposals: list[Candidate], model: WorthModel
) -> list[Candidate]:
    """The candidates of one turn, the best first."""
    weighed = _weigh(view, index, proposals, model)
    most = min(_MOST_A_LONG_TURN, _MOST_A_TURN + len(weighed) // _SENTENCES_A_CANDIDATE)
    found: list[Candidate] = []
    while weighed and len(found) < most:
        best = max(range(len(weighed)), key=lambda n: weighed[n].worth)
        if weighed[best].worth < FLOOR:
            break
        low, high = _find_neighbours(view, weighed, best)
        found += _choose_candidates(view, weighed[low : high + 1], weighed[best], proposals)
        weighed = weighed[:low] + weighed[high + 1 :]
    return found[:most]


def _weigh(
    view: TranscriptView, index: int, proposals: Sequence[Candidate], model: WorthModel
) -> list[_Weighed]:
    around = find_dialogue_around(view, index)
    sentences = list_typed_sentences(view, index, around, proposals)
    by_words = [model.by_words.compute_logit(one.features) for one in sentences]
    worth = [model.by_words.calibrate(logit) for logit in by_words]
    embedder = find_vectors()
    close = [n for n, value in enumerate(worth) if value >= _LOOK_CLOSER] if embedder else []
    if embedder is not None and close:
        text = view.turns[index].text
        vectors = embedder.embed(
            [text[sentences[n].start : sentences[n].end][:EMBEDDED_CHARS] for n in close]
        )
        for n, blob in zip(close, vectors, strict=True):
            logit = model.with_vectors.compute_logit(sentences[n].features, read_vector(blob))
            worth[n] = model.with_vectors.calibrate(logit)
    sure = [one for one in proposals if _is_sure(one, is_short=around.count <= _FEW_TYPED)]
    return [
        _Weighed(one, max(value, FLOOR) if any(_is_about(s, one) for s in sure) else value)
        for one, value in zip(sentences, worth, strict=True)
    ]


def _is_sure(candidate: Candidate, *, is_short: bool) -> bool:
    if is_short and candidate.rule.startswith(_SURE_RULES_OF_FEW):
        return candidate.confidence >= _SURE_OF_FEW
    return candidate.rule == _PLAIN_RULE and candidate.confidence >= _SURE_OF


def _find_neighbours(
    view: TranscriptView, weighed: Sequence[_Weighed], best: int
) -> tuple[int, int]:
    """The first and last place of the sentences that belong to the best.

    What points back (`we replace it by ...`) says nothing without the one before.
    """
    least = max(FLOOR, weighed[best].worth * _NEIGHBOUR_SHARE)
    low = high = best
    if best and _leans(view, weighed[best].sentence):
        low = best - 1

    def belongs(place: int) -> bool:
        return weighed[place].worth >= least and not _is_passing(view, weighed[place].sentence)

    while low > 0 and high - low < _MOST_NEIGHBOURS and belongs(low - 1):
        low -= 1
    while high < len(weighed) - 1 and high - low < _MOST_NEIGHBOURS and belongs(high + 1):
        high += 1
    return low, high


def _is_passing(view: TranscriptView, sentence: TypedSentence) -> bool:
    text = view.turns[sentence.turn].text[sentence.start : sentence.end]
    return one_off.is_one_off(fold_for_cues(text))


def _leans(view: TranscriptView, sentence: TypedSentence) -> bool:
    text = view.turns[sentence.turn].text[sentence.start : sentence.end]
    return proposal_lookup.points_back(fold_for_cues(text))


def _choose_candidates(
    view: TranscriptView, part: Sequence[_Weighed], best: _Weighed, proposals: list[Candidate]
) -> list[Candidate]:
    """What rules made of these sentences, each with its own worth, else they themselves."""
    found: list[Candidate] = []
    for candidate in sorted(proposals, key=lambda one: (-one.confidence, -one.trust)):
        worth = max((w.worth for w in part if _is_about(candidate, w.sentence)), default=0.0)
        if worth >= FLOOR and not any(_overlaps(candidate, other) for other in found):
            found.append(replace(candidate, confidence=_round(worth)))
    if len(found) == 1 and found[0].rule == _PLAIN_RULE and len(part) > 1:
        return [_widen(view, found[0], part)]
    if found:
        return sorted(found, key=lambda one: -one.confidence)
    if view.turns[best.sentence.turn].kind == "answer":
        # What was chosen of what the agent offered is known by the rules, with its question.
        return []
    learned = _build_learned(view, part, best)
    return [] if learned is None else [learned]


def _widen(view: TranscriptView, candidate: Candidate, part: Sequence[_Weighed]) -> Candidate:
    """A statement with the sentences beside it that are worth keeping with it."""
    first, last = part[0].sentence, part[-1].sentence
    own = candidate.evidence[0]
    start, end = min(own.start, first.start), max(own.end, last.end)
    quote = view.turns[own.turn].text[start:end]
    content = build.shorten(build.clean_statement(quote), build.CONTENT_CHARS)
    return replace(
        candidate,
        content=content,
        summary=build.shorten(build.strip_lead_in(content), build.SUMMARY_CHARS),
        evidence=(Span(own.turn, start, end, quote), *candidate.evidence[1:]),
        entities=named_things.find_entities(content, view.turns[own.turn].speaker),
    )


def _is_about(candidate: Candidate, sentence: TypedSentence) -> bool:
    return any(
        e.turn == sentence.turn and e.start < sentence.end and sentence.start < e.end
        for e in candidate.evidence
    )


def _overlaps(one: Candidate, other: Candidate) -> bool:
    return any(build.share_text(a, b) for a in one.evidence for b in other.evidence)


def _round(worth: float) -> float:
    return round(min(0.95, worth), 3)


def _build_learned(
    view: TranscriptView, part: Sequence[_Weighed], best: _Weighed
) -> Candidate | None:
    index, start, end = best.sentence.turn, part[0].sentence.start, part[-1].sentence.end
    text = view.turns[index].text
    sentences = [s for s in view.sentences(index) if start <= s.start and s.end <= end]
    main = next((s for s in sentences if s.start == best.sentence.start), None)
    if main is None:
        whole = text[start:end]
        main = Sentence(index, start, end, whole, fold_for_cues(whole), "prose", "", 0)
        sentences = [main]
    if one_off.is_one_off(main.low) or pasted.is_material(view, main):
        return None
    if session_cues.QUESTION.search(main.low) and not _is_answered(view, index):
        return None
    span = Span(index, start, end, text[start:end])
    proposal = (
        proposal_lookup.find_proposal(view, index, span.quote)
        if proposal_lookup.needs_proposal(main.low)
        else None
    )
    if proposal is None and proposal_lookup.is_bare_answer(main.low):
        return None
    why = next((found for s in sentences if (found := reasons.find_reason(s))), None)
    over = tuple(one for s in sentences for one in reasons.find_alternatives(s))
    place = kinds.classify_statement(main, "", own=True, weighed=bool(why or over))
    is_own = not session_cues.QUESTION.search(main.low) and not pasted.is_pasted(view, main)
    content, title = _word(span, main, proposal)
    return build.build_candidate(
        view,
        RULE,
        place.type,
        place.kind,
        best.worth,
        OPERATOR_SAID if is_own else OPERATOR_IMPLIED,
        [span] if proposal is None else [build.make_span(proposal), span],
        place.scope,
        content=content,
        title=title,
        rationale=why,
        alternatives=over,
    )


def _is_answered(view: TranscriptView, index: int) -> bool:
    """Whether the agent said or did something before the next thing that was typed."""
    return index + 1 < len(view.turns) and view.turns[index + 1].role != "human"


def _word(span: Span, main: Sentence, proposal: Sentence | None) -> tuple[str, str]:
    """Content and title: what was said, and what it answers where it says little alone."""
    said = build.clean_statement(span.quote)
    if proposal is None:
        suggested = _SUGGESTS.match(build.clean_statement(main.text))
        return said, build.make_title(suggested["what"] if suggested else main.text)
    told = proposal_lookup.describe_proposal(proposal)
    if proposal_lookup.is_bare_answer(main.low):
        return f"Agreed: {told}", build.make_title(told)
    return f"{said} (asked: {told})", build.make_title(f"{told} {said}")
