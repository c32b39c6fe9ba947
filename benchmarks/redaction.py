"""What redaction costs, as multiples of a named baseline: finding all words of an ordinary megabyte
with one regular expression.

    python benchmarks/redaction.py [--size 1000000] [--rules] [--json OUT]

Ordinary text is invented (prose, code, tool output, a lock file); each hostile text repeats what
makes some rule start over and over. `--rules` times every rule alone on every text and shows the
worst of each. Seconds are of the process, the shortest of three runs.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from memctl.redact import secret_replacer
from memctl.redact.rules import FOLDED, SHAPED

BASELINE = "finding the words of ordinary text by one expression"
HOSTILE: Mapping[str, str] = {
    "assignments": "password=",
    "half-open quotes": "password='password=\"",
    "beginnings of keys": "-----BEGIN RSA PRIVATE KEY-----",
    "keys of short lines": "-----BEGIN PRIVATE KEY-----\n-a-",
    "beginnings of URLs": "://a:",
    "names of keys": "api_key=",
    "other names of keys": "x_key=",
    "beginnings of tokens": "ghp_",
    "commands": "curl -u mysql -p docker login ",
    "found secrets": "token='a1b2c3d4e5f6'",
    "dotted words": "MMMMMMMMMMMMMMMMMMMMMMMM.aaaaaa.",
    "beginnings of web tokens": "eyJ-",
    "one letter": "a",
    "headers": "authorization: cookie: a=",
    "one-time passwords": "otpauth://",
    "manifests": "\ndata:\n  a: aaaaaaaa",
    "encoded keys": "LS0tLS1CRUdJTi",
    "placeholders": "[REDACTED:github:12345678] password=",
    "passphrases": "seed phrase is abc def ghi ",
    "declarations": "variable \"token\" { define('key', '",
}
_WORDS = re.compile(rb"\w+")
_VOCABULARY = (
    "the tide table of harbour office prints on Monday while kiln burns oil so we keep a small "
    "store and read it again after lunch because"
    " latency beats throughput token pass key secret api user request response error handler "
    "return value config test run commit"
).split()


def ordinary(size: int) -> str:
    """Invented text as sessions hold it: half prose, the rest code, tool output and lines of a lock
    file.
    """
    draw, parts, length = random.Random(7), [], 0
    while length < size:
        words = " ".join(draw.choice(_VOCABULARY) for _ in range(draw.randrange(6, 18)))
        digest = "".join(draw.choice("0123456789abcdef") for _ in range(40))
        parts.append(
            draw.choice(
                (
                    f"{words.capitalize()}.\n",
                    f"{words.capitalize()}, {words}.\n",
                    f"    def {words.replace(' ', '_')[:40]}(self, token: str) -> None:\n       "
                    f" self.api_key = config.get('api_key')\n",
                    f"{draw.randrange(9999):>6}→  {words} = os.environ['TOKEN']\n",
                    f'  resolved "https://registry.example/{words[:10]}#{digest}"\n',
                    f'{{"type":"user","uuid":"{digest[:8]}-{digest[8:12]}-4{digest[12:15]}-8{digest[15:18]}-{digest[18:30]}","text":"{words}"}}\n',
                )
            )
        )
        length += len(parts[-1])
    return "".join(parts)[:size]


def hostile(size: int) -> dict[str, str]:
    """Each hostile text, of one size."""
    return {name: (unit * (size // len(unit) + 1))[:size] for name, unit in HOSTILE.items()}


def seconds(work: Callable[[], object], runs: int = 3) -> float:
    """Seconds of the process that some work takes, the shortest of a few runs."""
    found = []
    for _ in range(runs):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return max(min(found), 1e-6)


def baseline(size: int) -> float:
    """Seconds for the named baseline."""
    raw = ordinary(size).encode()
    return seconds(lambda: _WORDS.findall(raw), 5)


def measured(size: int) -> dict[str, float]:
    """Seconds for ordinary text and for each hostile one."""
    replacer = secret_replacer.SecretReplacer(lambda: bytes(32), (), is_deep=False)
    texts = {"ordinary": ordinary(size), **hostile(size)}
    return {name: seconds(lambda text=text: replacer.redact(text)) for name, text in texts.items()}  # type: ignore[misc]


def by_rule(size: int) -> list[tuple[float, str, str, str]]:
    """Seconds that each rule takes alone on the text that is worst for it, slowest first: seconds,
    kind, anchor, text.
    """
    texts = {
        name: (text.encode(), text.lower().encode())
        for name, text in {"ordinary": ordinary(size), **hostile(size)}.items()
    }
    folded = {id(rule) for rule in FOLDED}
    found = []
    for rule in (*SHAPED, *FOLDED):
        took = {
            name: seconds(
                lambda raw=raw, low=low, rule=rule: sum(
                    1
                    for _ in secret_replacer.find_matches(
                        rule, 0, raw, low if id(rule) in folded else raw
                    )
                ),
                1,
            )
            for name, (raw, low) in texts.items()
        }  # type: ignore[misc]
        worst = max(took, key=lambda name: took[name])
        found.append((took[worst], rule.kind, rule.anchor.decode(), worst))
    return sorted(found, reverse=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    base, took = baseline(given.size), measured(given.size)
    print(f"{given.size / 1e6:g} MB; baseline: {BASELINE}, {base:.4f} s")
    for name, each in took.items():
        print(f"{name:<28}{each:>8.3f} s {each / base:>8.1f} x")
    rules = by_rule(given.size) if given.rules else []
    for each, kind, anchor, text in rules[:25]:
        print(f"  rule {kind:<16}{anchor!r:<28}{each:>8.3f} s {each / base:>8.1f} x  on {text}")
    if given.json:
        given.json.write_text(
            json.dumps(
                {"size": given.size, "baseline_seconds": base, "seconds": took, "rules": rules},
                indent=1,
            )
        )


if __name__ == "__main__":
    main()
