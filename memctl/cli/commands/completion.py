"""`memctl completion`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.cli_results import Raw
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import DryRun
from memctl.core.errors import UsageError
from memctl.results.setup import SetupReport


@command(
    "memctl completion bash",
    "memctl completion zsh --install",
    "memctl completion fish --path",
    "memctl completion bash --undo",
    codes=(1,),
    store=False,
)
def run(
    call: Call,
    shell: Annotated[str | None, argument(metavar="bash|zsh|fish", help="The shell.")] = None,
    install: Annotated[
        bool, option("--install", help="Put the script where the shell looks for it.")
    ] = False,
    undo: Annotated[bool, option("--undo", help="Remove what --install wrote.")] = False,
    path: Annotated[bool, option("--path", help="Print where --install puts the script.")] = False,
    words: Annotated[
        str | None,
        option(
            "--words",
            metavar="ids|projects|views",
            help="Print the completions of a prefix; the scripts call this.",
        ),
    ] = None,
    dry_run: DryRun = False,
) -> Raw | SetupReport:
    """Print the completion script of a shell, or install it.

    It completes commands, options and their values; for ids and names of projects and views it asks
    the store. For zsh, --install also adds a block to .zshrc that names its folder.
    """
    if words is not None:
        call.is_tolerant = True
        found = call.engine.setup.list_words(words, shell or "")
        return Raw("".join(f"{word}\n" for word in found))
    if shell is None:
        raise UsageError("name a shell: bash, zsh or fish")
    if install + undo + path > 1:
        raise UsageError("--install, --undo and --path exclude each other")
    if path:
        return Raw(f"{call.engine.setup.locate_completion(shell)}\n")
    if install or undo:
        return call.engine.setup.install_completion(shell, undo=undo, dry_run=dry_run)
    return Raw(call.engine.setup.read_completion(shell))
