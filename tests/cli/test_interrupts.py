"""Ctrl-C tells what was done: nothing, what was counted, or that changes stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memctl.cli import output
from memctl.curate import manual_writes
from memctl.store.database import Database

pytestmark = pytest.mark.usefixtures("operator")
WORDS = ("ingest", "The tide gauge is read at noon", "--type", "profile", "--scope", "global")


def count_records(here: Callable[..., Any]) -> int:
    return len(here("list", "--json").data["items"])


def test_between_commit_and_print_the_answer_is_still_given(
    here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_given: object, **_named: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(output, "print_result", interrupt)
        said = here(*WORDS, "--json")
    assert (said.code, said.json["errors"][0]["message"]) == (130, "interrupted")
    assert said.data["items"][0]["outcome"] == "created" and count_records(here) == 1


@pytest.mark.parametrize("is_committed", [False, True])
def test_at_the_commit_it_says_whether_changes_stand(
    here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, is_committed: bool
) -> None:
    assert here("init").code == 0
    commit = Database.commit

    interrupts = iter((True,))

    def interrupt(db: Database) -> None:
        is_now = db.has_new_events and next(interrupts, False)
        if is_committed or not is_now:
            commit(db)
        if is_now:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Database, "commit", interrupt)
        said = here(*WORDS)
    assert said.code == 130 and count_records(here) == int(is_committed)
    assert ("after changes had been written" in said.stderr) == is_committed


def test_before_anything_is_written_it_is_just_interrupted(
    here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_given: object, **_named: object) -> None:
        raise KeyboardInterrupt

    assert here("init").code == 0
    monkeypatch.setattr(manual_writes, "ingest_memories", interrupt, raising=False)
    monkeypatch.setattr(Database, "write", interrupt)
    assert here(*WORDS).stderr == "memctl: interrupted\n"
