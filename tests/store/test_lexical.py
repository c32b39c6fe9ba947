"""The index says who may see what, and how frequent a word is, at a cost that does not grow with
the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from invented import House

from memctl.store import lexical, records


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """An empty store with the project `mill`."""
    opened = House(tmp_path)
    yield opened
    opened.db.close()


def test_frequencies_are_exact_in_a_small_store(house: House) -> None:
    for n in range(5):
        house.add(f"kiln {'brick' if n % 2 else 'door'}")
    assert lexical.count_frequencies(house.db, ["kiln", "brick", "zeppelin"]) == {
        "kiln": 5,
        "brick": 2,
        "zeppelin": 0,
    }
    assert lexical.count_frequencies(house.db, []) == {} and lexical.count_indexed(house.db) == 5


def test_in_a_large_store_frequent_words_are_estimated_and_rare_ones_counted(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical, "_SAMPLE", 10)
    monkeypatch.setattr(lexical, "_RARE_IN_SAMPLE", 5)
    house.add("sluice")
    for n in range(19):
        house.add(f"kiln {n}")
    assert lexical.count_frequencies(house.db, ["kiln", "sluice"]) == {"kiln": 20, "sluice": 1}


def test_the_place_of_a_record_is_no_word_of_it_and_has_no_weight(house: House) -> None:
    memory = house.add("kiln")
    n = records.find_number(house.db, memory.id)
    scope = lexical.Scope(projects=(house.mill.id,))
    assert lexical.score_visible(house.db, ["kiln"], scope, 5)[n] == pytest.approx(
        lexical.score_record(house.db, ["kiln"], n)
    )
    assert lexical.score_visible(house.db, [lexical.compute_scope_key(memory)], scope, 5) == {}


def test_a_record_that_moves_is_found_in_its_new_place_only(house: House) -> None:
    other = house.project("bakery")
    memory = house.add("kiln")
    house.change(memory, "2026-04-01T00:00:00.000Z", project_id=other.id)
    assert (
        lexical.score_visible(house.db, ["kiln"], lexical.Scope(projects=(house.mill.id,)), 5) == {}
    )
    assert (
        len(lexical.score_visible(house.db, ["kiln"], lexical.Scope(projects=(other.id,)), 5)) == 1
    )


def test_reindexing_leaves_one_entry(house: House) -> None:
    memory = house.add("kiln")
    n = records.find_number(house.db, memory.id)
    with house.db.write():
        lexical.put_entry(house.db, n, memory)
    assert (
        lexical.count_indexed(house.db) == 1
        and lexical.read_texts(house.db, [n])[n]["title"] == "kiln"
    )


def test_an_episode_is_found_by_what_was_done_in_it_not_by_the_words_it_is_told_in(
    house: House,
) -> None:
    story = (
        "Asked: paint the kiln. Then: use blue. Done: The kiln is painted. Files: kiln.py. "
        "Ended: with the operator's words."
    )
    house.add(
        story,
        type="episode",
        kind="summary",
        title="Paint the kiln",
        summary=story,
        subject="session 7",
    )
    scope = lexical.Scope(projects=(house.mill.id,))
    assert lexical.score_visible(house.db, ["painted"], scope, 5) and lexical.score_visible(
        house.db, ["blue"], scope, 5
    )
    for frame in ("asked", "ended", "operator", "summary", "session", "done", "files"):
        assert lexical.score_visible(house.db, [frame], scope, 5) == {}


def test_a_record_is_found_however_many_better_matches_do_not_pass_the_filters(
    house: House,
) -> None:
    for _ in range(30):
        house.add("kiln", status="archived")
    kept = [house.add(f"kiln {'brick ' * n}") for n in (1, 2, 3)]
    scope = lexical.Scope(projects=(house.mill.id,))
    assert list(lexical.score_visible(house.db, ["kiln"], scope, 2)) == [
        records.find_number(house.db, memory.id) for memory in kept[:2]
    ]
    assert len(lexical.score_visible(house.db, ["kiln"], scope, 5)) == 3


IDENTIFIERS = {
    "The build reads snake_case_name and camelCaseName in src/app/main.py and C:\\tools\\x.txt": (
        *(
            "snake_case_name",
            "snake_case",
            "snake",
            "camelCaseName",
            "camelcasename",
            "camel case",
            "src/app/main.py",
            "app/main.py",
            "main.py",
        ),
        *("C:\\tools\\x.txt", "x.txt", "where is main.py?"),
    ),
    (
        "Use --dry-run or -x; HTTPServer2 raises E0308 and ERR_MODULE_NOT_FOUND, code 0x80070005 "
        "in v1.2.3"
    ): (
        *(
            "--dry-run",
            "dry-run",
            "dry run",
            "dryrun",
            "-x",
            "HTTPServer2",
            "http server",
            "E0308",
            "ERR_MODULE_NOT_FOUND",
            "module_not_found",
        ),
        *("err module not found", "0x80070005", "80070005", "v1.2.3", "1.2.3"),
    ),
    "node.js and c++ and C# and @scope/pkg call foo::bar via obj->field_one": (
        *(
            "node.js",
            "nodejs",
            "c++",
            "C#",
            "@scope/pkg",
            "scope pkg",
            "foo::bar",
            "obj->field_one",
            "field_one",
        ),
    ),
    (
        "Run 3f2b8c1e-9d4a-4e7b-8a11-0c5d6e7f8a9b is anna.berg@mill.example's, see "
        "https://wiki.mill.example/page?id=7 on 192.168.10.7"
    ): (
        *(
            "3f2b8c1e-9d4a-4e7b-8a11-0c5d6e7f8a9b",
            "3f2b8c1e",
            "anna.berg@mill.example",
            "anna",
            "wiki.mill.example",
            "192.168.10.7",
        ),
        *("https://wiki.mill.example/page?id=7", "192.168"),
    ),
    "PascalCaseThing and getURLFromXMLDoc live in memctl.store.lexical": (
        *(
            "PascalCaseThing",
            "pascal case thing",
            "getURLFromXMLDoc",
            "get_url_from_xml_doc",
            "xml doc",
            "store.lexical",
            "memctl/store/lexical.py",
        ),
    ),
}


@pytest.mark.parametrize("record", IDENTIFIERS)
def test_an_identifier_is_found_whole_and_by_part(house: House, record: str) -> None:
    for text in IDENTIFIERS:
        house.add(text)
    assert [asked for asked in IDENTIFIERS[record] if house.found(asked)[:1] != [record]] == []


def test_a_day_finds_what_was_observed_and_what_speaks_of_it(house: House) -> None:
    house.add("The kiln was lit", at="2026-04-07T10:00:00.000Z")
    house.add("The sluice is mended on 7 April 2026")
    house.add("The kiln cost 7 crowns", at="2026-07-04T10:00:00.000Z")
    for asked in (
        "2026-04-07",
        "April 7th, 2026",
        "7. April 2026",
        "7.4.2026",
        "2026年4月7日",
        "what happened on 7 Apr 2026?",
    ):
        assert set(house.found(asked)) == {
            "The kiln was lit",
            "The sluice is mended on 7 April 2026",
        }, asked


def test_a_day_is_found_by_the_command_too(house: House, memctl: Callable[..., Any]) -> None:
    house.add("データベースのバックアップは毎晩取得する", at="2026-04-07T10:00:00.000Z")
    house.db.close()
    for asked in ("2026年4月7日", "ﾃﾞｰﾀﾍﾞｰｽ", "バックアップ"):
        ran = memctl("search", asked, "--project", "mill", "--db", house.db.path, "--json")
        assert [item["content"] for item in ran.data["items"]] == [
            "データベースのバックアップは毎晩取得する"
        ], asked


def test_a_word_with_any_ending_is_counted_in_every_form(house: House) -> None:
    for text in ("Datenbank", "Datenbanken", "Datei"):
        house.add(text)
    assert lexical.count_frequencies(house.db, ["datenbank*", "datenbank"]) == {
        "datenbank*": 2,
        "datenbank": 1,
    }
