"""Sessions of Claude Code, for tests of what people type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def make_lines(
    words: Sequence[str | tuple[str, str]], day: int, project: str
) -> list[dict[str, Any]]:
    """The lines of one session of Claude Code."""
    lines: list[dict[str, Any]] = []
    for said in words:
        prompt, answer = said if isinstance(said, tuple) else (said, "Ok.")
        for role, text in (("user", prompt), ("assistant", answer)):
            number = len(lines)
            lines.append(
                {
                    "type": role,
                    "uuid": f"u{day}-{number}",
                    "parentUuid": f"u{day}-{number - 1}" if number else None,
                    "isSidechain": False,
                    "sessionId": f"5f0c1b52-0000-4000-8000-0000000001{day:02}",
                    "cwd": project,
                    "timestamp": f"2026-05-{day:02}T10:{number:02}:00.000Z",
                    "message": {
                        "role": role,
                        "content": text if role == "user" else [{"type": "text", "text": text}],
                    },
                }
            )
    return lines
