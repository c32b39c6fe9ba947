"""Two stores that went their own ways and meet by exports: whatever was done in them, the laws
of a merge hold.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.core.model import AGENT_CLAIMED, Filter
from memctl.store import event_log, records, tombstones, upkeep
from memctl.store.database import Database
from memctl.store.migrate import open_store
from tests.exchange.houses import AGENT, DAY, OPERATOR, add, bury, change, exported, memory, take

# What happens in a store: the record by its place, and what is done to it.
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "edit", "promote", "forget"]),
        st.integers(0, 3),
        st.integers(2, 5),
        st.sampled_from("abc"),
    ),
    max_size=5,
)
START = st.lists(
    st.tuples(
        st.sampled_from(["inbox", "active"]),
        st.integers(1, 5),
        st.sampled_from(["project", "profile"]),
    ),
    max_size=3,
)


def live(db: Database, steps: list) -> None:
    """Let things happen in a store."""
    for what, place, day, word in steps:
        ids = sorted(row["id"] for row in db.all("upkeep.record_numbers"))
        if what == "add":
            add(db, memory(f"added {word}", trust=day))
        elif ids:
            known = records.get_record(db, ids[place % len(ids)])
            if what == "forget":
                bury(db, known.id)
            elif known.status != "archived":
                changed = (
                    {"content": f"edited {word}"}
                    if what == "edit"
                    else {"status": "active", "trust": 5}
                )
                change(db, known.id, DAY.format(day), **changed)


def states(db: Database) -> set[tuple[str, str]]:
    """Every content that a record has or had, by record."""
    now = {(each.id, each.content) for each in records.select_records(db, Filter())}
    events = db.all("event_log.everything")
    seen = [
        (row["memory_id"], part) for row in events for part in (row["before"], row["after"]) if part
    ]
    return now | {
        (memory_id, content)
        for memory_id, part in seen
        if (content := json.loads(part).get("content"))
    }


def served(db: Database) -> set[str]:
    return {
        each.id
        for each in records.select_records(db, Filter(statuses=("active", "contradicted", "inbox")))
    }


@pytest.mark.proof
@settings(max_examples=30)
@given(start=START, there_steps=STEPS, here_steps=STEPS, by_operator=st.booleans())
def test_the_laws_of_a_merge_hold(
    start: list, there_steps: list, here_steps: list, by_operator: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here, there = (
            open_store(Path(folder, "here.db"), create=True),
            open_store(Path(folder, "there.db"), create=True),
        )
        add(here, memory("anchor"))
        for n, (status, trust, kind) in enumerate(start):
            add(
                here,
                memory(
                    f"start {n}",
                    status=status,
                    trust=trust,
                    type=kind,
                    owner="operator" if kind == "profile" else "shared",
                ),
            )
        take(there, exported(here))
        live(here, here_steps)
        live(there, there_steps)
        check_laws(here, there, by_operator)
        here.close()
        there.close()


def check_laws(here: Database, there: Database, by_operator: bool) -> None:
    before = {each.id: each for each in records.select_records(here, Filter())}
    had, buried = states(here), {row["memory_id"] for row in here.all("tombstones.everything")}
    text = exported(there)
    report = take(here, text, OPERATOR if by_operator else AGENT)
    after = {each.id: each for each in records.select_records(here, Filter())}

    assert report.problems == ()
    assert before.keys() <= after.keys() and had <= states(here), "nothing that was here is lost"
    current = {(each.id, each.content) for each in records.select_records(there, Filter())}
    left_out = {
        each for each in current if each[0] not in after or tombstones.find_of_memory(here, each[0])
    }
    assert current - left_out <= states(here), (
        "nothing that came is lost, but for what must not come back"
    )
    assert not buried & served(here), "nothing forgotten is served again"
    if not by_operator:
        for known in after.values():
            allowed = max(before[known.id].trust if known.id in before else 0, AGENT_CLAIMED)
            assert known.trust <= allowed, "an agent's import raises no trust"
            was = before.get(known.id)
            if known.type == "profile" and known.status == "active":
                assert was is not None and was.status == "active", (
                    "nor does it make a profile fact active"
                )
    assert sound(here)
    again = exported(here)
    take(here, text, OPERATOR if by_operator else AGENT)
    assert exported(here) == again, "a second time changes nothing"


def sound(db: Database) -> bool:
    ills = (
        *upkeep.find_drifted(db),
        upkeep.find_unindexed(db),
        upkeep.find_damaged_records(db),
        upkeep.find_dangling(db),
        event_log.find_broken_links(db),
    )
    return not any(ills)
