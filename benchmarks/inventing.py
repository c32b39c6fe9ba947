"""Invented but realistic records of many projects; the same arguments give the same records, to the
last id.

Words recur as they do in notes on software: some in every tenth record, names and numbers of things
in one or two of the whole store.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from memctl.core import timestamps
from memctl.core.model import OWNER_OF, Evidence, Link, Memory, Project
from memctl.text.normalize import make_fingerprint

FIRST_DAY, LAST_DAY = 1_700_000_000, 1_764_000_000
# Nobody has more that every context must begin with, however large the store is.
_MOST_ALWAYS = 60

PARTS = """
    parser tokenizer scheduler importer exporter dashboard login checkout invoice mailer indexer
    cache queue worker gateway webhook billing search uploader thumbnail renderer compiler linter
    migration backup replication telemetry alerting session permission audit report calendar
    notification chat editor canvas timeline map geocoder payment refund coupon inventory shipment
    catalogue review rating feed crawler scraper classifier embedding ranker tagger summariser
    translator transcoder player recorder synchroniser installer updater launcher onboarding
    settings profile avatar theme locale archive snapshot ledger exchange wallet faucet validator
    proxy balancer limiter throttle broker stream bucket partition shard cluster replica
    coordinator election lease heartbeat watchdog sandbox plugin extension macro template wizard
    form grid chart gauge histogram heatmap sensor firmware bootloader driver modem antenna
    battery charger motor gripper camera lidar simulator planner controller estimator filter
    fusion odometry localiser mapper
""".split()
TOOLS = """
    pytest ruff mypy cargo clippy npm pnpm vitest playwright gradle maven terraform ansible docker
    podman helm kubectl make just nix bazel poetry uv pip tox nox eslint prettier webpack vite
    esbuild postgres sqlite redis kafka rabbitmq nats duckdb clickhouse grafana prometheus loki
    jaeger sentry nginx caddy traefik systemd cron rsync git github gitlab
""".split()
ACTIONS = """
    builds formats deploys tests lints migrates restores compresses encrypts signs publishes
    mirrors validates schedules batches retries throttles shards replays streams renders parses
    indexes caches evicts
""".split()
QUALITIES = """
    slow fast flaky stable brittle noisy silent strict lenient lossy idempotent atomic eventual
    synchronous deterministic cheap expensive verbose minimal legacy experimental
""".split()
PLACES = """
    staging production Frankfurt Oregon laptop edge nightly weekend office lab warehouse fleet
    tenant preview canary
""".split()
PEOPLE = "Marta Ilse Joon Priya Tomas Aiko Wanjiru Leif Noor Dario Sofie Kwame".split()
_WORDS = {
    "part": PARTS,
    "part2": PARTS,
    "tool": TOOLS,
    "tool2": TOOLS,
    "action": ACTIONS,
    "quality": QUALITIES,
    "place": PLACES,
    "person": PEOPLE,
}
FORMS = {
    "project": (
        (
            "fact",
            "The {part} of {name} {action} {part2} data in {place} with {tool}; it is {quality} "
            "when more than {n} items wait.",
        ),
        (
            "convention",
            "In {name} every {part} change goes with a {tool} run and a note for {person}; keep "
            "modules under {n} lines.",
        ),
        (
            "constraint",
            "{name} must never call the {part} from the {part2}: the {place} network drops such "
            "requests after {n} ms.",
        ),
        ("command", "Run `{tool} {part} --{place} --jobs {n}` to check the {part2} of {name}."),
        (
            "workflow",
            "To release {name}: freeze the {part}, run {tool}, wait for {place}, then tell "
            "{person}.",
        ),
    ),
    "decision": (
        (
            "decision",
            "We use {tool} rather than {tool2} for the {part} of {name}, because {tool2} was "
            "{quality} under {n} clients.",
        ),
    ),
    "artifact": (
        (
            "pointer",
            "The {part} design of {name} is in docs/{part}-{part2}.md, the {quality} trace in "
            "traces/{n}.json.",
        ),
    ),
    "episode": (
        (
            "summary",
            "Worked on the {part} of {name}: {tool} failed in {place}, traced it to the "
            "{part2}, fixed after {n} tries.",
        ),
    ),
    "task_hint": (
        ("todo", "Next in {name}: make the {part} {quality} and drop the {part2} workaround {n}."),
    ),
    "profile": (
        (
            "preference",
            "Prefers {tool} over {tool2} for {part} work and {quality} {part2} output; at most "
            "{n} lines a reply.",
        ),
    ),
}
_TRACES = (
    "It showed as error E{code} in `{part}_{part2}_{quality}`.",
    "See src/{part}/{part2}.py at {commit}.",
    "The ticket is OPS-{code}.",
    "",
)
SHARES = (
    ("project", 55),
    ("decision", 12),
    ("artifact", 10),
    ("episode", 15),
    ("task_hint", 6),
    ("profile", 2),
)
STATUSES = (("active", 84), ("superseded", 6), ("archived", 5), ("inbox", 4), ("contradicted", 1))
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [a + b for a in _DIGITS for b in _DIGITS]


class Item(NamedTuple):
    """A record with the words it rests on, and its link to another record if it has one."""

    memory: Memory
    evidence: Evidence
    link: Link | None


def projects(count: int, seed: int) -> list[Project]:
    """That many projects, `project-0` the first, each with a folder."""
    dice, at = random.Random(f"projects {seed}"), timestamps.format_iso(FIRST_DAY)
    return [
        Project(_ulid(dice, FIRST_DAY), f"project-{i}", f"/home/op/src/project-{i}", at, at)
        for i in range(count)
    ]


def items(known: Sequence[Project], count: int, seed: int) -> Iterator[Item]:
    """That many records, oldest first, spread over all projects."""
    dice, previous, always = random.Random(seed), None, 0
    for number in range(count):
        item = _item(
            dice,
            known[number % len(known)],
            FIRST_DAY + (LAST_DAY - FIRST_DAY) * number / count,
            previous,
            always < _MOST_ALWAYS,
        )
        always += item.memory.always_load
        previous = item.memory
        yield item


def _item(
    dice: random.Random,
    project: Project,
    seconds: float,
    previous: Memory | None,
    may_be_always: bool,
) -> Item:
    at = timestamps.format_iso(seconds)
    memory = _record(dice, project, seconds, at, may_be_always)
    quote = Evidence(_ulid(dice, seconds), memory.id, memory.summary, "human", memory.trust, at, at)
    link = None
    if previous is not None and memory.status in ("superseded", "contradicted"):
        relation = "supersedes" if memory.status == "superseded" else "contradicts"
        link = Link(_ulid(dice, seconds), previous.id, relation, memory.id, "maintain", at)
    return Item(memory, quote, link)


def _record(
    dice: random.Random, project: Project, seconds: float, at: str, may_be_always: bool
) -> Memory:
    type_ = _TYPES[bisect(_TYPE_SUMS, dice.random())]
    forms = FORMS[type_]
    kind, form = forms[int(dice.random() * len(forms))]
    words = _drawn_words(dice, project.name)
    text = form.format_map(words)
    more = FORMS["project"][int(dice.random() * 5)][1].format_map(_drawn_words(dice, project.name))
    scope, home = ("global", None) if type_ == "profile" else ("project", project.id)
    return Memory(
        id=_ulid(dice, seconds),
        type=type_,
        kind=kind,
        scope=scope,
        status=_STATUSES[bisect(_STATUS_SUMS, dice.random())],
        title=text[:70].rsplit(" ", 1)[0],
        content=f"{text} {more} {_trace(dice, words)}".rstrip(),
        summary=text,
        owner=OWNER_OF[type_],
        source_kind="conversation",
        confidence=round(0.5 + dice.random() / 2, 2),
        trust=2 + int(dice.random() * 4),
        observed_at=at,
        fingerprint=make_fingerprint(text, scope, home),
        created_at=at,
        updated_at=at,
        project_id=home,
        rationale=FORMS["episode"][0][1].format_map(_drawn_words(dice, project.name))
        if type_ == "decision"
        else None,
        always_load=type_ == "profile" and dice.random() < 0.05 and may_be_always,
    )


def _trace(dice: random.Random, words: dict[str, str]) -> str:
    code, commit = int(dice.random() * 100_000), f"{dice.getrandbits(28):07x}"
    return _TRACES[int(dice.random() * len(_TRACES))].format(code=code, commit=commit, **words)


def _drawn_words(dice: random.Random, name: str) -> dict[str, str]:
    drawn = {
        key: choices[int(dice.random() ** 1.5 * len(choices))] for key, choices in _WORDS.items()
    }
    return {**drawn, "name": name, "n": str(2 + int(dice.random() * 900))}


def _shares(shares: Sequence[tuple[str, int]]) -> tuple[list[str], list[float]]:
    """The names, and the upper ends of their parts of 0..1."""
    sums = list(accumulate(share for _, share in shares))
    return [name for name, _ in shares], [part / sums[-1] for part in sums[:-1]]


_TYPES, _TYPE_SUMS = _shares(SHARES)
_STATUSES, _STATUS_SUMS = _shares(STATUSES)


def _ulid(dice: random.Random, seconds: float) -> str:
    value = int(seconds * 1000) << 80 | dice.getrandbits(80)
    return "".join(_PAIRS[value >> shift & 1023] for shift in range(120, -1, -10))
