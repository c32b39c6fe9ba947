"""The model that does as told, beside a bench (see `odd_model.py`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import Bench
from odd_model import Odd
from reading_agent import AgentStandIn


@pytest.fixture
def odd(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Odd:
    """The model, installed and configured for extraction."""
    return Odd(bench, tmp_path / "site", monkeypatch)


@pytest.fixture
def reader(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AgentStandIn:
    """An agent that reads, without a program until one is installed."""
    return AgentStandIn(bench, tmp_path / "bin", monkeypatch)
