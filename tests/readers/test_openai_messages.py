"""The reader of openai_messages keeps the contract of all readers."""

from contract import ReaderContract


class TestOpenaiMessages(ReaderContract):
    module = "openai_messages"
