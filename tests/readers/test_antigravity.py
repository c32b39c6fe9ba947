"""The reader of antigravity keeps the contract of all readers."""

from contract import ReaderContract


class TestAntigravity(ReaderContract):
    module = "antigravity"
