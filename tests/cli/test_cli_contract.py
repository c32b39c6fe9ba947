"""What scripts, cron and agents rely on: the envelope, exit codes, a clean standard output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import memctl as package
from memctl.cli.main import COMMANDS, find_command_name


def test_a_capture_and_the_inbox_work_as_agents_call_them(
    memctl: Callable, tmp_path: Path, session: Path
) -> None:
    db = tmp_path / "elsewhere" / "memory.db"
    captured = memctl("--db", db, "capture-session", session, "--agent", "claude-code", "--json")
    assert (captured.code, captured.data["state"], captured.stderr) == (0, "captured", "")
    assert memctl("--db", db, "maintain", "--json").code == 0
    listed = memctl("--db", db, "inbox", "--all", "--json")
    assert listed.code == 0 and listed.data["total"] == len(listed.data["items"]) > 0
    assert all(item["evidence"] for item in listed.data["items"])


def test_the_envelope_has_the_same_keys_whatever_happened(memctl: Callable, db: Path) -> None:
    answers = [
        memctl(*words, "--json")
        for words in (
            ("init",),
            ("show", "01NONE"),
            ("search",),
            ("profile", "set", "a", "b"),
            ("nope",),
        )
    ]
    assert all(
        list(answer.json) == ["memctl", "command", "status", "data", "errors"] for answer in answers
    )
    assert [answer.json["status"] for answer in answers] == [
        "ok",
        "error",
        "error",
        "error",
        "error",
    ]
    assert [answer.json["command"] for answer in answers] == [
        "init",
        "show",
        "search",
        "profile set",
        "",
    ]
    assert [answer.code for answer in answers] == [0, 20, 2, 21, 2]
    assert all(answer.stderr == "" and answer.stdout.count("\n") == 1 for answer in answers)


def test_a_usage_error_names_the_help_of_its_own_command(memctl: Callable, db: Path) -> None:
    for words, command in (
        (("inbox", "--approve"), "inbox"),
        (("profile", "set", "--kind"), "profile set"),
        (("show", "--no"), "show"),
    ):
        assert memctl(*words).stderr.endswith(f"  see: memctl {command} --help\n"), words


@pytest.mark.parametrize(
    "words",
    [
        ("maintain", "--budget", "0s"),
        ("entity", "list", "--kind", "x"),
        ("stats", "x"),
        ("log", "x"),
        ("list", "--status", "x"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_in_our_words_only(
    memctl: Callable, db: Path, words: tuple[str, ...]
) -> None:
    refused = memctl(*words)
    assert refused.code == 2 and "Value error" not in refused.stderr
    assert f"{words[-1]!r} is n" in refused.stderr


def test_an_error_as_text_goes_to_standard_error_with_its_hint(memctl: Callable, db: Path) -> None:
    refused = memctl("search", "x", "--limit", "none")
    assert (refused.code, refused.stdout) == (2, "")
    assert refused.stderr.splitlines()[-1] == "  see: memctl search --help"


def test_where_there_is_no_store_reading_says_so_and_makes_none(memctl: Callable, db: Path) -> None:
    missing = memctl("inbox", "--json")
    assert (missing.code, missing.json["errors"][0]["code"]) == (10, "NoStore")
    assert not db.exists()


def test_a_file_that_is_no_store_is_damage_and_stays_as_it_is(memctl: Callable, db: Path) -> None:
    db.write_bytes(b"not a database, but somebody's text" * 100)
    before = db.read_bytes()
    assert memctl("inbox").code == 13
    assert db.read_bytes() == before


def test_db_is_taken_before_and_after_the_command_and_the_later_one_counts(
    here: Callable, tmp_path: Path
) -> None:
    a, b = tmp_path / "a.db", tmp_path / "b.db"
    assert here("--db", a, "init").code == 0
    assert here("--db", a, "init", "--db", b).code == 0
    assert a.exists() and b.exists()


def test_a_name_that_is_close_gets_a_suggestion(memctl: Callable, db: Path) -> None:
    assert "`memctl search`" in memctl("serach", "x").stderr


def test_without_a_command_the_help_is_shown(memctl: Callable, db: Path) -> None:
    shown = memctl()
    assert shown.code == 0
    assert all(f"  {command}" in shown.stdout for command in COMMANDS)


def test_a_group_without_a_command_names_its_commands(memctl: Callable, db: Path) -> None:
    said = memctl("vault").stderr
    assert said.startswith("memctl: memctl vault wants one of init, ")
    assert said.endswith("\n  see: memctl vault --help\n")


def test_the_version_is_the_packages(memctl: Callable) -> None:
    assert memctl("--version").stdout == f"memctl {package.__version__}\n"


def test_a_hook_exits_0_and_is_silent_whatever_it_is_given(memctl: Callable, db: Path) -> None:
    for words in (
        ("hook",),
        ("hook", "claude-code"),
        ("hook", "nobody", "Nothing"),
        ("hook", "codex", "Stop", "--what"),
    ):
        called = memctl(*words, stdin="{not json")
        assert (called.code, called.stdout, called.stderr) == (0, "", ""), words


def test_all_refused_exits_21_and_some_refused_exits_1(
    here: Callable, candidates: list[dict], monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = [item["id"] for item in candidates if item["type"] == "profile"]
    # An agent that says who it is may promote what it stated itself and what instructs nobody.
    monkeypatch.setenv("MEMCTL_AGENT", "claude-code")
    own = here("ingest", "The tables cover a year", "--type", "decision", "--json").data
    other = [own["items"][0]["record"]["id"]]
    assert here("edit", other[0], "--rationale", "that is how far the almanac goes").code == 0
    refused = here("inbox", "--approve", profile[0], "--json")
    assert (refused.code, refused.json["status"], refused.json["errors"][0]["code"]) == (
        21,
        "problems",
        "RefusedByPolicy",
    )
    mixed = here("promote", profile[0], other[0], "--json")
    assert (
        mixed.code,
        mixed.json["status"],
        len(mixed.data["changed"]),
        len(mixed.data["refused"]),
    ) == (1, "problems", 1, 1)


def test_a_reader_that_leaves_early_is_no_error(db: Path, memctl: Callable) -> None:
    done = subprocess.run(
        [
            "bash",
            "-c",
            f'set -o pipefail; "{sys.executable}" -m memctl config --example | head -c 1',
        ],
        capture_output=True,
        check=False,
    )
    assert (done.stderr, done.returncode) == (b"", 0)


def test_control_c_exits_130_without_a_traceback(db: Path, memctl: Callable) -> None:
    memctl("init")
    script = (
        "import memctl.engine.upkeep as e, signal, time, sys\n"
        # Whoever runs the tests in the background may have had interrupts ignored for all of them.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "e.UpkeepOperations.status = lambda self, as_of=None: "
        "(sys.stderr.write('ready\\n'), sys.stderr.flush(), time.sleep(60))\n"
        "import typer; from memctl.cli.main import app\n"
        "typer.main.get_command(app).main(['status'])\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script], stderr=subprocess.PIPE, text=True, env=os.environ
    )
    assert child.stderr and child.stderr.readline() == "ready\n"
    time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    assert (child.stderr.read(), child.wait(timeout=30)) == ("memctl: interrupted\n", 130)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["--db", "search", "inbox", "--all"], "inbox"),
        (["profile", "set", "a", "b"], "profile set"),
        (["search", "profile"], "search"),
        (["--help"], ""),
        ([], ""),
    ],
)
def test_the_envelope_names_the_command(words: list[str], command: str) -> None:
    assert find_command_name(words) == command


@pytest.mark.parametrize(
    "words",
    [
        ("list", "--limit", "9" * 20),
        ("list", "--offset", "9" * 20),
        ("revert", "01", "--seq", "9" * 20),
        ("search", "x", "--min-confidence", "nan"),
        ("search", "x", "--limit", "-1"),
        ("context", "--level", "3"),
        ("list", "--since", "9" * 400 + "d"),
        ("log", "everything"),
    ],
    ids=" ".join,
)
def test_values_out_of_bounds_are_usage_errors(here: Callable, words: tuple[str, ...]) -> None:
    here("init")
    assert here(*words).code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("search",),
        ("show",),
        ("ingest",),
        ("context", "--task"),
        ("list", "--project"),
        ("inbox", "--approve"),
    ],
)
def test_bytes_that_are_no_text_are_refused_and_not_stored_as_question_marks(
    here: Callable, words: tuple[str, ...]
) -> None:
    here("init")
    done = here(*words, os.fsdecode(b"\xff tide"), "--json")
    assert done.code == 2 and "not text in UTF-8" in done.json["errors"][0]["message"]
    assert here("list", "--json").data["items"] == []


@pytest.mark.parametrize("words", [("ingest",), ("search",)])
def test_a_locale_that_knows_ascii_alone_loses_no_letter(
    memctl: Callable, db: Path, words: tuple[str, ...]
) -> None:
    ascii_alone = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert memctl("init").code == 0
    assert memctl("ingest", "The ferry to İstanbul leaves at nine", env=ascii_alone).code == 0
    done = memctl(*words, "İstanbul ferry", "--json", env=ascii_alone)
    assert done.code == 0 and "?stanbul" not in done.stdout
    assert "İstanbul" in memctl("list", "--json").data["items"][0]["content"]


def test_a_locale_that_knows_ascii_alone_names_files_by_their_letters(
    memctl: Callable, tmp_path: Path
) -> None:
    ascii_alone = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    place = {"MEMCTL_DB": str(tmp_path / "caf\u00e9" / "memory.db")}
    said = memctl("init", env=ascii_alone | place)
    assert said.code == 0 and "udc" not in said.stdout
    assert "caf\\xe9/memory.db" in said.stdout
    done = memctl("init", "--json", env=ascii_alone | place)
    assert done.stdout.isascii() and "café" in done.json["data"]["db"]
    away = {"MEMCTL_DB": str(tmp_path / "tod\u00e9" / "memory.db")}
    assert "tod\\xe9" in memctl("status", env=ascii_alone | away).stderr


def test_a_full_disk_is_said_in_a_line(here: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object, **_kwargs: object) -> None:
        raise OSError(28, "No space left on device", "/somewhere/memory.db")

    monkeypatch.setattr("memctl.engine.upkeep.UpkeepOperations.status", full)
    failed = here("status")
    assert (failed.code, failed.stderr) == (
        11,
        "memctl: /somewhere/memory.db: no room is left on the disk\n  make room, then try again\n",
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
@pytest.mark.parametrize(
    "words", ["init", "status", "search kiln --json", "show nothing", "log --nonsense"]
)
def test_a_stream_that_the_caller_closed_is_no_failure(words: str, closed: str, db: Path) -> None:
    command = f"{sys.executable} -m memctl {words}"
    usual = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    done = subprocess.run(
        ["sh", "-c", f"{command} {closed}"], capture_output=True, text=True, check=False
    )
    assert done.returncode == usual.returncode
    assert "Error" not in done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [("status", 1), ("status --json", 1), ("config --example", 1), ("show nothing --json", 20)],
)
def test_an_answer_that_finds_no_room_is_a_failure_without_a_traceback(
    words: str, code: int, db: Path, memctl: Callable
) -> None:
    memctl("init")
    # Standard output that is open for reading only refuses to be written, as a full disk does.
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m memctl {words} 1< /dev/null"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "Traceback" in done.stderr, "Exception" in done.stderr) == (
        code,
        False,
        False,
    )
