"""What kind of thing a prompt asks for, by its form."""

from __future__ import annotations

import pytest

from memctl.text import prompt_forms, tokens


@pytest.mark.parametrize(
    "prompt",
    [
        "what is a monad?",
        "what's the difference between let and const?",
        "what does constexpr mean?",
        "how do I reverse a string in Python?",
        "how do you say good luck in Polish?",
        "write me a short poem about the sea",
        "translate to French: the chair is out of stock",
        "what is 19 % of 84.50?",
        "looks good, thanks",
        "vielen Dank, passt!",
    ],
)
def test_common_knowledge_and_thanks_have_nothing_to_do_with_this_place(prompt: str) -> None:
    assert prompt_forms.asks_common_knowledge(tokens.list_words(prompt))


@pytest.mark.parametrize(
    "prompt",
    [
        "what is the deploy command?",
        "how do we format dates in Python here?",
        "what does the nightly job write?",
        "explain how our login works",
        "write the release notes",
        "translate the new settings page",
        "how do I run the tests?",
        "ship 12 boxes to the depot of Graz",
        "",
    ],
)
def test_what_may_be_about_this_place_is_no_common_knowledge(prompt: str) -> None:
    assert not prompt_forms.asks_common_knowledge(tokens.list_words(prompt))


def test_a_part_of_the_text_at_hand_is_known_by_its_name() -> None:
    words = tokens.list_words("move this function below the loop")
    assert prompt_forms.names_part_at_hand(words)
    assert not prompt_forms.names_part_at_hand(tokens.list_words("deploy to staging"))


@pytest.mark.parametrize("prompt", ["ship it", "i'll edit the scene now", "please commit"])
def test_an_order_wants_something_done(prompt: str) -> None:
    assert prompt_forms.gives_an_order(tokens.list_words(prompt))


@pytest.mark.parametrize(
    "prompt", ["I'm getting a null pointer exception", "the tests fail", "error: disk full"]
)
def test_what_tells_how_things_are_orders_nothing(prompt: str) -> None:
    assert not prompt_forms.gives_an_order(tokens.list_words(prompt))
