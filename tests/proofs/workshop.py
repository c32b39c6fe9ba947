"""A furnished house at a fixed place, in which real commands run under the shim, and the judge of
what they leave behind.

The house holds something for every command that writes to work on. It is furnished once, by the
commands themselves, and put back to that state before each run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench import jsonl
from corpus import SECRETS
from drawing import sample
from proofs.shim import COMMAND, HOOK, Shim, Shimmed

from memctl.core.model import Filter
from memctl.maintain.doctor import doctor
from memctl.settings import config as config_module
from memctl.settings.config import Config
from memctl.store import event_log, file_register, records, sources, unfinished, upkeep
from memctl.store.database import Database
from memctl.store.migrate import open_store

SETTINGS = "operator:\n  require_terminal: false\nembedding:\n  model: none\n"
SESSION = "5e551011-0000-4000-8000-00000000000a"
LATE_SESSION = "5e551011-0000-4000-8000-00000000000b"
TOKEN = sample(SECRETS["github classic"], "proof").secrets[0]
# Commands that furnish the house; NAME= keeps the id of the record that was written.
FURNISHED = """\
init
UTC=ingest "Times are stored in UTC" --type decision --rationale "DST" --alternative "local"
TEST=ingest "Tests run with pytest -q" --kind command --entity tool:pytest
OTHER=ingest "Releases are cut with hatch" --kind command --entity tool:py-test --global
WAITS=ingest "A ledger without a reason" --type decision
WAITS2=ingest "A mill without a reason" --type decision
BRANCH=ingest "The default branch is main"
TRUNK=ingest "The default branch is trunk"
LINKED=ingest "The harbour office opens at nine" --global
PINNED=ingest "Ferries leave from pier seven" --global
DOOMED=ingest "The lighthouse keeper is called Orla" --global
OLD=ingest "Invoices are printed on green paper" --global
GONE=ingest "The cellar floods in March" --global
pin $PINNED
forget $GONE --reason "dry now"
link $LINKED supports $UTC --reason "same house"
profile set editor emacs
profile set shell fish
view save rules pytest --kind command --limit 3
correct $OLD "Invoices are printed on blue paper"
project alias work name kiln
capture-session {files}/first.jsonl
maintain
capture-session {files}/second.jsonl
export {files}/out.jsonl
"""
# What stands in the house and may not be lost by a command that was not told to touch it.
UNTOUCHED = ("UTC", "TEST", "OTHER", "LINKED", "PINNED")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A command line that writes. `$NAME` is a record's id, `{files}` and other names are folders.

    `says` must stand in some record, view, source or file afterwards; `erases` must stand nowhere.
    `again` are the exit codes of the run that repeats it.
    """

    command: str
    line: str
    stdin: str = ""
    says: str = ""
    erases: str = ""
    touches: tuple[str, ...] = ()
    again: tuple[int, ...] = (0,)
    before: str = ""
    is_hook: bool = False

    @property
    def name(self) -> str:
        """What tells it apart in test ids."""
        return re.sub(r"\{\w+\}|[^\w]+", "-", self.line).strip("-")[:50]


@dataclass
class Workshop:
    """The house, its furnished state, and the ids in it."""

    folder: Path
    shim: Shim
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        """Below which everything stands that commands may write."""
        return self.folder / "house"

    @property
    def db(self) -> Path:
        """The store."""
        return self.root / "store" / "memory.db"

    @property
    def work(self) -> Path:
        """The folder of the project in which commands run."""
        return self.root / "work"

    @property
    def files(self) -> Path:
        """What commands read."""
        return self.root / "files"

    @property
    def env(self) -> dict[str, str]:
        """The environment of every command."""
        home = self.root / "home"
        return {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "XDG_STATE_HOME": str(home / ".local" / "state"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "MEMCTL_DB": str(self.db),
            "TMPDIR": str(self.root / "tmp"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    @property
    def config(self) -> Config:
        """The settings of the house, for what is asked in this process."""
        return config_module.load_config(self.db, env=self.env)

    def fill(self, line: str) -> list[str]:
        """The words of a command line, with ids and folders for their names."""
        import shlex

        places = {"files": self.files, "work": self.work, "root": self.root}
        return [
            self.ids[word[1:]] if word.startswith("$") else word.format(**places)
            for word in shlex.split(line)
        ]

    def command(self, line: str) -> subprocess.CompletedProcess[str]:
        """Run a command line in the house, without the shim."""
        return subprocess.run(
            [*COMMAND, *self.fill(line)],
            capture_output=True,
            text=True,
            cwd=self.work,
            env={**os.environ, **self.env},
            stdin=subprocess.DEVNULL,
            timeout=240,
            start_new_session=True,
            check=False,
        )

    def run(self, scenario: Scenario, **settings: str) -> Shimmed:
        """Run a scenario under the shim."""
        return self.shim.run(
            self.root,
            *self.fill(scenario.line),
            program=HOOK if scenario.is_hook else COMMAND,
            stdin=scenario.stdin.format(files=self.files, work=self.work),
            env=self.env,
            cwd=self.work,
            **settings,
        )

    def maintain(self, **settings: str) -> Shimmed:
        """Maintain as a timer does."""
        return self.shim.run(self.root, "maintain", env=self.env, cwd=self.work, **settings)

    def furnish(self) -> None:
        """Make the house and keep a copy of it."""
        for name in ("home/.config/memctl", "store", "work", "files/notes", "tmp", "sundial"):
            (self.root / name).mkdir(parents=True)
        (self.root / "home/.config/memctl/config.yaml").write_text(SETTINGS)
        self._write_files()
        for line in FURNISHED.splitlines():
            name, _, command = line.rpartition("=") if line[:1].isupper() else ("", "", line)
            done = self.command(f"{command} --json" if name else command)
            assert done.returncode == 0, (line, done.stdout, done.stderr)
            if name:
                (item,) = json.loads(done.stdout)["data"]["items"]
                self.ids[name] = item["record"]["id"]
        self._add_foreign_export()
        self._add_others()
        self._add_old_secret()
        assert self.command("backup {files}/back.db").returncode == 0
        self.keep("furnished")

    def keep(self, name: str) -> None:
        """Keep a copy of the house."""
        shutil.copytree(self.root, self.folder / name, symlinks=True)

    def restore(self, name: str = "furnished") -> None:
        """Put the house back as it was kept."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.folder / name, self.root, symlinks=True)

    def _write_files(self) -> None:
        talk = (
            ("user", "We decided to use SQLite for the ledger because one file is easy to copy."),
            ("assistant", "Understood; I changed the kiln module and its tests pass."),
            ("user", "Always run make check before you push."),
        )
        cwd = str(self.work)
        (self.files / "first.jsonl").write_bytes(jsonl(*talk, session=SESSION, cwd=cwd))
        (self.files / "second.jsonl").write_bytes(
            jsonl(("user", "Never print on red paper."), session=LATE_SESSION, cwd=cwd)
        )
        late = jsonl(
            ("user", "We decided to glaze twice because the clay is porous."),
            ("assistant", "The zebra glaze is applied twice."),
            session="5e551011-0000-4000-8000-00000000000c",
            cwd=cwd,
        )
        (self.files / "third.jsonl").write_bytes(late)
        agents = self.root / "home/.claude/projects/-work"
        agents.mkdir(parents=True)
        (agents / "5e551011-0000-4000-8000-00000000000d.jsonl").write_bytes(
            jsonl(
                ("user", "We decided to fire at night because power is cheap then."),
                ("assistant", "The zebra kiln is fired at night."),
                session="5e551011-0000-4000-8000-00000000000d",
                cwd=cwd,
            )
        )
        crates = [{"content": f"The zebra crate number {n} holds {n * 7} tiles"} for n in range(40)]
        (self.files / "lines.jsonl").write_text("".join(f"{json.dumps(it)}\n" for it in crates))
        (self.files / "AGENTS.md").write_text("# Rules\n\n- Always wrap zebra tiles in straw.\n")
        (self.files / "chat.txt").write_text(
            "[01/02/2026, 10:00:00] Ada: The zebra boat sails on Friday\n"
            "[01/02/2026, 10:01:00] Bo: Good, I shall bring the zebra flag\n"
        )

    def _add_foreign_export(self) -> None:
        """An export of another store, and the second project of this one."""
        with self.elsewhere() as db:
            for line in (
                'ingest "The zebra barge carries slate" --global',
                'ingest "The zebra barge has two masts" --global',
                'ingest "The zebra crew eats at noon" --global',
                "export {files}/foreign.jsonl",
            ):
                done = self.command(f"--db {db} {line}")
                assert done.returncode == 0, done.stderr
        done = subprocess.run(
            [*COMMAND, "ingest", "The sundial faces south", "--json"],
            cwd=self.root / "sundial",
            env={**os.environ, **self.env},
            capture_output=True,
            text=True,
            start_new_session=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def _add_others(self) -> None:
        """A folder where somebody else meets others, and an invitation to it."""
        with self.elsewhere("others") as db:
            for line in (
                'ingest "The zebra sails are mended on Mondays" --global',
                "sync {files}/met --as Vera --yes",
                "sync share --global",
                "sync",
            ):
                done = self.command(f"--db {db} {line}")
                assert done.returncode == 0, (line, done.stderr)
            done = self.command(f"--db {db} sync invite Orla --admin --json")
            self.ids["CODE"] = json.loads(done.stdout)["data"]["code"]

    @contextmanager
    def elsewhere(self, name: str = "elsewhere") -> Iterator[Path]:
        """A store beside the house, which is removed afterwards."""
        place = self.folder / name
        place.mkdir()
        yield place / "other.db"
        shutil.rmtree(place)

    def _add_old_secret(self) -> None:
        """A secret from before a rule knew it stands in a hook log."""
        log = self.db.parent / "hook.log"
        log.write_text(f"2026-01-01T00:00:00.000Z trouble with {TOKEN}\n")
        log.chmod(0o600)

    def list_texts(self) -> str:
        """Everything that the store, its spool and the stores that restores kept hold."""
        kept = [
            path
            for path in self.db.parent.rglob("*before-restore*")
            if not path.name.endswith(("-wal", "-shm", ".tmp"))
        ]
        texts = [path.read_text() for path in self.config.spool.glob("*.json")]
        for path in (self.db, *kept):
            db = Database(path)
            try:
                texts += list_stored_texts(db)
            finally:
                db.close()
        return "\n".join(texts)

    # -- the judge

    @contextmanager
    def open(self) -> Iterator[Database]:
        """The store, opened in this process."""
        db = open_store(self.db, create=False)
        try:
            yield db
        finally:
            db.close()

    def contents(self) -> dict[str, tuple[str, str]]:
        """Content and status of every record by its id."""
        with self.open() as db:
            return {
                each.id: (each.content, each.status)
                for each in records.select_records(db, Filter())
            }

    def find_faults(self) -> list[str]:
        """Everything that is wrong with the structure of the store."""
        with self.open() as db:
            return [*list_faults(db)]

    def find_problems(self) -> list[str]:
        """What doctor calls a problem."""
        return [
            f"{check.name}: {check.detail}"
            for check in doctor(self.config, repair=False).checks
            if check.state == "problem"
        ]

    def find_leftovers(self) -> list[str]:
        """Drafts that a command left behind."""
        return sorted(
            str(path.relative_to(self.root))
            for path in self.root.rglob("*")
            if path.is_file()
            and any(mark in path.name for mark in (".tmp", ".partial"))
            and not path.is_relative_to(self.root / "tmp")
        )

    def find_unregistered(self) -> list[str]:
        """Files in the store's folder, and drafts anywhere, that the register does not know."""
        known = {Path(os.path.realpath(path)) for path in file_register.list_files(self.config)}
        found = [path for path in self.db.parent.rglob("*") if path.is_file()]
        found += [self.root / name for name in self.find_leftovers()]
        # A second store in the same folder is known to its own settings.
        return sorted(
            {
                str(path.relative_to(self.root))
                for path in found
                if Path(os.path.realpath(path)) not in known and not path.name.startswith("new.db")
            }
        )

    def holds(self, text: str) -> bool:
        """Whether a text stands in a record, a stored turn, a view, the spool or a file of ours."""
        if any(text in content for content, _ in self.contents().values()):
            return True
        with self.open() as db:
            rows = [
                *db.all("saved_views.all"),
                *db.all("entities.everything"),
            ]
            if any(text in str(tuple(row)) for row in rows):
                return True
        return bool(self.find_bytes(text))

    def find_bytes(self, text: str, *, under: Path | None = None) -> list[str]:
        """The files of the house in which the bytes of a text stand, but for what was given."""
        wanted = text.encode()
        return [
            str(path.relative_to(self.root))
            for path in (under or self.root).rglob("*")
            if path.is_file()
            and not path.is_relative_to(self.files)
            and not path.is_relative_to(self.root / "home/.claude/projects")
            and wanted in path.read_bytes()
        ]


def list_faults(db: Database) -> Iterator[str]:
    """Name what is unsound in structure, references, hashes, indexes and the stream of events."""
    yield from (f"structure: {fault}" for fault in upkeep.find_structure_faults(db))
    yield from (f"dangling: {fault}" for fault in upkeep.find_dangling(db))
    yield from (f"hash: {fault}" for fault in upkeep.find_damaged_records(db))
    yield from (f"quote: {fault}" for fault in upkeep.find_damaged_quotes(db))
    yield from (f"unindexed: {fault}" for fault in upkeep.find_unindexed(db))
    yield from (f"surplus: {fault}" for fault in upkeep.find_surplus(db))
    yield from (f"drift: {fault}" for fault in upkeep.find_drifted(db)[0])
    # An erasure rewrites the past in several transactions; until its last, the chain is open, and
    # the ledger says so.
    if not unfinished.list_operations(db, "purge"):
        yield from (f"stream: {fault}" for fault in event_log.find_broken_links(db))
    if not upkeep.index_is_sound(db):
        yield "the full-text index disagrees with its texts"


def list_lost(
    before: Mapping[str, tuple[str, str]],
    after: Mapping[str, tuple[str, str]],
    spared: set[str],
) -> list[str]:
    """The records that were there, were not to be touched, and are gone or changed."""
    return [
        f"{each} {before[each]} -> {after.get(each)}"
        for each in before
        if each not in spared and after.get(each) != before[each]
    ]


def list_stored_texts(db: Database) -> Iterator[str]:
    """The text of every record, view and stored turn."""
    for row in (*db.all("records.everything"), *db.all("saved_views.all")):
        yield str(tuple(row))
    for row in db.all("sources.everything"):
        yield from (turn.text for turn in sources.read_turns(db, row["id"]))
