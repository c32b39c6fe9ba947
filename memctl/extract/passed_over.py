"""What the operator plainly said and no candidate of the session says: too little by itself to ask
for his attention.

Such a statement is worth something where more speaks for it than its own words: a record that it
repeats or changes (`curate/known_answers`), or that he said it before (`patterns/said_again`).
What is asked, supposed, quoted, pasted, meant once, or to be done is no statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memctl.core.frozen import replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_SAID, Candidate
from memctl.extract import (
    build,
    kinds,
    one_off,
    operator,
    pasted,
    proposal_lookup,
    reasons,
    session_cues,
    states,
)
from memctl.extract.cue_phrases import reads_as_english
from memctl.extract.sentences import Sentence, count_words, fold_for_cues
from memctl.extract.transcript_view import PROSE_CHARS, TranscriptView
from memctl.extract.worth_cues import TAKES_BACK

RULE = "operator.passed_over"
# How sure it is that such a statement is worth keeping, before anything else speaks for it: what
# fell below the least confidence of a candidate. Chosen by hand.
_CONFIDENCE = 0.25
# Words of a statement; sentences of a turn. Longer turns are pasted or dictated. Chosen by hand.
_FEWEST_WORDS = 3
_MOST_WORDS = 40
_MOST_SENTENCES = 12
# The person's next words that may take it back.
_NEXT_CHARS = 80
# What is only thought, heard or told of others.
_SUPPOSED = compile_later(
    r"^(?:(?:and|but|so|or|well|hmm+|ok|also),? )*(?:if|unless|suppos\w+|assum\w+|imagine|pretend"
    r"|say|what if|maybe|perhaps|possibly|probably|in theory|hypothetically|in case|when|whether"
    r"|once (?!more|again)|should (?:we|i|it|they)|could (?:we|you|it)|would|let me|let's|lets"
    r"|wondering|curious)\b"
    r"|\b(?:might|could|would|may (?:be|have|want)|wonder\w*|i guess|not sure|no idea"
    r"|i (?:think|believe|heard|read|saw)|thinking (?:of|about)|considering|toying|one day"
    r"|some ?day|some ?time|what if|were to|if (?:we|i|it|they|that|this)|for example"
    r"|for instance|e\.g|(?!i |we )\w+ (?:wrote|writes|says|said|claims|asked|asks|suggests"
    r"|suggested|told (?:me|us))|according to|apparently|supposedly|reportedly|a friend|somebody"
    r"|someone|somewhere|other (?:teams?|projects?|people)|elsewhere)\b",
)
# A question without its mark.
_QUESTION = compile_later(
    r"^(?:(?:and|but|so|or|ok|also),? )*(?:how|what|why|who|where|which|does|do|did|is|are|was|were"
    r"|has|have|can|any)\b(?!,)"
)
# Asks the agent for something, or tells what was just done or seen.
_ASKS = compile_later(
    r"\b(?:can|could|will|would) (?:you|u)\b|\bi (?:need|want|would like|'d like)\b"
    r"|\bplease\b(?! (?:keep|use|remember|note|stick|always|never|no|only)\b)"
    r"|\bi'd (?:like|love)\b|\bwe (?:need|should|want)\b"
    r"|\bneeds? (?:to be )?(?:fix|add|chang|updat)"
    r"|\bthere(?:'s| is| are) (?:a|an|no|some|still|two|three|\d+) "
    r"|\bi(?:'m| am) (?:\w+ing|on|at|off|back|done|not|still)\b|\bi(?:'ve| have)\b"
    r"|\b(?:just|already) (?:\w+ed|ran|did|got|saw)\b|\bi (?:\w+ed|ran|did|got|saw|see|get)\b"
)


# Where what is said beside a task begins, in a sentence that people do not end with a capital.
_PARTS = compile_later(
    r"(?<=[\w)`\"'])[.!;](?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)\s+(?=[a-z])"
    r"|(?:,|\s[-\u2013\u2014])?\s+(?=(?:by the way|btw|fyi)\b)",
    re.IGNORECASE,
)


def list_passed_over(view: TranscriptView, found: Sequence[Candidate]) -> list[Candidate]:
    """List what the operator plainly said beside the candidates of a session, as it stands."""
    known = [span for each in found if each.type != "episode" for span in each.evidence]
    return [
        _build(view, sentence)
        for index in view.human
        if _is_read(view, index)
        for sentence in _list_statements(view, index)
        if not any(build.share_text(build.make_span(sentence), span) for span in known)
    ]


def _is_read(view: TranscriptView, index: int) -> bool:
    """Whether a turn was typed, in English, and not taken back by what was typed next."""
    turn = view.turns[index]
    return (
        turn.kind == "text"
        and not turn.data.get("shell")
        and len(view.sentences(index)) <= _MOST_SENTENCES
        and not view.is_document(index)
        and reads_as_english(turn.text[:PROSE_CHARS])
        and not _is_taken_back(view, index)
    )


def _is_taken_back(view: TranscriptView, index: int) -> bool:
    following = next((i for i in view.human if i > index), None)
    return following is not None and bool(
        TAKES_BACK.match(view.turns[following].text[:_NEXT_CHARS].lstrip())
    )


def _list_statements(view: TranscriptView, index: int) -> Iterator[Sentence]:
    for sentence in view.sentences(index):
        if pasted.is_pasted(view, sentence):
            continue
        for part in split_parts(sentence):
            if is_plain_statement(part):
                yield part


def split_parts(sentence: Sentence) -> list[Sentence]:
    """The sentences that a person wrote as one: `rename the button. uploads go to R2`."""
    ends = [match.span() for match in _PARTS.finditer(sentence.text)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start + (sentence.text[start] in ".!;") for start, _ in ends), len(sentence.text)]
    if len(starts) == 1:
        return [sentence]
    return [
        replace(
            sentence,
            start=sentence.start + start,
            end=sentence.start + stop,
            text=sentence.text[start:stop],
            low=fold_for_cues(sentence.text[start:stop]),
        )
        for start, stop in zip(starts, stops, strict=True)
        if start < stop
    ]


def is_plain_statement(sentence: Sentence) -> bool:
    """Whether a sentence says by itself how something is, for more than the hour."""
    low = sentence.low
    return (
        sentence.kind in ("prose", "bullet")
        and _FEWEST_WORDS <= count_words(low) <= _MOST_WORDS
        and "?" not in low
        and not one_off.is_one_off(low)
        and not operator.is_deferred(sentence)
        and not _QUESTION.match(low)
        and not _SUPPOSED.search(low)
        and not _ASKS.search(low)
        and not session_cues.ONE_OFF.search(low)
        and not session_cues.LEANS.match(low)
        and not proposal_lookup.points_back(low)
        and not proposal_lookup.is_bare_answer(low)
        and not states.is_passing(low)
        and session_cues.weigh_cues(low, session_cues.FLEETING)[0] > -0.3
    )


def _build(view: TranscriptView, sentence: Sentence) -> Candidate:
    why, over = reasons.find_reason(sentence), reasons.find_alternatives(sentence)
    place = kinds.classify_statement(sentence, "", own=True, weighed=bool(why or over))
    return build.build_candidate(
        view,
        RULE,
        place.type,
        place.kind,
        _CONFIDENCE,
        OPERATOR_SAID,
        [build.make_span(sentence)],
        place.scope,
        rationale=why,
        alternatives=over,
    )
