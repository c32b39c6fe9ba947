"""The commands before anything is imported: until there is something to tidy up, an interrupt just ends the process."""

from __future__ import annotations

import sys
from collections.abc import Callable

from memctl.core.typing_lite import NoReturn


def main() -> NoReturn:
    """Run the command line."""
    import signal  # here, because a hook has no use for it

    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heeded:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from memctl.cli import fast_args

    run = fast_args.prepare_command(sys.argv[1:]) or _load_typer_main()
    if heeded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def hook() -> NoReturn:
    """Serve one call of an agent's hook."""
    from memctl.hook import main as run

    run()


def _load_typer_main() -> Callable[[], NoReturn]:
    from memctl.cli.main import main as run

    return run
