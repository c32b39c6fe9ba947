"""Secrets replaced by placeholders before anything is written.

`Redactor` (redactor.py) is what other packages use. This file imports nothing: the rules are loaded
only where a text is redacted.
"""
