"""Whatever holds a conversation is captured: notes, two lines, exports of agents, archives; and two
conversations that begin alike are two.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl import MemoryEngine
from memctl.store import sources

Run = Callable[..., Any]


@pytest.fixture
def capture(here: Run) -> Callable[..., Any]:
    """`capture(path)`, or `capture(stdin=text)`, runs capture-conversation."""
    assert here("init").code == 0

    def take(file: Path | str = "-", stdin: str | bytes = "") -> Any:
        return here("capture-conversation", file, "--json", stdin=stdin)

    return take


def list_turns(db: Path) -> list[tuple[str, str]]:
    """Role and text of what is said in all conversations of the store."""
    with MemoryEngine.open(db) as engine:
        store = engine.open_to_write()
        return [
            (turn.role, turn.text)
            for row in store.all("sources.everything")
            for turn in sources.read_turns(store, row["id"])
        ]


def put(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "We keep the tide tables in SQLite because one file is enough.\n",
        "10:00 standup: we drop Redis for good.\n10:15 Ben will write the migration.\n",
        "Call with the harbour master.\n\nThe crane is out of order until May, he said.\n",
        "今後、日付は必ずISO 8601で書くこと。\n",
        "Wir verwenden pnpm, nie npm.\nDatenbank: SQLite, weil eine Datei genügt.\n",
    ],
)
@pytest.mark.parametrize("piped", [True, False])
def test_plain_notes_are_captured(
    capture: Callable[..., Any], tmp_path: Path, db: Path, text: str, piped: bool
) -> None:
    done = capture(stdin=text) if piped else capture(put(tmp_path, "call.txt", text))
    assert done.code == 0, done.stderr
    assert done.data["items"][0]["agent"] == "notes"
    assert list_turns(db) == [("human", text.strip())]


@pytest.mark.parametrize(
    "text",
    [
        '{"mooring": 3, "tide": "low"}\n',
        "2026-01-02 10:00 INFO mooring opened\n2026-01-02 10:01 ERROR the tide table is missing\n",
        "import os\n\ndef list_boats(folder):\n    return os.listdir(folder)\n",
        "<html><body>The crane is out of order.</body></html>\n",
        "boats\n",
        "one\0two three four five",
    ],
)
def test_data_code_and_logs_are_no_notes(capture: Callable[..., Any], text: str) -> None:
    assert capture(stdin=text).code in (30, 31)


def test_prose_in_the_file_of_an_agent_is_no_note(here: Run, tmp_path: Path) -> None:
    assert here("init").code == 0
    path = put(tmp_path, "session.txt", "We keep the tide tables in SQLite.\n")
    assert here("capture-session", path).code == 30


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        (
            "User: Always use green.\nAssistant: Fine.\n",
            [("human", "Always use green."), ("assistant", "Fine.")],
        ),
        ("Me: ok\nClaude: ok\n", [("human", "ok"), ("assistant", "ok")]),
        (
            "Человек: всегда пиши даты в ISO.\nАссистент: хорошо\n",
            [("human", "всегда пиши даты в ISO."), ("assistant", "хорошо")],
        ),
        (
            "Ana: We use pnpm here.\nBen: Fine.\n",
            [("human", "We use pnpm here."), ("human", "Fine.")],
        ),
    ],
)
def test_a_chat_of_two_lines_is_captured(
    capture: Callable[..., Any], db: Path, text: str, turns: list[tuple[str, str]]
) -> None:
    done = capture(stdin=text)
    assert (done.code, done.data["items"][0]["agent"]) == (0, "talk")
    assert list_turns(db) == turns


RED = "User: Hello\nAssistant: Hello, what is it?\nUser: Paint the lamps red.\n"
BLUE = "User: Hello\nAssistant: Hello, what is it?\nUser: Paint the boats blue.\n"


def test_two_chats_that_begin_alike_are_two_and_each_may_grow(capture: Callable[..., Any]) -> None:
    for text, outcome in ((RED, "captured"), (BLUE, "captured"), (RED, "unchanged")):
        assert capture(stdin=text).data["items"][0]["outcome"] == outcome
    for text in (RED, BLUE):
        (grown,) = capture(stdin=text + "Assistant: Painted.\n").data["items"]
        assert (grown["outcome"], grown["new_turns"]) == ("grown", 1)
    assert capture(stdin=BLUE).data["items"][0]["outcome"] == "unchanged"


def test_files_of_one_name_in_two_folders_are_two_conversations(
    capture: Callable[..., Any], tmp_path: Path
) -> None:
    texts = {
        "one": (RED, "We use pnpm, never npm.\n"),
        "two": (BLUE, "We use twine, never wire.\n"),
    }
    for folder, (chat, note) in texts.items():
        for name, text in (("chat.txt", chat), ("note.txt", note)):
            done = capture(put(tmp_path, f"{folder}/{name}", text))
            assert done.data["items"][0]["outcome"] == "captured"
    edited = put(tmp_path, "one/note.txt", "We use yarn, never npm.\n")
    assert capture(edited).data["items"][0]["outcome"] == "rewritten"


def make_zip(files: dict[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(zipfile.ZipInfo(name, (2026, 2, 3, 12, 0, 0)), text)
    return made.getvalue()


def make_chatgpt() -> str:
    def node(key: str, parent: str | None, role: str, text: str) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [text]}
        message = {"id": key, "author": {"role": role}, "content": content, "recipient": "all"}
        return {"id": key, "parent": parent, "children": [], "message": message}

    nodes = [node("a", None, "user", "Never use tabs."), node("b", "a", "assistant", "Fine.")]
    chat = {
        "title": "Tabs",
        "create_time": 1_770_000_000.0,
        "conversation_id": "c-1",
        "current_node": "b",
        "mapping": {each["id"]: each for each in nodes},
    }
    return json.dumps([chat])


def test_an_archive_is_read_as_if_it_were_unpacked(
    capture: Callable[..., Any], tmp_path: Path, db: Path
) -> None:
    files: dict[str, str | bytes] = {
        "conversations.json": make_chatgpt(),
        "user.json": '{"id": "user-1"}',
        "chat.html": "<html></html>",
        "pictures/lamp.png": b"\x89PNG",
        "talks/red.txt": RED,
        "../../outside.txt": BLUE,
        "__MACOSX/talks/._red.txt": BLUE,
    }
    path = put(tmp_path, "export.zip", make_zip(files))
    done = capture(path)
    assert done.code == 0, done.stderr
    assert sorted(item["agent"] for item in done.data["items"]) == ["chatgpt", "talk"]
    assert ("human", "Never use tabs.") in list_turns(db)
    assert ("human", "Paint the boats blue.") not in list_turns(db)
    assert not list(tmp_path.rglob("outside.txt"))
    assert {item["outcome"] for item in capture(path).data["items"]} == {"unchanged"}
    files["talks/red.txt"] = RED + "Assistant: Painted.\n"
    outcomes = [
        item["outcome"]
        for item in capture(put(tmp_path, "export.zip", make_zip(files))).data["items"]
    ]
    assert sorted(outcomes) == ["grown", "unchanged"]


def test_an_archive_without_a_conversation_says_what_to_do(
    capture: Callable[..., Any], tmp_path: Path
) -> None:
    for name, data in (
        ("none.zip", make_zip({"user.json": "{}", "lamp.png": b"\x89PNG"})),
        ("damaged.zip", make_zip({"red.txt": RED * 50})[:60]),
    ):
        done = capture(put(tmp_path, name, data))
        assert done.code == 30
        assert "unpack it" in done.json["errors"][0]["hint"]


COPILOT = """# 🤖 Copilot CLI Session

> [!NOTE]
> - **Session ID:** `5f0c1b52-0000-4000-8000-0000000000aa`
> - **Started:** 5/4/2026, 10:00:00 AM
> - **Duration:** 2m 3s
> - **Exported:** 5/4/2026, 10:05:00 AM

---

<sub>⏱️ 3s</sub>

### 👤 User

Never release without tests.

---

<sub>⏱️ 9s</sub>

### 💬 Copilot

I will keep to that.

---

<sub>⏱️ 12s</sub>

### ✅ `bash`

**List the files**

```
$ ls
```

---

<sub>Generated by [GitHub Copilot CLI](https://github.com/features/copilot/cli)</sub>
"""
OPENCODE = """# Paint the lamps

**Session ID:** ses_39b2e52e8ffe
**Created:** 5/4/2026, 10:00:00 AM
**Updated:** 5/4/2026, 10:05:00 AM

---

## User

Never release without tests.

---

## Assistant (Build · a-model · 12.3s)

I will keep to that.

**Tool: bash**

**Input:**
```json
{"command": "ls"}
```

**Output:**
```
a.txt
```

---
"""
CURSOR = """# Paint the lamps
_Exported on 5/4/2026 at 12:05:00 GMT+2 from Cursor (1.2.3)_

---

**User**

Never release without tests.

---

**Cursor**

I will keep to that.

---
"""


@pytest.mark.parametrize(
    ("page", "agent", "session"),
    [
        (COPILOT, "copilot-cli", "5f0c1b52-0000-4000-8000-0000000000aa"),
        (OPENCODE, "opencode", "ses_39b2e52e8ffe"),
        (CURSOR, "cursor", None),
    ],
)
def test_the_head_of_an_exported_page_says_whose_session_it_is_and_when(
    here: Run, capture: Callable[..., Any], db: Path, page: str, agent: str, session: str | None
) -> None:
    (item,) = capture(stdin=page).data["items"]
    assert item["agent"] == agent
    assert session is None or item["session_id"] == session
    said = [turn for turn in list_turns(db) if turn[0] in ("human", "assistant")]
    assert said[:2] == [
        ("human", "Never release without tests."),
        ("assistant", "I will keep to that."),
    ]
    assert here("maintain").code == 0
    days = {
        found["observed_at"][:10]
        for found in here("inbox", "--all", "--json").data["items"]
        if found["title"].startswith("Never")
    }
    assert days == {"2026-05-04"}


def test_a_session_that_was_captured_is_not_told_again_by_its_export(
    here: Run, capture: Callable[..., Any], tmp_path: Path
) -> None:
    session = "5f0c1b52-0000-4000-8000-0000000000aa"
    events = [
        ("session.start", {"sessionId": session, "context": {"cwd": "/srv/lamps"}}),
        ("user.message", {"content": "Never release without tests."}),
        ("assistant.message", {"messageId": "m", "content": "I will keep to that."}),
    ]
    lines = [
        {"type": kind, "data": data, "id": str(number), "timestamp": f"2026-05-04T10:0{number}:00Z"}
        for number, (kind, data) in enumerate(events)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    own = put(tmp_path, "events.jsonl", text)
    assert here("capture-session", own, "--json").data["items"][0]["outcome"] == "captured"
    assert capture(stdin=COPILOT).data["items"][0]["outcome"] == "unchanged"
