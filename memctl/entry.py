"""The entry points of `memctl` and `memctl-hook`, before anything slow is imported.

Until there is something to tidy up, an interrupt just ends the process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from memctl.core.typing_lite import NoReturn


def main() -> NoReturn:
    """Run the command line."""
    import signal  # not at the top, because a hook does not need it

    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_default:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from memctl.core import garbage

    garbage.begin_seldom()
    from memctl.cli import fast_args

    run = fast_args.prepare_command(sys.argv[1:]) or _load_typer_main()
    if is_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def hook() -> NoReturn:
    """Serve one call of an agent's hook and end the process."""
    from memctl.hook import main as run

    run()


def _load_typer_main() -> Callable[[], NoReturn]:
    from memctl.cli.main import main as run

    return run
