"""The reader of droid keeps the contract of all readers."""

from contract import ReaderContract


class TestDroid(ReaderContract):
    module = "droid"
