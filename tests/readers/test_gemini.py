"""The reader of gemini keeps the contract of all readers."""

from contract import ReaderContract


class TestGemini(ReaderContract):
    module = "gemini"
