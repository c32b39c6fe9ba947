"""Whatever comes in - transcripts, the JSON of hooks, queries, exports, settings - is taken or
refused cleanly: an error of ours with its exit code, never a traceback.

The time is bounded by counting inputs. `PROVE_FUZZ_STATE=FILE` goes on where the last run ended.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from proofs import mutation, sampling
from proofs.workshop import Workshop, list_faults

from memctl import hook
from memctl.core import errors
from memctl.core.errors import ConfigError, MemctlError, exit_codes
from memctl.core.model import Actor, Query
from memctl.engine.memory_engine import MemoryEngine
from memctl.exchange import import_
from memctl.readers.base import Input
from memctl.readers.detect import detect_reader
from memctl.settings import config
from memctl.settings.definitions import SETTINGS
from memctl.store.migrate import open_store
from tests.exchange import houses
from tests.readers.contract import SAMPLES

TIMES = 20 if sampling.EVERY else 1
READERS = 1500 * TIMES
HOOKS = 250 * TIMES
QUERIES = 400 * TIMES
IMPORTS = 80 * TIMES
COMMANDS = 40 * TIMES
# What a hook may write into its log: our own errors, and those of files and of the JSON itself.
KNOWN = {
    "HookTrouble",
    "DeadlinePassed",
    "OSError",
    "FileNotFoundError",
    "PermissionError",
    "IsADirectoryError",
    "NotADirectoryError",
} | {name for name in vars(errors) if isinstance(getattr(errors, name), type)}


@contextmanager
def only_our_errors(number: int, data: bytes) -> Iterator[None]:
    """Let errors of ours pass; anything else names the input."""
    try:
        yield
    except MemctlError as error:
        assert error.exit_code in exit_codes()
    except Exception as error:
        raise AssertionError(f"input {number}: {data[:2000]!r}") from error


def finish(record_property: Callable[[str, object], None], inputs: int) -> None:
    record_property("inputs", inputs)
    record_property("tracebacks", 0)
    record_property("undocumented", 0)


def draw_transcript(number: int) -> bytes:
    """A mutated seed of our own, or a sample of any reader."""
    dice = random.Random(f"{sampling.SEED} transcript {number}")
    if dice.random() < 0.4:
        return mutation.draw_input("readers", number, sampling.SEED)
    files = sorted(path for path in SAMPLES.rglob("*") if path.is_file())
    small = [
        path for path in files if path.name != "expected.json" and path.stat().st_size < 60_000
    ]
    data = dice.choice(small).read_bytes()
    return mutation.mutate_json(data, dice) if dice.random() < 0.6 else mutation.mutate(data, dice)


@pytest.mark.proof
@pytest.mark.parametrize("part", range(4))
def test_any_transcript_is_read_or_refused(
    part: int, record_property: Callable[[str, object], None]
) -> None:
    progress = mutation.Progress(f"readers-{part}", READERS // 4)
    for number in progress.numbers:
        data = draw_transcript(part * 10**9 + number)
        with only_our_errors(number, data):
            source = Input(data=data)
            for transcript in detect_reader(source).read(source):
                assert all(isinstance(turn.text, str) for turn in transcript.turns)
        progress.note(number)
    finish(record_property, len(progress.numbers))


@pytest.mark.proof
def test_any_json_of_a_hook_is_served_or_logged(
    workshop: Workshop,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    for name, value in workshop.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(workshop.work)
    log = workshop.db.parent / "hook.log"
    progress = mutation.Progress("hook", HOOKS)
    for number in progress.numbers:
        data = mutation.draw_input("hook", number, sampling.SEED)
        log.unlink(missing_ok=True)
        event = ("UserPromptSubmit", "SessionStart", "SessionEnd", "Stop")[number % 4]
        answer = hook.run_hook("claude-code", event, data, workshop.db)
        assert not answer or isinstance(json.loads(answer), dict)
        for line in log.read_text().splitlines() if log.exists() else ():
            kind = re.search(r": (\w+): ", line)
            assert kind and kind[1] in KNOWN, (number, line, data[:500])
        progress.note(number)
    assert workshop.find_faults() == []
    finish(record_property, len(progress.numbers))


@pytest.mark.proof
def test_any_query_is_answered(
    workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    lines = dict(mutation.list_seeds("queries"))["plain.txt"].split(b"\n")
    progress = mutation.Progress("queries", QUERIES)
    with MemoryEngine(workshop.config, Actor("operator")) as engine:
        for number in progress.numbers:
            dice = random.Random(f"{sampling.SEED} query {number}")
            data = mutation.mutate(dice.choice(lines), dice)[:20_000]
            limit = dice.choice((1, 8, 2048, 2049, 10**6, 0, -1))
            with only_our_errors(number, data):
                engine.search(Query(data.decode("utf-8", "surrogateescape"), limit=limit))
            progress.note(number)
    finish(record_property, len(progress.numbers))


@pytest.mark.proof
def test_any_export_is_taken_or_refused(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    file, place = tmp_path / "export.jsonl", tmp_path / "store" / "memory.db"
    db = open_store(place, create=True)
    houses.add(db, houses.memory("The lighthouse blinks twice"))
    settings = houses.settings(place)
    progress = mutation.Progress("imports", IMPORTS)
    for number in progress.numbers:
        data = mutation.draw_input("imports", number, sampling.SEED)
        file.write_bytes(data)
        with only_our_errors(number, data):
            import_.import_file(db, settings, Actor("agent:tester"), file, dry_run=False)
        progress.note(number)
    assert list(list_faults(db)) == []
    risen = [
        row["id"]
        for row in db.all("records.everything")
        if row["status"] == "active" and row["type"] == "profile" and row["trust"] > 2
    ]
    assert risen == [], "an import gained trust"
    finish(record_property, len(progress.numbers))


def draw_settings(number: int) -> dict[str, object]:
    """Settings with one to three odd values."""
    dice = random.Random(f"{sampling.SEED} settings {number}")
    chosen = (
        dice.sample(SETTINGS, dice.randint(1, 3)) if number >= len(SETTINGS) else [SETTINGS[number]]
    )
    values: dict[str, object] = {}
    for setting in chosen:
        value = dice.choice((*mutation.ODD, setting.default, [setting.default]))
        group, _, name = setting.key.partition(".")
        section = values.setdefault(group, {})
        assert isinstance(section, dict)
        section[name] = value
    return values


@pytest.mark.proof
def test_any_value_of_a_setting_is_refused_or_leaves_search_working(
    workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    file = Path(workshop.env["XDG_CONFIG_HOME"]) / "memctl" / "config.yaml"
    count = (len(SETTINGS) + 150) * TIMES
    progress = mutation.Progress("settings", count)
    accepted = 0
    for number in progress.numbers:
        values = draw_settings(number)
        try:
            text = yaml.safe_dump(values, allow_unicode=True)
        except yaml.YAMLError:
            continue
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        data = text.encode("utf-8", "surrogatepass")
        with only_our_errors(number, data):
            try:
                settings = config.load_config(workshop.db, env=workshop.env)
            except ConfigError:
                continue
            accepted += 1
            with MemoryEngine(settings, Actor("operator")) as engine:
                found = engine.search(Query("ferries leave from pier seven"))
                assert found.items, (number, text, "accepted, but nothing is found any more")
                engine.maintain(dry_run=True)
        progress.note(number)
    assert accepted > 10
    finish(record_property, len(progress.numbers))


@pytest.mark.proof
def test_real_commands_end_with_a_documented_code(
    workshop: Workshop, record_property: Callable[[str, object], None]
) -> None:
    progress = mutation.Progress("commands", COMMANDS)
    given = workshop.files / "given"
    for number in progress.numbers:
        dice = random.Random(f"{sampling.SEED} command {number}")
        target, line = dice.choice(
            (
                ("readers", "capture-conversation {files}/given"),
                ("readers", "capture-session {files}/given"),
                ("imports", "import {files}/given"),
                ("imports", "ingest --file {files}/given"),
                ("readers", "import-memories {files}/given"),
                ("imports", "restore {files}/given --yes"),
                ("readers", "redact {files}/given"),
            )
        )
        given.write_bytes(mutation.draw_input(target, number, sampling.SEED))
        done = workshop.command(line)
        told = (number, line, done.returncode, done.stderr[-3000:])
        assert "Traceback" not in done.stderr and done.returncode in exit_codes(), told
        progress.note(number)
    assert workshop.find_faults() == []
    finish(record_property, len(progress.numbers))
