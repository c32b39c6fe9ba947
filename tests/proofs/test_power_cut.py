"""What a command has acknowledged outlives a power cut at any moment of what comes after it.

Real commands write under the shim, which notes every file operation. Each cut builds the folder as
it would stand with only what was durable, and lets the store be opened there.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from proofs import sampling
from proofs.disk_model import Disk, Luck, Names
from proofs.shim import Operation, read_journal
from proofs.workshop import Workshop

CUTS = 130
# Commands, in order, with a text that must be found from their end on, and from when on a later
# one takes it away.
SCRIPT: tuple[tuple[str, str], ...] = (
    ("ingest 'Kiln one is electric' --global", "Kiln one is electric"),
    ("ingest 'Kiln two burns gas' --global", "Kiln two burns gas"),
    ("ingest --file {files}/lines.jsonl --global", "crate number 39 holds"),
    ("profile set pager less", "pager: less"),
    ("capture-session {files}/third.jsonl", "porous"),
    ("search pytest", ""),
    ("maintain", ""),
    ("inbox --approve $WAITS --reason 'it is short'", ""),
    ("edit $TEST --title 'How tests run'", "How tests run"),
    ("correct $UTC 'Times are stored in TAI' --rationale leaps", "Times are stored in TAI"),
    ("import {files}/foreign.jsonl", "zebra barge carries slate"),
    ("view save later glaze --limit 2", ""),
    ("purge $DOOMED --yes", "gone:keeper is called Orla"),
    ("export {root}/home/export.jsonl", "file:home/export.jsonl"),
    ("ingest 'Kiln three is cold' --global", "Kiln three is cold"),
    ("backup {root}/home/copy.db", "file:home/copy.db"),
    ("restore {root}/home/copy.db --yes", ""),
    ("ingest 'Kiln four is new' --global", "Kiln four is new"),
)


@dataclass(frozen=True, slots=True)
class Promise:
    """A text that a command acknowledged with its last operation."""

    end: int
    text: str


def play(workshop: Workshop, journal: Path) -> tuple[list[Operation], list[Promise]]:
    """Run the script; every operation, and what was acknowledged when."""
    journal.write_bytes(b"")
    promises = []
    for line, text in SCRIPT:
        done = workshop.shim.run(
            workshop.root,
            *workshop.fill(line),
            env=workshop.env,
            cwd=workshop.work,
            journal=str(journal),
        )
        assert done.code == 0, (line, done.stdout, done.stderr)
        promises.append(Promise(sum(1 for _ in read_journal(journal)), text))
    return list(read_journal(journal)), promises


def choose_cuts(count: int, ends: list[int], name: str) -> list[int]:
    """Moments to cut at: the end of every command, and some between."""
    if sampling.EVERY:
        return list(range(1, count + 1))
    return sorted({*ends, *sampling.choose(name, count, CUTS - len(ends))})


@pytest.mark.proof
@pytest.mark.parametrize("names", ["with file", "with folder"])
def test_no_power_cut_loses_an_acknowledged_write(
    names: Names,
    workshop: Workshop,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    disk = Disk(workshop.root, names)
    operations, promises = play(workshop, tmp_path / "journal")
    assert len(operations) > 500
    cuts = set(choose_cuts(len(operations), [promise.end for promise in promises], names))
    dice = random.Random(f"{sampling.SEED} {names}")
    for moment, operation in enumerate(operations, 1):
        disk.do(operation)
        if moment not in cuts:
            continue
        luck: Luck = dice.choice(("none", "none", "some", "some", "all"))
        disk.cut_power(workshop.root, luck, dice)
        told = (moment, luck, operation.kind, operation.path)
        assert workshop.find_faults() == [], told
        held = workshop.list_texts()
        for promise in promises:
            if promise.end > moment or not promise.text:
                continue
            kind, _, name = promise.text.partition(":")
            if kind == "gone":
                # Backups from before are named by the purge and stay.
                backups = str(workshop.config.backups.relative_to(workshop.root))
                found = [it for it in workshop.find_bytes(name) if not it.startswith(backups)]
                assert found == [], (promise, told)
            elif kind == "file":
                assert (workshop.root / name).stat().st_size > 100, (promise, told)
            else:
                assert promise.text in held, (promise, told)
    record_property("cuts", len(cuts))
    record_property("operations", len(operations))
    record_property("lost", 0)
    record_property("corrupt", 0)
