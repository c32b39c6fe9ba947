"""A clearer wording for a record that took in others of nearly the same words: proposed as its correction, never put in its place.

Kept true: no word of a record changes by this. What is proposed has the same numbers, names, identifiers, negations and conditions as the
record, made of words that it or what it took in has; approving it is the operator's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memctl.consolidate.neighbours import share_evidence
from memctl.core.model import Memory
from memctl.llm import derived_records, grounding
from memctl.llm.calls import Question
from memctl.llm.prompts import PROMPTS
from memctl.llm.session import Ask
from memctl.records import relations
from memctl.records.drafts import clean_line
from memctl.redact.redactor import Redactor, make_redactor
from memctl.settings.config import Config
from memctl.store import event_log, links, model_calls, records
from memctl.store.database import Database
from memctl.text.normalize import normalise

PURPOSE = "word"
RULE = f"model:word@{PROMPTS[PURPOSE].version}"
REASON = "a clearer wording of the same"
_BATCH, _WORDINGS = 100, 6
_LONGEST = 600
_GROWTH, _ROOM = 1.2, 20


def work(db: Database, config: Config, ask: Ask) -> Iterator[Counter[str]]:
    """Ask for a clearer wording of every merged record; the counts of each. Raises Held."""
    last = ""
    while batch := model_calls.reworded_from(db, last, _BATCH):
        for memory in batch:
            ask.go_on()
            last = memory.id
            others = wordings(db, memory)
            if not others or len(memory.content) > _LONGEST:
                continue
            material = "\n".join(
                (
                    f"present: {clean_line(memory.content, make_redactor(config))}",
                    *(f"other: {clean_line(text, make_redactor(config))}" for text in others),
                )
            )
            reply = ask(Question(PURPOSE, memory.id, material))
            if reply.how == "failed":
                return
            if reply.value is not None:
                yield _take(
                    db,
                    memory,
                    others,
                    clean_line(reply.value["content"], make_redactor(config)),
                    f"model call {reply.call}",
                    make_redactor(config),
                )


def wordings(db: Database, memory: Memory) -> list[str]:
    """The other words in which the same was said, by the records that were merged into it."""
    merged = [
        link.to_id
        for link in links.of_memory(db, memory.id)
        if link.from_id == memory.id and link.relation == "supersedes"
    ]
    found = records.by_ids(db, merged).values()
    texts = {
        normalise(other.content): other.content
        for other in sorted(found, key=lambda other: other.id)
    }
    texts.pop(normalise(memory.content), None)
    return [text[:_LONGEST] for text in texts.values()][:_WORDINGS]


def _take(
    db: Database, memory: Memory, others: list[str], content: str, cause: str, redactor: Redactor
) -> Counter[str]:
    if normalise(content) == normalise(memory.content):
        return Counter()
    if len(content) > _GROWTH * len(memory.content) + _ROOM or not grounding.is_same(
        content, memory.content, others
    ):
        return Counter(unfaithful=1)
    with db.write(), event_log.operation(db, actor=derived_records.ACTOR.name, cause=cause):
        now = records.get(db, memory.id)
        if now.content != memory.content or now.status != memory.status:
            return Counter()
        made = derived_records.propose(
            db,
            now,
            content,
            [now],
            rule=RULE,
            reason="the same in clearer words",
            cause=cause,
            redactor=redactor,
        )
        if made is not None:
            share_evidence(db, now, made, made.created_at)
            relations.propose_replacement(
                db, made, now, reason=REASON, actor=derived_records.ACTOR.name, cause=cause
            )
    return Counter(wordings=int(made is not None))
