"""The reader of goose keeps the contract of all readers."""

from contract import ReaderContract


class TestGoose(ReaderContract):
    module = "goose"
