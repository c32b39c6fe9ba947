"""Pull requests, branches, links; and work that was put off."""

from __future__ import annotations

import pytest
from extract_samples import agent, found, human, other, ran, session

from memctl.extract import extract

URL = "https://git.example/shop/cart/pull/7"


def test_a_pull_request_is_an_artifact_that_says_what_it_is_about() -> None:
    link = other("system", "link", URL, url=URL, number=7, repository="shop/cart")
    kept = extract(session(human("fix the rounding of totals"), link, link))
    pointer = [c for c in kept if c.kind == "pointer"]
    assert [(c.type, c.title) for c in pointer] == [
        ("artifact", "PR #7 in shop/cart: fix the rounding of totals")
    ]
    assert "rounding of totals" in pointer[0].content


def test_a_pull_request_that_a_tool_made_is_found_in_its_result() -> None:
    kept = found(human("ship it"), ran("gh pr create --fill", f"Creating pull request\n{URL}\n"))
    assert kept[0].evidence[0].quote == URL


def test_a_pull_request_that_was_only_looked_at_is_none_of_ours() -> None:
    assert found(human("look"), ran("gh pr view 7", URL)) == []


def test_a_branch_that_was_made_is_pointed_at() -> None:
    kept = found(human("start"), agent("Created branch `fix-rounding` and committed the changes."))
    assert (kept[0].type, kept[0].kind) == ("artifact", "pointer")


@pytest.mark.parametrize(
    "words",
    [
        "I want to do that as a separate feature.",
        "The price import is out of scope.",
        "Let's come back to the slow query later this month.",
    ],
)
def test_what_was_put_off_is_work_to_do(words: str) -> None:
    assert words in [c.evidence[0].quote for c in found(human(words))]


def test_a_bare_later_takes_the_matter_along() -> None:
    kept = found(
        human("the import has crept up to 217s..."),
        agent("I can look at it."),
        human("never mind, we'll look at it later."),
    )
    assert kept[0].kind == "todo"
    assert [s.quote for s in kept[0].evidence] == [
        "the import has crept up to 217s...",
        "never mind, we'll look at it later.",
    ]


def test_an_offer_of_the_agent_is_no_work_to_do() -> None:
    assert (
        found(
            human("go"),
            agent("As a follow-up we could clean this up later. Want me to file a ticket?"),
        )
        == []
    )
