"""A program that keeps an agent's contract: it is put on the PATH under the agent's name.

It takes the options that the agent takes and no other, notes how it was started, and answers in the
agent's form, as `behaviour.json` beside it says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NAME = Path(sys.argv[0]).name
# Options with a value, and those without one.
TAKES = {
    "claude": (
        "--output-format --system-prompt --tools --setting-sources --settings --permission-mode"
        " --model",
        "-p --strict-mcp-config --disable-slash-commands --no-session-persistence",
    ),
    "codex": (
        "--sandbox --color -c --model",
        "--json --ephemeral --ignore-user-config --ignore-rules --skip-git-repo-check",
    ),
    "gemini": (
        "--prompt --output-format --extensions --approval-mode --allowed-mcp-server-names --model",
        "",
    ),
}


def read_options(words: list[str]) -> None:
    """End as the agent does at an option that it does not know."""
    valued, plain = (names.split() for names in TAKES[NAME])
    left = iter(words)
    for word in left:
        if word in valued:
            next(left)
        elif word not in plain and ((word.startswith("-") and word != "-") or NAME != "codex"):
            print(f"error: unknown option '{word}'", file=sys.stderr)
            sys.exit(1)


def read_answer(asked: str, wanted: dict[str, Any]) -> str:
    """What is answered: the words given, or what a module beside this one makes of the question."""
    if "module" in wanted:
        sys.path.insert(0, str(HERE))
        return str(__import__(wanted["module"]).answer(asked))
    return str(wanted.get("answer", '{"candidates": []}'))


def print_claude(text: str, wanted: dict[str, Any]) -> None:
    failed = "error" in wanted
    result = {
        "type": "result",
        "subtype": "success",
        "is_error": failed,
        "result": wanted["error"] if failed else text,
        "session_id": "0",
        "total_cost_usd": wanted.get("cost", 0.0125),
        "usage": {
            "input_tokens": 100,
            "cache_creation_input_tokens": 20,
            "cache_read_input_tokens": 3,
            "output_tokens": 30,
        },
    }
    print(json.dumps(result))
    sys.exit(failed)


def print_codex(text: str, wanted: dict[str, Any]) -> None:
    events: list[dict[str, Any]] = [
        {"type": "thread.started", "thread_id": "0"},
        {"type": "turn.started"},
    ]
    if "error" in wanted:
        events += [
            {"type": "error", "message": wanted["error"]},
            {"type": "turn.failed", "error": {"message": wanted["error"]}},
        ]
    else:
        if wanted.get("uses_tool"):
            events.append({"type": "item.completed", "item": {"type": "command_execution"}})
        usage = {"input_tokens": 123, "cached_input_tokens": 20, "output_tokens": 30}
        events += [
            {"type": "item.completed", "item": {"id": "0", "type": "reasoning", "text": "{}"}},
            {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": text}},
            {"type": "turn.completed", "usage": usage},
        ]
    print("\n".join(map(json.dumps, events)))
    sys.exit("error" in wanted)


def print_gemini(text: str, wanted: dict[str, Any]) -> None:
    if "error" in wanted:
        error = {"type": "Error", "message": wanted["error"], "code": 41}
        print(json.dumps({"session_id": "0", "error": error}), file=sys.stderr)
        sys.exit(41)
    tokens = {"prompt": 123, "candidates": 25, "thoughts": 5, "cached": 0, "total": 153}
    stats = {
        "models": {"gemini": {"tokens": tokens}},
        "tools": {"totalCalls": int(bool(wanted.get("uses_tool")))},
    }
    print("Loaded cached credentials.")
    print(json.dumps({"session_id": "0", "response": text, "stats": stats}, indent=2))


def grow() -> None:
    held = []
    while True:
        held.append(bytearray(16 << 20))
        time.sleep(0.01)


def main() -> None:
    wanted = json.loads((HERE / "behaviour.json").read_text())
    read_options(sys.argv[2:] if NAME == "codex" else sys.argv[1:])
    asked = sys.stdin.read()
    settings = os.environ.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
    note = {
        "program": NAME,
        "arguments": sys.argv[1:],
        "input": asked,
        "folder": os.getcwd(),
        "inside": os.listdir(),
        "environment": dict(os.environ),
        "settings": json.loads(Path(settings).read_text()) if settings else None,
    }
    with open(HERE / "started.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(note) + "\n")
    if wanted.get("keeps_session"):
        (HERE / "session.txt").write_text(asked, encoding="utf-8")
    if wanted.get("hangs"):
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        (HERE / "child.pid").write_text(str(child.pid))
        time.sleep(600)
    if wanted.get("grows"):
        grow()
    if "prints" in wanted:
        print(wanted["prints"])
        sys.exit(wanted.get("code", 0))
    text = "" if "error" in wanted else read_answer(asked, wanted)
    {"claude": print_claude, "codex": print_codex, "gemini": print_gemini}[NAME](text, wanted)


main()
