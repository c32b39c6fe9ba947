"""Who holds a running step, and whether they still live: nobody has to clean up after one that was killed.

A claim is believed while its time runs, and its process (where that can be asked) is there. To be wrong costs nothing but work done twice
over: what two do at once is harmless in every step.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def me() -> dict[str, Any]:
    """This process, as others can look for it."""
    return {"machine": _machine(), "pid": os.getpid(), "born": _born(os.getpid())}


def lives(holder: Mapping[str, Any], now: str) -> bool:
    """Whether whoever holds a step is still at it, as far as can be told."""
    if str(holder.get("until", "")) <= now:
        return False
    pid = holder.get("pid")
    if holder.get("machine") != _machine() or not isinstance(pid, int):
        return True
    return _exists(pid) and holder.get("born") == _born(pid)


def _machine() -> str:
    """This machine since it was last started; processes of another one cannot be looked for."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return os.uname().nodename if hasattr(os, "uname") else "here"


def _exists(pid: int) -> bool:
    if os.name == "nt":  # Signal 0 would end it there.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return _state(pid) != "Z"


def _born(pid: int) -> str:
    """When a process began, in the machine's own count, where it tells: numbers of processes are used again."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else ""


def _state(pid: int) -> str:
    return next(iter(_stat(pid)), "")


def _stat(pid: int) -> list[str]:
    """What the system says of a process after its name, which may hold anything."""
    try:
        return (
            Path(f"/proc/{pid}/stat")
            .read_bytes()
            .rpartition(b")")[2]
            .decode("ascii", "replace")
            .split()
        )
    except OSError:
        return []
