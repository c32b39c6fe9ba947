"""docs/promises.md, from the figures of the published run of `scripts/prove`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from generators.reference import NOTE

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "docs" / "promises.json"
if str(ROOT / "tests") not in sys.path:
    sys.path.append(str(ROOT / "tests"))

from proofs.promises import PROMISES, PROOFS, Promise, Proof  # noqa: E402

_HEAD = """\
# Promises

What memctl promises, the proof of each promise, and what the proof counted in its last published
run. Nothing here is written by hand: `scripts/prove --publish` writes `docs/promises.json` from a
run in which no proof failed, and this page is made of it.

Run of {date}, memctl {version}.

```console
scripts/prove               # all of them, in minutes; a stopped run goes on where it ended
scripts/prove power-cut     # one proof
scripts/prove 9             # all proofs of a promise
scripts/prove --list        # names, and what the last run of each came to
scripts/prove --every       # every file operation instead of a sample, in hours
```

| # | promise | proof | what it counted |
|---|---|---|---|
"""

_PROOFS_HEAD = """
## The proofs

| proof | what it does | where it stands |
|---|---|---|
"""

_LIMITS_HEAD = """
## What is not proved

"""


def page() -> str:
    """The page: promises with figures, where the proofs stand, and what they do not show."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    known = {proof.name: proof for proof in PROOFS}
    rows = [_row(number, promise, known, data["proofs"]) for number, promise in PROMISES.items()]
    proofs = [f"| `{proof.name}` | {proof.about} | {_places(proof)} |" for proof in PROOFS]
    limits = [
        f"- {number}. {promise.limits}" for number, promise in PROMISES.items() if promise.limits
    ]
    return "".join(
        (
            NOTE,
            _HEAD.format(date=data["date"], version=data["version"]),
            _join(rows),
            _PROOFS_HEAD,
            _join(proofs),
            _LIMITS_HEAD,
            _join(limits),
        )
    )


def _row(
    number: int, promise: Promise, known: dict[str, Proof], found: dict[str, dict[str, Any]]
) -> str:
    proofs = [known[name] for name in promise.proofs]
    names = "<br>".join(f"`{proof.name}`" for proof in proofs)
    figures = "<br>".join(_tell(proof, found) for proof in proofs)
    return f"| {number} | {promise.text} | {names} | {figures} |"


def _tell(proof: Proof, found: dict[str, dict[str, Any]]) -> str:
    if proof.name not in found:
        return "not run"
    one = found[proof.name]
    return proof.tell(one) if one["outcome"] == "passed" else str(one["outcome"])


def _places(proof: Proof) -> str:
    places = ", ".join(dict.fromkeys(test.partition("::")[0] for test in proof.tests))
    return f"{places}, `--without {proof.without}`" if proof.without else places


def _join(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
