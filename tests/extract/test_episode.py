"""The one episode of a session."""

from __future__ import annotations

from extract_samples import agent, chat, edited, human, other, plan, session

from memctl.core.model import Transcript
from memctl.extract import episode, extract


def test_a_session_has_exactly_one_episode_and_it_comes_first() -> None:
    kept = extract(
        session(human("fix the rounding"), agent("Fixed the rounding of totals in the cart."))
    )
    assert [c.type for c in kept].count("episode") == 1
    assert kept[0].type == "episode"


def test_an_episode_tells_what_was_asked_done_touched_and_how_it_ended() -> None:
    told = extract(
        session(
            human("fix the rounding of totals"),
            edited("/src/shop/cart.py"),
            agent("I've fixed the rounding of totals in the cart."),
            human("nice, that worked!"),
            cwd="/src/shop",
        )
    )[0].content
    assert "Asked: fix the rounding of totals" in told
    assert "Done: I've fixed the rounding" in told
    assert "Files: cart.py" in told
    assert "Ended: with the operator's words: nice, that worked!" in told


def test_a_session_that_grows_keeps_the_title_and_first_evidence_of_its_episode() -> None:
    turns = [
        human("fix the rounding of totals"),
        agent("Done, the totals are right now."),
        human("also in the invoice"),
        agent("Fixed it there too."),
    ]
    episodes = [extract(session(*turns[: n + 1]))[0] for n in range(len(turns))]
    assert len({(e.title, e.evidence[0], e.subject) for e in episodes}) == 1


def test_nobody_said_anything_gives_nothing() -> None:
    assert extract(Transcript(format="test", agent="test", session_id="s", turns=())) == []
    assert extract(session(other("summary", "compact", "We talked about carts."))) == []


def test_a_plan_can_open_a_session() -> None:
    assert (
        extract(
            session(
                plan("# Move the totals\n\nMove all totals into one place.", ok=True),
                agent("Implemented the plan."),
            )
        )[0].title
        == "Move the totals"
    )


def test_a_talk_names_its_people() -> None:
    assert (
        "ann, bob"
        in extract(chat(("ann", "hello bob, how is the import?"), ("bob", "it runs well now")))[
            0
        ].content
    )


def test_an_episode_in_somebodys_own_words_has_no_parts() -> None:
    assert episode.parse_episode_parts("Dressed the third stone with Anna") == {}
    assert episode.parse_episode_parts("Asked: Mend it. Done: mended it.") == {
        "Asked": "Mend it",
        "Done": "mended it",
    }
