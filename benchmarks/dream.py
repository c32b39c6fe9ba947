"""A simulated month of daily notes and of MEMORY.md: is every sentence the words of a record in
force, is nothing in it that nobody approved or that holds no more, and does a line change only for
a reason?

    python benchmarks/dream.py [--seed 1] [--family A|B] [--days 30] [--sessions 60] [--budget 1500] [--keep FOLDER] [--show]

The month is the beginning of the year of `benchmarks/year.py`: sessions of three projects, captured
and maintained every night, and an operator who looks into the inbox. Every night the notes of the
day are written and a new MEMORY.md of each place is staged; the operator approves it in the
morning. Each version and each note is then held against the store as it stands: by the ids that a
line names, and word by word against what those records say.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.vectors_wanted import add_option, require_vectors
from benchmarks.year_run import Life, days, moved
from benchmarks.year_world import world
from memctl import MemoryEngine
from memctl.core.frozen import replace
from memctl.core.model import Filter, Memory
from memctl.results.journal import MemoryDocument, MemoryLine

IN_FORCE = ("active", "contradicted")
_ID = re.compile(r"`([0-9A-HJKMNP-TV-Z]{10,26})`")
_WORD = re.compile(r"[^\W_]+")
# Words that stand around those of records: who says so, when, and what joins two sides.
_FRAME = frozenset(
    "why an agent says from a fetched text disputed which holds or latest before jan feb mar apr may jun "
    "jul aug sep oct nov dec".split()
)
# Characters; a shorter text may stand in another by chance.
_SHORTEST = 25
# What a month must show, as the sign and the bound of each figure.
TARGETS: Mapping[str, tuple[str, float]] = {
    "sentences traced": (">=", 1.0),
    "words of their records": (">=", 1.0),
    "from inbox or archive": ("<=", 0),
    "over budget": ("<=", 0),
    "lines changed without a reason": ("<=", 0),
    "second run differs": ("<=", 0),
    "notes: from inbox": ("<=", 0),
}


@dataclass
class Account:
    """What was counted over the month, and what was wrong, a sentence each."""

    counts: Counter[str] = field(default_factory=Counter)
    tokens: list[int] = field(default_factory=list)
    decisions: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def blame(self, name: str, what: str) -> None:
        """Count a fault, and keep its sentence."""
        self.counts[name] += 1
        self.faults.append(f"{name}: {what}")


def main() -> int:
    """Live the month and print its figures; 1 if an aim is missed."""
    given = _parse()
    require_vectors(given.without_vectors)
    with tempfile.TemporaryDirectory() as folder, moved() as moment:
        home = given.keep or Path(folder)
        account = live(
            Life(
                home,
                world(given.seed, given.family, days=given.days, sessions=given.sessions),
                moment,
            ),
            given.budget,
            show=given.show,
        )
    found = figures(account)
    for name, value in found.items():
        sign, bound = TARGETS.get(name, ("", 0.0))
        aim = f"  (aim {sign} {bound:g})" if sign else ""
        print(f"{name:<34} {value:g}{aim}")
    for fault in account.faults[:20]:
        print(f"fault  {fault}")
    if given.json:
        given.json.write_text(json.dumps({**found, "faults": account.faults}, indent=1))
    return int(any(not is_met(found[name], *aim) for name, aim in TARGETS.items()))


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", choices=("A", "B"), default="A")
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--budget", type=int, default=1500, help="tokens of each MEMORY.md")
    parser.add_argument("--keep", type=Path, help="an empty folder to live in, and to keep")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--show", action="store_true", help="print the last documents")
    add_option(parser)
    return parser.parse_args()


def is_met(value: float, sign: str, bound: float) -> bool:
    """Whether a figure reaches its aim."""
    return value >= bound if sign == ">=" else value <= bound


def figures(account: Account) -> dict[str, float]:
    """The figures of a month by name."""
    counts = account.counts
    lines = max(1, counts["lines"])
    return {
        "versions": float(counts["versions"]),
        "lines": float(counts["lines"]),
        "sentences traced": 1 - counts["untraced"] / lines,
        "words of their records": 1 - counts["foreign words"] / lines,
        "from inbox or archive": float(counts["not in force"]),
        "over budget": float(counts["over budget"]),
        "tokens, mean": sum(account.tokens) / max(1, len(account.tokens)),
        "tokens, most": float(max(account.tokens, default=0)),
        "decisions told": sum(account.decisions) / max(1, len(account.decisions)),
        "lines changed": float(counts["changes"]),
        "lines changed without a reason": float(counts["unexplained"]),
        "second run differs": float(counts["second run"]),
        "daily notes": float(counts["notes"]),
        "notes: from inbox": float(counts["note not in force"]),
    }


def live(life: Life, budget: int, *, show: bool = False) -> Account:
    """Live a month: notes and versions every night, approved in the morning."""
    account = Account()
    folder = life.home / "journal"
    documents: tuple[MemoryDocument, ...] = ()
    for day in days(life):
        with engine_of(life, folder, budget) as engine:
            _check_note(engine, account)
            before = _read_lines(engine)
            staged = engine.journal.dream(stages=True, uses_model=False).items
            again = engine.journal.dream(stages=True, uses_model=False).items
            account.counts["second run"] += [each.text for each in staged] != [
                each.text for each in again
            ]
            for document in staged:
                if document.state != "staged" or document.id is None:
                    continue
                _check_changes(document, before.get(document.project, {}), account)
                engine.journal.approve(document.id)
            documents = engine.journal.dream().items
            _check_documents(engine, documents, budget, account)
        del day
    if show:
        for path in sorted(folder.rglob("MEMORY.md")):
            print(f"--- {path.relative_to(folder)}\n{path.read_text()}")
    return account


def engine_of(life: Life, folder: Path, budget: int) -> MemoryEngine:
    """The operator's engine with a journal."""
    engine = life.engine()
    values = {
        **engine.config.values,
        "journal.dir": str(folder),
        "journal.zone": "UTC",
        "journal.memory_budget": budget,
    }
    engine.config = replace(engine.config, values=values)
    return engine


def _read_lines(engine: MemoryEngine) -> dict[str | None, dict[tuple[str, ...], str]]:
    """The lines of the versions in force, by place and records."""
    return {
        document.project: dict(_list_lines(document))
        for document in engine.journal.list_versions(limit=-1).items
        if document.state == "current"
    }


def _list_lines(document: MemoryDocument) -> Iterator[tuple[tuple[str, ...], str]]:
    yield from ((line.ids, line.text) for line in document.lines if line.source == "record")


def _check_changes(
    document: MemoryDocument, before: Mapping[tuple[str, ...], str], account: Account
) -> None:
    """Whether each line that differs from the version before has an entry of the diary."""
    after = dict(_list_lines(document))
    changed = {ids for ids in {*before, *after} if before.get(ids) != after.get(ids)}
    told = {each for entry in document.diary for each in entry.ids}
    account.counts["changes"] += len(changed)
    if not before and any(entry.change == "begun" for entry in document.diary):
        return
    for ids in changed:
        if not told & {*ids}:
            account.blame("unexplained", f"{document.project}: {after.get(ids) or before.get(ids)}")
    for entry in document.diary:
        if not entry.why:
            account.blame("unexplained", f"{document.project}: {entry.change} {entry.text}")


def _check_documents(
    engine: MemoryEngine, documents: Iterable[MemoryDocument], budget: int, account: Account
) -> None:
    """Hold each document against the store as it stands."""
    everything = _read_everything(engine)
    gone = _list_gone(everything.values())
    for document in documents:
        account.counts["versions"] += 1
        account.tokens.append(document.tokens)
        if document.tokens > budget:
            account.blame("over budget", f"{document.project}: {document.tokens} tokens")
        for line in document.lines:
            if line.source == "record":
                account.counts["lines"] += 1
                check_line(line, everything, account)
        for text in gone:
            if text in _flatten(document.text):
                account.blame("not in force", f"{document.project}: {text}")
        _count_decisions(document, everything.values(), engine, account)


def check_line(line: MemoryLine, everything: Mapping[str, Memory], account: Account) -> None:
    """Hold one line against the records that it names."""
    found = [everything[each] for each in line.ids if each in everything]
    is_traced = len(found) == len(line.ids) > 0 and all(
        memory.status in IN_FORCE and memory.scope not in ("agent", "session") for memory in found
    )
    if not is_traced:
        account.blame("untraced", line.text)
    said = {
        word
        for memory in found
        for word in _words(f"{memory.content} {memory.rationale or ''} {memory.observed_at[:10]}")
    }
    strange = _words(_ID.sub("", line.text)) - said - _FRAME
    strange = {word for word in strange if not word.isdigit()}
    if strange:
        account.blame("foreign words", f"{sorted(strange)} in {line.text}")


def _count_decisions(
    document: MemoryDocument, memories: Iterable[Memory], engine: MemoryEngine, account: Account
) -> None:
    names = {each.project.id: each.project.name for each in engine.projects.list().items}
    wanted = {
        memory.id
        for memory in memories
        if memory.type == "decision"
        and memory.status in IN_FORCE
        and names.get(memory.project_id or "") == document.project
    }
    told = {each for line in document.lines for each in line.ids}
    if wanted:
        account.decisions.append(len(wanted & told) / len(wanted))


def _check_note(engine: MemoryEngine, account: Account) -> None:
    """Write the note of the day; the same twice, and no candidate's words in it."""
    report = engine.journal.keep_daily_note("yesterday")
    again = engine.journal.keep_daily_note("yesterday")
    account.counts["notes"] += report.state == "written"
    account.counts["second run"] += report.text != again.text
    known = [
        each
        for each in _read_everything(engine).values()
        if each.status in (*IN_FORCE, "inbox") or each.type == "episode"
    ]
    for text in _list_gone(known):
        if text in _flatten(report.text):
            account.blame("note not in force", text)


def _read_everything(engine: MemoryEngine) -> dict[str, Memory]:
    views = engine.records.list(Filter(), limit=-1).items
    return {view.memory.id: view.memory for view in views}


def _list_gone(memories: Iterable[Memory]) -> list[str]:
    """What is said by no record in force, as it would stand in a text."""
    known = list(memories)
    alive = " | ".join(_flatten(each.content) for each in known if each.status in IN_FORCE)
    gone = {_flatten(each.content) for each in known if each.status not in IN_FORCE}
    return sorted(text for text in gone if len(text) >= _SHORTEST and text not in alive)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text.replace("\\", ""))}


def _flatten(text: str) -> str:
    return " ".join(_WORD.findall(text.replace("\\", "").casefold()))


if __name__ == "__main__":
    raise SystemExit(main())
