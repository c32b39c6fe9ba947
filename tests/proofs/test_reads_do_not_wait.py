"""Reading commands and hooks answer while another process holds the write lock, and ask for no
more sleep than their logging may take: counted, not timed.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from proofs.shim import HOOK
from proofs.workshop import Workshop

READS = (
    "search pytest",
    "search 'harbour office' --explain",
    "context --task 'how do tests run'",
    "context --level 2",
    "list",
    "show $UTC",
    "explain $UTC",
    "status",
    "conflicts",
    "profile list",
    "view show rules",
    "project list",
)
# Seconds that a reading command may ask to sleep: what its log line may wait for the lock.
MOST_SLEEP = 0.1
HOLDER = """
import sys
from pathlib import Path
from memctl.store.database import Database
with Database(Path(sys.argv[1])).write() as db:
    print("held", flush=True)
    sys.stdin.read()
    print("held to the end", flush=True)
"""


@pytest.fixture
def holder(workshop: Workshop) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the write lock until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(workshop.db)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        yield process
        out, _ = process.communicate("")
        # Every answer came before this.
        assert out == "held to the end\n"


@pytest.mark.proof
@pytest.mark.parametrize("line", READS)
def test_a_read_is_answered_while_another_process_holds_the_lock(
    line: str,
    workshop: Workshop,
    holder: subprocess.Popen[str],
    record_property: Callable[[str, object], None],
) -> None:
    done = workshop.shim.run(
        workshop.root, *workshop.fill(line), env=workshop.env, cwd=workshop.work
    )
    assert (done.code, done.stderr) == (0, "") and done.stdout
    assert holder.poll() is None
    assert done.slept <= MOST_SLEEP
    record_property("reads", 1)
    record_property("unanswered", 0)
    record_property("slept", round(done.slept, 3))


@pytest.mark.proof
@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_a_hook_gives_its_context_while_another_process_holds_the_lock(
    event: str,
    workshop: Workshop,
    holder: subprocess.Popen[str],
    record_property: Callable[[str, object], None],
) -> None:
    given = (
        f'{{"session_id": "a1", "transcript_path": "", "cwd": "{workshop.work}", '
        f'"hook_event_name": "{event}", "source": "startup", '
        '"prompt": "how do tests run with pytest?"}'
    )
    done = workshop.shim.run(
        workshop.root,
        "claude-code",
        event,
        program=HOOK,
        stdin=given,
        env=workshop.env,
        cwd=workshop.work,
    )
    assert (done.code, done.stderr) == (0, "")
    assert "pytest" in done.stdout
    assert holder.poll() is None and done.slept <= MOST_SLEEP
    record_property("reads", 1)
    record_property("unanswered", 0)
    record_property("slept", round(done.slept, 3))
