"""Records in the operator's editor, as YAML. The saved file is the wanted state; what cannot be read is never thrown away."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from memctl.cli import prompts, terminal_safety, yaml_io
from memctl.cli.text.record_parts import format_location as place_of
from memctl.cli.text.record_parts import format_quote
from memctl.core import model
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass
from memctl.results.records import RecordView
from memctl.settings import config

T = TypeVar("T")
EDITABLE = ("type", "kind", "title", "content", "summary")
DECISIONS = ("keep", "approve", "reject")
_RECORD_HEAD = (
    "# Change what should be different, save and close. An unchanged file changes nothing.\n"
)
_INBOX_HEAD = """\
# What you save is done. decision: keep, approve or reject (a reject may have a reason); fields may be corrected as well.
# An entry that you delete stays in the inbox as it is. Lines with # are for reading only.
"""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the operator wants for one candidate."""

    id: str
    decision: str
    reason: str | None
    changes: Mapping[str, Any]


def record(view: RecordView) -> dict[str, Any]:
    """The changes that the operator makes to one record in the editor. Raises UsageError."""
    text = _RECORD_HEAD + yaml_io.dump_yaml(_fields(view))
    return edited(text, lambda saved: _changes(_mapping(saved, "the file"), view, "the file"))


def inbox(views: Sequence[RecordView]) -> list[Wish]:
    """What the operator wants for each candidate. Raises UsageError, naming the kept file."""
    text = _INBOX_HEAD + "".join(
        "\n" + _notes(view) + yaml_io.dump_yaml([_entry(view)]) for view in views
    )
    by_id = {view.memory.id: view for view in views}
    return edited(text, lambda saved: _wishes(saved, by_id))


def edited(text: str, read: Callable[[Any], T]) -> T:
    """Open a text in the editor until `read` accepts what was saved; the file is removed once it does. Raises UsageError."""
    handle, name = tempfile.mkstemp(prefix="memctl-", suffix=".yaml")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    path = Path(name)
    while True:
        _open(path)
        try:
            result = read(
                yaml_io.load_yaml(path.read_text(encoding="utf-8-sig", errors="replace"))[0]
            )
        except UsageError as error:
            _again_or_raise(path, error)
        else:
            path.unlink()
            return result


def _open(path: Path) -> None:
    command = shlex.split(config.editor())
    try:
        code = subprocess.run([*command, str(path)], check=False).returncode
    except OSError as error:
        raise UsageError(
            f"cannot start the editor {command[0]}: {error.strerror}",
            hint=f"set EDITOR; the file is kept: {path}",
        ) from error
    if code:
        raise UsageError(
            f"the editor ended with exit code {code}; nothing was done",
            hint=f"the file is kept: {path}",
        )


def _again_or_raise(path: Path, error: UsageError) -> None:
    if prompts.is_person():
        prompts.say(f"memctl: {error}")
        if prompts.ask("Edit again? [Y/n]").lower() in ("", "y", "yes"):
            return
    raise UsageError(f"{error}; nothing was done", hint=f"your text is kept: {path}") from error


def _fields(view: RecordView) -> dict[str, Any]:
    return {name: getattr(view.memory, name) for name in EDITABLE}


def _entry(view: RecordView) -> dict[str, Any]:
    return {"id": view.memory.id, "decision": "keep", "reason": None, **_fields(view)}


def _notes(view: RecordView) -> str:
    """What the candidate rests on, as comments."""
    quotes = [format_quote(evidence) for evidence in view.evidence]
    return "".join(
        f"# {terminal_safety.make_line_safe(line)}\n"
        for line in [f"{place_of(view)}, confidence {view.memory.confidence:.2f}", *quotes]
    )


def _wishes(saved: Any, known: Mapping[str, RecordView]) -> list[Wish]:
    if saved is None:
        return []
    if not isinstance(saved, list):
        raise UsageError("a list of entries is wanted")
    wishes = [_wish(number, entry, known) for number, entry in enumerate(saved, 1)]
    twice = {wish.id for wish in wishes if sum(other.id == wish.id for other in wishes) > 1}
    if twice:
        raise UsageError(f"more than one entry has the id {min(twice)}")
    return wishes


def _wish(number: int, entry: Any, known: Mapping[str, RecordView]) -> Wish:
    where = f"entry {number}"
    values = _mapping(entry, where)
    view = known.get(str(values.pop("id", "")))
    if view is None:
        raise UsageError(f"{where}: its id is none of those that were listed")
    decision, reason = values.pop("decision", "keep"), values.pop("reason", None)
    if decision not in DECISIONS:
        raise UsageError(
            f"{where}: decision must be one of {', '.join(DECISIONS)}, not {decision!r}"
        )
    return Wish(
        view.memory.id,
        decision,
        None if reason is None else str(reason),
        _changes(values, view, where),
    )


def _changes(values: Mapping[str, Any], view: RecordView, where: str) -> dict[str, Any]:
    unknown = sorted(set(values) - set(EDITABLE))
    if unknown:
        raise UsageError(f"{where}: no such key: {', '.join(map(str, unknown))}")
    for name, value in values.items():
        if not isinstance(value, str):
            raise UsageError(f"{where}: {name} must be text; put it in quotes")
    if values.get("type", model.TYPES[0]) not in model.TYPES:
        raise UsageError(f"{where}: type must be one of {', '.join(model.TYPES)}")
    return {
        name: value
        for name, value in values.items()
        if value.strip() != getattr(view.memory, name).strip()
    }


def _mapping(value: Any, where: str) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{where} must have keys and values")
    return dict(value)
