"""The `memctl` command before anything is imported: until there is something to tidy up, an interrupt just ends the process."""

from __future__ import annotations

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line."""
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeded:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from memctl.cli.main import main as run

    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()
