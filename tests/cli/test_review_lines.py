"""`memctl inbox --review` on a plain terminal: what one key and Enter do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memctl.core.model import Filter, NewMemory
from memctl.engine.memory_engine import MemoryEngine

RULES = ("Always run make lint", "Commits have an imperative subject line", "Use pnpm in web")
Review = Callable[..., list[str]]


@pytest.fixture
def review(here: Callable[..., Any], operator: None, monkeypatch: pytest.MonkeyPatch) -> Review:
    """Run the review with these answers; return all that was said."""

    def run(*answers: str, by: Sequence[str] = ("inbox", "--review")) -> list[str]:
        left, said = list(answers), list[str]()

        def answer(question: str) -> str:
            said.append(question)
            return left.pop(0) if left else "q"

        monkeypatch.setattr("memctl.cli.prompts.is_person", lambda: True)
        monkeypatch.setattr("memctl.cli.prompts.ask", answer)
        monkeypatch.setattr("memctl.cli.prompts.say", lambda *lines: said.extend(lines))
        ran = here(*by)
        assert ran.code in (0, 1), ran.stderr
        return [*said, ran.stdout]

    here("init")
    return run


def propose(db: Path, texts: Sequence[str] = RULES) -> None:
    with MemoryEngine.open(db, actor="agent:codex") as agent:
        agent.ingest(
            [NewMemory("project", text, kind="convention", scope="global") for text in texts]
        )


def hold(db: Path, text: str) -> None:
    with MemoryEngine.open(db, actor="operator") as engine:
        engine.ingest([NewMemory("project", text, kind="convention", scope="global")])


def statuses(db: Path) -> dict[str, str]:
    with MemoryEngine.open(db, actor="operator") as engine:
        wanted = Filter(statuses=("inbox", "active", "archived", "superseded"))
        page = engine.records.list(wanted, limit=-1)
        return {view.memory.content: view.memory.status for view in page.items}


def test_the_last_answer_is_taken_back_and_asked_again(review: Review, db: Path) -> None:
    propose(db)
    said = review("r", "u", "a", "q")
    assert sorted(statuses(db).values()) == ["active", "inbox", "inbox"]
    assert sum(line == "1 of 3" for line in said) == 2
    assert "rejected" not in said[-1] and "2 left to decide" in said[-1]


def test_all_that_are_left_of_one_origin_are_rejected_at_once(review: Review, db: Path) -> None:
    propose(db)
    said = review("a", "R", "s")
    assert sorted(statuses(db).values()) == ["active", "archived", "archived"]
    assert any("[s] 2 of this origin" in line for line in said)
    assert "0 left to decide" in said[-1]


def test_all_are_approved_at_once_but_what_needs_a_look(review: Review, db: Path) -> None:
    hold(db, RULES[0])
    propose(db, ["Always run make lint first, every time", *RULES[1:]])
    review("s", "A", "t", "q")
    review("A", "d")
    assert statuses(db)["Always run make lint first, every time"] == "inbox"
    assert [statuses(db)[rule] for rule in RULES[1:]] == ["active", "active"]


def test_no_answer_to_which_ones_leaves_them_all(review: Review, db: Path) -> None:
    propose(db)
    review("A", "", "q")
    assert set(statuses(db).values()) == {"inbox"}


def test_a_restatement_is_merged_and_another_value_takes_the_place(
    review: Review, db: Path
) -> None:
    hold(db, "Deploys go out on Thursdays")
    hold(db, RULES[0])
    propose(db, ["Deploys go out on Fridays", "Always run make lint first, every time"])
    said = review(*(["i", "m"] if _comes_first(db, "Deploys go out on Fridays") else ["m", "i"]))
    assert any("nearest:" in line for line in said)
    assert statuses(db) == {
        "Deploys go out on Thursdays": "superseded",
        "Deploys go out on Fridays": "active",
        RULES[0]: "active",
        "Always run make lint first, every time": "superseded",
    }


def _comes_first(db: Path, text: str) -> bool:
    with MemoryEngine.open(db, actor="operator") as engine:
        return engine.inbox.list().items[0].memory.content == text


def test_a_review_begins_with_the_project_of_the_folder(review: Review, db: Path) -> None:
    with MemoryEngine.open(db, actor="operator") as engine:
        engine.init(project=Path.cwd())
    propose(db)
    with MemoryEngine.open(db, actor="agent:codex") as agent:
        ours = NewMemory("project", "The harbour map is redrawn in May", kind="convention")
        agent.ingest([replace(ours, confidence=0.1)], place=agent.place(Path.cwd()))
    said = review("q")
    assert "The harbour map" in said[said.index("1 of 4") + 1 :][1]


def test_without_its_screen_a_review_goes_one_by_one(
    review: Review, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    propose(db)
    monkeypatch.setitem(sys.modules, "textual", None)
    monkeypatch.delitem(sys.modules, "memctl.cli.review_app", raising=False)
    monkeypatch.delattr("memctl.cli.review_app", raising=False)
    said = review("a", "q", by=["review"])
    assert "the extra `review`" in said[0]
    assert sorted(statuses(db).values()) == ["active", "inbox", "inbox"]
