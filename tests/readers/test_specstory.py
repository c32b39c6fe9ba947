"""The reader of specstory keeps the contract of all readers."""

from contract import ReaderContract


class TestSpecstory(ReaderContract):
    module = "specstory"
    counts_garbage = False
