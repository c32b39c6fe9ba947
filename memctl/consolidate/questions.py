"""Which question a statement answers about its topic. Pure.

`Uploads are scanned by ClamAV` and `uploads are stored in S3 now` speak of one thing and answer two
questions, and both hold. So the verb, the participle and the preposition that lead to an answer
belong to the question, and so does the shape of the answer where the verb is one that leaves all
open (`is`, `has`, `uses`): a quality is no other answer than a name. What is not sure is not one
question: a record that stays beside a newer one can still be marked, a lost one is lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from memctl.consolidate.answer_sorts import find_sorts
from memctl.consolidate.answers import are_opposite, classify_answer, is_plain, reduce_answer
from memctl.consolidate.english_words import CONTRARIES, IRREGULAR
from memctl.consolidate.lexicon import ANTONYMS, BE_FORMS, NUMBER_WORDS, STATES
from memctl.consolidate.words import is_number, is_unit, to_canonical, to_canonical_set
from memctl.core.frozen import dataclass
from memctl.text.stop_words import word_set

# What stands between a verb and its answer, by what it asks for.
_PARTICLES = {
    word: name
    for name, words in {
        "place": "in on at under into onto inside within to behind near",
        "means": "by with using via through",
        "origin": "from off",
        "purpose": "for",
        "role": "as",
        "moment": "after before until since when during every",
        "other": "against over per without above below like of",
    }.items()
    for word in word_set(words)
}
_ARTICLES = word_set("a an the our its my their")
# What may stand before a participle and says nothing of the question.
_ADVERBS = word_set("now still also always only all automatically currently then just no not never")
# Words in `-ed` that are no participles, and participles that look like their base form.
_NO_PARTICIPLES = word_set("need seed feed speed red bed shed embed weed breed med hundred sacred")
_SAME_FORM = word_set("run set put split read cut shut hit let cast reset rerun overwritten")
_SHORTEST_PARTICIPLE = 4
# Endings of words that tell how something is rather than what it is.
_QUALITY_ENDINGS = (
    "ed able ible ive less ful ous ic -only -safe -free -sensitive -based -bound -first -proof"
    " -aware -friendly -tolerant -wide -like ish ary"
).split()
_QUALITIES = (
    STATES
    | word_set("static stateless offline online square modular monolithic native incremental local")
    | {word for pair in (*ANTONYMS, *CONTRARIES) for word in pair}
)
# Verbs that leave open what is asked: whatever a thing has, uses or needs, it has more of it.
_OPEN = to_canonical_set(word_set("have use need require include support take run do get become"))
# Verbs that say where something is, and those for a place where it is also worked on.
_PLACE = to_canonical_set(
    word_set("stored kept located lives lies hosted put saved held placed served exposed listens")
) | to_canonical_set(word_set("binds stands registered"))
_WORKED_ON = to_canonical_set(word_set("managed tracked maintained handled deployed run published"))
# What is made is made in a language or a format alike.
_MADE = to_canonical_set(word_set("written built made drawn described"))
_WRITTEN_IN = frozenset(("language", "format", "frontend", "backend"))
_TIME_KINDS = ("time", "date", "pace")
_AMOUNTS = frozenset(NUMBER_WORDS) | word_set("one once twice")
# What moves goes to another place; the other verbs of change put one thing for another.
_PLACE_MOVES = word_set("moved migrated transferred ported relocated gone went brought handed")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a topic: the verb, and the sort of the word that leads to the answer.

    `verb` is canonical; `be` for what something is, `move` and `switch` where a change is told,
    empty where the words do not say. `shape` is `quality`, `one` (a single word), `a` (after an
    article) or `many`; `counted` is the last word of the answer.
    """

    verb: str = ""
    particle: str = ""
    shape: str = ""
    counted: str = ""


def read_question(way: str, parts: dict[str, str | None], before: str) -> Question:
    """What one match of a pattern asks; `before` is the word in front of its answer."""
    words = _drop_adverbs((parts.get("v") or "").split())
    if not words:
        return Question()
    shape, counted = _find_shape(words), to_canonical(words[-1])
    if way == "moved":
        if parts.get("move") == "rewritten":
            return Question(to_canonical("write"), "place", shape, counted)
        verb = "move" if parts.get("move") in _PLACE_MOVES else "switch"
        return Question(verb, "place", shape, counted)
    if way == "is":
        return _read_being(words, before, shape, counted)
    if way == "held":  # `Jun is the one for releases` asks what `the one for releases is Jun` asks
        return Question("be", "", shape, counted)
    if way in ("use", "choose"):
        return Question("be" if parts.get("t") else to_canonical("use"), "", shape, counted)
    if way == "does":
        return Question(to_canonical(parts.get("verb") or ""), "means", shape, counted)
    if way in ("done", "stands"):
        verb, _, rest = (parts.get("verb") or "").partition(" ")
        particle = _PARTICLES.get(rest.rpartition(" ")[2] or before, "")
        if rest == "through" or (verb == "run" and particle == "means"):  # tells what is used
            return Question("be", "", shape, counted)
        return Question(_fold_verb(to_canonical(verb)), particle, shape, counted)
    return Question()


def _read_being(words: list[str], before: str, shape: str, counted: str) -> Question:
    """What `is` or `has` asks with what follows it."""
    if before in ("has", "have", "had"):
        return Question(to_canonical("have"), "", shape, counted)
    first = words[0]
    if is_participle(first):
        particle = next((_PARTICLES[word] for word in words[1:4] if word in _PARTICLES), "")
        return Question(_fold_verb(to_canonical(first)), particle, shape, counted)
    if is_quality(first) and len(words) > 1 and words[1] in _PARTICLES:  # `valid for a week`
        return Question(to_canonical(first), _PARTICLES[words[1]], shape, counted)
    if first == "on" and len(words) == 2:  # `the build is on mage` names what it uses
        return Question("be", "", "one", counted)
    if before in _PARTICLES and before not in BE_FORMS:
        return Question("be", _PARTICLES[before], shape, counted)
    return Question("be", _PARTICLES.get(first, ""), shape, counted)


def is_preposition(word: str) -> bool:
    """Does this word lead to an answer?"""
    return word in _PARTICLES


def is_participle(word: str) -> bool:
    """Does this word tell what is done to a thing?"""
    if word in _NO_PARTICIPLES or "-" in word or find_sorts((word,)):
        return False
    if word.endswith("ed") and len(word) >= _SHORTEST_PARTICIPLE:
        return True
    return word in _SAME_FORM or (word in IRREGULAR and not word.endswith(("s", "ing")))


def _fold_verb(verb: str) -> str:
    """`rebuilt` asks what `built` asks."""
    for base in ("build", "write", "name"):
        if verb in (base, f"re{base}"):
            return base
    return verb


def _drop_adverbs(words: list[str]) -> list[str]:
    while len(words) > 1 and (words[0] in _ADVERBS or words[0].endswith("ly")):
        words = words[1:]
    return words


def _find_shape(words: Sequence[str]) -> str:
    if words[0] in _ARTICLES:
        return "a"
    if len(words) > 1:
        return "many"
    return "quality" if is_quality(words[0]) else "one"


def is_quality(word: str) -> bool:
    """Does a word tell how something is, rather than what it is?"""
    if word in _QUALITIES:
        return True
    is_long = len(word) > _SHORTEST_PARTICIPLE and not find_sorts((word,))
    return is_long and word.endswith(tuple(_QUALITY_ENDINGS))


@dataclass(frozen=True, slots=True)
class AskedAnswer:
    """A question with the words that answer it; `is_single`: the topic has one answer at a time,
    `turns_down`: it names the answer that it replaces.
    """

    question: Question
    answer: tuple[str, ...]
    is_single: bool = False
    turns_down: bool = False


def ask_one_question(one: AskedAnswer, other: AskedAnswer) -> bool:
    """Do two replies about one topic answer the same question? Symmetric."""
    mine, theirs = one.question, other.question
    if not mine.verb or not theirs.verb or _is_known_rival(one.answer, other.answer):
        return True
    kinds = {classify_answer(one.answer), classify_answer(other.answer)}
    if kinds == {"state"}:
        return True
    if not _is_typed(kinds) and _tells_amount(one.answer) != _tells_amount(other.answer):
        return False
    for change, known in ((one, other), (other, one)):
        if change.question.verb in ("move", "switch"):
            return _is_moved_answer(change, known)
    if mine.verb == theirs.verb:
        return _answer_one_verb(one, other)
    if "be" in (mine.verb, theirs.verb):
        return _answer_being(one, other)
    return {mine.verb, theirs.verb} <= _PLACE and _lead_alike(mine, theirs)


def _is_typed(kinds: set[str]) -> bool:
    """Is this one kind of answers, and not just words?"""
    return len(kinds) == 1 and not kinds & {"", "word"}


def _tells_amount(answer: tuple[str, ...]) -> bool:
    return not find_sorts(answer) and any(
        word in _AMOUNTS or is_number(word) or is_unit(word) for word in answer
    )


def _is_known_rival(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Are both answers to one question that is known by name (`npm`, `pnpm`)?"""
    kind = classify_answer(one)
    return kind.startswith("slot") and kind == classify_answer(other)


def _lead_alike(one: Question, other: Question) -> bool:
    return one.particle == other.particle


def _answer_one_verb(one: AskedAnswer, other: AskedAnswer) -> bool:
    mine, theirs = one.question, other.question
    if not _lead_alike(mine, theirs):
        kinds = {classify_answer(one.answer), classify_answer(other.answer)}
        return mine.verb == "be" and "" in (mine.particle, theirs.particle) and _is_typed(kinds)
    is_open = mine.verb in _OPEN and not mine.particle
    if is_open or (mine.verb == "be" and not mine.particle):
        return _fill_one_gap(one, other, is_open=is_open)
    if mine.verb in _MADE and find_sorts(one.answer) | find_sorts(other.answer) <= _WRITTEN_IN:
        return True
    if mine.particle == "place" and mine.verb in _PLACE | {"be"}:
        return _can_be_one_place(one.answer, other.answer)
    return _are_of_one_sort(one.answer, other.answer, is_open=False)


def _fill_one_gap(one: AskedAnswer, other: AskedAnswer, *, is_open: bool) -> bool:
    """After a verb that leaves all open: are the answers of one kind and shape?"""
    kind = classify_answer(one.answer)
    if kind and kind == classify_answer(other.answer) and not is_plain(one.answer):
        return not is_open or _count_the_same(one, other)
    shapes = {one.question.shape, other.question.shape}
    if one.question.counted == other.question.counted and shapes <= {"a", "many"}:
        return True
    if are_opposite(reduce_answer(one.answer), reduce_answer(other.answer)):
        return True
    is_single = not is_open and "quality" not in shapes and (one.is_single or other.is_single)
    if is_single and _are_of_one_sort(one.answer, other.answer, is_open=False):
        return True
    if shapes == {"a"} and not is_open:
        return True
    if "quality" in shapes or not _are_of_one_sort(one.answer, other.answer, is_open=True):
        return False
    return shapes <= {"one"} if is_open else shapes <= {"one", "a"} or "many" not in shapes


def _count_the_same(one: AskedAnswer, other: AskedAnswer) -> bool:
    """Have two measures one thing that is counted, or a unit that says it all?"""
    mine, theirs = one.question, other.question
    if mine.counted == theirs.counted or not classify_answer(one.answer).startswith("number"):
        return True
    return one.answer[0] == other.answer[0] and one.answer[0].isalpha()


def _answer_being(one: AskedAnswer, other: AskedAnswer) -> bool:
    """What something is, beside what is done with it."""
    being, doing = (one, other) if one.question.verb == "be" else (other, one)
    kind = classify_answer(being.answer)
    if kind and kind == classify_answer(doing.answer) and not is_plain(being.answer):
        return kind in _TIME_KINDS or being.question.particle in ("", doing.question.particle)
    if being.question.particle:
        is_place = doing.question.verb in _PLACE | _WORKED_ON
        if not is_place or not _lead_alike(being.question, doing.question):
            return False
        return _can_be_one_place(one.answer, other.answer)
    return False


def _is_moved_answer(change: AskedAnswer, known: AskedAnswer) -> bool:
    """Does something that moved or changed leave the known answer behind?"""
    kind, asked = classify_answer(known.answer), known.question
    if kind and kind == classify_answer(change.answer) and not is_plain(known.answer):
        return not kind.startswith("path") or asked.particle in ("place", "origin", "")
    if change.turns_down or not _are_of_one_sort(change.answer, known.answer, is_open=True):
        return asked.verb in ("move", "switch") and not change.turns_down
    if asked.verb in ("move", "switch"):
        return True
    if change.question.verb == "move" and asked.particle == "place":
        return asked.verb == "be" or asked.verb in _PLACE | _WORKED_ON
    if asked.verb == "be" and not asked.particle:
        return asked.shape in ("one", "a") and change.question.shape in ("one", "a")
    return asked.verb == to_canonical("use") and asked.shape == change.question.shape == "one"


def _are_of_one_sort(one: tuple[str, ...], other: tuple[str, ...], *, is_open: bool) -> bool:
    """Can two answers be of one sort? With one of a known sort only, after an open verb, not."""
    mine, theirs = find_sorts(one), find_sorts(other)
    if mine and theirs:
        return not mine.isdisjoint(theirs)
    if mine or theirs:
        return not is_open and (mine | theirs).isdisjoint(_MANNERS)
    return True


def _can_be_one_place(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Can both be places? A thing may leave one sort of place for another, but no language."""
    mine, theirs = find_sorts(one) & _MANNERS, find_sorts(other) & _MANNERS
    return mine == theirs or not mine.isdisjoint(theirs)


# Sorts of answers that tell in which manner something is done, and not where.
_MANNERS = frozenset(("tongue", "format", "zone", "money", "style", "means"))
