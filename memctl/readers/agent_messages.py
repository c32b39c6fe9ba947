"""Words in a person's place that other sessions, teammates, hooks and programs put there."""

from __future__ import annotations

import re

from memctl.core.lazy_pattern import compile_later
from memctl.readers.envelopes import unwrap

# Blocks that hold what another agent says, or what a hook adds to a prompt.
_MESSAGE_BLOCKS = frozenset(
    {
        "teammate-message",
        "cross-session-message",
        "agent-message",
        "peer-message",
        "hook_prompt",
        "hook-prompt",
        "hook_context",
        "subagent_notification",
        "task-notification",
        "task_notification",
    }
)
_ANNOUNCED = compile_later(
    r"another (?:claude|codex|gemini|agent'?s?)? ?(?:session|agent|instance) "
    r"(?:has )?sent (?:you )?a message\b"
    r"|message from (?:another|a teammate|your teammate)\b"
    r"|\[system notification\b[^\]\n]{0,60}\bnot user input"
    r"|\[[^\]\n]{0,60}\bnot (?:typed by|written by|input from) (?:the |your )?user\b",
    re.IGNORECASE,
)
# A task of the harness in the queue of prompts: one JSON object with one of these keys.
_TASK = compile_later(r'\{\s*"(?:task_id|taskId|task_type|tool_use_id)"\s*:.*\}', re.DOTALL)
# What memory tools tell the agent that watches a session for them.
_WATCHER = compile_later(
    r"You are (?:a )?Claude-Mem\b|Hello memory agent\b|<observed_from_primary_session>"
)


def take_own_words(text: str) -> str:
    """Return what is left of a prompt without the messages of others; empty if nothing is."""
    text = unwrap(text, _MESSAGE_BLOCKS)
    if _ANNOUNCED.match(text) or _TASK.fullmatch(text) or _WATCHER.match(text):
        return ""
    return text
