"""Stores of several machines follow one another: the real commands, one folder between them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.machines import Machine, Make

from memctl.core.errors import PlaceUnreachable
from memctl.store import sync_overview
from memctl.sync.folder_place import FolderPlace

Here = Callable[..., Any]


@pytest.fixture
def make(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Machines by name."""

    def build(name: str) -> Machine:
        machine = Machine(name, tmp_path / name, here, monkeypatch)
        machine.run("init")
        return machine

    return build


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder that reaches all machines."""
    return tmp_path / "shared"


@pytest.fixture
def two(make: Make, folder: Path) -> tuple[Machine, Machine]:
    """Two machines of one person, both in line."""
    desk, lap = make("desk"), make("lap")
    desk.write("Tide data comes from the harbour office")
    desk.begin(folder)
    lap.join(folder, desk.invite())
    settle(desk, lap)
    return desk, lap


@pytest.fixture
def team(make: Make, folder: Path) -> tuple[Machine, Machine]:
    """Two people, who share what holds everywhere."""
    vera, ines = make("vera"), make("ines")
    vera.begin(folder)
    vera.run("sync", "share", "--global")
    ines.join(folder, vera.invite("Ines"))
    ines.run("sync", "share", "--global")
    settle(vera, ines)
    return vera, ines


def settle(*machines: Machine) -> None:
    """Sync until everybody has everything."""
    for _ in range(2):
        for each in machines:
            each.sync()


# -- two machines of one person -------------------------------------------------------------------


def test_what_is_written_on_one_machine_is_found_on_the_other(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    assert lap.find("tide data") == ["Tide data comes from the harbour office"]
    lap.write("Charts are drawn at noon")
    settle(lap, desk)
    assert desk.find("charts noon") == ["Charts are drawn at noon"]


def test_a_candidate_stays_at_home_until_it_is_approved(two: tuple[Machine, Machine]) -> None:
    desk, lap = two
    waits = desk.write("A ledger is kept in ink", "--type", "decision")
    settle(desk, lap)
    lap.run("show", waits, code=20)
    desk.run("approve", waits, "--reason", "it lasts")
    settle(desk, lap)
    assert lap.show(waits)["status"] == "active"
    assert lap.show(waits)["trust"] == desk.show(waits)["trust"]


def test_what_was_forgotten_on_one_machine_is_forgotten_on_the_other(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    record = desk.write("The buoys are red")
    settle(desk, lap)
    lap.run("forget", record, "--reason", "they are green")
    settle(lap, desk)
    assert desk.show(record)["status"] == "archived"
    assert desk.find("buoys red") == []


def test_different_fields_that_were_edited_at_once_are_both_kept(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    record = desk.write("The pilot boards at the mole")
    settle(desk, lap)
    desk.run("edit", record, "--kind", "convention")
    lap.run("pin", record)
    settle(desk, lap)
    for each in two:
        assert (each.show(record)["kind"], each.show(record)["always_load"]) == ("convention", True)


def test_words_that_were_edited_at_once_are_a_conflict_on_both_and_the_verdict_travels(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    record = desk.write("The pilot boards at the mole")
    settle(desk, lap)
    desk.run("edit", record, "--content", "The pilot boards at the lighthouse")
    lap.run("edit", record, "--content", "The pilot boards at the buoy")
    settle(desk, lap)
    pairs = [read_conflict(each) for each in two]
    assert pairs[0] == pairs[1]
    contents = {desk.show(each)["content"] for each in pairs[0]}
    assert contents == {"The pilot boards at the lighthouse", "The pilot boards at the buoy"}
    first, second = sorted(pairs[0])
    lap.run("resolve", first, second, "--keep", record, "--reason", "asked the pilot")
    settle(lap, desk)
    assert [each.run("conflicts")["items"] for each in two] == [[], []]
    assert desk.show(record)["content"] == lap.show(record)["content"]


def read_conflict(machine: Machine) -> set[str]:
    """The ids of the two records of the only open contradiction."""
    (found,) = machine.run("conflicts")["items"]
    return {side["id"] for side in found["sides"]}


def test_what_was_purged_on_one_machine_is_gone_from_all_and_from_the_folder(
    two: tuple[Machine, Machine], make: Make, folder: Path
) -> None:
    desk, lap = two
    record = desk.write("The keeper is called Ottilie Brandt")
    settle(desk, lap)
    lap.run("purge", record, "--yes")
    settle(lap, desk)
    desk.run("show", record, code=20)
    assert not any(holds(each.db, "Ottilie Brandt") for each in two)
    # A machine that joins later hears nothing of it either.
    late = make("late")
    late.join(folder, desk.invite())
    settle(desk, lap, late)
    late.run("show", record, code=20)
    assert late.find("keeper ottilie") == []


def holds(path: Path, words: str) -> bool:
    """Whether the bytes of a file, or of one beside it, hold some words."""
    return any(
        words.encode() in each.read_bytes() for each in path.parent.iterdir() if each.is_file()
    )


def test_a_store_that_was_restored_from_a_backup_gets_back_what_it_had_sent(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    desk.run("backup", desk.root / "back.db")
    lost = desk.write("The ferry sails at nine")
    settle(desk, lap)
    desk.run("restore", desk.root / "back.db", "--yes")
    desk.run("show", lost, code=20)
    after = desk.write("The ferry is called Zephyr")
    settle(desk, lap)
    assert desk.show(lost)["content"] == "The ferry sails at nine"
    assert lap.show(after)["content"] == "The ferry is called Zephyr"


def test_a_store_from_a_backup_on_a_new_disk_joins_again_and_sends_what_was_not_sent(
    two: tuple[Machine, Machine],
    folder: Path,
    tmp_path: Path,
    here: Here,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk, lap = two
    unsent = desk.write("Written before the disk died")
    desk.run("backup", tmp_path / "back.db")
    fresh = Machine("fresh", tmp_path / "fresh", here, monkeypatch)
    fresh.run("init")
    fresh.run("restore", tmp_path / "back.db", "--yes")
    checks = {each["name"]: each for each in fresh.run("doctor")["checks"]}
    assert checks["sync_group"]["state"] == "note"
    fresh.join(folder, lap.invite())
    settle(fresh, lap)
    assert lap.show(unsent)["content"] == "Written before the disk died"
    assert len(lap.run("list")["items"]) == 2


@pytest.mark.parametrize("writes_before", [False, True])
def test_a_machine_that_was_put_back_as_a_whole_loses_nothing(
    two: tuple[Machine, Machine], tmp_path: Path, writes_before: bool
) -> None:
    desk, lap = two
    shutil.copytree(desk.root, tmp_path / "snapshot")
    desk.write("Written before the disk was put back")
    desk.sync()
    shutil.rmtree(desk.root)
    shutil.copytree(tmp_path / "snapshot", desk.root)
    if writes_before:
        desk.write("Written after the disk was put back")
    settle(desk, lap)
    if not writes_before:
        desk.write("Written after the disk was put back")
    settle(desk, lap)
    for machine in (desk, lap):
        assert sorted(machine.find("written disk")) == [
            "Written after the disk was put back",
            "Written before the disk was put back",
        ]
    assert desk.say("export", "--shared", "-") == lap.say("export", "--shared", "-")


def test_what_one_clone_had_numbered_and_not_sent_is_not_lost(
    two: tuple[Machine, Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, lap = two
    shutil.copytree(desk.root, tmp_path / "clone")
    desk.write("Said by the first clone")
    with monkeypatch.context() as patch:
        patch.setattr(FolderPlace, "write_set", unmount)
        desk.sync(code=40)
    swap_clones(desk, tmp_path / "clone")
    desk.write("Said by the second clone")
    desk.sync()
    swap_clones(desk, tmp_path / "clone")
    with monkeypatch.context() as patch:
        patch.setattr(sync_overview, "renumber", unmount)
        desk.sync(code=40)
    settle(desk, lap, desk)
    for words in ("first clone", "second clone"):
        assert len(desk.find(words)) == len(lap.find(words)) >= 1
    assert desk.say("export", "--shared", "-") == lap.say("export", "--shared", "-")


def unmount(*_given: object, **_named: object) -> None:
    raise PlaceUnreachable("gone")


def swap_clones(desk: Machine, clone: Path) -> None:
    """Let the other clone stand where the first stood."""
    clone.rename(clone.with_name("other"))
    desk.root.rename(clone)
    clone.with_name("other").rename(desk.root)


def test_two_clones_of_a_machine_become_two_machines(
    two: tuple[Machine, Machine], tmp_path: Path
) -> None:
    desk, lap = two
    shutil.copytree(desk.root, tmp_path / "clone")
    for text in ("Said by the first clone", "Said by the second clone"):
        desk.write(text)
        desk.sync()
        swap_clones(desk, tmp_path / "clone")
    settle(desk, lap, desk)
    for words in ("first clone", "second clone"):
        assert len(desk.find(words)) == len(lap.find(words)) >= 1
    assert desk.say("export", "--shared", "-") == lap.say("export", "--shared", "-")


def test_a_purge_is_not_undone_by_a_machine_that_was_away_or_restored(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    record = desk.write("The keeper is called Ottilie Brandt")
    settle(desk, lap)
    lap.run("backup", lap.root / "back.db")
    desk.run("purge", record, "--yes")
    desk.sync()
    lap.run("edit", record, "--content", "The keeper is called Ottilie B.")
    settle(lap, desk)
    for each in two:
        each.run("show", record, code=20)
    lap.run("restore", lap.root / "back.db", "--yes", "--with-purged")
    settle(lap, desk)
    for each in two:
        each.run("show", record, code=20)


def test_a_copy_of_a_store_goes_on_as_a_machine_of_its_own(
    two: tuple[Machine, Machine], tmp_path: Path, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, lap = two
    copy = Machine("copy", tmp_path / "copy", here, monkeypatch)
    shutil.copytree(desk.db.parent, copy.db.parent)
    first, second = desk.write("The dyke is high"), copy.write("The dyke is old")
    settle(desk, copy, lap)
    for each in (desk, lap, copy):
        assert {each.show(first)["content"], each.show(second)["content"]} == {
            "The dyke is high",
            "The dyke is old",
        }
    assert lap.run("sync", "members")["members"][0]["machines"] == 3


def test_what_travels_is_exported_the_same_byte_for_byte_on_both_machines(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    record = desk.write("The pilot boards at the mole")
    settle(desk, lap)
    desk.run("edit", record, "--content", "The pilot boards at the lighthouse")
    lap.run("edit", record, "--content", "The pilot boards at the buoy")
    settle(desk, lap)
    first, second = (each.say("export", "--shared") for each in two)
    assert first == second
    assert first.count("\n") > 3
    desk.run("export", "--shared", "shared.jsonl")
    assert (desk.work / "shared.jsonl").read_text() == first
    desk.run("export", "--shared", "shared.jsonl", code=2)


# -- offline, damaged, cut off --------------------------------------------------------------------


def test_offline_is_told_to_who_asked_and_silent_in_maintain(
    two: tuple[Machine, Machine], folder: Path
) -> None:
    desk, lap = two
    folder.rename(folder.with_name("away"))
    desk.write("Written at sea")
    said = desk.say("sync", code=40)
    assert "nothing is lost" in said
    done = desk.run("maintain", "--step", "sync")
    assert (done["problems"], done["steps"][0]["state"]) == ([], "done")
    assert desk.run("sync", "status")["places"][0]["failing_since"]
    assert "not reached since" in desk.say("status")
    folder.with_name("away").rename(folder)
    settle(desk, lap)
    assert lap.find("written at sea") == ["Written at sea"]
    assert "not reached" not in desk.say("status")


def test_a_damaged_change_set_is_named_passed_over_and_read_once_it_is_whole(
    two: tuple[Machine, Machine], folder: Path
) -> None:
    desk, lap = two
    desk.write("Anchors are counted in spring")
    desk.sync()
    newest = max(folder.rglob("*.mcs"), key=lambda path: path.stat().st_mtime_ns)
    whole = newest.read_bytes()
    newest.write_bytes(whole[: len(whole) // 2])
    done = lap.sync(code=1)
    assert len(done["places"][0]["damaged"]) == 1
    assert lap.find("anchors spring") == []
    checks = {each["name"]: each for each in lap.run("doctor")["checks"]}
    assert checks["sync_group"]["state"] == "note"
    assert "passed over" in checks["sync_group"]["detail"]
    newest.write_bytes(whole)
    lap.sync()
    assert lap.find("anchors spring") == ["Anchors are counted in spring"]
    checks = {each["name"]: each for each in lap.run("doctor")["checks"]}
    assert checks["sync_group"]["state"] == "ok"


def test_a_change_set_that_somebody_deleted_is_written_again(
    two: tuple[Machine, Machine], folder: Path, make: Make
) -> None:
    desk, lap = two
    for each in folder.rglob("*.mcs"):
        each.unlink()
    settle(desk, lap)
    late = make("late")
    late.join(folder, desk.invite())
    settle(desk, lap, late)
    assert late.find("tide data") == ["Tide data comes from the harbour office"]


def test_many_small_syncs_leave_few_files(two: tuple[Machine, Machine], folder: Path) -> None:
    desk, _ = two
    for number in range(20):
        desk.write(f"Mooring {number} was painted")
        desk.sync()
    assert len(list(folder.rglob("*.mcs"))) <= 12


def test_maintain_sends_no_more_than_its_share_and_goes_on_next_time(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    desk.configure(most_megabytes=1, seconds=100)
    lines = "".join(
        json.dumps({"content": f"Berth {number}: {number * 7919**30}"}) + "\n"
        for number in range(3000)
    )
    (desk.work / "berths.jsonl").write_text(lines)
    desk.run("ingest", "--file", "berths.jsonl", "--global")
    states = [desk.run("maintain", "--step", "sync")["steps"][0]["state"] for _ in range(12)]
    assert states[-1] == "done"
    lap.sync()
    assert lap.find("berth 2999")


def test_a_place_that_is_away_stops_no_other(
    two: tuple[Machine, Machine], folder: Path, tmp_path: Path
) -> None:
    desk, lap = two
    for each in two:
        each.run("sync", tmp_path / "stick", "--yes")
    folder.rename(folder.with_name("away"))
    desk.write("Carried on a stick")
    assert [each["state"] for each in desk.sync(code=1)["places"]] == ["unreachable", "done"]
    lap.sync(code=1)
    assert lap.find("carried stick") == ["Carried on a stick"]


def test_two_syncs_of_one_store_do_not_run_at_once(two: tuple[Machine, Machine]) -> None:
    from memctl.settings.config import load_config
    from memctl.sync.lock import hold_sync

    desk, _ = two
    desk.sit_down()
    with hold_sync(load_config(desk.db)):
        assert "another sync" in desk.say("sync", code=11)
    desk.sync()


# -- several people -------------------------------------------------------------------------------


def test_what_comes_from_another_person_waits_with_their_name(
    team: tuple[Machine, Machine],
) -> None:
    vera, ines = team
    record = vera.write("Deploys happen on Tuesdays")
    settle(vera, ines)
    assert (ines.show(record)["status"], ines.show(record)["origin"]) == ("inbox", "Vera")
    assert ines.sync()["waits"] == {"Vera": 1}
    assert "1 record of Vera waits for you" in ines.say("sync")
    assert ines.find("deploys tuesdays") == []
    ines.run("approve", record)
    assert ines.find("deploys tuesdays") == ["Deploys happen on Tuesdays"]


def test_what_comes_from_another_person_counts_at_once_if_the_operator_says_so(
    team: tuple[Machine, Machine],
) -> None:
    vera, ines = team
    ines.configure(others="active")
    record = vera.write("Deploys happen on Tuesdays")
    settle(vera, ines)
    found = ines.show(record)
    assert (found["status"], found["origin"]) == ("active", "Vera")
    assert found["trust"] != vera.show(record)["trust"]


def test_what_i_rejected_of_another_stays_rejected_and_with_me(
    team: tuple[Machine, Machine],
) -> None:
    vera, ines = team
    record = vera.write("Deploys happen on Tuesdays")
    settle(vera, ines)
    ines.run("reject", record, "--reason", "on Mondays")
    settle(ines, vera)
    vera.run("edit", record, "--title", "When deploys happen")
    settle(vera, ines)
    assert vera.show(record)["status"] == "active"
    assert ines.show(record)["status"] == "archived"


def test_what_another_retires_is_retired_with_me(team: tuple[Machine, Machine]) -> None:
    vera, ines = team
    record = vera.write("Deploys happen on Tuesdays")
    settle(vera, ines)
    ines.run("approve", record)
    vera.run("forget", record, "--reason", "no longer")
    settle(vera, ines)
    assert ines.show(record)["status"] == "archived"


def test_a_project_that_never_travels_stays_at_home(make: Make, folder: Path) -> None:
    vera, ines = make("vera"), make("ines")
    secret = vera.run("ingest", "The vault code is kept by Otto")["items"][0]["record"]["id"]
    name = vera.run("project", "list")["items"][0]["project"]["name"]
    vera.run("sync", "share", name, "--never")
    vera.begin(folder)
    ines.join(folder, vera.invite("Ines"))
    settle(vera, ines)
    ines.run("show", secret, code=20)
    assert not any(b"Otto" in each.read_bytes() for each in folder.rglob("*") if each.is_file())
    plan = vera.run("sync", "share")
    assert plan["home"] == {"of projects that stay at home": 1}


def test_another_person_gets_only_what_is_shared(make: Make, folder: Path) -> None:
    vera, ines = make("vera"), make("ines")
    own, decision = (
        vera.write("I like my tea black"),
        vera.write("Ship weekly", "--type", "decision", "--rationale", "small steps"),
    )
    vera.begin(folder)
    vera.run("sync", "share", "--global", "--type", "decision")
    ines.join(folder, vera.invite("Ines"))
    settle(vera, ines)
    assert ines.show(decision)["origin"] == "Vera"
    ines.run("show", own, code=20)


def test_a_removed_member_gets_nothing_more_and_is_not_heard(
    team: tuple[Machine, Machine],
) -> None:
    vera, ines = team
    vera.run("sync", "remove", "Ines", "--yes")
    after = vera.write("Said after the removal")
    late = ines.write("Sent after the removal")
    vera.sync()
    ines.say("sync", code=21)
    settle(vera)
    ines.run("show", after, code=20)
    vera.run("show", late, code=20)
    members = {each["name"]: each for each in vera.run("sync", "members")["members"]}
    assert members["Ines"]["removed_at"]
    checks = {each["name"]: each for each in ines.run("doctor", code=1)["checks"]}
    assert checks["sync_group"]["state"] == "problem"


def test_a_plain_folder_holds_nothing_for_own_machines_alone_once_others_take_part(
    make: Make, folder: Path
) -> None:
    vera, ines = make("vera"), make("ines")
    vera.write("I like my tea black")
    vera.begin(folder, "Vera", "--no-encryption")
    assert len(list(folder.rglob("*.mcs"))) == 1
    assert "not encrypted" in vera.say("sync", "invite", "Otto")
    ines.join(folder, vera.invite("Ines"))
    settle(vera, ines)
    assert list(folder.rglob("*.mcs")) == []
    shared = vera.write("Ship weekly", "--type", "decision", "--rationale", "small steps")
    vera.run("sync", "share", "--global", "--type", "decision")
    settle(vera, ines)
    assert ines.show(shared)["origin"] == "Vera"


def test_a_stranger_who_can_write_to_the_folder_changes_nothing(
    two: tuple[Machine, Machine], folder: Path
) -> None:
    desk, lap = two
    mine = max(folder.rglob("*.mcs"))
    number = "000000009999-000000009999"
    (mine.parent / f"{number}-{'0' * 32}.mcs").write_bytes(b"memctl-set-1\n forged")
    (folder / "memctl-sync" / "cards" / f"{'2' * 26}.card").write_bytes(b"{}")
    lap.run("sync", code=1)
    desk.run("sync", code=1)
    assert desk.run("sync", "members")["members"][0]["machines"] == 2
    desk.write("Charts are drawn at noon")
    desk.run("sync", code=1)
    lap.run("sync", code=1)
    assert lap.find("charts noon") == ["Charts are drawn at noon"]


def test_what_else_lies_in_the_folder_is_named_and_left_alone(
    two: tuple[Machine, Machine], folder: Path
) -> None:
    desk, _ = two
    inside = folder / "memctl-sync"
    file = next(inside.rglob("*.mcs"))
    (file.parent / f"{file.stem} (conflicted copy).mcs").write_bytes(file.read_bytes())
    (inside / "sets" / "own_3azoe").symlink_to("/etc")
    (inside / "cards" / "x.card").mkdir()
    (place,) = desk.sync()["places"]
    assert len(place["strange"]) == 3 and place["damaged"] == []
    told = desk.say("sync")
    assert "left alone: sets/own_3azoe: is a link or a device" in told
    assert "conflicted copy" in told


def test_who_left_comes_again_under_the_same_name(
    team: tuple[Machine, Machine], folder: Path
) -> None:
    vera, ines = team
    old = ines.write("The kiln is fired on Mondays")
    settle(ines, vera)
    ines.run("sync", "leave", "--yes")
    vera.sync()
    ines.write("The kiln holds forty bowls")
    ines.join(folder, vera.invite("Ines"))
    ines.run("sync", "share", "--global")
    ines.run("edit", old, "--content", "The kiln is fired on Fridays")
    settle(ines, vera)
    waiting = {each["content"] for each in list_waiting(vera)}
    assert waiting == {"The kiln holds forty bowls", "The kiln is fired on Fridays"}
    assert_nothing_to_look_at(vera)


def test_who_left_and_was_removed_at_once_comes_again_and_nothing_is_refused(
    team: tuple[Machine, Machine], folder: Path
) -> None:
    vera, ines = team
    ines.write("The kiln is fired on Mondays")
    settle(ines, vera)
    ines.run("sync", "leave", "--yes")
    vera.run("sync", "remove", "Ines", "--yes")
    ines.write("The kiln holds forty bowls")
    ines.join(folder, vera.invite("Ines"))
    ines.run("sync", "share", "--global")
    settle(ines, vera)
    waiting = {each["content"] for each in list_waiting(vera)}
    assert waiting == {"The kiln holds forty bowls", "The kiln is fired on Mondays"}
    assert_nothing_to_look_at(vera)


def list_waiting(machine: Machine) -> list[dict[str, str]]:
    """The records that wait in an inbox."""
    return [each.get("record", each) for each in machine.run("inbox", "--all")["items"]]


def assert_nothing_to_look_at(machine: Machine) -> None:
    """A sync passes over nothing, and leaves nothing alone."""
    (place,) = machine.sync()["places"]
    assert (place["damaged"], place["strange"]) == ([], [])


def test_what_was_moved_out_of_a_project_that_stays_at_home_comes_with_its_evidence(
    make: Make, folder: Path
) -> None:
    vera, lap, ines = make("vera"), make("lap"), make("ines")
    vera.begin(folder)
    lap.join(folder, vera.invite())
    ines.join(folder, vera.invite("Ines"))
    moved = vera.write("The kiln is fired on Mondays")
    start_projects(vera, "kiln", "diary")
    vera.run("sync", "share", "diary", "--never")
    vera.run("sync", "share", "kiln")
    vera.run("edit", moved, "--project", "diary")
    settle(vera, lap, ines)
    assert lap.find("kiln fired") == []
    vera.run("edit", moved, "--project", "kiln")
    settle(vera, lap, ines)
    for each in (lap, ines):
        assert "The kiln is fired on Mondays" in [
            quote["quote"] for quote in each.show(moved)["evidence"]
        ]
    assert vera.say("export", "--shared", "-") == lap.say("export", "--shared", "-")


def test_projects_that_were_made_one_on_one_machine_are_one_on_the_other(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    start_projects(desk, "kiln", "oven")
    desk.run("ingest", "The oven bakes bread", "--project", "oven")
    desk.run("ingest", "The kiln fires bowls", "--project", "kiln")
    settle(desk, lap)
    lap.run("ingest", "The oven was cleaned", "--project", "oven")
    desk.run("project", "adopt", "oven", "kiln")
    settle(desk, lap)
    for each in two:
        found = {here["content"] for here in each.run("list", "--project", "kiln")["items"]}
        assert found == {"The oven bakes bread", "The kiln fires bowls", "The oven was cleaned"}
    assert desk.say("export", "--shared", "-") == lap.say("export", "--shared", "-")


def test_what_stays_at_home_becomes_no_part_of_what_travels_by_another_machine(
    two: tuple[Machine, Machine], folder: Path
) -> None:
    desk, lap = two
    start_projects(desk, "kiln", "oven")
    for name in ("kiln", "oven"):
        desk.run("ingest", f"The {name} is hot", "--project", name)
    settle(desk, lap)
    lap.run("sync", "share", "oven", "--never")
    lap.run("ingest", "The oven hides a key", "--project", "oven")
    desk.run("project", "adopt", "oven", "kiln")
    settle(desk, lap)
    assert lap.find("hides key") == ["The oven hides a key"]
    assert desk.find("hides key") == []


def test_a_project_that_is_one_on_two_machines_is_not_told_to_be_gone(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    for each in two:
        start_projects(each, "kiln")
        each.run("ingest", f"The kiln of {each.name} is hot", "--project", "kiln")
    settle(desk, lap)
    shared = desk.say("export", "--shared", "-")
    assert shared == lap.say("export", "--shared", "-")
    assert '"purged"' not in shared


def test_what_was_written_in_a_project_while_it_was_purged_elsewhere_stays(
    two: tuple[Machine, Machine],
) -> None:
    desk, lap = two
    start_projects(desk, "kiln")
    desk.run("ingest", "The kiln is hot", "--project", "kiln")
    settle(desk, lap)
    lap.run("ingest", "The kiln is repaired", "--project", "kiln")
    desk.run("purge", "--project", "kiln", "--yes")
    settle(desk, lap)
    settle(desk, lap)
    for each in two:
        found = {here["content"] for here in each.run("list", "--project", "kiln")["items"]}
        assert found == {"The kiln is repaired"}
    assert desk.say("export", "--shared", "-") == lap.say("export", "--shared", "-")
    desk.run("purge", "--project", "kiln", "--yes")
    settle(desk, lap)
    assert lap.find("kiln repaired") == []
    assert desk.say("export", "--shared", "-") == lap.say("export", "--shared", "-")


def start_projects(machine: Machine, *names: str) -> None:
    """Let projects begin, each in a folder that is marked."""
    for name in names:
        (machine.work / name).mkdir()
        (machine.work / name / ".memctl.yaml").write_text(f"project: {name}\n")
        machine.run("init", "--project", machine.work / name)


def test_a_damaged_key_file_stops_sync_and_nothing_else(two: tuple[Machine, Machine]) -> None:
    desk, _ = two
    desk.db.with_name("memory.db.sync").write_bytes(b"{")
    assert "a new invitation" in desk.say("sync", code=13)
    desk.write("The harbour is dredged in spring")
    told = desk.say("maintain", code=1)
    assert "sync failed" in told and "backup" in told


def test_a_machine_that_was_lost_is_removed_and_the_others_go_on(
    two: tuple[Machine, Machine], make: Make, folder: Path
) -> None:
    desk, lap = two
    lost = next(
        each["id"]
        for each in desk.run("sync", "members")["members"][0]["devices"]
        if not each["is_this"]
    )
    assert "this one" in desk.say("sync", "members")
    tower = make("tower")
    tower.join(folder, desk.invite())
    desk.run("sync", "remove", lost[:8], "--yes")
    lap.write("What a thief writes reaches nobody")
    desk.sync()
    assert "was removed" in lap.say("sync", code=21)
    checks = {each["name"]: each for each in lap.run("doctor", code=1)["checks"]}
    assert "you were removed" in str(checks["sync_group"])
    desk.write("The tower has a new clock")
    settle(desk, tower)
    assert tower.find("tower clock") == ["The tower has a new clock"]
    assert desk.find("thief writes") == tower.find("thief writes") == []
    assert lap.find("tower clock") == []
    (me,) = desk.run("sync", "members")["members"]
    assert me["machines"] == 2 and me["removed_at"] is None
    assert "yourself" in desk.say("sync", "remove", me["devices"][0]["id"], "--yes", code=2) or (
        "yourself" in desk.say("sync", "remove", me["devices"][1]["id"], "--yes", code=2)
    )


def test_a_change_set_that_got_damaged_is_written_anew_by_its_writer(
    two: tuple[Machine, Machine], folder: Path, make: Make
) -> None:
    desk, lap = two
    for each in folder.rglob("*.mcs"):
        each.write_bytes(each.read_bytes()[:-1])
    forget_last_look(desk, lap)
    settle(desk, lap)
    late = make("late")
    late.join(folder, desk.invite())
    settle(desk, lap, late)
    assert late.find("tide data") == ["Tide data comes from the harbour office"]


def forget_last_look(*machines: Machine) -> None:
    """As if a day had passed since these machines last read their own change sets again."""
    from memctl.store import meta
    from memctl.store.migrate import open_store

    for each in machines:
        db = open_store(each.db, create=False)
        try:
            with db.write():
                meta.put_note(db, "sync.looked", "{}")
        finally:
            db.close()


def test_only_who_may_invites_and_removes(team: tuple[Machine, Machine]) -> None:
    _, ines = team
    ines.run("sync", "invite", "Otto", code=21)
    ines.run("sync", "remove", "Vera", "--yes", code=21)
    assert ines.invite()


def test_an_invitation_alone_says_where_to_join(
    two: tuple[Machine, Machine], make: Make, folder: Path
) -> None:
    desk, _ = two
    tower = make("tower")
    tower.run("sync", "join", desk.invite(), "--yes")
    settle(desk, tower)
    assert tower.find("tide data") == ["Tide data comes from the harbour office"]
    assert [each["name"] for each in tower.sync()["places"]] == [str(folder)]


def test_an_invitation_is_good_for_one_machine(
    two: tuple[Machine, Machine], make: Make, folder: Path
) -> None:
    desk, _ = two
    code = desk.invite()
    first, second = make("first"), make("second")
    first.join(folder, code)
    assert "ask for a new invitation" in second.say("sync", "join", folder, code, "--yes", code=21)
    assert "no invitation" in second.say("sync", "join", folder, code[:-5], "--yes", code=2)


# -- beginning and leaving ------------------------------------------------------------------------


def test_a_dry_run_says_what_would_travel_and_does_nothing(make: Make, folder: Path) -> None:
    desk = make("desk")
    desk.write("Tide data comes from the harbour office")
    desk.write("A ledger is kept in ink", "--type", "decision")
    said = desk.say("sync", folder, "--as", "Vera", "--dry-run")
    assert "to your own machines: 1 record" in said
    assert "stays on this machine: 1 candidates in the inbox" in said
    assert not folder.exists()
    assert desk.run("sync", "status")["member"] is None


def test_nothing_leaves_before_somebody_agreed(make: Make, folder: Path) -> None:
    desk = make("desk")
    desk.write("Tide data comes from the harbour office")
    assert "--yes" in desk.say("sync", folder, "--as", "Vera", code=2)
    assert not folder.exists()


def test_who_could_not_begin_has_not_begun(make: Make, folder: Path, tmp_path: Path) -> None:
    desk = make("desk")
    desk.run("sync", tmp_path / "no" / "such" / "folder", "--as", "Vera", "--yes", code=40)
    assert desk.run("sync", "status")["member"] is None
    (tmp_path / "file").write_text("")
    desk.run("sync", tmp_path / "file", "--as", "Vera", "--yes", code=40)
    desk.begin(folder, "Otto")
    assert desk.run("sync", "status")["member"] == "Otto"
    assert "as Otto already" in desk.say("sync", tmp_path / "x", "--as", "Vera", "--yes", code=2)


def test_leaving_keeps_every_record_and_ends_the_traffic(
    two: tuple[Machine, Machine], folder: Path
) -> None:
    desk, lap = two
    done = lap.run("sync", "leave", "--yes")
    assert done["has_left_group"]
    assert any("stays here" in each for each in done["stays"])
    assert lap.find("tide data") == ["Tide data comes from the harbour office"]
    assert lap.sync()["places"] == []
    desk.write("Said after they left")
    settle(desk)
    assert lap.find("said after") == []
    assert desk.run("sync", "members")["members"][0]["machines"] == 1
    # It can come back, and has everything again.
    lap.join(folder, desk.invite())
    settle(desk, lap)
    assert lap.find("said after") == ["Said after they left"]
    assert len(lap.run("list")["items"]) == 2


@pytest.mark.parametrize("is_gone", [True, False])
def test_a_store_whose_keys_are_gone_or_damaged_can_leave_and_join_again(
    two: tuple[Machine, Machine], folder: Path, is_gone: bool
) -> None:
    desk, lap = two
    key = lap.db.with_name(f"{lap.db.name}.sync")
    if is_gone:
        key.unlink()
    else:
        key.write_bytes(key.read_bytes()[:20])
    assert lap.run("doctor", code=0 if is_gone else 1)["checks"]
    lap.run("sync", "leave", "--yes")
    lap.run("sync", "leave", "--yes", code=20)
    lap.join(folder, desk.invite())
    settle(desk, lap)
    assert lap.find("tide data") == ["Tide data comes from the harbour office"]


def test_uninstall_leaves_too_and_says_what_stays(two: tuple[Machine, Machine]) -> None:
    desk, lap = two
    said = lap.say("uninstall", "--yes")
    assert "sync: left" in said
    assert "stays here" in said
    desk.sync()
    assert desk.run("sync", "members")["members"][0]["machines"] == 1


def test_a_folder_of_another_group_is_refused(
    two: tuple[Machine, Machine], make: Make, folder: Path, tmp_path: Path
) -> None:
    other = make("other")
    assert "invitation" in other.say("sync", folder, "--as", "Otto", "--yes", code=2)
    other.begin(tmp_path / "elsewhere", "Otto")
    assert "another group" in other.say("sync", folder, "--yes", code=2)


def test_a_store_may_meet_its_group_at_two_places(
    two: tuple[Machine, Machine], tmp_path: Path
) -> None:
    desk, lap = two
    stick = tmp_path / "stick"
    desk.run("sync", stick, "--yes")
    lap.run("sync", stick, "--yes")
    desk.write("Carried on a stick")
    desk.run("sync", stick)
    lap.run("sync", stick)
    assert lap.find("carried stick") == ["Carried on a stick"]
    assert len(desk.run("sync", "leave", stick, "--yes")["places"]) == 1
    assert [each["name"] for each in desk.run("sync", "status")["places"]] != []


# -- who may --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ("sync",),
        ("sync", "./there", "--as", "Vera", "--yes"),
        ("sync", "join", "./there", "memctl-x", "--yes"),
        ("sync", "invite"),
        ("sync", "remove", "Vera", "--yes"),
        ("sync", "share", "--global"),
        ("sync", "leave", "--yes"),
    ],
    ids=" ".join,
)
def test_an_agent_neither_syncs_nor_says_who_takes_part(
    two: tuple[Machine, Machine], words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, _ = two
    monkeypatch.setenv("MEMCTL_AGENT", "codex")
    desk.run(*words, code=21)


def test_the_operator_alone_at_a_terminal_says_who_takes_part(
    two: tuple[Machine, Machine],
) -> None:
    desk, _ = two
    (desk.root / "config.yaml").write_text("embedding:\n  model: none\n")
    for words in (("invite",), ("share", "--global"), ("leave", "--yes")):
        desk.run("sync", *words, code=21)
    desk.sync()  # A script of yours may sync with what you set up.


def test_a_word_that_is_no_place_is_told_so(make: Make) -> None:
    desk = make("desk")
    assert "no command of `memctl sync`" in desk.say("sync", "statsu", code=2)
    assert "no place" in desk.say("sync", "https://example.org/x", code=2)


def test_the_store_may_be_named_before_the_command(make: Make, folder: Path) -> None:
    desk = make("desk")
    done = desk.run("--db", desk.db, "sync", folder, "--as", "Vera", "--yes")
    assert done["places"][0]["state"] == "done"


def test_what_waits_from_others_is_told_in_the_daily_notice(
    team: tuple[Machine, Machine],
) -> None:
    from memctl.records.waiting import describe_waiting
    from memctl.store.migrate import open_store

    vera, ines = team
    vera.write("Deploys happen on Tuesdays")
    settle(vera, ines)
    db = open_store(ines.db, create=False)
    try:
        assert "1 candidate waits for your decision, 1 from Vera" in str(describe_waiting(db))
    finally:
        db.close()


def test_doctor_tells_of_a_place_that_nobody_reached_for_days(
    two: tuple[Machine, Machine], folder: Path
) -> None:
    from memctl.store import sync_group
    from memctl.store.migrate import open_store

    desk, _ = two
    db = open_store(desk.db, create=False)
    try:
        with db.write():
            sync_group.note_failed(db, str(folder), "it is away", "2026-01-01T00:00:00.000Z")
    finally:
        db.close()
    check = read_check(desk)
    assert check["state"] == "note"
    assert "was not reached since 2026-01-01" in check["detail"]
    desk.sync()
    assert read_check(desk)["state"] == "ok"


def test_doctor_tells_of_a_copy_and_of_lost_keys(two: tuple[Machine, Machine]) -> None:
    desk, lap = two
    moved = lap.db.parent.with_name("moved")
    lap.db.parent.rename(moved)
    moved.rename(lap.db.parent)
    assert read_check(lap)["state"] == "ok"
    key = desk.db.with_name(f"{desk.db.name}.sync")
    told = json.loads(key.read_text())
    key.write_text(json.dumps({**told, "path": "/somewhere/else/memory.db"}))
    assert "copied or moved from /somewhere/else" in read_check(desk)["detail"]
    assert ": this store continues as a new machine" in desk.say("sync")
    assert read_check(desk)["state"] == "ok"
    key.unlink()
    assert "the key of this machine is gone" in read_check(desk)["detail"]


def read_check(machine: Machine) -> dict[str, Any]:
    """What doctor says of sync."""
    checks = machine.run("doctor")["checks"]
    (found,) = [each for each in checks if each["name"] == "sync_group"]
    return dict(found)


def test_whether_a_new_folder_is_encrypted_is_a_setting(make: Make, folder: Path) -> None:
    desk = make("desk")
    desk.configure(encrypt=False)
    desk.write("Tide data comes from the harbour office")
    desk.begin(folder)
    (found,) = folder.rglob("*.mcs")
    assert found.read_bytes().startswith(b"memctl-set-1")


def test_a_person_sees_what_would_travel_and_is_asked_first(
    pty_memctl: Callable[..., Any], db: Path, folder: Path, memctl: Callable[..., Any]
) -> None:
    assert pty_memctl("ingest", "Tide data comes from the harbour office", "--global").code == 0
    no = pty_memctl("sync", folder, "--as", "Vera", answers=[(r"Begin\? \[y/N\]", "n")])
    assert (no.code, folder.exists()) == (130, False)
    yes = pty_memctl("sync", folder, "--as", "Vera", answers=[(r"Begin\? \[y/N\]", "y")])
    assert yes.code == 0
    assert "to your own machines: 1 record" in yes.stdout
    assert "1 sent" in yes.stdout
    assert memctl("sync", "invite").code == 21  # nobody sits at that terminal
