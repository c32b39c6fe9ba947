"""Prompts of common words alone that ask for a command all the same: `how do I run the tests`.

Word statistics say nothing of them, because every word stands in nearly every prompt. So they are
held against the commands of the project alone, and a command answers only if it has the verb and
every other word that was said. Pure but for reading those commands.
"""

from __future__ import annotations

from memctl.core.model import Memory
from memctl.records.record_source import RecordSource
from memctl.retrieve.prepared_query import PreparedQuery
from memctl.text import tokens
from memctl.text.plain_requests import parse_plain_request

# Commands and workflows of the project that are looked at, newest first, and how many of them a
# prompt is told; chosen by hand.
_MOST_READ = 40
_MOST_TOLD = 2
_KINDS = ("command", "workflow")


def find_plain_commands(source: RecordSource, prepared: PreparedQuery) -> list[Memory]:
    """The commands of the caller's project that a prompt of common words asks for, newest first."""
    project_id = prepared.context.caller.project_id
    asked = parse_plain_request(prepared.query.text)
    if asked is None or project_id is None:
        return []
    found = [
        memory
        for kind in _KINDS
        for memory in source.list_newest_of_kind(project_id, kind, _MOST_READ, None)
        if prepared.allows(memory)
        and asked.issubset(tokens.list_stems(f"{memory.title} {memory.content}"))
    ]
    return found[:_MOST_TOLD]
