"""Answers as plain data: records in few words, whole lists cut to a budget in tokens.

Every answer has `ok`. One that holds words from the memory says before them that they are reference
data: what a record says is not what the operator says now.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from memctl.core.errors import MemctlError
from memctl.core.model import CONTEXT_NOTICE, TRUST_NAMES
from memctl.results.records import RecordView

# Characters of a record's words in a list; `recall_memory` gives all.
LINE_CHARACTERS = 400
_ELLIPSIS = "..."

Answer = dict[str, Any]


def count_tokens(text: str) -> int:
    """What a text costs: four ASCII characters a token, every other character one, as in
    contexts.
    """
    plain = len(text) if text.isascii() else len(text.encode("ascii", "ignore"))
    return -(-plain // 4) + len(text) - plain


def count_answer(value: object) -> int:
    """What a value costs as JSON, in tokens."""
    return count_tokens(json.dumps(value, ensure_ascii=False))


def cut_text(text: str, characters: int = LINE_CHARACTERS) -> str:
    """Cut a text so that it has at most so many characters, with dots where it was cut."""
    if len(text) <= characters:
        return text
    return text[: characters - len(_ELLIPSIS)].rstrip() + _ELLIPSIS


def build_answer(**values: Any) -> Answer:
    """Build an answer without words from the memory; what is None is left out."""
    return {"ok": True, **drop_empty(values)}


def build_reference(**values: Any) -> Answer:
    """Build an answer that holds words from the memory."""
    return {"ok": True, "notice": CONTEXT_NOTICE, **drop_empty(values)}


def build_error(error: MemctlError) -> Answer:
    """Build the answer that says what went wrong and what to do about it."""
    told = {"code": error.code, "message": cut_text(str(error), 1_000), "hint": error.hint}
    return {"ok": False, "error": drop_empty(told)}


def drop_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is there: without None, empty texts and empty lists."""
    return {
        name: value
        for name, value in values.items()
        if value is not None and value != "" and value != [] and value != {}
    }


def add_within_budget(
    answer: Answer, name: str, items: Iterable[Mapping[str, Any]], max_tokens: int
) -> Answer:
    """Add as many items as the budget has room for, in their order; say how many are left out.

    The first always fits, because what it says is cut instead.
    """
    kept: list[Mapping[str, Any]] = []
    left_out = 0
    spent = count_answer({**answer, name: [], "left_out": 999})
    for item in items:
        cost = count_answer(item) + 1
        if left_out or (kept and spent + cost > max_tokens):
            left_out += 1
            continue
        kept.append(item)
        spent += cost
    answer[name] = kept
    if left_out:
        answer["left_out"] = left_out
    return answer


def tell_record(view: RecordView, *, characters: int = LINE_CHARACTERS) -> dict[str, Any]:
    """Tell one record in few words: its id, what it says, what it is, whose word it is."""
    memory = view.memory
    newer = view.newer
    return drop_empty(
        {
            "id": view.short,
            "text": cut_text(memory.content, characters),
            "kind": f"{memory.type}/{memory.kind}",
            "scope": memory.scope,
            "project": view.project,
            "tags": list(view.tags),
            "day": memory.observed_at[:10],
            "said_by": TRUST_NAMES[memory.trust],
            "status": None if memory.status == "active" else memory.status,
            "why": memory.rationale and cut_text(memory.rationale, characters),
            "may_be_replaced_by": newer
            and {"id": newer.short, "text": cut_text(newer.text, characters)},
            "replaced_by": view.superseded_by and view.shorts.get(view.superseded_by),
            "contradicted_by": [view.shorts.get(each, each) for each in view.contradicted_by],
        }
    )
