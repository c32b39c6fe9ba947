"""The reader of discord keeps the contract of all readers."""

from contract import ReaderContract


class TestDiscord(ReaderContract):
    module = "discord"
