"""Every command that writes, as command lines for the furnished house of `workshop.py`.

A command that is added to the registry must be named here: in `SCENARIOS` if it writes, in
`READING` if it writes nothing but a log line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from proofs.workshop import Scenario

from memctl.cli.main import app

# Write nothing that anybody would miss: at most the log of what was looked up.
READING = {
    "profile list": "profile list",
    "show": "show $UTC",
    "list": "list",
    "entity list": "entity list",
    "entity show": "entity show pytest",
    "ls": "ls /",
    "tree": "tree /",
    "cat": "cat $UTC",
    "source list": "source list --all-projects",
    "source show": "source show 5e551011-0000-4000-8000-00000000000a",
    "conflicts": "conflicts",
    "view list": "view list",
    "view show": "view show rules",
    "explain": "explain $UTC",
    "status": "status",
    "sync status": "sync status",
    "log": "log changes",
    "timeline": "timeline work",
    "help": "help privacy",
    "model status": "model status",
    "project list": "project list",
    "project show": "project show work",
    "config": "config --show",
}
# Only for a person: without a terminal they end at once.
AT_A_TERMINAL = ("review",)
_HOOK = (
    '{{"session_id": "5e551011-0000-4000-8000-00000000000c", '
    '"transcript_path": "{files}/third.jsonl", "cwd": "{work}", '
    '"hook_event_name": "SessionEnd", "reason": "exit"}}'
)
_PROMPT = (
    '{{"session_id": "5e551011-0000-4000-8000-00000000000c", '
    '"transcript_path": "{files}/third.jsonl", "cwd": "{work}", '
    '"hook_event_name": "UserPromptSubmit", "prompt": "how do tests run with pytest?"}}'
)
# A client's whole session: it shakes hands, writes one record and goes.
_CLIENT = (
    '{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-06-18",'
    '"capabilities":{{}},"clientInfo":{{"name":"codex","version":"1"}}}}}}\n'
    '{{"jsonrpc":"2.0","method":"notifications/initialized"}}\n'
    '{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"memory_append",'
    '"arguments":{{"content":"The zebra lighthouse is white"}}}}}}\n'
)
SCENARIOS: tuple[Scenario, ...] = (
    Scenario("init", "init"),
    Scenario("init", "--db {root}/store/new.db init"),
    Scenario("setup", "setup claude-code --yes"),
    Scenario("uninstall", "uninstall --yes", before="setup claude-code codex --yes"),
    Scenario("report", "report"),
    Scenario(
        "setup", "setup --undo --yes", before="setup claude-code codex --yes", again=(0, 1, 20)
    ),
    Scenario("ingest", "ingest 'The zebra ferry is blue' --global", says="zebra ferry is blue"),
    Scenario("ingest", "ingest --file {files}/lines.jsonl --global", says="crate number 39 holds"),
    Scenario("ingest", "ingest 'The default branch is zebra'", touches=("BRANCH", "TRUNK")),
    Scenario("profile set", "profile set pager zebra", says="pager: zebra"),
    Scenario("profile unset", "profile unset shell", again=(0, 20), touches=("*profile",)),
    Scenario("capture-session", "capture-session {files}/third.jsonl"),
    Scenario("capture-conversation", "capture-conversation {files}/chat.txt"),
    Scenario("backfill", "backfill"),
    Scenario("import-memories", "import-memories {files}/AGENTS.md"),
    Scenario("inbox", "inbox --approve $WAITS --reason zebra", again=(0, 21), touches=("WAITS",)),
    Scenario("inbox", "inbox --reject $WAITS --reason no", again=(0, 21), touches=("WAITS",)),
    Scenario("inbox", "inbox --reject-all --reason no", again=(0, 20), touches=("*inbox",)),
    Scenario("approve", "approve $WAITS --reason zebra", again=(0, 21), touches=("WAITS",)),
    Scenario("reject", "reject $WAITS --reason no", again=(0, 21), touches=("WAITS",)),
    Scenario("undo", "undo", before="edit $TEST --title 'zebra title'", touches=("TEST",)),
    Scenario("completion", "completion zsh --install"),
    Scenario("promote", "promote $WAITS2 --reason zebra", again=(0, 21), touches=("WAITS2",)),
    Scenario("edit", "edit $TEST --title 'zebra title'", touches=("TEST",)),
    Scenario("vault init", "vault init {root}/notes"),
    Scenario("vault sync", "vault sync {root}/notes", before="vault init {root}/notes"),
    Scenario("vault import", "vault import {files}"),
    Scenario("vault status", "vault status {root}/notes", before="vault init {root}/notes"),
    Scenario("sync now", "sync {root}/meet --as Zoe --yes"),
    Scenario("sync now", "sync", before="sync {root}/meet --as Zoe --yes"),
    Scenario("sync join", "sync join {files}/met $CODE --yes", again=(0, 2)),
    Scenario("sync invite", "sync invite Bo", before="sync {root}/meet --as Zoe --yes"),
    Scenario("sync members", "sync members", before="sync {root}/meet --as Zoe --yes"),
    Scenario(
        "sync remove",
        "sync remove Vera --yes",
        before="sync join {files}/met $CODE --yes",
        again=(0, 20),
    ),
    Scenario("sync share", "sync share work", before="sync {root}/meet --as Zoe --yes"),
    Scenario(
        "sync leave", "sync leave --yes", before="sync {root}/meet --as Zoe --yes", again=(0, 20)
    ),
    Scenario("confirm", "confirm $UTC"),
    Scenario("feedback", "feedback good $UTC --reason zebra"),
    Scenario("pin", "pin $LINKED", again=(0, 21)),
    Scenario("unpin", "unpin $PINNED", again=(0, 20, 21)),
    Scenario(
        "correct",
        "correct $TEST 'Tests run with zebra -q'",
        says="Tests run with zebra -q",
        touches=("TEST",),
        again=(0, 2, 21),
    ),
    Scenario("forget", "forget $LINKED --reason zebra", touches=("LINKED",), again=(0, 21)),
    Scenario(
        "purge",
        "purge $DOOMED --yes",
        erases="keeper is called Orla",
        touches=("DOOMED",),
        again=(0, 20),
    ),
    Scenario(
        "purge",
        "purge --match 'green paper' --yes",
        erases="printed on green paper",
        touches=("OLD",),
        again=(0, 20),
    ),
    Scenario("digest", "digest --since 7d"),
    Scenario("daily", "daily --dir {root}/notes"),
    Scenario("dream", "dream --stage"),
    Scenario("revert", "revert $GONE --yes", touches=("GONE",), again=(0, 20, 21)),
    Scenario("link", "link $PINNED supports $UTC --reason zebra"),
    Scenario("entity merge", "entity merge pytest make", again=(0, 2, 20)),
    Scenario("entity split", "entity split pytest py.test", again=(0, 2, 20, 21)),
    Scenario("entity alias", "entity alias pytest zebratest", says="zebratest", again=(0, 2)),
    Scenario(
        "resolve",
        "resolve $BRANCH $TRUNK --keep $TRUNK --reason zebra",
        touches=("BRANCH", "TRUNK"),
        again=(0, 2, 20, 21),
    ),
    Scenario("search", "search pytest"),
    Scenario("context", "context --task 'how do tests run'"),
    Scenario("view save", "view save zebra tides --limit 2 --replace", says="zebra"),
    Scenario("view delete", "view delete rules", again=(0, 20)),
    Scenario("redact", "redact --scan --apply --yes"),
    Scenario("consolidate", "consolidate", touches=("*contradicted", "*inbox")),
    Scenario("maintain", "maintain"),
    Scenario("maintain", "maintain --reindex"),
    Scenario("maintain", "maintain --rebuild-from-history"),
    Scenario("stats", "stats quality --mute operator.statement", again=(0, 21)),
    Scenario("doctor", "doctor --repair --yes", again=(0, 1)),
    Scenario("project alias", "project alias work name zebrawork", again=(0, 2)),
    Scenario("project link", "project link work sundial --reason zebra", again=(0, 2)),
    Scenario("project adopt", "project adopt sundial work", again=(0, 2, 20)),
    Scenario("project apart", "project apart work sundial", again=(0, 2)),
    Scenario("project settle", "project settle"),
    Scenario("export", "export {root}/home/export.jsonl", again=(0, 2)),
    Scenario("import", "import {files}/foreign.jsonl", says="zebra barge carries slate"),
    Scenario("backup", "backup"),
    Scenario("backup", "backup {root}/home/copy.db", again=(0, 2)),
    Scenario("restore", "restore {files}/back.db --yes"),
    Scenario("mcp", "mcp", stdin=_CLIENT, says="zebra lighthouse is white"),
    Scenario("hook", "claude-code SessionEnd", stdin=_HOOK, is_hook=True),
    Scenario("hook", "claude-code UserPromptSubmit", stdin=_PROMPT, is_hook=True),
)


def list_commands() -> list[str]:
    """Every command of the registry, sub-commands by their full name."""
    return [" ".join(words) for words in _walk(typer.main.get_command(app), ())]


def _walk(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not hasattr(command, "list_commands"):
        yield words
        return
    for name in command.list_commands(None):
        yield from _walk(command.get_command(None, name), (*words, name))
