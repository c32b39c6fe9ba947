"""How often Python looks for unreachable cycles while a long command makes millions of objects."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# New objects between two looks at the young ones, and young looks between two at the older ones.
# Python's own 700 and 10 took a sixth of the time of a long import; nearly nothing that memctl
# makes is in a cycle. Chosen by hand, so that what waits stays within some megabytes.
_SELDOM = (100_000, 20, 20)


def begin_seldom() -> None:
    """Look seldom from the start of a command on: it ends before most looks would find anything.

    The gain, measured with benchmarks/cold.py on a 2-core x86-64 machine: 0.4 to 0.5 CPU times of a
    bare interpreter start in every command.
    """
    gc.set_threshold(*_SELDOM)


@contextmanager
def collect_seldom() -> Iterator[None]:
    """Look for cycles seldom, and not again among what is there already."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
