"""Many machines, each with the real command, a store and its own copy of a shared folder; and
carriers that bring the copies in line as Dropbox or Syncthing do: late, in any order, while
commands write.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from proofs.shim import Shim, Shimmed, Started

SETTINGS = "operator:\n  require_terminal: false\nembedding:\n  model: none\n"
# Machines whose commands run at once: a few more than this has processors.
AT_ONCE = 4


class Computer:
    """A machine of a member."""

    def __init__(self, shim: Shim, root: Path, member: str) -> None:
        self.root, self.member = root, member
        self._shim = shim
        self.shared = root / "shared"
        for each in (root / "home", root / "work", root / "store"):
            each.mkdir(parents=True)
        (root / "config.yaml").write_text(SETTINGS)
        self.run("init")

    @property
    def db(self) -> Path:
        return self.root / "store" / "memory.db"

    def start(self, *words: object, **settings: str) -> Started:
        home = self.root / "home"
        env = {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local/share"),
            "XDG_STATE_HOME": str(home / ".local/state"),
            "MEMCTL_CONFIG": str(self.root / "config.yaml"),
            "MEMCTL_DB": str(self.db),
            "MEMCTL_MAINTAIN_AUTO": "false",
        }
        return self._shim.start(self.root, *words, env=env, cwd=self.root / "work", **settings)

    def run(self, *words: object, codes: Sequence[int] = (0,)) -> Shimmed:
        done = self.start(*words).wait()
        assert done.code in codes, (self.root.name, words, done.code, done.stdout, done.stderr)
        return done

    def ask(self, *words: object) -> Any:
        """The data of an answer."""
        return json.loads(self.run(*words, "--json").stdout)["data"]

    def write(self, text: str) -> str:
        """Write a record that holds everywhere; returns its id."""
        return str(self.ask("ingest", text, "--global")["items"][0]["record"]["id"])

    def export(self) -> str:
        return self.run("export", "--shared", "-").stdout

    def keep_copy(self) -> None:
        """Put a copy of the store aside."""
        self.run("backup", self.root / "kept.db")

    def put_back(self) -> None:
        """Put the copy in the place of the store."""
        self.run("restore", self.root / "kept.db", "--yes")


class Carrier:
    """What carries the folder between machines, as long as they are in touch with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        # What each copy and this carrier agreed upon last.
        self._agreed: dict[Path, set[str]] = {}

    def carry(self, copies: Sequence[Path]) -> None:
        """Bring copies of the folder in line with what was carried until now."""
        for copy in copies:
            copy.mkdir(exist_ok=True)
            agreed = self._agreed.get(copy, set())
            there, here = list_files(copy), list_files(self._folder)
            move(copy, self._folder, there - agreed, agreed - there)
            move(self._folder, copy, here - agreed, agreed - here)
            self._agreed[copy] = list_files(copy) & list_files(self._folder)

    def meet(self, other: Carrier) -> None:
        """Bring another carrier's folder in line with this one, after a partition."""
        self.carry([other._folder])


def list_files(folder: Path) -> set[str]:
    """The files of a copy, but for those that are being written."""
    return {
        str(each.relative_to(folder))
        for each in folder.rglob("*")
        if not each.name.startswith(".") and each.is_file()
    }


def move(source: Path, target: Path, new: set[str], gone: set[str]) -> None:
    """Bring new files over and take away those that are gone; some may vanish meanwhile."""
    for name in sorted(new):
        with suppress(FileNotFoundError):
            made = target / name
            made.parent.mkdir(parents=True, exist_ok=True)
            draft = made.with_name(f".carried.{made.name}")
            shutil.copyfile(source / name, draft)
            os.replace(draft, made)
    for name in gone:
        (target / name).unlink(missing_ok=True)


def sync_at_once(
    computers: Sequence[Computer], chance: random.Random, *, kills: float
) -> tuple[int, int]:
    """Let machines sync, some at once; a part is killed at one of their file operations.

    Returns how many ran and how many were killed.
    """
    killed = 0
    order = chance.sample(computers, len(computers))
    for at in range(0, len(order), AT_ONCE):
        started = []
        for each in order[at : at + AT_ONCE]:
            how = {}
            if chance.random() < kills:
                where = chance.choice(("before", "half", "after"))
                how = {"kill": f"{chance.randint(1, 250)}:{where}"}
            started.append(each.start("sync", **how))
        for each in started:
            done = each.wait()
            killed += done.was_killed
            assert done.was_killed or done.code in (0, 1), (done.code, done.stdout, done.stderr)
    return len(order), killed


def found(
    shim: Shim, root: Path, members: Sequence[str], each: int, hub: str = ""
) -> list[Computer]:
    """Machines of several members, all of one group, which meet in copies of one folder or at a
    hub.
    """
    carrier = Carrier(root / "carried")
    first = Computer(shim, root / f"{members[0]}-0", members[0])
    first.run("sync", hub or first.shared, "--as", members[0], "--yes")
    computers = [first]
    for member in members:
        inviter = first
        for number in range(each):
            if member == members[0] and number == 0:
                continue
            words = () if inviter.member == member else (member,)
            code = inviter.ask("sync", "invite", *words)["code"]
            computer = Computer(shim, root / f"{member}-{number}", member)
            carrier.carry([inviter.shared, computer.shared])
            place = () if hub else (computer.shared,)  # The code holds the address of a hub.
            computer.run("sync", "join", *place, code, "--yes")
            carrier.carry([computer.shared, *(one.shared for one in computers)])
            computers.append(computer)
            inviter = computer if number == 0 else inviter
    return computers


def iterate_rounds(chance: random.Random, texts: int) -> Iterator[tuple[int, str]]:
    """What is written: which machine (by a number to be taken modulo), and the text."""
    for number in range(texts):
        word = "".join(chance.choice("bdfgklmnprstv") + chance.choice("aeiou") for _ in range(4))
        yield chance.randrange(1 << 16), f"The {word} of lock {number} opens at {number % 24} hours"
