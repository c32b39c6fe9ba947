"""The rate at which secrets are found, on the kinds that no rule was written for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from corpus import LOOK_ALIKES, SECRETS, is_held_out

from tests.redact.test_corpus import is_found, is_mistaken


@pytest.mark.proof
def test_the_held_out_rate_is_counted(record_property: Callable[[str, object], None]) -> None:
    held_out = [name for name in SECRETS if is_held_out(name)]
    alike = [name for name in LOOK_ALIKES if is_held_out(name)]
    found = sum(map(is_found, held_out))
    mistaken = sum(map(is_mistaken, alike))
    assert found >= 0.97 * len(held_out) and mistaken == 0
    for name, value in (
        ("found", found),
        ("held_out", len(held_out)),
        ("mistaken", mistaken),
        ("look_alikes", len(alike)),
    ):
        record_property(name, value)
