"""The reader of gptme keeps the contract of all readers."""

from contract import ReaderContract


class TestGptme(ReaderContract):
    module = "gptme"
