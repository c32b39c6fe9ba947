"""The reader of qwen keeps the contract of all readers."""

from contract import ReaderContract


class TestQwen(ReaderContract):
    module = "qwen"
