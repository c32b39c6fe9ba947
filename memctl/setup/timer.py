"""Regular upkeep: the files of contrib/cron filled in, and the three programs that run them.

A crontab is treated like a file whose reading and writing is done by `crontab`. Where a machine has several of these, launchd is taken
before systemd, and systemd before cron.
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
from memctl.setup.recipes import Target, Where
from memctl.setup.textedit import Unfit

KINDS = ("cron", "systemd", "launchd")
CRONTAB = Path("crontab")
UNIT, LABEL = "memctl-maintain", "memctl.maintain"
_TOOLS = {"cron": "crontab", "systemd": "systemctl", "launchd": "launchctl"}
_SECONDS = 30
_CRON_COMMAND = 'PATH="$HOME/.local/bin:$PATH" memctl'


@dataclass(frozen=True, slots=True)
class Timer:
    """One way to run regularly: its files, and the commands that turn it on, turn it off, settle what is left, and ask whether it is on."""

    kind: str
    targets: tuple[Target, ...]
    turn_on: tuple[tuple[str, ...], ...] = ()
    turn_off: tuple[tuple[str, ...], ...] = ()
    settle: tuple[tuple[str, ...], ...] = ()
    ask: tuple[str, ...] = ()


def timer(kind: str, where: Where) -> Timer:
    """The timer of that kind, filled in."""
    return {"cron": _cron, "systemd": _systemd, "launchd": _launchd}[kind](where)


def choose(kind: str | None, environ: Mapping[str, str]) -> str:
    """The kind that was asked for, if it can be had, else the one that fits this machine. Raises MemctlError."""
    if kind:
        if not _has(kind, environ):
            raise MemctlError(f"there is no {_TOOLS[kind]} here")
        return kind
    fitting = ("launchd",) if sys.platform == "darwin" else ("systemd", "cron")
    found = next((one for one in fitting if _has(one, environ) and _answers(one)), None)
    if found is None:
        raise MemctlError(
            "neither systemd for users nor cron is here",
            hint="run `memctl maintain` now and then by other means",
        )
    return found


def available(environ: Mapping[str, str]) -> list[str]:
    """The kinds whose program is here."""
    return [kind for kind in KINDS if _has(kind, environ)]


def kind_of(path: Path) -> str:
    """The kind of timer that a file belongs to."""
    return "cron" if path == CRONTAB else "launchd" if path.suffix == ".plist" else "systemd"


def run(command: Sequence[str], given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run one of the programs. Raises Unfit if it cannot be started or does not end."""
    try:
        return subprocess.run(
            list(command), input=given, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unfit(f"{command[0]} cannot be run: {error}") from error


def succeeds(command: Sequence[str]) -> bool:
    """Whether a program says yes."""
    try:
        return run(command).returncode == 0
    except Unfit:
        return False


def said(done: subprocess.CompletedProcess[bytes]) -> str:
    """What a program complained about, on one line."""
    return (
        " ".join(done.stderr.decode("utf-8", "replace").split())[:300]
        or f"exit code {done.returncode}"
    )


def look_at_crontab() -> disk.Spot:
    """The operator's crontab as if it were a file."""
    try:
        done = run(["crontab", "-l"])
    except Unfit as error:
        return disk.Spot(CRONTAB, CRONTAB, problem=str(error))
    if done.returncode == 0:
        return disk.Spot(CRONTAB, CRONTAB, done.stdout)
    nothing = b"no crontab" in done.stderr.lower()
    return disk.Spot(CRONTAB, CRONTAB, problem=None if nothing else f"crontab -l: {said(done)}")


def write_crontab(spot: disk.Spot, data: bytes | None) -> None:
    """Give the operator this crontab, or none. Raises Unfit if it changed since, or was not taken as it is."""
    if look_at_crontab() != spot:
        raise Unfit("it was changed in the meantime")
    done = run(["crontab", "-r"] if data is None else ["crontab", "-"], data)
    if done.returncode:
        raise Unfit(f"crontab: {said(done)}")
    if look_at_crontab().data != data:
        raise Unfit("crontab did not keep it as it was given")


def _has(kind: str, environ: Mapping[str, str]) -> bool:
    return shutil.which(_TOOLS[kind], path=environ.get("PATH")) is not None


def _answers(kind: str) -> bool:
    """Whether systemd runs for this user at all; in containers and some sessions it does not."""
    return kind != "systemd" or succeeds(["systemctl", "--user", "show-environment"])


def _cron(where: Where) -> Timer:
    # A % would end the command.
    command = shlex.join([*where.database, str(where.memctl)]).replace("%", r"\%")
    lines = [
        line.replace(_CRON_COMMAND, command)
        for line in resources.cron("memctl.crontab").splitlines()
        if _CRON_COMMAND in line
    ]
    return Timer("cron", (Target(CRONTAB, Block("\n".join(lines))),))


def _systemd(where: Where) -> Timer:
    folder = where.folder("XDG_CONFIG_HOME", ".config") / "systemd" / "user"
    database = f"Environment={_for_systemd(f'MEMCTL_DB={where.db}')}\n" if where.db else ""
    start = f"{database}ExecStart={_for_systemd(str(where.memctl))} maintain"
    service = _headed(resources.cron(f"{UNIT}.service")).replace(
        "ExecStart=%h/.local/bin/memctl maintain", start
    )
    parts = {"service": service, "timer": _headed(resources.cron(f"{UNIT}.timer"))}
    user = ("systemctl", "--user")
    return Timer(
        "systemd",
        tuple(
            Target(folder / f"{UNIT}.{ending}", WholeFile(text)) for ending, text in parts.items()
        ),
        turn_on=((*user, "daemon-reload"), (*user, "enable", "--now", f"{UNIT}.timer")),
        turn_off=((*user, "disable", "--now", f"{UNIT}.timer"),),
        settle=((*user, "daemon-reload"),),
        ask=(*user, "is-enabled", f"{UNIT}.timer"),
    )


def _launchd(where: Where) -> Timer:
    path, domain = where.home / "Library" / "LaunchAgents" / f"{LABEL}.plist", f"gui/{os.getuid()}"
    command = escape(shlex.quote(str(where.memctl)), quote=False)
    if where.db:
        command = f"{escape(shlex.join(where.database), quote=False)} {command}"
    text = re.sub(
        r"<!--.*?-->", f"<!-- {WHOLE} -->", resources.cron(f"{LABEL}.plist"), count=1, flags=re.S
    )
    job = WholeFile(text.replace("exec memctl maintain", f"exec {command} maintain"))
    return Timer(
        "launchd",
        (Target(path, job),),
        turn_on=(("launchctl", "bootstrap", domain, str(path)),),
        turn_off=(("launchctl", "bootout", f"{domain}/{LABEL}"),),
        ask=("launchctl", "print", f"{domain}/{LABEL}"),
    )


def _headed(text: str) -> str:
    """A unit with one line on top instead of how to install it by hand."""
    body = text[text.index("\n[") :].lstrip("\n")
    return f"# {WHOLE}\n\n{body}"


def _for_systemd(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if re.search(r"[\s\"'\\;]", word) else escaped
