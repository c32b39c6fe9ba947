"""What the natural history shows: answers, what was retired, what was related, what was marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks import told_values
from benchmarks.natural_data import NaturalSlot, SaidLine, find_value
from benchmarks.natural_house import NaturalHouse
from benchmarks.told_values import AnswerVerdict, Told

WAYS = ("search", "context")
_IN_FORCE = ("active", "contradicted")
Item = Mapping[str, Any]


@dataclass
class NaturalJudge:
    """What was seen so far of one half. Texts of faults are kept for whoever may read them;
    `marked` holds for each record in force that holds, whether its mark is wrong, `stale_marked`
    for each that does not hold, whether its mark names the value that does.
    """

    house: NaturalHouse
    slots: Sequence[NaturalSlot]
    verdicts: dict[str, list[AnswerVerdict]] = field(default_factory=dict)
    last: dict[str, list[AnswerVerdict]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    retired: list[tuple[str, str]] = field(default_factory=list)
    right_retired: int = 0
    marked: list[str] = field(default_factory=list)
    in_force: int = 0
    stale_marked: list[bool] = field(default_factory=list)
    _before: dict[str, str] = field(default_factory=dict)
    _items: dict[str, Item] = field(default_factory=dict)

    def look(self, round_: int) -> None:
        """Look at the store after a round, and ask about every slot that has changed by then."""
        self._items = {item["id"]: item for item in self.house.records()}
        for item in self._items.values():
            is_gone = item["status"] not in (*_IN_FORCE, "inbox")
            was_there = self._before.get(item["id"]) not in ("superseded", "archived")
            if is_gone and was_there and item["id"] not in self.house.rejected:
                self._retire(item, round_)
        self._before = {name: item["status"] for name, item in self._items.items()}
        self.last = {way: [] for way in WAYS}
        for slot in self.slots:
            if slot.has_changed(round_):
                for question in slot.questions:
                    self._ask(slot, question, round_)
        for way in WAYS:
            self.verdicts.setdefault(way, []).extend(self.last[way])

    def look_at_marks(self, round_: int) -> None:
        """Search for each record in force by its own words, and look at its mark."""
        for item in self._items.values():
            lines = self.house.meant(item)
            if item["status"] not in _IN_FORCE or not lines:
                continue
            newer = self._find_marks(item)
            pairs = {(line.fact, line.value) for named in newer for line in self._lines(named)}
            now = {(line.fact, find_value(self.slots, line.fact, round_)) for line in lines}
            if not self._holds(lines, round_):
                self.stale_marked.append(bool(pairs & now))
                continue
            self.in_force += 1
            if newer:
                kind = "restated" if pairs & now else _kind(lines, self._lines(newer[0]))
                self.marked.append(f"{kind}: {_texts(lines)} <- {_texts(self._lines(newer[0]))}")

    def count_changes(self) -> tuple[int, int]:
        """How many changes are related at all to what they change, and how many there are."""
        linked = {
            frozenset((link["from_id"], link["to_id"]))
            for item in self._items.values()
            for link in item["links"]
            if link["relation"] in ("supersedes", "contradicts")
        }
        ids: dict[SaidLine, list[str]] = {}
        for item in self._items.values():
            for line in self.house.merged(item):
                ids.setdefault(line, []).append(item["id"])
        changes = [
            [(new, old) for old in slot.lines[:n] if old.value != new.value]
            for slot in self.slots
            for n, new in enumerate(slot.lines)
            if n and new.value != slot.lines[n - 1].value
        ]
        found = sum(
            any(
                frozenset((a, b)) in linked
                for new, old in pairs
                for a in ids.get(new, ())
                for b in ids.get(old, ())
            )
            for pairs in changes
        )
        return found, len(changes)

    def list_wrong_contradictions(self) -> list[str]:
        """Contradictions between what does not exclude each other."""
        found = set()
        for item in self._items.values():
            for other in item["contradicted_by"]:
                mine, theirs = self.house.meant(item), self._lines(other)
                if not any(a.fact == b.fact and a.value != b.value for a in mine for b in theirs):
                    found.add(frozenset((_texts(mine), _texts(theirs))))
        return [" <> ".join(sorted(pair)) for pair in found]

    def list_wrong_merges(self) -> list[str]:
        """Records that stand for two facts or two values at once, and were not said in one."""
        return [
            _texts(lines)
            for item in self._items.values()
            if item["status"] in _IN_FORCE
            for lines in [self.house.merged(item)]
            if len({(line.fact, line.value) for line in lines}) > 1
            and not any(self._is_one_saying(item, line) for line in lines)
        ]

    def count_records_a_fact(self, round_: int) -> float:
        """How many records in force state the value of a slot, of those that any states."""
        stated = [
            line.fact
            for item in self._items.values()
            if item["status"] in _IN_FORCE
            for line in self.house.meant(item)[:1]
            if line.form != "beside" and self._holds([line], round_)
        ]
        return len(stated) / max(1, len(set(stated)))

    def count_stale(self, round_: int) -> tuple[int, int]:
        """How many records state a value that holds no more, and how many of them are still in
        force without a contradiction.
        """
        stale = [
            item["status"]
            for item in self._items.values()
            if item["status"] != "inbox" and item["id"] not in self.house.rejected
            for lines in [self.house.meant(item)]
            if lines and not self._holds(lines, round_)
        ]
        return stale.count("active"), len(stale)

    def _is_one_saying(self, item: Item, line: SaidLine) -> bool:
        return item["content"].count(line.text) > 0 and len(item["evidence"]) < 2

    def _ask(self, slot: NaturalSlot, question: str, round_: int) -> None:
        for way, items in (
            ("search", self._search(question)),
            ("context", self._context(question)),
        ):
            told = [
                Told(
                    str(item["id"]),
                    self._values(str(item["id"]), slot),
                    tuple(
                        value
                        for name in told_values.list_named(item)
                        for value in self._values(name, slot)
                    ),
                )
                for item in items
            ]
            verdict = told_values.judge(told, slot.at(round_))
            self.last[way].append(verdict)
            if way == "search" and not verdict.is_first:
                about = " / ".join(
                    f"{'=' if set(one.values) == {slot.at(round_)} else '!'} "
                    f"{self._items[one.record]['content']}"
                    for one in told
                    if one.values
                )
                self.failed.append(f"{slot.name}, round {round_}: {question} {about or 'nothing'}")

    def _search(self, question: str) -> list[Item]:
        items = self.house.data("search", question)["items"]
        return [item for item in items if item["type"] != "episode"]

    def _context(self, question: str) -> Iterator[Item]:
        for section in self.house.data("context", "--task", question)["sections"]:
            yield from (item for item in section["items"] if item["id"] in self._items)

    def _find_marks(self, item: Item) -> tuple[str, ...]:
        found = self._search(item["content"])
        mine = [told_values.list_newer(each) for each in found if each["id"] == item["id"]]
        return mine[0] if mine else ()

    def _retire(self, item: Item, round_: int) -> None:
        """Judge a record that has left service since the last look."""
        lines = self.house.meant(item)
        if not lines or not self._holds(lines, round_):
            self.right_retired += bool(lines)
            return
        by = [
            line
            for link in item["links"]
            if link["relation"] == "supersedes" and link["to_id"] == item["id"]
            for line in self._lines(link["from_id"])
        ]
        if {(line.fact, line.value) for line in lines} & {(line.fact, line.value) for line in by}:
            return
        told = f"{_texts(lines)} <- {_texts(by) or item['status_reason']}"
        self.retired.append((_kind(lines, by), told))

    def _lines(self, name: str) -> list[SaidLine]:
        item = next((each for key, each in self._items.items() if key.startswith(name)), None)
        return self.house.meant(item) if item else []

    def _values(self, name: str, slot: NaturalSlot) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(line.value for line in self._lines(name) if line.fact == slot.name)
        )

    def _holds(self, lines: Sequence[SaidLine], round_: int) -> bool:
        return all(line.value == find_value(self.slots, line.fact, round_) for line in lines)


def _kind(mine: Sequence[SaidLine], theirs: Sequence[SaidLine]) -> str:
    """In which way one was wrongly taken for the successor of another."""
    if not theirs:
        return "by nothing that was said"
    slot, other = (lines[0].fact.partition(", ")[0] for lines in (mine, theirs))
    if slot != other:
        return "by another subject"
    return "by what no longer holds" if mine[0].fact == theirs[0].fact else "by another property"


def _texts(lines: Sequence[SaidLine]) -> str:
    return " + ".join(repr(line.text) for line in lines)
