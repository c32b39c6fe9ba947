"""What a session gave is stored in short transactions; a kill between two loses nothing."""

from __future__ import annotations

import pytest
from bench import Bench

from memctl.store import event_log, evidence
from tests.killing import Killed, kill_between_chunks

TURNS = (
    ("user", "fact The kiln tests run before a commit"),
    ("user", "fact The glaze folder is generated"),
    ("user", "fact Oil is too dear for the kiln"),
)


def test_an_extraction_that_was_killed_is_done_again_without_doubles(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.put("Tea is at four")
    bench.capture(*TURNS)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        kill_between_chunks(patch)
        bench.operator.maintain(steps=["extract"])
    begun = {memory.id for memory in bench.all("inbox")}
    assert len(begun) == 1
    bench.maintain(retry=True)
    found = bench.all("inbox")
    assert len(found) > 1 and begun <= {memory.id for memory in found}
    assert len({memory.content for memory in found}) == len(found)
    for memory in found:
        quotes = [item.quote for item in evidence.list_of_memory(bench.db, memory.id)]
        assert len(quotes) == len(set(quotes))
    created = [event_log.list_of_memory(bench.db, memory.id)[0] for memory in found]
    assert len({event.operation for event in created}) == 1
    bench.check()
