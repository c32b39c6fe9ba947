"""The timer: cron, systemd and launchd, each played by a small program on the PATH that keeps what
it was told.
"""

from __future__ import annotations

import os
import plistlib
import re
import shlex
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from houses import only, snapshot

from memctl.core.errors import MemctlError, UsageError
from memctl.engine.memory_engine import MemoryEngine
from memctl.results.setup import SetupReport
from memctl.settings import config
from memctl.setup import manifest, plan, recipes, resources, status, targets, timer

Setup = Callable[..., SetupReport]
CRONTAB = """\
#!/bin/sh
tab="$HOME/../tab"
case "$1" in
  -l) if [ -e "$tab" ]; then cat "$tab"; else echo "no crontab for you" >&2; exit 1; fi ;;
  -r) rm "$tab" ;;
  -) cat > "$tab" ;;
  *) exit 2 ;;
esac
"""
SYSTEMCTL = """\
#!/bin/sh
echo "$@" >> "$HOME/../calls"
case "$2" in
  show-environment) [ ! -e "$HOME/../no-session" ] ;;
  is-enabled) [ -e "$HOME/../on" ] ;;
  enable) [ -e "$HOME/.config/systemd/user/$4" ] && touch "$HOME/../on" ;;
  disable) rm -f "$HOME/../on" ;;
  daemon-reload) true ;;
  *) exit 2 ;;
esac
"""
LAUNCHCTL = """\
#!/bin/sh
echo "$@" >> "$HOME/../calls"
case "$1" in
  print) [ -e "$HOME/../on" ] ;;
  bootstrap) [ ! -e "$HOME/../on" ] && [ -e "$3" ] && touch "$HOME/../on" ;;
  bootout) rm "$HOME/../on" ;;
  *) exit 2 ;;
esac
"""
OTHERS = "# mine\nMAILTO=me\n\n*/5 * * * *\tbackup --now % stdin\n@reboot x"


@pytest.fixture
def have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """`have(crontab=CRONTAB)` puts programs on an otherwise plain PATH; gives the folder that they
    keep things in.
    """
    bins = tmp_path / "bin"
    bins.mkdir()
    monkeypatch.setenv("PATH", f"{bins}")
    for name in ("sh", "cat", "rm", "touch", "env"):
        (bins / name).symlink_to(f"/bin/{name}")

    def put(**programs: str) -> Path:
        for name, text in programs.items():
            (bins / name).write_text(text)
            (bins / name).chmod(0o755)
        return tmp_path

    return put


@pytest.mark.parametrize(
    "before", [None, "", "\n", OTHERS, OTHERS + "\n", "# memctl is fine\n"], ids=repr
)
def test_a_crontab_gets_our_lines_and_keeps_all_others(
    setup: Setup, home: Path, have: Callable[..., Path], before: str | None
) -> None:
    tab = have(crontab=CRONTAB) / "tab"
    if before is not None:
        tab.write_text(before)
    assert only(setup("timer")).state == "done"
    text = tab.read_text()
    assert text.startswith(before or "") and text.count("memctl setup: begin") == 1
    assert only(setup("timer")).state == "connected" and tab.read_text() == text
    setup("timer", undo=True)
    assert (tab.read_text() if tab.exists() else None) == before
    assert snapshot(home) == {}


def test_lines_that_a_person_adds_behind_ours_survive_undo(
    setup: Setup, have: Callable[..., Path]
) -> None:
    tab = have(crontab=CRONTAB) / "tab"
    tab.write_text("1 2 * * * a\n")
    setup("timer")
    tab.write_text("3 4 * * * b\n" + tab.read_text() + "5 6 * * * c\n")
    setup("timer", undo=True)
    assert tab.read_text() == "3 4 * * * b\n1 2 * * * a\n5 6 * * * c\n"


def test_the_lines_of_a_lost_manifest_are_found(setup: Setup, have: Callable[..., Path]) -> None:
    tab = have(crontab=CRONTAB) / "tab"
    tab.write_text("1 2 * * * a\n")
    setup("timer")
    manifest.manifest_path(config.load_config()).unlink()
    setup("timer", undo=True)
    assert tab.read_text() == "1 2 * * * a\n"


def test_a_job_of_cron_runs_as_it_is_written(
    setup: Setup,
    home: Path,
    have: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    tab = have(crontab=CRONTAB) / "tab"
    monkeypatch.setenv("MEMCTL_DB", str(tmp_path / "100% mine" / "m.db"))
    MemoryEngine.open(actor="operator").init()
    setup("timer")
    jobs = [line.split(" ", 5) for line in tab.read_text().splitlines() if not line.startswith("#")]
    assert [job[:5] for job in jobs] == [["*/15", "*", "*", "*", "*"], ["7", "9", "*", "*", "1"]]
    # As cron does it: a bare % ends the command, an escaped one is a %.
    assert not re.search(r"(?<!\\)%", jobs[0][5])
    command = jobs[0][5].replace(r"\%", "%")
    done = subprocess.run(
        ["/bin/sh", "-c", command], env={"HOME": str(home), "PATH": "/none"}, capture_output=True
    )
    # Nothing for a mail, and the report in a log that is the operator's alone.
    log = tmp_path / "100% mine" / "maintain.log"
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert " memctl maintain\n" in log.read_text() and stat.S_IMODE(log.stat().st_mode) == 0o600
    gone = command.replace(str(targets.find_command("memctl")), "/gone/memctl")
    done = subprocess.run(["/bin/sh", "-c", gone], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_crontab_that_cannot_be_read_is_left_alone(
    setup: Setup, have: Callable[..., Path]
) -> None:
    have(crontab="#!/bin/sh\necho 'you are not allowed' >&2\nexit 1\n")
    assert "not allowed" in (only(setup("timer")).files[0].problem or "")


def test_a_crontab_that_is_not_kept_is_said_to_be(setup: Setup, have: Callable[..., Path]) -> None:
    have(
        crontab=(
            "#!/bin/sh\n[ $1 = -l ] && { echo no crontab for me >&2; exit 1; }\nexec cat "
            ">/dev/null\n"
        )
    )
    assert "did not keep" in (only(setup("timer")).files[0].problem or "")


def test_systemd_is_taken_before_cron_and_told_everything(
    setup: Setup, home: Path, have: Callable[..., Path]
) -> None:
    place = have(crontab=CRONTAB, systemctl=SYSTEMCTL)
    report = only(setup("timer"))
    units = home / ".config" / "systemd" / "user"
    assert report.state == "done" and sorted(path.name for path in units.iterdir()) == [
        "memctl-maintain.service",
        "memctl-maintain.timer",
    ]
    service = (units / "memctl-maintain.service").read_text()
    (start,) = re.findall(r"^ExecStart=(.*)$", service, re.M)
    program, word = shlex.split(start)
    assert f"\nConditionFileIsExecutable={program}\n" in service
    assert os.access(program, os.X_OK) and word == "maintain" and "Install:" not in service
    assert (place / "calls").read_text().splitlines()[-2:] == [
        "--user daemon-reload",
        "--user enable --now memctl-maintain.timer",
    ]
    assert (place / "on").exists() and not (place / "tab").exists()
    assert only(setup("timer")).state == "connected"
    setup("timer", undo=True)
    assert not (place / "on").exists() and snapshot(home) == {}
    assert (place / "calls").read_text().splitlines()[-2:] == [
        "--user disable --now memctl-maintain.timer",
        "--user daemon-reload",
    ]


def test_systemd_that_was_turned_off_is_turned_on_again(
    setup: Setup, have: Callable[..., Path]
) -> None:
    place = have(systemctl=SYSTEMCTL)
    setup("timer")
    (place / "on").unlink()
    report = status.report_status(config.load_config(), plan.parse_request(["timer"]))
    assert "turns it on" in only(report).problems[0]
    assert only(setup("timer")).state == "done" and (place / "on").exists()


def test_where_systemd_has_no_session_cron_serves(setup: Setup, have: Callable[..., Path]) -> None:
    place = have(crontab=CRONTAB, systemctl=SYSTEMCTL)
    (place / "no-session").touch()
    setup("timer")
    assert (place / "tab").exists()


def test_a_kind_that_was_chosen_stays_chosen(setup: Setup, have: Callable[..., Path]) -> None:
    place = have(crontab=CRONTAB, systemctl=SYSTEMCTL)
    setup("timer", kind="cron")
    assert only(setup("timer")).state == "connected" and not (place / "on").exists()


def test_a_store_elsewhere_is_named_to_systemd_in_its_own_quotes(
    setup: Setup, home: Path, have: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    have(systemctl=SYSTEMCTL)
    monkeypatch.setenv("MEMCTL_DB", "/data/100% mine/$x.db")
    setup("timer", dry_run=True)
    diff = "".join(file.diff for file in only(setup("timer", dry_run=True)).files)
    assert '+Environment="MEMCTL_DB=/data/100%% mine/$$x.db"' in diff


def test_launchd_gets_a_list_that_it_can_read(
    setup: Setup,
    home: Path,
    have: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    place = have(launchctl=LAUNCHCTL)
    monkeypatch.setenv("MEMCTL_DB", str(tmp_path / "a & b" / "m.db"))
    MemoryEngine.open(actor="operator").init()
    before = snapshot(home)
    setup("timer", kind="launchd")
    path = home / "Library" / "LaunchAgents" / "memctl.maintain.plist"
    job = plistlib.loads(path.read_bytes())
    assert job["Label"] == "memctl.maintain"
    command = job["ProgramArguments"][2]
    assert f"exec /usr/bin/env 'MEMCTL_DB={tmp_path}/a & b/m.db' " in command
    assert command.startswith("test -x /") and command.endswith(" maintain --log")
    done = subprocess.run(
        ["/bin/sh", "-c", command], env={"HOME": str(home), "PATH": "/usr/bin:/bin"}, check=False
    )
    assert done.returncode == 0 and (tmp_path / "a & b" / "m.db").exists()
    assert (place / "on").exists() and only(setup("timer", kind="launchd")).state == "connected"
    # A changed list is only read when it is loaded anew.
    path.write_text(path.read_text().replace("900", "600"))
    assert "changed by hand" in (only(setup("timer", kind="launchd")).files[0].problem or "")
    path.write_text(path.read_text().replace("600", "900"))
    setup("timer", undo=True)
    assert not (place / "on").exists() and snapshot(home) == before


def test_a_machine_with_none_of_them_is_told_so(setup: Setup, have: Callable[..., Path]) -> None:
    have()
    with pytest.raises(MemctlError, match="neither systemd"):
        setup("timer")
    with pytest.raises(MemctlError, match="no launchctl"):
        setup("timer", kind="launchd")


def test_a_program_that_fails_is_quoted(setup: Setup, have: Callable[..., Path]) -> None:
    have(
        systemctl=SYSTEMCTL.replace(
            "daemon-reload) true", "daemon-reload) echo 'no bus' >&2; exit 1"
        )
    )
    assert any("no bus" in problem for problem in only(setup("timer")).problems)


def test_the_timer_is_no_repositorys(
    setup: Setup, have: Callable[..., Path], tmp_path: Path
) -> None:
    have(crontab=CRONTAB)
    with pytest.raises(UsageError, match="no repository"):
        setup("timer", folder=tmp_path / "work")


def list_hand_copied() -> list[str]:
    """The commands of the files in contrib/cron that a person copies, as a shell gets them."""
    crontab = resources.read_cron_file("memctl.crontab")
    jobs = [line.split(" ", 5)[5] for line in crontab.splitlines() if line[:1] in ("*", "7")]
    plist = plistlib.loads(resources.read_cron_file("memctl.maintain.plist").encode())
    assert plist["ProgramArguments"][:2] == ["/bin/sh", "-c"]
    return [*jobs, plist["ProgramArguments"][2]]


@pytest.mark.parametrize("command", list_hand_copied())
def test_a_job_copied_by_hand_prints_nothing_with_the_program_and_without(
    home: Path, db: Path, command: str
) -> None:
    MemoryEngine.open(actor="operator").init()
    bins = home / ".local" / "bin"
    bins.mkdir(parents=True)
    (bins / "memctl").symlink_to(targets.find_command("memctl"))
    env = {"HOME": str(home), "MEMCTL_DB": str(db), "PATH": "/bin:/usr/bin"}
    log = db.with_name("maintain.log")
    for said in (True, False):
        done = subprocess.run(["/bin/sh", "-c", command], env=env, capture_output=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert log.exists() == said
        log.unlink(missing_ok=True)
        (bins / "memctl").unlink(missing_ok=True)


def test_every_place_that_is_filled_in_is_there() -> None:
    assert timer._CRON_COMMAND in resources.read_cron_file("memctl.crontab")
    service = resources.read_cron_file("memctl-maintain.service")
    assert "ExecStart=%h/.local/bin/memctl maintain\n" in service
    assert "ConditionFileIsExecutable=%h/.local/bin/memctl\n" in service
    plist = resources.read_cron_file("memctl.maintain.plist")
    assert f"{timer._LAUNCHD_COMMAND} maintain --log<" in plist
    plugin = resources.read_asset(recipes.PLUGIN)
    assert plugin.count(recipes.PLUGIN_HOOK) == plugin.count(recipes.PLUGIN_SPAWN) == 1
