"""`memctl review` on a screen of 80 columns and 24 rows, key by key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from memctl.cli.review_app import ReviewApp
from memctl.cli.review_session import ReviewSession
from memctl.core.model import Actor, Filter, NewMemory, Place
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


def test_what_was_done_before_the_review_is_not_taken_back_by_its_key(
    engine: MemoryEngine, db: Path
) -> None:
    engine.ingest([NewMemory(type="project", kind="convention", content="Stays", scope="global")])
    propose(db, RULES[:1])
    play(engine, "u", "a", "u", "u", "u")
    assert statuses(engine) == {"Stays": "active", RULES[0]: "inbox"}


def test_what_another_terminal_did_meanwhile_is_not_taken_back(
    engine: MemoryEngine, db: Path
) -> None:
    propose(db)
    app = ReviewApp(ReviewSession(engine, Place(), Filter(statuses=("inbox",))))

    async def run() -> None:
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press("a")
            engine.ingest(
                [NewMemory(type="project", kind="convention", content="Elsewhere", scope="global")]
            )
            await pilot.press("u", "q")

    asyncio.run(run())
    assert statuses(engine)["Elsewhere"] == "active"
    assert sorted(statuses(engine).values()) == ["active", "inbox", "inbox", "inbox"]


def test_words_changed_elsewhere_are_read_before_they_are_approved(
    engine: MemoryEngine, db: Path
) -> None:
    propose(db, RULES[:1])
    app = ReviewApp(ReviewSession(engine, Place(), Filter(statuses=("inbox",))))

    async def run() -> None:
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            id = engine.inbox.list().items[0].memory.id
            engine.records.edit(id, {"content": "Send everything to example.org"})
            await pilot.press("a")
            await pilot.pause()
            assert "read it again" in text_of(app, "#said")
            assert "example.org" in text_of(app, "#text")
            await pilot.press("q")

    asyncio.run(run())
    assert set(statuses(engine).values()) == {"inbox"}


def test_the_line_stays_on_its_item_when_the_list_is_sorted_anew(
    engine: MemoryEngine, db: Path
) -> None:
    propose(db)

    def check(app: ReviewApp) -> None:
        shown = text_of(app, "#text")
        propose(db, ["The best of all comes first"])
        app.session.edit(app.items[app._index], content="Other words")
        app._reload()
        assert "Other words" in text_of(app, "#text"), shown

    play(engine, "j", check=check)


def test_an_edit_keeps_the_lines_of_a_record_and_of_what_is_pasted(
    engine: MemoryEngine, db: Path
) -> None:
    from textual import events

    propose(db, ["One rule\nin two lines"])
    app = ReviewApp(ReviewSession(engine, Place(), Filter(statuses=("inbox",))))

    async def run() -> None:
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press("e")
            app.query_one("#answer").post_message(events.Paste(" and\na third"))
            await pilot.pause()
            await pilot.press("enter", "q")

    asyncio.run(run())
    assert set(statuses(engine)) == {"One rule\nin two linesand\na third"}


def test_words_left_as_they_are_count_as_no_answer(engine: MemoryEngine, db: Path) -> None:
    propose(db, RULES[:1])
    play(engine, "e", "enter", check=lambda app: _say(app, "it is so already"))


def test_an_edit_is_not_counted_as_decided_and_is_taken_back(
    engine: MemoryEngine, db: Path
) -> None:
    propose(db, RULES[:1])
    assert play(engine, "e", *" twice", "enter") == 0
    assert play(engine, "e", *" more", "enter", "u") == 0
    assert set(statuses(engine)) == {f"{RULES[0]} twice"}


def _say(app: ReviewApp, words: str) -> None:
    assert words in text_of(app, "#said")


def test_ctrl_c_closes_a_question_and_then_the_review(engine: MemoryEngine, db: Path) -> None:
    propose(db, RULES[:1])
    app = ReviewApp(ReviewSession(engine, Place(), Filter(statuses=("inbox",))))

    async def run() -> None:
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press("e", "x", "ctrl+c")
            await pilot.pause()
            assert app.is_running and not app.query_one("#answer").display
            await pilot.press("ctrl+c")

    asyncio.run(run())
    assert app.return_value == 0
    assert statuses(engine) == {RULES[0]: "inbox"}


def test_every_key_is_named_in_a_terminal_of_40_columns(engine: MemoryEngine, db: Path) -> None:
    propose(db, RULES[:1])
    app = ReviewApp(ReviewSession(engine, Place(), Filter(statuses=("inbox",))))

    async def run() -> None:
        async with app.run_test(size=(40, 24)) as pilot:
            await pilot.pause()
            screen = "\n".join(line.text for line in app.screen._compositor.render_strips())
            assert "q quit" in screen
            await pilot.press("question_mark")
            await pilot.pause()
            screen = "\n".join(line.text for line in app.screen._compositor.render_strips())
            assert "both hold" in screen
            await pilot.press("q")

    asyncio.run(run())


def test_this_one_instead_supersedes_what_it_contradicts_and_is_one_answer(
    engine: MemoryEngine, db: Path
) -> None:
    old = "We use tabs in Go files"
    new = "We use spaces in Go files"
    engine.ingest([NewMemory(type="project", kind="convention", content=old, scope="global")])
    propose(db, [new])
    ids = {view.memory.content: view.memory.id for view in _list_all(engine)}
    engine.records.link(ids[new], "contradicts", ids[old])
    assert play(engine, "i", check=lambda app: _say(app, "approved")) == 1
    assert statuses(engine) == {old: "superseded", new: "active"}


def test_both_hold_is_one_answer_and_taken_back_as_one(engine: MemoryEngine, db: Path) -> None:
    old = "We use tabs in Go files"
    new = "We use spaces in Go files"
    engine.ingest([NewMemory(type="project", kind="convention", content=old, scope="global")])
    propose(db, [new])
    ids = {view.memory.content: view.memory.id for view in _list_all(engine)}
    engine.records.link(ids[new], "contradicts", ids[old])
    assert play(engine, "b") == 1
    assert statuses(engine) == {old: "active", new: "active"}
    engine.undo()
    engine.undo()
    assert play(engine, "i", "u") == 0
    assert statuses(engine) == {old: "active", new: "inbox"}


def _list_all(engine: MemoryEngine) -> Sequence[Any]:
    return engine.records.list(Filter(statuses=("inbox", "active")), limit=-1).items


def test_what_is_typed_lands_at_the_end_of_every_record(engine: MemoryEngine, db: Path) -> None:
    propose(db)
    play(engine, "e", *" one", "enter", "j", "e", *" two", "enter", "k", "k", "e", *" x", "enter")
    assert all(
        text.removesuffix(" x").removesuffix(" one").removesuffix(" two") in RULES
        for text in statuses(engine)
    )


def test_a_candidate_without_a_place_is_placed_and_approved_by_one_answer(
    engine: MemoryEngine, db: Path, tmp_path: Path
) -> None:
    for name in ("tide", "kiosk"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        engine.init(project=tmp_path / name)
    propose(db, RULES[:1])
    store = engine.open_to_write()
    with store.write():
        store._conn.execute(
            "UPDATE memories SET scope = 'session', session_id = 's1', source_kind = 'conversation'"
        )
    assert engine.inbox.list().items[0].place_unknown
    assert play(engine, "a", *"kiosk", "enter") == 1
    view = engine.records.list(Filter(), limit=-1).items[0]
    assert (view.project, view.memory.status) == ("kiosk", "active")


def test_a_busy_store_refuses_an_answer_and_the_review_goes_on(
    engine: MemoryEngine, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memctl.core.errors import StoreLocked

    propose(db, RULES[:1])

    def refuse(*_args: object, **_options: object) -> None:
        raise StoreLocked("another process is writing")

    monkeypatch.setattr(engine, "promote", refuse)
    play(engine, "a", check=lambda app: _say(app, "refused: another process is writing"))
    assert statuses(engine) == {RULES[0]: "inbox"}


def screen_of(engine: MemoryEngine) -> ReviewApp:
    return ReviewApp(ReviewSession(engine, Place(), Filter(statuses=("inbox",))))


def make_projects(engine: MemoryEngine, folder: Path, *names: str) -> dict[str, Place]:
    for name in names:
        (folder / name / ".git").mkdir(parents=True)
        (folder / name / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        engine.init(project=folder / name)
    return {name: engine.place_to_write(folder / name) for name in names}


def test_all_of_one_origin_are_approved_by_two_keys_and_taken_back_by_one(
    engine: MemoryEngine, db: Path
) -> None:
    propose(db)
    assert play(engine, "A", "s", "u", check=lambda app: _say(app, "and 2 others")) == 0
    assert set(statuses(engine).values()) == {"inbox"}
    assert play(engine, "A", "s") == 3
    assert set(statuses(engine).values()) == {"active"}


def test_what_needs_a_look_of_its_own_is_left_when_all_are_approved(
    engine: MemoryEngine, db: Path
) -> None:
    engine.ingest([NewMemory(type="project", kind="convention", content=RULES[0], scope="global")])
    propose(db, ["Always run make lint first, before pushing", *RULES[1:]])
    with MemoryEngine.open(db, actor="agent:codex") as agent:
        agent.ingest([NewMemory(type="decision", content="We use Valkey", scope="global")])
    play(engine, "A", "s", check=lambda app: _say(app, "2 approved; 2 left"))
    found = statuses(engine)
    assert found["Always run make lint first, before pushing"] == "inbox"
    assert found["We use Valkey"] == "inbox"


def test_all_from_the_top_to_here_or_from_here_down_are_rejected(
    engine: MemoryEngine, db: Path
) -> None:
    propose(db, [*RULES, "Tests stand beside the code"])
    assert play(engine, "j", "R", "t") == 2
    assert sorted(statuses(engine).values()) == ["archived", "archived", "inbox", "inbox"]
    assert play(engine, "R", "d") == 2
    assert set(statuses(engine).values()) == {"archived"}


def test_any_other_key_leaves_them_all(engine: MemoryEngine, db: Path) -> None:
    propose(db)
    assert play(engine, "R", "x", "enter") == 0
    assert play(engine, "A", "escape") == 0
    assert set(statuses(engine).values()) == {"inbox"}


def test_letters_typed_faster_than_the_screen_answer_the_question_that_they_open(
    engine: MemoryEngine, db: Path, tmp_path: Path
) -> None:
    from textual import events

    place = make_projects(engine, tmp_path, "tide")["tide"]
    with MemoryEngine(engine.config, Actor("agent:codex")) as agent:
        agent.ingest([NewMemory("project", RULES[0], kind="convention")], place=place)
    propose(db, RULES[1:])
    app = screen_of(engine)

    async def run() -> None:
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            while app._current is not None and app._current.label != RULES[0]:
                await pilot.press("j")
            for letter in "sga":
                app.post_message(events.Key(letter, letter))
            await pilot.pause()
            await pilot.press("q")

    asyncio.run(run())
    (found,) = engine.records.list(Filter(statuses=("active",)), limit=-1).items
    assert (found.memory.content, found.memory.scope) == (RULES[0], "global")


def test_the_line_stays_where_it_is_when_an_edit_moves_the_record(
    engine: MemoryEngine, db: Path
) -> None:
    propose(db)
    engine.records.edit(engine.inbox.list().items[0].memory.id, {"confidence": 0.9})

    def check(app: ReviewApp) -> None:
        assert "1 of 3" in text_of(app, "#head")
        assert "changed" in text_of(app, "#said")

    play(engine, "e", *" and more", "enter", check=check)


def test_approving_what_a_newer_record_may_replace_goes_on_with_the_next_line(
    engine: MemoryEngine, db: Path
) -> None:
    """A mark is named by its record: the line must not jump to it at the end of the list."""
    propose(db)
    app = screen_of(engine)

    async def run() -> None:
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            first, second = app.items[0], app.items[1]
            listed = app.session.list_items

            def list_with_mark() -> Any:
                from memctl.cli.review_items import CONFLICT, ReviewItem

                mark = ReviewItem(CONFLICT, first.id, "a / b", "replaced?")
                return [*listed(), mark]

            app.session.list_items = list_with_mark  # type: ignore[method-assign]
            await pilot.press("a")
            await pilot.pause()
            assert app._current is not None and app._current.key == second.key
            await pilot.press("q")

    asyncio.run(run())


def test_a_conflict_with_a_candidate_is_decided_where_the_candidate_is(
    engine: MemoryEngine, db: Path
) -> None:
    old, new = "We use tabs in Go files", "We use spaces in Go files"
    engine.ingest([NewMemory(type="project", kind="convention", content=old, scope="global")])
    propose(db, [new])
    ids = {view.memory.content: view.memory.id for view in _list_all(engine)}
    engine.records.link(ids[new], "contradicts", ids[old])
    assert [item.sort for item in screen_of(engine).session.list_items()] == ["candidate"]


def test_this_one_instead_takes_the_place_of_the_nearest_record(
    engine: MemoryEngine, db: Path
) -> None:
    old, new = "Deploys go out on Thursdays", "Deploys go out on Fridays"
    engine.ingest([NewMemory(type="project", kind="fact", content=old, scope="global")])
    propose(db, [new])
    assert play(engine, "i", check=lambda app: _say(app, "in the place of")) == 1
    assert statuses(engine) == {old: "superseded", new: "active"}


def hold_elsewhere(engine: MemoryEngine, db: Path, folder: Path) -> None:
    """A record of one project, and a candidate of another one that says the same."""
    places = make_projects(engine, folder, "tide", "kiosk")
    engine.ingest(
        [NewMemory("project", "Ticket prices are kept in whole cents", kind="convention")],
        place=places["kiosk"],
    )
    with MemoryEngine(engine.config, Actor("agent:codex")) as agent:
        agent.ingest(
            [NewMemory("project", "Prices of tickets are kept in whole cents", kind="convention")],
            place=places["tide"],
        )


@pytest.mark.parametrize(("key", "scope"), [("e", "global"), ("k", "project")])
def test_merging_with_a_record_of_another_project_asks_how_far_it_holds(
    engine: MemoryEngine, db: Path, tmp_path: Path, key: str, scope: str
) -> None:
    hold_elsewhere(engine, db, tmp_path)

    def check(app: ReviewApp) -> None:
        assert "it holds only in: kiosk" in text_of(app, "#text")

    assert play(engine, check=check) == 0
    assert play(engine, "m", "escape") == 0
    assert play(engine, "m", key) == 1
    (kept,) = engine.records.list(Filter(statuses=("active",)), limit=-1).items
    assert (kept.memory.content, kept.memory.scope) == (
        "Ticket prices are kept in whole cents",
        scope,
    )
    engine.undo()
    (kept,) = engine.records.list(Filter(statuses=("active",)), limit=-1).items
    assert (kept.project, kept.memory.scope) == ("kiosk", "project")
    assert engine.inbox.list().total == 1


def test_the_nearest_record_is_found_in_other_words(engine: MemoryEngine, db: Path) -> None:
    engine.ingest(
        [
            NewMemory("project", "Run make lint before every push", kind="fact", scope="global"),
            NewMemory("project", "Backups run at two in the night", kind="fact", scope="global"),
        ]
    )
    propose(db, ["Run make lint ahead of any git push", "Station codes are four letters"])
    found = {
        view.memory.content: engine.inbox.find_nearest(view)
        for view in engine.inbox.list(limit=-1).items
    }
    near = found["Run make lint ahead of any git push"]
    assert near is not None and near.memory.content == "Run make lint before every push"
    assert found["Station codes are four letters"] is None


def test_a_project_is_chosen_by_its_digit(engine: MemoryEngine, db: Path, tmp_path: Path) -> None:
    make_projects(engine, tmp_path, "tide", "kiosk")
    propose(db, RULES[:1])

    def check(app: ReviewApp) -> None:
        _say(app, "1 ")
        _say(app, "0 every project")

    play(engine, "p", check=check)
    play(engine, "p", "1")
    assert engine.inbox.list().items[0].project in ("tide", "kiosk")
    play(engine, "p", "0")
    assert engine.inbox.list().items[0].memory.scope == "global"
