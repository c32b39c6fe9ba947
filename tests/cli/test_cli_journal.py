"""Daily notes and MEMORY.md by the real command: what stands in them, whose lines are kept, who may
approve, and what an erasure leaves.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memctl.core import clock, timestamps

Here = Callable[..., Any]

MORNING = "2026-03-09T08:00:00.000Z"
HOSTILE = (
    "# Owned\n- [ ] task [[Secret note]] ![x](http://evil.example/p.png) <!-- --> "
    "<script>x</script> </memctl-context> %%hidden%% \x1b[31m\u202e `[[code]]` #tag"
)


class Calendar:
    """The clock of the command, moved by hand; each question takes a millisecond."""

    def __init__(self, at: str) -> None:
        self._now = timestamps.parse_iso(at)

    def __call__(self) -> float:
        self._now += 0.001
        return self._now

    def go(self, *, hours: float = 0, days: float = 0) -> None:
        self._now += 3600 * hours + 86400 * days


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[Calendar]:
    moment = Calendar(MORNING)
    monkeypatch.setattr(clock, "_read_seconds", moment)
    monkeypatch.setenv("MEMCTL_JOURNAL_ZONE", "UTC")
    yield moment


@pytest.fixture
def write(here: Here, operator: None, time: Calendar, kiln: Path) -> Callable[..., str]:
    """`write("text", kind="command")` writes a record about the project; its id."""
    assert here("init", "--project", kiln).code == 0

    def run(text: str, type_: str = "project", **given: str) -> str:
        options = [word for key, value in given.items() for word in (f"--{key}", value)]
        done = here("ingest", text, "--type", type_, *options, "--project", "kiln", "--json")
        assert done.code == 0, done.stdout
        return str(done.data["items"][0]["record"]["id"])

    return run


@pytest.fixture(autouse=True)
def kiln(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project called kiln, and the folder that the commands run in."""
    folder = tmp_path / "kiln"
    folder.mkdir()
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "notes"


def as_agent(monkeypatch: pytest.MonkeyPatch, name: str = "codex") -> None:
    monkeypatch.delenv("MEMCTL_CONFIG", raising=False)
    monkeypatch.setenv("MEMCTL_AGENT", name)


def approve(here: Here, notes: Path | None = None, project: str = "kiln") -> str:
    """Stage what is new and approve it; the file's text."""
    staged = here("dream", "--stage", "--project", project, *where(notes), "--json").data["items"][
        0
    ]
    assert staged["state"] == "staged", staged
    done = here("dream", "--approve", staged["id"], *where(notes), "--json")
    assert done.code == 0, done.stdout
    return str(done.data["items"][0]["text"])


def where(notes: Path | None) -> list[str]:
    return ["--dir", str(notes)] if notes else []


# -- daily notes ----------------------------------------------------------------------------------


def test_a_day_tells_what_was_decided_recorded_changed_and_retired(
    here: Here, write: Callable[..., str], time: Calendar
) -> None:
    old = write("Deploys go out on Fridays")
    gone = write("The cache is Memcached")
    time.go(days=1)
    decided = write("We use PostgreSQL 15", "decision", rationale="JSONB is enough")
    told = write("Run tests with `pytest -q`", kind="command")
    assert here("correct", old, "Deploys go out on Mondays", "--reason", "Fridays hurt").code == 0
    assert here("forget", gone, "--reason", "there is no cache").code == 0
    note = here("daily").stdout
    assert note.startswith("# 2026-03-10, Tuesday (UTC+00:00)\n")
    assert "## kiln\n" in note
    assert "### Decided\n\n- We use PostgreSQL 15. Why: JSONB is enough" in note
    assert f"`{decided[:10]}` (you wrote it)" in note
    assert f"- Run tests with `pytest -q` `{told[:10]}`" in note
    assert "Deploys go out on Mondays" in note and "it replaces: Deploys go out on Fridays" in note
    assert "### Retired\n\n- The cache is Memcached" in note and "there is no cache" in note
    assert note.count("Fridays") == 1


def test_a_note_written_twice_is_the_same_to_the_byte_and_private(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    write("Deploys go out on Fridays")
    first = here("daily", "--dir", notes)
    path = notes / "daily" / "2026-03-09.md"
    assert first.stdout == f"Wrote {path}\n"
    written = path.read_bytes()
    assert here("daily", "--dir", notes).stdout == f"Nothing changed in {path}\n"
    assert path.read_bytes() == written
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_what_a_person_wrote_into_a_note_is_kept_wherever_it_stands(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    write("Deploys go out on Fridays")
    here("daily", "--dir", notes)
    path = notes / "daily" / "2026-03-09.md"
    text = path.read_text().replace("### Recorded", "### Recorded\n\nThat was my idea.")
    path.write_text(text + "\nCall Ines tomorrow.\n")
    write("The kiln reaches 1300 degrees")
    done = here("daily", "--dir", notes, "--json")
    note = path.read_text()
    assert "1300 degrees" in note and done.data["kept"] == 2
    made, own = note.split("## My notes")
    assert "my idea" not in made and "That was my idea." in own and "Call Ines tomorrow." in own
    assert here("daily", "--dir", notes, "--json").data["state"] == "unchanged"


def test_a_file_that_is_not_ours_is_left_alone(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    write("Deploys go out on Fridays")
    path = notes / "daily" / "2026-03-09.md"
    path.parent.mkdir(parents=True)
    path.write_text("# My day\n")
    done = here("daily", "--dir", notes)
    assert done.code == 2 and "is no daily note of memctl" in done.stderr
    assert path.read_text() == "# My day\n"


def test_a_link_is_not_written_through(
    here: Here, write: Callable[..., str], notes: Path, tmp_path: Path
) -> None:
    write("Deploys go out on Fridays")
    other = tmp_path / "other.md"
    other.write_text("mine\n")
    (notes / "projects" / "kiln").mkdir(parents=True)
    (notes / "projects" / "kiln" / "MEMORY.md").symlink_to(other)
    assert here("dream", "--stage", "--project", "kiln", "--dir", notes).code == 2
    assert other.read_text() == "mine\n"


def test_candidates_are_counted_and_what_is_private_is_not_told(
    here: Here, write: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("Deploys go out on Fridays")
    with monkeypatch.context() as patch:
        as_agent(patch)
        assert here("ingest", "Always deploy by hand", "--kind", "constraint").code == 0
        assert here("ingest", "My own scratch note", "--scope", "agent").code == 0
        assert (
            here("ingest", "Working on the door", "--scope", "session", "--session", "s").code == 0
        )
    note = here("daily").stdout
    assert "Candidates: 1 proposed." in note
    for private in ("by hand", "scratch", "the door"):
        assert private not in note
    inbox = here("inbox", "--json").data["items"]
    assert here("inbox", "--reject", inbox[0]["id"]).code == 0
    note = here("daily").stdout
    assert "Candidates: 1 proposed, 1 rejected." in note and "by hand" not in note


def test_a_day_begins_at_midnight_where_the_operator_is(
    here: Here, write: Callable[..., str], time: Calendar, monkeypatch: pytest.MonkeyPatch
) -> None:
    time.go(hours=15)
    write("Deploys go out on Fridays")
    monkeypatch.setenv("MEMCTL_JOURNAL_ZONE", "Asia/Tokyo")
    assert here("daily", "2026-03-10").stdout.startswith("# 2026-03-10, Tuesday (UTC+09:00)")
    assert "Fridays" in here("daily", "2026-03-10").stdout
    assert here("daily", "2026-03-09").stdout == "Nothing happened on 2026-03-09.\n"
    monkeypatch.setenv("MEMCTL_JOURNAL_ZONE", "Mars/Olympus")
    assert here("daily").code == 2


@pytest.mark.parametrize("day", ["2026-13-01", "soon", "", "9999-12-31", "0001-01-01"])
def test_a_day_that_is_none_is_an_error_and_no_traceback(
    here: Here, write: Callable[..., str], day: str
) -> None:
    done = here("daily", day)
    assert done.code in (0, 2)
    assert "Traceback" not in done.stderr


# -- MEMORY.md ------------------------------------------------------------------------------------


def test_memory_tells_what_holds_by_section_each_line_with_its_record(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    write("We use PostgreSQL 15", "decision", rationale="JSONB is enough")
    told = write("Run tests with `pytest -q`", kind="command")
    write("Never push to main", kind="constraint")
    text = approve(here, notes)
    assert (notes / "projects" / "kiln" / "MEMORY.md").read_text() == text
    assert text.startswith("# What is remembered of kiln\n")
    assert "## Decisions\n\n- We use PostgreSQL 15. Why: JSONB is enough (9 Mar 2026)" in text
    assert f"## How to build, test and run\n\n- Run tests with `pytest -q` `{told[:10]}`\n" in text
    assert "## Rules and conventions\n\n- Never push to main" in text
    assert stat.S_IMODE((notes / "projects" / "kiln" / "MEMORY.md").stat().st_mode) == 0o600


def test_what_holds_everywhere_has_a_memory_of_its_own(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    assert here("profile", "set", "language", "Answer in British English").code == 0
    items = here("dream", "--stage", "--dir", notes, "--json").data["items"]
    assert [(item["project"], item["state"]) for item in items] == [(None, "staged")]
    assert here("dream", "--approve", items[0]["id"], "--dir", notes).code == 0
    assert "Answer in British English" in (notes / "MEMORY.md").read_text()


def test_a_version_waits_until_the_operator_approves_it(
    here: Here, write: Callable[..., str], notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("Deploys go out on Fridays")
    with monkeypatch.context() as patch:
        as_agent(patch)
        staged = here("dream", "--stage", "--dir", notes, "--json").data["items"][0]
        assert staged["state"] == "staged" and staged["actor"] == "agent:codex"
        for word in ("--approve", "--reject", "--restore"):
            assert here("dream", word, staged["id"], "--dir", notes).code == 21
    assert not notes.exists()
    assert here("dream", "--approve", staged["id"], "--dir", notes).code == 0
    assert "Fridays" in (notes / "projects" / "kiln" / "MEMORY.md").read_text()
    assert here("dream", "--approve", staged["id"], "--dir", notes).code == 2


def test_nothing_new_stages_nothing_and_what_was_rejected_is_not_staged_again(
    here: Here, write: Callable[..., str], notes: Path, time: Calendar
) -> None:
    write("Deploys go out on Fridays")
    approve(here, notes)
    time.go(days=1)
    assert (
        here("dream", "--stage", "--dir", notes, "--json").data["items"][0]["state"] == "unchanged"
    )
    write("The kiln reaches 1300 degrees")
    staged = here("dream", "--stage", "--dir", notes, "--json").data["items"][0]
    again = here("dream", "--stage", "--dir", notes, "--json").data["items"][0]
    assert (again["id"], again["text"]) == (staged["id"], staged["text"])
    assert here("dream", "--reject", staged["id"]).code == 0
    told = here("dream", "--stage", "--dir", notes)
    assert "you rejected just that" in told.stdout
    write("The kiln has two doors")
    assert here("dream", "--stage", "--dir", notes, "--json").data["items"][0]["state"] == "staged"


def test_each_change_stands_in_the_diary_with_its_day_and_its_reason(
    here: Here, write: Callable[..., str], notes: Path, time: Calendar
) -> None:
    old = write("Deploys go out on Fridays")
    gone = write("The cache is Memcached")
    approve(here, notes)
    time.go(days=1)
    new = here("correct", old, "Deploys go out on Mondays", "--reason", "it hurt", "--json")
    new_id = new.data["changed"][0]["memory"]["id"] if "memory" in new.data["changed"][0] else ""
    here("forget", gone, "--reason", "there is no cache")
    text = approve(here, notes)
    diary = text.split("## What changed here")[1]
    assert f"dropped `{gone[:10]}`: forgotten on 10 Mar 2026: there is no cache\n" in diary
    assert f"- 10 Mar 2026: dropped `{old[:10]}`: superseded by" in diary
    assert "added “Deploys go out on Mondays”" in diary and "you wrote it on 10 Mar 2026" in diary
    assert "Memcached" not in text and "Fridays" not in text
    history = here("dream", "--history", "--project", "kiln").stdout
    assert "dropped The cache is Memcached (forgotten on 10 Mar 2026: there is no cache)" in history
    assert new_id == "" or new_id[:10] in text


def test_two_sides_of_a_contradiction_are_told_together(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    one = write("The API listens on port 8080")
    other = write("The API listens on port 9090")
    assert here("link", one, "contradicts", other).code in (0, 1)
    text = approve(here, notes)
    line = next(line for line in text.split("\n") if "8080" in line)
    if "Which holds?" in text:
        assert "9090" in line and one[:10] in line and other[:10] in line
        assert text.count("8080") == 1 == text.count("9090")


def test_lines_of_a_persons_own_are_kept_as_theirs(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    write("Deploys go out on Fridays")
    write("Never push to main", kind="constraint")
    approve(here, notes)
    path = notes / "projects" / "kiln" / "MEMORY.md"
    mine = "My own remark:\n\n```sh\n# keep this\nmake kiln\n```\n\n## My section\nAsk Ines."
    path.write_text(path.read_text().replace("\n## How it is", f"\n{mine}\n\n## How it is"))
    write("The kiln has two doors")
    text = approve(here, notes)
    assert mine in text and path.read_text() == text
    assert text.index("Never push") < text.index("My own remark") < text.index("## How it is")
    assert "two doors" in text and text.count("My own remark") == 1
    write("The kiln has three vents")
    assert approve(here, notes).count(mine) == 1


def test_a_file_of_a_persons_own_becomes_the_beginning(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    path = notes / "projects" / "kiln" / "MEMORY.md"
    path.parent.mkdir(parents=True)
    path.write_text("# Kiln notes\n\n- The door sticks in winter.\n- Deploys go out on Fridays\n")
    write("Deploys go out on Fridays")
    write("Never push to main", kind="constraint")
    text = approve(here, notes)
    assert "# Kiln notes\n\n- The door sticks in winter." in text
    assert text.count("Deploys go out on Fridays") == 1 and "Never push to main" in text


def test_a_line_that_a_person_reworded_stands_until_its_record_changes(
    here: Here, write: Callable[..., str], notes: Path, time: Calendar
) -> None:
    told = write("Deploys go out on Fridays")
    approve(here, notes)
    path = notes / "projects" / "kiln" / "MEMORY.md"
    path.write_text(path.read_text().replace("Deploys go out on Fridays", "We ship on Fridays"))
    write("Never push to main", kind="constraint")
    text = approve(here, notes)
    assert "We ship on Fridays" in text and "Deploys go out" not in text
    time.go(days=1)
    assert here("edit", told, "--content", "Deploys go out on Fridays at noon").code == 0
    text = approve(here, notes)
    assert "We ship on Fridays" in text and "at noon" in text
    assert "conflict" in text.split("## What changed here")[1]
    assert (
        here("dream", "--stage", "--dir", notes, "--json").data["items"][0]["state"] == "unchanged"
    )


def test_a_line_that_a_person_took_out_does_not_come_back(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    told = write("Deploys go out on Fridays")
    write("The kiln has two doors")
    approve(here, notes)
    path = notes / "projects" / "kiln" / "MEMORY.md"
    path.write_text(
        "".join(line for line in path.read_text().splitlines(True) if "Fridays" not in line)
    )
    assert (
        here("dream", "--stage", "--dir", notes, "--json").data["items"][0]["state"] == "unchanged"
    )
    write("Never push to main", kind="constraint")
    assert "Fridays" not in approve(here, notes)
    assert here("edit", told, "--content", "Deploys go out on Fridays at noon").code == 0
    assert "at noon" in approve(here, notes)


def test_what_a_person_saves_after_staging_is_not_lost_by_approving(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    write("Deploys go out on Fridays")
    approve(here, notes)
    write("The kiln has two doors")
    staged = here("dream", "--stage", "--dir", notes, "--json").data["items"][0]
    path = notes / "projects" / "kiln" / "MEMORY.md"
    path.write_text(path.read_text() + "Saved in between.\n")
    assert here("dream", "--approve", staged["id"], "--dir", notes).code == 0
    assert "Saved in between." in path.read_text() and "two doors" in path.read_text()


def test_what_stopped_holding_after_staging_is_left_out_when_approved(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    told = write("Deploys go out on Fridays")
    write("The kiln has two doors")
    staged = here("dream", "--stage", "--dir", notes, "--json").data["items"][0]
    here("forget", told, "--reason", "no longer")
    done = here("dream", "--approve", staged["id"], "--dir", notes)
    assert "left out, no longer true" in done.stdout
    assert "Fridays" not in (notes / "projects" / "kiln" / "MEMORY.md").read_text()


def test_an_old_version_can_be_restored_but_for_what_holds_no_more(
    here: Here, write: Callable[..., str], notes: Path, time: Calendar
) -> None:
    gone = write("The cache is Memcached")
    write("Deploys go out on Fridays")
    approve(here, notes)
    first = here("dream", "--history", "--json").data["items"][0]["id"]
    time.go(days=1)
    here("forget", gone, "--reason", "there is none")
    write("The kiln has two doors")
    approve(here, notes)
    done = here("dream", "--restore", first, "--dir", notes, "--json")
    text = (notes / "projects" / "kiln" / "MEMORY.md").read_text()
    assert done.data["items"][0]["outdated"] == [gone]
    assert "Fridays" in text and "two doors" not in text and "Memcached" not in text
    states = [item["state"] for item in here("dream", "--history", "--json").data["items"]]
    assert states == ["current", "past", "past"]


def test_hostile_text_is_nothing_but_text_in_both(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    write(HOSTILE)
    text = approve(here, notes)
    here("daily", "--dir", notes)
    for found in (text, (notes / "daily" / "2026-03-09.md").read_text()):
        line = next(line for line in found.split("\n") if "Owned" in line)
        bare = re.sub(r"\\.", "", line)
        for sign in ("\x1b", "\u202e", "<!--", "<script", "</memctl", "[[", "](", "%%", "#"):
            assert sign not in bare, sign
        assert line.startswith("- \\# Owned - ")


def test_the_budget_is_kept_and_what_counts_most_stands(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    for number in range(40):
        write(f"The shelf number {number} holds {number} pots of glaze in a long row of boxes")
    write("Never push to main", kind="constraint")
    item = here("dream", "--project", "kiln", "--budget", "400", "--json").data["items"][0]
    assert item["tokens"] <= 400 and item["left_out"] > 0
    assert "Never push to main" in item["text"]
    assert here("dream", "--budget", "-1").code == 2


def test_an_erasure_leaves_no_word_in_notes_versions_or_files(
    here: Here, write: Callable[..., str], notes: Path, db: Path
) -> None:
    gone = write("The vault code of Ines is kept by Priya")
    write("Deploys go out on Fridays")
    approve(here, notes)
    here("daily", "--dir", notes)
    write("The kiln has two doors")
    approve(here, notes)
    assert here("purge", gone, "--yes").code == 0
    files = [notes / "projects" / "kiln" / "MEMORY.md", notes / "daily" / "2026-03-09.md"]
    for path in files:
        text = path.read_text()
        assert "vault code" not in text and gone[:10] not in text and "Fridays" in text
    assert "vault code" not in here("dream", "--history", "--json").stdout
    assert b"vault code" not in b"".join(
        path.read_bytes() for path in db.parent.rglob("*") if path.is_file()
    )
    assert here("daily", "--dir", notes, "--json").data["kept"] == 0
    assert (
        here("dream", "--stage", "--dir", notes, "--json").data["items"][0]["state"] == "unchanged"
    )


def test_words_that_are_purged_leave_a_persons_lines_too(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    write("Deploys go out on Fridays")
    here("daily", "--dir", notes)
    path = notes / "daily" / "2026-03-09.md"
    path.write_text(path.read_text() + "Tomasz Wierzbicki called.\n")
    assert here("purge", "--match", "Tomasz Wierzbicki", "--yes").code in (0, 20)
    assert "Wierzbicki" not in path.read_text() and "called." in path.read_text()


# -- every night ----------------------------------------------------------------------------------


def test_maintain_writes_missed_days_and_stages_what_is_new(
    here: Here,
    write: Callable[..., str],
    notes: Path,
    time: Calendar,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write("Deploys go out on Fridays")
    time.go(days=3)
    write("The kiln has two doors")
    assert "journal.dir is not set" in here("maintain", "--step", "journal", "--json").stdout
    assert not notes.exists()
    monkeypatch.setenv("MEMCTL_JOURNAL_DIR", str(notes))
    step = here("maintain", "--step", "journal", "--json").data["steps"][0]
    assert step["counts"] == {"days_written": 2, "documents_staged": 1}
    assert sorted(path.name for path in (notes / "daily").iterdir()) == [
        "2026-03-09.md",
        "2026-03-12.md",
    ]
    time.go(days=1)
    step = here("maintain", "--step", "journal", "--json").data["steps"][0]
    assert not any(step["counts"].values())


def test_a_note_in_the_way_is_a_problem_and_the_rest_is_done(
    here: Here, write: Callable[..., str], notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("Deploys go out on Fridays")
    monkeypatch.setenv("MEMCTL_JOURNAL_DIR", str(notes))
    path = notes / "daily" / "2026-03-09.md"
    path.parent.mkdir(parents=True)
    path.write_text("# My day\n")
    done = here("maintain", "--step", "journal", "--json")
    assert done.code == 1 and "is no daily note of memctl" in done.stdout
    assert done.data["steps"][0]["counts"]["documents_staged"] == 1
    assert path.read_text() == "# My day\n"


@pytest.mark.parametrize(
    "words",
    [
        ["--approve", "nothing"],
        ["--reject", "01JV3KQX2M"],
        ["--restore", ""],
        ["--stage", "--diff"],
        ["--project", "nowhere"],
        ["--days", "x"],
        ["--budget", "100"],
        ["--dir", "/dev/null/x", "--stage"],
    ],
)
def test_wrong_words_are_an_error_and_no_traceback(
    here: Here, write: Callable[..., str], words: list[str]
) -> None:
    write("Deploys go out on Fridays")
    done = here("dream", *words)
    assert done.code in (0, 2, 20) and "Traceback" not in done.stderr + done.stdout
    assert done.code or words[0] == "--restore"


def test_projects_whose_names_are_no_names_of_files_have_folders_of_their_own(
    here: Here, write: Callable[..., str], notes: Path
) -> None:
    from memctl.journal import journal_files

    named = journal_files.name_project_folders(
        {
            "01A": "../../etc",
            "01B": "daily",
            "01C": "a/b",
            "01D": "a b",
            "01E": "",
            "01F": "x" * 300,
        }
    )
    assert len({name.casefold() for name in named.values()}) == 6
    for path in named.values():
        folder, name = path.split(os.sep)
        assert folder == "projects" and name not in ("", ".", "..") and len(name) < 150


@pytest.mark.parametrize("opponents", [2, 3, 5])
def test_what_several_records_contradict_is_one_question_and_none_of_them_stands_alone(
    here: Here, write: Callable[..., str], notes: Path, opponents: int
) -> None:
    texts = ["The API runs on Flask", "Tornado serves the API", "Our API uses Django"]
    texts += ["FastAPI is behind the API", "The API is plain WSGI", "Bottle answers the API"]
    ids = [write(text) for text in texts[: opponents + 1]]
    for other in ids[1:]:
        assert here("link", ids[0], "contradicts", other).code in (0, 1)
    text = approve(here, notes)
    (line,) = [line for line in text.split("\n") if "Which holds?" in line]
    assert all(each[:10] in line for each in ids)
    assert all(text.count(each[:10]) == 1 for each in ids), text
