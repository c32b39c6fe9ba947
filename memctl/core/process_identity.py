"""Who does a piece of work that others may find unfinished, and whether that process still lives.

Nobody has to clean up after a process that was killed. A claim counts until its time has run out,
as long as its process is there (where that can be asked). A wrong guess only costs work done twice,
which must be harmless wherever this is used.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from memctl.core.typing_lite import Any

# Where the start time of a process stands in /proc/PID/stat, counted after its name (proc(5)).
_START_TIME_FIELD = 19
# Where the id of a machine is, where its system keeps one (machine-id(5)).
_MACHINE_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")


def describe_process() -> dict[str, Any]:
    """This process, as others can look for it: machine, process id, start time."""
    return {"machine": _read_boot_id(), "pid": os.getpid(), "born": _read_start_time(os.getpid())}


def is_alive(holder: Mapping[str, Any], now: str) -> bool:
    """Whether the holder of a claim is still at work, as far as can be told.

    `holder` is a `describe_process()` with `until`, the time at which the claim ends.
    """
    if str(holder.get("until", "")) <= now:
        return False
    pid = holder.get("pid")
    if holder.get("machine") != _read_boot_id() or not isinstance(pid, int):
        return True
    return process_exists(pid) and holder.get("born") == _read_start_time(pid)


def _read_boot_id() -> str:
    """This machine since its last start; processes of another machine cannot be looked for."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return os.uname().nodename if hasattr(os, "uname") else "here"


def read_machine_id() -> str:
    """What tells this machine from others, as long as its system stays; "" where nothing does."""
    for path in _MACHINE_IDS:
        try:
            found = Path(path).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            continue
        if found:
            return found
    return ""


def name_temporary() -> str:
    """Return how the name of a temporary file of this process begins, so that it can be found."""
    return f"memctl-{os.getpid()}-"


def process_exists(pid: int) -> bool:
    """Whether this machine has a process of that number; True if nobody can tell."""
    if os.name == "nt":  # Signal 0 would end the process there.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    is_zombie = _read_stat_fields(pid)[:1] == ["Z"]
    return not is_zombie


def _read_start_time(pid: int) -> str:
    """When a process began, in clock ticks since boot; "" if unknown. Process ids are reused."""
    fields = _read_stat_fields(pid)
    return fields[_START_TIME_FIELD] if len(fields) > _START_TIME_FIELD else ""


def _read_stat_fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the process name, which may hold any character."""
    try:
        line = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return []
    return line.rpartition(b")")[2].decode("ascii", "replace").split()
