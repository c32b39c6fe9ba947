"""Searches and contexts under a name: kept as they were given, the command line's own words
first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memctl.cli.text import saved_views as saved_view_text
from memctl.core.errors import NotFound, UsageError
from memctl.core.model import NewMemory
from memctl.engine.memory_engine import MemoryEngine
from memctl.records import saved_views


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[MemoryEngine]:
    """An engine on an empty store."""
    with MemoryEngine.open(tmp_path / "memory.db", actor="operator") as opened:
        opened.init()
        yield opened


def options_of(engine: MemoryEngine, name: str) -> dict[str, Any]:
    return dict(engine.views.show(name).items[0].options)


def test_a_view_keeps_what_was_given_and_nothing_else(engine: MemoryEngine) -> None:
    given = {
        "query": "tide API",
        "kinds": ("fact",),
        "types": (),
        "since": "7d",
        "all_projects": True,
        "everywhere": False,
        "limit": None,
    }
    report = engine.views.save("tides", "search", given)
    assert (
        report.outcome,
        report.items[0].name,
        report.items[0].kind,
        report.items[0].unknown,
    ) == ("saved", "tides", "search", ())
    assert options_of(engine, "tides") == {
        "query": "tide API",
        "kinds": ["fact"],
        "since": "7d",
        "all_projects": True,
    }


def test_a_level_or_limit_of_nought_is_something_that_was_given(engine: MemoryEngine) -> None:
    engine.views.save("titles", "context", {"level": 0, "budget": 0})
    assert options_of(engine, "titles") == {"level": 0, "budget": 0}


def test_a_name_that_is_taken_is_kept_unless_it_is_to_be_replaced(engine: MemoryEngine) -> None:
    first = engine.views.save("tides", "search", {"query": "tide"}).items[0]
    with pytest.raises(UsageError, match="tides already") as caught:
        engine.views.save("tides", "search", {"query": "ebb"})
    assert "--replace" in (caught.value.hint or "") and options_of(engine, "tides") == {
        "query": "tide"
    }
    report = engine.views.save("tides", "context", {"phase": "plan"}, replace=True)
    assert (report.outcome, report.items[0].kind, report.items[0].created_at) == (
        "replaced",
        "context",
        first.created_at,
    )
    assert options_of(engine, "tides") == {"phase": "plan"}


def test_replacing_what_is_not_there_saves_it(engine: MemoryEngine) -> None:
    assert engine.views.save("tides", "search", {"query": "tide"}, replace=True).outcome == "saved"


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "-a", ".a", "a/b", "a\nb", "a" * 65, "a;b", "a\u202eb"]
)
def test_a_name_is_letters_digits_and_a_few_marks(engine: MemoryEngine, name: str) -> None:
    with pytest.raises(UsageError, match="name"):
        engine.views.save(name, "search", {"query": "x"})


@pytest.mark.parametrize("name", ["a", "Tide-api_2.1", "_x", "\u6f6e\u6c50", "\u00fcber"])
def test_letters_of_any_script_are_letters(engine: MemoryEngine, name: str) -> None:
    engine.views.save(name, "search", {"query": "x"})
    assert engine.views.show(name).items[0].name == name


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("search", {"budget": 3}),
        ("context", {"query": "x"}),
        ("search", {"limit": "3"}),
        ("search", {"kinds": "fact"}),
        ("search", {"kinds": [1]}),
        ("context", {"level": True}),
        ("search", {"colour": "red"}),
        ("list", {}),
    ],
)
def test_an_option_that_the_kind_does_not_have_is_refused(
    engine: MemoryEngine, kind: str, options: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        engine.views.save("x", kind, options)
    assert engine.views.list().items == ()


def test_a_secret_in_a_query_is_not_kept(engine: MemoryEngine, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    engine.views.save("leak", "search", {"query": f"where is {secret}"})
    assert "[REDACTED:" in options_of(engine, "leak")["query"]
    engine.close()
    assert secret.encode() not in (tmp_path / "memory.db").read_bytes()


def test_views_are_listed_by_name_and_go_one_by_one(engine: MemoryEngine) -> None:
    for name in ("b", "a", "c"):
        engine.views.save(name, "search", {"query": name})
    assert [view.name for view in engine.views.list().items] == ["a", "b", "c"]
    assert engine.views.delete("b").outcome == "deleted"
    assert [view.name for view in engine.views.list().items] == ["a", "c"]
    for act in (engine.views.show, engine.views.delete):
        with pytest.raises(NotFound, match="b"):
            act("b")


def newer(engine: MemoryEngine, definition: object) -> None:
    """A view as another memctl may have left it."""
    db = engine.open_to_write()
    with db.write():
        at = "2026-03-01T09:00:00.000Z"
        db.run(
            "saved_views.insert",
            name="newer",
            kind="search",
            definition=json.dumps(definition),
            created_at=at,
            updated_at=at,
        )


def test_a_view_of_a_newer_memctl_is_shown_and_only_its_use_is_refused(
    engine: MemoryEngine,
) -> None:
    newer(engine, {"version": 2, "query": "tide", "mood": "calm", "kinds": {"any": ["fact"]}})
    engine.views.save("ours", "search", {"query": "x"})
    view = engine.views.show("newer").items[0]
    assert (view.options, view.unknown) == ({"query": "tide"}, ("kinds", "mood"))
    assert any(
        "newer memctl" in line and "mood" in line
        for line in saved_view_text.render_saved_views(engine.views.list())
    )
    with pytest.raises(UsageError, match=r"kinds, mood.*newer memctl"):
        engine.views.read_options("newer", "search")
    assert engine.views.read_options("ours", "search") == {"query": "x"}
    assert engine.views.save("newer", "search", {"query": "y"}, replace=True).items[0].unknown == ()


def test_a_higher_version_alone_is_no_reason_to_refuse(engine: MemoryEngine) -> None:
    newer(engine, {"version": 9, "query": "tide"})
    assert engine.views.read_options("newer", "search") == {"query": "tide"}


def test_a_definition_that_is_no_object_is_an_empty_view(engine: MemoryEngine) -> None:
    newer(engine, ["tide"])
    assert engine.views.read_options("newer", "search") == {}


def test_a_view_of_one_kind_is_none_of_the_other(engine: MemoryEngine) -> None:
    engine.views.save("tides", "search", {"query": "tide"})
    with pytest.raises(UsageError, match="memctl search"):
        engine.views.read_options("tides", "context")


def test_views_move_house(engine: MemoryEngine, tmp_path: Path) -> None:
    engine.views.save("tides", "search", {"query": "tide", "since": "7d"})
    engine.export(tmp_path / "out.jsonl")
    with MemoryEngine.open(tmp_path / "other.db", actor="operator") as other:
        other.import_(tmp_path / "out.jsonl")
        assert other.views.list() == engine.views.list()


def test_every_option_of_a_view_is_one_of_its_command() -> None:
    from memctl.cli.commands import context, search

    for kind, command in (("search", search), ("context", context)):
        assert saved_views.OPTIONS[kind].keys() <= command.run.__annotations__.keys()


def test_a_view_leaves_the_records_of_a_library_alone(engine: MemoryEngine) -> None:
    engine.ingest([NewMemory("project", "The kiln has two doors")])
    before = engine.records.list()
    engine.views.save("x", "search", {"query": "kiln"})
    engine.views.delete("x")
    assert engine.records.list() == before


def test_a_view_keeps_no_private_block_and_its_name_holds_no_secret(engine: MemoryEngine) -> None:
    engine.views.save("boxes", "search", {"query": "boxes <private>of Ottoline</private> today"})
    assert options_of(engine, "boxes") == {"query": "boxes [PRIVATE] today"}
    with pytest.raises(UsageError, match="secret") as refused:
        engine.views.save(
            "ghp_" + "a8Kd92LmQx7Zr4Tn0Vb3Yc6We1Uf5Gh2Jp9S", "search", {"query": "boxes"}
        )
    assert "ghp_" not in str(refused.value) and len(engine.views.list().items) == 1
