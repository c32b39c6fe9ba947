"""One invented store for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from invented import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """An empty store with the project `mill`."""
    opened = House(tmp_path)
    yield opened
    opened.db.close()
