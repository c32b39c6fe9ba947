"""agmi, an outside suite that edits a store behind its back, is told of every edit."""

from __future__ import annotations

import pytest

EDITS = 9


@pytest.mark.proof
def test_every_edit_behind_its_back_is_reported() -> None:
    from agmi import check

    from tests.store.agmi_adapter import MemctlAdapter

    rows = check.run(MemctlAdapter())
    assert {row["edit"]: row["verdict"] for row in rows} == {
        row["edit"]: "REPORTED" for row in rows
    }, [row["detail"] for row in rows]
    assert len(rows) == EDITS
