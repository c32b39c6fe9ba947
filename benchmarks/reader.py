"""What a perfect reader's answers become on the whole way: capture, questions, checks, inbox.

    python benchmarks/reader.py --data FOLDER [--agent claude-code] [--fold K/N] [--rules]
                                [--show lost] [--json OUT]

FOLDER holds `sessions.jsonl` (a session a line: `sid`, `format`, `agent`, `cwd`, `turns`) and
`labels.jsonl` (a human turn a line: `session`, `turn`, and its `memories` with start, end, quote,
type, importance, act, leans_on, or a `negative`). A stand-in for the agent's program answers each
question from the labels: it picks out the labelled memories whose turn it is shown, as a careful
model would. What is missing in the inbox then is lost by memctl, and each loss is named. `--rules`
lets the built-in rules propose beside it. Not a figure of any real model.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import stat
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from memctl.capture.read_transcripts import prepare_transcript  # noqa: E402
from memctl.capture.request import CaptureRequest, OriginalFile  # noqa: E402
from memctl.capture.store_transcripts import store_transcripts  # noqa: E402
from memctl.core.frozen import replace  # noqa: E402
from memctl.core.model import Actor, Evidence, Transcript, Turn  # noqa: E402
from memctl.engine.memory_engine import MemoryEngine  # noqa: E402
from memctl.readers.base import Input  # noqa: E402
from memctl.settings import config as settings  # noqa: E402
from memctl.settings.config import Config  # noqa: E402
from memctl.store import evidence, model_calls, sources  # noqa: E402
from memctl.store.database import Database  # noqa: E402
from memctl.store.migrate import open_store  # noqa: E402

STANDIN = ROOT / "tests/llm/agent_standin.py"
LABEL_READER = Path(__file__).with_name("reader_labels.py")
PROGRAMS = {"claude-code": "claude", "codex": "codex", "gemini-cli": "gemini"}
# A candidate means a labelled memory if they share so much of the shorter one.
_OVERLAP = 0.5
# Failures of the reader that are told.
_MOST_TROUBLES = 3
# Sessions stored at once.
_BATCH = 50


@dataclass
class Score:
    """Counts of found and of all memories by importance and act, and of candidates."""

    found: Counter[Any] = field(default_factory=Counter)
    total: Counter[Any] = field(default_factory=Counter)
    right: int = 0
    wrong: int = 0
    elsewhere: int = 0
    negatives: Counter[bool] = field(default_factory=Counter)
    lost: list[dict[str, Any]] = field(default_factory=list)


def main() -> None:
    """Run it and print the figures."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--agent", choices=tuple(PROGRAMS), default="claude-code")
    options.add_argument("--fold")
    options.add_argument("--rules", action="store_true")
    options.add_argument("--show", choices=("lost",))
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    sessions, labels = read_data(given.data, given.fold)
    with tempfile.TemporaryDirectory() as folder:
        result, score = measure(Path(folder), given.agent, sessions, labels, rules=given.rules)
    print(json.dumps(result, indent=1))
    if given.show:
        for each in sorted(score.lost, key=lambda one: (-one["importance"], one["why"])):
            print(each["importance"], each["act"], each["why"], each["quote"][:150], sep=" | ")
    if given.json:
        given.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def read_data(
    folder: Path, fold: str | None
) -> tuple[list[dict[str, Any]], dict[str, dict[int, dict[str, Any]]]]:
    """Read the sessions of a fold (`K/N`; None: all) and the labels by session and turn."""
    labels: dict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    for line in _list_lines(folder / "labels.jsonl"):
        labels[line["session"]][line["turn"]] = line
    sessions = [
        line
        for line in _list_lines(folder / "sessions.jsonl")
        if line["sid"] in labels and _is_in_fold(line["sid"], fold)
    ]
    return sessions, labels


def measure(
    folder: Path,
    agent: str,
    sessions: list[dict[str, Any]],
    labels: Mapping[str, Mapping[int, Mapping[str, Any]]],
    *,
    rules: bool,
) -> tuple[dict[str, Any], Score]:
    """Capture the sessions, let the stand-in read them, and score the inbox."""
    programs = install_reader(folder / "bin", agent, sessions, labels)
    config = make_config(folder, agent, programs)
    engine = MemoryEngine(config, Actor("operator"))
    with closing(open_store(config.db, create=True)) as db:
        capture(db, config, sessions)
    report = engine.maintain(steps=("extract", "model") if rules else ("model",))
    counts = {step.name: step.counts for step in report.steps if step.name in ("extract", "model")}
    with closing(open_store(config.db, create=False)) as db:
        score = score_inbox(db, sessions, labels, folder / "bin")
        troubles = [dict(row) for row in model_calls.list_troubles(db, _MOST_TROUBLES)]
    rate = lambda *keys: round(  # noqa: E731
        sum(score.found[key] for key in keys) / max(1, sum(score.total[key] for key in keys)), 3
    )
    acts = sorted(key for key in score.total if isinstance(key, str))
    return {
        "sessions": len(sessions),
        "memories": sum(score.total[key] for key in (1, 2, 3)),
        "recall_3": rate(3),
        "recall_2_up": rate(2, 3),
        "recall_all": rate(1, 2, 3),
        "precision_human": round(score.right / max(1, score.right + score.wrong), 3),
        "on_unlabelled_turns": score.elsewhere,
        "negatives_proposed": round(score.negatives[True] / max(1, score.negatives.total()), 3),
        "recall_by_act": {act: f"{score.found[act]}/{score.total[act]}" for act in acts},
        "lost_by_reason_2_up": dict(
            Counter(each["why"] for each in score.lost if each["importance"] > 1).most_common()
        ),
        "steps": counts,
        "flags": list(report.flags),
        "troubles": [row["error"] for row in troubles],
    }, score


def install_reader(
    folder: Path,
    agent: str,
    sessions: list[dict[str, Any]],
    labels: Mapping[str, Mapping[int, Mapping[str, Any]]],
) -> Path:
    """Put the agent's stand-in and what it knows into a folder; return the program."""
    folder.mkdir(parents=True)
    known = []
    for session in sessions:
        for index, label in labels[session["sid"]].items():
            for number, memory in enumerate(label["memories"]):
                told = {**memory, "text": session["turns"][index]["text"]}
                known.append({**told, "key": f"{session['sid']}:{index}:{number}"})
    (folder / "labels.json").write_text(json.dumps(known), encoding="utf-8")
    (folder / "reader_labels.py").write_text(LABEL_READER.read_text(), encoding="utf-8")
    (folder / "behaviour.json").write_text(json.dumps({"module": "reader_labels", "cost": 0}))
    program = folder / PROGRAMS[agent]
    program.write_text(f"#!{sys.executable}\n{STANDIN.read_text()}", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def make_config(folder: Path, agent: str, program: Path) -> Config:
    """The settings: the stand-in reads, and no budget of a day ends the run."""
    given = settings.load_config(folder / "memory.db", env={"HOME": str(folder)})
    changed = {
        "maintain.model": f"agent:{agent}",
        "maintain.model_program": str(program),
        "maintain.model_purposes": ["extract"],
        **dict.fromkeys(("maintain.model_calls_a_day", "maintain.model_tokens_a_day"), 0),
        "embedding.model": "none",
    }
    return replace(given, values={**given.values, **changed})


def capture(db: Database, config: Config, sessions: list[dict[str, Any]]) -> None:
    """Store the sessions as capturing does once a reader has read them."""
    for start in range(0, len(sessions), _BATCH):
        for session in sessions[start : start + _BATCH]:
            request = CaptureRequest(Input(data=b"-"), "manual", "operator")
            told = prepare_transcript(config, request, _to_transcript(session), is_only=True)
            digest = hashlib.sha256(session["sid"].encode()).hexdigest()
            store_transcripts(db, config, request, OriginalFile(1, digest, None), [told])


def score_inbox(
    db: Database,
    sessions: list[dict[str, Any]],
    labels: Mapping[str, Mapping[int, Mapping[str, Any]]],
    folder: Path,
) -> Score:
    """Hold what the inbox rests on against the labels, turn by turn."""
    score, told = Score(), _read_log(folder)
    for session in sessions:
        turns, known = session["turns"], labels[session["sid"]]
        hits: dict[int, set[Any]] = defaultdict(set)
        for proofs in _list_proofs(db, session):
            mine = [item for item in proofs if item.turn in known]
            if not mine:
                score.elsewhere += any(
                    turns[item.turn]["role"] == "human" for item in proofs if item.turn is not None
                )
                continue
            met = {
                (item.turn, number)
                for item in mine
                for number, memory in enumerate(known[item.turn or 0]["memories"])
                if _overlaps(item, memory, turns[item.turn or 0]["text"])
            }
            score.right, score.wrong = score.right + bool(met), score.wrong + (not met)
            for turn, number in met:
                hits[turn or 0].add(number)
            for item in mine:
                hits[item.turn or 0].add("any")
        for index, label in known.items():
            if "negative" in label:
                score.negatives["any" in hits[index]] += 1
            for number, memory in enumerate(label["memories"]):
                is_found = number in hits[index]
                for key in (memory["importance"], memory["act"]):
                    score.total[key] += 1
                    score.found[key] += is_found
                if not is_found:
                    key = f"{session['sid']}:{index}:{number}"
                    why = "answered" if key in told else f"not shown ({turns[index]['kind']})"
                    score.lost.append({**memory, "why": why})
    return score


def _list_proofs(db: Database, session: Mapping[str, Any]) -> Iterator[list[Evidence]]:
    """The evidence of each record that rests on a session."""
    agent = session.get("agent", "claude-code")
    found = [each.id for each in sources.list_of_session(db, agent, session["sid"])]
    by_memory: dict[str, list[Evidence]] = defaultdict(list)
    for item in evidence.list_of_sources(db, found):
        by_memory[item.memory_id].append(item)
    yield from by_memory.values()


def _overlaps(item: Evidence, memory: Mapping[str, Any], text: str) -> bool:
    start = text.find(item.quote)
    if start < 0:
        start = item.span_start or 0
    end = start + len(item.quote)
    shared = min(end, memory["end"]) - max(start, memory["start"])
    return bool(shared >= _OVERLAP * min(end - start, memory["end"] - memory["start"]))


def _read_log(folder: Path) -> set[str]:
    """The keys of the memories that the stand-in picked out."""
    path = folder / "picked.txt"
    return set(path.read_text(encoding="utf-8").split("\n")) if path.exists() else set()


def _to_transcript(session: Mapping[str, Any]) -> Transcript:
    turns = tuple(
        Turn(
            number,
            turn["role"],
            turn["kind"],
            turn["text"],
            turn.get("ts"),
            None,
            turn.get("tool"),
            turn.get("call_id"),
            turn.get("ok"),
            number,
            turn.get("data") or {},
        )
        for number, turn in enumerate(session["turns"])
    )
    form, agent = session.get("format", "claude-code"), session.get("agent", "claude-code")
    return Transcript(form, agent, session["sid"], turns, cwd=session.get("cwd"))


def _list_lines(path: Path) -> Iterator[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        yield from map(json.loads, file)


def _is_in_fold(sid: str, fold: str | None) -> bool:
    if fold is None:
        return True
    part, parts = map(int, fold.split("/"))
    return int(hashlib.sha1(sid.encode()).hexdigest(), 16) % parts == part


if __name__ == "__main__":
    os.umask(0o077)
    main()
