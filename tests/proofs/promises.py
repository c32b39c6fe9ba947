"""The twenty promises of memctl, each with the proofs that it rests on.

A figure is what its proof counted itself in the run that is published; `{name}` stands for the sum
of what the tests of a proof gave to `record_property(name, ...)`, `{tests}` for their number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_PROOFS = "tests/proofs/"
_SEARCHING = (
    "tests/retrieve",
    "tests/store",
    "tests/test_acceptance.py",
    "tests/maintain/test_doctor.py",
    "tests/maintain/test_maintain.py",
)


@dataclass(frozen=True, slots=True)
class Proof:
    """Tests that show one thing, and how their figure is told."""

    name: str
    about: str
    figure: str
    tests: tuple[str, ...]
    # What the tests are run without: `extension`, `weights`, `kernel`, or nothing.
    without: str = ""

    def covers(self, name: str) -> bool:
        """Whether a test that was run (with its `--without`) belongs to this proof."""
        nodeid, _, part = name.partition(" --without ")
        return part == self.without and any(self.is_in(test, nodeid) for test in self.tests)

    @staticmethod
    def is_in(test: str, name: str) -> bool:
        """Whether a test is the named one, or stands in the named file or folder."""
        nodeid = name.partition(" --without ")[0]
        return nodeid == test or nodeid.startswith((f"{test}::", f"{test}[", f"{test}/"))

    def tell(self, found: Mapping[str, Any]) -> str:
        """The figure of a run, in words."""
        figures = {name: f"{round(value, 2):,}" for name, value in found["figures"].items()}
        try:
            return self.figure.format(tests=f"{found['tests']:,}", **figures)
        except KeyError:
            return self.about


@dataclass(frozen=True, slots=True)
class Promise:
    """What is promised, the names of its proofs, and what they do not show."""

    text: str
    proofs: tuple[str, ...]
    limits: str = ""


PROOFS: tuple[Proof, ...] = (
    Proof(
        "kill-loops",
        "every command that writes, killed at its file operations",
        "{kills} kills at file operations of {commands} command lines: {lost} lost, "
        "{corrupt} corrupt",
        (f"{_PROOFS}test_kill_loops.py",),
    ),
    Proof(
        "kill-9",
        "writers and maintenance killed at any time",
        "{kills} kills among {writes} acknowledged writes: {lost} lost",
        (
            "tests/store/test_durability.py::test_no_acknowledged_write_is_lost_to_kill_9",
            "tests/maintain/test_killed.py",
        ),
    ),
    Proof(
        "notes",
        "a folder of notes and its records, edited on both sides at once; runs killed anywhere",
        "{rounds} rounds of {edits} edits on both sides, {kills} kills of a run: {lost} lost",
        (f"{_PROOFS}test_vault.py",),
    ),
    Proof(
        "power-cut",
        "power cuts over the real write path, two models of a disk",
        "{cuts} cuts of {operations} file operations: {lost} lost, {corrupt} corrupt",
        (f"{_PROOFS}test_power_cut.py",),
    ),
    Proof(
        "injected-errors",
        "ENOSPC, EIO and EDQUOT at file operations of every command that writes",
        "{errors} errors in {commands} command lines: {tracebacks} tracebacks, {lost} lost",
        (f"{_PROOFS}test_injected_errors.py", "tests/cli/test_cli_unwritable.py"),
    ),
    Proof(
        "many-at-once",
        "32 processes that write, capture, maintain, back up, restore, import and purge",
        "{processes} processes at once, {writes} acknowledged writes: {lost} lost, "
        "{refused} refused",
        (
            f"{_PROOFS}test_many_at_once.py",
            "tests/store/test_durability.py::test_many_writers_all_finish_and_none_starves",
        ),
    ),
    Proof(
        "reads-do-not-wait",
        "reading commands and hooks while another process holds the write lock",
        "{reads} reads under a held write lock: {unanswered} unanswered, {slept} s asked to sleep",
        (
            f"{_PROOFS}test_reads_do_not_wait.py",
            "tests/store/test_durability.py::"
            "test_readers_are_not_blocked_by_a_writer_and_see_one_moment",
        ),
    ),
    Proof(
        "hooks-in-time",
        "hooks of every agent while the store is held",
        "{tests} hooks in time",
        ("tests/hook/test_hook_busy.py", "tests/hook/test_plugin.py"),
    ),
    Proof(
        "every-command",
        "every command once, under umask 0, offline, over hostile text",
        "{runs} runs: {libraries} with two SQLite libraries, {controls} with raw controls, "
        "{public} public files, {network} network calls",
        (f"{_PROOFS}test_every_command.py",),
    ),
    Proof(
        "one-library",
        "the libraries that a process has loaded after all commands",
        "{tests} tests",
        ("tests/cli/test_one_sqlite.py",),
    ),
    Proof(
        "clock-jumps",
        "all commands with a clock that is ahead, behind, in 1970 and on a leap day",
        "{runs} runs under {clocks} clocks: {tracebacks} tracebacks, {lost} lost",
        (f"{_PROOFS}test_clock_jumps.py",),
    ),
    Proof(
        "damage",
        "noise and flipped bits in the store file",
        "{stores} damaged stores: {tracebacks} tracebacks, {missed} changed texts unnoticed, "
        "{restored} restored",
        (f"{_PROOFS}test_damaged_files.py",),
    ),
    Proof(
        "doctor",
        "drift of the indexes and damaged content",
        "{tests} kinds of drift and damage found, or gone around",
        ("tests/maintain/test_doctor.py", "tests/cli/test_unreadable_rows.py"),
    ),
    Proof(
        "checksums",
        "every value changed, every bit of a stored turn flipped, tables and columns taken away",
        "{tests} changes behind the store's back, all told",
        ("tests/store/test_checksums.py", "tests/maintain/test_doctor_states.py"),
    ),
    Proof(
        "witness",
        "an older file, a lost log, a rewritten history, another store in its place",
        "{tests} kinds of tampering told, or known to be none",
        ("tests/store/test_witness.py", "tests/store/test_agmi.py"),
    ),
    Proof(
        "backup",
        "backups among writers, restores that verify, restores beside writers",
        "{tests} backups and restores among other processes or of bad files",
        ("tests/exchange/test_backup.py", "tests/store/test_restore.py"),
    ),
    Proof(
        "short-locks",
        "long work in chunks: others write between them, a kill is finished",
        "{tests} cases of long work cut in pieces",
        (
            "tests/store/test_chunks.py",
            "tests/exchange/test_import_chunks.py",
            "tests/maintain/test_cut_off.py",
        ),
    ),
    Proof(
        "upgrade",
        "stores of every schema, upgraded with kills in the middle",
        "{upgrades} upgrades from {schemas} schemas with {kills} kills: {lost} records lost",
        (f"{_PROOFS}test_upgrades.py", "tests/store/test_migrate.py"),
    ),
    Proof(
        "purge",
        "what is purged is gone, byte for byte",
        "{purges} purges: {bytes_left} places left in file, log, vectors, spool or drafts",
        (f"{_PROOFS}test_purge_is_gone.py", "tests/erase/test_purge.py"),
    ),
    Proof(
        "redaction",
        "secrets found on the held-out kinds",
        "{found} of {held_out} held-out kinds found, {mistaken} of {look_alikes} look-alikes cut",
        (f"{_PROOFS}test_redaction_rate.py", "tests/redact/test_corpus.py"),
    ),
    Proof(
        "bounds",
        "redaction of hostile text takes bounded time",
        "{tests} hostile texts bounded",
        ("tests/redact/test_bounds.py",),
    ),
    Proof(
        "trust",
        "no path makes untrusted text trusted",
        "{tests} properties",
        ("tests/curate/test_trust.py",),
    ),
    Proof(
        "poison",
        "planted text, summarised twice, its origin revoked",
        "{planted} planted statements, {derived} records derived from them: {served} served",
        (f"{_PROOFS}test_poison.py",),
    ),
    Proof(
        "hostile-imports",
        "files that try to escape or to gain trust",
        "{tests} hostile files and databases",
        ("tests/exchange/test_bad_files.py", "tests/store/test_foreign_databases.py"),
    ),
    Proof(
        "fuzz",
        "mutated transcripts, hook inputs, queries, imports and settings",
        "{inputs} inputs: {tracebacks} tracebacks, {undocumented} undocumented exit codes",
        (f"{_PROOFS}test_fuzz.py",),
    ),
    Proof(
        "hostile-text",
        "readers, renderers and options over hostile values",
        "{tests} tests",
        (
            "tests/readers/test_hostile.py",
            "tests/cli/test_cli_render.py",
            "tests/cli/test_option_values.py",
        ),
    ),
    *(
        Proof(
            f"without-{part}",
            f"searching, the store and doctor without the {what}",
            "{tests} tests",
            _SEARCHING,
            part,
        )
        for part, what in (
            ("extension", "vector extension"),
            ("weights", "model's weights"),
            ("kernel", "compiled kernel"),
        )
    ),
    Proof(
        "long-properties",
        "properties that take long: whole journeys, two stores, a year, odd models",
        "{tests} tests",
        (
            "tests/benchmarks/test_dream.py",
            "tests/journal/test_journal_files.py",
            "tests/consolidate/test_neighbours.py",
            "tests/retrieve/test_any_query.py",
            "tests/llm/test_odd_models.py",
            "tests/exchange/test_two_stores.py",
            "tests/test_acceptance.py",
            "tests/benchmarks/test_year.py",
            "tests/benchmarks/test_served.py",
            "tests/benchmarks/test_review_film.py",
            "tests/sync/test_convergence.py",
            f"{_PROOFS}test_sync_many.py",
            "tests/cli/test_cli_sync_hostile.py",
        ),
    ),
)

PROMISES: dict[int, Promise] = {
    1: Promise(
        "An acknowledged write survives the death of any process.",
        ("kill-loops", "kill-9", "notes"),
        "Kills are sampled in the published run; `scripts/prove --every` tries each operation.",
    ),
    2: Promise(
        "... and a power cut.",
        ("power-cut", "injected-errors"),
        "The cuts are simulated. A disk that reports a sync it did not do is beyond this.",
    ),
    3: Promise(
        "32 simultaneous writers succeed; beyond 30 s a retryable exit code; a hook's capture "
        "never fails, it spools.",
        ("many-at-once", "hooks-in-time", "short-locks"),
    ),
    4: Promise(
        "`context` and `search` are not blocked by writers, and their answer waits for no write.",
        ("reads-do-not-wait",),
    ),
    5: Promise(
        "One SQLite library a process, after every command.", ("every-command", "one-library")
    ),
    6: Promise(
        "Search cannot drift silently: `doctor` finds drift and an emptied index; "
        "`doctor --repair` brings both to zero.",
        ("doctor",),
    ),
    7: Promise(
        "Damaged content is found, and never mended by guessing.",
        ("damage", "checksums", "doctor"),
        "Damage of free pages is nobody's loss and is not reported.",
    ),
    8: Promise(
        "A backup among writers is complete, private and restorable; `restore` verifies before it "
        "replaces.",
        ("backup", "many-at-once", "kill-loops"),
    ),
    9: Promise(
        "`purge` means gone: no byte of it in the file, the log, vectors, logs, spool or drafts; "
        "older backups are named.",
        ("purge", "kill-loops"),
        "Free blocks of the disk, snapshots of the file system and copies made by others are "
        "beyond a program's reach.",
    ),
    10: Promise(
        "Secrets are redacted before storage, metadata included; the held-out rate is published.",
        ("redaction",),
        "Secrets of unknown shape without a name beside them are not found.",
    ),
    11: Promise("Redaction is bounded on hostile text.", ("bounds",)),
    12: Promise("Untrusted text never becomes trusted by itself.", ("trust",)),
    13: Promise(
        "Poison can be traced and undone: revoking its origin takes all that was derived from it.",
        ("poison",),
    ),
    14: Promise(
        "Tampering is reported: a rewritten event, an older file, a log that was cut off.",
        ("witness", "doctor"),
        "It is evident, not prevented: whoever has the operator's account can rewrite the store "
        "and what witnesses it.",
    ),
    15: Promise(
        "Output cannot drive the terminal; no raw controls in `--json`.",
        ("every-command", "hostile-text"),
    ),
    16: Promise(
        "Any bytes are accepted or refused cleanly.", ("fuzz", "hostile-text", "clock-jumps")
    ),
    17: Promise(
        "An import can neither escape nor elevate.",
        ("hostile-imports", "fuzz"),
    ),
    18: Promise(
        "Private by default: folders 0700, files 0600, under any umask.",
        ("every-command", "upgrade"),
    ),
    19: Promise(
        "Vectors are optional: searches answer without them, and say so.",
        ("without-extension", "without-weights", "without-kernel"),
    ),
    20: Promise(
        "Never on the network, unless a configured model is, or a hub that you sync with.",
        ("every-command",),
        "What a configured model or its plug-in does is its own.",
    ),
}
