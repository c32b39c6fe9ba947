"""What was purged stands nowhere any more: not in a byte of the file, its log, the vectors, the
spool, the logs or a draft that a killed command left; what holds it still is named.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

import pytest
from bench import jsonl
from proofs.judging import maintain_to_the_end
from proofs.shim import HOOK
from proofs.workshop import Workshop

WORDS = "The quagga keeper sleeps in the loft"
# What a command that is killed leaves behind with everything in it, and where to kill it: the share
# of its operations.
DRAFTS = {
    "backup": 0.6,
    "backup {root}/home/copy.db": 0.6,
    "export {root}/home/export.jsonl": 0.6,
    "restore {files}/back.db --yes": 0.3,
}


def plant(workshop: Workshop) -> str:
    """Put the words wherever the program may keep them; the id of the record."""
    done = workshop.command(f"ingest '{WORDS}' --global --json")
    assert done.returncode == 0, done.stderr
    (item,) = json.loads(done.stdout)["data"]["items"]
    path = workshop.files / "quagga.jsonl"
    path.write_bytes(jsonl(("user", f"{WORDS}."), session="5e551011-0000-4000-8000-0000000000aa"))
    assert workshop.command(f"capture-session {path}").returncode == 0
    given = {
        "session_id": "5e551011-0000-4000-8000-0000000000aa",
        "transcript_path": str(path),
        "cwd": str(workshop.work),
        "hook_event_name": "UserPromptSubmit",
        "prompt": WORDS,
    }
    for event in ("UserPromptSubmit", "SessionEnd"):
        workshop.shim.run(
            workshop.root,
            "claude-code",
            event,
            program=HOOK,
            stdin=json.dumps({**given, "hook_event_name": event}),
            env=workshop.env,
            cwd=workshop.work,
        )
    for line in (f"search '{WORDS}'", "maintain --step extract", "edit $TEST --reason 'a quagga'"):
        workshop.command(line)
    return str(item["record"]["id"])


def list_places(workshop: Workshop) -> list[str]:
    """The files in which the words still stand, but for what the purge names."""
    # Also as the store cuts and packs it: any longer piece of it counts.
    return sorted(
        {name for piece in (WORDS, WORDS.lower(), "quagga") for name in workshop.find_bytes(piece)}
    )


@pytest.mark.proof
def test_what_is_purged_stands_in_no_byte_of_what_the_program_keeps(
    workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    plant(workshop)
    assert list_places(workshop)
    done = workshop.command("purge --match 'quagga' --yes")
    assert done.returncode == 0, (done.stdout, done.stderr)
    assert list_places(workshop) == []
    record_property("purges", 1)
    record_property("bytes_left", 0)


@pytest.mark.proof
@pytest.mark.parametrize("line", DRAFTS, ids=lambda line: line.split()[0] + str(len(line)))
def test_what_a_killed_command_left_is_purged_too_or_named(
    line: str, workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    plant(workshop)
    assert workshop.command("backup {files}/back.db").returncode in (0, 2)
    (workshop.files / "back.db").unlink()
    assert workshop.command("backup {files}/back.db").returncode == 0
    workshop.keep("planted")
    try:
        words = workshop.fill(line)
        whole = workshop.shim.run(workshop.root, *words, env=workshop.env, cwd=workshop.work)
        assert whole.code == 0, whole.stderr
        workshop.restore("planted")
        place = max(1, int(whole.operations * DRAFTS[line]))
        killed = workshop.shim.run(
            workshop.root, *words, env=workshop.env, cwd=workshop.work, kill=f"{place}:after"
        )
        assert killed.was_killed
        done = workshop.command("purge --match 'quagga' --yes")
        assert done.returncode == 0, (done.stdout, done.stderr)
        unnamed = [
            name for name in list_places(workshop) if name.rpartition("/")[2] not in done.stdout
        ]
        assert unnamed == []
    finally:
        shutil.rmtree(workshop.folder / "planted")
    record_property("purges", 1)
    record_property("bytes_left", 0)


@pytest.mark.proof
def test_a_purge_that_was_killed_is_finished_by_maintenance(
    workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    plant(workshop)
    workshop.keep("planted")
    purges = 0
    try:
        words = ["purge", "--match", "quagga", "--yes"]
        whole = workshop.shim.run(workshop.root, *words, env=workshop.env, cwd=workshop.work)
        for share in (0.2, 0.4, 0.6, 0.8, 0.95):
            workshop.restore("planted")
            place = max(1, int(whole.operations * share))
            killed = workshop.shim.run(
                workshop.root, *words, env=workshop.env, cwd=workshop.work, kill=f"{place}:before"
            )
            if not killed.was_killed:
                continue
            again = workshop.command("purge --match 'quagga' --yes")
            assert again.returncode in (0, 1, 20), (again.stdout, again.stderr)
            maintain_to_the_end(workshop)
            # Maintenance makes a backup, from which it is gone as well.
            assert list_places(workshop) == [], share
            purges += 1
    finally:
        shutil.rmtree(workshop.folder / "planted")
    assert purges
    record_property("purges", purges)
    record_property("bytes_left", 0)
