"""What a tool call says in short: the command of a shell, the files of an edit, the gist of anything else.

Agents name the same tools differently; the names are gathered here, once.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from memctl.readers.base import clip, parse_json
from memctl.readers.values import as_dict, as_list, as_text

GIST = 400

SHELLS = frozenset(
    [
        "bash",
        "shell",
        "sh",
        "exec",
        "exec_command",
        "local_shell",
        "shell_command",
        "container.exec",
        "run_shell_command",
        "run_terminal_cmd",
        "run_terminal_command",
        "execute",
        "execute_command",
        "terminal",
        "powershell",
        "run_command",
        "run_in_terminal",
        "run_command_in_terminal",
        "command_execution",
    ]
)
ACTIONS: Mapping[str, str] = {
    **dict.fromkeys(
        [
            "edit",
            "multiedit",
            "notebookedit",
            "replace",
            "edit_file",
            "apply_patch",
            "applypatch",
            "apply_diff",
            "insert_content",
            "replace_in_file",
            "replace_string_in_file",
            "search_and_replace",
            "str_replace",
            "search_replace",
            "patch",
        ],
        "edit",
    ),
    **dict.fromkeys(
        ["write", "write_file", "write_to_file", "create", "create_file", "new_file"], "write"
    ),
    **dict.fromkeys(
        [
            "read",
            "read_file",
            "read_many_files",
            "notebookread",
            "view",
            "view_file",
            "open_file",
        ],
        "read",
    ),
}
_COMMAND_KEYS = ("command", "cmd", "CommandLine", "script")
_FILE_KEYS = (
    "file_path",
    "notebook_path",
    "absolute_path",
    "filePath",
    "filepath",
    "path",
    "target_file",
    "file",
    "TargetFile",
)
_GIST_KEYS = (
    "description",
    "query",
    "pattern",
    "url",
    "prompt",
    "subject",
    "skill",
    "title",
    "question",
    "plan",
    "name",
)
_PATCH_MARKS = {
    "*** Add File: ": "write",
    "*** Update File: ": "edit",
    "*** Delete File: ": "edit",
    "*** Move to: ": "edit",
}


def describe_call(tool: str, args: object) -> tuple[str, dict[str, Any]]:
    """The short text and the data (`command`, or `files` and `action`) of a tool call; arguments may be JSON text."""
    given = _parse_arguments(args)
    kind = tool.lower().rsplit("__", 1)[-1]
    command = find_command(given)
    if command and kind in SHELLS:
        return describe_command(command)
    patch = as_text(given.get("input")) or as_text(given.get("patch")) or as_text(args)
    if kind in ("apply_patch", "applypatch") and patch:
        return describe_patch(patch)
    files = _find_files(given)
    if files and kind in ACTIONS:
        return describe_files(ACTIONS[kind], files)
    return _find_gist(tool, given, patch), {}


def describe_command(command: str) -> tuple[str, dict[str, Any]]:
    """A shell command; one that applies a patch is the edit that it is."""
    if "*** Begin Patch" in command:
        return describe_patch(command)
    return command[:GIST], {"command": clip(command)}


def describe_patch(patch: str) -> tuple[str, dict[str, Any]]:
    """The files that a patch in the `*** Update File:` notation touches."""
    touched: dict[str, str] = {}
    for line in patch.splitlines():
        for mark, action in _PATCH_MARKS.items():
            if line.startswith(mark):
                touched[line[len(mark) :].strip()] = action
    action = "write" if touched and set(touched.values()) == {"write"} else "edit"
    return describe_files(action, list(touched)) if touched else (patch[:GIST], {})


def describe_files(action: str, files: list[str]) -> tuple[str, dict[str, Any]]:
    """Files read, written or edited."""
    return f"{action} {' '.join(files)}"[:GIST], {"files": files, "action": action}


def find_command(args: Mapping[str, Any]) -> str:
    """The shell command among a tool's arguments; `["bash", "-lc", "make test"]` is `make test`."""
    for key in _COMMAND_KEYS:
        value = args.get(key)
        if isinstance(value, str) and value:
            return value
        words = [word for word in as_list(value) if isinstance(word, str)]
        if len(words) == 3 and words[1] in ("-c", "-lc"):
            return words[2]
        if words:
            return shlex.join(words)
    return ""


def _parse_arguments(args: object) -> dict[str, Any]:
    if isinstance(args, str):
        return as_dict(parse_json(args))
    return as_dict(args)


def _find_files(args: Mapping[str, Any]) -> list[str]:
    for key in _FILE_KEYS:
        if isinstance(args.get(key), str) and args[key]:
            return [args[key]]
    return [path for path in as_list(args.get("paths")) if isinstance(path, str)]


def _find_gist(tool: str, args: Mapping[str, Any], raw: str) -> str:
    for key in _GIST_KEYS:
        if isinstance(args.get(key), str) and args[key].strip():
            return f"{tool}: {args[key].strip()}"[:GIST]
    return f"{tool}: {raw}"[:GIST] if raw.strip("{} ") and not args else tool
