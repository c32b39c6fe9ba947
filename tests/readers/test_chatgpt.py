"""The reader of chatgpt keeps the contract of all readers."""

from contract import ReaderContract


class TestChatgpt(ReaderContract):
    module = "chatgpt"
