"""`memctl search --hub`: what one's own store does not hold is found at the hub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bench import Bench

from memctl.core import clock
from memctl.core.model import Memory, Place, Query
from memctl.store import sync_group
from memctl.sync import hub_records, keys
from memctl.sync.place import PURGED_STAMP, SearchableRow
from memctl.sync.postgres_place import PostgresPlace, open_postgres
from tests.sync.hub_group import User

ELSEWHERE = "project:01KELSEWHERE0000000000000A"
AT = "2026-03-01T10:00:00.000Z"


class Searched:
    """A store that meets others at a hub, and a colleague who shares a project there."""

    def __init__(self, bench: Bench, address: str, folder: Path) -> None:
        self.bench, self.db = bench, bench.operator.open_to_write()
        self.config = bench.operator.config
        self.keys = keys.found_group(self.db, self.config, "anna")
        self.place = open_postgres(self.config, address, self.keys, create=True)
        with self.db.write():
            sync_group.put_place(
                self.db, self.place.name, "postgres", is_encrypted=False, at=clock.now()
            )
        self.ben = self._invite(folder, "ben")

    def _invite(self, folder: Path, member: str) -> PostgresPlace:
        from memctl.settings.config import load_config

        (folder / member).mkdir()
        user = User(self.keys.group, member, "B1")
        config = load_config(folder / member / "memory.db")
        made = open_postgres(config, self.place.invite_member(member), user)
        made.write_card("B1", b"card")
        return made

    def share(
        self,
        content: str,
        *,
        place: PostgresPlace | None = None,
        stream: str = ELSEWHERE,
        **more: Any,
    ) -> str:
        """Let somebody (Ben) share a record of a project that this store does not have."""
        stamp, row = more.pop("stamp", 1), more.pop("row", {})
        memory = build_memory(content, **more)
        place = place or self.ben
        place.ask(lambda connection: place._put_stream(connection, stream))
        place.write_rows(
            [hub_records.build_row(memory, stream, stamp, project="lighthouse", **row)]
        )
        return memory.id

    def search(self, words: str, **more: Any) -> Any:
        asked = Query(words, more.pop("place", Place()), **more)
        return self.bench.operator.search(asked, asks_hubs=True)

    def close(self) -> None:
        self.place.close()
        self.ben.close()


def build_memory(content: str, **more: Any) -> Memory:
    values = {
        "id": clock.new_id(),
        "type": "project",
        "kind": "fact",
        "scope": "project",
        "status": "active",
        "title": content[:60],
        "summary": content,
        "owner": "shared",
        "source_kind": "manual",
        "confidence": 0.9,
        "trust": 5,
        "observed_at": AT,
        "fingerprint": "",
        "created_at": AT,
        "updated_at": AT,
    }
    return Memory(content=content, **{**values, **more})


@pytest.fixture
def searched(bench: Bench, hub_address: str, tmp_path: Path) -> Iterator[Searched]:
    made = Searched(bench, hub_address, tmp_path)
    yield made
    made.close()


def contents(report: Any) -> list[str]:
    return [hit.record.memory.content for hit in report.items]


LAMP = "The lamp of the lighthouse is tested with `make lamp-check` before every release."


def test_what_a_colleague_shares_is_found_and_marked(searched: Searched) -> None:
    searched.share(LAMP)
    report = searched.search("how is the lamp of the lighthouse tested")
    (hit,) = report.items
    assert hit.record.memory.content == LAMP
    assert (hit.hub, hit.member, hit.record.project) == (searched.place.name, "ben", "lighthouse")
    assert "lamp" in hit.matched and hit.parts["lexical"] > 0 and "matches" in hit.why
    (answer,) = report.hubs
    assert answer.found == 1 and answer.problem is None and "rarity" in (answer.ranking or "")


def test_others_words_are_trusted_as_little_as_an_agents(searched: Searched) -> None:
    searched.share(LAMP)
    searched.share("Our lamp is painted red, as the lighthouse wants it.", place=searched.place)
    trust = {hit.member: hit.record.memory.trust for hit in searched.search("lamp").items}
    assert trust == {"ben": 2, "anna": 5}


def test_without_the_option_no_hub_is_asked(searched: Searched) -> None:
    searched.share(LAMP)
    assert searched.bench.operator.search("lamp of the lighthouse").items == ()


def test_a_record_that_is_here_too_is_shown_once(searched: Searched) -> None:
    here = searched.bench.operator.ingest
    from memctl.core.model import NewMemory

    written = here([NewMemory(type="project", content=LAMP, scope="global")]).items[0]
    searched.share(LAMP, id=written.record.memory.id)
    searched.share(LAMP)
    report = searched.search("lamp of the lighthouse")
    assert contents(report) == [LAMP]
    assert report.items[0].hub is None


def test_a_record_that_was_archived_here_does_not_come_back_by_the_hub(searched: Searched) -> None:
    from memctl.core.model import NewMemory

    engine = searched.bench.operator
    written = engine.ingest([NewMemory(type="project", content=LAMP, scope="global")]).items[0]
    engine.forget([written.record.memory.id])
    searched.share(LAMP, id=written.record.memory.id)
    assert searched.search("lamp of the lighthouse").items == ()


def test_a_newer_state_replaces_an_older_one_whatever_comes_first(searched: Searched) -> None:
    record = searched.share("The lamp of the lighthouse turns left.", stamp=7)
    searched.share("The lamp of the lighthouse turned right.", id=record, stamp=3)
    assert contents(searched.search("lamp lighthouse")) == [
        "The lamp of the lighthouse turns left."
    ]


def test_a_purged_record_is_found_no_more(searched: Searched) -> None:
    record = searched.share(LAMP)
    searched.ben.write_rows([SearchableRow(ELSEWHERE, record, PURGED_STAMP, None)])
    searched.share(LAMP, id=record, stamp=10**14)
    assert searched.search("lamp of the lighthouse").items == ()


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"types": ("decision",)}, False),
        ({"types": ("project",)}, True),
        ({"kinds": ("command",)}, False),
        ({"scopes": ("global",)}, False),
        ({"tags": ("harbour",)}, True),
        ({"tags": ("harbour", "sea")}, False),
        ({"min_confidence": 0.95}, False),
        ({"since": "2026-03-02"}, False),
        ({"until": "2026-03-02T00:00:00.000Z"}, True),
    ],
)
def test_the_filters_of_a_search_hold_at_the_hub(
    searched: Searched, asked: dict[str, Any], found: bool
) -> None:
    searched.share(LAMP, row={"own_tags": ("harbour",)})
    report = searched.search("lamp of the lighthouse", **asked)
    assert bool(report.items) == found
    assert all(hit.record.tags == ("harbour",) for hit in report.items)


def test_what_is_superseded_or_over_is_told_only_where_it_is_asked_for(searched: Searched) -> None:
    searched.share("The lamp of the lighthouse burns oil.", status="superseded")
    searched.share(
        "The lamp of the lighthouse is off today.", valid_until="2026-03-02T00:00:00.000Z"
    )
    assert searched.search("lamp of the lighthouse").items == ()
    assert len(searched.search("lamp of the lighthouse", include=("superseded",)).items) == 1


def test_what_is_no_record_is_passed_over(searched: Searched) -> None:
    """Anybody of the group may have written anything: a row is read with suspicion."""
    good = searched.share(LAMP)
    for more in ({"trust": 9}, {"type": "order"}, {"observed_at": "soon"}, {"confirmed_at": 5}):
        searched.share("The lamp of the lighthouse lies.", **more)
    searched.ben.ask(
        lambda connection: (
            connection.execute(
                "UPDATE memctl.records SET body = '[1]' WHERE record <> %s AND type = 'order'",
                (good,),
            )
            and None
        )
    )
    assert contents(searched.search("lamp of the lighthouse")) == [LAMP]


def test_hostile_words_of_a_question_are_words(searched: Searched) -> None:
    searched.share(LAMP)
    for words in (
        'lamp" OR "',
        "lamp') ; DROP SCHEMA memctl --",
        "lamp & | ! <-> :*",
        "-lamp",
        "\\",
    ):
        searched.search(words)
    assert contents(searched.search("lamp lighthouse")) == [LAMP]


def test_a_hub_that_is_away_costs_one_line(searched: Searched, memctl: Callable[..., Any]) -> None:
    from memctl.core.model import NewMemory

    searched.bench.operator.ingest(
        [NewMemory(type="project", content="A lamp of our own.", scope="global")]
    )
    with searched.db.write():
        sync_group.put_place(
            searched.db,
            "postgresql://nobody@/db?host=/nowhere",
            "postgres",
            is_encrypted=False,
            at=clock.now(),
        )
        sync_group.drop_place(searched.db, searched.place.name)
    ran = memctl("search", "lamp", "--hub", env={"MEMCTL_DB": str(searched.config.db)})
    assert ran.code == 0
    assert "A lamp of our own." in ran.stdout
    assert ran.stdout.count("gave no answer") == 1


def test_the_command_marks_what_comes_from_a_hub(
    searched: Searched, memctl: Callable[..., Any]
) -> None:
    searched.share(LAMP, place=searched.place)
    env = {"MEMCTL_DB": str(searched.config.db)}
    ran = memctl("search", "lamp", "lighthouse", "--hub", env=env)
    assert ran.code == 0, ran.stderr
    assert "said by anna; not in this store, only at a hub" in ran.stdout
    assert "1 result from the hub postgresql://" in ran.stdout
    data = memctl("search", "lamp", "lighthouse", "--hub", "--json", env=env).data
    assert data["items"][0]["member"] == "anna"
    assert data["hubs"][0]["found"] == 1


def test_an_agent_is_told_what_others_say_only_where_the_operator_lets_it(
    searched: Searched,
) -> None:
    searched.share(LAMP)
    agent = searched.bench.agent
    assert agent.search(Query("lamp of the lighthouse"), asks_hubs=True).items == ()


def test_a_store_without_a_hub_says_so(bench: Bench, memctl: Callable[..., Any]) -> None:
    bench.operator.open_to_write()
    ran = memctl("search", "lamp", "--hub", env={"MEMCTL_DB": str(bench.operator.config.db)})
    assert ran.code == 1
    assert "meets others at no hub" in ran.stderr


def test_rows_are_made_of_what_a_store_shares(searched: Searched) -> None:
    """Of own records that travel in the stream; not of candidates, nor of what others made."""
    from memctl.core.model import NewMemory
    from memctl.store import sync_changes

    written = searched.bench.operator.ingest(
        [NewMemory(type="project", content=LAMP, scope="global", tags=("sea",))]
    ).items[0]
    record = written.record.memory.id
    with searched.db.write():
        sync_changes.put_subject(searched.db, record, ELSEWHERE, "anna")
        sync_changes.put_subject(searched.db, "01GONE", ELSEWHERE, "anna")
        sync_changes.put_subject(searched.db, "01BENS", ELSEWHERE, "ben")
    asked = [record, record, "01GONE", "01BENS", "entity:person|x", "01UNKNOWN"]
    rows = hub_records.build_rows(searched.db, "anna", ELSEWHERE, asked)
    assert [(row.record, row.body is None) for row in rows] == [(record, False), ("01GONE", True)]
    assert rows[0].tags == ("sea",) and rows[1].stamp == PURGED_STAMP
    assert hub_records.build_rows(searched.db, "anna", "own:anna", asked) == []
