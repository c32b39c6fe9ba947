"""Run proofs by name, go on where a stopped run ended, and keep the figures that they counted.

    scripts/prove                  all that has not passed yet with the code as it stands
    scripts/prove power-cut 9      some proofs: by name, or all of a promise by its number
    scripts/prove --list           the proofs, and what the last run of each came to
    scripts/prove --again          run also what has passed with this code
    scripts/prove --every          every file operation instead of a sample (hours)
    scripts/prove --seed N         another sample
    scripts/prove --publish        write docs/promises.md from a run in which no proof failed

Results stand in build/proofs, a folder for each state of the code.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "scripts")]

from proofs.promises import PROMISES, PROOFS, Proof  # noqa: E402

from memctl.core import clock  # noqa: E402
from memctl.core.version import __version__  # noqa: E402

PUBLISHED = ROOT / "docs" / "promises.json"
# What a result depends on.
SOURCES = ("memctl", "sql", "tests", "scripts", "pyproject.toml")


def main() -> int:
    """Run, list or publish; the exit code."""
    options = parse_arguments()
    chosen = choose_proofs(options.names)
    folder = ROOT / "build" / "proofs" / compute_state(options)
    folder.mkdir(parents=True, exist_ok=True)
    results = folder / "results.jsonl"
    if options.list:
        print_results(PROOFS, read_results(results))
        return 0
    if options.publish:
        return publish(read_results(results))
    started = time.monotonic()
    if options.again:
        results.unlink(missing_ok=True)
    codes = [run_tests(part, proofs, results, options) for part, proofs in by_part(chosen)]
    found = read_results(results)
    print_results(chosen, found)
    print(f"\n{time.monotonic() - started:.0f} s; results: {results.relative_to(ROOT)}")
    return int(any(codes) or any(judge(proof, found)["outcome"] == "failed" for proof in chosen))


def parse_arguments() -> argparse.Namespace:
    """The options; what follows `--` goes to pytest."""
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(prog="scripts/prove", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="names of proofs, or numbers of promises")
    parser.add_argument("--list", action="store_true", help="print the proofs and their results")
    parser.add_argument("--again", action="store_true", help="run what has passed, too")
    parser.add_argument("--every", action="store_true", help="every operation, not a sample")
    parser.add_argument("--seed", default="", help="choose another sample")
    parser.add_argument("--publish", action="store_true", help="write docs/promises.md")
    options = parser.parse_args(words[:end])
    options.pytest = words[end + 1 :]
    return options


def choose_proofs(names: Iterable[str]) -> list[Proof]:
    """The proofs of those names or promises; all of them without any."""
    wanted = {
        proof
        for name in names
        for proof in (
            PROMISES[int(name)].proofs if name.isdigit() and int(name) in PROMISES else [name]
        )
    }
    unknown = wanted - {proof.name for proof in PROOFS}
    if unknown:
        sys.exit(f"scripts/prove: no proof is called {', '.join(sorted(unknown))}; see --list")
    return [proof for proof in PROOFS if not wanted or proof.name in wanted]


def compute_state(options: argparse.Namespace) -> str:
    """A hash of everything a result depends on."""
    state = hashlib.sha256(f"{options.every} {options.seed}".encode())
    for name in SOURCES:
        place = ROOT / name
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and "__pycache__" not in path.parts:
                state.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return state.hexdigest()[:16]


def by_part(proofs: Iterable[Proof]) -> list[tuple[str, list[Proof]]]:
    """Proofs by what they are run without; those that have everything first."""
    parts: dict[str, list[Proof]] = defaultdict(list)
    for proof in proofs:
        parts[proof.without].append(proof)
    return sorted(parts.items())


def run_tests(part: str, proofs: list[Proof], results: Path, options: argparse.Namespace) -> int:
    """Run the tests of some proofs that have not passed yet; pytest's exit code."""
    done = results.with_name("done.txt")
    passed = [name for name, line in read_results(results).items() if line["outcome"] == "passed"]
    done.write_text("\n".join(passed))
    tests = dict.fromkeys(test for proof in proofs for test in proof.tests)
    command = [
        *(sys.executable, "-m", "pytest", "-n", "auto", "--dist", "worksteal"),
        *("-p", "proofs.recorder", "-m", "not local_model"),
        *(["--without", part] if part else []),
        *tests,
        *options.pytest,
    ]
    print(f"\n== {' '.join(proof.name for proof in proofs)}", flush=True)
    variables = {
        "PROVE_RESULTS": str(results),
        "PROVE_DONE": str(done),
        "PROVE_EVERY": "1" if options.every else "",
        **({"PROVE_SEED": options.seed} if options.seed else {}),
        "PYTHONPATH": str(ROOT / "tests"),
    }
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **variables}, check=False
    ).returncode


def read_results(path: Path) -> dict[str, dict[str, Any]]:
    """The last result of every test that was run with this code."""
    if not path.exists():
        return {}
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            one = json.loads(line)
        except ValueError:
            continue  # the run was stopped while it wrote
        found[one["test"]] = one
    return found


def judge(proof: Proof, results: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """What a proof came to: the worst outcome of its tests, and the sums of their figures."""
    lines = [line for name, line in results.items() if proof.covers(name)]
    figures: dict[str, float] = defaultdict(int)
    for line in lines:
        for name, value in line["figures"].items():
            figures[name] += value
    outcomes = {line["outcome"] for line in lines}
    missing = [test for test in proof.tests if not any(proof.is_in(test, each) for each in results)]
    if "failed" in outcomes:
        outcome = "failed"
    elif "skipped" in outcomes:
        outcome = next(line["reason"] for line in lines if line["outcome"] == "skipped")
    else:
        outcome = "passed" if lines and not missing else "not run yet"
    return {
        "outcome": outcome,
        "tests": len(lines),
        "seconds": round(sum(line["seconds"] for line in lines)),
        "figures": dict(figures),
    }


def print_results(proofs: Iterable[Proof], results: Mapping[str, dict[str, Any]]) -> None:
    """Print a line for every proof."""
    print()
    for proof in proofs:
        found = judge(proof, results)
        figure = proof.tell(found) if found["tests"] else proof.about
        print(f"{proof.name:<22} {found['outcome']:<12} {found['seconds']:>4} s  {figure}")


def publish(results: Mapping[str, dict[str, Any]]) -> int:
    """Write the figures of a run in which nothing failed, and the page made of them.

    What was not run stands there as such.
    """
    found = {proof.name: judge(proof, results) for proof in PROOFS}
    wanting = [name for name, one in found.items() if one["outcome"] != "passed"]
    if wanting:
        print(f"scripts/prove: not passed with this code: {', '.join(wanting)}", file=sys.stderr)
    if any(one["outcome"] == "failed" for one in found.values()):
        return 1
    # Seconds depend on the machine and would change the page with every run.
    proofs = {
        name: {key: value for key, value in one.items() if key != "seconds"}
        for name, one in found.items()
    }
    data = {"date": clock.now()[:10], "version": __version__, "proofs": proofs}
    PUBLISHED.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return subprocess.run([sys.executable, ROOT / "scripts" / "generate"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
