"""Nothing that was written into a note or a record is lost: by two processes that change both at
once, or by a run that is killed at any of its file operations.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from proofs import sampling
from proofs.workshop import Workshop

from memctl import MemoryEngine
from memctl.core.model import Actor
from memctl.settings import config as config_module
from memctl.store import event_log, proposals

ROUNDS = 1000
KILLS = 24
NOTES = 8
TOKEN = re.compile(r"\b[ns]\d+\b")
# An editor: at each line that it reads it adds a word to a note, as editors save: in place, or by
# a new file that takes the old one's name.
EDITOR = """
import os, sys
from pathlib import Path
root, mark = Path(sys.argv[1]), "\\n\\n<!-- memctl "
notes = {}
for line in sys.stdin:
    number = int(line)
    for path in sorted(root.rglob("pump-*.md")):
        if not path.name.endswith(".conflict.md"):
            notes[path.name] = path
    path = notes[sorted(notes)[number % len(notes)]]
    try:
        text = path.read_text()
        if mark not in text:
            raise FileNotFoundError
        text = text.replace(mark, f" n{number}{mark}", 1)
        if number % 2:
            path.write_text(text)
        else:
            beside = path.with_name(f".editor-{number}")
            beside.write_text(text)
            os.replace(beside, path)
        print(f"n{number}", flush=True)
    except FileNotFoundError:
        print("-", flush=True)
"""
# The same for records.
STORE = """
import sys
from pathlib import Path
from memctl import MemoryEngine
from memctl.core.model import Actor
from memctl.settings import config
ids = sys.argv[2].split(",")
engine = MemoryEngine(config.load_config(Path(sys.argv[1])), actor=Actor("operator"))
for line in sys.stdin:
    number = int(line)
    record = ids[(number * 3) % len(ids)]
    content = engine.records.show(record).memory.content
    engine.records.edit(record, {"content": f"{content} s{number}"})
    print(f"s{number}", flush=True)
"""


class Other:
    """Another process that does one thing for each line it is given."""

    def __init__(self, program: str, *words: object) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self, number: int) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()

    def end(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(60) == 0


def list_tokens(engine: MemoryEngine, root: Path) -> set[str]:
    """Every word that stands in a file of the folder, or stood in a record."""
    texts = [path.read_text() for path in root.rglob("*.md")]
    db = engine.open_to_read()
    texts += [
        str(event.after.get("content"))
        for event in event_log.iterate_since(db)
        if event.topic == "record" and event.after
    ]
    return {found[0] for text in texts for found in TOKEN.finditer(text)}


@pytest.mark.proof
def test_a_thousand_rounds_of_edits_on_both_sides_lose_nothing(
    bench: Any, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    engine = bench.operator
    root = tmp_path / "notes"
    ids = [bench.put(f"Pump {number} hums.").id for number in range(NOTES)]
    engine.vault.init(root)
    editor, store = Other(EDITOR, root), Other(STORE, engine.config.db, ",".join(ids))
    said: set[str] = set()
    conflicts = 0
    for number in range(ROUNDS):
        editor.begin(number)
        store.begin(number)
        report = engine.vault.sync(root)
        conflicts += sum(change.what == "conflict" for change in report.changes)
        said |= {editor.end(), store.end()}
        if number % 5 == 0:  # A person decides: the note is right.
            for path in root.rglob("*.conflict.md"):
                path.unlink()
    editor.close()
    store.close()
    for _ in range(3):
        engine.vault.sync(root)
        for path in root.rglob("*.conflict.md"):
            path.unlink()
    left = engine.vault.sync(root)
    assert left.problems == () and left.changes == ()
    said -= {"-"}
    assert len(said) > ROUNDS * 1.9
    assert said - list_tokens(engine, root) == set()
    assert conflicts > 0, "the two met"
    assert len([*root.rglob("pump-*.md")]) == NOTES
    assert [*root.rglob(".memctl-0*"), *root.rglob(".memctl-1*")] == []
    record_property("rounds", ROUNDS)
    record_property("edits", len(said))
    record_property("lost", 0)


def prepare(workshop: Workshop) -> tuple[Path, dict[str, str]]:
    """A folder with every kind of work to do; returns the words that must not be lost."""
    root = workshop.root / "notes"
    if not (workshop.folder / "vault").exists():
        assert workshop.command("vault init {root}/notes").returncode == 0
        notes = sorted(path for path in root.rglob("*-0*.md"))
        for number, path in enumerate(notes):
            text = path.read_text()
            if number % 3 == 0:
                path.write_text(text.replace("\n\n<!-- memctl ", f" n{number}\n\n<!-- memctl ", 1))
            elif number % 3 == 1:
                path.write_text(text.replace("\n## Evidence", f"\n## Evidence n{number}", 1))
        for number, name in enumerate(("UTC", "TEST", "LINKED")):
            done = workshop.command(f"edit ${name} --content 'The zebra says s{number}'")
            assert done.returncode == 0, done.stderr
        workshop.keep("vault")
    workshop.restore("vault")
    texts = "\n".join(path.read_text() for path in root.rglob("*.md"))
    return root, {found[0]: "" for found in TOKEN.finditer(texts)}


@pytest.mark.proof
def test_a_run_that_is_killed_anywhere_loses_no_edit(
    workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    root, _ = prepare(workshop)
    whole = workshop.shim.run(
        workshop.root, "vault", "sync", str(root), env=workshop.env, cwd=workshop.work
    )
    assert whole.operations > 50
    kills = 0
    for place in sampling.choose("kill vault", whole.operations, KILLS):
        root, words = prepare(workshop)
        names = {path.name for path in root.rglob("*-0*.md")}
        how = ("before", "half", "after")[place % 3]
        run = workshop.shim.run(
            workshop.root,
            "vault",
            "sync",
            str(root),
            env=workshop.env,
            cwd=workshop.work,
            kill=f"{place}:{how}",
        )
        kills += run.was_killed
        for _ in range(2):
            done = workshop.command("vault sync {root}/notes")
            assert "Traceback" not in done.stderr, done.stderr
        config = config_module.load_config(workshop.db, env=workshop.env)
        engine = MemoryEngine(config, Actor("operator"))
        assert set(words) - list_tokens(engine, root) == set(), (place, how)
        asked = proposals.list_open(engine.open_to_read(), "archive")
        assert not any("deleted" in each.reason for each in asked), "no note was taken for deleted"
        engine.close()
        assert {path.name for path in root.rglob("*-0*.md")} >= names, (place, how)
        assert [*root.rglob(".memctl-[0-9]*")] == []
    assert kills > KILLS // 2
    record_property("kills", kills)
    record_property("lost", 0)
