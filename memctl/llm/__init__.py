"""A language model, through the `llm` package, where the operator configured one: never on a hot path, only in maintenance.

Whatever it says becomes at most a candidate, an open contradiction or nothing; whatever it does costs at most its step. Without one, or
when it is held back, everything else goes on as it does without. See docs/models.md.
"""
