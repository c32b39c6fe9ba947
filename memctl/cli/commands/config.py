"""`memctl config`."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.cli_results import Raw, SettingsReport
from memctl.cli.declarations import Annotated, command, option
from memctl.cli.settings_report import build_settings_report
from memctl.settings import config


@command("memctl config", "memctl config --path", "memctl config --example", store=False)
def run(
    call: Call,
    example: Annotated[
        bool,
        option(
            "--example", help="Print a commented config.yaml with every setting at its default."
        ),
    ] = False,
    path: Annotated[bool, option("--path", help="Print the path of config.yaml.")] = False,
    show: Annotated[
        bool,
        option("--show", help="Print every setting and where its value comes from (the default)."),
    ] = False,
) -> SettingsReport | Raw:
    """Show the settings in force and where each comes from.

    That is the default, config.yaml, or a MEMCTL_* variable.
    """
    if example:
        return Raw(config.build_example())
    found = build_settings_report(call.db)
    return Raw(f"{found.path}\n") if path and not show else found
