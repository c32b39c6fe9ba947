"""The files for cron, systemd and launchd parse, call a command that exists, and take our exit
codes for what they mean.
"""

from __future__ import annotations

import configparser
import plistlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from memctl.core.errors import exit_codes

FOLDER = Path(__file__).resolve().parents[2] / "contrib" / "cron"


def unit(name: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string((FOLDER / name).read_text())
    return parser


def cron_lines() -> list[str]:
    lines = (FOLDER / "memctl.crontab").read_text().splitlines()
    return [
        line
        for line in lines
        if line and not line.startswith("#") and not re.match(r"[A-Z_]+=", line)
    ]


def test_the_service_runs_maintain_once() -> None:
    service = unit("memctl-maintain.service")["Service"]
    assert service["Type"] == "oneshot"
    assert service["ExecStart"].endswith("/memctl maintain")


def test_the_service_knows_which_exit_codes_are_no_failure() -> None:
    tolerated = {
        int(code)
        for code in unit("memctl-maintain.service")["Service"]["SuccessExitStatus"].split()
    }
    meanings = exit_codes()
    assert {meanings[code] for code in tolerated} == {
        "done, with problems to look at",
        "store cannot be written now (locked, full, read-only); safe to try again",
    }


def test_the_timer_catches_up_and_is_enabled_at_login() -> None:
    timer = unit("memctl-maintain.timer")
    assert timer["Timer"]["Persistent"] == "true"
    assert timer["Install"]["WantedBy"] == "timers.target"


def test_the_plist_is_named_as_its_label_and_runs_maintain() -> None:
    path = FOLDER / "memctl.maintain.plist"
    job = plistlib.loads(path.read_bytes())
    assert job["Label"] == path.stem
    assert "exec memctl maintain" in job["ProgramArguments"][-1]
    assert job["StartInterval"] == 900


@pytest.mark.parametrize("line", cron_lines())
def test_each_crontab_line_has_five_fields_and_a_command_without_percent_signs(line: str) -> None:
    *when, command = line.split(None, 5)
    assert all(re.fullmatch(r"[\d*/,-]+", field) for field in when) and len(when) == 5
    assert re.search(r"\bmemctl (maintain|doctor)\b", command)
    assert "%" not in command, "cron turns % into a line break"


def test_the_shell_parts_are_valid_shell() -> None:
    shell = shutil.which("sh")
    assert shell
    job = plistlib.loads((FOLDER / "memctl.maintain.plist").read_bytes())
    for command in [line.split(None, 5)[5] for line in cron_lines()] + [
        job["ProgramArguments"][-1]
    ]:
        assert subprocess.run([shell, "-n", "-c", command], check=False).returncode == 0


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_each_file_says_how_to_install_it(path: Path) -> None:
    text = path.read_text().lower()
    assert "install" in text
