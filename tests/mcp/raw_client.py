"""A client that sends the bytes it is told to, to the real server in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# Seconds after which a server that says nothing counts as hung.
PATIENCE = 60
COMMAND = (sys.executable, "-m", "memctl", "mcp")


class RawClient:
    """One server process and what was said to it."""

    def __init__(
        self, cwd: Path, *words: str, env: Mapping[str, str] | None = None, client: str = "test"
    ) -> None:
        self.client = client
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._next = 0
        # One that hangs is killed: then reading from it fails the test.
        self._end = threading.Timer(PATIENCE, self.process.kill)
        self._end.daemon = True
        self._end.start()

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._end.cancel()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def send(self, line: bytes | str | Mapping[str, Any] | Sequence[Any]) -> None:
        """Send one line."""
        if not isinstance(line, bytes | str):
            line = json.dumps(line)
        raw = line.encode() if isinstance(line, str) else line
        assert self.process.stdin is not None
        self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next message of the server."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the server ended: {self.process.stderr and self.process.stderr.read()!r}"
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return dict(message)

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return its response."""
        self._next += 1
        asked: dict[str, Any] = {"jsonrpc": "2.0", "id": self._next, "method": method}
        self.send({**asked, **({} if params is None else {"params": params})})
        answer = self.read()
        assert answer["id"] == self._next
        return answer

    def initialize(
        self, version: str = "2025-06-18", capabilities: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Shake hands; return what the server said of itself."""
        params = {
            "protocolVersion": version,
            "capabilities": capabilities or {},
            "clientInfo": {"name": self.client, "version": "1"},
        }
        result = self.ask("initialize", params)["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return dict(result)

    def call(self, tool: str, **arguments: Any) -> tuple[bool, str]:
        """Call a tool: whether it failed, and its text."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer["result"]
        return bool(result.get("isError")), str(result["content"][0]["text"])

    def end(self) -> tuple[int, bytes, bytes]:
        """Close the server's input, and return its exit code and what it still printed."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err
