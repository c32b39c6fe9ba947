"""By what a memory can be found: by words, and by words and sense where the built-in model is (a
run without it leaves these out).
"""

from __future__ import annotations

import pytest
from invented import House

from memctl.retrieve import vectors

_SENSE = pytest.param("hybrid", marks=pytest.mark.needs("weights"))
WAYS = ["words", _SENSE]
HYBRID = [_SENSE]


def embed_all(house: House) -> None:
    """Give every record its vector by the built-in model."""
    assert vectors.embed_waiting(house.db, house.config).made
