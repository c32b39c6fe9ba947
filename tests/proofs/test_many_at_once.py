"""Thirty-two processes at once on one store - ingest, capture, hooks, import, purge, maintain,
backup, restore - and whatever one of them acknowledged is found afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from bench import jsonl
from proofs.judging import maintain_to_the_end
from proofs.shim import HOOK, Shimmed, Started
from proofs.workshop import Workshop

WRITERS = 12
CAPTURES = 4
ROUNDS = 2


def write_session(workshop: Workshop, number: int) -> tuple[Path, str]:
    """A session file; and the words that must be found after its capture."""
    words = f"The crane number {number} turns on a granite ring."
    path = workshop.files / f"crane-{number}.jsonl"
    session = f"5e551011-0000-4000-8000-{number:012d}"
    path.write_bytes(jsonl(("user", words), session=session, cwd=str(workshop.work)))
    return path, words


def start_mixture(
    workshop: Workshop, round_number: int
) -> list[tuple[str, str, tuple[int, ...], Started]]:
    """Start all of them: what each is, what must be found of it, how it may end."""
    running = []

    def start(line: str, text: str = "", codes: tuple[int, ...] = (0,)) -> None:
        started = workshop.shim.start(
            workshop.root, *workshop.fill(line), env=workshop.env, cwd=workshop.work
        )
        running.append((line, text, codes, started))

    def hook(event: str, path: Path, text: str) -> None:
        given = (
            f'{{"session_id": "{path.stem}", "transcript_path": "{path}", '
            f'"cwd": "{workshop.work}", "hook_event_name": "{event}", "prompt": "cranes"}}'
        )
        started = workshop.shim.start(
            workshop.root,
            "claude-code",
            event,
            program=HOOK,
            stdin=given,
            env=workshop.env,
            cwd=workshop.work,
        )
        running.append((f"hook {event}", text, (0,), started))

    base = round_number * 100
    start("restore {files}/back.db --yes")
    for number in range(base, base + WRITERS):
        text = f"Crate {number} was stowed in bay {number * 3}"
        start(f"ingest '{text}' --global", text)
    start("maintain", codes=(0, 1))
    for number in range(base, base + CAPTURES):
        path, text = write_session(workshop, number)
        start(f"capture-session {path}", text)
    start("import {files}/foreign.jsonl", "zebra barge carries slate", (0, 1))
    start("backup")
    for number in range(base + 50, base + 50 + CAPTURES):
        path, text = write_session(workshop, number)
        hook("SessionEnd", path, "")
        hook("UserPromptSubmit", path, "")
    start("purge $DOOMED --yes", codes=(0, 1, 20))
    start("search pytest")
    start("context --task pytest")
    start("profile set pager less", "pager: less")
    return running


@pytest.mark.proof
@pytest.mark.parametrize("round_number", range(ROUNDS))
def test_whatever_one_of_many_acknowledged_is_found(
    round_number: int, workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    running = start_mixture(workshop, round_number)
    ended: list[tuple[str, str, tuple[int, ...], Shimmed]] = [
        (line, text, codes, started.wait()) for line, text, codes, started in running
    ]
    for line, _, codes, done in ended:
        assert "Traceback" not in done.stderr, (line, done.stderr)
        assert done.code in (*codes, 11), (line, done.code, done.stdout, done.stderr)
    assert workshop.find_faults() == []
    # A restore puts back what was; it keeps what it replaced, and everything acknowledged before
    # it stands there.
    held = workshop.list_texts()
    lost = [text for line, text, _, done in ended if done.code == 0 and text and text not in held]
    assert lost == []
    maintain_to_the_end(workshop)
    assert workshop.find_faults() == [] and workshop.find_problems() == []
    record_property("processes", len(ended))
    record_property("writes", sum(1 for _, text, _, done in ended if text and done.code == 0))
    record_property("refused", sum(1 for *_, done in ended if done.code == 11))
    record_property("lost", 0)
