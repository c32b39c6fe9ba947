"""The reader of pi keeps the contract of all readers."""

from contract import ReaderContract


class TestPi(ReaderContract):
    module = "pi"
