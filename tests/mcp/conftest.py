"""The harbor, a known project, for clients of the protocol."""

from __future__ import annotations

from tests.tools.conftest import harbor as harbor
