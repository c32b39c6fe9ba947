"""What an agent reads itself, in a file of instructions that it loads in this folder, is left out
for it while the file says so; every other agent is told.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from bench import Bench

from memctl.agents import rules_files
from memctl.core.model import Filter, Memory
from memctl.hook import run_hook

RULE = "Always use pnpm, never npm."
OTHER = "Never push to main."
PAGE = f"# Rules\n\n- {RULE}\n- {OTHER}\n"
EVENTS = {"cursor": "sessionStart", "copilot-cli": "sessionStart", "opencode": "session.created"}
Ask = Callable[..., str]
Take = Callable[..., Memory]


@pytest.fixture
def ask(bench: Bench) -> Ask:
    """Fire the hook at the start of a new session; what its agent is told."""
    numbers = count()

    def fire(agent: str = "claude-code", folder: Path | None = None) -> str:
        given = {"session_id": f"session-{next(numbers)}", "cwd": str(folder or bench.home)}
        raw = json.dumps({**given, "source": "startup"}).encode()
        return run_hook(agent, EVENTS.get(agent, "SessionStart"), raw, bench.path)

    return fire


@pytest.fixture
def take(bench: Bench) -> Take:
    """Import a file of instructions, approve what it says; the record of its first rule."""

    def taken(path: Path, page: str = PAGE) -> Memory:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page)
        bench.operator.setup.import_memories([path], cwd=bench.home)
        waiting = bench.operator.records.list(Filter(statuses=("inbox",))).items
        bench.operator.promote([view.memory.id for view in waiting])
        records = [bench.get(view.memory) for view in waiting]
        assert all(memory.status == "active" for memory in records)
        return next(memory for memory in records if memory.content == RULE)

    return taken


def test_claude_is_not_told_what_its_claude_md_says_and_codex_is(
    bench: Bench, ask: Ask, take: Take
) -> None:
    take(bench.home / "CLAUDE.md")
    bench.placed = True
    bench.put("The kiln has nine valves")
    told = ask("claude-code")
    assert RULE not in told and OTHER not in told and "nine valves" in told
    assert RULE in ask("codex") and OTHER in ask("codex")


@pytest.mark.parametrize(
    ("name", "readers"),
    [
        ("AGENTS.md", {"codex", "cursor", "copilot-cli", "opencode"}),
        ("GEMINI.md", {"gemini-cli", "copilot-cli"}),
        ("CLAUDE.md", {"claude-code", "copilot-cli", "opencode"}),
        (".claude/rules/style.md", {"claude-code"}),
        (".github/copilot-instructions.md", {"copilot-cli"}),
        (".cursorrules", {"cursor"}),
    ],
)
def test_each_agent_is_told_what_is_in_no_file_that_it_reads(
    bench: Bench, ask: Ask, take: Take, name: str, readers: set[str]
) -> None:
    take(bench.home / name)
    agents = ("claude-code", "codex", "gemini-cli", "cursor", "copilot-cli", "opencode")
    assert {agent for agent in agents if RULE not in ask(agent)} == readers


def test_what_the_file_no_longer_says_is_told(bench: Bench, ask: Ask, take: Take) -> None:
    page = bench.home / "CLAUDE.md"
    take(page)
    page.write_text(f"# Rules\n\n- {OTHER}\n")
    assert RULE in ask() and OTHER not in ask()
    page.write_text(f"# Rules\n\n- Not in force any more: {RULE[:-1]} on Windows.\n")
    assert RULE in ask(), "the words in a line that says something else"
    page.write_text(f"# Rules\n\n1. **{RULE}**\n")
    assert RULE not in ask(), "another manner of list"
    page.unlink()
    assert RULE in ask() and OTHER in ask()


def test_what_was_edited_since_is_told_although_the_file_says_the_old(
    bench: Bench, ask: Ask, take: Take
) -> None:
    rule = take(bench.home / "CLAUDE.md")
    bench.operator.records.edit(rule.id, {"content": "Always use bun."})
    assert "Always use bun." in ask()


def test_what_was_said_in_a_session_too_is_left_out_while_the_file_says_it(
    bench: Bench, ask: Ask, take: Take
) -> None:
    bench.take(("user", f"fact {RULE}"), ("assistant", "Done."))
    bench.operator.promote(
        [view.memory.id for view in bench.operator.records.list(Filter(statuses=("inbox",))).items]
    )
    assert RULE in ask()
    page = bench.home / "CLAUDE.md"
    page.write_text(PAGE)
    bench.operator.setup.import_memories([page], cwd=bench.home)
    bench.maintain()
    assert RULE not in ask()
    page.write_text("# Rules\n")
    assert RULE in ask()


def test_a_file_above_the_folder_is_read_and_one_below_is_not(
    bench: Bench, ask: Ask, take: Take
) -> None:
    (bench.home / ".git").mkdir()
    inner = bench.home / "ui"
    take(bench.home / "AGENTS.md")
    inner.mkdir()
    assert RULE not in ask("codex", inner)
    (inner / "AGENTS.md").write_text(PAGE)
    (bench.home / "AGENTS.md").unlink()
    bench.operator.setup.import_memories([inner / "AGENTS.md"], cwd=bench.home)
    assert RULE in ask("codex"), "Codex does not look below"


def test_the_operators_own_file_is_read_everywhere(
    bench: Bench, home: Path, ask: Ask, take: Take
) -> None:
    take(home / ".claude" / "CLAUDE.md")
    assert RULE not in ask("claude-code") and RULE in ask("codex")


def test_of_claudes_memory_folder_the_list_of_this_folder_is_read(bench: Bench, home: Path) -> None:
    def read(folder: Path, name: str, page: str = PAGE) -> bool:
        path = (
            home
            / ".claude"
            / "projects"
            / re.sub("[^A-Za-z0-9]", "-", str(bench.home))
            / "memory"
            / name
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page)
        environ = {"HOME": str(home)}
        text = rules_files.read_if_loaded("claude-code", str(path), folder, environ)
        return text is not None and RULE in text

    (bench.home / "ui").mkdir()
    assert read(bench.home, "MEMORY.md") and read(bench.home / "ui", "MEMORY.md")
    assert not read(bench.folder, "MEMORY.md"), "another folder"
    assert not read(bench.home, "pnpm.md"), "a file of the folder that is opened on demand"
    assert not read(bench.home, "MEMORY.md", "- other\n" * 200 + PAGE), "beyond what is loaded"


def test_a_link_and_an_import_count_as_the_file(bench: Bench, ask: Ask, take: Take) -> None:
    take(bench.home / "AGENTS.md")
    assert RULE in ask("claude-code")
    claude = bench.home / "CLAUDE.md"
    claude.symlink_to("AGENTS.md")
    assert RULE not in ask("claude-code")
    claude.unlink()
    claude.write_text("# Rules\n\n@AGENTS.md\n")
    assert RULE not in ask("claude-code")


def test_an_override_is_read_in_place_of_the_file(bench: Bench, ask: Ask, take: Take) -> None:
    take(bench.home / "AGENTS.md")
    assert RULE not in ask("codex")
    (bench.home / "AGENTS.override.md").write_text("# Other rules\n")
    assert RULE in ask("codex")


@pytest.mark.parametrize(
    ("name", "front", "is_read"),
    [
        (".claude/rules/style.md", 'paths:\n  - "src/**"', False),
        (".claude/rules/style.md", "description: style", True),
        (".cursor/rules/style.mdc", "alwaysApply: true", True),
        (".cursor/rules/style.mdc", "globs: src/**\nalwaysApply: false", False),
        (".github/instructions/style.instructions.md", 'applyTo: "**"', True),
        (".github/instructions/style.instructions.md", 'applyTo: "src/**"', False),
    ],
)
def test_rules_for_some_files_only_are_told(
    bench: Bench, ask: Ask, take: Take, name: str, front: str, is_read: bool
) -> None:
    path = bench.home / name
    path.parent.mkdir(parents=True)
    path.write_text(f"---\n{front}\n---\n\n{PAGE}")
    agent = {".claude": "claude-code", ".cursor": "cursor", ".github": "copilot-cli"}
    environ = {"HOME": os.environ["HOME"]}
    text = rules_files.read_if_loaded(agent[name.split("/")[0]], str(path), bench.home, environ)
    assert (text is not None) is is_read


def test_what_is_no_regular_file_or_too_large_is_told(bench: Bench, ask: Ask, take: Take) -> None:
    page = bench.home / "CLAUDE.md"
    take(page)
    page.write_text(PAGE + "x" * rules_files.MOST_BYTES)
    assert RULE in ask()
    page.unlink()
    os.mkfifo(page)
    assert RULE in ask(), "and nobody waits for the pipe"


def test_both_sides_of_a_contradiction_are_told(bench: Bench, ask: Ask, take: Take) -> None:
    rule = take(bench.home / "CLAUDE.md")
    bench.placed = True
    other = bench.put("Always use npm, never pnpm.", kind="convention")
    bench.operator.records.link(rule.id, "contradicts", other.id)
    assert RULE in ask()


def test_a_context_counts_and_names_what_the_agent_reads_itself(
    bench: Bench,
    take: Take,
    memctl: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule = take(bench.home / "CLAUDE.md")
    monkeypatch.setenv("MEMCTL_DB", str(bench.path))
    asked = ("context", "--agent", "claude-code", "--explain")
    said = memctl(*asked, "--json", cwd=bench.home).data
    assert rule.id in said["read_by_agent"] and said["known"] == 0
    assert {each["reason"] for each in said["omissions"]} == {"read_by_agent"}
    assert {each["file"] for each in said["omissions"]} == {"CLAUDE.md"}
    text = memctl(*asked, cwd=bench.home).stdout
    assert "the agent reads it itself, in CLAUDE.md" in text
    assert RULE in memctl("context", cwd=bench.home).stdout, "a person is told"


def test_a_context_repeated_leaves_out_what_was_left_out_then(
    bench: Bench, ask: Ask, take: Take
) -> None:
    take(bench.home / "CLAUDE.md")
    bench.placed = True
    bench.put("The kiln has nine valves")
    ask()
    (bench.home / "CLAUDE.md").unlink()
    log = bench.operator.history.log("retrievals").retrievals[0]
    assert bench.operator.records.replay_retrieval(log["id"]).same
