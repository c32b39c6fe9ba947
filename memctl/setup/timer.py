"""Run `memctl maintain` regularly: contrib/cron filled in, by cron, systemd or launchd.

A crontab is treated like a file that a program reads and writes.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from memctl.core.errors import MemctlError
from memctl.core.frozen import dataclass
from memctl.setup import disk, resources
from memctl.setup.blocks import WHOLE, Block, WholeFile
from memctl.setup.hooks import GUARD
from memctl.setup.recipes import EditedFile, SetupContext
from memctl.setup.textedit import Unfit

KINDS = ("cron", "systemd", "launchd")
CRONTAB = Path("crontab")
# The name of the systemd units, and of the launchd job.
UNIT = "memctl-maintain"
LABEL = "memctl.maintain"
_TOOLS = {"cron": "crontab", "systemd": "systemctl", "launchd": "launchctl"}
# How long a program of the timer may take.
_SECONDS = 30
_CRON_COMMAND = 'PATH="$HOME/.local/bin:$PATH"; command -v memctl >/dev/null || exit 0; memctl'
_LAUNCHD_COMMAND = (
    'PATH="$HOME/.local/bin:/opt/homebrew/bin:/usr/local/bin:$PATH"; '
    "command -v memctl &gt;/dev/null || exit 0; exec memctl"
)


@dataclass(frozen=True, slots=True)
class Timer:
    """One way to run regularly: its files, and the commands to turn it on, off, clean up, and
    ask.
    """

    kind: str
    targets: tuple[EditedFile, ...]
    turn_on: tuple[tuple[str, ...], ...] = ()
    turn_off: tuple[tuple[str, ...], ...] = ()
    settle: tuple[tuple[str, ...], ...] = ()
    ask: tuple[str, ...] = ()


def build_timer(kind: str, where: SetupContext) -> Timer:
    """The timer of that kind, filled in."""
    return {"cron": _build_cron, "systemd": _build_systemd, "launchd": _build_launchd}[kind](where)


def choose_kind(kind: str | None, environ: Mapping[str, str]) -> str:
    """The requested kind if it is available, else the one that fits. Raises MemctlError."""
    if kind:
        if not _is_program_here(kind, environ):
            raise MemctlError(f"there is no {_TOOLS[kind]} here")
        return kind
    fitting = ("launchd",) if sys.platform == "darwin" else ("systemd", "cron")
    found = next(
        (one for one in fitting if _is_program_here(one, environ) and _is_systemd_running(one)),
        None,
    )
    if found is None:
        raise MemctlError(
            "neither systemd for users nor cron is here",
            hint="run `memctl maintain` now and then by other means",
        )
    return found


def list_available(environ: Mapping[str, str]) -> list[str]:
    """The kinds whose program is on this machine."""
    return [kind for kind in KINDS if _is_program_here(kind, environ)]


def kind_of(path: Path) -> str:
    """The kind of timer that a file belongs to."""
    return "cron" if path == CRONTAB else "launchd" if path.suffix == ".plist" else "systemd"


def run_program(
    command: Sequence[str], given: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a program. Raises Unfit if it cannot be started or does not end."""
    try:
        return subprocess.run(
            list(command), input=given, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unfit(f"{command[0]} cannot be run: {error}") from error


def succeeds(command: Sequence[str]) -> bool:
    """Whether a program exits with 0."""
    try:
        return run_program(command).returncode == 0
    except Unfit:
        return False


def describe_failure(done: subprocess.CompletedProcess[bytes]) -> str:
    """What a program printed about its failure, on one line."""
    return (
        " ".join(done.stderr.decode("utf-8", "replace").split())[:300]
        or f"exit code {done.returncode}"
    )


def look_at_crontab() -> disk.FileState:
    """The operator's crontab, read as if it were a file."""
    try:
        done = run_program(["crontab", "-l"])
    except Unfit as error:
        return disk.FileState(CRONTAB, CRONTAB, problem=str(error))
    if done.returncode == 0:
        return disk.FileState(CRONTAB, CRONTAB, done.stdout)
    nothing = b"no crontab" in done.stderr.lower()
    return disk.FileState(
        CRONTAB, CRONTAB, problem=None if nothing else f"crontab -l: {describe_failure(done)}"
    )


def write_crontab(spot: disk.FileState, data: bytes | None) -> None:
    """Replace the operator's crontab, or remove it.

    Raises Unfit if it changed since it was read, or was not stored as given.
    """
    if look_at_crontab() != spot:
        raise Unfit("it was changed in the meantime")
    done = run_program(["crontab", "-r"] if data is None else ["crontab", "-"], data)
    if done.returncode:
        raise Unfit(f"crontab: {describe_failure(done)}")
    if look_at_crontab().data != data:
        raise Unfit("crontab did not keep it as it was given")


def _is_program_here(kind: str, environ: Mapping[str, str]) -> bool:
    return shutil.which(_TOOLS[kind], path=environ.get("PATH")) is not None


def _is_systemd_running(kind: str) -> bool:
    """Whether systemd runs for this user; in containers and some sessions it does not."""
    return kind != "systemd" or succeeds(["systemctl", "--user", "show-environment"])


def _build_cron(where: SetupContext) -> Timer:
    # A % would end the command.
    command = f"{_write_guard(where)} {shlex.join([*where.database, str(where.memctl)])}"
    command = command.replace("%", r"\%")
    lines = [
        line.replace(_CRON_COMMAND, command)
        for line in resources.read_cron_file("memctl.crontab").splitlines()
        if _CRON_COMMAND in line
    ]
    return Timer("cron", (EditedFile(CRONTAB, Block("\n".join(lines))),))


def _build_systemd(where: SetupContext) -> Timer:
    folder = where.xdg_folder("XDG_CONFIG_HOME") / "systemd" / "user"
    database = f"Environment={_quote_for_systemd(f'MEMCTL_DB={where.db}')}\n" if where.db else ""
    service = _add_header(resources.read_cron_file(f"{UNIT}.service"))
    for line, ours in (
        ("ExecStart=%h/.local/bin/memctl", f"ExecStart={_quote_for_systemd(str(where.memctl))}"),
        (
            "ConditionFileIsExecutable=%h/.local/bin/memctl",
            f"ConditionFileIsExecutable={str(where.memctl).replace('%', '%%')}",
        ),
    ):
        service = service.replace(line, ours, 1)
    service = service.replace("\nExecStart=", f"\n{database}ExecStart=", 1)
    parts = {"service": service, "timer": _add_header(resources.read_cron_file(f"{UNIT}.timer"))}
    user = ("systemctl", "--user")
    return Timer(
        "systemd",
        tuple(
            EditedFile(folder / f"{UNIT}.{ending}", WholeFile(text))
            for ending, text in parts.items()
        ),
        turn_on=((*user, "daemon-reload"), (*user, "enable", "--now", f"{UNIT}.timer")),
        turn_off=((*user, "disable", "--now", f"{UNIT}.timer"),),
        settle=((*user, "daemon-reload"),),
        ask=(*user, "is-enabled", f"{UNIT}.timer"),
    )


def _build_launchd(where: SetupContext) -> Timer:
    path, domain = where.home / "Library" / "LaunchAgents" / f"{LABEL}.plist", f"gui/{os.getuid()}"
    program = shlex.join([*where.database, str(where.memctl)])
    command = escape(f"{_write_guard(where)} exec {program}", quote=False)
    text = re.sub(
        r"<!--.*?-->",
        f"<!-- {WHOLE} -->",
        resources.read_cron_file(f"{LABEL}.plist"),
        count=1,
        flags=re.S,
    )
    job = WholeFile(text.replace(f"{_LAUNCHD_COMMAND} maintain", f"{command} maintain"))
    return Timer(
        "launchd",
        (EditedFile(path, job),),
        turn_on=(("launchctl", "bootstrap", domain, str(path)),),
        turn_off=(("launchctl", "bootout", f"{domain}/{LABEL}"),),
        ask=("launchctl", "print", f"{domain}/{LABEL}"),
    )


def _write_guard(where: SetupContext) -> str:
    """What a line begins with that does nothing once the program was removed."""
    return GUARD.format(program=shlex.quote(str(where.memctl)))


def _add_header(text: str) -> str:
    """A unit with one header line in place of its installation notes."""
    body = text[text.index("\n[") :].lstrip("\n")
    return f"# {WHOLE}\n\n{body}"


def _quote_for_systemd(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if re.search(r"[\s\"'\\;]", word) else escaped
