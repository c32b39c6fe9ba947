"""What a stored value becomes when it is read."""

from __future__ import annotations

import pytest

from memctl.core.errors import StoreDamaged
from memctl.store.rows import parse_json_column


def test_a_stored_json_value_is_read() -> None:
    assert parse_json_column('{"a": [1]}') == {"a": [1]}


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\ufffd"])
def test_a_stored_value_that_is_no_json_any_more_is_damage(text: str) -> None:
    with pytest.raises(StoreDamaged, match="no JSON any more"):
        parse_json_column(text)
