"""The commands before anything is imported: until there is something to tidy up, an interrupt just ends the process."""

from __future__ import annotations

import sys
from collections.abc import Callable

from memctl import thrift
from memctl.typed import NoReturn


def main() -> NoReturn:
    """Run the command line."""
    import signal  # here, because a hook has no use for it

    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeded:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    thrift.import_pathlib()
    from memctl.cli import swift

    run = swift.ready(sys.argv[1:]) or _whole_command_line()
    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def hook() -> NoReturn:
    """Serve one call of an agent's hook."""
    thrift.import_pathlib()
    from memctl.hook import main as run

    run()


def _whole_command_line() -> Callable[[], NoReturn]:
    from memctl.cli.main import main as run

    return run
