"""The protocol on the wire: what a client may send, right or wrong, and what it gets back."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memctl import MemoryEngine
from memctl.mcp import identity
from memctl.mcp.wire import MAX_LINE_BYTES
from tests.mcp.raw_client import RawClient

READING = {
    "memory_search",
    "memory_recall",
    "memory_context",
    "memory_explain",
    "memory_conflicts",
}
WRITING = {"memory_append", "memory_correct", "memory_resolve", "memory_forget"}


@pytest.fixture
def client(harbor: Path) -> Iterator[RawClient]:
    with RawClient(harbor) as client:
        yield client


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_version_of_the_handshake_is_served_as_asked(client: RawClient, version: str) -> None:
    told = client.initialize(version)
    assert told["protocolVersion"] == version
    assert told["serverInfo"]["name"] == "memctl"
    assert "reference data" in told["instructions"]
    assert {"tools", "resources", "prompts", "completions"} <= set(told["capabilities"])


@pytest.mark.parametrize("version", ["1999-01-01", "2099-12-31", "x", ""])
def test_a_version_that_nobody_knows_gets_one_that_is_served(
    client: RawClient, version: str
) -> None:
    assert client.initialize(version)["protocolVersion"] == "2025-11-25"


def test_annotations_say_which_tools_change_something(client: RawClient) -> None:
    client.initialize()
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
    assert set(tools) == READING | WRITING
    for name, tool in tools.items():
        hints = tool["annotations"]
        assert hints["readOnlyHint"] is (name in READING)
        assert hints["openWorldHint"] is False and hints["title"]
        assert tool["inputSchema"]["additionalProperties"] is False
        assert "search_memory" not in json.dumps(tool) and "resolve_conflict" not in json.dumps(
            tool
        )
    destructive = {name for name in tools if tools[name]["annotations"]["destructiveHint"]}
    assert destructive == {"memory_correct", "memory_resolve", "memory_forget"}
    again = {name for name in WRITING if tools[name]["annotations"]["idempotentHint"]}
    assert again == {"memory_append", "memory_resolve", "memory_forget"}


def test_with_read_only_nothing_else_is_served(harbor: Path) -> None:
    with RawClient(harbor, "--read-only") as client:
        client.initialize()
        listed = client.ask("tools/list")["result"]["tools"]
        assert {tool["name"] for tool in listed} == READING
        refused = client.ask("tools/call", {"name": "memory_append", "arguments": {"content": "x"}})
        assert refused["error"]["code"] == -32602


WRONG: list[tuple[str, bytes, int, object]] = [
    ("no JSON", b'{"jsonrpc": "2.0", ', -32700, None),
    ("only a word", b"hello", -32700, None),
    ("no UTF-8", b'{"jsonrpc": "2.0", "id": 7, "method": "\xff"}', -32700, None),
    ("deeply nested", b"[" * 200_000, -32700, None),
    ("a batch", b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600, None),
    ("an empty batch", b"[]", -32600, None),
    ("a number", b"7", -32600, None),
    ("null", b"null", -32600, None),
    ("no version", b'{"id": 7, "method": "ping"}', -32600, 7),
    ("another version", b'{"jsonrpc": "1.0", "id": "a", "method": "ping"}', -32600, "a"),
    ("no method", b'{"jsonrpc": "2.0", "id": 7}', -32600, 7),
    ("a method that is a number", b'{"jsonrpc": "2.0", "id": 7, "method": 1}', -32600, 7),
    ("an id that is null", b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
    ("an id that is a list", b'{"jsonrpc": "2.0", "id": [], "method": "ping"}', -32600, None),
    ("an id that is true", b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
    ("an id with a fraction", b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
    (
        "parameters that are a list",
        b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}',
        -32600,
        7,
    ),
    ("too long", b'{"jsonrpc": "2.0", "id": 7, "x": "' + b"x" * MAX_LINE_BYTES, -32600, None),
    ("an unknown method", b'{"jsonrpc": "2.0", "id": 7, "method": "nope/x"}', -32601, 7),
    (
        "sampling, a client's",
        b'{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage"}',
        -32601,
        7,
    ),
    (
        "a tool without a name",
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}',
        -32602,
        7,
    ),
    (
        "arguments that are a list",
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":[]}}',
        -32602,
        7,
    ),
    (
        "an unknown tool",
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}',
        -32602,
        7,
    ),
    (
        "an unknown resource",
        b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"memctl://x"}}',
        -32002,
        7,
    ),
    (
        "a file",
        b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}',
        -32002,
        7,
    ),
    (
        "a record that is not there",
        b'{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"memctl://record/..%2f"}}',
        -32002,
        7,
    ),
    (
        "an unknown prompt",
        b'{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"x"}}',
        -32602,
        7,
    ),
    (
        "a prompt without its argument",
        b'{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"begin_task"}}',
        -32602,
        7,
    ),
]


def test_what_is_wrong_is_answered_and_the_next_request_is_served(client: RawClient) -> None:
    client.initialize()
    for what, line, code, asked in WRONG:
        client.send(line)
        answer = client.read()
        assert (answer["error"]["code"], answer["id"]) == (code, asked), (what, answer)
        assert client.ask("ping")["result"] == {}, what
    code, out, err = client.end()
    assert (code, out) == (0, b"") and b"Traceback" not in err


def test_what_needs_no_answer_gets_none(client: RawClient) -> None:
    client.initialize()
    for line in (
        b"",
        b"   ",
        b'{"jsonrpc": "2.0", "method": "notifications/nope"}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}',
        b'{"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}',
        b'{"jsonrpc": "2.0", "id": 99, "result": {}}',
        b'{"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "x"}}',
    ):
        client.send(line)
    assert client.ask("ping")["result"] == {}


def test_before_the_handshake_only_ping_is_answered(client: RawClient) -> None:
    assert client.ask("ping")["result"] == {}
    for method, params in (("tools/list", {}), ("tools/call", {"name": "memory_search"})):
        assert client.ask(method, params)["error"]["code"] == -32602
    client.initialize()
    assert client.ask("tools/list")["result"]["tools"]


def test_ids_come_back_as_they_were_sent(client: RawClient) -> None:
    client.initialize()
    for asked in (0, -7, 2**53, "a", "", "7", "潮 \u0000", "x" * 5000):
        client.send({"jsonrpc": "2.0", "id": asked, "method": "ping"})
        assert client.read()["id"] == asked


def test_texts_of_all_scripts_go_there_and_back(client: RawClient) -> None:
    client.initialize()
    text = "Der Pegel heißt Größe 潮汐 🌊 \u202e שלום"
    failed, told = client.call("memory_append", content=text)
    assert not failed
    failed, told = client.call("memory_recall", ids=[json.loads(told)["id"]])
    assert not failed and "潮汐 🌊" in json.loads(told)["memories"][0]["text"]
    line = b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"memory_search",'
    client.send(line + b'"arguments":{"query":"\\ud83c\\udf0a"}}}')
    assert client.read()["result"]["isError"] is False
    client.send(line + b'"arguments":{"query":"half a wave \\ud83c"}}}')
    answer = client.read()
    assert answer["id"] == 9 and answer["error"]["code"] == -32600


def test_huge_arguments_are_refused_in_words(client: RawClient) -> None:
    client.initialize()
    failed, told = client.call("memory_append", content="x" * 3_000_000)
    assert failed and "at most 8,000 characters, not 3,000,000" in told
    failed, told = client.call("memory_search", query="x", **{f"a{n}": n for n in range(2000)})
    assert failed and "there is no argument" in told
    assert len(told) < 3_000


def test_requests_at_once_are_all_answered_and_the_end_of_input_waits_for_them(
    client: RawClient,
) -> None:
    client.initialize()
    for number in range(20):
        params = {"name": "memory_append", "arguments": {"content": f"Buoy {number} is green"}}
        client.send(
            {"jsonrpc": "2.0", "id": 100 + number, "method": "tools/call", "params": params}
        )
    code, out, _ = client.end()
    answered = {json.loads(line)["id"] for line in out.splitlines()}
    assert code == 0 and answered == set(range(100, 120))
    with MemoryEngine.open(actor="operator") as engine:
        assert engine.records.list().total == 20


def test_a_request_that_was_taken_back_is_not_answered(client: RawClient) -> None:
    client.initialize()
    params = {"name": "memory_search", "arguments": {"query": "buoy"}}
    client.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    client.send({"jsonrpc": "2.0", "id": 8, "method": "ping"})
    seen = [client.read()["id"]]
    while seen[-1] != 8:  # the search may have been quicker than its cancellation
        seen.append(client.read()["id"])
    code, out, err = client.end()
    assert (code, out) == (0, b"") and b"Traceback" not in err


def test_the_server_ends_with_its_client_without_a_word(client: RawClient) -> None:
    client.initialize()
    code, out, err = client.end()
    assert (code, out, err) == (0, b"", b"")


def test_a_client_that_dies_in_the_middle_of_an_answer_leaves_no_server_behind(
    client: RawClient,
) -> None:
    client.initialize()
    assert client.process.stdout is not None and client.process.stdin is not None
    client.process.stdout.close()
    client.send({"jsonrpc": "2.0", "id": 7, "method": "tools/list"})
    client.process.stdin.close()
    client.process.stdin = None
    assert client.process.wait(60) == 0
    assert client.process.stderr is not None
    assert b"Traceback" not in client.process.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_while_it_waits(client: RawClient, number: int) -> None:
    client.initialize()
    client.process.send_signal(number)
    assert client.process.wait(60) in (130, -number)


def test_two_servers_write_at_once_and_hold_nothing_between(harbor: Path, db: Path) -> None:
    with RawClient(harbor, client="codex") as one, RawClient(harbor, client="cursor") as other:
        one.initialize()
        other.initialize()
        for turn in range(5):
            for client in (one, other):
                params = {
                    "name": "memory_append",
                    "arguments": {"content": f"{client.client} saw tide {turn}"},
                }
                client.send(
                    {"jsonrpc": "2.0", "id": turn, "method": "tools/call", "params": params}
                )
            assert {one.read()["id"], other.read()["id"]} == {turn}
        # Both are there, and a third program may have the whole store.
        with sqlite3.connect(db) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            connection.rollback()
        failed, told = one.call("memory_search", query="saw tide", limit=20)
        assert not failed and len(json.loads(told)["memories"]) == 10
    with MemoryEngine.open(actor="operator") as engine:
        refs = {view.memory.source_ref for view in engine.records.list().items}
    assert refs == {"manual:agent:codex", "manual:agent:cursor"}


def test_a_locked_store_is_read_and_what_is_said_waits(client: RawClient, db: Path) -> None:
    client.initialize()
    client.call("memory_append", content="The pier lamp is on relay 4")
    with sqlite3.connect(db, isolation_level=None) as connection:
        connection.execute("BEGIN IMMEDIATE")
        failed, told = client.call("memory_search", query="pier lamp relay")
        assert not failed and "relay 4" in told
        failed, told = client.call("memory_append", content="The crane is on relay 5")
        assert not failed and json.loads(told)["outcome"] == "spooled"
        connection.execute("ROLLBACK")
    client.call("memory_append", content="The bell is on relay 6")
    failed, told = client.call("memory_search", query="crane relay")
    assert "relay 5" in told


def test_a_store_that_is_not_there_is_told_and_not_made(tmp_path: Path) -> None:
    missing = tmp_path / "none" / "memory.db"
    with RawClient(tmp_path, "--db", str(missing)) as client:
        client.initialize()
        assert client.ask("tools/list")["result"]["tools"]
        for tool, given in (
            ("memory_search", {"query": "x"}),
            ("memory_append", {"content": "x"}),
            ("memory_context", {}),
        ):
            failed, told = client.call(tool, **given)
            assert failed and '"NoStore"' in told and "memctl init" in told
        read = client.ask("resources/read", {"uri": "memctl://context"})
        assert "memctl init" in read["error"]["message"]
        assert client.end()[0] == 0
    assert not missing.parent.exists()


def test_a_store_of_a_newer_program_and_a_damaged_one_are_told_plainly(
    harbor: Path, db: Path
) -> None:
    with sqlite3.connect(db) as connection:
        connection.execute("PRAGMA user_version = 9999")
    with RawClient(harbor) as client:
        client.initialize()
        failed, told = client.call("memory_search", query="x")
        assert failed and '"StoreTooNew"' in told
        for path in (db.with_name(db.name + "-wal"), db.with_name(db.name + "-shm")):
            path.unlink(missing_ok=True)
        db.write_bytes(b"this is no database " * 400)
        failed, told = client.call("memory_append", content="x")
        assert failed and '"StoreDamaged"' in told
        code, _, err = client.end()
        assert code == 0 and b"Traceback" not in err


def test_the_agent_is_what_the_client_calls_itself_or_what_was_said(harbor: Path) -> None:
    cases: tuple[tuple[str, tuple[str, ...], dict[str, str], str], ...] = (
        ("operator", (), {}, "operator"),
        ("Some Client/2", ("--agent", "My Bot"), {}, "my-bot"),
        ("cursor-vscode", (), {"MEMCTL_AGENT": "claude-code"}, "claude-code"),
    )
    for client_name, words, env, agent in cases:
        with RawClient(harbor, *words, env=env, client=client_name) as client:
            client.initialize()
            failed, told = client.call("memory_append", content=f"{client_name} was here")
            assert not failed
        with MemoryEngine.open(actor="operator") as engine:
            view = engine.records.show(json.loads(told)["id"])
            assert view.memory.source_ref == f"manual:agent:{agent}"
            assert view.memory.trust == 2, "an agent's claim, whatever it calls itself"


@pytest.mark.parametrize(
    ("client_name", "agent"),
    [
        ("claude-code", "claude-code"),
        ("codex-mcp-client", "codex"),
        ("gemini-cli-mcp-client", "gemini-cli"),
        ("cursor-vscode", "cursor"),
        ("Visual Studio Code", "vscode-copilot"),
        ("Visual Studio Code - Insiders", "vscode-copilot"),
        ("windsurf-client", "windsurf"),
        ("Zed", "zed"),
        ("claude-ai", "claude-desktop"),
        ("JetBrains-IU/copilot-intellij", "jetbrains"),
        ("Cline", "cline"),
        ("Roo Code", "roo"),
        ("ampcode", "ampcode"),
        ("inspector-client", "inspector-client"),
        ("", "mcp"),
        (None, "mcp"),
    ],
)
def test_a_client_has_the_name_of_the_agent_that_it_is(client_name: str | None, agent: str) -> None:
    assert identity.name_client(client_name) == agent


@pytest.mark.parametrize(
    "uri",
    [
        "https://example.com/harbor",
        "file://other-host/tmp",
        "file:///not/there",
        "file:relative",
        "file:///%00",
        "http://[",
        "",
    ],
)
def test_a_root_that_is_no_folder_here_is_left_out(uri: str, tmp_path: Path) -> None:
    assert identity.read_root(uri) is None
    assert identity.choose_folder([uri, tmp_path.as_uri()], Path("/")) == tmp_path
    assert identity.choose_folder([uri], Path("/")) == Path("/")


def test_where_the_server_was_started_counts_if_it_lies_in_a_root(tmp_path: Path) -> None:
    inner = tmp_path / "with space" / "app"
    inner.mkdir(parents=True)
    assert identity.choose_folder([tmp_path.as_uri()], inner) == inner
    assert identity.choose_folder([inner.as_uri()], tmp_path) == inner


def test_what_only_one_agent_may_see_no_other_client_reads(harbor: Path) -> None:
    with RawClient(harbor, client="codex") as own, RawClient(harbor, client="zed") as other:
        own.initialize()
        other.initialize()
        _, told = own.call("memory_append", content="The lock is 7 turns", scope="agent")
        record_id = json.loads(told)["id"]
        assert "7 turns" in own.call("memory_recall", ids=[record_id])[1]
        assert other.call("memory_recall", ids=[record_id])[0]
        for uri in (f"memctl://record/{record_id}", "memctl://context", "memctl://digest"):
            assert "7 turns" not in json.dumps(other.ask("resources/read", {"uri": uri}))
        ref = {"type": "ref/resource", "uri": "memctl://record/{id}"}
        asked = {"ref": ref, "argument": {"name": "id", "value": "lock"}}
        assert other.ask("completion/complete", asked)["result"]["completion"]["values"] == []
        assert own.ask("completion/complete", asked)["result"]["completion"]["values"]


def test_roots_of_the_client_say_where_it_works(harbor: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with RawClient(elsewhere, client="claude-ai") as client:
        client.initialize(capabilities={"roots": {"listChanged": True}})
        params = {"name": "memory_append", "arguments": {"content": "The quay is dry"}}
        client.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
        asked = client.read()
        assert asked["method"] == "roots/list"
        roots = [{"uri": "file:///not/there"}, {"uri": harbor.as_uri()}]
        client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}})
        told = json.loads(client.read()["result"]["content"][0]["text"])
    with MemoryEngine.open(actor="operator") as engine:
        assert engine.records.show(told["id"]).project == "harbor"


def test_a_client_that_refuses_to_say_its_roots_is_served_where_it_started_the_server(
    harbor: Path,
) -> None:
    with RawClient(harbor, client="claude-ai") as client:
        client.initialize(capabilities={"roots": {}})
        params = {"name": "memory_append", "arguments": {"content": "The quay is dry"}}
        client.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
        asked = client.read()
        error = {"code": -32601, "message": "Method not found"}
        client.send({"jsonrpc": "2.0", "id": asked["id"], "error": error})
        assert json.loads(client.read()["result"]["content"][0]["text"])["ok"] is True


def test_nothing_but_the_protocol_reaches_the_client(harbor: Path, tmp_path: Path) -> None:
    """Even what a library prints goes elsewhere: output is taken before the first call."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import builtins, json\n"
        "old = json.dumps\n"
        "def noisy(*a, **k):\n"
        "    print('NOISE'); return old(*a, **k)\n"
        "json.dumps = noisy\n"
    )
    with RawClient(harbor, env={"PYTHONPATH": f"{site}{os.pathsep}{Path.cwd()}"}) as client:
        client.initialize()
        client.call("memory_search", query="x")
        _, out, err = client.end()
    assert out == b"" and b"NOISE" in err


@pytest.mark.parametrize("hidden", ["mcp", "mcp.server.context"])
def test_without_the_extra_the_command_says_what_to_install(
    harbor: Path, tmp_path: Path, memctl: Any, hidden: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules[{hidden!r}] = None\n")
    path = f"{tmp_path}{os.pathsep}{Path(__file__).resolve().parents[2]}"
    said = memctl("mcp", cwd=harbor, env={"PYTHONPATH": path})
    assert said.code == 2 and said.stdout == ""
    assert "pip install 'memctl[mcp]'" in said.stderr and "Traceback" not in said.stderr
    assert memctl("search", "x", cwd=harbor, env={"PYTHONPATH": path}).code == 0
    assert "memctl[mcp]" in memctl("mcp", "--help").stdout
