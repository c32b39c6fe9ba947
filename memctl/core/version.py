"""The version of the program, which `pyproject.toml` says too, and that of its extraction."""

from __future__ import annotations

__version__ = "0.1.0"
# Another one reads stored conversations anew and tells episodes again. It stands here so that a run
# of maintenance in which nothing is due does not load the rules.
EXTRACT_VERSION = "7"
