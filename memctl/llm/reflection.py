"""Propose what follows from several sessions and facts of a project, as a model sees it.

Guarantees: a reflection names the records it follows from and brings in no number, name or command
that none of them has. It builds on nothing that is private to an agent or a session, nor on other
reflections. What a project said before its last reflection is not shown again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from memctl.core.frozen import replace
from memctl.core.model import OWNER_OF, Memory
from memctl.core.typing_lite import Any
from memctl.llm import derived_records, grounding
from memctl.llm.calls import ModelQuestion
from memctl.llm.prompts import PROMPTS
from memctl.llm.session import QuestionSession
from memctl.redact.redactor import Redactor, make_redactor
from memctl.settings.config import Config
from memctl.store import meta, model_calls, projects
from memctl.store.database import Database

PURPOSE = "reflect"
RULE = f"model:reflect@{PROMPTS[PURPOSE].version}"
# Up to which record a project was reflected on; its id follows.
_POSITION = "model_reflected:"
# A project is reflected on with so many new records, and so many of them episodes. By hand.
_MIN_RECORDS = 6
_MIN_EPISODES = 2
# The model is shown so many records at most; a reflection must follow from so many. By hand.
_MAX_RECORDS = 40
_MIN_PARENTS = 2
# English has about 4 characters per token; fewer are on the safe side.
_CHARS_PER_TOKEN = 3.5
# Characters of a record that the model is shown.
_MAX_NOTE_LENGTH = 320


def reflect_on_projects(
    db: Database, config: Config, ask: QuestionSession
) -> Iterator[Counter[str]]:
    """Reflect on every project in which enough happened; yields counts. Raises ModelHeldBack."""
    for project_id in projects.names(db):
        position = _POSITION + project_id
        since = meta.get_time(db, position) or ""
        told = model_calls.list_fresh_of_project(db, project_id, since, _MAX_RECORDS)
        if (
            len(told) < _MIN_RECORDS
            or sum(memory.type == "episode" for memory in told) < _MIN_EPISODES
        ):
            continue
        shown = _select_fitting(told, int(ask.settings.chunk_tokens * _CHARS_PER_TOKEN))
        about = " ".join((project_id, *(memory.id for memory in shown)))
        reply = ask(
            ModelQuestion(
                PURPOSE, about, "\n".join(map(_format_note, range(1, len(shown) + 1), shown))
            )
        )
        if reply.how == "failed":
            return
        if reply.value is not None:
            yield _propose_reflections(
                db, shown, reply.value, f"model call {reply.call}", make_redactor(config)
            )
        with db.write():
            meta.put_note(db, position, shown[-1].created_at)


def _select_fitting(told: Sequence[Memory], most: int) -> list[Memory]:
    """As many records as may be shown at once, from the oldest; `most` is in characters."""
    shown: list[Memory] = []
    length = 0
    for memory in told:
        length += len(_format_note(0, memory))
        if shown and length > most:
            break
        shown.append(memory)
    return shown


def _format_note(number: int, memory: Memory) -> str:
    content = " ".join(memory.content.split())[:_MAX_NOTE_LENGTH]
    return f"{number}. [{memory.type} {memory.observed_at[:10]}] {content}"


def _propose_reflections(
    db: Database, shown: Sequence[Memory], value: Mapping[str, Any], cause: str, redactor: Redactor
) -> Counter[str]:
    counts: Counter[str] = Counter()
    for item in value["reflections"]:
        numbers = [number for number in dict.fromkeys(item["notes"]) if 1 <= number <= len(shown)]
        parents = [shown[number - 1] for number in numbers]
        if len(parents) < _MIN_PARENTS or not grounding.is_drawn_from(
            item["content"], [parent.content for parent in parents]
        ):
            counts["unfounded"] += 1
            continue
        made = derived_records.propose_derived(
            db,
            _make_template(parents[0]),
            item["content"],
            parents,
            rule=RULE,
            reason="a reflection on it",
            cause=cause,
            redactor=redactor,
        )
        counts["reflections" if made else "duplicates"] += 1
    return counts


def _make_template(parent: Memory) -> Memory:
    """What a reflection takes from a parent: its project, and nothing else."""
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
