"""The folders of the XDG Base Directory Specification, read in one place.

Its rule (specifications.freedesktop.org/basedir-spec): "All paths set in these environment
variables must be absolute. If an implementation encounters a relative path in any of these
variables it should consider the path invalid and ignore it." A relative one would be another folder
in each folder that one works in.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

# The folder below the home folder that stands for each variable.
_USUAL = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
}


def find_xdg_folder(environ: Mapping[str, str], variable: str, home: Path) -> Path:
    """Return the folder that a variable such as XDG_CONFIG_HOME names, or the usual one."""
    named = environ.get(variable)
    return Path(named) if named and os.path.isabs(named) else home / _USUAL[variable]
