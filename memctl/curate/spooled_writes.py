"""Leave writes in the spool while the store is busy. `take_in_writes` stores them later.

What is left is drafted and redacted, with its time and its writer. A seal by the store's key shows
that memctl wrote the file: whoever else can write into the folder is trusted no more than an agent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memctl.core import clock
from memctl.core.model import Actor
from memctl.core.typing_lite import Any
from memctl.curate.write_drafts import WriteDraft, pack_draft
from memctl.settings.config import Config
from memctl.store import spool

# The kind of the spool files, and what they can hold.
KIND = "write"
INGEST = "ingest"
FACT = "profile"
CORRECTION = "correct"


def spool_ingest(
    config: Config, actor: Actor, drafts: Sequence[WriteDraft], operation: str
) -> Path:
    """Leave drafted records; their changes will belong to that operation of the event log."""
    return _spool(config, actor, INGEST, {"items": list(map(pack_draft, drafts))}, operation)


def spool_undrafted(
    config: Config, actor: Actor, items: Sequence[Mapping[str, Any]], where: Mapping[str, Any]
) -> Path:
    """Leave records that nobody could draft, with where their writer was."""
    content = {"undrafted": list(items), "where": dict(where)}
    return _spool(config, actor, INGEST, content, clock.new_id())


def spool_fact(config: Config, actor: Actor, draft: WriteDraft) -> Path:
    """Leave one fact about the operator."""
    return _spool(config, actor, FACT, {"items": [pack_draft(draft)]}, clock.new_id())


def spool_correction(config: Config, actor: Actor, correction: Mapping[str, Any]) -> Path:
    """Leave a correction: the record's id, its new content, and what else was said."""
    return _spool(config, actor, CORRECTION, {"correction": dict(correction)}, clock.new_id())


def _spool(
    config: Config, actor: Actor, what: str, content: Mapping[str, Any], operation: str
) -> Path:
    payload = {
        "what": what,
        "actor": actor.name,
        "at": clock.now(),
        "operation": operation,
        **content,
    }
    return spool.write_file(config, KIND, spool.seal_payload(config, payload))
