"""`memctl redact`."""

from __future__ import annotations

from memctl.cli import input_files
from memctl.cli.call import Call
from memctl.cli.cli_results import Raw
from memctl.cli.confirm_erase import confirm_redaction
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import Yes
from memctl.core.errors import UsageError
from memctl.results.erasure import RedactionReport


@command(
    "memctl redact notes.md",
    "cat session.jsonl | memctl redact -",
    "memctl redact --scan",
    "memctl redact --scan --apply",
    codes=(1, 21),
)
def run(
    call: Call,
    file: Annotated[
        str | None,
        argument(metavar="FILE", help="A text to print without its secrets; - for standard input."),
    ] = None,
    scan: Annotated[
        bool, option("--scan", help="Find secrets in the whole store and beside it.")
    ] = False,
    apply: Annotated[
        bool,
        option("--apply", help="With --scan: replace the secrets for good, in history too."),
    ] = False,
    yes: Yes = False,
) -> RedactionReport | Raw:
    """Remove secrets from a text, or find them in the store.

    They are listed by record and kind, never shown.
    """
    if apply and not scan:
        raise UsageError("--apply goes with --scan")
    if not scan:
        report = call.engine.upkeep.redact_text(input_files.read_text(file))
        return report if call.as_json else Raw(report.text or "")
    with call.show_progress("scanning", "all that is stored"):
        found = call.engine.upkeep.scan_for_secrets()
    if not apply or not confirm_redaction(found, yes=yes):
        return found
    with call.show_progress("redacting", "all that is stored"):
        return call.engine.upkeep.redact_secrets()
