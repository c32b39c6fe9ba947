"""Reflection: what follows from the sessions and facts of a project together, as a model sees it; proposed, and never more than that.

Kept true: a reflection names the records it follows from, brings in no number, name or command that none of them has, and is
built on nothing that is private to an agent or a session, nor on other reflections. What a project said before its last reflection is
not told again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memctl.core.frozen import replace
from memctl.core.model import OWNER_OF, Memory
from memctl.llm import derived_records, grounding
from memctl.llm.calls import Question
from memctl.llm.prompts import PROMPTS
from memctl.llm.session import Ask
from memctl.redact.redactor import Redactor, make_redactor
from memctl.settings.config import Config
from memctl.store import meta, model_calls, projects
from memctl.store.database import Database

PURPOSE = "reflect"
RULE = f"model:reflect@{PROMPTS[PURPOSE].version}"
# Up to which record a project was reflected on; its id follows.
_POSITION = "model_reflected:"
_FEWEST, _MOST, _FEWEST_EPISODES, _FEWEST_PARENTS = 6, 40, 2, 2
_CHARS_OF_A_TOKEN = 3.5
_LONGEST = 320


def work(db: Database, config: Config, ask: Ask) -> Iterator[Counter[str]]:
    """Reflect on every project in which enough has happened; the counts of each. Raises Held."""
    for project_id in projects.names(db):
        position = _POSITION + project_id
        since = meta.get(db, position) or ""
        told = model_calls.fresh_of_project(db, project_id, since, _MOST)
        if (
            len(told) < _FEWEST
            or sum(memory.type == "episode" for memory in told) < _FEWEST_EPISODES
        ):
            continue
        shown = _fitting(told, int(ask.settings.chunk_tokens * _CHARS_OF_A_TOKEN))
        about = " ".join((project_id, *(memory.id for memory in shown)))
        reply = ask(
            Question(PURPOSE, about, "\n".join(map(_line, range(1, len(shown) + 1), shown)))
        )
        if reply.how == "failed":
            return
        if reply.value is not None:
            yield _take(db, shown, reply.value, f"model call {reply.call}", make_redactor(config))
        with db.write():
            meta.put(db, position, shown[-1].created_at)


def _fitting(told: Sequence[Memory], most: int) -> list[Memory]:
    """As many as may be shown at once, from the oldest."""
    shown: list[Memory] = []
    length = 0
    for memory in told:
        length += len(_line(0, memory))
        if shown and length > most:
            break
        shown.append(memory)
    return shown


def _line(number: int, memory: Memory) -> str:
    return f"{number}. [{memory.type} {memory.observed_at[:10]}] {' '.join(memory.content.split())[:_LONGEST]}"


def _take(
    db: Database, shown: Sequence[Memory], value: Mapping[str, Any], cause: str, redactor: Redactor
) -> Counter[str]:
    counts: Counter[str] = Counter()
    for item in value["reflections"]:
        numbers = [number for number in dict.fromkeys(item["notes"]) if 1 <= number <= len(shown)]
        parents = [shown[number - 1] for number in numbers]
        if len(parents) < _FEWEST_PARENTS or not grounding.is_drawn_from(
            item["content"], [parent.content for parent in parents]
        ):
            counts["unfounded"] += 1
            continue
        made = derived_records.propose(
            db,
            _blank(parents[0]),
            item["content"],
            parents,
            rule=RULE,
            reason="a reflection on it",
            cause=cause,
            redactor=redactor,
        )
        counts["reflections" if made else "duplicates"] += 1
    return counts


def _blank(parent: Memory) -> Memory:
    """What a reflection takes over of a parent: the project it is about, and nothing else."""
    return replace(
        parent,
        type="project",
        kind="reflection",
        scope="project",
        owner=OWNER_OF["project"],
        repo_id=None,
        agent_id=None,
        session_id=None,
        subject=None,
        rationale=None,
        alternatives=(),
        valid_from=None,
        valid_until=None,
        decay_rate=0.0,
        confidence=0.4,
    )
