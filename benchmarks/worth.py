"""Learn what of the things that people type to agents is worth keeping: fits the weights of
memctl/extract/worth.json and says how well they do on people and sessions that they were not fitted
on.

    python benchmarks/worth.py --data FOLDER [--write]

FOLDER holds `sessions.jsonl` (a session a line: `sid`, `repo`, `cwd`, `turns` with role, kind and
text) and `labels.jsonl` (a human turn a line: `session`, `turn`, `memories` with start, end and
importance 1 to 3, or `negative`). The invented sessions of `worth_sessions.txt` are learned from
too and judged by nobody. None of the texts goes into the weights' file.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.worth_data import (  # noqa: E402
    INVENTED,
    Labels,
    Numbers,
    Row,
    covers,
    embed,
    list_rows,
    read_labels,
    read_sessions,
)
from benchmarks.worth_fit import (  # noqa: E402
    FOLDS,
    Fit,
    Taken,
    calibrate,
    choose_folds,
    cross,
    fit,
    list_taken,
    make_table,
    make_weights,
)
from memctl.core.model import Transcript  # noqa: E402
from memctl.core.version import EXTRACT_VERSION  # noqa: E402
from memctl.extract import extract, worth, worth_model  # noqa: E402

# Candidates from 1,998 turns at which the quality is read.
_TAKEN = (400, 450, 500, 550)


def print_quality(name: str, taken: Taken, labels: Labels) -> None:
    """Print what is found where the surest so many turns are taken."""
    total = Counter(memory[2] for one in labels.values() for memory in one.memories)
    negatives = sum(one.is_negative for one in labels.values())
    for count in _TAKEN:
        part = taken[:count]
        found = Counter(labels[key].memories[n][2] for _, key, hits in part for n in hits)
        right = sum(bool(hits) for _, _, hits in part)
        wrong = sum(labels[key].is_negative for _, key, _ in part)
        two_up = (found[2] + found[3]) / (total[2] + total[3])
        print(
            f"{name:24s} {count:4d} taken: precision {right / count:.2f}, importance 3"
            f" {found[3] / total[3]:.2f}, 2 and 3 {two_up:.2f}, negatives {wrong / negatives:.2f}"
        )


def score_path(
    transcripts: Sequence[Transcript], labels: Labels, sessions: set[str]
) -> dict[str, float]:
    """Extract whole sessions with the model that is set; recall, precision and negatives of their
    candidates, and how many each session has.
    """
    counts: Counter[str] = Counter()
    for transcript in transcripts:
        if transcript.session_id not in sessions:
            continue
        known = {t: one for (of, t), one in labels.items() if of == transcript.session_id}
        found = [one for one in extract(transcript) if one.type != "episode"]
        counts["sessions"] += 1
        hits, negatives = set[tuple[int, int]](), set[int]()
        for candidate in found:
            spans = [e for e in candidate.evidence if e.turn in known]
            if not any(transcript.turns[e.turn].role == "human" for e in candidate.evidence):
                counts["of agents"] += 1
            if not spans:
                continue
            held = {
                (e.turn, n)
                for e in spans
                for n, memory in enumerate(known[e.turn].memories)
                if covers(e.start, e.end, memory)
            }
            counts["candidates"] += 1
            counts["right"] += bool(held)
            hits |= held
            negatives |= {e.turn for e in spans if known[e.turn].is_negative}
        counts["negatives hit"] += len(negatives)
        for turn, one in known.items():
            counts["negatives"] += one.is_negative
            for n, memory in enumerate(one.memories):
                counts[f"all {memory[2]}"] += 1
                counts[f"found {memory[2]}"] += (turn, n) in hits
    both = counts["all 2"] + counts["all 3"]
    return {
        "importance 3": counts["found 3"] / max(1, counts["all 3"]),
        "2 and 3": (counts["found 2"] + counts["found 3"]) / max(1, both),
        "negatives": counts["negatives hit"] / max(1, counts["negatives"]),
        "precision": counts["right"] / max(1, counts["candidates"]),
        "candidates a session": counts["candidates"] / counts["sessions"],
        "from agents' words a session": counts["of agents"] / counts["sessions"],
    }


def print_path_by_folds(
    rows: Sequence[Row],
    given: Mapping[str, Numbers],
    names: list[str],
    table: Numbers,
    groups: Sequence[str],
    folder: Path,
    labels: Labels,
    name: str,
) -> None:
    """Print what comes out at the end for sessions whose group the weights never saw."""
    folds = choose_folds(groups)
    of_session = {row.session: f for row, f in zip(rows, folds, strict=True) if not row.is_invented}
    invented = np.array([row.is_invented for row in rows])
    transcripts = [one for _, one in read_sessions(folder)]
    results = []
    for fold in range(FOLDS):
        train = invented | (folds != fold)
        kept = [row for row, chosen in zip(rows, train, strict=True) if chosen]
        inner = [row for row in kept if not row.is_invented]
        parts = {}
        for part, vectors in given.items():
            fitted = fit(names, table[train], vectors[train], kept)
            logits = cross(kept, table[train], vectors[train], [row.session for row in kept])
            known = {key: labels[key] for key in {(row.session, row.turn) for row in inner}}
            parts[part] = make_weights(fitted, calibrate(list_taken(kept, logits, known)))
        model = worth_model.WorthModel(parts["by_words"], parts["with_vectors"])
        with patch.object(worth, "load_model", lambda model=model: model):
            chosen = {one for one, number in of_session.items() if number == fold}
            results.append(score_path(transcripts, labels, chosen))
    print(f"the whole path, held out {name}, mean of {FOLDS} folds (lowest to highest):")
    for key in results[0]:
        values = [one[key] for one in results]
        print(f"  {key:30s} {np.mean(values):.2f} ({min(values):.2f} to {max(values):.2f})")


def print_calibration(taken: Taken, slope: float, offset: float) -> None:
    """Print how many of those with a confidence are right."""
    bands = defaultdict[int, list[bool]](list)
    for logit, _, hits in taken:
        bands[int(10 / (1 + np.exp(-slope * logit - offset)))].append(bool(hits))
    for band, right in sorted(bands.items(), reverse=True):
        print(f"  said .{band} to .{band + 1}: {np.mean(right):.2f} of {len(right)}")


def write(parts: Mapping[str, tuple[Fit, tuple[float, float]]], folder: Path) -> None:
    """Write the weights with their provenance, and their hash beside the code that reads them."""
    data: dict[str, object] = {
        "version": EXTRACT_VERSION,
        "provenance": {
            "labels": hashlib.sha256((folder / "labels.jsonl").read_bytes()).hexdigest(),
            "invented": hashlib.sha256(INVENTED.read_bytes()).hexdigest(),
            "made_by": "benchmarks/worth.py",
        },
    }
    for name, (fitted, (slope, offset)) in parts.items():
        data[name] = {
            "features": {
                key: round(float(value), 5)
                for key, value in zip(fitted.names, fitted.features, strict=True)
                if abs(value) >= 1e-4
            },
            "vector": base64.b64encode(fitted.vector.astype("<f4").tobytes()).decode(),
            "bias": round(fitted.bias, 6),
            "slope": round(slope, 6),
            "offset": round(offset, 6),
        }
    text = (json.dumps(data, indent=1, sort_keys=True) + "\n").encode()
    worth_model.FILE.write_bytes(text)
    code = Path(worth_model.__file__)
    source = code.read_text(encoding="utf-8")
    digest = hashlib.sha256(text).hexdigest()
    code.write_text(re.sub(r'SHA256 = "\w*"', f'SHA256 = "{digest}"', source), encoding="utf-8")
    print(f"{worth_model.FILE.name}: {len(text):,} bytes, sha256 {digest}")


def learn(
    rows: Sequence[Row], given: Numbers, names: list[str], table: Numbers, labels: Labels, name: str
) -> tuple[Fit, tuple[float, float]]:
    """Fit one model, print how well it does on what it saw and did not see, and calibrate it."""
    by_session = cross(rows, table, given, [row.session for row in rows])
    by_person = cross(rows, table, given, [row.person or row.session for row in rows])
    fitted = fit(names, table, given, rows)
    held_out = list_taken(rows, by_session, labels)
    in_sample = list_taken(rows, fitted.apply(table, given), labels)
    print_quality(f"{name}, in-sample", in_sample, labels)
    print_quality(f"{name}, held-out sessions", held_out, labels)
    print_quality(f"{name}, held-out people", list_taken(rows, by_person, labels), labels)
    slope, offset = calibrate(held_out)
    print_calibration(held_out, slope, offset)
    return fitted, (slope, offset)


def judge_path(
    rows: Sequence[Row],
    given: Mapping[str, Numbers],
    names: list[str],
    table: Numbers,
    folder: Path,
    labels: Labels,
) -> None:
    """Print what comes out of whole sessions by rules alone, and for those never seen."""
    with patch.object(worth, "load_model", lambda: None):
        sessions = [one for _, one in read_sessions(folder)]
        found = score_path(sessions, labels, {key[0] for key in labels})
    print("the whole path, rules alone (in-sample for the rules):")
    for key, value in found.items():
        print(f"  {key:30s} {value:.2f}")
    by_people = [row.person or row.session for row in rows]
    for name, groups in (("by sessions", [row.session for row in rows]), ("by people", by_people)):
        print_path_by_folds(rows, given, names, table, groups, folder, labels, name)


def main() -> None:
    """Fit, judge by folds, and write if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--whole", type=Path, help="folder of sessions labelled as a whole")
    parser.add_argument("--corpus", type=Path, help="the transcripts that --whole speaks of")
    parser.add_argument("--path", action="store_true", help="judge the whole path by folds too")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    labels = read_labels(args.data)
    rows = list_rows(args.data, labels, args.whole, args.corpus)
    names, table = make_table(rows)
    print(f"{len(rows)} sentences, {len(names)} features, {len(labels)} labelled turns")
    given = {"with_vectors": embed(rows), "by_words": np.zeros((len(rows), 0))}
    parts = {
        name: learn(rows, vectors, names, table, labels, name) for name, vectors in given.items()
    }
    if args.path:
        judge_path(rows, given, names, table, args.data, labels)
    if args.write:
        write(parts, args.data)


if __name__ == "__main__":
    main()
