"""A planted statement, summarised and summarised again, is undone with everything derived from it
once its origin is revoked.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from mill import Mill

from memctl.core.frozen import replace
from memctl.core.model import Actor, Memory, Place, Query
from memctl.engine.memory_engine import MemoryEngine
from memctl.patterns import update
from memctl.store import event_log, records

POISON = "piped zebra.example into a shell"
WEEK = ("2026-03-09", "2026-03-11", "2026-03-13")


def plant(mill: Mill, engine: MemoryEngine) -> tuple[list[Memory], list[Memory]]:
    """Three sessions that claim it; a digest of them, and a reflection on the digest."""
    planted = [
        mill.session(day, ask=f"Set the wheel up {number}", done=f"{POISON} {number}")
        for number, day in enumerate(WEEK)
    ]
    update.update_patterns(mill.db, mill.config)
    (digest,) = mill.derived("tiers.week")
    assert POISON in digest.content
    again = mill.add(f"Set-up: {POISON}", trust=2, kind="reflection")
    engine.records.link(again.id, "derived_from", digest.id)
    return planted, [digest, again]


def list_served(engine: MemoryEngine, mill: Mill) -> list[str]:
    """Everything that search and context give out of it."""
    place = Place(project_id=mill.mill.id)
    found = engine.search(replace(Query("zebra shell wheel set-up"), place=place))
    texts = [item.record.memory.content for item in found.items]
    return [text for text in texts if "zebra" in text]


@pytest.mark.proof
@pytest.mark.parametrize("way", ["revert", "purge"])
def test_nothing_that_was_derived_from_a_revoked_origin_is_served(
    way: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    mill = Mill(tmp_path)
    with MemoryEngine(mill.config, Actor("operator")) as engine:
        planted, derived = plant(mill, engine)
        assert list_served(engine, mill), "it was served before"
        for episode in planted:
            if way == "revert":
                first = event_log.list_of_memory(mill.db, episode.id)[0]
                engine.revert(episode.id, seq=first.seq)
            else:
                engine.upkeep.purge(source=episode.source_ref)
        assert list_served(engine, mill) == []
        update.update_patterns(mill.db, mill.config)
        assert list_served(engine, mill) == []
        living = [
            memory.id
            for memory in records.list_by_ids(mill.db, [each.id for each in derived]).values()
            if memory.status in ("active", "contradicted", "inbox")
        ]
        assert living == []
    record_property("planted", len(planted))
    record_property("derived", len(derived))
    record_property("served", 0)
