"""A folder that others write to, that vanishes, fills up, or holds what somebody put there."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from memctl.core import process_identity
from memctl.core.errors import PlaceUnreachable, SetDamaged, UsageError
from memctl.sync import folder_files, folder_place
from memctl.sync.folder_place import FolderPlace, quote_stream
from memctl.sync.place import SetName
from memctl.sync.set_plans import find_gaps
from tests.killing import Killed
from tests.sync.places import ANNA, BEN, GROUP, PROJECT, make_set

OWN = "own:anna"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "shared"
    FolderPlace.create(made, GROUP, ANNA, is_encrypted=False).close()
    return made


@pytest.fixture
def place(path: Path) -> Iterator[FolderPlace]:
    with closing(FolderPlace.open(path, GROUP, ANNA)) as opened:
        yield opened


def find_file(path: Path, name: SetName) -> Path:
    found = [each for each in path.rglob("*.mcs") if name.digest in each.name]
    assert len(found) == 1
    return found[0]


# -- a folder that is not what it was -------------------------------------------------------------


def test_a_folder_that_is_not_mounted_is_not_made_anew(path: Path) -> None:
    shutil.rmtree(path / "memctl-sync")
    with pytest.raises(PlaceUnreachable, match="mounted"):
        FolderPlace.open(path, GROUP, ANNA)
    path.rmdir()
    with pytest.raises(PlaceUnreachable, match="mounted"):
        FolderPlace.open(path, GROUP, ANNA)
    assert not path.exists()


def test_a_folder_of_which_only_the_outer_part_is_there_is_not_used(path: Path) -> None:
    (path / "memctl-sync" / "group.json").unlink()
    assert folder_place.read_marker(path) is None
    with pytest.raises(PlaceUnreachable, match="mounted"):
        FolderPlace.open(path, GROUP, ANNA)


def test_a_folder_that_vanishes_while_it_is_open_is_not_taken_for_an_empty_one(
    path: Path, place: FolderPlace
) -> None:
    shutil.rmtree(path)
    for use in (
        lambda: [*place.list_sets({})],
        place.read_cards,
        lambda: place.write_set(*make_set(ANNA, 1, 1)),
        lambda: place.read_set(make_set(ANNA, 1, 1)[0]),
    ):
        with pytest.raises(PlaceUnreachable, match="deleted"):
            use()
    assert not path.exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format":2}', b"[" * 4000, b"x" * 5000])
def test_a_damaged_marker_is_no_reason_to_begin_anew(path: Path, content: bytes) -> None:
    (path / "memctl-sync" / "group.json").write_bytes(content)
    for use in (
        lambda: folder_place.read_marker(path),
        lambda: FolderPlace.open(path, GROUP, ANNA),
        lambda: FolderPlace.create(path, GROUP, ANNA, is_encrypted=False),
    ):
        with pytest.raises(PlaceUnreachable):
            use()
    assert (path / "memctl-sync" / "group.json").read_bytes() == content


def test_another_group_does_not_meet_in_the_same_folder(path: Path) -> None:
    with pytest.raises(UsageError, match="another group"):
        FolderPlace.create(path, "b" * 32, BEN, is_encrypted=False)
    with pytest.raises(UsageError, match="another group"):
        FolderPlace.open(path, "b" * 32, BEN)
    marker = folder_place.read_marker(path)
    assert marker is not None and marker.group == GROUP


def test_a_folder_that_was_encrypted_does_not_become_plain_by_its_own_word(
    tmp_path: Path,
) -> None:
    path = tmp_path / "shared"
    FolderPlace.create(path, GROUP, ANNA, is_encrypted=True).close()
    marker = path / "memctl-sync" / "group.json"
    marker.write_text(marker.read_text().replace("true", "false"))
    with pytest.raises(UsageError, match="not encrypted"):
        FolderPlace.open(path, GROUP, ANNA, is_encrypted=True)


def test_the_folder_itself_may_be_named(path: Path) -> None:
    with closing(FolderPlace.open(path / "memctl-sync", GROUP, ANNA)) as opened:
        opened.write_set(*make_set(ANNA, 1, 1))
    assert not (path / "memctl-sync" / "memctl-sync").exists()


# -- what others put there ------------------------------------------------------------------------


def test_a_set_that_is_damaged_or_half_there_is_named_and_tried_again(
    path: Path, place: FolderPlace
) -> None:
    name, content = make_set(ANNA, 1, 3, content=b"changes" * 100)
    place.write_set(name, content)
    file = find_file(path, name)
    for bad in (content[:50], b"", content + b"x", b"X" + content[1:]):
        file.write_bytes(bad)
        assert [*place.list_sets({})] == [name]
        with pytest.raises(SetDamaged, match="damaged"):
            place.read_set(name)
    file.write_bytes(content)
    assert place.read_set(name) == content


def test_writing_a_damaged_set_again_puts_it_right(path: Path, place: FolderPlace) -> None:
    name, content = make_set(ANNA, 1, 3)
    place.write_set(name, content)
    find_file(path, name).write_bytes(b"rotten")
    place.write_set(name, content)
    assert place.read_set(name) == content


@pytest.mark.parametrize(
    "strange",
    [
        "{file} (conflicted copy 2026-03-04).mcs",
        "{stem}.sync-conflict-20260304-050607-ABCDEFG.mcs",
        "{upper}",
        "{stem}.mcs.part",
        "1-3-abc.mcs",
        "000000000003-000000000001-{digest}.mcs",
        "notes.txt",
        "new\nline.mcs",
    ],
)
def test_copies_and_renamed_files_are_passed_over_and_named(
    path: Path, place: FolderPlace, strange: str
) -> None:
    name, content = make_set(ANNA, 1, 3)
    place.write_set(name, content)
    file = find_file(path, name)
    made = strange.format(
        file=file.name, stem=file.stem, upper=file.name.upper(), digest=name.digest
    )
    (file.parent / made).write_bytes(content)
    assert [*place.list_sets({})] == [name]
    assert len(place.problems) == 1 and "is nothing of memctl's" in place.problems[0]
    assert place.problems[0].isprintable()


@pytest.mark.parametrize("name", [".DS_Store", ".stfolder", "~syncthing~x.tmp", "desktop.ini"])
def test_what_other_programs_put_everywhere_is_not_worth_a_word(
    path: Path, place: FolderPlace, name: str
) -> None:
    place.write_set(*make_set(ANNA, 1, 3))
    for folder in (path / "memctl-sync", *(path / "memctl-sync").rglob("*/")):
        if folder.is_dir():
            (folder / name).write_bytes(b"")
    assert len([*place.list_sets({})]) == 1
    assert place.problems == []


@pytest.mark.parametrize(
    "folder",
    [
        "own_3aAnna",
        "own:anna",
        "project",
        "own_3a",
        "other_3ax",
        "_ff_fe",
        "own_3a_0a",
        "_6fwn_3ax",
    ],
)
def test_folders_that_are_for_no_stream_are_named(
    path: Path, place: FolderPlace, folder: str
) -> None:
    (path / "memctl-sync" / "sets" / folder / ANNA.lower()).mkdir(parents=True)
    assert [*place.list_sets({})] == []
    assert len(place.problems) == 1


@pytest.mark.parametrize(
    "stream",
    [
        "own:anna",
        "own:Anna Müller",
        "own:" + "я" * 40,
        "project:01KABCDEFGHJKMNPQRSTVWXYZ0",
        "project:global",
    ],
)
def test_streams_are_folders_on_every_file_system(place: FolderPlace, stream: str) -> None:
    quoted = quote_stream(stream)
    assert quoted == quoted.lower() and len(quoted) < 250 and quoted.isascii()
    name, content = make_set(ANNA, 1, 1, stream=stream)
    place.write_set(name, content)
    assert [*place.list_sets({})] == [name]


@pytest.mark.parametrize(
    ("stream", "replica", "digest"),
    [
        ("own:../../x", "../" * 8 + "xx", ""),
        ("../../etc", ANNA, ""),
        ("", ANNA, ""),
        ("own:a\0b", ANNA, ""),
        ("own:\ud800", ANNA, ""),
        (PROJECT, "../../../../../../../../xx", ""),
        (PROJECT, ANNA.lower(), ""),
        (PROJECT, ANNA, "../../../../../../../../../../x"),
    ],
)
def test_names_lead_nowhere_else(
    path: Path, place: FolderPlace, stream: str, replica: str, digest: str
) -> None:
    name, content = make_set(ANNA, 1, 1)
    name = SetName(stream, replica, 1, 1, digest or name.digest)
    before = sorted(path.parent.rglob("*"))
    with pytest.raises(ValueError):
        place.write_set(name, content)
    with pytest.raises((ValueError, SetDamaged)):
        place.read_set(name)
    with pytest.raises(ValueError):
        place.write_card("../../../../../../../../../x", b"card")
    assert sorted(path.parent.rglob("*")) == before


def test_links_and_devices_are_left_alone(path: Path, place: FolderPlace, tmp_path: Path) -> None:
    name, content = make_set(ANNA, 1, 3)
    place.write_set(name, content)
    file = find_file(path, name)
    secret = tmp_path / "secret"
    secret.write_bytes(content)
    for kind, put in (
        ("link", lambda: file.symlink_to(secret)),
        ("pipe", lambda: os.mkfifo(file)),
        ("folder", lambda: file.mkdir()),
    ):
        file.unlink()
        put()
        assert [*place.list_sets({})] == [], kind
        assert len(place.problems) == 1
        with pytest.raises(SetDamaged):
            place.read_set(name)
        if kind == "folder":
            file.rmdir()
            file.touch()
    assert secret.read_bytes() == content


@pytest.mark.parametrize("part", ["sets", "cards", "removals", f"sets/{quote_stream(PROJECT)}"])
def test_nothing_is_written_through_a_link(
    path: Path, place: FolderPlace, tmp_path: Path, part: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    link = path / "memctl-sync" / part
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside)
    for use in (
        lambda: place.write_set(*make_set(ANNA, 1, 1)),
        lambda: place.write_card(ANNA, b"card"),
        lambda: place.write_removal("ben", b"removal"),
    ):
        with suppress(PlaceUnreachable):
            use()
    assert [*outside.iterdir()] == []


def test_the_folder_itself_is_no_link_of_somebody(path: Path, tmp_path: Path) -> None:
    (path / "memctl-sync").rename(tmp_path / "elsewhere")
    (path / "memctl-sync").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PlaceUnreachable, match="link"):
        FolderPlace.open(path, GROUP, ANNA)


def test_a_card_that_cannot_be_read_hides_no_other(path: Path, place: FolderPlace) -> None:
    place.write_card(ANNA, b"card of anna")
    cards = path / "memctl-sync" / "cards"
    (cards / f"{BEN.lower()}.card").write_bytes(b"x" * 100_000)
    (cards / f"{'0' * 26}.card").symlink_to("/dev/zero")
    (cards / "anna.card").write_bytes(b"")
    assert place.read_cards() == [b"card of anna"]
    assert len(place.problems) == 3


# -- a folder that cannot be written --------------------------------------------------------------


def test_files_are_for_nobody_else(path: Path, place: FolderPlace) -> None:
    old = os.umask(0)
    try:
        place.write_set(*make_set(ANNA, 1, 1, stream=OWN))
        place.write_card(ANNA, b"card")
    finally:
        os.umask(old)
    for each in (path / "memctl-sync", *(path / "memctl-sync").rglob("*")):
        assert stat.S_IMODE(each.stat().st_mode) == (0o700 if each.is_dir() else 0o600), each


def test_a_folder_that_users_of_one_machine_share_is_for_their_group(path: Path) -> None:
    (path / "memctl-sync").chmod(0o2770)
    with closing(FolderPlace.open(path, GROUP, ANNA)) as place:
        place.write_set(*make_set(ANNA, 1, 1))
    for each in (path / "memctl-sync" / "sets").rglob("*"):
        expected = 0o2770 if each.is_dir() else 0o660
        assert stat.S_IMODE(each.stat().st_mode) == expected, each


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "is full"),
        (errno.EDQUOT, "is full"),
        (errno.EROFS, "is read-only"),
        (errno.EACCES, "cannot be written"),
        (errno.ENOTCONN, "cannot be written"),
        (errno.ESTALE, "cannot be written"),
        (errno.EIO, "cannot be written"),
    ],
)
@pytest.mark.parametrize("where", ["open", "fsync", "link"])
def test_a_folder_that_cannot_be_written_says_why_and_keeps_nothing_half(
    path: Path,
    place: FolderPlace,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    said: str,
    where: str,
) -> None:
    place.write_set(*make_set(ANNA, 1, 1))
    fail_in(monkeypatch, where, number)
    with pytest.raises(PlaceUnreachable, match=said):
        place.write_set(*make_set(ANNA, 2, 2))
    monkeypatch.undo()
    assert [each.first for each in place.list_sets({})] in ([1], [1, 2])
    assert [*path.rglob("*.tmp")] == []
    place.write_set(*make_set(ANNA, 2, 2))
    assert [each.first for each in place.list_sets({})] == [1, 2]


def fail_in(monkeypatch: pytest.MonkeyPatch, where: str, number: int) -> None:
    """Let one function of the system fail, where it writes."""
    real = getattr(os, where)

    def fail(*given: Any, **named: Any) -> Any:
        if where == "open" and not given[1] & os.O_CREAT:
            return real(*given, **named)
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(folder_files.os, where, fail)


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_cannot_wait_for_the_disk_is_good_enough(
    place: FolderPlace, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    fail_in(monkeypatch, "fsync", number)
    place.write_set(*make_set(ANNA, 1, 1))
    assert len([*place.list_sets({})]) == 1


def test_a_file_system_without_second_names_is_good_enough(
    place: FolderPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_in(monkeypatch, "link", errno.EPERM)
    name, content = make_set(ANNA, 1, 1)
    for _ in range(2):
        place.write_set(name, content)
    assert place.read_set(name) == content


# -- kills ----------------------------------------------------------------------------------------


def die_at(monkeypatch: pytest.MonkeyPatch, number: int) -> Callable[[], int]:
    """Let the process end before its Nth change of the folder; nothing works after that.

    Returns how many there were.
    """
    count = 0

    def wrap(name: str, real: Any) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            nonlocal count
            if name == "open" and not given[1] & os.O_CREAT:
                return real(*given, **named)
            count += 1
            if count >= number:
                raise Killed
            return real(*given, **named)

        return call

    for name in ("open", "fsync", "link", "rename", "unlink", "mkdir", "fchmod"):
        monkeypatch.setattr(folder_files.os, name, wrap(name, getattr(os, name)))
    return lambda: count


def write_all(place: FolderPlace) -> None:
    """Write three sets, one in the place of them, and a card."""
    old = [make_set(ANNA, number, number) for number in (1, 2, 3)]
    for name, content in old:
        place.write_set(name, content)
    place.replace_sets([name for name, _ in old], *make_set(ANNA, 1, 3))
    place.write_card(ANNA, b"card")


def test_a_kill_at_any_change_of_the_folder_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = 0
    for number in range(1, 200):
        path = tmp_path / str(number)
        FolderPlace.create(path, GROUP, ANNA, is_encrypted=False).close()
        place = FolderPlace.open(path, GROUP, ANNA)
        with monkeypatch.context() as patch:
            count_changes = die_at(patch, number)
            try:
                write_all(place)
            except Killed:
                kills += 1
            is_over = count_changes() < number
        place.close()
        with closing(FolderPlace.open(path, GROUP, BEN)) as reader:
            names = [*reader.list_sets({})]
            for name in names:
                assert reader.read_set(name) == make_set(ANNA, name.first, name.last)[1]
            last = max((each.last for each in names), default=0)
            assert find_gaps(names, last) == []
            assert reader.problems == []
        play_the_dead(monkeypatch)
        with closing(FolderPlace.open(path, GROUP, ANNA)) as again:
            write_all(again)
            assert [(each.first, each.last) for each in again.list_sets({})] == [(1, 3)]
            assert again.read_cards() == [b"card"]
        assert [*path.rglob("*.tmp")] == []
        if is_over:
            break
    assert kills > 30 and is_over


def play_the_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process that wrote drafts be gone."""
    monkeypatch.setattr(process_identity, "process_exists", lambda _pid: False)


def test_drafts_of_others_and_of_the_living_are_left_alone(path: Path, place: FolderPlace) -> None:
    place.write_set(*make_set(ANNA, 1, 1))
    folder = next(path.rglob("*.mcs")).parent
    draft = f".memctl-{{}}-{os.getpid()}-{'0' * 26}.tmp"
    mine, other = folder / draft.format(ANNA.lower()), folder / draft.format(BEN.lower())
    mine.touch()
    other.touch()
    assert len([*place.list_sets({})]) == 1
    assert mine.exists() and other.exists()


# -- many files -----------------------------------------------------------------------------------


def test_ten_thousand_files_are_listed_without_looking_into_any(
    path: Path, place: FolderPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write_set(*make_set(ANNA, 1, 1))
    folder = next(path.rglob("*.mcs")).parent
    for number in range(2, 10_001):
        name, _ = make_set(ANNA, number, number)
        (folder / f"{number:012}-{number:012}-{name.digest}.mcs").touch()
    opened = []
    real = os.open
    monkeypatch.setattr(
        folder_files.os,
        "open",
        lambda *given, **named: opened.append(given) or real(*given, **named),
    )
    names = [*place.list_sets({(PROJECT, ANNA): 9990})]
    assert [each.first for each in names] == [*range(9991, 10_001)]
    assert len(opened) < 10


def test_the_marker_says_what_the_folder_is(path: Path) -> None:
    told = json.loads((path / "memctl-sync" / "group.json").read_text())
    assert told["group"] == GROUP and "never edited" in told["about"]
