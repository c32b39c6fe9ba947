"""Records in the operator's editor, as YAML.

The saved file is what the operator wants. A file that cannot be read is kept, never thrown away.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memctl.cli import input_files, prompts, terminal_safety, yaml_io
from memctl.cli.text.record_parts import format_location, format_quote
from memctl.core import model, process_identity
from memctl.core.errors import UsageError
from memctl.core.model import CandidateDecision
from memctl.core.typing_lite import Any, TypeVar
from memctl.results.records import RecordView
from memctl.settings import config

T = TypeVar("T")
EDITABLE = ("type", "kind", "title", "content", "summary")
DECISIONS = ("keep", "approve", "reject")
_RECORD_HEAD = (
    "# Change what should be different, save and close. An unchanged file changes nothing.\n"
)
_INBOX_HEAD = """\
# What you save is done. decision: keep, approve or reject (a reject may have a reason).
# You may correct the fields as well. Where the project is unknown, name it before you approve.
# An entry that you delete stays in the inbox as it is. Lines with # are for reading only.
"""


def edit_record(view: RecordView) -> dict[str, Any]:
    """Return the changes that the operator makes to one record. Raises UsageError."""
    text = _RECORD_HEAD + yaml_io.dump_yaml(_get_fields(view))

    def read(saved: Any) -> dict[str, Any]:
        return _find_changes(_demand_mapping(saved, "the file"), view, "the file")

    return edit_text(text, read)


def edit_candidates(views: Sequence[RecordView]) -> list[CandidateDecision]:
    """Return what the operator decides on candidates; a deleted entry is left out.

    Raises UsageError.
    """
    entries = [_format_notes(view) + yaml_io.dump_yaml([_build_entry(view)]) for view in views]
    text = _INBOX_HEAD + "".join(f"\n{entry}" for entry in entries)
    by_id = {view.memory.id: view for view in views}
    return edit_text(text, lambda saved: _read_decisions(saved, by_id))


def edit_text(text: str, read: Callable[[Any], T]) -> T:
    """Open a text in the editor until `read` accepts the saved YAML, then remove the file.

    Raises UsageError.
    """
    handle, name = tempfile.mkstemp(prefix=process_identity.name_temporary(), suffix=".yaml")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    path = Path(name)
    while True:
        _open_editor(path)
        try:
            saved = input_files.decode_text(path.read_bytes(), "the file")
            result = read(yaml_io.load_yaml(saved)[0])
        except UsageError as error:
            _ask_to_edit_again(path, error)
        else:
            path.unlink()
            return result


def _open_editor(path: Path) -> None:
    command = shlex.split(config.find_editor())
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


def _ask_to_edit_again(path: Path, error: UsageError) -> None:
    """Return if the person wants to edit again, else raise the error with the kept file."""
    if prompts.is_person():
        prompts.say(f"memctl: {error}")
        if prompts.ask("Edit again? [Y/n]").lower() in ("", "y", "yes"):
            return
    raise UsageError(f"{error}; nothing was done", hint=f"your text is kept: {path}") from error


def _get_fields(view: RecordView) -> dict[str, Any]:
    return {name: getattr(view.memory, name) for name in EDITABLE}


def _build_entry(view: RecordView) -> dict[str, Any]:
    where = {"project": None} if view.place_unknown else {}
    return {"id": view.memory.id, "decision": "keep", "reason": None, **where, **_get_fields(view)}


def _format_notes(view: RecordView) -> str:
    """Return the quotes that support a candidate, as comments."""
    notes = [f"{format_location(view)}, confidence {view.memory.confidence:.2f}"]
    notes += [format_quote(evidence) for evidence in view.evidence]
    return "".join(f"# {terminal_safety.make_line_safe(note)}\n" for note in notes)


def _read_decisions(saved: Any, views: Mapping[str, RecordView]) -> list[CandidateDecision]:
    if saved is None:
        return []
    if not isinstance(saved, list):
        raise UsageError("a list of entries is wanted")
    decisions = [_read_decision(number, entry, views) for number, entry in enumerate(saved, 1)]
    ids = [decision.id for decision in decisions]
    repeated = {record_id for record_id in ids if ids.count(record_id) > 1}
    if repeated:
        raise UsageError(f"more than one entry has the id {min(repeated)}")
    return decisions


def _read_decision(number: int, entry: Any, views: Mapping[str, RecordView]) -> CandidateDecision:
    where = f"entry {number}"
    values = _demand_mapping(entry, where)
    view = views.get(str(values.pop("id", "")))
    if view is None:
        raise UsageError(f"{where}: its id is none of those that were listed")
    decision, reason = values.pop("decision", "keep"), values.pop("reason", None)
    if decision not in DECISIONS:
        raise UsageError(
            f"{where}: decision must be one of {', '.join(DECISIONS)}, not {decision!r}"
        )
    return CandidateDecision(
        view.memory.id,
        decision,
        None if reason is None else str(reason),
        _find_changes(values, view, where),
    )


def _find_changes(values: Mapping[str, Any], view: RecordView, where: str) -> dict[str, Any]:
    named = {name: values[name] for name in ("project",) if values.get(name) is not None}
    values = {name: value for name, value in values.items() if name != "project"}
    unknown = sorted(set(values) - set(EDITABLE))
    if unknown:
        raise UsageError(f"{where}: no such key: {', '.join(map(str, unknown))}")
    for name, value in ({**values, **named}).items():
        if not isinstance(value, str):
            raise UsageError(f"{where}: {name} must be text; put it in quotes")
    if values.get("type", model.TYPES[0]) not in model.TYPES:
        raise UsageError(f"{where}: type must be one of {', '.join(model.TYPES)}")
    changed = {
        name: value
        for name, value in values.items()
        if value.strip() != getattr(view.memory, name).strip()
    }
    return {**changed, **(named if named.get("project") != view.project else {})}


def _demand_mapping(value: Any, where: str) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{where} must have keys and values")
    return dict(value)
