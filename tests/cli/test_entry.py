"""The entry ends quietly on an interrupt while it imports; later the command line handles it."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import signal, sys, types
signal.signal(signal.SIGINT, signal.{before})
class Watched(types.ModuleType):
    def __getattr__(self, name):
        print(getattr(signal.getsignal(signal.SIGINT), "name", "python"))
        return lambda: print(getattr(signal.getsignal(signal.SIGINT), "name", "python"))
sys.modules["memctl.cli.main"] = Watched("memctl.cli.main")
sys.argv = ["memctl", "search", "--help"]
from memctl.entry import main
main()
"""


@pytest.mark.parametrize(
    ("before", "during", "after"),
    [("default_int_handler", "SIG_DFL", "python"), ("SIG_IGN", "SIG_IGN", "SIG_IGN")],
)
def test_an_interrupt_is_plain_while_importing_and_answered_afterwards_unless_it_is_ignored(
    before: str, during: str, after: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(before=before)],
        capture_output=True,
        text=True,
        check=True,
    )
    # Python asks the module for `__spec__` and the like before `main`; only the last two lines
    # count.
    assert done.stdout.split()[-2:] == [during, after]
