"""The reader of kimi keeps the contract of all readers."""

from contract import ReaderContract


class TestKimi(ReaderContract):
    module = "kimi"
