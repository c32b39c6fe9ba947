"""What other programs may import, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import memctl


def test_the_public_names_are_these() -> None:
    assert memctl.__all__ == [
        "ContextWindow",
        "EntityRef",
        "Filter",
        "Input",
        "MemctlError",
        "MemoryEngine",
        "NewMemory",
        "Place",
        "Query",
        "__version__",
        "errors",
    ]


@pytest.mark.parametrize("name", memctl.__all__)
def test_every_public_name_is_there_and_has_its_own_words(name: str) -> None:
    assert getattr(memctl, name).__doc__
    assert name in dir(memctl)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = memctl.Nothing


def test_importing_memctl_loads_no_part_of_it() -> None:
    script = (
        "import sys; before = set(sys.modules); import memctl; print(*sorted(set(sys.modules) - "
        "before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert {name for name in done.stdout.split() if name.startswith("memctl")} == {"memctl"}
