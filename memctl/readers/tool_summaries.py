"""Short texts for tool calls: a shell's command, an edit's files, the gist of anything else.

Agents name the same tools differently; the names are gathered here.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from memctl.core.typing_lite import Any
from memctl.readers.base import clip, parse_json
from memctl.readers.values import as_dict, as_list, as_text

# Longest short text in characters; chosen by hand.
_MAX_GIST = 400

_SHELLS = frozenset(
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
_PATCH_TOOLS = ("apply_patch", "applypatch")
# What each tool does to a file.
_ACTIONS: Mapping[str, str] = {
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
_COMMAND_FIELDS = ("command", "cmd", "CommandLine", "script")
_FILE_FIELDS = (
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
_GIST_FIELDS = (
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
# Beginnings of the lines of a patch that name a file, with what is done to it.
_PATCH_MARKS = {
    "*** Add File: ": "write",
    "*** Update File: ": "edit",
    "*** Delete File: ": "edit",
    "*** Move to: ": "edit",
}
# A short text, and data: `command`, or `files` and `action`, or nothing.
Description = tuple[str, dict[str, Any]]


def describe_call(tool: str, args: object) -> Description:
    """Return the short text and the data of a tool call; the arguments may be JSON text."""
    fields = as_dict(parse_json(args) if isinstance(args, str) else args)
    # The part after the name of the MCP server.
    own_name = tool.lower().rsplit("__", 1)[-1]
    command = find_command(fields)
    if command and own_name in _SHELLS:
        return describe_command(command)
    patch = as_text(fields.get("input")) or as_text(fields.get("patch")) or as_text(args)
    if patch and own_name in _PATCH_TOOLS:
        return describe_patch(patch)
    files = _find_files(fields)
    if files and own_name in _ACTIONS:
        return describe_files(_ACTIONS[own_name], files)
    return _find_gist(tool, fields, patch), {}


def describe_command(command: str) -> Description:
    """Describe a shell command; a command that applies a patch is described as an edit."""
    if "*** Begin Patch" in command:
        return describe_patch(command)
    return command[:_MAX_GIST], {"command": clip(command)}


def describe_patch(patch: str) -> Description:
    """Describe a patch in the `*** Update File:` notation by the files that it changes."""
    action_by_file: dict[str, str] = {}
    for line in patch.splitlines():
        for mark, action in _PATCH_MARKS.items():
            if line.startswith(mark):
                action_by_file[line.removeprefix(mark).strip()] = action
    if not action_by_file:
        return patch[:_MAX_GIST], {}
    is_new = set(action_by_file.values()) == {"write"}
    return describe_files("write" if is_new else "edit", list(action_by_file))


def describe_files(action: str, files: list[str]) -> Description:
    """Describe the files that are read, written or edited."""
    return f"{action} {' '.join(files)}"[:_MAX_GIST], {"files": files, "action": action}


def find_command(args: Mapping[str, Any]) -> str:
    """Return the shell command in a tool's arguments.

    `["bash", "-lc", "make test"]` is `make test`.
    """
    for field in _COMMAND_FIELDS:
        value = args.get(field)
        if isinstance(value, str) and value:
            return value
        words = [word for word in as_list(value) if isinstance(word, str)]
        if len(words) == 3 and words[1] in ("-c", "-lc"):
            return words[2]
        if words:
            return shlex.join(words)
    return ""


def _find_files(args: Mapping[str, Any]) -> list[str]:
    for field in _FILE_FIELDS:
        path = as_text(args.get(field))
        if path:
            return [path]
    return [path for path in as_list(args.get("paths")) if isinstance(path, str)]


def _find_gist(tool: str, args: Mapping[str, Any], raw: str) -> str:
    """Return the tool with its most telling argument or its raw text, else the tool alone."""
    for field in _GIST_FIELDS:
        value = as_text(args.get(field)).strip()
        if value:
            return f"{tool}: {value}"[:_MAX_GIST]
    return f"{tool}: {raw}"[:_MAX_GIST] if raw.strip("{} ") and not args else tool
