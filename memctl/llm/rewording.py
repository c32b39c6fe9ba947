"""Propose a clearer wording for a record that merged others of nearly the same words.

No record changes by this. The proposal has the same numbers, names, identifiers, negations and
conditions as the record, in words of the record or of those it merged; only the operator approves
it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memctl.consolidate.neighbours import share_evidence
from memctl.core.model import Memory
from memctl.llm import derived_records, grounding
from memctl.llm.calls import ModelQuestion
from memctl.llm.prompts import PROMPTS
from memctl.llm.session import QuestionSession
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
# Records read at once; other wordings that the model is shown of one record. By hand.
_BATCH = 100
_MAX_WORDINGS = 6
# Longer records, in characters, are left as they are. Chosen by hand.
_MAX_CONTENT_LENGTH = 600
# A new wording may be longer than the old one by this factor and so many characters. By hand.
_GROWTH_FACTOR = 1.2
_GROWTH_CHARS = 20


def reword_merged(db: Database, config: Config, ask: QuestionSession) -> Iterator[Counter[str]]:
    """Ask for a clearer wording of every merged record; yields counts. Raises ModelHeldBack."""
    last = ""
    while batch := model_calls.list_reworded_from(db, last, _BATCH):
        for memory in batch:
            ask.require_time()
            last = memory.id
            others = list_other_wordings(db, memory)
            if not others or len(memory.content) > _MAX_CONTENT_LENGTH:
                continue
            material = "\n".join(
                (
                    f"present: {clean_line(memory.content, make_redactor(config))}",
                    *(f"other: {clean_line(text, make_redactor(config))}" for text in others),
                )
            )
            reply = ask(ModelQuestion(PURPOSE, memory.id, material))
            if reply.how == "failed":
                return
            if reply.value is not None:
                yield _propose_wording(
                    db,
                    memory,
                    others,
                    clean_line(reply.value["content"], make_redactor(config)),
                    f"model call {reply.call}",
                    make_redactor(config),
                )


def list_other_wordings(db: Database, memory: Memory) -> list[str]:
    """The other wordings of a record, from the records that were merged into it."""
    merged = [
        link.to_id
        for link in links.list_of_memory(db, memory.id)
        if link.from_id == memory.id and link.relation == "supersedes"
    ]
    found = records.list_by_ids(db, merged).values()
    texts = {
        normalise(other.content): other.content
        for other in sorted(found, key=lambda other: other.id)
    }
    texts.pop(normalise(memory.content), None)
    return [text[:_MAX_CONTENT_LENGTH] for text in texts.values()][:_MAX_WORDINGS]


def _propose_wording(
    db: Database, memory: Memory, others: list[str], content: str, cause: str, redactor: Redactor
) -> Counter[str]:
    if normalise(content) == normalise(memory.content):
        return Counter()
    if len(content) > _GROWTH_FACTOR * len(
        memory.content
    ) + _GROWTH_CHARS or not grounding.says_the_same(content, memory.content, others):
        return Counter(unfaithful=1)
    with db.write(), event_log.group_changes(db, actor=derived_records.ACTOR.name, cause=cause):
        now = records.get_record(db, memory.id)
        if now.content != memory.content or now.status != memory.status:
            return Counter()
        made = derived_records.propose_derived(
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
