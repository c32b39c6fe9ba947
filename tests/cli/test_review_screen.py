"""`memctl review` on a screen of 80 columns and 24 rows, key by key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from memctl.cli.review_app import ReviewApp
from memctl.cli.review_session import ReviewSession
from memctl.core.model import Filter, NewMemory, Place
from memctl.engine.memory_engine import MemoryEngine

SIZE = (80, 24)
RULES = (
    "Always run make lint before pushing",
    "Commits have an imperative subject line",
    "Use pnpm in the web folder",
)


@pytest.fixture
def engine(db: Path) -> Iterator[MemoryEngine]:
    with MemoryEngine.open(db, actor="operator") as engine:
        engine.init()
        yield engine


def propose(db: Path, texts: Sequence[str] = RULES, kind: str = "convention") -> None:
    with MemoryEngine.open(db, actor="agent:codex") as agent:
        agent.ingest(
            [NewMemory(type="project", kind=kind, content=text, scope="global") for text in texts]
        )


def play(engine: MemoryEngine, *keys: str, check: Callable[[ReviewApp], None] | None = None) -> int:
    """Press keys on the screen and leave it; return how many answers were given."""
    app = ReviewApp(ReviewSession(engine, Place(), Filter(statuses=("inbox",))))

    async def run() -> None:
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            for key in keys:
                await pilot.press(key)
                await pilot.pause()
            if check is not None:
                check(app)
            await pilot.press("escape", "q")

    asyncio.run(run())
    return app.session.decided


def statuses(engine: MemoryEngine) -> dict[str, str]:
    page = engine.records.list(
        Filter(statuses=("inbox", "active", "archived", "superseded")), limit=-1
    )
    return {view.memory.content: view.memory.status for view in page.items}


def text_of(app: ReviewApp, name: str) -> str:
    return str(app.query_one(name).render())  # type: ignore[no-any-return]


def test_one_key_approves_and_one_rejects(engine: MemoryEngine, db: Path) -> None:
    propose(db)
    assert play(engine, "a", "r") == 2
    assert sorted(statuses(engine).values()) == ["active", "archived", "inbox"]


def test_what_was_answered_last_is_taken_back(engine: MemoryEngine, db: Path) -> None:
    propose(db)
    assert play(engine, "a", "r", "u", "u") == 0
    assert set(statuses(engine).values()) == {"inbox"}


def test_other_words_are_typed_in_place(engine: MemoryEngine, db: Path) -> None:
    propose(db, RULES[:1])
    play(engine, "e", *" twice", "enter", "a")
    assert statuses(engine) == {"Always run make lint before pushing twice": "active"}


def test_a_question_that_is_left_changes_nothing(engine: MemoryEngine, db: Path) -> None:
    propose(db, RULES[:1])
    play(engine, "e", *" twice", "escape")
    assert statuses(engine) == {RULES[0]: "inbox"}


def test_a_decision_is_asked_for_its_reason(engine: MemoryEngine, db: Path) -> None:
    engine.ingest(
        [NewMemory(type="decision", kind="decision", content="We use Valkey", scope="global")]
    )
    play(engine, "a", *"licence", "enter")
    found = engine.records.list(Filter(), limit=-1).items[0].memory
    assert (found.status, found.rationale) == ("active", "licence")


def test_a_restatement_is_merged_into_what_it_resembles(engine: MemoryEngine, db: Path) -> None:
    engine.ingest([NewMemory(type="project", kind="convention", content=RULES[0], scope="global")])
    propose(db, ["Always run make lint first, before pushing"])
    assert play(engine, "m") == 1
    assert statuses(engine)[RULES[0]] == "active"
    assert statuses(engine)["Always run make lint first, before pushing"] == "superseded"
    engine.undo()
    assert statuses(engine)["Always run make lint first, before pushing"] == "inbox"


def test_the_scope_is_set_by_its_first_letter(engine: MemoryEngine, db: Path) -> None:
    propose(db, RULES[:1])
    play(engine, "s", "s", "enter")
    assert engine.inbox.list().items[0].memory.scope in ("session", "global")


def test_the_screen_shows_the_quote_the_keys_and_how_many_wait(
    engine: MemoryEngine, db: Path
) -> None:
    propose(db)

    def check(app: ReviewApp) -> None:
        assert "1 of 3" in text_of(app, "#head")
        assert "r reject" in text_of(app, "#keys")
        assert len(text_of(app, "#keys")) <= SIZE[0]
        assert any(rule in text_of(app, "#text") for rule in RULES)

    play(engine, check=check)


def test_two_records_at_odds_are_settled_in_the_same_place(engine: MemoryEngine, db: Path) -> None:
    for text in ("Use tabs in Go files", "Use spaces in Go files"):
        engine.ingest([NewMemory(type="project", kind="convention", content=text, scope="global")])
    engine.consolidate()
    if engine.conflicts.list().items:
        assert play(engine, "o") == 1
    assert not engine.conflicts.list().items


def test_an_empty_inbox_says_so(engine: MemoryEngine) -> None:
    assert play(engine, "a", "r", check=lambda app: None) == 0


def test_words_that_steer_a_terminal_are_shown_and_not_obeyed(
    engine: MemoryEngine, db: Path
) -> None:
    propose(db, ["Run [bold]make[/bold] \x1b[31mnow\x1b[0m"])

    def check(app: ReviewApp) -> None:
        assert "[bold]make[/bold]" in text_of(app, "#text")
        assert "\x1b" not in text_of(app, "#text")

    play(engine, check=check)


def test_review_needs_a_person(here: Callable[..., Any], operator: None) -> None:
    here("init")
    said = here("review")
    assert said.code == 2 and "terminal" in said.stderr
