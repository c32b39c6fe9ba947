"""The same tools under the names that different agents give them."""

from __future__ import annotations

import pytest

from memctl.readers.tool_summaries import describe_call

PATCH = "*** Begin Patch\n*** Add File: new.py\n+x\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "args", "text", "data"),
    [
        ("Bash", {"command": "make test"}, "make test", {"command": "make test"}),
        ("exec_command", '{"cmd": "rg x"}', "rg x", {"command": "rg x"}),
        ("shell", {"command": ["bash", "-lc", "ls -l"]}, "ls -l", {"command": "ls -l"}),
        ("shell", {"command": ["ls", "a b"]}, "ls 'a b'", {"command": "ls 'a b'"}),
        (
            "Edit",
            {"file_path": "/a.py", "old_string": "x"},
            "edit /a.py",
            {"files": ["/a.py"], "action": "edit"},
        ),
        ("write_file", {"file_path": "a.md"}, "write a.md", {"files": ["a.md"], "action": "write"}),
        (
            "read_many_files",
            {"paths": ["a", "b", 3]},
            "read a b",
            {"files": ["a", "b"], "action": "read"},
        ),
        ("mcp__disk__read_file", {"path": "a"}, "read a", {"files": ["a"], "action": "read"}),
        ("apply_patch", PATCH, "write new.py", {"files": ["new.py"], "action": "write"}),
        ("apply_patch", {"input": PATCH}, "write new.py", {"files": ["new.py"], "action": "write"}),
        (
            "shell",
            {"command": ["apply_patch", PATCH]},
            "write new.py",
            {"files": ["new.py"], "action": "write"},
        ),
        ("Task", {"description": "count moths", "prompt": "long"}, "Task: count moths", {}),
        ("update_plan", "not json", "update_plan: not json", {}),
        ("Grep", {"pattern": "moth", "path": "src"}, "Grep: moth", {}),
        ("Edit", None, "Edit", {}),
        ("Bash", {"command": 7}, "Bash", {}),
    ],
)
def test_a_call_says_its_command_or_its_files_or_its_gist(
    tool: str, args: object, text: str, data: dict[str, object]
) -> None:
    assert describe_call(tool, args) == (text, data)


def test_a_command_of_any_length_keeps_its_beginning_and_stays_small() -> None:
    text, data = describe_call("Bash", {"command": "cat <<X\n" + "moth " * 10_000})
    assert text.startswith("cat <<X")
    assert len(text) <= 400
    assert len(data["command"]) < 2100
