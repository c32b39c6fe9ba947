"""Out of whatever a model says comes a value of the right shape, or nothing, in bounded time."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.llm import answer_schema
from memctl.llm.answer_schema import SchemaMismatch
from memctl.llm.prompts import PROMPTS, PURPOSES, describe_shape

EXTRACT, JUDGE = PROMPTS["extract"].schema, PROMPTS["judge"].schema
GOOD = {"type": "project", "kind": "fact", "content": "a", "quote": "b"}


@pytest.mark.parametrize(
    "text",
    [
        '{"verdict": "unrelated"}',
        'Sure!\n```json\n{"verdict": "unrelated"}\n```\nAnything else?',
        '<think>{"verdict": "contradicts"} or is it</think> {"verdict": "unrelated"}',
        '{"verdict": "perhaps"} {"verdict": "unrelated"} {"verdict": "contradicts"}',
        'a { b { c {"verdict": "unrelated", "reason": null, "more": [1]}',
    ],
)
def test_the_first_object_that_fits_is_the_answer(text: str) -> None:
    assert answer_schema.parse_answer(text, JUDGE) == {"verdict": "unrelated"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "{",
        '{"verdict": "no such"}',
        '["unrelated"]',
        '{"verdict": ["unrelated"]}',
        '{"verdict": true}',
    ],
)
def test_what_does_not_fit_is_no_answer(text: str) -> None:
    with pytest.raises(SchemaMismatch):
        answer_schema.parse_answer(text, JUDGE)


def test_items_that_do_not_fit_are_left_out_and_too_many_are_cut() -> None:
    wrong = [
        {},
        {**GOOD, "type": "gossip"},
        {**GOOD, "content": 7},
        {**GOOD, "quote": "x" * 5000},
        "text",
        None,
    ]
    value = answer_schema.fit_to_schema({"candidates": [*wrong, GOOD]}, EXTRACT)
    assert value == {"candidates": [GOOD]}
    assert (
        len(answer_schema.fit_to_schema({"candidates": [GOOD] * 99}, EXTRACT)["candidates"]) == 12
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from([*"ab", "candidates", "quote", "type", "verdict"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@given(st.sampled_from(PURPOSES), JSON)
def test_a_value_either_fits_and_fits_again_or_is_refused(purpose: str, value: Any) -> None:
    schema = PROMPTS[purpose].schema
    try:
        fitting = answer_schema.fit_to_schema(value, schema)
    except SchemaMismatch:
        return
    assert answer_schema.fit_to_schema(fitting, schema) == fitting
    assert answer_schema.parse_answer(json.dumps(fitting), schema) == fitting


@pytest.mark.parametrize(
    "text",
    [
        "{" * 60_000,
        '{"a":' * 12_000,
        '{"candidates": [' + "[" * 40_000,
        '{"a": "' + "\\u0041" * 9_000,
        "{}" * 30_000,
    ],
)
def test_hostile_answers_are_read_in_bounded_time(text: str) -> None:
    began = time.process_time()
    with pytest.raises(SchemaMismatch):
        answer_schema.parse_answer(text, EXTRACT)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("purpose", PURPOSES)
def test_every_purpose_can_say_its_shape_in_one_line(purpose: str) -> None:
    words = describe_shape(purpose)
    assert "\n" not in words
    assert set(json.loads(words[words.index("{") :])) >= set(PROMPTS[purpose].schema["required"])
