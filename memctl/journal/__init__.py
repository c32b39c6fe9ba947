"""Daily notes and MEMORY.md: what memory holds, as documents that a person reads.

Both are made from records and their history, never the other way round. A line names the records
that it says; what a person wrote into a file stays theirs.
"""
