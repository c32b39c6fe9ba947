"""The harbor, a known project."""

from __future__ import annotations

from tests.tools.conftest import harbor as harbor
from tests.tools.conftest import tools as tools
