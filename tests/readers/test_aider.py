"""The reader of aider keeps the contract of all readers."""

from contract import ReaderContract


class TestAider(ReaderContract):
    module = "aider"
    counts_garbage = False  # in Markdown every line is somebody's text
