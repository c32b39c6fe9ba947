"""The reader of cursor_text keeps the contract of all readers."""

from contract import ReaderContract


class TestCursorText(ReaderContract):
    module = "cursor_text"
    counts_garbage = False
