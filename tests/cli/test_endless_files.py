"""A pipe, a device or ten gigabytes in the place of a file end a command with a clear error."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("operator")

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("redact", "FILE"),
    ("ingest", "--file", "FILE"),
    ("import", "FILE"),
    ("import", "FILE", "--dry-run"),
    ("import-memories", "FILE"),
    ("capture-session", "FILE"),
    ("capture-conversation", "FILE"),
)


@pytest.fixture(params=["pipe", "device", "giant"])
def endless(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "some.txt"
    if request.param == "device":
        return Path("/dev/zero")
    if request.param == "pipe":
        os.mkfifo(path)
    else:
        with path.open("wb") as file:
            file.truncate(10 << 30)
    return path


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_does_not_read_what_has_no_end(
    here: Callable[..., Any], endless: Path, words: tuple[str, ...]
) -> None:
    assert here("init").code == 0
    said = here(*(str(endless) if word == "FILE" else word for word in words))
    assert said.code in (1, 2, 30), said
    assert "Traceback" not in said.stderr
