"""The reader of amp keeps the contract of all readers."""

from contract import ReaderContract


class TestAmp(ReaderContract):
    module = "amp"
