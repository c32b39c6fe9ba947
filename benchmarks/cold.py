"""Cold whole-process times of everyday commands and of those that hooks run, as multiples of a bare
interpreter's start measured in the same run.

    python benchmarks/cold.py [--only everyday|hooks] [--records 10000 --vectors made | --db STORE] [--captures] [--data SESSION.jsonl] [--runs 20] [--json OUT]

Every figure is over fresh processes; the commands are run in turn (A B C A B C ...), so that a
machine that slows down slows all of them. Multiples are given of the medians and of the shortest
runs. `words` is the same with `embedding.model: none`. The everyday commands have a bound, in
processor time; the table says of each whether it holds by its shortest run. Before anything is timed each answer is
looked at: it must hold records. Transcripts are made by repeating the lines of `--data` (or of an
invented session) up to 4 MB and 50 MB under new ids, and go into a store of their own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import pty
import re
import resource
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from benchmarks import everyday_cases  # noqa: E402

MB = 1024 * 1024
BARE = "bare interpreter"
PROJECT, FOLDER = "project-0", "/home/op/src/project-0"
# A command as generate.py words it; a prompt about it is one that the store has an answer to.
COMMAND = re.compile(r"Run `(\S+) (\S+) --(\S+) --jobs \d+` to check the (\S+) of project-0")
SESSION = "SESSION"
# A screen that takes longer does not come.
LONGEST_SECONDS = 60
WORDS_ONLY = {"MEMCTL_EMBEDDING_MODEL": "none"}
MEMCTL, HOOK = (str(Path(sys.executable).with_name(name)) for name in ("memctl", "memctl-hook"))


class Case(NamedTuple):
    """One command to time: how to call it, what to feed it, what to put right before each run, and
    what its answer must hold.
    """

    name: str
    command: Sequence[str]
    env: Mapping[str, str]
    stdin: bytes = b""
    before: Callable[[], None] = lambda: None
    runs: int = 20
    holds: str = ""
    until: bytes = b""


class Run(NamedTuple):
    """Wall seconds, seconds of processor time and peak resident bytes of one finished process."""

    seconds: float
    processor: float
    peak: int


def fill_stdin(case: Case) -> bytes:
    """What a command is fed, in a session of its own: a session is told nothing twice."""
    return case.stdin.replace(SESSION.encode(), uuid.uuid4().hex.encode())


def timed(case: Case) -> Run:
    """Run a command once as a fresh process; a failing one ends the benchmark."""
    case.before()
    if case.until:
        return timed_at_terminal(case)
    started = time.perf_counter()
    child = subprocess.Popen(
        case.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=dict(case.env),
    )
    assert child.stdin is not None and child.stderr is not None
    try:
        child.stdin.write(fill_stdin(case))
        child.stdin.close()
    except BrokenPipeError:
        pass
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{case.name} failed: {child.stderr.read().decode(errors='replace')}")
    child.stderr.close()
    child.returncode = 0  # it was waited for above
    return to_run(seconds, usage)


def to_run(seconds: float, usage: resource.struct_rusage) -> Run:
    """What the system noted of a finished process, in seconds and bytes."""
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(seconds, usage.ru_utime + usage.ru_stime, peak)


def timed_at_terminal(case: Case) -> Run:
    """Run a command at a terminal of 80 columns until it has written `until`, then kill it."""
    started = time.perf_counter()
    pid, terminal = pty.fork()
    if not pid:
        words = {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24", "LANG": "C.UTF-8"}
        os.execve(case.command[0], list(case.command), {**case.env, **words})
    said = b""
    while case.until not in said:
        ready, _, _ = select.select([terminal], [], [], LONGEST_SECONDS)
        try:
            said += os.read(terminal, 65536) if ready else b""
        except OSError:
            ready = []
        if not ready:
            sys.exit(f"{case.name}: never wrote {case.until!r}: {said[-400:]!r}")
    seconds = time.perf_counter() - started
    os.kill(pid, signal.SIGKILL)
    _, _, usage = os.wait4(pid, 0)
    os.close(terminal)
    return to_run(seconds, usage)


def measure(cases: Sequence[Case]) -> dict[str, list[Run]]:
    """All cases in turn; one run of each goes first and does not count (bytecode, disk cache)."""
    for case in cases:
        check(case)
    found: dict[str, list[Run]] = {case.name: [] for case in cases}
    for turn in range(max(case.runs for case in cases)):
        for case in cases:
            if turn < case.runs:
                found[case.name].append(timed(case))
    return found


def check(case: Case) -> str:
    """What a command says; one that does not say what it must ends the benchmark."""
    case.before()
    if case.until:
        timed_at_terminal(case)
        return ""
    said = answer(case)
    if case.holds not in said:
        sys.exit(f"{case.name}: the answer does not hold {case.holds!r}: {said[:400]!r}")
    return said


def answer(case: Case) -> str:
    """What a command says."""
    done = subprocess.run(
        case.command, input=fill_stdin(case), capture_output=True, check=False, env=dict(case.env)
    )
    return done.stdout.decode()


def bare(env: Mapping[str, str], runs: int) -> Case:
    """What all others are multiples of."""
    return Case(BARE, [sys.executable, "-c", "pass"], env, runs=runs)


def list_prompts(env: Mapping[str, str]) -> Iterator[str]:
    """Prompts about commands that the store knows."""
    words = [MEMCTL, "list", "--project", PROJECT, "--type", "project", "--limit", "200", "--json"]
    done = subprocess.run(words, env=dict(env), check=True, capture_output=True, text=True)
    for each in json.loads(done.stdout)["data"]["items"]:
        if found := COMMAND.search(each["content"]):
            tool, part, place, matter = found.groups()
            yield f"Which {tool} command checks the {part} and the {matter} of {PROJECT} in {place}?"


def asking(env: Mapping[str, str], runs: int) -> list[Case]:
    """The commands that only ask, with the first prompt that all of them have an answer to: where
    there is none a hook says nothing, which takes less.
    """
    for prompt in list_prompts(env):
        cases = ask_about(prompt, env, runs)
        cases += ask_about(prompt, {**env, **WORDS_ONLY}, runs, ", words")
        if all(each.holds in answer(each) for each in cases):
            return cases
    sys.exit(f"the store has no answer to a prompt about {PROJECT}")


def ask_about(prompt: str, env: Mapping[str, str], runs: int, label: str = "") -> list[Case]:
    """The commands that only ask, on a generated store."""
    event = {
        "session_id": SESSION,
        "cwd": FOLDER,
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
    }
    context = [MEMCTL, "context", "--task", prompt, "--project", PROJECT, "--json"]
    search = [MEMCTL, "search", prompt, "--project", PROJECT, "--json"]
    return [
        Case(f"context --json{label}", context, env, runs=runs, holds="For this task"),
        Case(f"search --json{label}", search, env, runs=runs, holds='"why"'),
        Case(
            f"memctl-hook, at a prompt{label}",
            [HOOK, "claude-code", "UserPromptSubmit"],
            env,
            json.dumps(event).encode(),
            runs=runs,
            holds="additionalContext",
        ),
    ]


def everyday(folder: Path, db: Path, runs: int) -> list[Case]:
    """What a person types, on a copy of the store."""
    env = {"PATH": os.environ["PATH"], **everyday_cases.settle(folder / "everyday", db)}
    return [
        Case(each.name, each.words, env, before=each.before, runs=runs, until=each.until)
        for each in everyday_cases.list_everyday(env, PROJECT)
    ]


def capturing(env: Mapping[str, str], folder: Path, data: Path | None, runs: int) -> list[Case]:
    """Captures into a store of their own."""
    env = {**env, "MEMCTL_DB": str(folder / "captures.db")}
    small, large = (
        transcript(folder / "4mb.jsonl", 4 * MB, data),
        transcript(folder / "50mb.jsonl", 50 * MB, data),
    )
    capture = [MEMCTL, "capture-session", "--agent", "claude-code", "--json"]
    return [
        Case("capture-session, 4 MB", [*capture, str(small)], env, before=vary(small), runs=runs),
        Case(
            "capture-session, 50 MB",
            [*capture, str(large)],
            env,
            before=vary(large),
            runs=max(3, runs // 5),
        ),
    ]


def transcript(path: Path, size: int, data: Path | None) -> Path:
    """A Claude Code transcript of about `size` bytes: the same session over and over, each line
    with ids of its own.
    """
    lines = (
        data.read_bytes().splitlines()
        if data
        else (HERE.parent / "scripts" / "demo-session.jsonl").read_bytes().splitlines()
    )
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


def house(folder: Path, db: Path) -> dict[str, str]:
    """The environment of the commands: an empty home and a store."""
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "MEMCTL_DB": str(db.absolute())}


def generated(db: Path, records: int, vectors: str) -> Path:
    """A store of that many records."""
    words = ["--records", str(records), "--projects", "50", "--vectors", vectors, "--db", str(db)]
    subprocess.run([sys.executable, str(HERE / "generate.py"), *words], check=True)
    return db


def flags(env: Mapping[str, str]) -> list[str]:
    """What a search on this store goes without."""
    search = asking(env, 1)[1]
    return list(json.loads(check(search))["data"]["flags"])


def rows(found: Mapping[str, list[Run]], bounded: Collection[str] = ()) -> list[dict[str, Any]]:
    """A row a case: milliseconds, multiples of the bare interpreter, peak memory, processor time,
    and of those that are `bounded` whether that holds.
    """
    plain = [run.seconds for run in found[BARE]]
    least_bare = min(run.processor for run in found[BARE])
    made = []
    for name, runs in found.items():
        times = [run.seconds for run in runs]
        middle, least = statistics.median(times), min(times)
        processor = min(run.processor for run in runs) / least_bare
        holds = "yes" if processor <= everyday_cases.BOUND else "no"
        made.append(
            {
                "case": name,
                "runs": len(runs),
                "median_ms": round(middle * 1000, 1),
                "times_bare": round(middle / statistics.median(plain), 1),
                "least_ms": round(least * 1000, 1),
                "least_times_bare": round(least / min(plain), 1),
                "peak_mb": round(max(run.peak for run in runs) / MB),
                "least_processor_times_bare": round(processor, 1),
                "within_bound": holds if name in bounded else "",
            }
        )
    return made


def table(made: Sequence[Mapping[str, Any]]) -> str:
    """Rows as Markdown."""
    head = (
        "| command | runs | median ms | x bare | least ms | x bare | peak MB | processor, x bare "
        f"| within {everyday_cases.BOUND:g} |\n|---|---|---|---|---|---|---|---|---|\n"
    )
    return head + "".join(
        f"| {' | '.join(str(value) for value in row.values())} |\n" for row in made
    )


def machine() -> str:
    """Where it was measured."""
    return f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores"


def main() -> None:
    """Measure, print a Markdown table, and write JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=("everyday", "hooks"))
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--vectors", choices=("none", "made", "real"), default="made")
    parser.add_argument("--db", type=Path, help="a generated store to use instead of making one")
    parser.add_argument("--captures", action="store_true", help="time captures too")
    parser.add_argument("--data", type=Path, help="a real Claude Code transcript to repeat")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        db = given.db or generated(folder / "memory.db", given.records, given.vectors)
        env = house(folder, db)
        cases, bounded = [bare(env, given.runs)], []
        if given.only != "everyday":
            cases += asking(env, given.runs)
        if given.only != "hooks":
            bounded = everyday(folder, db, given.runs)
        if given.captures:
            cases += capturing(env, folder, given.data, given.runs)
        made = rows(measure([*cases, *bounded]), [case.name for case in bounded])
        without = flags(env)
    print(
        f"\n{given.db or given.records}, {machine()}; "
        f"flags: {', '.join(without) or 'none'}\n\n{table(made)}"
    )
    if given.json:
        given.json.write_text(
            json.dumps({"rows": made, "flags": without, "machine": machine()}, indent=1) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
