"""What keeps the start of a process small: Python's own modules without the parts that memctl never calls.

Before Python 3.13 `pathlib` imports `urllib.parse`, and that `ipaddress`, for the one function behind `Path.as_uri()`: a quarter of what
a bare interpreter takes to start. Here it is given a stand-in that fetches the function when it is called; nothing else ever sees it.
"""

from __future__ import annotations

import sys
from types import ModuleType

_HEAVY = "urllib.parse"


def import_pathlib() -> None:
    """Import `pathlib` without what it needs for URLs only, unless any of it is there already."""
    if "pathlib" in sys.modules or _HEAVY in sys.modules:
        return
    stand_in = ModuleType(_HEAVY)
    stand_in.quote_from_bytes = _quote_from_bytes  # type: ignore[attr-defined]
    sys.modules[_HEAVY] = stand_in
    try:
        import pathlib  # noqa: F401
    finally:
        del sys.modules[_HEAVY]


def _quote_from_bytes(*arguments, **options):  # type: ignore[no-untyped-def]
    from urllib.parse import quote_from_bytes

    return quote_from_bytes(*arguments, **options)
