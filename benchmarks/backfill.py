"""Backfill of invented sessions through the real command: time, memory, and what a series of kills
does to it.

    python benchmarks/backfill.py [--sessions 1000] [--gigabytes 2] [--kills 0] [--folder KEPT] [--json OUT]

Invented sessions of Claude Code, Codex and Gemini CLI stand in a HOME of their own: nine tenths of
each is tool output, some lines are 0.4 MB long. The baseline is a process that only reads every
line of the same files and parses it with the standard library. With `--kills N` the command is
killed at N random moments before the run that is let through; afterwards every session must be
there once, with every turn once. Meanwhile another writer asks for the store's lock twenty times a
second, and notes how long it had to wait.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

MEMCTL = Path(sys.executable).with_name("memctl")
PROMPTS = (
    "Use pnpm, not npm, because the lock file is shared",
    "We decided to keep times in UTC and convert when rendering",
    "Never call the paid API from tests",
    "Rename the tide module and run the tests again",
)
PARSE = """
import json, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.json*")):
    with open(path, "rb") as lines:
        for line in lines:
            json.loads(line)
"""


class Ran(NamedTuple):
    """Wall seconds and peak resident megabytes of one process, and its standard output."""

    seconds: float
    peak_mb: float
    stdout: str


def invent(home: Path, sessions: int, size: int, chance: random.Random) -> None:
    """Write the sessions, the most of Claude Code."""
    pool = _output(chance, 2_000_000)
    for number in range(sessions):
        kind = (_claude, _claude, _claude, _codex, _gemini)[number % 5]
        path, lines = kind(
            home,
            number,
            int(size / sessions * chance.choice((0.3, 0.6, 0.9, 1.2, 2.0))),
            pool,
            chance,
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(line) + "\n" for line in lines)


def _output(chance: random.Random, size: int) -> str:
    """What tools print: code, paths, numbers, log lines."""
    words = [
        "def",
        "return",
        "import",
        "self.path",
        "src/tides/api.py:41",
        "ok",
        "0x7f3a",
        "warning:",
        "assert",
        "None",
        "{",
        "}",
        "=>",
        "12.5",
    ]
    words += [
        "".join(chance.choices("abcdefghijklmnopqrstuvwxyz_", k=chance.randint(3, 12)))
        for _ in range(3000)
    ]
    lines = (" ".join(chance.choices(words, k=chance.randint(3, 14))) for _ in range(size // 60))
    return "\n".join(lines)


def _steps(size: int, pool: str, chance: random.Random) -> Iterator[tuple[str, str]]:
    """What happens in a session of about this many characters: prompts, answers, and mostly tool
    output.
    """
    done = 0
    while done < size:
        yield "human", f"{chance.choice(PROMPTS)} ({chance.randint(1, 9999)})"
        for _ in range(chance.randint(3, 8)):
            length = 400_000 if chance.random() < 0.02 else chance.randint(500, 12_000)
            start = chance.randrange(len(pool) - length)
            yield "tool", pool[start : start + length]
            done += length
        start = chance.randrange(len(pool) - 800)
        yield "agent", pool[start : start + 800]
        done += 900


def _claude(
    home: Path, number: int, size: int, pool: str, chance: random.Random
) -> tuple[Path, Iterator[Any]]:
    session = f"c{number:07}"

    def lines() -> Iterator[Any]:
        for at, (who, text) in enumerate(_steps(size, pool, chance)):
            head = {
                "uuid": f"{session}-{at}",
                "sessionId": session,
                "cwd": "/home/op/src/harbor",
                "timestamp": f"2026-03-01T09:00:00.{at % 1000:03}Z",
            }
            if who == "human":
                yield {"type": "user", "message": {"role": "user", "content": text}, **head}
            elif who == "agent":
                yield {
                    "type": "assistant",
                    "message": {
                        "id": f"m{at}",
                        "role": "assistant",
                        "content": [{"type": "text", "text": text}],
                    },
                    **head,
                }
            else:
                call = {
                    "type": "tool_use",
                    "id": f"t{at}",
                    "name": "Bash",
                    "input": {"command": "pnpm test"},
                }
                yield {
                    "type": "assistant",
                    "message": {"id": f"m{at}", "role": "assistant", "content": [call]},
                    **head,
                }
                result = {"type": "tool_result", "tool_use_id": f"t{at}", "content": text}
                yield {
                    "type": "user",
                    "message": {"role": "user", "content": [result]},
                    "toolUseResult": {"stdout": text[:2000]},
                    **head,
                }

    return home / ".claude" / "projects" / f"-src-{number % 20}" / f"{session}.jsonl", lines()


def _codex(
    home: Path, number: int, size: int, pool: str, chance: random.Random
) -> tuple[Path, Iterator[Any]]:
    session = f"x{number:07}"

    def lines() -> Iterator[Any]:
        yield {
            "timestamp": "2026-03-01T09:00:00Z",
            "type": "session_meta",
            "payload": {"id": session, "cwd": "/home/op/src/kiln"},
        }
        for at, (who, text) in enumerate(_steps(size, pool, chance)):
            if who == "human":
                payload: dict[str, Any] = {"type": "user_message", "message": text, "images": []}
                yield {"timestamp": "2026-03-01T09:00:01Z", "type": "event_msg", "payload": payload}
            elif who == "agent":
                payload = {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": text}],
                }
                yield {
                    "timestamp": "2026-03-01T09:00:02Z",
                    "type": "response_item",
                    "payload": payload,
                }
            else:
                call = {
                    "type": "function_call",
                    "name": "exec_command",
                    "arguments": '{"cmd": "rg tide"}',
                    "call_id": f"c{at}",
                }
                yield {
                    "timestamp": "2026-03-01T09:00:02Z",
                    "type": "response_item",
                    "payload": call,
                }
                payload = {"type": "function_call_output", "call_id": f"c{at}", "output": text}
                yield {
                    "timestamp": "2026-03-01T09:00:02Z",
                    "type": "response_item",
                    "payload": payload,
                }

    return (
        home
        / ".codex"
        / "sessions"
        / "2026"
        / "03"
        / "01"
        / f"rollout-2026-03-01T09-00-00-{session}.jsonl",
        lines(),
    )


def _gemini(
    home: Path, number: int, size: int, pool: str, chance: random.Random
) -> tuple[Path, Iterator[Any]]:
    session = f"g{number:07}"

    def lines() -> Iterator[Any]:
        yield {
            "sessionId": session,
            "projectHash": "ab",
            "startTime": "2026-03-01T09:00:00Z",
            "lastUpdated": "2026-03-01T10:00:00Z",
            "kind": "main",
        }
        for at, (who, text) in enumerate(_steps(size, pool, chance)):
            head = {"id": str(at), "timestamp": "2026-03-01T09:00:00Z"}
            if who == "human":
                yield {"type": "user", "content": [{"text": text}], **head}
            elif who == "agent":
                yield {"type": "gemini", "content": text, **head}
            else:
                result = [
                    {
                        "functionResponse": {
                            "id": "t",
                            "name": "read_file",
                            "response": {"output": text},
                        }
                    }
                ]
                tool = {
                    "id": "t",
                    "name": "read_file",
                    "args": {},
                    "result": result,
                    "status": "success",
                }
                yield {"type": "gemini", "content": "", "toolCalls": [tool], **head}

    return (
        home / ".gemini" / "tmp" / "ab" / "chats" / f"session-2026-03-01T09-00-{session}.jsonl",
        lines(),
    )


def ran(command: list[str], env: Mapping[str, str]) -> Ran:
    """One process to its end; a failing one ends the benchmark."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=dict(env), text=True)
    assert child.stdout is not None
    stdout = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{command[0]} ended with {status}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Ran(time.perf_counter() - started, usage.ru_maxrss * unit / 1e6, stdout)


def killed(command: list[str], env: Mapping[str, str], after: float) -> None:
    """One process that is killed."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=dict(env))
    time.sleep(after)
    child.kill()
    child.wait()


@contextmanager
def another_writer(db: Path) -> Iterator[list[float]]:
    """The seconds for which another writer had to wait for the lock, each time it asked while the
    block lasted.
    """
    waits: list[float] = []
    done = threading.Event()

    def ask() -> None:
        while not done.wait(0.05):
            if db.exists():
                with closing(sqlite3.connect(db, timeout=60, isolation_level=None)) as store:
                    started = time.perf_counter()
                    store.execute("BEGIN IMMEDIATE")
                    waits.append(time.perf_counter() - started)
                    store.execute("ROLLBACK")

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield waits
    finally:
        done.set()
        thread.join()


def once(db: Path) -> dict[str, int]:
    """What is in the store: sources, sessions, turns, and parts of a session that do not begin
    where the part before them ends.
    """
    with closing(sqlite3.connect(db)) as store:
        count = lambda text: store.execute(text).fetchone()[0]  # noqa: E731
        return {
            "sources": count("SELECT count(*) FROM sources"),
            "sessions": count("SELECT count(DISTINCT agent || session_id) FROM sources"),
            "turns": count("SELECT sum(turn_count) FROM sources"),
            "turns_in_parts": count("SELECT sum(turn_count) FROM source_parts"),
            "misplaced_parts": count(
                "SELECT count(*) FROM (SELECT first_turn AS begins, coalesce(sum(turn_count) "
                "OVER (PARTITION BY source_id"
                " ORDER BY first_turn ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS "
                "ends FROM source_parts) WHERE begins <> ends"
            ),
        }


def main() -> None:
    """Measure, say, and check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where to put the sessions and keep them")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        home = given.folder or Path(temporary)
        chance = random.Random(7)
        if not (home / ".claude").exists():
            invent(home, given.sessions, int(given.gigabytes * 1e9), chance)
        files = list(home.rglob("*.jsonl"))
        size = sum(path.stat().st_size for path in files)
        db = Path(temporary) / "memory.db"
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "MEMCTL_DB": str(db)}
        baseline = ran([sys.executable, "-c", PARSE, str(home)], env)
        for _ in range(given.kills):
            killed([str(MEMCTL), "backfill"], env, chance.uniform(0.1, max(1.0, size / 1.5e8)))
        with another_writer(db) as waits:
            whole = ran([str(MEMCTL), "backfill", "--json"], env)
        again = ran([str(MEMCTL), "backfill", "--json"], env)
        figures = {
            "megabytes": round(size / 1e6),
            "kills": given.kills,
            "parse_seconds": round(baseline.seconds, 1),
            "backfill_seconds": round(whole.seconds, 1),
            "times_parsing": round(whole.seconds / baseline.seconds, 1),
            "peak_mb": round(whole.peak_mb),
            "again_seconds": round(again.seconds, 1),
            "median_wait_ms": round(sorted(waits)[len(waits) // 2] * 1e3, 1),
            "longest_wait_ms": round(max(waits) * 1e3, 1),
            "store_mb": round(
                sum(path.stat().st_size for path in Path(temporary).glob("memory.db*")) / 1e6, 1
            ),
            **once(db),
        }
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2))
    if (
        not figures["sources"] == figures["sessions"] == len(files)
        or figures["turns"] != figures["turns_in_parts"]
        or figures["misplaced_parts"]
    ):
        raise SystemExit("something is missing or was taken in twice")


if __name__ == "__main__":
    main()
