"""Cold whole-process times of the commands that hooks run, as multiples of a bare interpreter's start measured in the same run.

    python benchmarks/cold.py [--records 10000] [--data TRANSCRIPT.jsonl] [--runs 20] [--json OUT]

Every figure is the median over fresh processes; the commands are run in turn (A B C A B C ...), so that a machine that slows down slows
all of them. Transcripts are made by repeating the lines of `--data` (or of an invented session) up to 4 MB and 50 MB under new ids.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
MB = 1024 * 1024
PROMPT = "how do we run the integration tests before a release?"


class Case(NamedTuple):
    """One command to time: how to call it, what to feed it, and what to put right before each run."""

    name: str
    command: list[str]
    stdin: bytes = b""
    before: Callable[[], None] = lambda: None
    runs: int = 20


class Run(NamedTuple):
    """Wall seconds and peak resident bytes of one finished process."""

    seconds: float
    peak: int


def timed(case: Case, env: dict[str, str]) -> Run:
    """Run a command once as a fresh process; a failing one ends the benchmark."""
    case.before()
    started = time.perf_counter()
    child = subprocess.Popen(case.command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env)
    assert child.stdin is not None
    try:
        child.stdin.write(case.stdin)
        child.stdin.close()
    except BrokenPipeError:
        pass
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) != 0:
        assert child.stderr is not None
        sys.exit(f"{case.name} failed: {child.stderr.read().decode(errors='replace')}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Run(seconds, usage.ru_maxrss * scale)


def measure(cases: list[Case], env: dict[str, str]) -> dict[str, list[Run]]:
    """All cases in turn; one run of each goes first and does not count (bytecode, disk cache)."""
    for case in cases:
        timed(case, env)
    found: dict[str, list[Run]] = {case.name: [] for case in cases}
    for turn in range(max(case.runs for case in cases)):
        for case in cases:
            if turn < case.runs:
                found[case.name].append(timed(case, env))
    return found


def transcript(path: Path, size: int, data: Path | None) -> Path:
    """A Claude Code transcript of about `size` bytes: the same session over and over, each line with ids of its own."""
    lines = data.read_bytes().splitlines() if data else (HERE.parent / "scripts" / "demo-session.jsonl").read_bytes().splitlines()
    with path.open("wb") as out:
        while out.tell() < size:
            for line in lines:
                out.write(line + b"\n")
                if out.tell() >= size:
                    break
    return path


def vary(path: Path) -> Callable[[], None]:
    """Make a transcript new to the store: another session id in every line, the same length."""
    before = b'"sessionId":"'

    def change() -> None:
        fresh, copy = str(uuid.uuid4()).encode(), path.with_suffix(".copy")
        # Line by line: what this process holds at a fork would count as its child's peak.
        with path.open("rb") as lines, copy.open("wb") as out:
            for line in lines:
                head, found, tail = line.partition(before)
                out.write(head + found + fresh + tail[36:] if found else line)
        copy.replace(path)

    return change


def cases(folder: Path, records: int, data: Path | None, runs: int) -> tuple[list[Case], dict[str, str]]:
    """The commands to time, and the environment with a store of that many records."""
    db = folder / "memory.db"
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "MEMCTL_DB": str(db)}
    subprocess.run([sys.executable, HERE / "generate.py", "--records", str(records), "--projects", "50", "--db", db], check=True, env=env)
    memctl, hook = [str(Path(sys.executable).with_name(name)) for name in ("memctl", "memctl-hook")]
    small, large = transcript(folder / "4mb.jsonl", 4 * MB, data), transcript(folder / "50mb.jsonl", 50 * MB, data)
    prompt = json.dumps({"session_id": "s", "cwd": str(folder), "hook_event_name": "UserPromptSubmit", "prompt": PROMPT}).encode()
    capture = [memctl, "capture-session", "--agent", "claude-code", "--json"]
    return [
        Case("bare interpreter", [sys.executable, "-c", "pass"], runs=runs),
        Case("context --json", [memctl, "context", "--task", PROMPT, "--json"], runs=runs),
        Case("search --json", [memctl, "search", PROMPT, "--json"], runs=runs),
        Case("memctl-hook, at a prompt", [hook, "claude-code", "UserPromptSubmit"], prompt, runs=runs),
        Case("capture-session, 4 MB", [*capture, str(small)], before=vary(small), runs=runs),
        Case("capture-session, 50 MB", [*capture, str(large)], before=vary(large), runs=max(3, runs // 5)),
    ], env


def table(found: dict[str, list[Run]]) -> list[dict[str, object]]:
    """A row a case: median seconds, multiple of the bare interpreter, peak memory."""
    bare = statistics.median(run.seconds for run in found["bare interpreter"])
    rows: list[dict[str, object]] = []
    for name, runs in found.items():
        middle = statistics.median(run.seconds for run in runs)
        peak = max(run.peak for run in runs) / MB
        rows.append(
            {
                "case": name,
                "runs": len(runs),
                "median_ms": round(middle * 1000, 1),
                "times_bare": round(middle / bare, 1),
                "peak_mb": round(peak),
            }
        )
    return rows


def main() -> None:
    """Measure, print a Markdown table, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--data", type=Path, help="a real Claude Code transcript to repeat")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = table(measure(*cases(Path(folder), given.records, given.data, given.runs)))
    print(f"\n{given.records} records, Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores\n")
    print("| command | runs | median ms | x bare | peak MB |\n|---|---|---|---|---|")
    for row in rows:
        print(f"| {row['case']} | {row['runs']} | {row['median_ms']} | {row['times_bare']} | {row['peak_mb']} |")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
