"""memctl: the shared, durable memory of all the coding agents that one operator works with.

    from memctl import MemoryEngine

Names are loaded when first used, so that importing memctl costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memctl.core import errors
    from memctl.core.errors import MemctlError
    from memctl.core.model import EntityRef, Filter, NewMemory, Place, Query
    from memctl.core.version import __version__
    from memctl.engine.context_window import ContextWindow
    from memctl.engine.memory_engine import MemoryEngine
    from memctl.readers.base import Input

# The public names and the modules that define them. Result classes are in `memctl.results`, errors
# in `memctl.errors`.
_HOMES = {
    "ContextWindow": "memctl.engine.context_window",
    "MemoryEngine": "memctl.engine.memory_engine",
    "MemctlError": "memctl.core.errors",
    "EntityRef": "memctl.core.model",
    "NewMemory": "memctl.core.model",
    "Place": "memctl.core.model",
    "Query": "memctl.core.model",
    "Input": "memctl.readers.base",
    "Filter": "memctl.core.model",
    "__version__": "memctl.core.version",
}

__all__ = [
    "ContextWindow",
    "EntityRef",
    "Filter",
    "Input",
    "MemctlError",
    "MemoryEngine",
    "NewMemory",
    "Place",
    "Query",
    "__version__",
    "errors",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module  # here, because a hook needs none of these names

    if name == "errors":
        return import_module("memctl.core.errors")
    if name not in _HOMES:
        raise AttributeError(f"module 'memctl' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
