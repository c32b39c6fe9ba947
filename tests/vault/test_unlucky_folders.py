"""What people and bad luck do to a folder of notes: nothing that was purged stays in it, no edit is
taken for a decision, and nothing in the front matter is passed over in silence.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.vault.conftest import Vault

WORD = "Quokkaword"


def make_conflict(vault: Vault) -> tuple[str, Path]:
    """A record whose note and which itself were changed; returns its id and the note."""
    record = vault.write(f"The relay listens on port 8123 as {WORD} says", "--type", "project")
    vault.sync()
    vault.edit(record, "8123", "8124")
    done = vault.here("edit", record, "--content", f"The relay listens on port 9000, {WORD} says")
    assert done.code == 0
    assert vault.sync(1)["conflict"]
    return record, vault.note(record)


def holds_word(vault: Vault, word: str = WORD) -> list[str]:
    """The files of the folder that hold a word, or are called by it."""
    return [
        name
        for name, held in vault.read_all().items()
        if word.lower() in name.lower() or word.lower().encode() in held.lower()
    ]


def test_a_purge_takes_what_was_kept_of_a_conflict_though_the_note_was_moved(vault: Vault) -> None:
    record, note = make_conflict(vault)
    (vault.root / "mine").mkdir()
    note.rename(vault.root / "mine" / "relay.md")
    vault.sync(1)
    assert vault.here("purge", record, "--yes").code == 0
    assert holds_word(vault) == []


def test_a_purge_takes_what_was_kept_of_a_conflict_though_the_note_was_deleted(
    vault: Vault,
) -> None:
    record, note = make_conflict(vault)
    note.unlink()
    vault.sync()
    assert vault.here("purge", record, "--yes").code == 0
    assert holds_word(vault) == []


def test_moving_a_note_decides_no_conflict(vault: Vault) -> None:
    record, note = make_conflict(vault)
    note.rename(vault.root / "relay.md")
    assert vault.sync(1)["conflict"][0]["path"] == "relay.md"
    assert "9000" in vault.show(record)["content"]
    (beside,) = vault.root.rglob("*.conflict.md")
    beside.unlink()
    assert vault.sync()["took in"][0]["path"] == "relay.md"
    assert "8124" in vault.show(record)["content"]


def test_what_memctl_keeps_beside_a_note_of_another_systems_line_ends_is_no_note(
    vault: Vault,
) -> None:
    record = vault.write("The relay has a spare", "--type", "project")
    vault.sync()
    note = vault.note(record)
    text = note.read_text().replace("## Evidence", "## Evidence\n\nmy own words")
    note.write_bytes(text.replace("\n", "\r\n").encode())
    vault.sync()
    (kept,) = vault.root.rglob("*.edited.conflict.md")
    assert b"my own words" in kept.read_bytes()
    assert b"\nid:" not in kept.read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("tags:\n  - ci", "tags:\n  - ci\n  - c++", "'c++' is no tag (letters, digits"),
        ("tags:\n  - ci", "tags: c++", "'c++' is no tag"),
        ("tags:\n  - ci", "tags:\n  ci: yes", "is no tag"),
        ("tags:\n  - ci", f"tags: [{', '.join(f't{each}' for each in range(51))}]", "at most 50"),
        ("always_load: false", "always_load: perhaps", "always_load is `true` or `false`"),
        ("kind: fact", "kind: ../x", "kind must be a word"),
        ("status: active", "status: superseded", "its status is active"),
    ],
)
def test_what_the_front_matter_cannot_say_is_told_by_status_and_waits(
    vault: Vault, old: str, new: str, why: str
) -> None:
    record = vault.write("The relay has a spare", "--tag", "ci")
    vault.sync()
    vault.edit(record, old, new)
    note = vault.note(record).read_bytes()
    for found in (vault.status(), vault.sync(1)):
        assert why in found["waits"][0]["note"] and why in str(found["problems"][0])
    assert vault.note(record).read_bytes() == note, "what was written there stays"
    assert vault.show(record)["tags"] == ["ci"]


@pytest.mark.parametrize("said", ["status: Archived", "status: ARCHIVED"])
def test_a_word_of_the_front_matter_may_be_written_in_capitals(vault: Vault, said: str) -> None:
    record = vault.write("The relay has a spare")
    vault.sync()
    vault.edit(record, "status: active", said)
    assert vault.sync()["archived"][0]["record_id"] == record


def test_a_note_without_its_generated_part_says_what_helps_and_that_helps(vault: Vault) -> None:
    record = vault.write("The relay has a spare")
    vault.sync()
    note = vault.note(record)
    front, _, _ = note.read_text().partition("<!-- memctl ")
    note.write_text(front.replace("\nThe relay has a spare", "\nThe relay has two spares"))
    (told,) = vault.status()["problems"]
    assert "end it with `<!-- memctl: end -->`" in str(told)
    note.write_text(note.read_text() + "\n<!-- memctl: end -->\n")
    assert vault.sync()["took in"][0]["record_id"] == record
    assert vault.show(record)["content"] == "The relay has two spares"
    assert "## Evidence" in note.read_text()
    assert not list(vault.root.rglob("*.conflict.md"))


def test_a_purge_of_words_names_the_files_in_which_a_person_wrote_them(vault: Vault) -> None:
    record = vault.write("The relay has a spare")
    vault.write(f"The spare is called {WORD}")
    vault.sync()
    note = vault.note(record)
    note.write_text(note.read_text().replace("## Evidence", f"## Evidence\n\n{WORD}"))
    (vault.root / "mine.md").write_text(f"{WORD} is mine")
    vault.sync()
    done = vault.here("purge", "--match", WORD, "--yes")
    left = holds_word(vault)
    assert len(left) == 2
    assert all(f"{vault.root / name}: holds it" in done.stdout for name in left), done.stdout


def test_a_folder_of_notes_within_another_is_left_to_itself(vault: Vault) -> None:
    vault.write("The relay has a spare", "--type", "project")
    inner = Vault(vault.here, vault.root / "inner")
    assert vault.here("vault", "init", inner.root).code == 0
    held = inner.read_all()
    for found in (vault.sync(), vault.sync()):
        assert not {"copy", "removed", "problems"} & {what for what, each in found.items() if each}
    assert inner.read_all() == held


def test_a_note_that_is_there_again_is_asked_about_no_more(vault: Vault, tmp_path: Path) -> None:
    record = vault.write("The relay has a spare")
    vault.sync()
    note = vault.note(record)
    away = note.rename(tmp_path / "away.md")
    assert vault.sync()["proposed"][0]["record_id"] == record
    away.rename(note)
    assert "took back" in vault.status(), "a look says so"
    assert vault.sync()["took back"][0]["record_id"] == record
    assert not any(vault.sync().values())
    assert "its note was deleted" not in vault.here("inbox").stdout


@pytest.mark.parametrize(
    "words", [("vault", "init"), ("vault", "sync"), ("vault", "import"), ("daily", "--dir")]
)
def test_an_empty_word_is_not_the_folder_here(vault: Vault, words: tuple[str, ...]) -> None:
    vault.write("The relay has a spare")
    before = sorted(Path().iterdir())
    done = vault.here(*words, "")
    assert (done.code, "names no file and no folder" in done.stderr) == (2, True)
    assert sorted(Path().iterdir()) == before


def test_notes_are_not_brought_in_from_a_folder_that_is_not_there(vault: Vault) -> None:
    done = vault.here("vault", "import", vault.root / "none", "--dry-run")
    assert (done.code, "no such file or folder" in done.stderr) == (20, True)


def test_a_word_that_is_no_tag_is_refused_with_what_a_tag_is(vault: Vault) -> None:
    done = vault.here("ingest", "The relay has a spare", "--tag", "c++")
    assert (done.code, "letters, digits, - _ and / between parts" in done.stderr) == (2, True)


def test_notes_that_are_not_brought_in_are_named_with_the_reason(
    vault: Vault, tmp_path: Path
) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "good.md").write_text("The pump runs every Sunday at noon.\n")
    (old / "odd.md").write_bytes(b"\xff\xfe\x00 bad")
    (old / "link.md").symlink_to(tmp_path / "elsewhere.md")
    own = '---\nid: "01M8KWBXPY0000000000000000"\ntype: project\n---\n\nThe pump is old.\n'
    (old / "theirs.md").write_text(own)
    done = vault.here("vault", "import", old, "--dry-run")
    assert done.code == 0
    assert "good.md (vault): 1 memory" in done.stdout
    for name, why in (("odd", "is not UTF-8"), ("link", "is a link"), ("theirs", "of memctl")):
        assert any(f"{name}.md" in line and why in line for line in done.stdout.split("\n"))


@pytest.mark.parametrize("held", ["", "garbage", '{"memctl_vault": "'])
def test_a_damaged_mark_of_a_folder_is_made_whole_by_init_and_nothing_is_forgotten(
    vault: Vault, held: str
) -> None:
    record = vault.write("The relay has a spare")
    vault.sync()
    mark = vault.root / ".memctl-vault.json"
    whole = mark.read_bytes()
    mark.write_text(held)
    assert vault.here("vault", "sync", vault.root).code == 20
    vault.edit(record, "The relay has a spare", "The relay has two spares")
    assert vault.here("vault", "init", vault.root).code == 0
    assert mark.read_bytes() == whole
    assert vault.show(record)["content"] == "The relay has two spares"
    assert not any(vault.sync().values())
