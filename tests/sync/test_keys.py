"""Who belongs to a group is decided by signatures alone, whoever can write to the place."""

from __future__ import annotations

import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memctl.core import process_identity
from memctl.core.errors import KeysDamaged, MissingExtra, NotFound, RefusedByPolicy, UsageError
from memctl.store import files
from memctl.sync import age_keys, cards, keys, roster, signed_texts
from memctl.sync.member_names import find_fault, reduce_name
from memctl.sync.signed_texts import BadText
from tests.sync.groups import Group, Machine

PROJECT = "project:01P"


@pytest.fixture
def group(tmp_path: Path) -> Iterator[Group]:
    made = Group(tmp_path)
    yield made
    made.close()


def forge_card(
    group: Group, member: str, invitation: bytes, seeds: list[bytes], **other: str
) -> bytes:
    """A card that says whatever one likes, signed with whatever one has."""
    body = dict(
        cards.write_card(group.id, member, "", seeds[0], age_keys.create_identity()[1], invitation)
    )
    return cards.sign_card({**body, **other}, seeds)


# -- joining --------------------------------------------------------------------------------------


def test_who_was_invited_joins_without_a_second_step(group: Group) -> None:
    ben = group.add("ben")
    found = group.roster
    assert [each.name for each in found.list_members()] == ["anna", "ben"]
    assert found.problems == ()
    assert not found.replicas[ben.keys.replica].is_admin
    assert found.replicas[group.anna.keys.replica].label == "laptop"


def test_a_second_machine_of_a_member_is_the_same_member(group: Group) -> None:
    ben = group.add("ben")
    desktop = group.join(group.invite(ben), "ben's desktop")
    found = group.roster
    assert [(each.name, len(each.replicas)) for each in found.list_members()] == [
        ("anna", 1),
        ("ben", 2),
    ]
    assert found.is_own(ben.keys.replica, desktop.keys.replica)
    assert len(found.list_recipients("own:ben")) == 2
    assert len(found.list_recipients("own:anna")) == 1
    assert len(found.list_recipients(PROJECT)) == 3


def test_only_administrators_invite_others(group: Group) -> None:
    ben = group.add("ben")
    with pytest.raises(RefusedByPolicy, match="administrator"):
        group.invite(ben, "mallory")
    cleo = group.add("cleo", is_admin=True)
    group.add("dan", cleo)
    assert group.list_names() == ["anna", "ben", "cleo", "dan"]


def test_an_invitation_survives_line_breaks_but_not_a_lost_letter(group: Group) -> None:
    code = group.invite(group.anna, "ben")
    broken = "\n  ".join(code[at : at + 40] for at in range(0, len(code), 40))
    assert keys.read_code(broken) == keys.read_code(code)
    assert len(code) < 280
    for bad in (
        code[:-1],
        code[:30] + code[31:],
        code.upper(),
        "memctl-",
        "",
        "x" * 9000,
        "memctl-é",
    ):
        with pytest.raises(UsageError, match="no invitation"):
            keys.read_code(bad)


def test_an_invitation_says_where_to_and_whether_it_is_encrypted(group: Group) -> None:
    code = keys.make_code(
        group.anna.keys, group.roster, None, place="/home/anna/Sync/ü", is_encrypted=True
    )
    told = keys.read_code(code)
    assert (told.place, told.is_encrypted, told.is_own) == ("/home/anna/Sync/ü", True, True)


def test_an_invitation_does_not_let_two_in(group: Group) -> None:
    code = group.invite(group.anna, "ben")
    ben = group.join(code, "ben")
    with pytest.raises(RefusedByPolicy, match="used already, by ben"):
        group.join(code, "thief")
    # The thief puts a card there all the same, dated back.
    told = keys.read_code(code)
    stolen = forge_card(
        group,
        "ben",
        told.invitation,
        [signed_texts.create_seed(), told.seed],
        at="2001-01-01T00:00:00.000Z",
    )
    known = [group.anna.keys.card, ben.keys.card]
    found = roster.build_roster(group.id, [*known, stolen], [], known_cards=known)
    assert sorted(found.replicas) == sorted([group.anna.keys.replica, ben.keys.replica])
    assert "came with an invitation that" in found.problems[0]


def test_a_store_joins_one_group_alone(group: Group, tmp_path: Path) -> None:
    other = Group(tmp_path / "other")
    code = other.invite(other.anna, "ben")
    with pytest.raises(UsageError, match="belongs to a group"):
        keys.join_group(group.anna.db, group.anna.config, code, other.cards, [])
    with pytest.raises(RefusedByPolicy, match="nobody at that place"):
        fresh = group.begin("fresh")
        keys.join_group(fresh.db, fresh.config, code, group.cards, [])
    other.close()


# -- forgeries ------------------------------------------------------------------------------------


def test_a_card_without_an_invitation_does_not_count(group: Group) -> None:
    group.cards.append(forge_card(group, "mallory", b"", [signed_texts.create_seed()]))
    assert group.list_names() == ["anna"]
    assert "nobody who may has invited it" in group.roster.problems[0]


def test_a_member_cannot_invite_others_by_writing_an_invitation_itself(group: Group) -> None:
    ben, once = group.add("ben"), signed_texts.create_seed()
    invitation = cards.write_invitation(
        group.id,
        signed_texts.find_public_key(once),
        "mallory",
        is_admin=True,
        issuer=ben.keys.replica,
        seed=ben.keys.seed,
    )
    group.cards.append(forge_card(group, "mallory", invitation, [signed_texts.create_seed(), once]))
    assert group.list_names() == ["anna", "ben"]


def test_a_member_does_not_become_an_administrator_by_its_own_word(group: Group) -> None:
    ben, once = group.add("ben"), signed_texts.create_seed()
    invitation = cards.write_invitation(
        group.id,
        signed_texts.find_public_key(once),
        None,
        is_admin=True,
        issuer=ben.keys.replica,
        seed=ben.keys.seed,
    )
    group.cards.append(forge_card(group, "ben", invitation, [signed_texts.create_seed(), once]))
    found = group.roster
    assert len(found.replicas) == 3
    assert [each.is_admin for each in found.replicas.values() if each.member == "ben"] == [
        False
    ] * 2


def test_an_invitation_for_one_name_lets_no_other_in(group: Group) -> None:
    told = keys.read_code(group.invite(group.anna, "ben"))
    seeds = [signed_texts.create_seed(), told.seed]
    group.cards.append(forge_card(group, "anna", told.invitation, seeds))
    assert len(group.roster.replicas) == 1


def test_the_id_of_a_replica_is_that_of_its_key(group: Group) -> None:
    told = keys.read_code(group.invite(group.anna, "ben"))
    card = forge_card(
        group,
        "ben",
        told.invitation,
        [signed_texts.create_seed(), told.seed],
        replica=group.anna.keys.replica,
    )
    with pytest.raises(BadText, match="not named by its key"):
        cards.read_card(card)


def test_a_card_that_takes_the_place_of_another_changes_nothing(group: Group) -> None:
    ben = group.add("ben")
    ben_card = group.cards[1]
    told = keys.read_code(group.invite(group.anna, "cleo"))
    other = forge_card(group, "cleo", told.invitation, [signed_texts.create_seed(), told.seed])
    found = roster.build_roster(group.id, [group.cards[0], other], [], known_cards=[ben_card])
    assert ben.keys.replica in found.replicas
    assert found.replicas[ben.keys.replica].key == cards.read_card(ben_card).key


def test_cards_of_another_group_do_not_count(group: Group, tmp_path: Path) -> None:
    other = Group(tmp_path / "other")
    other.add("ben")
    group.cards += other.cards
    assert group.list_names() == ["anna"]
    assert any("of another group" in each for each in group.roster.problems)
    other.close()


@pytest.mark.parametrize("part", range(3))
def test_a_card_of_which_a_letter_was_changed_is_none(group: Group, part: int) -> None:
    group.add("ben")
    good = group.cards[1]
    lines = good.split(b"\n")
    at = sum(len(line) + 1 for line in lines[: part + 1]) - len(lines[part]) // 2
    bad = good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :]
    found = roster.build_roster(group.id, [group.cards[0], bad], [])
    assert len(found.replicas) == 1 and found.problems


def test_a_recipient_that_nothing_can_be_encrypted_to_is_refused(group: Group) -> None:
    told = keys.read_code(group.invite(group.anna, "ben"))
    low = "age1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqj7vrya"
    for recipient in (low, "age1", "", "x" * 100):
        card = forge_card(
            group,
            "ben",
            told.invitation,
            [signed_texts.create_seed(), told.seed],
            recipient=recipient,
        )
        with pytest.raises(BadText):
            cards.read_card(card)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"memctl-card-1\n",
        b"memctl-card-1\n[]\n\n",
        b"memctl-card-1\n" + b"[" * 5000 + b"\n\n",
        b'memctl-card-1\n{"group":1e999}\nAAAA\n',
        b'memctl-card-1\n{"group":"a","invitation":"\\ud800"}\nAAAA\n',
        b"\xff" * 100,
        b"memctl-card-1\n" + b"9" * 5000 + b"\n\n",
        b"x" * 100_000,
    ],
)
def test_rubbish_among_the_cards_and_removals_is_passed_over(group: Group, content: bytes) -> None:
    found = roster.build_roster(group.id, [*group.cards, content], [content])
    assert len(found.replicas) == 1
    assert len(found.problems) == 2


# -- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["anna", "Anna Müller", "O'Neil", "山田 太郎", "Ольга", "j.r", "zoë-2"]
)
def test_names_of_people_are_names(name: str) -> None:
    assert find_fault(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        "operator",
        "Adm1n",
        "me",
        "everyone",
        "memctl",
        "../etc",
        "a/b",
        "a:b",
        "a\x1b[31m",
        "a\u200bb",
        "a\u202eb",
        "аnna",
        "ａnna",
        "x" * 41,
        "1abc",
        " anna",
        "anna ",
        "a  b",
        "a\u0301\u0302\u0303b",
        "\ud800",
    ],
)
def test_what_misleads_is_nobodys_name(name: str) -> None:
    assert find_fault(name) is not None


@pytest.mark.parametrize("name", ["Anna", "ANNA", "änna", "an-na"])
def test_a_name_that_looks_like_a_members_is_taken(group: Group, name: str) -> None:
    with pytest.raises(UsageError, match="looks like"):
        group.invite(group.anna, name)


def test_names_in_one_script_that_look_like_those_of_another_are_the_same() -> None:
    assert reduce_name("сора") == reduce_name("copa")
    assert reduce_name("Clara") != reduce_name("Dara")


def test_two_administrators_who_give_one_name_to_two_give_it_to_one(group: Group) -> None:
    cleo = group.add("cleo", is_admin=True)
    first, second = group.invite(group.anna, "ben"), group.invite(cleo, "Ben")
    group.join(first, "one")
    two = group.begin("two")
    with pytest.raises(RefusedByPolicy, match="name"):
        keys.join_group(two.db, two.config, second, group.cards, [])


def test_who_was_known_first_keeps_the_name(group: Group) -> None:
    cleo = group.add("cleo", is_admin=True)
    code = group.invite(group.anna, "ben")
    known = list(group.cards)
    ben = group.join(group.invite(cleo, "ben"), "ben")
    # Another card of that name, from nearer to the founder, and dated back.
    told = keys.read_code(code)
    rival = forge_card(
        group,
        "ben",
        told.invitation,
        [signed_texts.create_seed(), told.seed],
        at="2001-01-01T00:00:00.000Z",
    )
    found = roster.build_roster(group.id, [rival], [], known_cards=[*known, ben.keys.card])
    assert ben.keys.replica in found.replicas
    assert len(found.list_recipients("own:ben")) == 1


# -- removals -------------------------------------------------------------------------------------


def test_what_a_removed_member_wrote_counts_up_to_what_was_known(group: Group) -> None:
    ben = group.add("ben")
    replica = ben.keys.replica
    group.remove(group.anna, "ben", {(PROJECT, replica): 7, (PROJECT, "other"): 3})
    found = group.roster
    assert group.list_names() == ["anna"]
    assert found.find_limit(PROJECT, replica) == 7
    assert found.find_limit("project:other", replica) == 0
    assert found.find_limit(PROJECT, group.anna.keys.replica) is None
    assert found.find_limit(PROJECT, "nobody") == 0
    assert found.list_recipients(PROJECT) == [found.replicas[group.anna.keys.replica].recipient]
    assert found.find_removal(replica) == group.removals[0]


def test_a_removed_member_invites_nobody_back(group: Group) -> None:
    cleo = group.add("cleo", is_admin=True)
    dan = group.add("dan", cleo)
    late = group.invite(cleo, "eve")
    own = group.invite(cleo)
    group.remove(group.anna, "cleo")
    assert group.list_names() == ["anna", "dan"]
    assert group.roster.find_limit(PROJECT, dan.keys.replica) is None
    for code in (late, own):
        with pytest.raises(RefusedByPolicy):
            group.join(code, "eve")
    with pytest.raises(RefusedByPolicy, match="removed"):
        group.invite(cleo)


def test_members_remove_themselves_and_their_own_machines_alone(group: Group) -> None:
    ben = group.add("ben")
    desktop = group.join(group.invite(ben), "desktop")
    with pytest.raises(RefusedByPolicy, match="administrator"):
        group.remove(ben, "anna")
    group.remove(ben, desktop.keys.replica)
    assert [len(each.replicas) for each in group.roster.list_members()] == [1, 1]
    group.remove(ben, "ben")
    assert group.list_names() == ["anna"]
    with pytest.raises(NotFound):
        keys.make_removal(group.anna.keys, group.roster, "ben", {})


def test_the_last_administrator_does_not_leave_others_behind(group: Group) -> None:
    group.add("ben")
    with pytest.raises(RefusedByPolicy, match="without an administrator"):
        group.remove(group.anna, "anna")
    group.add("cleo", is_admin=True)
    group.remove(group.anna, "anna")
    assert group.list_names() == ["ben", "cleo"]


def test_a_removal_by_a_member_or_a_stranger_does_not_count(group: Group, tmp_path: Path) -> None:
    ben, cleo = group.add("ben"), group.add("cleo")
    other = Group(tmp_path / "other")
    for signer, seed in (
        (ben.keys.replica, ben.keys.seed),
        (group.anna.keys.replica, ben.keys.seed),
        (other.anna.keys.replica, other.anna.keys.seed),
    ):
        group.removals.append(
            cards.write_removal(
                group=group.id,
                issuer=signer,
                member="cleo",
                root=None,
                replicas=[cleo.keys.replica],
                limits={},
                kept_cards=[],
                kept_removals=[],
                seed=seed,
            )
        )
    assert group.list_names() == ["anna", "ben", "cleo"]
    assert len(group.roster.problems) == 2  # A stranger's signature, twice; a member's.
    other.close()


def test_a_removal_does_not_hit_who_has_the_name_later(group: Group) -> None:
    group.add("ben")
    old = group.remove(group.anna, "ben")
    again = group.join(group.invite(group.anna, "ben"), "ben again")
    group.removals.append(old)
    found = group.roster
    assert found.find_limit(PROJECT, again.keys.replica) is None
    assert [(each.name, each.is_removed) for each in found.list_members()] == [
        ("anna", False),
        ("ben", False),
        ("ben", True),
    ]
    assert len(found.list_recipients("own:ben")) == 1


def test_a_removed_administrator_removes_nobody_in_return(group: Group) -> None:
    cleo = group.add("cleo", is_admin=True)
    before = keys.make_removal(cleo.keys, group.roster, "anna", {})
    group.remove(group.anna, "cleo")
    group.removals.append(before)
    assert group.list_names() == ["anna"]
    assert "had been removed" in group.roster.problems[0]


def test_between_equals_the_removal_that_was_known_first_counts(group: Group) -> None:
    cleo, dan = group.add("cleo", is_admin=True), group.add("dan", is_admin=True)
    one = keys.make_removal(cleo.keys, group.roster, "dan", {})
    other = keys.make_removal(dan.keys, group.roster, "cleo", {})
    for known, gone in ((one, dan), (other, cleo)):
        found = roster.build_roster(group.id, group.cards, [one, other], known_removals=[known])
        assert [each.id for each in found.replicas.values() if each.is_removed] == [
            gone.keys.replica
        ]
    both = [
        roster.build_roster(group.id, group.cards, each, ())
        for each in ([one, other], [other, one])
    ]
    assert both[0].replicas == both[1].replicas


def test_a_removal_by_who_was_removed_later_still_counts(group: Group) -> None:
    cleo = group.add("cleo", is_admin=True)
    group.add("dan")
    group.remove(cleo, "dan")
    group.remove(group.anna, "cleo")
    assert group.list_names() == ["anna"]


def test_two_removals_of_one_member_leave_what_both_leave(group: Group) -> None:
    cleo, ben = group.add("cleo", is_admin=True), group.add("ben")
    at = (PROJECT, ben.keys.replica)
    one = keys.make_removal(cleo.keys, group.roster, "ben", {at: 9})
    other = keys.make_removal(group.anna.keys, group.roster, "ben", {at: 4})
    group.removals += [one, other]
    assert group.roster.find_limit(*at) == 4


# -- the file of the keys -------------------------------------------------------------------------


def test_the_keys_lie_beside_the_store_for_nobody_else(group: Group) -> None:
    path = files.locate_sync_key(group.anna.config.db)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert group.anna.keys.seed not in group.anna.config.db.read_bytes()
    assert "seed" not in repr(group.anna.keys)
    keys.leave_group(group.anna.config)
    assert not path.exists() and keys.load_keys(group.anna.config) is None


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff\xfe", b"null", b"[" * 10_000])
def test_damaged_keys_are_said_to_be_damaged(group: Group, content: bytes) -> None:
    files.locate_sync_key(group.anna.config.db).write_bytes(content)
    with pytest.raises(KeysDamaged, match="holds no keys"):
        keys.load_keys(group.anna.config)


def test_the_same_store_in_its_place_is_no_fork(group: Group) -> None:
    anna = group.anna
    assert keys.find_fork(anna.db, anna.config, anna.keys) is None
    keys.renew_token(anna.db, anna.config, anna.keys)
    assert keys.find_fork(anna.db, anna.config, anna.keys) is None


def test_a_store_that_was_put_back_is_a_fork(group: Group) -> None:
    anna = group.anna
    with anna.db.write():
        before = anna.db.value("meta.get", key="sync.token")
    keys.renew_token(anna.db, anna.config, anna.keys)
    with anna.db.write():
        anna.db.run("meta.set", key="sync.token", value=before)
    assert "earlier state" in str(keys.find_fork(anna.db, anna.config, anna.keys))


def test_a_copy_elsewhere_is_a_fork(group: Group, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "anna", tmp_path / "copy")
    copy = Machine(tmp_path / "copy")
    assert "copied or moved" in str(keys.find_fork(copy.db, copy.config, copy.keys))
    copy.db.close()


def test_a_copy_on_another_machine_is_a_fork(group: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_identity, "read_machine_id", lambda: "one")
    anna = group.anna
    keys.put_keys(anna.db, anna.config, anna.keys)
    monkeypatch.setattr(process_identity, "read_machine_id", lambda: "two")
    assert "another machine" in str(keys.find_fork(anna.db, anna.config, anna.keys))


def test_a_fork_goes_on_under_a_name_that_the_old_one_vouches_for(group: Group) -> None:
    ben = group.add("ben")
    old = ben.keys
    fresh = keys.take_new_replica(ben.db, ben.config, old)
    group.cards.append(fresh.card)
    found = group.roster
    assert fresh.replica != old.replica
    assert found.is_own(old.replica, fresh.replica)
    assert ben.keys.identities == (fresh.identity, old.identity)
    assert keys.find_fork(ben.db, ben.config, ben.keys) is None
    assert age_keys.decrypt(
        age_keys.encrypt(b"x", [found.replicas[old.replica].recipient]), fresh.identities
    )


@pytest.mark.parametrize("package", ["cryptography", "pyrage"])
def test_without_the_extra_the_cure_is_named(
    tmp_path: Path, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    machine = Machine(tmp_path / "x")
    with pytest.raises(MissingExtra, match=package) as caught:
        keys.found_group(machine.db, machine.config, "anna")
    assert caught.value.hint == "pip install 'memctl[sync]'"
    machine.db.close()
