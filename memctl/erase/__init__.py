"""Erasure for good: purging, and redacting what is stored already."""
