"""A change set says who wrote what; whatever else arrives is damaged, and nothing but that."""

from __future__ import annotations

import json
import random
import tracemalloc
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.core.errors import SetDamaged, SetSealed
from memctl.store.sync_changes import SHARED_WORDS, StoredChange
from memctl.sync import change_set, set_plans
from memctl.sync.change import BadChange, ChangeEvent, build_change, decode_change, encode_change
from memctl.sync.change_set import ChangeSet
from memctl.sync.key_file import Keys
from memctl.sync.place import SetName
from memctl.sync.roster import Roster
from tests.sync.groups import Group, Machine

PROJECT = "project:01P"
AT = "2026-03-04T05:06:07.000Z"


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Group]:
    made = Group(tmp_path_factory.mktemp("group"))
    made.add("ben")
    yield made
    made.close()


@pytest.fixture(scope="module")
def people(group: Group) -> Roster:
    return group.roster


def build(keys: Keys, number: int, **other: Any) -> bytes:
    """The bytes of a change."""
    told = ChangeEvent(
        "record", "R", "created", None, {"content": f"the mill № {number} 🌾"}, "operator", "", AT
    )
    given = {
        "replica": keys.replica,
        "member": keys.member,
        "subject": "R",
        "stamp": number,
        "parents": [],
        "operation": None,
        "origin": number,
        "events": [told],
    }
    return encode_change(build_change(**{**given, **other}))


def encode(keys: Keys, entries: Sequence[bytes], **how: Any) -> tuple[SetName, bytes]:
    given = {"stream": PROJECT, "first": 1, "previous": "", "recipients": ()}
    given |= how
    return change_set.encode_set(
        keys, given["stream"], given["first"], given["previous"], entries, given["recipients"]
    )


def decode(reader: Machine, people: Roster, name: SetName, content: bytes) -> ChangeSet:
    return change_set.decode_set(name, content, people, reader.keys.identities)


def resign(keys: Keys, header: list[Any], packed: bytes) -> tuple[SetName, bytes]:
    """A change set that says whatever its writer likes, with a good signature."""
    told = json.dumps(header).encode()
    signed = b"memctl-set-1\n" + len(told).to_bytes(4, "big") + told + packed
    content = signed + keys.sign(signed)
    return (
        SetName(header[2], header[1], header[3], header[4], change_set.compute_digest(content)),
        content,
    )


def pack(body: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=SHARED_WORDS)
    return packer.compress(body) + packer.flush()


# -- what is written is read ----------------------------------------------------------------------


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_a_set_comes_back_as_it_was_written(
    group: Group, people: Roster, is_encrypted: bool
) -> None:
    anna, ben = group.anna, group.machines["ben"]
    entries = [build(anna.keys, number) for number in (1, 2, 3)]
    recipients = people.list_recipients(PROJECT) if is_encrypted else ()
    name, content = encode(anna.keys, entries, recipients=recipients)
    assert change_set.is_encrypted(content) == is_encrypted
    read = decode(ben, people, name, content)
    assert [encode_change(each) for each in read.entries] == entries
    assert (read.stream, read.replica, read.member) == (PROJECT, anna.keys.replica, "anna")
    assert read.following == change_set.extend_chain("", [each.id for each in read.entries])


def test_the_chain_is_the_same_however_changes_are_put_into_sets(
    group: Group, people: Roster
) -> None:
    anna = group.anna
    entries = [build(anna.keys, number) for number in range(1, 6)]
    whole = decode(anna, people, *encode(anna.keys, entries))
    first = decode(anna, people, *encode(anna.keys, entries[:2]))
    second = decode(
        anna, people, *encode(anna.keys, entries[2:], first=3, previous=first.following)
    )
    assert (second.previous, second.following) == (first.following, whole.following)


def test_what_was_erased_leaves_its_place_in_the_order(group: Group, people: Roster) -> None:
    anna = group.anna
    change = decode_change(build(anna.keys, 2, parents=["b", "a"]))
    erased = StoredChange(
        9, change.id, change.replica, change.member, "R", 2, change.parents, True, "taken", None
    )
    kept = StoredChange(
        8, "x", change.replica, change.member, "R", 1, (), True, "taken", build(anna.keys, 1)
    )
    entries = [change_set.to_entry(each) for each in (kept, erased)]
    assert b"mill" in entries[0] and b"mill" not in entries[1]
    read = decode(anna, people, *encode(anna.keys, entries))
    stub = read.entries[1]
    assert (stub.id, stub.parents, stub.stamp, stub.events) == (change.id, ("a", "b"), 2, ())


def test_one_change_is_small(group: Group, people: Roster) -> None:
    _, content = encode(group.anna.keys, [build(group.anna.keys, 1)])
    assert len(content) < 600


# -- who may read, and who wrote ------------------------------------------------------------------


def test_others_cannot_read_what_is_encrypted_for_own_machines(
    group: Group, people: Roster
) -> None:
    anna, ben = group.anna, group.machines["ben"]
    name, content = encode(
        anna.keys,
        [build(anna.keys, 1)],
        stream="own:anna",
        recipients=people.list_recipients("own:anna"),
    )
    assert b"mill" not in content
    with pytest.raises(SetSealed):
        decode(ben, people, name, content)
    assert decode(anna, people, name, content).entries


def test_what_was_encrypted_before_somebody_joined_is_encrypted_again(
    group: Group, people: Roster
) -> None:
    anna, ben = group.anna, group.machines["ben"]
    own = [people.replicas[anna.keys.replica].recipient]
    name, content = encode(anna.keys, [build(anna.keys, 1)], recipients=own)
    with pytest.raises(SetSealed):
        decode(ben, people, name, content)
    again, fresh = change_set.recode_set(content, anna.keys, people.list_recipients(PROJECT))
    assert (again.first, again.last, again.replica) == (name.first, name.last, name.replica)
    assert decode(ben, people, again, fresh) == decode(anna, people, name, content)
    with pytest.raises(SetSealed):
        change_set.recode_set(content, ben.keys, own)


def test_nobody_writes_in_the_name_of_another(group: Group, people: Roster) -> None:
    anna, ben = group.anna.keys, group.machines["ben"].keys
    for entries in (
        [build(anna, 1)],
        [build(ben, 1, member="anna")],
        [build(ben, 1, replica=anna.replica)],
        [json.dumps({"stub": ["a" * 32, anna.replica, "anna", "R", 1, []]}).encode()],
    ):
        with pytest.raises(SetDamaged, match="in the name of"):
            decode(group.anna, people, *encode(ben, entries))


def test_own_machines_pass_on_what_the_others_said(tmp_path: Path) -> None:
    group = Group(tmp_path)
    ben = group.add("ben")
    desktop = group.join(group.invite(ben), "desktop")
    entries = [build(desktop.keys, 1), build(ben.keys, 2), build(ben.keys, 3, replica="Z" * 26)]
    made = encode(ben.keys, entries)
    assert len(decode(group.anna, group.roster, *made).entries) == 3
    group.close()


def test_a_set_under_the_name_of_another_does_not_count(group: Group, people: Roster) -> None:
    anna, ben = group.anna.keys, group.machines["ben"].keys
    name, content = encode(ben, [build(ben, 1)])
    for stolen in (
        SetName(PROJECT, anna.replica, 1, 1, name.digest),
        SetName("project:02Q", ben.replica, 1, 1, name.digest),
        SetName(PROJECT, ben.replica, 5, 5, name.digest),
        SetName(PROJECT, "0" * 26, 1, 1, name.digest),
    ):
        with pytest.raises(SetDamaged):
            decode(group.anna, people, stolen, content)
    with pytest.raises(SetDamaged, match="own machines of somebody else"):
        decode(group.anna, people, *encode(ben, [build(ben, 1)], stream="own:anna"))


def test_a_removed_member_is_heard_up_to_where_it_was_known(tmp_path: Path) -> None:
    group = Group(tmp_path)
    ben = group.add("ben")
    entries = [build(ben.keys, number) for number in range(1, 5)]
    made = encode(ben.keys, entries)
    late = encode(ben.keys, entries[3:], first=4)
    group.remove(group.anna, "ben", {(PROJECT, ben.keys.replica): 3})
    read = decode(group.anna, group.roster, *made)
    assert (len(read.entries), read.last) == (3, 3)
    with pytest.raises(SetDamaged, match="removed"):
        decode(group.anna, group.roster, *late)
    group.close()


# -- hostile bytes --------------------------------------------------------------------------------


@pytest.mark.parametrize("is_encrypted", [False, True])
@pytest.mark.parametrize("is_renamed", [False, True])
def test_bytes_that_were_changed_on_the_way_are_damaged_and_nothing_else(
    group: Group, people: Roster, is_encrypted: bool, is_renamed: bool
) -> None:
    recipients = people.list_recipients(PROJECT) if is_encrypted else ()
    name, content = encode(
        group.anna.keys, [build(group.anna.keys, each) for each in (1, 2)], recipients=recipients
    )
    chance = random.Random(7)
    tries = 0
    for bad in spoil(content, chance):
        digest = change_set.compute_digest(bad) if is_renamed else name.digest
        with pytest.raises(SetDamaged):
            decode(group.anna, people, SetName(PROJECT, name.replica, 1, 2, digest), bad)
        tries += 1
    assert tries > 500


def spoil(content: bytes, chance: random.Random) -> Iterator[bytes]:
    """Bits flipped, ends cut off, parts doubled, moved, or filled with zeros."""
    for _ in range(300):
        at = chance.randrange(len(content))
        yield content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]
    for size in range(0, len(content), max(1, len(content) // 100)):
        yield content[:size]
        yield content[:size] + bytes(len(content) - size) if size else b"\0"
    for _ in range(100):
        one, other = sorted(chance.sample(range(len(content)), 2))
        yield content[:other] + content[one:]
        yield content[:one] + content[other:]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\n",
        b"{}",
        b"null",
        b"[" * 100_000,
        b'{"stub":' * 5000,
        b'{"stub":["a",1,"c","d",1,[]]}',
        b'{"stub":["a","b","c","d",1,["\\ud800"]]}',
        b'{"stub":["a","b","c","d",1e999,[]]}',
        b"\xff\xfe\x00",
        b"9" * 10_000,
    ],
)
def test_a_member_that_signs_rubbish_is_passed_over(
    group: Group, people: Roster, body: bytes
) -> None:
    ben = group.machines["ben"].keys
    header = [ben.group, ben.replica, PROJECT, 1, 1, "", len(body)]
    with pytest.raises(SetDamaged):
        decode(group.anna, people, *resign(ben, header, pack(body)))


@pytest.mark.parametrize(
    "value",
    [
        10**30,
        -(10**30),
        "half \ud800 a character",
        {"\udfff": 1},
        json.loads("[" * 40 + "]" * 40),
    ],
)
def test_values_that_no_store_can_keep_are_no_change(group: Group, value: Any) -> None:
    ben = group.machines["ben"].keys
    told = ChangeEvent("record", "R", "created", None, {"content": value}, "operator", "", AT)
    with pytest.raises(BadChange):
        decode_change(build(ben, 1, events=[told]))


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"1e999", b"-Infinity", b"9" * 5000])
def test_numbers_that_are_none_are_no_change(group: Group, number: bytes) -> None:
    good = build(group.anna.keys, 1)
    bad = good.replace(b'{"content":', b'{"x":' + number + b',"content":')
    assert bad != good
    with pytest.raises(BadChange):
        decode_change(bad)


@pytest.mark.parametrize(
    "header",
    [
        [],
        {},
        None,
        [1, 2, 3],
        ["g", "r", PROJECT, 1, 1, "", 1, 1],
        ["g", "r", PROJECT, True, 1, "", 1],
        ["g", "r", PROJECT, 1, 1, "", -1],
    ],
)
def test_a_header_that_says_something_else_is_damaged(
    group: Group, people: Roster, header: Any
) -> None:
    ben = group.machines["ben"].keys
    told = json.dumps(header).encode()
    signed = b"memctl-set-1\n" + len(told).to_bytes(4, "big") + told + pack(b"x")
    content = signed + ben.sign(signed)
    name = SetName(PROJECT, ben.replica, 1, 1, change_set.compute_digest(content))
    with pytest.raises(SetDamaged):
        decode(group.anna, people, name, content)


@pytest.mark.parametrize("said", [100, 200 << 20])
def test_a_zip_bomb_is_not_unpacked(group: Group, people: Roster, said: int) -> None:
    ben = group.machines["ben"].keys
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, zdict=SHARED_WORDS)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(400)) + packer.flush()
    made = resign(ben, [ben.group, ben.replica, PROJECT, 1, 1, "", said], packed)
    tracemalloc.start()
    with pytest.raises(SetDamaged):
        decode(group.anna, people, *made)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * said + (4 << 20)


def test_a_set_of_a_stranger_is_not_even_unpacked(
    group: Group, people: Roster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = Group(tmp_path)
    name, content = encode(other.anna.keys, [build(other.anna.keys, 1)])
    monkeypatch.setattr(zlib, "decompressobj", lambda *_given, **_named: pytest.fail("unpacked"))
    with pytest.raises(SetDamaged, match="nobody who is known"):
        decode(group.anna, people, name, content)
    forged = SetName(PROJECT, group.anna.keys.replica, 1, 1, name.digest)
    with pytest.raises(SetDamaged, match="signature"):
        decode(group.anna, people, forged, content)
    other.close()


# -- which sets are written -----------------------------------------------------------------------


def span(first: int, last: int) -> SetName:
    return SetName(PROJECT, "R", first, last, f"{first}-{last}")


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 9))), st.integers(0, 40))
def test_gaps_are_the_numbers_that_no_set_holds(rows: list[tuple[int, int]], last: int) -> None:
    names = [span(first, first + more) for first, more in rows]
    held = {number for each in names for number in range(each.first, each.last + 1)}
    gaps = set_plans.find_gaps(names, last)
    found = [number for first, end in gaps for number in range(first, end + 1)]
    assert found == [number for number in range(1, last + 1) if number not in held]


@given(st.lists(st.integers(1, 9 << 20)))
def test_changes_are_split_into_runs_of_a_bounded_size(sizes: list[int]) -> None:
    runs = [*set_plans.split_entries(sizes)]
    assert [at for begin, end in runs for at in range(begin, end)] == [*range(len(sizes))]
    for begin, end in runs:
        assert end - begin == 1 or sum(sizes[begin:end]) <= set_plans.MOST_BYTES


@given(st.lists(st.integers(1, 30), min_size=1, max_size=200))
def test_compaction_keeps_every_number_and_few_sets(counts: list[int]) -> None:
    names, reached = [], 0
    for count in counts:
        names.append(span(reached + 1, reached + count))
        reached += count
        for old in set_plans.plan_compaction(names):
            new = span(old[0].first, max(each.last for each in old))
            names = sorted({*names} - {*old} | {new}, key=lambda each: each.first)
        assert set_plans.find_gaps(names, reached) == []
        assert set_plans.plan_compaction(names) == []
    assert len(names) <= 5 * (set_plans.FAN_OUT - 1)


def test_what_a_kill_left_beside_the_set_that_replaces_it_goes_with_it() -> None:
    left = [span(1, 3), span(1, 1), span(2, 2), span(4, 4)]
    assert [{*each} for each in set_plans.plan_compaction(left)] == [
        {span(1, 3), span(1, 1), span(2, 2)}
    ]


def test_a_change_is_written_anew_a_few_times_however_many_follow() -> None:
    names: list[SetName] = []
    written = 0
    for number in range(1, 4097):
        names.append(span(number, number))
        for old in set_plans.plan_compaction(names):
            names = [each for each in names if each not in old]
            names.append(span(old[0].first, old[-1].last))
            written += old[-1].last - old[0].first + 1
    assert len(names) <= 4 * (set_plans.FAN_OUT - 1)
    assert written / 4096 <= 4  # 8 ** 4 changes: four steps


def test_large_changes_are_not_put_into_one_set_that_is_too_large() -> None:
    names = [span(number, number) for number in range(1, 20)]
    assert set_plans.plan_compaction(names, lambda first, last: (last - first + 1) << 20) == []
    heavy = [each for each in names if each.first <= 4]
    planned = set_plans.plan_compaction(names, lambda first, _last: (5 << 20) * (first <= 4))
    assert planned and all(each not in heavy for row in planned for each in row)
