"""A prompt of nothing but common words gets the command that it asks for, and only that."""

from __future__ import annotations

import pytest
from invented import House, told

from memctl.text.plain_requests import parse_plain_request


@pytest.mark.parametrize("others", [0, 10])
@pytest.mark.parametrize(
    ("prompt", "content"),
    [
        ("how do I run the tests?", "Tests run with pytest -q"),
        ("run the tests", "Tests run with pytest -q"),
        ("ok, now please run all the tests again", "Tests run with pytest -q"),
        ("run the tests again please, thanks", "Tests run with pytest -q"),
        ("how do I build it?", "Build with make all"),
        ("what's the command to start the server?", "Start the server with make up"),
    ],
)
def test_a_plain_question_gets_the_command(
    house: House, prompt: str, content: str, others: int
) -> None:
    for number in range(others):
        house.add(f"Wheel {number} turns left", kind="command")
    command = house.add(content, kind="command")
    assert told(house.context(task=prompt, prompt_only=True)) == [command.id]


@pytest.mark.parametrize(
    "prompt", ["run it", "yes go on", "build", "go ahead", "fix the tests", ""]
)
def test_what_names_nothing_asks_for_nothing(house: House, prompt: str) -> None:
    house.add("Tests run with pytest -q", kind="command")
    house.add("Build with make all", kind="command")
    assert house.context(task=prompt, prompt_only=True).text == ""


def test_a_command_must_have_every_word_that_was_said(house: House) -> None:
    house.add("Tests run with pytest -q", kind="command")
    assert house.context(task="run the server", prompt_only=True).text == ""


def test_commands_of_other_projects_and_of_the_inbox_are_not_told(house: House) -> None:
    house.add("Tests run with pytest -q", kind="command", project_id=house.project("pantry").id)
    house.add("Tests run with tox", kind="command", status="inbox")
    assert house.context(task="how do I run the tests?", prompt_only=True).text == ""


def test_a_long_prompt_is_no_plain_request() -> None:
    assert parse_plain_request("run the tests " * 20) is None
