"""For which machines sqlite-vec is built: it has wheels for some, and no source."""

from __future__ import annotations

import platform
import sysconfig

# Names of the processors as machines give them, by system.
_BUILT = {
    "Linux": frozenset({"x86_64", "aarch64"}),
    "Darwin": frozenset({"x86_64", "arm64"}),
}


def describe_missing() -> str | None:
    """Name this machine if nothing is built for it; None if there is a build."""
    system, machine = platform.system(), platform.machine()
    # Alpine's C library; wheels for glibc do not load there.
    if "musl" in str(sysconfig.get_config_var("HOST_GNU_TYPE") or ""):
        return f"{system} with musl"
    return None if machine in _BUILT.get(system, ()) else f"{system} on {machine}"
