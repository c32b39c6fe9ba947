"""What the operator says about the harbor."""

from __future__ import annotations

from pathlib import Path

from memctl import MemoryEngine
from memctl.core.model import NewMemory


def say(folder: Path, *contents: str, **given: object) -> list[str]:
    """Let the operator write records about the project; return their ids."""
    with MemoryEngine.open(actor="operator") as engine:
        items = [NewMemory("project", content, **given) for content in contents]  # type: ignore[arg-type]
        saved = engine.ingest(items, place=engine.place(folder))
        return [item.record.memory.id for item in saved.items]
