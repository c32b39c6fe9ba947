"""Use a language model, through the `llm` package, if the operator configured one; only in
maintenance.

Whatever the model says becomes at most a candidate or an open contradiction. Whatever it does costs
at most its own step: without a model everything else works the same. See docs/models.md.
"""
