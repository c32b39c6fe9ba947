"""The review of 40 candidates by the real commands in a terminal, in keystrokes and minutes.

    python benchmarks/review_film.py [--way review|inbox|both] [--size 80x24] [--singly] [--film FILE]

A player who knows the right answer to each candidate of `benchmarks/review_world.py` reads the
screen, as a person does, and presses the fewest keys that give that answer. Counted are the keys,
Enter and typed letters included, and the seconds that the machine takes from a key to the last
change of the screen. **What a person's reading and thinking add is not measured.** At the end the
store is held against the right answers. `--film` writes every screen to a file.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pexpect
import pyte

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import review_world as world
from benchmarks.review_world import Wanted
from memctl import MemoryEngine
from memctl.core.model import Filter
from memctl.results.records import RecordView

MEMCTL = str(Path(sys.executable).with_name("memctl"))
# Seconds without a change after which a screen is taken as finished; not counted.
_QUIET = 0.25
# Seconds after which a screen that does not come is a fault.
_PATIENCE = 30.0
# Seconds after which a key that changes nothing is taken as answered.
_MOST_SILENCE = 10.0
_LINES_OF_QUESTION = 4
_ENDS_OF_QUESTIONS = (":", "?", ")")
# What the last row of each command says.
_KEYS_NAMED = re.compile(r"q quit|\[q\]uit:")
_TWO_AT_ODDS = re.compile("the newer holds")
_PLACE_ASKED = re.compile(r"[Ww]hich project does it")
_WIDTH_ASKED = re.compile(r"Merge, and (let )?that record")
_ONE_KEY = {
    world.APPROVE: "a",
    world.REJECT: "r",
    world.MERGE: "m",
    world.INSTEAD: "i",
}
# Answers after which a player who makes no headway is stopped.
_MOST_ANSWERS = 120
_ENTER = "\r"
ALL = ("inbox", "active", "superseded", "contradicted", "archived")


@dataclass
class Account:
    """Keys, by what they were pressed for, the machine's seconds, and the screens."""

    keys: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    first_screen: float = 0.0
    slowest: float = 0.0
    screens: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """All keystrokes."""
        return sum(self.keys.values())


class _Screen(pyte.Screen):
    """A screen that passes over what terminals have besides: pyte stumbles at private colours."""

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        """Set colours; what is private to one make of terminal is no colour."""
        if not private:
            super().select_graphic_rendition(*attributes)


class Terminal:
    """One command in a terminal of `columns` by `rows`, read as text."""

    def __init__(
        self, words: Sequence[str], folder: Path, columns: int, rows: int, account: Account
    ) -> None:
        self.account = account
        self._is_plain = "review" not in words
        self._screen = _Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        env = {
            "HOME": str(folder),
            "MEMCTL_DB": str(folder / "memory.db"),
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "TMPDIR": tempfile.gettempdir(),
        }
        self._child = pexpect.spawn(
            MEMCTL,
            [*words],
            env=env,
            cwd=str(folder / world.HERE),
            dimensions=(rows, columns),
            timeout=_PATIENCE,
        )
        account.first_screen = self._settle(opens=True)

    @property
    def lines(self) -> list[str]:
        """The screen, a text for each row."""
        return [line.rstrip() for line in self._screen.display]

    @property
    def is_open(self) -> bool:
        """Whether the command still runs."""
        return bool(self._child.isalive())

    def press(self, keys: str, purpose: str) -> None:
        """Press keys, wait for the screen, and count both."""
        self.account.keys[purpose] += len(keys)
        self._child.send(keys)
        seconds = self._settle()
        self.account.seconds += seconds
        self.account.slowest = max(self.account.slowest, seconds)

    def close(self) -> None:
        """End the command if it has not ended."""
        self._child.close(force=True)

    def _settle(self, *, opens: bool = False) -> float:
        """Read until the screen is another one and quiet; return the seconds to its last change.

        A command that `opens` has not begun before it names its keys. What a plain terminal echoes
        of an answer is no other screen: that ends with a question.
        """
        before = self.lines
        begun = last = time.monotonic()
        while time.monotonic() - begun < (_PATIENCE if opens else _MOST_SILENCE):
            if time.monotonic() - last > _QUIET and self._is_ready(before, opens=opens):
                break
            try:
                data = self._child.read_nonblocking(65536, timeout=0.02)
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                break
            self._stream.feed(data)
            last = time.monotonic()
        self.account.screens.append("\n".join(self.lines))
        return last - begun

    def _is_ready(self, before: Sequence[str], *, opens: bool) -> bool:
        shown = [line for line in self.lines if line]
        if self.lines == before or not shown:
            return False
        if opens and not _KEYS_NAMED.search("\n".join(shown)):
            return False
        return not self._is_plain or shown[-1].endswith(_ENDS_OF_QUESTIONS)


class Player:
    """Somebody who knows the right answers and reads everything else off the screen.

    `submits` stands after each key on a plain terminal. `groups`: what is alike is answered
    together.
    """

    def __init__(self, terminal: Terminal, *, submits: str = "", groups: bool = True) -> None:
        self.terminal = terminal
        self._submits = submits
        self._groups = groups
        self._left = [each.text for each in world.list_wanted()]

    def review(self) -> None:
        """Answer until nothing waits."""
        for _ in range(_MOST_ANSWERS):
            wanted = self.find_candidate()
            if wanted is not None:
                self._answer(wanted)
            elif _TWO_AT_ODDS.search(self._screen) and not self._submits:
                self._press("b", "two records at odds")
            else:
                break
        if self.terminal.is_open:
            self._press("q", "leave")

    def find_candidate(self) -> Wanted | None:
        """Find the candidate that the screen asks about; None if it asks about nothing."""
        shown = (
            read_lines(self.terminal.lines) if self._submits else read_review(self.terminal.lines)
        )
        found = [each for each in world.list_wanted() if each.text in shown[: len(each.text) + 80]]
        return min(found, key=lambda each: shown.index(each.text)) if found else None

    @property
    def _screen(self) -> str:
        return "\n".join(self.terminal.lines)

    @property
    def _question(self) -> str:
        """The last lines: a plain terminal shows what was asked earlier above them."""
        shown = [line for line in self.terminal.lines if line]
        return " ".join(shown[-_LINES_OF_QUESTION:])

    def _press(self, key: str, purpose: str) -> None:
        self.terminal.press(key + self._submits, purpose)

    def _answer(self, wanted: Wanted) -> None:
        alike = [each for each in world.find_session(wanted.text) if each.text in self._left]
        if self._groups and len(alike) > 2 and {each.answer for each in alike} == {world.REJECT}:
            self._press("R", "reject a session")
            self._press("s", "reject a session")
            self._left = [text for text in self._left if text not in {e.text for e in alike}]
            return
        assert wanted.text in self._left, f"asked about again:\n{self._screen}"
        self._left.remove(wanted.text)
        if wanted.answer in _ONE_KEY:
            self._press(_ONE_KEY[wanted.answer], wanted.answer)
            if _WIDTH_ASKED.search(self._question):
                self._press("e", "merge with another project's")
        elif wanted.answer == world.EVERYWHERE:
            self._press("p" if self._submits else "s", "scope")
            self._press("g", "scope")
            self._press("a", world.APPROVE)
        elif wanted.answer == world.REASON:
            self._press("a", world.APPROVE)
            self.terminal.press(wanted.reason + _ENTER, "type a reason")
        else:
            self._press("a", world.APPROVE)
            if _PLACE_ASKED.search(self._question):
                self._press(self._find_number(), "project")

    def _find_number(self) -> str:
        found = re.search(rf"(\d)\s+{world.HERE}", self._screen)
        assert found is not None, self._screen
        return found[1]


def read_review(lines: Sequence[str]) -> str:
    """Read what the review screen shows below its list, on one line."""
    border = next((row for row, line in enumerate(lines) if line.startswith("──")), len(lines))
    return " ".join(line.strip() for line in lines[border + 1 :])


def read_lines(lines: Sequence[str]) -> str:
    """Read the candidate that `inbox --review` asks about last, on one line."""
    heads = [row for row, line in enumerate(lines) if re.fullmatch(r"\d+ of \d+", line.strip())]
    if not heads or not _KEYS_NAMED.search(" ".join(lines[heads[-1] :])):
        return ""
    return " ".join(line.strip() for line in lines[heads[-1] + 2 :])


def judge(engine: MemoryEngine) -> list[str]:
    """Say which candidates did not become what they should."""
    views = engine.records.list(Filter(statuses=ALL), limit=-1).items
    known = {view.memory.content: view for view in views}
    return [
        f"{wanted.answer}: {wanted.text} ({known[wanted.text].memory.status})"
        for wanted in world.list_wanted()
        if not _is_right(
            wanted,
            known[wanted.text],
            [v for v in views if v.memory.id != known[wanted.text].memory.id],
        )
    ]


def _is_right(wanted: Wanted, view: RecordView, _others: Sequence[RecordView]) -> bool:
    memory = view.memory
    if wanted.answer == world.REJECT:
        return memory.status == "archived"
    if wanted.answer == world.MERGE:
        return memory.status == "superseded"
    if memory.status != "active":
        return False
    if wanted.answer == world.INSTEAD:
        return any(
            link.relation == "supersedes" and link.from_id == memory.id for link in view.links
        )
    if wanted.answer == world.EVERYWHERE:
        return memory.scope == "global"
    if wanted.answer == world.REASON:
        return memory.rationale == wanted.reason
    return view.project == world.HERE if wanted.answer == world.PLACE else True


def play(way: str, columns: int, rows: int, *, groups: bool = True) -> tuple[Account, list[str]]:
    """Review the invented inbox once; return the account, and what did not become right."""
    with tempfile.TemporaryDirectory(prefix="review-") as made:
        folder = Path(made)
        engine = world.build(folder)
        account = Account()
        words = ["review"] if way == "review" else ["inbox", "--review"]
        terminal = Terminal(words, folder, columns, rows, account)
        try:
            Player(terminal, submits="" if way == "review" else _ENTER, groups=groups).review()
        finally:
            terminal.close()
        wrong = judge(engine)
        engine.close()
    return account, wrong


def render_account(name: str, account: Account, wrong: Sequence[str]) -> Iterator[str]:
    """Yield the figures of one review."""
    yield f"{name}: {account.total} keystrokes for {len(world.list_wanted())} candidates"
    yield "  " + ", ".join(f"{count} {purpose}" for purpose, count in account.keys.most_common())
    yield (
        f"  the machine's time: first screen {account.first_screen:.2f} s, all answers"
        f" {account.seconds:.1f} s ({account.seconds / 60:.2f} min), the slowest"
        f" {account.slowest:.2f} s; reading and thinking are not measured"
    )
    yield f"  not as wanted: {len(wrong)}"
    yield from (f"    {line}" for line in wrong)


def main() -> None:
    """Play what is asked for and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--way", choices=("review", "inbox", "both"), default="both")
    parser.add_argument("--size", default="80x24")
    parser.add_argument("--singly", action="store_true", help="answer nothing together")
    parser.add_argument("--film", type=Path, help="write every screen to this file")
    given = parser.parse_args()
    columns, rows = map(int, given.size.split("x"))
    screens: list[str] = []
    for way in ("review", "inbox") if given.way == "both" else (given.way,):
        account, wrong = play(way, columns, rows, groups=not given.singly)
        screens += account.screens
        print("\n".join(render_account(way, account, wrong)))
    if given.film:
        rule = "=" * columns
        given.film.write_text(f"\n{rule}\n".join(screens) + "\n")


if __name__ == "__main__":
    main()
