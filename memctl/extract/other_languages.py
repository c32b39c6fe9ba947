"""What the operator says in passing in other languages than English: preferences, decisions,
constraints, and what is to be remembered.

The cues of each language are data (`lexicons`); what they weigh is the same for all. Weights were
chosen by hand on invented sentences; docs/languages.md tells how well they do on others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_SAID, Candidate, Scope, Type
from memctl.extract import build, pasted
from memctl.extract.cue_phrases import FoldedText, compile_phrases, find_language, fold_phrases
from memctl.extract.lexicons import Lexicon
from memctl.extract.lexicons.habits import HABITS
from memctl.extract.sentences import Sentence, count_words
from memctl.extract.transcript_view import TranscriptView

RULE = "operator.other_language"
_THRESHOLD = 0.45
_BASE = 0.15
_MOST_GAIN = 0.7
# What a cue of each field adds. Chosen by hand.
_WEIGHTS = {
    "lasting": 0.45,
    "always": 0.35,
    "likes": 0.5,
    "decides": 0.45,
    "uses": 0.2,
    "forbids": 0.45,
    "duties": 0.35,
    "remembers": 0.35,
    "over": 0.2,
    "everywhere": 0.2,
}
_REASON = 0.15
_FLEETING = -0.6
_TASK = -0.35
_QUESTION = -0.7
_HEDGE = -0.25
# What says a rule in spite of a word of trouble, as errors are often what rules are about.
_PLAIN_RULES = frozenset({"lasting", "likes", "decides", "duties", "orders", "remembers"})
_TROUBLE = -0.45
# What is done as a rule, unless somebody is asked to do it or it goes wrong; a rule names what it
# is about within so many characters. Chosen by hand.
_HABIT = 0.35
_NO_HABITS = frozenset({"tasks", "troubles", "fleeting", "hedges"})
_LATEST_TOPIC = 16
_ASKS = compile_later(r"[?？؟]\W*$|[吗嗎呢か]\W*$")
# A question that is typed without its mark is typed without a full stop too.
_ENDS = compile_later(r"[.!।。！]\W*$")
_MANNER = 0.35
# Languages whose short words for a reason open a clause wherever they stand.
_ALWAYS_OPEN = frozenset({"zh", "ja", "ko", "ar", "vi", "hi", "pl", "nl"})
_FEWEST_MANNERS = 2
_FEWEST_WORDS = 2
_LONGEST_REASON = 300
_LONGEST_ALTERNATIVE = 60
_CLAUSE = compile_later(r"[,;:.!?।，；：。！？、؛،]")
_EDGES = " \t\n,;:.!?।，；：。！？、؛،-–—"
_NAMED = compile_later(r"[A-Za-z0-9][\w.+#/-]*(?: [A-Z0-9][\w.+#/-]*)*$|[^\s,;:，。、；]{2,20}$")


@dataclass(frozen=True, slots=True)
class _Reading:
    """A sentence with the fields of the lexicon whose cues stand in it."""

    sentence: Sentence
    lexicon: Lexicon
    folded: FoldedText
    present: frozenset[str]
    reason: str | None
    over: tuple[str, ...]


def is_in_other_language(sentence: Sentence) -> bool:
    """Whether a sentence is read by a lexicon and not by the English rules."""
    return find_language(sentence.text) is not None


def build_statement(view: TranscriptView, parts: list[Sentence], n: int) -> Candidate | None:
    """Build what a sentence of another language says, if it is lasting."""
    sentence = parts[n]
    lexicon = find_language(sentence.text)
    if lexicon is None or sentence.kind not in ("prose", "bullet"):
        return None
    if count_words(sentence.text) < _FEWEST_WORDS or pasted.is_pasted(view, sentence):
        return None
    reading = _read(sentence, lexicon, parts[n + 1 : n + 2])
    score = _score(reading)
    return _build(view, reading, score) if score >= _THRESHOLD else None


def _read(sentence: Sentence, lexicon: Lexicon, after: Sequence[Sentence]) -> _Reading:
    folded = fold_phrases(sentence.text, lexicon.code)
    present = frozenset(
        field
        for field in (
            *_WEIGHTS,
            "orders",
            "manner",
            "fleeting",
            "tasks",
            "questions",
            "hedges",
            "troubles",
        )
        if _search(lexicon, field, folded.text)
    )
    if _states_habit(lexicon, folded.text):
        present |= {"habit"}
    over = _list_alternatives(lexicon, sentence.text, folded)
    reason = _find_reason(lexicon, sentence.text, folded) or _find_reason_beside(
        lexicon, sentence, after
    )
    return _Reading(
        sentence, lexicon, folded, present | ({"over"} if over else set()), reason, over
    )


def _search(lexicon: Lexicon, field: str, text: str) -> re.Match[str] | None:
    pattern = compile_phrases(lexicon.code, getattr(lexicon, field))
    return pattern.search(text) if pattern is not None else None


def _states_habit(lexicon: Lexicon, text: str) -> bool:
    """Whether a text says what is done, as a rule and not now, with something of the project."""
    known = HABITS[lexicon.code]
    topics, habits, nows = (
        compile_phrases(lexicon.code, phrases)
        for phrases in (known.topics, known.habits, known.nows)
    )
    assert topics is not None and habits is not None and nows is not None
    topic = topics.search(text)
    # A rule begins with what it is about.
    if topic is None or topic.start() > _LATEST_TOPIC or nows.search(text):
        return False
    return habits.search(text) is not None


def _score(reading: _Reading) -> float:
    """Score from 0 to 1 how lasting a sentence is."""
    present = reading.present
    gain = sum(weight for field, weight in _WEIGHTS.items() if field in present)
    gain += _MANNER if _tells_manner(reading) else 0.0
    if "habit" in present and not present & _NO_HABITS:
        gain += _HABIT
    if not gain:
        return 0.0
    score = _BASE + min(gain, _MOST_GAIN) + (_REASON if reading.reason else 0.0)
    score += _FLEETING if "fleeting" in present and "lasting" not in present else 0.0
    # Who asks for something now may say `always` and mean each part of this one thing.
    if "tasks" in present and not present & {"lasting", "likes", "forbids", "everywhere"}:
        score += _TASK if _opens_with_task(reading) else _TASK / 2
    if "troubles" in present and not present & _PLAIN_RULES:
        score += _TROUBLE
    score += _QUESTION if _asks(reading) else 0.0
    return score + (_HEDGE if "hedges" in present else 0.0)


def _tells_manner(reading: _Reading) -> bool:
    """Whether the agent is told what it writes and how, such as comments and in which language."""
    pattern = compile_phrases(reading.lexicon.code, reading.lexicon.manner)
    if pattern is None or "orders" not in reading.present:
        return False
    return len(set(pattern.findall(reading.folded.text))) >= _FEWEST_MANNERS


def _opens_with_task(reading: _Reading) -> bool:
    found = _search(reading.lexicon, "tasks", reading.folded.text)
    return found is not None and found.start() < 12


def _asks(reading: _Reading) -> bool:
    text = reading.folded.text
    if _ASKS.search(text) or "?" in text[-4:]:
        return True
    found = _search(reading.lexicon, "questions", text)
    opens = found is not None and found.start() == 0 and not _ENDS.search(text)
    return opens and not reading.present & {"forbids", "lasting"}


def _classify(reading: _Reading) -> tuple[Type, str, Scope]:
    present = reading.present
    scope: Scope = "global" if "everywhere" in present else "project"
    is_told = bool(present & {"lasting", "always", "orders"})
    if "likes" in present and "decides" not in present:
        return "profile", "preference", scope
    if "manner" in present and is_told and "uses" not in present:
        return "profile", "preference", scope
    chosen = "decides" in present or ("uses" in present and (reading.reason or reading.over))
    if chosen and ("lasting" not in present or reading.reason or reading.over):
        return "decision", "decision", scope
    if present & {"lasting", "always"} and "orders" in present and "forbids" not in present:
        return "profile", "preference", scope
    if present & {"forbids", "duties"}:
        return "project", "constraint", scope
    if chosen or ("over" in present and reading.reason):
        return "decision", "decision", scope
    if "remembers" in present:
        return "project", "fact", scope
    return "project", "convention", scope


def _build(view: TranscriptView, reading: _Reading, score: float) -> Candidate:
    type_, kind, scope = _classify(reading)
    return build.build_candidate(
        view,
        RULE,
        type_,
        kind,
        min(0.85, 0.35 + 0.6 * (score - 0.2)),
        OPERATOR_SAID,
        [build.make_span(reading.sentence)],
        scope,
        rationale=reading.reason,
        alternatives=reading.over,
    )


def _find_reason(lexicon: Lexicon, text: str, folded: FoldedText) -> str | None:
    """The reason within a statement, as it was typed."""
    pattern = compile_phrases(lexicon.code, lexicon.reasons)
    for found in pattern.finditer(folded.text) if pattern is not None else ():
        at_start = not folded.text[: found.start()].strip(_EDGES)
        rest = folded.text[found.end() :]
        cut = _CLAUSE.search(rest) if at_start else None
        end = found.end() + (cut.start() if cut else len(rest))
        # What comes first is the statement, unless the reason stands before it.
        if (at_start and cut is None) or (
            not at_start and not _begins_clause(lexicon, folded, found)
        ):
            continue
        why = folded.unfold(text, found.end(), end).strip(_EDGES)
        if count_words(why) >= _FEWEST_WORDS:
            return build.shorten(why, _LONGEST_REASON)
    return _find_reason_before(lexicon, text, folded)


def _begins_clause(lexicon: Lexicon, folded: FoldedText, found: re.Match[str]) -> bool:
    """Whether a short word such as `da` or `como` opens a clause here, which it need not do."""
    if len(found.group().strip()) > 4 or lexicon.code in _ALWAYS_OPEN:
        return True
    return folded.text[: found.start()].rstrip().endswith((",", ";", ":", "-", "–", "—", "."))


def _find_reason_before(lexicon: Lexicon, text: str, folded: FoldedText) -> str | None:
    """The reason that stands before its marker, as in Japanese and Korean."""
    pattern = compile_phrases(lexicon.code, lexicon.reasons_before)
    found = pattern.search(folded.text) if pattern is not None else None
    if found is None:
        return None
    start = max((cut.end() for cut in _CLAUSE.finditer(folded.text, 0, found.start())), default=0)
    why = folded.unfold(text, start, found.start()).strip(_EDGES)
    return build.shorten(why, _LONGEST_REASON) if count_words(why) >= _FEWEST_WORDS else None


def _find_reason_beside(
    lexicon: Lexicon, sentence: Sentence, after: Sequence[Sentence]
) -> str | None:
    """The reason that the next sentence gives, by how it begins or ends."""
    if not after or after[0].paragraph != sentence.paragraph:
        return None
    said = after[0].text
    folded = fold_phrases(said, lexicon.code)
    opens = _search(lexicon, "reasons", folded.text)
    if opens is not None and opens.start() == 0:
        return build.shorten(folded.unfold(said, opens.end(), len(folded.text)).strip(_EDGES), 300)
    closes = _search(lexicon, "reasons_before", folded.text)
    if closes is not None and len(folded.text) - closes.end() < 6:
        return build.shorten(folded.unfold(said, 0, closes.start()).strip(_EDGES), 300)
    return None


def _list_alternatives(lexicon: Lexicon, text: str, folded: FoldedText) -> tuple[str, ...]:
    """What a statement says it was chosen over, as it was typed."""
    found = []
    after = compile_phrases(lexicon.code, lexicon.over)
    for match in after.finditer(folded.text) if after is not None else ():
        rest = folded.text[match.end() :]
        cut = _CLAUSE.search(rest)
        end = match.end() + (cut.start() if cut else len(rest))
        why = _search(lexicon, "reasons", folded.text[match.end() : end])
        end = match.end() + why.start() if why is not None and why.start() > 1 else end
        found.append(folded.unfold(text, match.end(), end).strip(_EDGES))
    before = compile_phrases(lexicon.code, lexicon.over_before)
    for match in before.finditer(folded.text) if before is not None else ():
        named = _NAMED.search(folded.unfold(text, 0, match.start()).rstrip())
        found.append(named.group() if named is not None else "")
    return tuple(dict.fromkeys(one for one in found if 1 < len(one) <= _LONGEST_ALTERNATIVE))[:3]
