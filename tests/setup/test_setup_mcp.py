"""The MCP server named in the settings of those who start one, and taken out byte by byte."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memctl.results.setup import SetupReport
from memctl.setup import mcp_clients
from memctl.setup.jsonc import parse_jsonc

# Where each client keeps its servers below the home folder, on Linux, and below which keys.
FILES: dict[str, tuple[str, tuple[str, ...]]] = {
    "claude-code": (".claude.json", ("mcpServers",)),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", ("mcpServers",)),
    "codex": (".codex/config.toml", ("mcp_servers",)),
    "gemini-cli": (".gemini/settings.json", ("mcpServers",)),
    "cursor": (".cursor/mcp.json", ("mcpServers",)),
    "windsurf": (".codeium/windsurf/mcp_config.json", ("mcpServers",)),
    "opencode": (".config/opencode/opencode.json", ("mcp",)),
    "zed": (".config/zed/settings.json", ("context_servers",)),
    "vscode": (".config/Code/User/mcp.json", ("servers",)),
    "jetbrains": (".junie/mcp/mcp.json", ("mcpServers",)),
}
FOREIGN_JSON = """\
{
  // mine, keep it
  "theme": "dark",
  "KEY": {
    "other": { "command": "npx", "args": ["-y", "other"], },
  },
  "last": [1, 2]
}
"""
FOREIGN_TOML = """\
model = "o3"  # mine

[mcp_servers.other]
command = "npx"

[profiles.x]
model = "y"
"""


def nest(keys: tuple[str, ...], text: str) -> str:
    return text.replace("KEY", keys[0])


def read(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return tomllib.loads(text)
    node = parse_jsonc(text)
    assert node is not None
    return node.value


def find(path: Path, keys: tuple[str, ...]) -> Any:
    value = read(path)
    for key in keys:
        value = value[key]
    return value


@pytest.fixture(autouse=True)
def on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")


def test_every_client_has_its_file_here() -> None:
    assert set(FILES) == set(mcp_clients.CLIENTS)


@pytest.mark.parametrize("client", FILES)
@pytest.mark.parametrize("is_foreign", [False, True])
def test_the_server_is_named_and_taken_out_exactly(
    client: str, is_foreign: bool, home: Path, setup: Callable[..., SetupReport]
) -> None:
    name, keys = FILES[client]
    path = home / name
    foreign = FOREIGN_TOML if path.suffix == ".toml" else nest(keys, FOREIGN_JSON)
    if is_foreign:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(foreign, encoding="utf-8")
    report = setup(client, mcp=True)
    entry = find(path, keys)["memctl"]
    command = entry["command"] if isinstance(entry["command"], list) else [entry["command"]]
    words = [*command, *entry.get("args", ())]
    environ = entry.get("env") or entry["environment"]
    assert report.items[0].state == "done"
    assert Path(words[0]).is_absolute()
    assert (Path(words[0]).name, words[1:]) == ("memctl", ["mcp"])
    assert environ["MEMCTL_AGENT"] == ("junie" if client == "jetbrains" else client)
    if is_foreign:
        assert "other" in find(path, keys)
        assert "mine" in path.read_text(encoding="utf-8")
    assert setup(client, mcp=True).items[0].state == "connected"
    assert setup(client, undo=True).items[0].state == "done"
    if is_foreign:
        assert path.read_text(encoding="utf-8") == foreign
    else:
        assert [each for each in home.rglob("*") if "memctl" not in str(each)] == []


@pytest.mark.parametrize("client", ["cursor", "codex"])
def test_what_was_written_since_stays(
    client: str, home: Path, setup: Callable[..., SetupReport]
) -> None:
    name, keys = FILES[client]
    path = home / name
    setup(client, mcp=True)
    if client == "codex":
        path.write_text(path.read_text() + '\n[mcp_servers.new]\ncommand = "x"\n')
    else:
        value = read(path)
        value[keys[0]]["new"] = {"command": "x"}
        path.write_text(json.dumps(value, indent=4))
    setup("mcp", undo=True)
    assert find(path, keys) == {"new": {"command": "x"}}


def test_hooks_and_server_share_a_file(home: Path, setup: Callable[..., SetupReport]) -> None:
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir()
    before = '{"ui": {"theme": "x"}}'
    path.write_text(before)
    setup("gemini-cli")
    hooked = path.read_text()
    setup("gemini-cli", mcp=True)
    assert set(read(path)) == {"ui", "hooks", "mcpServers"}
    setup("mcp", undo=True)
    assert path.read_text() == hooked
    setup("gemini-cli", mcp=True)
    setup(undo=True)
    assert path.read_text() == before


def test_a_file_that_both_made_goes_with_both(
    home: Path, setup: Callable[..., SetupReport]
) -> None:
    setup("gemini-cli", mcp=True)
    setup("gemini-cli")
    setup("mcp", undo=True)
    assert set(read(home / ".gemini" / "settings.json")) == {"hooks"}
    setup("gemini-cli", undo=True)
    assert not (home / ".gemini").exists()


def test_an_entry_written_by_hand_serves_and_stays(
    home: Path, setup: Callable[..., SetupReport]
) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    mine = '{"mcpServers": {"memctl": {"command": "memctl", "args": ["mcp"]}}}'
    path.write_text(mine)
    assert setup("cursor", mcp=True).items[0].state == "connected"
    setup("cursor", undo=True)
    assert path.read_text() == mine


def test_an_entry_of_an_earlier_place_is_renewed(
    home: Path, setup: Callable[..., SetupReport]
) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    old = {"command": "/gone/bin/memctl", "args": ["mcp"], "env": {"MEMCTL_AGENT": "cursor"}}
    path.write_text(json.dumps({"mcpServers": {"memctl": old}}))
    assert setup("cursor", mcp=True).items[0].state == "done"
    assert find(path, ("mcpServers", "memctl"))["command"] != "/gone/bin/memctl"


@pytest.mark.parametrize(
    ("client", "broken"),
    [
        ("cursor", '{"mcpServers": ['),
        ("cursor", '{"mcpServers": []}'),
        ("cursor", "[]"),
        ("codex", "mcp_servers = 5\n"),
        ("codex", "mcp_servers = { other = { command = 'x' } }\n"),
        ("codex", "[mcp_servers\n"),
    ],
)
def test_what_cannot_be_added_to_is_left_and_named(
    client: str, broken: str, home: Path, setup: Callable[..., SetupReport]
) -> None:
    path = home / FILES[client][0]
    path.parent.mkdir(parents=True)
    path.write_text(broken)
    report = setup(client, mcp=True)
    assert report.items[0].files[0].problem
    assert path.read_text() == broken


def test_a_dry_run_shows_the_entry_and_writes_nothing(
    home: Path, setup: Callable[..., SetupReport]
) -> None:
    report = setup("cursor", mcp=True, dry_run=True)
    assert '+    "memctl": {' in report.items[0].files[0].diff
    assert not (home / ".cursor").exists()


def test_newer_opencode_lists_its_servers_a_level_below(
    home: Path, setup: Callable[..., SetupReport]
) -> None:
    path = home / ".config" / "opencode" / "opencode.jsonc"
    path.parent.mkdir(parents=True)
    path.write_text('{"mcp": {"servers": {"x": {"type": "local", "command": ["x"]}}}}')
    setup("opencode", mcp=True)
    assert set(find(path, ("mcp", "servers"))) == {"x", "memctl"}


def test_on_a_mac_desktop_programs_have_another_folder(
    home: Path, setup: Callable[..., SetupReport], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    setup("claude-desktop", "vscode", mcp=True)
    support = home / "Library" / "Application Support"
    assert (support / "Claude" / "claude_desktop_config.json").exists()
    assert (support / "Code" / "User" / "mcp.json").exists()


# -- the command


def test_the_server_is_named_only_where_it_is_asked_for(memctl: Any, home: Path) -> None:
    (home / ".cursor").mkdir()
    assert memctl("setup", "cursor", "--yes").code == 0
    assert not (home / ".cursor" / "mcp.json").exists()
    assert memctl("setup", "cursor", "--mcp", "--yes").code == 0
    assert (home / ".cursor" / "mcp.json").exists()
    assert memctl("setup", "--undo", "--yes").code == 0
    assert not (home / ".cursor" / "mcp.json").exists()


def test_the_name_mcp_leaves_hooks_alone(memctl: Any, home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".junie").mkdir()
    done = memctl("setup", "mcp", "--yes")
    assert done.code == 0, done.stderr
    assert (home / ".cursor" / "mcp.json").exists()
    assert (home / ".junie" / "mcp" / "mcp.json").exists()
    assert not (home / ".cursor" / "hooks.json").exists()


def test_the_status_tells_who_starts_the_server(memctl: Any, home: Path) -> None:
    (home / ".cursor").mkdir()
    assert "mcp:" not in memctl("setup", "--status").stdout
    memctl("setup", "zed", "--yes")
    told = memctl("setup", "--status").stdout
    assert "mcp:zed: connected" in told
    assert "mcp:cursor" not in told
    assert "mcp:cursor: " in memctl("setup", "mcp", "--status").stdout


def test_without_a_person_nothing_is_written(memctl: Any, home: Path) -> None:
    (home / ".cursor").mkdir()
    done = memctl("setup", "mcp")
    assert done.code == 1
    assert not (home / ".cursor" / "mcp.json").exists()


def test_a_repository_has_no_server_of_its_own(memctl: Any) -> None:
    done = memctl("setup", "cursor", "--mcp", "--project", "--yes")
    assert done.code == 2
    assert "--project" in done.stderr
