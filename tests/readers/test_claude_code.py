"""The reader of claude_code keeps the contract of all readers."""

from contract import ReaderContract


class TestClaudeCode(ReaderContract):
    module = "claude_code"
