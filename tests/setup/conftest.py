"""Setup run in this process, in the empty house of the test."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memctl.results.setup import SetupReport
from memctl.settings import config
from memctl.setup import plan, run


@pytest.fixture
def setup() -> Callable[..., SetupReport]:
    """`setup("claude-code", undo=True)` does it at once."""

    def do(
        *names: str, dry_run: bool = False, shown: SetupReport | None = None, **asked: object
    ) -> SetupReport:
        return run.run_setup(
            config.load_config(), plan.parse_request(names, **asked), dry_run=dry_run, shown=shown
        )  # type: ignore[arg-type]

    return do
