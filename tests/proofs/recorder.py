"""A pytest plugin of `scripts/prove`: keeps what each test ended with, so that a stopped run goes
on where it ended and every figure on the page of promises was counted by a proof.

`PROVE_RESULTS` names the file, one JSON object a line; `PROVE_DONE` one with the tests that are not
to be run again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

RESULTS = os.environ.get("PROVE_RESULTS")
DONE = os.environ.get("PROVE_DONE")
# Characters kept of what a failing test printed, its end.
_TROUBLE_CHARACTERS = 4000
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ


class Recorder:
    """Writes a line for each test, in the process that hears of all of them."""

    def __init__(self, results: Path, part: str | None) -> None:
        self._results = results
        self._part = part

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the outcome of a test's call, or of a set-up that did not come to it."""
        if report.when != "call" and (report.passed or report.when == "teardown"):
            return
        reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
        line = {
            "test": name_test(report.nodeid, self._part),
            "outcome": report.outcome,
            "reason": reason.removeprefix("Skipped: "),
            "seconds": round(report.duration, 2),
            "figures": dict(report.user_properties),
            # Kept, because a run that is stopped prints none of its failures.
            "trouble": report.longreprtext[-_TROUBLE_CHARACTERS:] if report.failed else "",
        }
        with self._results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def name_test(nodeid: str, part: str | None) -> str:
    """The name of a test, and what the run was without."""
    return f"{nodeid} --without {part}" if part else nodeid


def pytest_configure(config: pytest.Config) -> None:
    """Register the recorder."""
    if RESULTS and not IS_WORKER:
        config.pluginmanager.register(Recorder(Path(RESULTS), config.getoption("--without")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has passed already."""
    if not DONE:
        return
    done, part = set(Path(DONE).read_text().splitlines()), config.getoption("--without")
    passed = [item for item in items if name_test(item.nodeid, part) in done]
    config.hook.pytest_deselected(items=passed)
    items[:] = [item for item in items if item not in passed]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A run in which everything had passed already is no failure."""
    if DONE and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
