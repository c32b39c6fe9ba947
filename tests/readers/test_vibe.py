"""The reader of vibe keeps the contract of all readers."""

from contract import ReaderContract


class TestVibe(ReaderContract):
    module = "vibe"
