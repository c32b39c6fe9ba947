"""For each agent: the right file, events, units and shapes; what cannot be edited is left and
named; undo leaves no trace.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from houses import only, snapshot

from memctl.agents import hook_contracts
from memctl.core.errors import MemctlError, UsageError
from memctl.results.setup import SetupReport
from memctl.settings import config
from memctl.setup import disk, manifest, plan, status, targets
from memctl.setup.hooks import parse_hook_command
from memctl.setup.jsonc import parse_jsonc
from memctl.setup.textedit import Unfit

Setup = Callable[..., SetupReport]
real = disk._write_fresh
FILES: Mapping[str, str] = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini-cli": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
    "copilot-cli": ".copilot/hooks/memctl.json",
    "windsurf": ".codeium/windsurf/hooks.json",
}
PROJECT_FILES: Mapping[str, tuple[str, ...]] = {
    "claude-code": (".claude/settings.local.json",),
    "codex": (".codex/hooks.json",),
    "gemini-cli": (".gemini/settings.json",),
    "cursor": (".cursor/hooks.json", ".cursor/rules/memctl.mdc"),
    "copilot-cli": (".github/hooks/memctl.json",),
    "windsurf": (".windsurf/hooks.json", ".windsurf/rules/memctl.md"),
    "opencode": (".opencode/plugin/memctl.js",),
    "aider": (".aider.memctl.md", ".aider.conf.yml"),
}
OTHERS = {
    "claude-code": (
        '"SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "echo '
        'hello", "timeout": 3}]}]'
    ),
    "codex": '"Stop": [{"hooks": [{"type": "command", "command": "notify-send done"}]}]',
    "gemini-cli": (
        '"AfterAgent": [{"hooks": [{"name": "chime", "type": "command", "command": "chime", '
        '"timeout": 2000}]}]'
    ),
    "cursor": '"stop": [{"command": "./audit.sh", "timeout": 9}]',
    "copilot-cli": '"sessionEnd": [{"type": "command", "bash": "date >> log", "timeoutSec": 3}]',
    "windsurf": '"pre_user_prompt": [{"command": "python3 /w/check.py", "show_output": true}]',
}
# Settings as people have them; `%s` is where hooks of their own stand.
REALISTIC: Mapping[str, bytes] = {
    "empty": b"",
    "braces": b"{}",
    "braces-and-newline": b"{}\n",
    "other-hooks": b'{\n  "theme": "dark",\n  "hooks": {\n    %s\n  }\n}\n',
    "comments": (
        b'// mine\n{\n  "theme": "dark", // for the eyes\n  /* below: hooks */\n  "hooks": {\n  '
        b"  // one\n    %s // end\n  }\n}\n"
    ),
    "windows": b'{\r\n    "theme": "dark",\r\n    "hooks": {\r\n        %s\r\n    }\r\n}\r\n',
    "mark-of-byte-order": b'\xef\xbb\xbf{\n  "theme": "d\xc3\xa4mmrig"\n}\n',
    "tabs": b'{\n\t"theme": "dark",\n\t"hooks": {\n\t\t%s\n\t}\n}\n',
    "no-newline-at-the-end": b'{\n  "theme": "dark"\n}',
    "one-line": b'{"theme":"dark","hooks":{%s}}',
    "trailing-commas": b'{\n  "theme": "dark",\n  "hooks": {\n    %s,\n  },\n}\n',
    "empty-hooks": b'{"hooks": {}, "theme": "dark"}\n',
}


def settings(home: Path, agent: str, content: bytes) -> Path:
    path = home / FILES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.replace(b"%s", OTHERS[agent].encode()))
    return path


def read(path: Path) -> Any:
    root = parse_jsonc(path.read_text(encoding="utf-8"))
    return root.value if root else {}


def handlers(path: Path, agent: str) -> dict[str, dict[str, Any]]:
    """Our hooks in a file, by event."""
    found = {}
    for event, items in read(path)["hooks"].items():
        for item in items:
            for handler in item.get("hooks", [item]):
                called = parse_hook_command(handler.get("command") or handler.get("bash") or "")
                if called and called.agent == agent:
                    assert called.event == event
                    found[event] = handler
    return found


# -- what is written ----------------------------------------------------------


@pytest.mark.parametrize("agent", FILES)
def test_every_event_that_is_hooked_means_something_to_the_hook(
    setup: Setup, home: Path, agent: str
) -> None:
    setup(agent)
    known = hook_contracts.AGENTS[agent]
    found = handlers(home / FILES[agent], agent)
    assert all(known.events[event] != "none" for event in found)
    assert {known.events[event] for event in found} & {"end", "stop"}
    assert set(known.answers) & set(found) or not known.answers


@pytest.mark.parametrize("agent", FILES)
def test_a_command_is_the_whole_path_of_a_program_that_is_there(
    setup: Setup, home: Path, agent: str
) -> None:
    setup(agent)
    for event, handler in handlers(home / FILES[agent], agent).items():
        guard, _, call = (handler.get("command") or handler["bash"]).partition("; exec ")
        program, *words = shlex.split(call)
        assert os.access(program, os.X_OK) and words == [agent, event]
        assert guard == f"test -x {shlex.quote(program)} || exit 0"


@pytest.mark.parametrize(
    ("agent", "key", "expected"),
    [
        (
            "claude-code",
            "timeout",
            {"SessionStart": 10, "UserPromptSubmit": 5, "PreCompact": 30, "SessionEnd": 30},
        ),
        (
            "codex",
            "timeout",
            {"SessionStart": 10, "UserPromptSubmit": 5, "PreCompact": 30, "Stop": 30},
        ),
        (
            "gemini-cli",
            "timeout",
            {
                "SessionStart": 10_000,
                "BeforeAgent": 5_000,
                "AfterAgent": 30_000,
                "PreCompress": 30_000,
                "SessionEnd": 30_000,
            },
        ),
        ("cursor", "timeout", {"sessionStart": 10, "stop": 30, "preCompact": 30, "sessionEnd": 30}),
        (
            "copilot-cli",
            "timeoutSec",
            {"sessionStart": 10, "agentStop": 30, "preCompact": 30, "sessionEnd": 30},
        ),
    ],
)
def test_timeouts_are_in_the_units_of_the_agent(
    setup: Setup, home: Path, agent: str, key: str, expected: dict[str, int]
) -> None:
    setup(agent)
    assert {
        event: handler[key] for event, handler in handlers(home / FILES[agent], agent).items()
    } == expected


@pytest.mark.parametrize("agent", ["cursor", "copilot-cli"])
def test_a_file_of_hooks_says_its_version(setup: Setup, home: Path, agent: str) -> None:
    setup(agent)
    assert read(home / FILES[agent])["version"] == 1


def test_a_store_at_its_usual_place_is_not_named(setup: Setup, home: Path) -> None:
    setup("claude-code")
    assert "MEMCTL_DB" not in (home / FILES["claude-code"]).read_text()


def test_a_store_elsewhere_is_named_and_its_name_quoted(
    setup: Setup, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_DB", str(home / "my memory" / "it's.db"))
    setup("codex")
    command = handlers(home / FILES["codex"], "codex")["Stop"]["command"]
    called = shlex.split(command.partition("; exec ")[2])
    assert called[:2] == ["/usr/bin/env", f"MEMCTL_DB={home}/my memory/it's.db"]


@pytest.mark.parametrize(
    ("variable", "agent", "file"),
    [
        ("CLAUDE_CONFIG_DIR", "claude-code", "settings.json"),
        ("CODEX_HOME", "codex", "hooks.json"),
        ("COPILOT_HOME", "copilot-cli", "hooks/memctl.json"),
    ],
)
def test_an_agent_that_lives_elsewhere_is_found_there(
    setup: Setup,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    agent: str,
    file: str,
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    setup(agent)
    assert handlers(tmp_path / "elsewhere" / file, agent)


def test_a_program_that_may_be_gone_tomorrow_is_warned_of(
    setup: Setup, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("memctl", "memctl-hook"):
        program = home / ".cache" / "uv" / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(home / ".cache" / "uv" / "bin" / "memctl")])
    assert "temporary folder" in notes(setup("codex", dry_run=True))


def test_a_store_whose_name_cannot_be_written_down_is_refused(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("/tmp/a\nb.db", "/tmp/\udcff.db"):
        monkeypatch.setenv("MEMCTL_DB", name)
        with pytest.raises(MemctlError, match="cannot be written"):
            setup("codex", dry_run=True)


def test_without_names_those_that_are_here_are_connected(
    setup: Setup, home: Path, system_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", system_path)
    (home / ".claude").mkdir()
    (home / ".cursor").mkdir()
    assert [(item.agent, item.state) for item in setup().items] == [
        ("claude-code", "done"),
        ("cursor", "done"),
    ]


@pytest.mark.parametrize("agent", PROJECT_FILES)
def test_a_project_gets_its_own_settings_and_only_those(
    setup: Setup, home: Path, tmp_path: Path, agent: str
) -> None:
    repository = tmp_path / "work"
    (repository / ".git").mkdir()
    (repository / "src").mkdir()
    before = snapshot(home, repository)
    report = setup(agent, folder=repository / "src")
    written = {
        str(path.relative_to(repository)) for path in repository.rglob("*") if path.is_file()
    }
    assert written == set(PROJECT_FILES[agent])
    assert [path.name for path in home.iterdir()] == [".local"]
    assert only(report).root == str(repository)
    setup(agent, undo=True, folder=repository)
    assert snapshot(home, repository) == before


def test_the_home_folder_is_no_project(setup: Setup, home: Path) -> None:
    with pytest.raises(UsageError, match="no project"):
        setup("codex", folder=home)


# -- back to the byte ---------------------------------------------------------


@pytest.mark.parametrize("case", REALISTIC)
@pytest.mark.parametrize("agent", FILES)
def test_setup_and_undo_leave_settings_as_they_were(
    setup: Setup, home: Path, agent: str, case: str
) -> None:
    path = settings(home, agent, REALISTIC[case])
    path.chmod(0o640)
    before = snapshot(home)
    value = read(path)
    assert only(setup(agent)).state == "done"
    assert path.stat().st_mode & 0o777 == 0o640
    after = read(path)
    assert {key: one for key, one in after.items() if key not in ("hooks", "version")} == {
        key: one for key, one in value.items() if key not in ("hooks", "version")
    }
    assert all(
        after["hooks"][event][: len(items)] == items
        for event, items in value.get("hooks", {}).items()
    )
    again = snapshot(home)
    assert only(setup(agent)).state == "connected"
    assert snapshot(home) == again
    assert only(setup(agent, undo=True)).state == "done"
    assert snapshot(home) == before


@pytest.mark.parametrize("agent", FILES)
def test_what_was_not_there_is_not_there_after_undo(setup: Setup, home: Path, agent: str) -> None:
    setup(agent)
    assert (home / FILES[agent]).exists()
    setup(agent, undo=True)
    assert snapshot(home) == {}


@pytest.mark.parametrize("agent", FILES)
def test_a_file_that_cannot_be_read_is_left_alone_and_the_line_named(
    setup: Setup, home: Path, agent: str
) -> None:
    settings(home, agent, b'{\n  "theme": "dark",\n  oops\n}\n')
    before = snapshot(home)
    item = only(setup(agent))
    assert item.files[0].action == "left" and "line 3" in (item.files[0].problem or "")
    setup(agent, undo=True)
    assert snapshot(home) == before


@pytest.mark.parametrize("agent", FILES)
def test_a_read_only_file_is_left_alone(setup: Setup, home: Path, agent: str) -> None:
    path = settings(home, agent, b"{}\n")
    path.chmod(0o444)
    before = snapshot(path.parent)
    file = only(setup(agent)).files[0]
    assert (file.action, file.problem) == ("left", "it is read-only")
    assert snapshot(path.parent)[str(path)] == before[str(path)]


def test_a_read_only_folder_is_left_alone(setup: Setup, home: Path) -> None:
    (home / ".claude").mkdir(mode=0o555)
    file = only(setup("claude-code")).files[0]
    assert file.action == "left" and "read-only" in (file.problem or "")
    (home / ".claude").chmod(0o755)


def test_a_link_stays_a_link_and_its_target_is_written(
    setup: Setup, home: Path, tmp_path: Path
) -> None:
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_bytes(REALISTIC["comments"].replace(b"%s", OTHERS["claude-code"].encode()))
    (home / ".claude").mkdir()
    (home / FILES["claude-code"]).symlink_to(target)
    before = snapshot(home, target.parent)
    file = only(setup("claude-code", dry_run=True)).files[0]
    assert file.leads_to == str(target)
    setup("claude-code")
    assert (home / FILES["claude-code"]).is_symlink() and handlers(target, "claude-code")
    setup("claude-code", undo=True)
    assert snapshot(home, target.parent) == before


def test_a_link_of_the_whole_folder_works_too(setup: Setup, home: Path, tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (home / ".cursor").symlink_to(tmp_path / "dotfiles")
    setup("cursor")
    assert handlers(tmp_path / "dotfiles" / "hooks.json", "cursor")
    setup("cursor", undo=True)
    assert list((tmp_path / "dotfiles").iterdir()) == [] and (home / ".cursor").is_symlink()


@pytest.mark.parametrize("target", ["nowhere/settings.json", "settings.json"])
def test_a_link_to_nowhere_or_to_itself_is_left_alone(
    setup: Setup, home: Path, target: str
) -> None:
    (home / ".claude").mkdir()
    (home / FILES["claude-code"]).symlink_to(target)
    assert only(setup("claude-code")).files[0].action == "left"
    assert os.readlink(home / FILES["claude-code"]) == target
    assert not (home / ".claude" / "nowhere").exists()


def test_a_folder_in_the_place_of_a_file_is_left_alone(setup: Setup, home: Path) -> None:
    (home / FILES["claude-code"]).mkdir(parents=True)
    assert only(setup("claude-code")).files[0].problem == "it is not a file"


def test_settings_in_another_encoding_are_left_alone(setup: Setup, home: Path) -> None:
    path = settings(home, "gemini-cli", '{"a": 1}'.encode("utf-16"))
    assert only(setup("gemini-cli")).files[0].problem == "it is not UTF-8"
    assert path.read_bytes() == '{"a": 1}'.encode("utf-16")


def test_one_file_that_is_left_does_not_keep_the_others_waiting(setup: Setup, home: Path) -> None:
    settings(home, "claude-code", b"{")
    report = setup("claude-code", "cursor")
    assert [item.state for item in report.items] == ["absent", "done"]


# -- what people do in between ------------------------------------------------


def test_an_edit_after_setup_survives_undo(setup: Setup, home: Path) -> None:
    path = settings(home, "claude-code", REALISTIC["comments"])
    before = path.read_bytes()
    setup("claude-code")
    path.write_bytes(path.read_bytes().replace(b'"dark"', b'"light"'))
    setup("claude-code", undo=True)
    assert path.read_bytes() == before.replace(b'"dark"', b'"light"')


def test_a_hook_that_a_person_added_to_a_file_of_ours_keeps_the_file(
    setup: Setup, home: Path
) -> None:
    setup("cursor")
    path = home / FILES["cursor"]
    path.write_text(path.read_text().replace('"stop": [', '"stop": [{"command": "mine"},'))
    setup("cursor", undo=True)
    assert read(path) == {"version": 1, "hooks": {"stop": [{"command": "mine"}]}}


def test_a_changed_timeout_is_nobodys_business(setup: Setup, home: Path) -> None:
    setup("claude-code")
    path = home / FILES["claude-code"]
    path.write_text(path.read_text().replace('"timeout": 30', '"timeout": 60'))
    assert only(setup("claude-code")).state == "connected"
    setup("claude-code", undo=True)
    assert not path.exists()


def test_a_file_that_changed_since_the_plan_was_shown_is_not_written(
    setup: Setup, home: Path
) -> None:
    path = settings(home, "claude-code", b'{"a": 1}')
    shown = setup("claude-code", dry_run=True)
    path.write_bytes(b'{"a": 2}')
    item = only(setup("claude-code", shown=shown))
    assert item.files[0].problem == "it was changed since the plan was shown"
    assert path.read_bytes() == b'{"a": 2}'


def test_a_file_that_changes_at_the_last_moment_is_not_written(home: Path) -> None:
    path = settings(home, "claude-code", b"{}")
    spot = disk.look_at(path)
    path.write_bytes(b'{"a": 1}')
    with pytest.raises(Unfit, match="meantime"):
        disk.write_file(spot, b"ours")
    assert path.read_bytes() == b'{"a": 1}' and list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("agent", FILES)
def test_a_program_that_was_removed_leaves_its_agents_hooks_silent(
    setup: Setup, home: Path, agent: str
) -> None:
    setup(agent)
    program = str(targets.find_command("memctl-hook"))
    for handler in handlers(home / FILES[agent], agent).values():
        line = handler.get("command") or handler["bash"]
        gone = line.replace(program, f"{home}/gone/memctl-hook")
        assert gone != line
        # By whatever shell the agent takes, of those that are here.
        for shell in filter(shutil.which, ("sh", "bash", "dash", "fish", "zsh")):
            done = subprocess.run([shell, "-c", gone], input=b"{}", capture_output=True)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b""), shell


@pytest.mark.parametrize("agent", FILES)
def test_lines_of_an_earlier_setup_without_a_guard_get_one(
    setup: Setup, home: Path, agent: str
) -> None:
    setup(agent)
    path = home / FILES[agent]
    now = path.read_text()
    path.write_text(re.sub(r"test -x \S+ \|\| exit 0; exec ", "", now))
    assert path.read_text() != now
    assert only(setup(agent)).state == "done"
    assert path.read_text() == now
    setup(agent, undo=True)
    assert not handlers(path, agent) if path.exists() else True


def test_hooks_of_a_memctl_that_moved_are_replaced(setup: Setup, home: Path) -> None:
    setup("claude-code")
    path = home / FILES["claude-code"]
    program = shlex.split(handlers(path, "claude-code")["SessionEnd"]["command"])[2]
    path.write_text(path.read_text().replace(program, "/old/place/memctl-hook"))
    assert (
        only(status.report_status(config.load_config(), plan.parse_request(["claude-code"]))).state
        == "partly"
    )
    setup("claude-code")
    assert "/old/place" not in path.read_text() and len(handlers(path, "claude-code")) == 4
    setup("claude-code", undo=True)
    assert not path.exists()


def test_without_the_manifest_undo_finds_what_is_ours(setup: Setup, home: Path) -> None:
    path = settings(home, "gemini-cli", REALISTIC["other-hooks"])
    value = read(path)
    setup("gemini-cli")
    manifest.manifest_path(config.load_config()).unlink()
    assert only(setup("gemini-cli", undo=True)).state == "done"
    assert read(path) == value


def test_a_setup_that_was_killed_half_way_is_undone(
    setup: Setup, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".claude").mkdir()
    before = snapshot(home)

    def killed(*_args: object, **_words: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as at_the_write, pytest.raises(KeyboardInterrupt):
        at_the_write.setattr(
            disk,
            "_write_fresh",
            lambda *args: killed() if "settings" in str(args[0]) else real(*args),
        )
        setup("copilot-cli", "claude-code")
    assert (home / ".copilot").exists()
    setup(undo=True)
    assert snapshot(home) == before


def test_undo_without_names_takes_out_everything(setup: Setup, home: Path, tmp_path: Path) -> None:
    (tmp_path / "work" / ".git").mkdir()
    before = snapshot(home, tmp_path / "work")
    setup("claude-code", "codex", "aider", "windsurf")
    setup("cursor", folder=tmp_path / "work")
    setup(undo=True)
    assert snapshot(home, tmp_path / "work") == before


def test_half_a_block_is_left_to_the_operator(setup: Setup, home: Path) -> None:
    rules = home / ".codeium" / "windsurf" / "memories" / "global_rules.md"
    setup("windsurf")
    rules.write_text(rules.read_text().replace("<!-- memctl setup: end -->\n", "mine\n"))
    assert "the one that ends it" in (only(setup("windsurf", undo=True)).files[1].problem or "")
    assert rules.read_text().endswith("mine\n")


def test_undo_in_any_order_removes_the_folders_that_were_made(setup: Setup, home: Path) -> None:
    setup("windsurf")
    setup("copilot-cli")
    setup("windsurf", undo=True)
    setup("copilot-cli", undo=True)
    assert snapshot(home) == {}


def test_a_manifest_is_private_and_a_damaged_one_stops_nothing(setup: Setup, home: Path) -> None:
    setup("claude-code")
    place = manifest.manifest_path(config.load_config())
    assert place.stat().st_mode & 0o777 == 0o600 and place.parent.stat().st_mode & 0o777 == 0o700
    place.write_text('{"version": 1, "entries": [{"nonsense": 1}]')
    setup("claude-code", undo=True)
    assert "memctl" not in (
        (home / FILES["claude-code"]).read_text() if (home / FILES["claude-code"]).exists() else ""
    )


def test_a_plan_writes_nothing(setup: Setup, home: Path) -> None:
    for agent in FILES:
        settings(home, agent, REALISTIC["other-hooks"])
    before = snapshot(home)
    report = setup(*FILES, "aider", dry_run=True)
    assert {item.state for item in report.items} == {"planned"} and snapshot(home) == before
    assert all(
        f"+{' ' * 4}" in file.diff or "+" in file.diff
        for item in report.items
        for file in item.files
    )


def test_a_plan_shows_no_secret_of_the_neighbourhood(setup: Setup, home: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    settings(home, "claude-code", f'{{\n  "env": {{"GITHUB_TOKEN": "{secret}"}}\n}}\n'.encode())
    diff = only(setup("claude-code", dry_run=True)).files[0].diff
    assert secret not in diff and "REDACTED" in diff


# -- what is peculiar to one agent --------------------------------------------


def notes(report: SetupReport) -> str:
    return " ".join(only(report).notes)


def test_codex_is_told_to_be_trusted(setup: Setup) -> None:
    assert "/hooks" in notes(setup("codex"))


@pytest.mark.parametrize(
    "text",
    [
        '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"',
        '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "say"  # mine\n\n[tui]\ntheme = "x"\n',
        'hooks = { Stop = [] }\nmodel = "x"\n',
        '[hooks]\nStop = [{ hooks = [{ type = "command", command = "say" }] }] # mine\n[tui]\na '
        "= 1\n",
        'hooks.Stop = [{ hooks = [{ type = "command", command = "say done" }] }]\n',
        '[[hooks.Stop]]\r\n[[hooks.Stop.hooks]]\r\ncommand = "say done"\r\n',
    ],
)
def test_codex_hooks_go_where_hooks_are_already(setup: Setup, home: Path, text: str) -> None:
    config_file = home / ".codex" / "config.toml"
    config_file.parent.mkdir()
    config_file.write_bytes(text.encode())
    before = snapshot(home)
    setup("codex")
    settings = tomllib.loads(config_file.read_text())
    assert settings["hooks"]["SessionStart"][0]["hooks"][0]["timeout"] == 10
    assert len(settings["hooks"]["Stop"]) == 1 + len(tomllib.loads(text)["hooks"]["Stop"])
    assert not (home / ".codex" / "hooks.json").exists()
    assert only(setup("codex")).state == "connected"
    setup("codex", undo=True)
    assert snapshot(home) == before


def test_what_was_added_to_codex_settings_since_survives_undo(setup: Setup, home: Path) -> None:
    config_file = home / ".codex" / "config.toml"
    config_file.parent.mkdir()
    config_file.write_text('[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "say done"\n')
    setup("codex")
    config_file.write_text('model = "x"\n' + config_file.read_text().replace("say", "tell"))
    setup("codex", undo=True)
    hooks = {"Stop": [{"hooks": [{"command": "tell done"}]}]}
    assert tomllib.loads(config_file.read_text()) == {"model": "x", "hooks": hooks}


def test_codex_trust_that_is_remembered_in_the_same_table_is_no_hook(
    setup: Setup, home: Path
) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('[hooks.state."x"]\ntrusted_hash = "abc"\n')
    setup("codex")
    assert handlers(home / FILES["codex"], "codex")


@pytest.mark.parametrize("flag", ["hooks", "codex_hooks"])
def test_codex_with_hooks_off_is_said_to_be_deaf(setup: Setup, home: Path, flag: str) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(f"[features]\n{flag} = false\n")
    assert "turns hooks off" in notes(setup("codex"))


@pytest.mark.parametrize(
    "text", ["model = ", "[[hooks.Stop]]\na = 1\n[hooks.SessionStart]\nb = 1\n"]
)
def test_codex_settings_that_cannot_take_hooks_are_left_alone(
    setup: Setup, home: Path, text: str
) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(text)
    item = only(setup("codex"))
    assert item.state == "absent" and (item.problems or item.files[0].problem)
    assert (home / ".codex" / "config.toml").read_text() == text


def test_claude_with_all_hooks_off_is_said_to_be_deaf(setup: Setup, home: Path) -> None:
    settings(home, "claude-code", b'{"disableAllHooks": true}')
    assert "disableAllHooks" in notes(setup("claude-code"))


def test_claude_with_our_plugin_needs_no_second_set_of_hooks(setup: Setup, home: Path) -> None:
    path = settings(home, "claude-code", b'{"enabledPlugins": {"memctl@memctl": true}}')
    assert only(setup("claude-code")).state == "connected"
    assert b"hooks" not in path.read_bytes()


def test_copilot_is_told_that_firing_twice_is_harmless(setup: Setup) -> None:
    assert "kept once" in notes(setup("copilot-cli"))


def test_windsurf_rules_stay_within_what_is_read(setup: Setup, home: Path) -> None:
    rules = home / ".codeium" / "windsurf" / "memories" / "global_rules.md"
    rules.parent.mkdir(parents=True)
    rules.write_text("Be brief." + " Really." * 700)
    before = rules.read_bytes()
    item = only(setup("windsurf"))
    assert [file.action for file in item.files] == ["create", "left"] and "6,000" in (
        item.files[1].problem or ""
    )
    assert rules.read_bytes() == before
    rules.write_text("Be brief.")
    setup("windsurf")
    text = rules.read_text()
    assert (
        text.startswith("Be brief.\n<!-- memctl setup: begin -->\n")
        and len(text) < 6000
        and "memctl context" in text.replace("'", "")
    )
    rules.write_text(text + "And kind.\n")
    setup("windsurf", undo=True)
    assert rules.read_text() == "Be brief.\nAnd kind.\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "model: x\n",
        "model: x",
        "#read: CONVENTIONS.md\n",
        "read: A.md\n",
        "read: A.md # mine\nmodel: x\n",
        "read: []\n",
        'read: ["A.md", B.md]  # two\n',
        "read:\n  - A.md\n  # more\n  - B.md\nmodel: x\n",
        "read:\n- A.md\n",
        "read:\n  - A.md",
        "read:\r\n  - A.md\r\nmodel: x\r\n",
        "read:\nmodel: x\n",
        "read: # mine\nmodel: x\n",
        "read: [A.md,\n  B.md]\n",
        "read: 'A.md'\n",
        "read:\n  - A.md # mine\n",
        '"read": [A.md]\n',
        "\ufeffmodel: x\n",
    ],
)
def test_aider_reads_our_conventions_besides_its_own(setup: Setup, home: Path, text: str) -> None:
    path = home / ".aider.conf.yml"
    path.write_bytes(text.encode())
    before = snapshot(home)
    value = yaml.safe_load(text) or {}
    own = value.get("read") or []
    assert only(setup("aider")).state == "done"
    listed = yaml.safe_load(path.read_bytes().decode())
    assert listed.pop("read") == [
        *([own] if isinstance(own, str) else own),
        str(home / ".aider" / "memctl.md"),
    ]
    assert listed == {key: one for key, one in value.items() if key != "read"}
    assert only(setup("aider")).state == "connected"
    path.write_bytes(path.read_bytes() + b"\nzeta: 1\n")
    assert yaml.safe_load(path.read_bytes().decode())["zeta"] == 1
    path.write_bytes(path.read_bytes().removesuffix(b"\nzeta: 1\n"))
    setup("aider", undo=True)
    assert snapshot(home) == before


@pytest.mark.parametrize(
    "text",
    [
        "read:\n  - A.md\nmodel: x\n",
        "read: [A.md, B.md]\nmodel: x\n",
        "read: A.md\nmodel: x\n",
        "model: x\n",
    ],
)
def test_what_was_edited_in_aiders_settings_survives_undo(
    setup: Setup, home: Path, text: str
) -> None:
    path = home / ".aider.conf.yml"
    path.write_text(text)
    setup("aider")
    path.write_text(path.read_text().replace("model: x", "model: y") + "dark-mode: true\n")
    setup("aider", undo=True)
    left, before = yaml.safe_load(path.read_text()), yaml.safe_load(text)
    own = before.get("read")
    assert left.get("read") in (own, [own])
    assert (left["model"], left["dark-mode"]) == ("y", True)


@pytest.mark.parametrize("text", ["read: |\n  A.md\n", "- a\n", "a: [\n", "read: {a: 1}\n"])
def test_settings_of_aider_that_are_written_oddly_are_left_alone(
    setup: Setup, home: Path, text: str
) -> None:
    path = home / ".aider.conf.yml"
    path.write_text(text)
    assert only(setup("aider")).files[1].action == "left"
    assert path.read_text() == text


def test_aider_is_told_how_to_live_without_hooks(setup: Setup) -> None:
    assert "backfill --agent aider" in notes(setup("aider"))


def test_opencode_gets_a_plugin_that_calls_our_hook(setup: Setup, home: Path) -> None:
    before = snapshot(home)
    setup("opencode")
    (path,) = (home / ".config" / "opencode").rglob("*.js")
    hook = targets.find_command("memctl-hook")
    assert json.dumps(str(hook)) in path.read_text()
    path.write_text(path.read_text() + "// mine\n")
    assert (
        only(setup("opencode", undo=True)).files[0].problem
        == "it was changed by hand; remove it yourself"
    )
    path.write_text(path.read_text().removesuffix("// mine\n"))
    setup("opencode", undo=True)
    assert snapshot(home) == before


def test_opencodes_plugin_names_a_store_that_is_elsewhere(
    setup: Setup, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCTL_DB", '/data/a "b"/m.db')
    setup("opencode")
    (path,) = (home / ".config" / "opencode").rglob("*.js")
    assert (
        r'{ env: { ...process.env, MEMCTL_DB: "/data/a \"b\"/m.db" }, stdio: ["pipe"'
        in path.read_text()
    )


def test_a_file_of_somebody_elses_is_not_replaced(setup: Setup, home: Path) -> None:
    path = home / ".config" / "opencode" / "plugin" / "memctl.js"
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = 1\n")
    assert "did not write" in (only(setup("opencode")).files[0].problem or "")
    assert path.read_text() == "export const Mine = 1\n"
