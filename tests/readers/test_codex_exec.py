"""The reader of codex_exec keeps the contract of all readers."""

from contract import ReaderContract


class TestCodexExec(ReaderContract):
    module = "codex_exec"
