"""A store of invented but realistic records, for benchmarks: `python benchmarks/generate.py --records N --projects 50 --db PATH`.

The same arguments give the same texts. Records are written through the store's own functions, so that rows, index and stream agree.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memctl import clock
from memctl.consolidate.text import fingerprint
from memctl.db import Db
from memctl.migrate import open_store
from memctl.model import OWNER_OF, Evidence, Link, Memory, Project
from memctl.store import evidence, links, records

BATCH = 5000
FIRST_DAY, LAST_DAY = 1_700_000_000, 1_764_000_000

PARTS = """parser tokenizer scheduler importer exporter dashboard login checkout invoice mailer indexer cache queue worker gateway webhook
billing search uploader thumbnail renderer compiler linter migration backup replication telemetry alerting session permission audit report
calendar notification chat editor canvas timeline map geocoder payment refund coupon inventory shipment catalogue review rating feed crawler
scraper classifier embedding ranker tagger summariser translator transcoder player recorder synchroniser installer updater launcher
onboarding settings profile avatar theme locale archive snapshot ledger exchange wallet faucet validator proxy balancer limiter throttle
broker stream bucket partition shard cluster replica coordinator election lease heartbeat watchdog sandbox plugin extension macro template
wizard form grid chart gauge histogram heatmap sensor firmware bootloader driver modem antenna battery charger motor gripper camera lidar
simulator planner controller estimator filter fusion odometry localiser mapper""".split()
TOOLS = """pytest ruff mypy cargo clippy npm pnpm vitest playwright gradle maven terraform ansible docker podman helm kubectl make just nix
bazel poetry uv pip tox nox eslint prettier webpack vite esbuild postgres sqlite redis kafka rabbitmq nats duckdb clickhouse grafana
prometheus loki jaeger sentry nginx caddy traefik systemd cron rsync git github gitlab""".split()
ACTIONS = """builds formats deploys tests lints migrates restores compresses encrypts signs publishes mirrors validates schedules batches
retries throttles shards replays streams renders parses indexes caches evicts""".split()
QUALITIES = """slow fast flaky stable brittle noisy silent strict lenient lossy idempotent atomic eventual synchronous deterministic
cheap expensive verbose minimal legacy experimental""".split()
PLACES = """staging production Frankfurt Oregon laptop edge nightly weekend office lab warehouse fleet tenant preview canary""".split()
PEOPLE = "Marta Ilse Joon Priya Tomas Aiko Wanjiru Leif Noor Dario Sofie Kwame".split()
FORMS = {
    "project": (
        ("fact", "The {part} of {name} {action} {part2} data in {place} with {tool}; it is {quality} when more than {n} items wait."),
        ("convention", "In {name} every {part} change goes with a {tool} run and a note for {person}; keep modules under {n} lines."),
        ("constraint", "{name} must never call the {part} from the {part2}: the {place} network drops such requests after {n} ms."),
        ("command", "Run `{tool} {part} --{place} --jobs {n}` to check the {part2} of {name}."),
        ("workflow", "To release {name}: freeze the {part}, run {tool}, wait for {place}, then tell {person}."),
    ),
    "decision": (
        ("decision", "We use {tool} rather than {tool2} for the {part} of {name}, because {tool2} was {quality} under {n} clients."),
    ),
    "artifact": (("pointer", "The {part} design of {name} is in docs/{part}-{part2}.md, the {quality} trace in traces/{n}.json."),),
    "episode": (("summary", "Worked on the {part} of {name}: {tool} failed in {place}, traced it to the {part2}, fixed after {n} tries."),),
    "task_hint": (("todo", "Next in {name}: make the {part} {quality} and drop the {part2} workaround {n}."),),
    "profile": (("preference", "Prefers {tool} over {tool2} for {part} work and {quality} {part2} output; at most {n} lines a reply."),),
}
SHARES = (("project", 55), ("decision", 12), ("artifact", 10), ("episode", 15), ("task_hint", 6), ("profile", 2))
STATUSES = (("active", 84), ("superseded", 6), ("archived", 5), ("inbox", 4), ("contradicted", 1))


def main() -> None:
    """Write the store that the arguments ask for and say what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--projects", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--db", type=Path, required=True)
    wanted = parser.parse_args()
    started = time.perf_counter()
    db = open_store(wanted.db, create=True)
    generate(db, wanted.records, wanted.projects, wanted.seed)
    db.close()
    seconds, size = time.perf_counter() - started, wanted.db.stat().st_size
    print(f"{wanted.records} records in {wanted.projects} projects: {seconds:.1f} s, {size} bytes")


def generate(db: Db, count: int, projects: int, seed: int = 7) -> list[Project]:
    """Fill an empty store; the projects, in order (`project-0` is the first)."""
    dice = random.Random(seed)
    known = [_project(dice, i) for i in range(projects)]
    with db.write():
        for project in known:
            _insert_project(db, project)
    made = _records(dice, known, count)
    left, previous = count, None
    while left > 0:
        with db.write():
            for memory in (next(made) for _ in range(min(BATCH, left))):
                _store(db, dice, memory, previous)
                previous = memory
        left -= BATCH
    return known


def _project(dice: random.Random, number: int) -> Project:
    at = clock.iso(FIRST_DAY)
    return Project(_ulid(dice, FIRST_DAY), f"project-{number}", f"/home/op/src/project-{number}", at, at)


def _insert_project(db: Db, project: Project) -> None:
    row = {"id": project.id, "name": project.name, "root_path": project.root_path, "adopted_into": None}
    db.run("projects.insert", **row, created_at=project.created_at, updated_at=project.updated_at)
    path = {"kind": "path", "value": project.root_path, "project_id": project.id}
    db.run("projects.add_alias", **path, created_at=project.created_at)


def _records(dice: random.Random, projects: list[Project], count: int) -> Iterator[Memory]:
    for number in range(count):
        yield _record(dice, projects[number % len(projects)], FIRST_DAY + (LAST_DAY - FIRST_DAY) * number / count)


def _record(dice: random.Random, project: Project, seconds: float) -> Memory:
    type_ = _drawn(dice, SHARES)
    kind, form = dice.choice(FORMS[type_])
    text = _sentence(dice, form, project.name)
    scope, home = ("global", None) if type_ == "profile" else ("project", project.id)
    at = clock.iso(seconds)
    return Memory(
        id=_ulid(dice, seconds), type=type_, kind=kind, scope=scope, status=_drawn(dice, STATUSES), title=text[:70].rsplit(" ", 1)[0],
        content=f"{text} {_sentence(dice, dice.choice(FORMS['project'])[1], project.name)}", summary=text, owner=OWNER_OF[type_],
        source_kind="conversation", confidence=round(dice.uniform(0.5, 1), 2), trust=dice.randint(2, 5), observed_at=at,
        fingerprint=fingerprint(text, scope, home), created_at=at, updated_at=at, project_id=home,
        rationale=_sentence(dice, FORMS["episode"][0][1], project.name) if type_ == "decision" else None,
        always_load=type_ == "profile" and dice.random() < 0.05,
    )  # fmt: skip


def _sentence(dice: random.Random, form: str, name: str) -> str:
    words = {"part": PARTS, "part2": PARTS, "tool": TOOLS, "tool2": TOOLS, "action": ACTIONS, "quality": QUALITIES, "place": PLACES,
             "person": PEOPLE}  # fmt: skip
    return form.format(name=name, n=dice.randint(2, 900), **{key: dice.choice(choices) for key, choices in words.items()})


def _store(db: Db, dice: random.Random, memory: Memory, previous: Memory | None) -> None:
    records.insert(db, memory, actor="maintain", cause="benchmark")
    at = memory.created_at
    quote = Evidence(_ulid(dice, clock.parse(at)), memory.id, memory.summary, "human", memory.trust, at, at)
    evidence.insert(db, [quote])
    if previous is not None and memory.status in ("superseded", "contradicted"):
        relation = "supersedes" if memory.status == "superseded" else "contradicts"
        links.insert(db, Link(_ulid(dice, clock.parse(at)), previous.id, relation, memory.id, "maintain", at))


def _drawn(dice: random.Random, shares: tuple[tuple[str, int], ...]) -> str:
    return dice.choices([name for name, _ in shares], [share for _, share in shares])[0]


def _ulid(dice: random.Random, seconds: float) -> str:
    value = int(seconds * 1000) << 80 | dice.getrandbits(80)
    return "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[value >> shift & 31] for shift in range(125, -1, -5))


if __name__ == "__main__":
    main()
