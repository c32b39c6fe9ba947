"""A window over a running conversation: never over its budget, never the only copy."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from bench import Bench
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl import ContextWindow
from memctl.core import clock, timestamps
from memctl.core.errors import StoreLocked, UsageError
from memctl.core.model import SENTINEL_CLOSE, SENTINEL_OPEN
from memctl.retrieve.bundle import count_tokens
from memctl.store import sources

TALK = [
    ("user", "Let's use Valkey instead of Redis for the session cache, because of the licence."),
    ("assistant", "Done. I still need to update the Helm chart."),
    ("user", "Never push to main directly. The TTL must be 15 minutes, not 30."),
    ("assistant", "The TTL is 15 minutes now."),
]
CHATTER = "The weather in the valley is the same as on the day before, more or less. " * 3

ROLES = st.sampled_from(["user", "assistant", "system", "tool", "developer"])
PARTS = st.lists(
    st.text(max_size=200)
    | st.builds(lambda text: {"type": "text", "text": text}, st.text(max_size=200))
    | st.just({"type": "image_url", "image_url": {"url": "data:,"}}),
    max_size=3,
)
MESSAGES = st.builds(
    lambda role, content, calls: {
        "role": role,
        "content": content,
        **({"tool_calls": [{"id": "c1", "function": {"name": "f"}}]} if calls else {}),
    },
    ROLES,
    st.text(max_size=400) | PARTS | st.sampled_from([text for _, text in TALK]),
    st.booleans(),
)
TOKENIZERS: list[Callable[[str], Any] | None] = [
    None,
    len,
    str.split,
    lambda text: list(text.encode()),
    lambda text: len(text) // 5,
    lambda text: 7 + 2 * len(text),
]


def fill(window: ContextWindow, turns: int = 40) -> ContextWindow:
    """A conversation that begins with what is worth keeping and goes on with what is not."""
    for role, text in TALK:
        window.add(role, text)
    for number in range(turns):
        window.add("user" if number % 2 else "assistant", f"{CHATTER}{number}")
    return window


@settings(max_examples=25)
@given(
    messages=st.lists(MESSAGES, max_size=8),
    most=st.integers(0, 400) | st.integers(400, 5000),
    which=st.integers(0, len(TOKENIZERS) - 1),
    summarises=st.booleans(),
)
def test_a_window_never_costs_more_than_its_budget(
    messages: list[dict[str, Any]], most: int, which: int, summarises: bool
) -> None:
    tokenizer = TOKENIZERS[which]
    window = ContextWindow(
        most,
        tokenizer=tokenizer,
        summarizer=(lambda told, left, room: f"{told[:400]} and {len(left)} more, at length " * 9)
        if summarises
        else None,
    )
    for message in messages:
        window.add(message)
        assert window.tokens <= most
        text = window.render()
        counted = count_tokens(text) if tokenizer is None else tokenizer(text)
        assert not text or (counted if isinstance(counted, int) else len(counted)) <= most
    told = json.loads(json.dumps(window.to_dict()))
    again = ContextWindow.from_dict(told, tokenizer=tokenizer)
    assert again.to_dict() == window.to_dict()
    assert window.unflushed == len(messages)


def test_the_newest_turns_stand_whole_and_the_oldest_in_a_summary() -> None:
    window = fill(ContextWindow(600))
    shown = window.messages()
    assert shown[0]["role"] == "system"
    assert [each["content"] for each in shown[1:]] == [
        f"{CHATTER}{number}" for number in range(40 - len(shown) + 1, 40)
    ]
    assert len(shown) > 3
    assert "Valkey instead of Redis" in window.summary
    assert "- constraint: The TTL must be 15 minutes, not 30." in window.summary
    assert "Never push to main directly." in window.summary
    assert "- open: I still need to update the Helm chart." in window.summary


def test_nothing_leaves_while_everything_fits() -> None:
    window = fill(ContextWindow(100_000))
    assert len(window.messages()) == 44
    assert window.summary == ""


def test_the_summary_stands_between_marks_that_capture_leaves_out() -> None:
    window = ContextWindow(500)
    window.add("user", f"We decided {SENTINEL_CLOSE} to use Valkey, because of the licence.")
    fill(window)
    told = window.messages()[0]["content"]
    assert told.startswith(SENTINEL_OPEN)
    assert told.count(SENTINEL_CLOSE) == 1
    assert told.endswith(SENTINEL_CLOSE)


@pytest.mark.parametrize(
    ("first", "then", "told", "gone"),
    [
        (
            "Let's use MySQL for the ledger, because we know it.",
            "Actually, let's use Postgres instead of MySQL for the ledger.",
            "Postgres instead of MySQL",
            "use MySQL",
        ),
        (
            "The timeout must be 30 seconds.",
            "make it 40 instead",
            "The timeout must be 40 seconds",
            "must be 30",
        ),
    ],
)
def test_what_is_taken_back_is_not_kept_beside_it(
    first: str, then: str, told: str, gone: str
) -> None:
    window = ContextWindow(800)
    for role, text in (("user", first), ("assistant", "Fine."), ("user", then)):
        window.add(role, text)
    fill(window)
    assert window.summary.count(told) == 1
    assert gone not in window.summary


def test_what_points_back_means_nothing_said_long_before() -> None:
    window = ContextWindow(800)
    window.add("user", "The timeout must be 30 seconds.")
    for _ in range(30):
        window.add("assistant", "It is done.")
        window.add("user", CHATTER)
    window.add("user", "make it 40 instead")
    fill(window)
    assert "The timeout must be 30 seconds." in window.summary


def test_a_message_larger_than_the_budget_is_cut_in_its_middle() -> None:
    window = ContextWindow(200)
    window.add("user", "BEGIN " + "log line " * 5000 + " END")
    shown = window.messages()
    assert len(shown) == 1
    assert shown[0]["content"].startswith("BEGIN")
    assert shown[0]["content"].endswith("END")
    assert "characters left out" in shown[0]["content"]
    assert window.unflushed == 1


def test_the_programs_instructions_stay_in_front() -> None:
    window = ContextWindow(600)
    window.add("system", "You are a baker.")
    fill(window)
    assert window.messages()[0] == {"role": "system", "content": "You are a baker."}


def test_a_result_never_stands_without_its_call() -> None:
    window = ContextWindow(260)
    for number in range(30):
        calls = [{"id": f"c{number}", "function": {"name": "bake", "arguments": "{}"}}]
        window.add({"role": "assistant", "content": None, "tool_calls": calls})
        window.add({"role": "tool", "tool_call_id": f"c{number}", "content": "bread " * 20})
        turns = [each for each in window.messages() if each["role"] != "system"]
        assert turns[0]["role"] != "tool"
        asked = {call["id"] for each in turns for call in each.get("tool_calls", ())}
        assert {each["tool_call_id"] for each in turns if each["role"] == "tool"} <= asked


def test_to_add_a_turn_does_not_read_the_conversation_again() -> None:
    read: list[int] = []

    def count(text: str) -> int:
        read.append(len(text))
        return len(text) // 4

    window = ContextWindow(1000, tokenizer=count)
    costs = []
    for number in range(300):
        read.clear()
        window.add("user" if number % 2 else "assistant", f"{CHATTER}{number}")
        costs.append(sum(read))
    assert max(costs[200:]) <= max(costs[20:100]) * 1.2


def test_a_summariser_is_asked_seldom_and_its_words_are_kept() -> None:
    asked: list[int] = []

    def summarise(told: str, left: Any, room: int) -> str:
        asked.append(len(left))
        return f"{len(asked)} times asked, {room} tokens"

    window = fill(ContextWindow(1000, summarizer=summarise))
    assert window.summary == f"{len(asked)} times asked, 250 tokens"
    assert 0 < len(asked) <= 15
    assert window.summary in window.messages()[0]["content"]


def test_a_summariser_that_keeps_to_no_budget_is_cut() -> None:
    window = fill(ContextWindow(1000, summarizer=lambda told, left, room: f"{told} word" * 9))
    assert window.summary.startswith("word")
    assert window.summary.endswith("…")
    assert 150 < count_tokens(window.messages()[0]["content"]) <= 250


def test_half_a_character_stops_no_tokenizer() -> None:
    window = ContextWindow(100, tokenizer=lambda text: list(text.encode()))
    window.add("user", "cut \ud83d here")
    assert window.messages()[0]["content"] == "cut ? here"


def test_a_summariser_that_fails_loses_nothing() -> None:
    def summarise(told: str, left: Any, room: int) -> str:
        raise TimeoutError

    window = ContextWindow(300, summarizer=summarise)
    with pytest.raises(TimeoutError):
        fill(window)
    assert window.tokens <= 300
    assert window.unflushed == window.turn_count


def test_an_idle_window_expires_and_still_hands_over(bench: Bench) -> None:
    window = fill(ContextWindow(500, expires_after=3600))
    later = timestamps.add_seconds(clock.now(), seconds=3700)
    data = window.to_dict()
    data["updated_at"] = timestamps.add_seconds(clock.now(), seconds=-3700)
    old = ContextWindow.from_dict(data)
    assert not window.is_expired()
    assert window.is_expired(later)
    assert (old.is_expired(), old.messages(), old.unflushed) == (True, [], 44)
    old.add("user", "Good morning.")
    assert [each["content"] for each in old.messages()] == ["Good morning."]
    assert old.flush_to(bench.operator).items[0].new_turns == 45


def test_what_is_flushed_is_stored_once_and_whole(bench: Bench) -> None:
    window = ContextWindow(200)
    for role, text in TALK:
        window.add(role, text)
    first = window.flush_to(bench.operator, ("project", bench.home))
    assert (first.items[0].new_turns, window.unflushed) == (4, 0)
    window.add("user", "ok " + CHATTER * 30)
    window.add("assistant", "Done. I still need to update the Helm chart.")
    kept = ContextWindow.from_dict(json.loads(json.dumps(window.to_dict())))
    more = kept.flush_to(bench.operator, ("project", "kiln"))
    none = kept.flush_to(bench.operator, ("project", "kiln"))
    assert (more.items[0].outcome, more.items[0].new_turns, none.items) == ("grown", 2, ())
    turns = sources.read_turns(bench.db, more.items[0].source_id)
    assert len(turns) == 6
    assert turns[4].text == ("ok " + CHATTER * 30).strip()


def test_a_flush_that_fails_keeps_the_turns(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    window = fill(ContextWindow(500))

    def refuse(*_given: Any, **_named: Any) -> Any:
        raise StoreLocked("busy")

    monkeypatch.setattr(bench.operator, "flush", refuse)
    with pytest.raises(StoreLocked):
        window.flush_to(bench.operator)
    assert window.unflushed == 44


@pytest.mark.parametrize("most", [-1, 2.5, "100", True, None])
def test_a_budget_is_a_whole_number(most: Any) -> None:
    with pytest.raises(UsageError, match="max_tokens is a whole number"):
        ContextWindow(most)


@pytest.mark.parametrize(
    "message",
    [
        ("martian", "x"),
        ("user", 5),
        ({"content": "x"}, None),
        ("user", None),
    ],
)
def test_what_is_no_message_is_refused(message: tuple[Any, Any]) -> None:
    window = ContextWindow(100)
    with pytest.raises(UsageError, match="message"):
        window.add(*message)
    assert window.turn_count == 0


@pytest.mark.parametrize(
    "data", [{}, {"format": 2}, {"format": 1}, {"format": 1, "max_tokens": "x"}, []]
)
def test_other_data_is_no_window(data: Any) -> None:
    with pytest.raises(UsageError):
        ContextWindow.from_dict(data)
