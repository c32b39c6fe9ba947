"""The reader of codex keeps the contract of all readers."""

from contract import ReaderContract


class TestCodex(ReaderContract):
    module = "codex"
