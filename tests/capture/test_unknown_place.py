"""What nobody knows the project of is served nowhere but in its session, until somebody says it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench import jsonl

from memctl.engine.memory_engine import MemoryEngine

Run = Callable[..., Any]
SESSION = "7a1e0000-0000-4000-8000-00000000000b"
ASKED = ("user", "Please add a health check.")
DONE = ("assistant", "I have added the health check.")
SAID = ("user", "We use MongoDB for the tide cache because Postgres was too slow.")
THANKS = ("assistant", "OK.")
TURNS = (ASKED, DONE, SAID, THANKS)
QUESTION = "which database does the tide cache use?"
CHAT = """\
Ana: should we use MongoDB or Postgres for the tide cache?
Ben: we go with MongoDB for the tide cache, because Postgres was too slow.
Ana: ok
"""


@pytest.fixture
def as_operator(home: Path, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs a command is the operator; there is a store."""
    config = home / "operator.yaml"
    config.write_text("operator:\n  require_terminal: false\ncapture:\n  debounce_seconds: 0\n")
    monkeypatch.setenv("MEMCTL_CONFIG", str(config))


@pytest.fixture
def run(as_operator: None, memctl: Run) -> Run:
    assert memctl("init").code == 0
    return memctl


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def hook(event: str, **payload: Any) -> str:
    """The real hook, as Claude Code calls it."""
    command = [sys.executable, "-c", "from memctl.hook import main; main()", "claude-code", event]
    payload = {"hook_event_name": event, **payload}
    done = subprocess.run(
        command, input=json.dumps(payload).encode(), capture_output=True, timeout=60, check=True
    )
    return done.stdout.decode()


def cursor_lines(path: str | None = None) -> str:
    """A session of Cursor; a tool reads `path`."""
    read = [{"type": "tool_use", "name": "Read", "input": {"path": path}}] if path else []
    told = [
        ("user", [{"type": "text", "text": f"<user_query>\n{ASKED[1]}\n</user_query>"}]),
        ("assistant", [{"type": "text", "text": DONE[1]}, *read]),
        ("user", [{"type": "text", "text": f"<user_query>\n{SAID[1]}\n</user_query>"}]),
    ]
    return "".join(
        json.dumps({"role": role, "message": {"content": content}}) + "\n" for role, content in told
    )


def gemini_session(folder: str, path: str | None = None) -> str:
    """A session of Gemini CLI, which names its folder by a hash."""
    calls = [
        {"id": "c1", "name": "read_file", "args": {"absolute_path": path}, "status": "success"}
    ]
    return json.dumps(
        {
            "sessionId": SESSION,
            "projectHash": hashlib.sha256(folder.encode()).hexdigest(),
            "startTime": "2026-01-02T03:04:05.000Z",
            "lastUpdated": "2026-01-02T03:09:00.000Z",
            "messages": [
                {"id": "1", "type": "user", "content": ASKED[1]},
                {
                    "id": "2",
                    "type": "gemini",
                    "content": DONE[1],
                    "toolCalls": calls if path else [],
                },
                {"id": "3", "type": "user", "content": SAID[1]},
            ],
        }
    )


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# How sessions come in that do not say where they belong.


def from_a_temporary_folder(run: Run, tmp_path: Path) -> None:
    scratch = Path(os.environ["TMPDIR"]) / "throwaway"
    scratch.mkdir()
    file = write(tmp_path / f"{SESSION}.jsonl", jsonl(*TURNS, session=SESSION, cwd=str(scratch)))
    hook("SessionEnd", session_id=SESSION, transcript_path=str(file), cwd=str(scratch))


def from_the_home_folder(run: Run, tmp_path: Path) -> None:
    home = str(Path.home())
    file = write(tmp_path / f"{SESSION}.jsonl", jsonl(*TURNS, session=SESSION, cwd=home))
    hook("SessionEnd", session_id=SESSION, transcript_path=str(file), cwd=home)


def from_windows(run: Run, tmp_path: Path) -> None:
    text = jsonl(*TURNS, session=SESSION, cwd=r"C:\Users\Ana\code\harbor")
    assert run("capture-session", write(tmp_path / "windows.jsonl", text)).code == 0


def from_a_pipe(run: Run, tmp_path: Path) -> None:
    assert run("capture-conversation", stdin=CHAT).code == 0


def from_cursor(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "home-ana-code-harbor" / "agent-transcripts" / SESSION
    assert run("capture-session", write(folder / f"{SESSION}.jsonl", cursor_lines())).code == 0


def from_gemini(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "chats" / "session-1.json", gemini_session("/home/ana/code/harbor"))
    assert run("capture-session", file).code == 0


ENTRANCES = [
    from_a_temporary_folder,
    from_the_home_folder,
    from_windows,
    from_a_pipe,
    from_cursor,
    from_gemini,
]


def candidates(run: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run("inbox", "--all", "--json").data["items"]
    return found


def living(run: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run("list", "--json").data["items"]
    return [*found, *candidates(run)]


@pytest.mark.parametrize("enter", ENTRANCES)
def test_what_has_no_project_holds_nowhere_but_in_its_session(
    enter: Callable[[Run, Path], None], run: Run, tmp_path: Path
) -> None:
    other = repository(tmp_path / "sea-charts")
    run("init", "--project", other)
    enter(run, tmp_path)
    assert run("maintain").code == 0
    kept = living(run)
    assert {item["type"] for item in kept} == {"decision", "episode"}
    for item in kept:
        assert (item["scope"], item["project"]) == ("session", None)
        assert item["place_unknown"] is True
    assert "MongoDB" not in run("search", QUESTION, "--all-projects", cwd=other).stdout
    told = hook("UserPromptSubmit", session_id="another", prompt=QUESTION, cwd=str(other))
    assert "MongoDB" not in told and "health check" not in told
    started = hook("SessionStart", session_id="another", source="startup", cwd=str(other))
    assert "health check" not in started


def test_its_own_session_is_served_it(run: Run, tmp_path: Path) -> None:
    from_a_temporary_folder(run, tmp_path)
    run("maintain")
    asked = ("search", "health check", "--agent", "claude-code", "--json")
    assert run(*asked, "--session", SESSION).data["items"][0]["scope"] == "session"
    assert run(*asked, "--session", "another").data["items"] == []


def test_the_inbox_marks_it_and_approving_it_asks_for_the_project(run: Run, tmp_path: Path) -> None:
    from_windows(run, tmp_path)
    run("maintain")
    (waiting,) = candidates(run)
    listed = run("inbox").stdout
    assert "project unknown (harbor?)" in listed and "--project NAME" in listed
    refused = run("inbox", "--approve", waiting["id"])
    assert refused.code == 21 and "memctl inbox --approve ID --project NAME" in refused.stdout
    assert run("promote", waiting["id"]).code == 21
    assert run("inbox", "--approve-all").code == 21
    assert candidates(run)[0]["status"] == "inbox"


def test_one_answer_settles_a_whole_session(run: Run, tmp_path: Path) -> None:
    other = repository(tmp_path / "sea-charts")
    run("init", "--project", other)
    from_a_temporary_folder(run, tmp_path)
    run("maintain")
    (waiting,) = candidates(run)
    done = run("inbox", "--approve", waiting["id"], "--project", "sea-charts", "--json")
    assert (done.code, done.data["changed"][0]["scope"]) == (0, "project")
    kept = living(run)
    assert [(item["project"], item["status"]) for item in kept] == [("sea-charts", "active")] * 2
    assert "MongoDB" in hook("UserPromptSubmit", session_id="x", prompt=QUESTION, cwd=str(other))
    more = jsonl(*TURNS, ("user", "We never cache tides for longer than a day."), session=SESSION)
    run("capture-session", write(tmp_path / f"{SESSION}.jsonl", more))
    run("maintain")
    assert {item["project"] for item in living(run)} == {"sea-charts"}


def test_the_operator_may_say_that_it_holds_everywhere(run: Run, tmp_path: Path) -> None:
    from_a_pipe(run, tmp_path)
    run("maintain")
    (waiting,) = candidates(run)
    done = run("inbox", "--approve", waiting["id"], "--scope", "global", "--json").data
    assert (done["changed"][0]["scope"], done["changed"][0]["status"]) == ("global", "active")


def test_a_project_that_only_the_session_names_is_made_by_the_operators_word(
    run: Run, tmp_path: Path
) -> None:
    from_windows(run, tmp_path)
    run("maintain")
    (waiting,) = candidates(run)
    assert waiting["suggested_project"] == "harbor"
    wrong = run("inbox", "--approve", waiting["id"], "--project", "habror")
    assert wrong.code == 20 and "memctl init DIR" in wrong.stderr
    assert run("project", "list", "--json").data["items"] == []
    assert run("inbox", "--approve", waiting["id"], "--project", "harbor").code == 0
    assert {item["project"] for item in living(run)} == {"harbor"}


def test_the_folder_of_a_windows_session_is_compared_with_known_projects(
    run: Run, tmp_path: Path
) -> None:
    run("init", "--project", repository(tmp_path / "harbor"))
    text = jsonl(*TURNS, session=SESSION, cwd=r"D:\work\harbor\src")
    run("capture-session", write(tmp_path / "windows.jsonl", text))
    run("maintain")
    assert candidates(run)[0]["suggested_project"] == "harbor"


def test_at_a_terminal_the_inbox_asks_and_one_key_answers(
    run: Run, pty_memctl: Run, tmp_path: Path
) -> None:
    run("init", "--project", repository(tmp_path / "sea-charts"))
    from_windows(run, tmp_path)
    run("maintain")
    (waiting,) = candidates(run)
    question = r"Which project does it belong to\?"
    pty_memctl("inbox", "--approve", waiting["id"], answers=[(question, "2")])
    assert {item["project"] for item in living(run)} == {"sea-charts"}


@pytest.mark.parametrize(("keys", "project"), [(("a", "1"), "harbor"), (("p", "1", "a"), "harbor")])
def test_the_review_asks_for_the_project(
    keys: tuple[str, ...], project: str, run: Run, pty_memctl: Run, tmp_path: Path
) -> None:
    from_windows(run, tmp_path)
    run("maintain")
    prompts = {"a": r"\[q\]uit:", "p": r"\[q\]uit:", "1": "Enter: leave it"}
    pty_memctl("inbox", "--review", answers=[(prompts[key], key) for key in keys])
    assert [(item["project"], item["status"]) for item in living(run)] == [(project, "active")] * 2


def test_an_edit_moves_a_record_and_its_session(run: Run, tmp_path: Path) -> None:
    run("init", "--project", repository(tmp_path / "sea-charts"))
    from_a_temporary_folder(run, tmp_path)
    run("maintain")
    (waiting,) = candidates(run)
    done = run("edit", waiting["id"], "--project", "sea-charts", "--json")
    assert (done.code, done.data["changed"][0]["status"]) == (0, "inbox")
    assert {item["project"] for item in living(run)} == {"sea-charts"}
    wider = run("edit", waiting["id"], "--scope", "global", "--json").data["changed"][0]
    assert (wider["scope"], wider["project"]) == ("global", None)
    assert run("edit", waiting["id"], "--scope", "project").code == 2
    assert run("edit", waiting["id"], "--scope", "global", "--project", "sea-charts").code == 2
    assert run("edit", waiting["id"], "--project", "nowhere").code == 20


def test_an_agent_does_not_say_where_records_belong(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("init", "--project", repository(tmp_path / "sea-charts"))
    from_a_temporary_folder(run, tmp_path)
    run("maintain")
    (waiting,) = candidates(run)
    agent = {"MEMCTL_AGENT": "codex", "MEMCTL_CONFIG": str(tmp_path / "none.yaml")}
    for words in (
        ("edit", waiting["id"], "--project", "sea-charts"),
        ("promote", waiting["id"], "--scope", "global"),
        ("inbox", "--approve", waiting["id"], "--project", "sea-charts"),
    ):
        assert run(*words, env=agent).code == 20, "to an agent there is no such record"
    assert run("inbox", "--json", env=agent).data["items"] == []
    assert run("list", "--json", env=agent).data["items"] == []
    assert "MongoDB" not in run("show", waiting["id"], env=agent).stdout


def test_no_rule_promotes_what_nobody_knows_the_project_of(
    run: Run, home: Path, tmp_path: Path
) -> None:
    with (home / "operator.yaml").open("a") as config:
        config.write("promotion:\n  rules:\n    - type: decision\n      min_confidence: 0.1\n")
    from_a_temporary_folder(run, tmp_path)
    run("maintain")
    assert [item["status"] for item in candidates(run)] == ["inbox"]


def test_a_capture_may_name_the_project(run: Run, tmp_path: Path) -> None:
    run("init", "--project", repository(tmp_path / "sea-charts"))
    session = write(tmp_path / "s.jsonl", jsonl(*TURNS, session=SESSION))
    named = ("--project", "sea-charts", "--json")
    assert run("capture-session", session, *named).data["items"][0]["project"] == "sea-charts"
    talk = run("capture-conversation", *named, stdin=CHAT).data
    assert talk["items"][0]["project"] == "sea-charts"
    run("maintain")
    assert {item["project"] for item in living(run)} == {"sea-charts"}
    for command in ("capture-session", "capture-conversation"):
        unknown = run(command, session, "--project", "nowhere")
        assert unknown.code in (0, 20)
        fresh = write(tmp_path / "t.jsonl", jsonl(*TURNS, session="other"))
        assert run(command, fresh, "--project", "nowhere").code == 20


@pytest.mark.parametrize("scope", ["global", "project", "repo", "agent", "session"])
def test_a_capture_may_name_the_scope_of_what_comes_of_it(
    scope: str, run: Run, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "sea-charts")
    file = write(tmp_path / "s.jsonl", jsonl(*TURNS, session=SESSION, cwd=str(folder)))
    assert run("capture-session", file, "--scope", scope).code == 0
    run("maintain")
    (waiting,) = candidates(run)
    (told,) = run("list", "--json").data["items"]
    project = None if scope == "global" else "sea-charts"
    assert (waiting["scope"], waiting["project"]) == (scope, project)
    private = scope in ("agent", "session")
    assert (told["scope"], told["project"]) == (scope if private else "project", "sea-charts")
    assert not waiting["place_unknown"]


@pytest.mark.parametrize("scope", ["project", "repo"])
def test_a_scope_that_needs_a_project_is_refused_without_one(
    scope: str, run: Run, tmp_path: Path
) -> None:
    refused = run("capture-conversation", "--scope", scope, stdin=CHAT)
    assert refused.code == 2 and "--project" in refused.stderr
    assert run("capture-conversation", "--cwd", tmp_path / "nowhere", stdin=CHAT).code == 2


def test_a_capture_registers_the_repository_that_it_is_given(run: Run, tmp_path: Path) -> None:
    folder = repository(tmp_path / "sea-charts")
    done = run("capture-conversation", "--cwd", ".", "--json", stdin=CHAT, cwd=folder)
    assert done.data["items"][0]["project"] == "sea-charts"
    (project,) = run("project", "show", "sea-charts", "--json").data["items"]
    assert project["repos"], "as `memctl init` and the hooks register it"
    run("maintain")
    assert {item["project"] for item in living(run)} == {"sea-charts"}


def test_the_library_registers_it_too(as_operator: None, tmp_path: Path) -> None:
    folder = repository(tmp_path / "sea-charts")
    with MemoryEngine.open() as engine:
        engine.init()
        report = engine.capture_conversation(CHAT.encode(), cwd=folder)
        assert report.items[0].project == "sea-charts"
        told = engine.capture_conversation(CHAT.replace("tide", "chart").encode())
        assert told.items[0].project is None


def test_an_imitation_of_a_known_repository_stays_a_project_of_its_own(
    run: Run, tmp_path: Path
) -> None:
    run("init", "--project", repository(tmp_path / "sea-charts"))
    imitation = tmp_path / "elsewhere" / "thing"
    write(imitation / ".git", f"gitdir: {tmp_path / 'sea-charts' / '.git'}\n")
    done = run("capture-conversation", "--cwd", imitation, "--json", stdin=CHAT)
    assert done.data["items"][0]["project"] == "thing"


def test_the_project_may_be_said_when_it_is_captured_again(run: Run, tmp_path: Path) -> None:
    run("init", "--project", repository(tmp_path / "sea-charts"))
    from_a_pipe(run, tmp_path)
    run("maintain")
    again = run("capture-conversation", "--project", "sea-charts", "--json", stdin=CHAT)
    assert again.data["items"][0]["project"] == "sea-charts"
    assert {item["project"] for item in living(run)} == {"sea-charts"}


def test_a_session_that_grows_in_a_project_takes_along_what_came_of_it(
    run: Run, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "sea-charts")
    file = write(tmp_path / "s.jsonl", jsonl(*TURNS[:3], session=SESSION))
    run("capture-session", file)
    run("maintain")
    write(file, jsonl(*TURNS, session=SESSION))
    assert run("capture-session", file, "--cwd", folder).code == 0
    run("maintain")
    assert {item["project"] for item in living(run)} == {"sea-charts"}


def test_what_waits_in_the_spool_keeps_its_project_and_its_scope(
    as_operator: None, memctl: Run, tmp_path: Path
) -> None:
    folder = repository(tmp_path / "sea-charts")
    file = write(tmp_path / "s.jsonl", jsonl(*TURNS, session=SESSION))
    agent = {"MEMCTL_AGENT": "codex", "MEMCTL_CONFIG": str(tmp_path / "none.yaml")}
    words = ("capture-session", file, "--cwd", ".", "--scope", "agent")
    assert "spool" in memctl(*words, env=agent, cwd=folder).stdout
    memctl("init")
    memctl("maintain")
    (waiting,) = candidates(memctl)
    assert (waiting["scope"], waiting["project"]) == ("agent", "sea-charts")


def test_cursors_name_for_a_folder_counts_where_a_tools_path_says_the_same(
    run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "projects" / "home-ana-my-code-harbor" / "agent-transcripts" / SESSION
    lines = cursor_lines("/home/ana/my-code/harbor/src/health.py")
    done = run("capture-session", write(folder / f"{SESSION}.jsonl", lines), "--json").data
    assert done["items"][0]["project"] == "harbor"


def test_cursors_name_for_a_folder_counts_where_it_is_on_this_disk(
    run: Run, tmp_path: Path
) -> None:
    repo = repository(tmp_path / "my.code" / "sea-charts")
    slug = "-".join(str(repo).replace(".", "-").replace("_", "-").strip("/").split("/"))
    folder = tmp_path / "projects" / slug / "agent-transcripts" / SESSION
    file = write(folder / f"{SESSION}.jsonl", cursor_lines())
    assert run("capture-session", file, "--json").data["items"][0]["project"] == "sea-charts"


def test_geminis_hash_of_a_folder_is_compared_with_what_is_known(run: Run, tmp_path: Path) -> None:
    repo = repository(tmp_path / "sea-charts")
    by_tool = write(tmp_path / "a.json", gemini_session(str(repo), f"{repo}/src/health.py"))
    assert run("capture-session", by_tool, "--json").data["items"][0]["project"] == "sea-charts"
    text = gemini_session(str(repo)).replace(SESSION, "another")
    by_hash = run("capture-session", write(tmp_path / "b.json", text), "--json").data
    assert by_hash["items"][0]["project"] == "sea-charts"
    noted = write(tmp_path / "tmp/x/chats/c.json", gemini_session("?").replace(SESSION, "third"))
    write(tmp_path / "tmp/x/.project_root", f"{repo}\n")
    by_note = run("capture-session", noted, "--json").data
    assert by_note["items"][0]["project"] == "sea-charts"


def test_doctor_and_an_export_name_what_waits(run: Run, db: Path, tmp_path: Path) -> None:
    from_windows(run, tmp_path)
    run("maintain")
    checks = {check["name"]: check for check in run("doctor", "--json").data["checks"]}
    assert checks["unplaced"]["state"] == "note" and "--project" in checks["unplaced"]["cure"]
    exported = tmp_path / "all.jsonl"
    assert run("export", exported).code == 0
    elsewhere = {"MEMCTL_DB": str(tmp_path / "second" / "memory.db")}
    assert run("init", env=elsewhere).code == 0
    assert run("import", exported, env=elsewhere).code == 0
    items = run("inbox", "--json", env=elsewhere).data["items"]
    assert [(item["scope"], item["place_unknown"]) for item in items] == [("session", True)]
    assert "project unknown" in run("show", items[0]["id"], env=elsewhere).stdout


def test_the_editor_takes_the_project(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_windows(run, tmp_path)
    run("maintain")
    (waiting,) = candidates(run)
    script = write(
        tmp_path / "editor.py",
        "import sys\npath = sys.argv[1]\ntext = open(path).read()\n"
        "text = text.replace('project: null', 'project: harbor')\n"
        "text = text.replace('decision: keep', 'decision: approve')\n"
        "open(path, 'w').write(text)\n",
    )
    assert run("inbox", "--edit", env={"EDITOR": f"{sys.executable} {script}"}).code == 0
    shown = run("show", waiting["id"], "--json").data
    assert (shown["status"], shown["project"]) == ("active", "harbor")
