"""Propose that a newer statement replaces an older one, where the pair is read as one question.

The reading is learned, and wrong too often to retire anything: only what the operator said later,
in words that may tell of a change, is held against the older statement nearest to it, and the
operator decides. What the rules judge already is left to them, and what they could read: `uploads
are scanned by ClamAV` and `uploads are stored in S3` are two properties of one thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memctl.consolidate.change_words import may_announce_change
from memctl.consolidate.plan import Decision
from memctl.consolidate.slot_pairs import find_given_up, may_answer_one_question
from memctl.consolidate.wording import announces_change
from memctl.core.model import OPERATOR_SAID
from memctl.records.statement import Statement

# How surely an older and a newer statement answer one question, 0..1; None where it is not known.
ReadPair = Callable[[Statement, Statement], float | None]
# From here on a replacement is proposed. On slots that the reader never saw, in invented projects
# where half of the changes have no older statement, 75 of 78 such proposals are right
# (scripts/train/pair_head.py).
LEAST_TO_PROPOSE = 0.85
# From here on one is carried out where a rule finds that the newer words name what they give up: 21
# of 21 are right there.
LEAST_TO_SUPERSEDE = 0.95


def propose_replacement(
    newer: Statement, others: Iterable[Statement], read: ReadPair
) -> Decision | None:
    """What follows for one statement from the older ones around it that no rule judges."""
    if not (newer.is_operators and newer.is_live and _says_change(newer)):
        return None
    best: tuple[float, str] | None = None
    chosen: Statement | None = None
    for older in others:
        if not _is_comparable(newer, older):
            continue
        score = read(older, newer) or 0.0
        if score >= LEAST_TO_PROPOSE and (best is None or (score, older.id) > best):
            best, chosen = (score, older.id), older
    if best is None or chosen is None:
        return None
    return _decide(newer, chosen, best[0])


def _says_change(newer: Statement) -> bool:
    return newer.announces or announces_change(newer.content) or may_announce_change(newer.content)


def _is_comparable(newer: Statement, older: Statement) -> bool:
    """Whether the newer may answer anew what the older one answered."""
    return (
        older.is_live
        and older.id != newer.id
        and older.scope_key == newer.scope_key
        and "episode" not in (older.type, newer.type)
        and newer.trust >= older.trust
        and bool(newer.observed_at and older.observed_at)
        and (newer.observed_at or "") > (older.observed_at or "")
        # Two that begin with the same thing are read by rules, which tell its properties apart.
        and may_answer_one_question(older.content, newer.content)
    )


def _decide(newer: Statement, older: Statement, score: float) -> Decision:
    reason = f"it may answer the same question anew ({score:.2f})"
    if not newer.is_in_force:
        # Approving a candidate must not retire by the way what was only read as alike.
        first, second = sorted((newer.id, older.id))
        return Decision("contradict", first, reason, second)
    given_up = find_given_up(older.content, newer.content)
    is_said = newer.trust == OPERATOR_SAID and announces_change(newer.content)
    is_free = not older.pinned and older.owner != "operator"
    if given_up and is_said and is_free and score >= LEAST_TO_SUPERSEDE:
        reason = f"it says that this changed, from {given_up}"
        return Decision("supersede", newer.id, reason, older.id, explicit=True)
    return Decision("propose", newer.id, reason, older.id)
