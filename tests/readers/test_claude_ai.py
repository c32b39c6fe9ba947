"""The reader of claude_ai keeps the contract of all readers."""

from contract import ReaderContract


class TestClaudeAi(ReaderContract):
    module = "claude_ai"
