"""Fixtures of the proofs: the shim, and the furnished house in which real commands run."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("proofs.judging", "proofs.workshop", "proofs.disk_model")

from proofs.shim import Shim, build_shim  # noqa: E402
from proofs.workshop import Workshop  # noqa: E402

from tests.conftest import KEPT  # noqa: E402
from tests.sync.conftest import hub_address, postgres_server  # noqa: E402, F401


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Shim:
    """The compiled shim."""
    folder = tmp_path_factory.mktemp("shim")
    return Shim(build_shim(folder), folder)


@pytest.fixture(scope="session")
def _furnished(shim: Shim, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    made = Workshop(tmp_path_factory.mktemp("workshop"), shim)
    with pytest.MonkeyPatch.context() as patch:
        _empty_environment(patch)
        made.furnish()
    yield made


def _empty_environment(patch: pytest.MonkeyPatch) -> None:
    """Take away what an agent or an operator may have set."""
    for name in set(os.environ) - set(KEPT):
        patch.delenv(name)


@pytest.fixture
def workshop(_furnished: Workshop) -> Workshop:
    """The furnished house, put back to its first state."""
    _furnished.restore()
    return _furnished
