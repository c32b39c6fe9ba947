"""Standard input and output as lines of the protocol, and answers to what is no message.

The SDK reads and writes through the two objects of `open_wire`. They add what it leaves out: a line
that is no JSON, no request, a batch or too long is answered with the error that JSON-RPC has for
it; the input's end waits for the answers that are still due; reading never keeps a process alive;
and whatever else prints goes to standard error.
"""

from __future__ import annotations

import json
import os
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from mcp.types import INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter

# Bytes. A longer message is answered with an error and its rest is skipped.
MAX_LINE_BYTES = 4 * 1024 * 1024
# Seconds that the end of the input waits for answers that are due.
_LAST_ANSWERS_SECONDS = 15.0
_MESSAGE = "the message is longer than %d bytes"


class ClientInput:
    """The lines that a client sends, those that are messages."""

    def __init__(self, fd: int, output: ClientOutput) -> None:
        self._stream = os.fdopen(fd, "rb")
        self._output = output

    def close(self) -> None:
        """Close the input."""
        self._stream.close()

    def __aiter__(self) -> ClientInput:
        return self

    async def __anext__(self) -> str:
        """The next message. Ends when the client has gone and got its answers."""
        while True:
            # Abandoned, not awaited, when the server ends: the client may never write again.
            line = await anyio.to_thread.run_sync(
                partial(self._stream.readline, MAX_LINE_BYTES + 1), abandon_on_cancel=True
            )
            if not line:
                await self._output.wait_until_answered()
                raise StopAsyncIteration
            if len(line) > MAX_LINE_BYTES:
                await anyio.to_thread.run_sync(self._skip_line, line, abandon_on_cancel=True)
                await self._output.refuse(INVALID_REQUEST, _MESSAGE % MAX_LINE_BYTES)
            elif line.strip() and (message := await self._read(line)) is not None:
                return message

    def _skip_line(self, line: bytes) -> None:
        while line and not line.endswith(b"\n"):
            line = self._stream.readline(MAX_LINE_BYTES)

    async def _read(self, line: bytes) -> str | None:
        """The line, if it is a message; else answer what is wrong with it."""
        try:
            text = line.decode("utf-8")
            message = json.loads(text)
        except (ValueError, RecursionError) as error:
            await self._output.refuse(PARSE_ERROR, f"no JSON: {error}"[:200])
            return None
        if isinstance(message, list):
            told = "a batch is not served: send each message in a line of its own"
            await self._output.refuse(INVALID_REQUEST, told)
            return None
        asked = message.get("id") if isinstance(message, dict) else None
        if not _is_message(message, text):
            known = asked if isinstance(asked, int | str) and not isinstance(asked, bool) else None
            await self._output.refuse(INVALID_REQUEST, "no JSON-RPC 2.0 message", known)
            return None
        self._output.expect(message)
        return text


def _is_message(message: Any, text: str) -> bool:
    """Whether the SDK will take it for a request, notification or response: it reads the text
    itself, by other rules than `json`. An id that is none makes no notification of a request.
    """
    if not isinstance(message, dict):
        return False
    has_odd_id = "id" in message and "method" in message and not _is_id(message["id"])
    if has_odd_id:
        return False
    try:
        jsonrpc_message_adapter.validate_json(text, by_name=False)
    except (ValueError, RecursionError):
        return False
    return True


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


class ClientOutput:
    """What goes to the client; it knows which requests are not answered yet."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = anyio.Lock()
        self._due: set[int | str] = set()
        self._all_answered: anyio.Event | None = None

    async def write(self, text: str) -> None:
        """Write one message."""
        message = json.loads(text)
        await self._send(text)
        if "method" not in message:
            self._settle(message.get("id"))

    async def flush(self) -> None:
        """Nothing is kept back."""

    async def refuse(self, code: int, told: str, asked: int | str | None = None) -> None:
        """Answer with an error what is no message."""
        error = {"jsonrpc": "2.0", "id": asked, "error": {"code": code, "message": told}}
        await self._send(json.dumps(error) + "\n")

    def expect(self, message: dict[str, Any]) -> None:
        """Note a request that will be answered, or that it was taken back."""
        if message.get("method") == "notifications/cancelled":
            params = message.get("params")
            taken_back = params.get("requestId") if isinstance(params, dict) else None
            if _is_id(taken_back):
                self._settle(taken_back)
        elif "method" in message and "id" in message:
            self._due.add(message["id"])

    async def wait_until_answered(self) -> None:
        """Wait until nothing is due, but not for ever."""
        if self._due:
            self._all_answered = anyio.Event()
            with anyio.move_on_after(_LAST_ANSWERS_SECONDS):
                await self._all_answered.wait()

    def _settle(self, asked: int | str | None) -> None:
        if asked is not None:
            self._due.discard(asked)
        if not self._due and self._all_answered is not None:
            self._all_answered.set()

    async def _send(self, text: str) -> None:
        # A lone surrogate in an answer becomes its escape: JSON can say it, UTF-8 cannot.
        raw = text.encode("utf-8", "backslashreplace")
        async with self._lock:
            await anyio.to_thread.run_sync(_write_all, self._fd, raw, abandon_on_cancel=True)


def _write_all(fd: int, raw: bytes) -> None:
    """Write everything. Raises BrokenPipeError where the client has gone."""
    view = memoryview(raw)
    while view:
        view = view[os.write(fd, view) :]


def open_wire() -> tuple[ClientInput, ClientOutput]:
    """Take standard input and output for the protocol alone: from here on input is empty to all
    others, and what they print goes to standard error.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    output = ClientOutput(wire_out)
    return ClientInput(wire_in, output), output
