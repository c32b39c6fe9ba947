"""VS Code's logs of changes: each line sets, extends or deletes a value inside one object."""

from __future__ import annotations

from memctl.core.typing_lite import Any
from memctl.readers.base import Input
from memctl.readers.values import as_dict, as_list

# Kinds of lines.
_WHOLE = 0
_SET = 1
_PUSH = 2
_DELETE = 3


def replay_changes(source: Input) -> dict[str, Any]:
    """Return the object that the log builds; impossible changes are counted as unknown."""
    state: Any = {}
    for _, entry in source.read_json_lines():
        if entry.get("kind") == _WHOLE:
            state = entry.get("v")
        elif not _apply_change(state, entry):
            source.unknown["change"] += 1
    return as_dict(state)


def _apply_change(state: Any, entry: dict[str, Any]) -> bool:
    """Apply one change; return False if its path leads nowhere."""
    kind, path = entry.get("kind"), as_list(entry.get("k"))
    if not path:
        return False
    holder: Any = state
    for step in path[:-1]:
        holder = _find_child(holder, step)
    key = path[-1]
    if kind == _PUSH:
        return _extend(holder, key, entry)
    if kind == _DELETE:
        return _delete(holder, key)
    return kind == _SET and _assign(holder, key, entry.get("v"))


def _extend(holder: Any, key: Any, entry: dict[str, Any]) -> bool:
    """Append to a list, after cutting it at the index that the change gives."""
    target = _find_child(holder, key)
    if target is None and isinstance(holder, dict) and isinstance(key, str):
        target = holder[key] = []
    if not isinstance(target, list):
        return False
    start = entry.get("i")
    if isinstance(start, int) and 0 <= start < len(target):
        del target[start:]
    target += as_list(entry.get("v"))
    return True


def _delete(holder: Any, key: Any) -> bool:
    if not isinstance(holder, dict) or not isinstance(key, str):
        return False
    holder.pop(key, None)
    return True


def _assign(holder: Any, key: Any, value: Any) -> bool:
    """Set a field of an object, or an item of a list or the one after its last."""
    if isinstance(holder, dict) and isinstance(key, str):
        holder[key] = value
        return True
    is_index = isinstance(holder, list) and isinstance(key, int) and not isinstance(key, bool)
    if not is_index or not 0 <= key <= len(holder):
        return False
    holder[key : key + 1] = [value]
    return True


def _find_child(holder: Any, step: Any) -> Any:
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    if isinstance(holder, list) and isinstance(step, int) and 0 <= step < len(holder):
        return holder[step]
    return None
