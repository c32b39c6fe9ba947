"""The reader of hermes keeps the contract of all readers."""

from contract import ReaderContract


class TestHermes(ReaderContract):
    module = "hermes"
