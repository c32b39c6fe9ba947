"""The reader of grok keeps the contract of all readers."""

from contract import ReaderContract


class TestGrok(ReaderContract):
    module = "grok"
