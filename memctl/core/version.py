"""The versions of the program (`pyproject.toml` says it too), its extraction and its reader."""

from __future__ import annotations

__version__ = "0.1.0"
# Another one reads stored conversations anew and tells episodes again. It stands here so that a run
# of maintenance in which nothing is due does not load the rules.
EXTRACT_VERSION = "8"
# The weights and the low-rank path that slot vectors are made by; other ones make them anew. It
# stands here for the same reason.
SLOTS_FINGERPRINT = (
    "all-MiniLM-L6-v2-int8 8199be6f699a395f uncased mean 256 beside 75155d7af66e0de9"
)
