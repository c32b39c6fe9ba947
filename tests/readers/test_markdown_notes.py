"""The reader of markdown_notes keeps the contract of all readers."""

from contract import ReaderContract


class TestMarkdownNotes(ReaderContract):
    module = "markdown_notes"
    counts_garbage = False
