"""Captured conversations stay at home unless asked for; then their turns travel, and their end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bench import jsonl

from memctl.core.frozen import replace
from memctl.readers.base import Input
from memctl.store import projects, sources, sync_changes, sync_group
from memctl.store.sync_group import StoredShare
from tests.sync.machines import Machine, meet, open_machine, world  # noqa: F401

Open = Callable[..., Machine]
TURNS = (("user", "fact The kiln burns oak QQZX-3141"), ("assistant", "It does."))


@pytest.fixture
def pair(open_machine: Open) -> tuple[Machine, Machine]:  # noqa: F811
    return open_machine("laptop"), open_machine("desktop")


def capture(machine: Machine, *turns: tuple[str, str]) -> str:
    """Capture a session held in a folder that is a project; return the id of its source."""
    folder = machine.path.parent / "kiln"
    folder.mkdir(exist_ok=True)
    with machine.at_work() as engine:
        engine.place_to_write(folder)
        data = jsonl(*turns, cwd=str(folder))
        return str(engine.capture_session(Input(data=data)).items[0].source_id)


def share_turns(machine: Machine) -> None:
    project = projects.named(machine.db, "kiln").id
    with machine.db.write():
        share = StoredShare(project, "own", with_turns=True)
        sync_group.put_share(machine.db, share, machine.world.now)


def read_texts(machine: Machine, source_id: str) -> list[str]:
    return [turn.text for turn in sources.read_turns(machine.db, source_id)]


def test_conversations_stay_at_home_unless_they_were_asked_for(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desktop = pair
    source_id = capture(laptop, *TURNS)
    meet(*pair)
    assert sources.find_source(desktop.db, source_id) is None
    share_turns(laptop)
    meet(*pair)
    assert read_texts(desktop, source_id) == read_texts(laptop, source_id) != []
    source = sources.find_source(desktop.db, source_id)
    assert source and source.path is None and source.cwd is None
    before = sync_changes.count_changes(laptop.db)
    meet(*pair)
    assert sync_changes.count_changes(laptop.db) == before


def test_a_conversation_that_grows_grows_on_the_other_machine(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desktop = pair
    capture(laptop, *TURNS)
    share_turns(laptop)
    meet(*pair)
    source_id = capture(laptop, *TURNS, ("user", "And what of ash?"), ("assistant", "Hotter."))
    meet(*pair)
    assert read_texts(desktop, source_id) == read_texts(laptop, source_id)
    assert len(read_texts(desktop, source_id)) == 4


def test_a_conversation_that_is_purged_goes_everywhere(pair: tuple[Machine, Machine]) -> None:
    laptop, desktop = pair
    source_id = capture(laptop, *TURNS)
    share_turns(laptop)
    meet(*pair)
    with laptop.at_work() as engine:
        engine.upkeep.purge(source=source_id)
    meet(*pair)
    meet(*pair)
    assert sources.find_source(desktop.db, source_id) is None
    for machine in pair:
        stored = sync_changes.list_after(machine.db, 0, 999)
        assert b"kiln burns" not in b"".join(each.body or b"" for each in stored)


def test_words_that_are_cut_out_of_a_conversation_go_everywhere(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desktop = pair
    source_id = capture(laptop, *TURNS)
    share_turns(laptop)
    meet(*pair)
    ignored = {"projects": [], "paths": [], "patterns": [r"QQZX-\d{4}"]}
    values = {**laptop.config.values, "capture.ignore": ignored}
    laptop.config = laptop.engine.config = replace(laptop.config, values=values)
    with laptop.at_work() as engine:
        engine.upkeep.redact_secrets()
    meet(*pair)
    assert "QQZX-3141" not in "".join(read_texts(desktop, source_id))
    assert read_texts(desktop, source_id) == read_texts(laptop, source_id)
