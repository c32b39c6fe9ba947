"""Lets a failing contract show its values, as a test module's own asserts do."""

import pytest

pytest.register_assert_rewrite("contract")
