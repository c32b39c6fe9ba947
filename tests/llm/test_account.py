"""What is told of the model: by its own command, by doctor, and by the report of maintenance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from odd_model import Odd

from memctl.llm import usage
from memctl.maintain import doctor

SAID = "The charts are drawn in mercator projection"


@pytest.fixture
def used(odd: Odd) -> Odd:
    odd.bench.take(("user", f"hello, {SAID}"))
    odd.picks({"quote": SAID})
    odd.bench.settings(maintain__model_price_in=10.0)
    return odd


def findings(odd: Odd) -> dict[str, tuple[str, str]]:
    return {
        each.name: (each.state, each.detail)
        for each in doctor.doctor(odd.config, repair=False).checks
    }


def test_the_report_of_maintenance_tells_what_the_model_did(used: Odd) -> None:
    used.bench.settings(maintain__model="odd")
    (step,) = [step for step in used.bench.maintain().steps if step.name == "model"]
    assert step.counts == {"answered": 1, "calls": 1, "cost": 0.0012, "proposed": 1, "tokens": 150}


def test_maintenance_goes_on_without_a_model_that_fails_and_says_so(used: Odd) -> None:
    used.behaves("raises")
    used.bench.settings(maintain__model="odd")
    used.bench.capture(
        ("user", "fact The depths are stored in decimetres"),
        session="5e551011-0000-4000-8000-00000000000b",
    )
    report = used.bench.maintain()
    assert "model_failing" in report.flags
    assert (report.proposed, report.problems) == (1, ())


def test_the_status_tells_what_was_used_and_what_is_left(used: Odd) -> None:
    used.run()
    used.bench.settings(maintain__model_calls_a_day=3, maintain__model_cost_a_day=0.0)
    told = usage.report_status(used.bench.db, used.config)
    assert (told.model, told.purposes, told.calls, told.tokens, told.cost) == (
        "odd",
        ("extract",),
        1,
        150,
        0.0012,
    )
    assert told.left == {"calls": 2, "tokens": 299850}
    assert (told.answers, told.waiting_until, told.troubles) == (1, None, ())
    assert [(use.purpose, use.calls) for use in told.uses] == [("extract", 1)]


def test_the_status_tells_the_last_troubles_and_until_when_the_model_is_left_alone(
    used: Odd,
) -> None:
    used.behaves("raises")
    used.run()
    told = usage.report_status(used.bench.db, used.config)
    assert told.waiting_until is not None
    assert "no such key" in told.troubles[0].error


def test_doctor_knows_the_model(used: Odd) -> None:
    assert findings(used)["model"][0] == "ok"
    assert findings(used)["network"][0] == "note"
    used.behaves("raises")
    used.run()
    state, detail = findings(used)["model"]
    assert (state, "no such key" in detail) == ("note", True)
    used.model = ""
    assert findings(used)["model"] == (
        "ok",
        "no language model is configured; everything works without",
    )
    assert findings(used)["network"][0] == "ok"
    used.bench.settings(maintain__model_purposes=["gossip"])
    assert findings(used)["model"][0] == "problem"


def test_the_command_says_that_none_is_needed(memctl: Callable[..., object], db: Path) -> None:
    memctl("init")
    ran = memctl("model", "status")
    assert (
        ran.code,
        ran.stdout.startswith("No language model is configured, and none is needed."),
    ) == (0, True)  # type: ignore[attr-defined]


def test_the_real_command_asks_the_real_model(
    odd: Odd, memctl: Callable[..., object], home: Path, db: Path
) -> None:
    folder = home / ".config" / "memctl"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("maintain:\n  model: odd\n  model_purposes: [extract]\n")
    session = home / "session.jsonl"
    from bench import jsonl

    session.write_bytes(jsonl(("user", f"hello, {SAID}")))
    odd.picks({"quote": SAID})
    env = {"PYTHONPATH": str(odd.folder)}
    memctl("init")
    memctl("capture-session", session, "--agent", "claude-code")
    ran = memctl("maintain", env=env)
    assert "1 question to the model" in ran.stdout  # type: ignore[attr-defined]
    status = memctl("model", "status", env=env)
    assert "today: 1 question, 150 tokens" in status.stdout  # type: ignore[attr-defined]
    assert "model: odd, for extract" in status.stdout  # type: ignore[attr-defined]
