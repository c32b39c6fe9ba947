"""The reader of signal keeps the contract of all readers."""

from contract import ReaderContract


class TestSignal(ReaderContract):
    module = "signal"
    counts_garbage = False
