"""What the strangest models cost: the step, and nothing else. Each is a real plugin, found by a
real child process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from odd_model import Odd

from memctl.core import timestamps
from memctl.llm import calls, runner, settings
from memctl.store import model_calls

SAID = "We deploy the tide service from the harbour branch only"
TURNS = (
    ("user", f"hello there. {SAID}, never from main."),
    ("assistant", "Understood, I will keep to that branch."),
)


@pytest.fixture
def house(odd: Odd) -> Odd:
    """One captured session that the rules took nothing from."""
    odd.bench.take(*TURNS)
    assert [memory.type for memory in odd.bench.all()] == ["episode"]
    return odd


def candidates(odd: Odd) -> list[str]:
    return [memory.content for memory in odd.bench.all("inbox") if memory.type != "episode"]


def only_row(odd: Odd) -> dict[str, Any]:
    (row,) = odd.rows
    return row


def test_a_good_model_proposes_what_was_said(house: Odd) -> None:
    house.picks({"quote": SAID, "kind": "constraint"})
    told = house.run()
    assert told == {"answered": 1, "calls": 1, "proposed": 1, "tokens": 150}
    memory = house.bench.one("inbox")
    assert (memory.content, memory.kind, memory.rule, memory.trust) == (
        SAID,
        "constraint",
        "model:extract@2",
        5,
    )
    row = only_row(house)
    assert (row["state"], row["purpose"], row["model"], row["prompt_version"], row["error"]) == (
        "done",
        "extract",
        "odd",
        "2",
        None,
    )
    assert (row["tokens_in"], row["tokens_out"]) == (120, 30)
    house.bench.check()


def test_a_quote_that_nobody_said_never_becomes_a_candidate(house: Odd) -> None:
    house.picks(
        {"quote": "We deploy the tide service from the main branch only"},
        {"quote": "Everybody may push to production at any time"},
    )
    assert house.run() == {"answered": 1, "calls": 1, "tokens": 150, "unfounded": 2}
    assert candidates(house) == []


@pytest.mark.proof
def test_a_hanging_model_is_ended_with_all_that_it_started(house: Odd) -> None:
    house.behaves("hangs")
    house.bench.settings(maintain__model_timeout=8)
    began = time.monotonic()
    assert house.run()["flag"] == "model_failing"
    assert time.monotonic() - began < 30
    assert (only_row(house)["state"], only_row(house)["error"]) == (
        "failed",
        "no answer within 8 s",
    )
    pids = [int(pid) for pid in (house.folder / "pids").read_text().split()]
    assert len(pids) == 2
    assert [pid for pid in pids if is_running(pid)] == []
    assert candidates(house) == []


def is_running(pid: int) -> bool:
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
            if os.path.isdir("/proc/self")
            else os.kill(pid, 0) is None
        )
    except OSError:
        return False


def test_a_crashing_model_says_its_last_word(house: Odd) -> None:
    house.behaves("crashes")
    assert house.run() == {
        "calls": 1,
        "failed": 1,
        "flag": "model_failing",
        "tokens": house.rows[0]["tokens_in"],
    }
    assert only_row(house)["error"].startswith("the model's process ended with SIGABRT: ")
    assert "the weights are gone" in only_row(house)["error"] or "Abort" in only_row(house)["error"]
    assert candidates(house) == []


def test_an_error_is_kept_without_the_key_in_it(house: Odd) -> None:
    house.behaves("raises")
    assert house.run()["flag"] == "model_failing"
    assert only_row(house)["error"].startswith("RuntimeError: no such key: [REDACTED:")


def test_junk_is_an_answer_of_no_use_and_is_not_asked_for_again(house: Odd) -> None:
    house.behaves("junk")
    assert house.run()["unusable"] == 1
    row = only_row(house)
    assert (row["state"], row["output"], row["error"]) == (
        "done",
        None,
        "the answer holds no JSON object",
    )
    assert house.run() == {"calls": 0, "tokens": 0}
    assert len(house.asked) == 1


@pytest.mark.parametrize("how", ["floods", "deep", "shapeless"])
def test_an_answer_too_long_too_deep_or_of_another_shape_is_of_no_use(house: Odd, how: str) -> None:
    house.behaves(how)
    assert house.run()["unusable"] == 1
    assert (only_row(house)["state"], only_row(house)["output"]) == ("done", None)
    assert candidates(house) == []
    assert os.path.getsize(house.bench.path) < 2_000_000


def test_what_a_plugin_prints_is_no_part_of_its_answer(house: Odd) -> None:
    house.behaves("prints")
    house.picks({"quote": SAID})
    assert house.run()["proposed"] == 1


def test_a_model_that_takes_too_much_memory_fails_alone(house: Odd) -> None:
    house.behaves("gulps")
    house.bench.settings(maintain__model_memory_mb=1024)
    assert house.run()["flag"] == "model_failing"
    assert "MemoryError" in only_row(house)["error"]


def test_a_model_that_is_not_installed_is_said_to_be_unknown(house: Odd) -> None:
    house.model = "nobody-made-this"
    assert house.run()["flag"] == "model_failing"
    assert "nobody-made-this" in only_row(house)["error"]


def test_a_model_that_fails_is_left_alone_longer_each_time(house: Odd) -> None:
    house.behaves("raises")
    waits = []
    for minutes in (2, 4, 8):
        assert house.run()["calls"] == 1
        asked = len(house.asked)
        assert house.run()["calls"] == 0
        assert len(house.asked) == asked
        until = calls.find_pause_end(house.bench.db, settings.read_settings(house.config))
        assert until is not None
        waits.append(
            round(timestamps.parse_iso(until) - timestamps.parse_iso(house.rows[-1]["at"]))
        )
        house.later(minutes / 60)
    assert [wait // 60 for wait in waits] == [1, 2, 4]


def test_an_answer_ends_the_waiting(house: Odd) -> None:
    house.behaves("raises")
    house.run()
    house.later(1)
    house.behaves("good")
    house.picks({"quote": SAID})
    assert house.run()["proposed"] == 1
    assert calls.find_pause_end(house.bench.db, settings.read_settings(house.config)) is None


def test_a_source_at_which_the_model_always_fails_does_not_hold_up_the_others(house: Odd) -> None:
    house.behaves("raises")
    for _ in range(3):
        house.run()
        house.later(48)
    house.bench.take(
        ("user", "hi. The charts are drawn in mercator projection"),
        session="5e551011-0000-4000-8000-00000000000b",
    )
    house.behaves("good")
    house.picks({"quote": "The charts are drawn in mercator projection"})
    told = house.run()
    assert (told["given_up"], told["proposed"]) == (1, 1)


def test_the_child_gets_no_words_in_its_arguments_and_nothing_of_the_folder_it_was_called_from(
    house: Odd, home: Path
) -> None:
    Path("llm.py").write_text("raise SystemExit('not this one')")
    house.picks({"quote": SAID})
    assert house.run()["proposed"] == 1
    (asked,) = house.asked
    assert (asked["argv"], asked["hook"], asked["home"], asked["cwd"]) == ([], "1", str(home), "/")
    assert str(Path.cwd()) not in asked["path"]
    assert "" not in asked["path"]


def test_no_transaction_is_held_while_the_model_works(
    house: Odd, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    ask = runner.run_model

    def watched(*args: Any, **given: Any) -> runner.ModelAnswer:
        seen.append(house.bench.db.in_transaction)
        # The question counts before it is asked.
        seen.append(model_calls.sum_spent(house.bench.db, "2000").calls)
        return ask(*args, **given)

    monkeypatch.setattr(runner, "run_model", watched)
    house.picks({"quote": SAID})
    assert house.run()["proposed"] == 1
    assert seen == [False, 1]


def test_an_interrupted_run_leaves_nothing_running(
    house: Odd, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.behaves("hangs")
    go_on = runner._ChildStreams.advance

    def interrupted(talk: runner._ChildStreams, seconds: float) -> bool:
        if (house.folder / "pids").exists():
            raise KeyboardInterrupt
        return go_on(talk, min(seconds, 0.2))

    monkeypatch.setattr(runner._ChildStreams, "advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        house.run()
    assert [
        pid for pid in map(int, (house.folder / "pids").read_text().split()) if is_running(pid)
    ] == []
    assert only_row(house)["error"] == model_calls.UNDER_WAY


@pytest.mark.proof
def test_a_model_that_nobody_waits_for_any_more_ends_by_itself(house: Odd) -> None:
    house.behaves("hangs")
    request = {
        "model": "odd",
        "system": "",
        "prompt": "",
        "schema": {},
        "shape": "",
        "memory_mb": 0,
        "most_chars": 99,
        "seconds": 3,
    }
    words = json.dumps(request).encode()
    # What it started still holds the streams that it was given.
    nowhere = subprocess.DEVNULL
    done = subprocess.run(
        [sys.executable, "-P", runner.CHILD],
        input=words,
        stdout=nowhere,
        stderr=nowhere,
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGALRM
    for pid in map(int, (house.folder / "pids").read_text().split()):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
