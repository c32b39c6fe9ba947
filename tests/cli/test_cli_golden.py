"""What the commands print, word for word, as text and as JSON; ids, times and places replaced.

The golden files are written anew by: GOLDEN=write pytest tests/cli/test_cli_golden.py
(the variable is read before the tests' empty house takes it away).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
WRITE = os.environ.get("GOLDEN") == "write"
ID = re.compile(r"\b01[0-9A-HJKMNP-TV-Z]{8}(?:[0-9A-HJKMNP-TV-Z]{16})?\b")
# One command a line; NAME=command keeps the id of its first record, which later lines use as $NAME.
SCRIPT = """\
memctl init
UTC=memctl ingest "Times are stored in UTC" --type decision --rationale "DST" --alternative "local"
TEST=memctl ingest "Tests run with pytest -q" --kind command --entity tool:pytest
memctl ingest "Tests run with pytest -q" --kind command
memctl ingest "A decision without a reason" --type decision
memctl profile set language "British English"
memctl profile set language "Swiss German"
memctl profile list
memctl list
memctl list --status superseded --status inbox
memctl show $UTC
memctl inbox
memctl inbox --approve $UTC
memctl promote $TEST $UTC
memctl edit $TEST --title "How tests run" --reason "clearer"
NEW=memctl correct $TEST "Tests run with uv run pytest -q"
memctl link $NEW supports $UTC --reason "same project"
memctl explain $NEW
memctl forget $UTC --dry-run
memctl forget $UTC --reason "no longer so"
memctl revert $UTC --yes
memctl confirm $UTC
memctl log changes --limit 3
memctl project list
memctl consolidate --dry-run
memctl maintain --dry-run
memctl search nothing-fits-this
memctl context --project nowhere
memctl view save rules pytest --kind command --limit 3
memctl view save rules anything
memctl view save start --context --phase work --format xml
memctl view list
memctl context --view start --budget 300
memctl context --phase review --format plain --level 2
memctl view show nothing
memctl view delete rules
BRANCH=memctl ingest "The default branch is main"
memctl ingest "The default branch is trunk"
memctl conflicts
memctl resolve $BRANCH --keep $BRANCH --dry-run
memctl resolve $BRANCH --keep $BRANCH --reason "looked again"
memctl resolve $BRANCH --dismiss
memctl conflicts --all
memctl show 01NONE
memctl link $UTC likes $NEW
memctl inbox --reason alone
memctl profile unset nothing
"""


def normal(text: str, known: dict[str, str], folder: Path) -> str:
    """A text without what differs from run to run."""
    for name, record_id in known.items():
        text = re.sub(rf"\b{record_id[:10]}(?:{record_id[10:]})?\b", f"<{name}>", text)
    text = ID.sub("<ID>", text.replace(str(folder), "<DIR>"))
    text = re.sub(
        r"\b20\d\d-\d\d-\d\d([T ][\d:.]+Z?)?",
        lambda found: "<TIME>" if found[1] else "<DATE>",
        text,
    )
    text = re.sub(
        r"\b(January|February|March|April|May|June|July|August|September|October|November"
        r"|December) 20\d\d\b",
        "<MONTH>",
        text,
    )
    text = re.sub(r"\b[0-9a-f]{64}\b", "<HASH>", text)
    return re.sub(r"\d+\.\d (kB|MB)|(?<=_bytes\": )\d+", "<SIZE>", text)


def play(here: Callable[..., Any], folder: Path, *, as_json: bool) -> str:
    """The script's lines with what they print."""
    known: dict[str, str] = {}
    told = []
    for line in SCRIPT.splitlines():
        name, _, command = line.partition("=") if re.match(r"[A-Z]+=", line) else ("", "", line)
        words = [
            known.get(word[1:], word) if word.startswith("$") else word
            for word in _split(command)[1:]
        ]
        said = here(*words, *(["--json"] if as_json else []))
        if name:
            known[name] = here("list", "--limit", "1", "--json").data["items"][0]["id"]
        shown = (
            json.dumps(said.json, indent=1, ensure_ascii=False) + "\n"
            if as_json
            else said.stdout + said.stderr
        )
        told.append(
            f"$ {command}\n{normal(shown, known, folder)}"
            + (f"[exit {said.code}]\n" if said.code else "")
        )
    return "\n".join(told)


def _split(command: str) -> list[str]:
    import shlex

    return shlex.split(command)


@pytest.mark.parametrize(
    ("name", "as_json"), [("commands.txt", False), ("commands.json.txt", True)]
)
def test_commands_print_what_they_printed(
    here: Callable,
    tmp_path: Path,
    operator: None,
    name: str,
    as_json: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # What is found by meaning depends on what is installed, and is tested elsewhere.
    monkeypatch.setenv("MEMCTL_EMBEDDING_MODEL", "none")
    told = play(here, tmp_path, as_json=as_json)
    if WRITE:
        (GOLDEN / name).write_text(told)
    assert told == (GOLDEN / name).read_text()


def test_a_text_never_says_more_than_the_json(here: Callable, operator: None) -> None:
    here(
        "ingest",
        "Tests run with pytest -q",
        "--kind",
        "command",
        "--global",
        "--title",
        "How tests run",
    )
    words = set(re.findall(r"[A-Za-z]{4,}", here("list").stdout))
    assert words <= set(re.findall(r"[A-Za-z]{4,}", here("list", "--json").stdout))
