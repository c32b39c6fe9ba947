"""The plugins for Claude Code and OpenCode: one keeps the rules of its format, the other its
word.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Ran
from hook_house import FACT, House, furnished

import memctl
from memctl.agents.hook_contracts import AGENTS
from memctl.core.model import Filter, NewMemory
from memctl.engine.memory_engine import MemoryEngine
from memctl.setup.recipes import _EVENTS

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = ROOT / "contrib" / "claude-code"
OPENCODE = ROOT / "memctl" / "assets" / "opencode-memctl.js"
PAGES = sorted([*PLUGIN.glob("skills/*/SKILL.md"), *PLUGIN.glob("commands/*.md")])
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
HANDLER_FIELDS = {
    "type",
    "command",
    "args",
    "timeout",
    "async",
    "asyncRewake",
    "if",
    "statusMessage",
    "shell",
}
CLAUDE_EVENTS = {
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "SessionEnd",
    "Notification",
}


@pytest.fixture
def house(db: Path, home: Path, tmp_path: Path) -> House:
    return furnished(db, home, tmp_path / "harbor")


def read(name: str) -> Any:
    return json.loads((PLUGIN / name).read_text())


def front(page: Path) -> tuple[dict[str, Any], str]:
    """The head of a page and the rest of it."""
    _, head, body = page.read_text().split("---\n", 2)
    return yaml.safe_load(head), body


# -- the plugin for Claude Code --------------------------------------------------------------------


def test_the_manifest_names_the_plugin_and_the_version_of_memctl() -> None:
    manifest = read(".claude-plugin/plugin.json")
    assert manifest["name"] == "memctl" and NAME.fullmatch(manifest["name"])
    assert manifest["version"] == memctl.__version__
    assert manifest.keys() <= {
        "name",
        "version",
        "description",
        "author",
        "license",
        "keywords",
        "homepage",
        "repository",
    }
    assert manifest["author"].keys() <= {"name", "email", "url"}


def test_the_marketplace_offers_the_plugin_as_its_manifest_describes_it() -> None:
    market, manifest = read(".claude-plugin/marketplace.json"), read(".claude-plugin/plugin.json")
    assert NAME.fullmatch(market["name"]) and market["owner"]["name"]
    (offer,) = market["plugins"]
    assert [offer[key] for key in ("name", "version", "description")] == [
        manifest[key] for key in ("name", "version", "description")
    ]
    assert offer["source"].startswith("./")
    assert (PLUGIN / offer["source"] / ".claude-plugin" / "plugin.json").is_file()


def test_parts_stand_at_the_root_of_the_plugin_and_nothing_but_manifests_beside_them() -> None:
    assert {path.name for path in (PLUGIN / ".claude-plugin").iterdir()} == {
        "plugin.json",
        "marketplace.json",
    }
    assert {path.name for path in PLUGIN.iterdir()} == {
        ".claude-plugin",
        "hooks",
        "skills",
        "commands",
        "README.md",
    }
    assert not [path for path in PLUGIN.rglob("*") if path.is_symlink()]


def hook_lines() -> list[tuple[str, str]]:
    """Every event with the command that its hook runs."""
    hooks = read("hooks/hooks.json")["hooks"]
    return [
        (event, handler["command"])
        for event, groups in hooks.items()
        for group in groups
        for handler in group["hooks"]
    ]


def test_hooks_are_such_as_claude_code_takes() -> None:
    page = read("hooks/hooks.json")
    assert page.keys() == {"description", "hooks"}
    for event, groups in page["hooks"].items():
        assert event in CLAUDE_EVENTS and event in AGENTS["claude-code"].events
        (group,) = groups
        assert group.keys() <= {"hooks"} | ({"matcher"} if event != "UserPromptSubmit" else set())
        for handler in group["hooks"]:
            assert handler.keys() <= HANDLER_FIELDS and handler["type"] == "command"
            assert 0 < handler["timeout"] <= 60, "seconds"
            assert handler["command"].endswith(f"memctl-hook claude-code {event}")


def test_the_plugin_has_the_hooks_that_setup_writes() -> None:
    assert set(_EVENTS["claude-code"]) <= {event for event, _ in hook_lines()}


@pytest.mark.parametrize(("event", "line"), hook_lines())
def test_a_hook_of_the_plugin_runs_as_it_stands_and_is_silent_without_memctl(
    house: House, tmp_path: Path, event: str, line: str
) -> None:
    house.lay_out("claude-code")
    given = json.dumps(house.input_of("claude-code", event)).encode()
    done = {
        name: subprocess.run(
            ["/bin/sh", "-c", line],
            input=given,
            capture_output=True,
            env={**os.environ, "PATH": path},
            check=False,
        )
        for name, path in (
            ("with", f"{commands_in(tmp_path)}:/usr/bin:/bin"),
            ("without", "/usr/bin:/bin"),
        )
    }
    assert [(ran.returncode, ran.stderr) for ran in done.values()] == [(0, b""), (0, b"")]
    assert done["without"].stdout == b""
    assert (FACT.encode() in done["with"].stdout) == (event in AGENTS["claude-code"].answers)


def commands_in(folder: Path) -> Path:
    """A folder with both commands, as an installation would put them on the PATH."""
    bins = folder / "bin"
    bins.mkdir()
    for name, function in (("memctl", "main"), ("memctl-hook", "hook")):
        start = (
            f"import sys; sys.argv[0] = {name!r}; from memctl.entry import {function}; {function}()"
        )
        (bins / name).write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(start)} "$@"\n'
        )
        (bins / name).chmod(0o755)
    return bins


def test_the_skill_is_named_as_its_folder_and_short_enough_to_be_read_whole() -> None:
    (page,) = PLUGIN.glob("skills/*/SKILL.md")
    head, _ = front(page)
    assert head.keys() <= {
        "name",
        "description",
        "when_to_use",
        "allowed-tools",
        "disable-model-invocation",
        "user-invocable",
        "argument-hint",
    }
    assert head["name"] == page.parent.name and NAME.fullmatch(head["name"])
    assert 40 < len(head["description"] + head.get("when_to_use", "")) <= 1536
    assert len(page.read_text().splitlines()) < 500


@pytest.mark.parametrize("page", sorted(PLUGIN.glob("commands/*.md")), ids=lambda page: page.stem)
def test_a_command_says_what_it_is_for_and_uses_nothing_but_memctl(page: Path) -> None:
    head, body = front(page)
    assert head.keys() <= {
        "description",
        "argument-hint",
        "allowed-tools",
        "model",
        "disable-model-invocation",
    }
    assert NAME.fullmatch(page.stem) and head["description"] and body.strip()
    assert ("argument-hint" in head) == ("$ARGUMENTS" in body)
    assert all(tool.startswith("Bash(memctl ") for tool in head["allowed-tools"].split(", "))


@pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.parent.name if page.stem == "SKILL" else page.stem
)
def test_every_command_that_a_page_shows_works_and_is_one_that_it_may_run(
    page: Path, db: Path, memctl: Callable[..., Ran]
) -> None:
    head, body = front(page)
    with MemoryEngine.open(db, actor="operator") as engine:
        some_id = (
            engine.ingest([NewMemory(type="project", content=FACT, scope="global")])
            .items[0]
            .record.memory.id
        )
    allowed = [
        tool.removeprefix("Bash(").removesuffix(")").removesuffix(":*")
        for tool in head["allowed-tools"].split(", ")
    ]
    lines = [
        line
        for block in re.findall(r"```console\n(.*?)```", body, flags=re.S)
        for line in block.splitlines()
    ]
    assert lines
    for line in lines:
        assert any(line.startswith(name) for name in allowed), line
        words = shlex.split(line.replace("$ARGUMENTS", "tide tables").replace("ID", some_id))
        assert words[0] == "memctl"
        ran = memctl(*words[1:])
        assert (ran.code, ran.stderr) == (0, ""), line


def test_claude_code_itself_finds_nothing_wrong_where_it_is_installed() -> None:
    program = shutil.which("claude")
    command = [program, "plugin", "validate", "--strict", str(PLUGIN)] if program else ["true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# -- the plugin for OpenCode -----------------------------------------------------------------------

SCRIPT = """
import { Memctl } from %s
const plugin = await Memctl({ directory: %s, worktree: "/" })
const session = "ses_0b8e7c1a2f3d4e5f"
const tell = (type, properties) => plugin.event({ event: { type, properties } })
const asked = async (sessionID, text) => {
  const system = ["be brief"]
  const injected = { type: "text", text: "injected", synthetic: true }
  await plugin["chat.message"]({ sessionID }, { parts: [{ type: "text", text }, injected] })
  await plugin["experimental.chat.system.transform"](%s, { system })
  return system
}
const first = await asked(session, "where are the tide tables cached")
const second = await asked(session, "thank you")
await tell("session.idle", { sessionID: session })
await plugin["experimental.session.compacting"]({ sessionID: session }, { context: [] })
await tell("session.compacted", { sessionID: session })
await tell("session.deleted", { info: { id: session } })
await tell("server.connected", {})
console.log(JSON.stringify({ first, second }))
"""
NODE = shutil.which("node") or shutil.which("bun")


def as_installed(folder: Path, hook: Path) -> Path:
    """The plugin as setup writes it, as a module."""
    path = folder / "memctl.mjs"
    path.write_text(OPENCODE.read_text().replace('"memctl-hook"', json.dumps(str(hook)), 1))
    return path


def run_plugin(folder: Path, hook: Path, cwd: Path, told: str) -> dict[str, list[str]]:
    """What the model is told at two prompts of one session, which then ends."""
    script = folder / "run.mjs"
    script.write_text(
        SCRIPT % (json.dumps(str(as_installed(folder, hook))), json.dumps(str(cwd)), told)
    )
    done = subprocess.run(
        [NODE or "node", str(script)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return dict(json.loads(done.stdout))


if NODE:

    @pytest.mark.parametrize(
        "told", ['{ sessionID: "ses_0b8e7c1a2f3d4e5f" }', "{}"], ids=["named", "unnamed"]
    )
    def test_opencodes_plugin_tells_the_model_and_hands_the_session_over(
        house: House, tmp_path: Path, told: str
    ) -> None:
        house.lay_out("opencode")
        said = run_plugin(tmp_path, commands_in(tmp_path) / "memctl-hook", house.cwd, told)
        assert [len(said["first"]), len(said["second"])] == [3, 2]
        assert (
            said["first"][0] == "be brief" and FACT in said["first"][1] and FACT in said["first"][2]
        )
        assert said["second"][:2] == said["first"][:2], (
            "a session's beginning is asked for once, so that the model's cache holds"
        )
        assert [(agent, humans) for agent, _, _, humans in house.told()] == [("opencode", 1)]
        assert house.log == ""

    @pytest.mark.proof
    @pytest.mark.parametrize("program", ["missing", "failing", "babbling"])
    def test_opencodes_plugin_is_silent_when_memctl_is_not_well(
        tmp_path: Path, program: str
    ) -> None:
        hook = tmp_path / "hook"
        if program != "missing":
            hook.write_text(
                "#!/bin/sh\n"
                + ("exit 3\n" if program == "failing" else "echo '{\"x\": '; echo oops >&2\n")
            )
            hook.chmod(0o755)
        said = run_plugin(tmp_path, hook, tmp_path, "{}")
        assert said == {"first": ["be brief"], "second": ["be brief"]}


def test_opencodes_plugin_asks_for_events_that_the_hook_knows_and_is_filled_in_by_setup() -> None:
    text = OPENCODE.read_text()
    called = set(re.findall(r'(?:call\(|type === )"([a-z]+\.[a-z]+)"', text))
    assert called >= {
        "session.created",
        "chat.message",
        "session.idle",
        "session.compacting",
        "session.compacted",
    }
    assert called <= set(AGENTS["opencode"].events)
    assert text.index('"memctl-hook"') == text.index("const HOOK = ") + len("const HOOK = ")
    assert text.count("export") == 1, "OpenCode calls every export"
    assert all(text.count(left) == text.count(right) for left, right in ("()", "[]", "{}"))


def test_candidates_of_a_handed_over_session_wait_like_all_others(house: House) -> None:
    house.lay_out("opencode")
    house.fire("opencode", "session.idle", house.input_of("opencode", "session.idle"))
    assert house.told()
    with MemoryEngine.open(house.db, actor="operator") as engine:
        assert "pnpm" in str(
            [view.memory.content for view in engine.inbox.list(Filter(), limit=-1).items]
        )
