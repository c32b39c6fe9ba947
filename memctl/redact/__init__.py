"""Secrets replaced by placeholders before anything is written. Pure: the key of the placeholders is passed in."""

from __future__ import annotations

from memctl.redact.engine import KINDS, Marks, Redactor, marks_in, redact, redact_value

__all__ = ["KINDS", "Marks", "Redactor", "marks_in", "redact", "redact_value"]
