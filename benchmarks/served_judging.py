"""Holds what was told against what a prompt must, may and must not be told, and counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.served_asking import Told
from benchmarks.served_data import EVERYWHERE, NEVER, PERSON, Data, Prompt
from benchmarks.served_store import World

OTHER = "(made by memctl)"
_WORD = re.compile(r"\w+")
# So many words in a row of a statement that nobody approved tell it.
_RUN = 5
_STANDING = frozenset({"always", "pinned"})


@dataclass(frozen=True)
class Verdict:
    """One prompt and what came: keys that were right, beside the point, missing; what must never
    have come, each with the reason; what the session was told before; rules, and of what is
    missing that, which neither this answer nor the start of a session tells.
    """

    prompt: Prompt
    right: tuple[str, ...]
    beside: tuple[str, ...]
    missing: tuple[str, ...]
    forbidden: tuple[tuple[str, str], ...]
    again: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    unheard: tuple[str, ...] = ()

    @property
    def told(self) -> int:
        """How many records were told."""
        return len(self.right) + len(self.beside) + len(self.forbidden)

    @property
    def is_fault(self) -> bool:
        """Whether anything is wrong."""
        return bool(self.beside or self.missing or self.forbidden or self.again or self.unknown)


@dataclass
class Tally:
    """Counts of many verdicts, whole or of one form, kind or fold."""

    prompts: int = 0
    told: int = 0
    right: int = 0
    must: int = 0
    found: int = 0
    heard: int = 0
    rules: int = 0
    known: int = 0
    quiet: int = 0
    silent: int = 0
    forbidden: int = 0
    again: int = 0

    def add(self, verdict: Verdict) -> None:
        """Count one verdict."""
        must = verdict.prompt.must
        self.prompts += 1
        self.told += verdict.told
        self.right += len(verdict.right)
        self.must += len(must)
        self.found += len(must) - len(verdict.missing)
        self.heard += len(must) - len(verdict.unheard)
        self.rules += len(verdict.prompt.rules)
        self.known += len(verdict.prompt.rules) - len(verdict.unknown)
        self.quiet += verdict.prompt.is_quiet
        self.silent += verdict.prompt.is_quiet and not verdict.beside and not verdict.forbidden
        self.forbidden += len(verdict.forbidden)
        self.again += len(verdict.again)

    @property
    def precision(self) -> float | None:
        """The share of what was told that must or may be told."""
        return _share(self.right, self.told)

    @property
    def recall(self) -> float | None:
        """The share of what must be told that was."""
        return _share(self.found, self.must)

    @property
    def recall_with_start(self) -> float | None:
        """The share of what must be told that this answer or the session's start tells."""
        return _share(self.heard, self.must)

    @property
    def knowledge(self) -> float | None:
        """The share of the rules a prompt calls for that it or the session's start tells."""
        return _share(self.known, self.rules)

    @property
    def silence(self) -> float | None:
        """Where nothing must be told: the share in which nothing was told but what may be."""
        return _share(self.silent, self.quiet)


@dataclass
class Kinds:
    """For each kind of record: how often it had to be told, was, and was told beside the point."""

    must: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    beside: Counter[str] = field(default_factory=Counter)
    forbidden: Counter[str] = field(default_factory=Counter)


class Judge:
    """Judges answers of one world."""

    def __init__(self, world: World) -> None:
        self.world, self.data = world, world.data
        self.secret = {
            record.key: (_plain(record.text), _runs(record.text))
            for record in self.data.records.values()
            if record.state in NEVER
        }

    def judge(
        self, prompt: Prompt, told: Told, before: Iterable[str] = (), start: Told | None = None
    ) -> Verdict:
        """Judge one answer; `before` are ids that the same session was told already, `start` what
        a session there begins with.
        """
        earlier = set(before)
        keys = [self._name(record_id) for record_id in told.ids]
        right, beside = [], []
        forbidden: list[tuple[str, str]] = []
        for key in keys:
            known = key in self.data.records
            reason = self.data.reason_against(key, prompt.project) if known else None
            if key in prompt.forbidden and not reason:
                reason = "labelled"
            if reason:
                forbidden.append((key, reason))
            else:
                (right if key in prompt.fitting else beside).append(key)
        named = {key for key, _ in forbidden}
        forbidden += [
            (key, f"{NEVER[self.data.records[key].state]}, in other words of the store")
            for key in self._worded(told.text, prompt.project)
            if key not in named
        ]
        begun = {self._name(record_id) for record_id in (start.ids if start else ())}
        had = {self._name(record_id) for record_id in earlier}
        missing = prompt.must - set(keys) - had
        return Verdict(
            prompt,
            tuple(right),
            tuple(beside),
            tuple(sorted(missing)),
            tuple(forbidden),
            tuple(self._name(record_id) for record_id in told.ids if record_id in earlier),
            tuple(sorted(prompt.rules - set(keys) - had - begun)),
            tuple(sorted(missing - begun)),
        )

    def sessions(
        self, sessions: Sequence[Sequence[Prompt]], answers: Sequence[Sequence[Told]]
    ) -> list[Verdict]:
        """Judge sessions of several prompts. What a start tells is judged by `starts`; here it
        only counts as told.
        """
        verdicts = []
        for prompts, told in zip(sessions, answers, strict=True):
            before: list[str] = []
            for prompt, answer in zip(prompts, told, strict=True):
                if prompt.text != "(start)":
                    verdicts.append(self.judge(prompt, answer, before))
                before += answer.ids
        return verdicts

    def wide(self, prompt: Prompt, told: Told) -> Verdict:
        """Judge a whole context, which may tell all that is in force in its project, and must tell
        the standing records besides what the prompt needs.
        """
        near = frozenset(
            key for key in self.data.records if not self.data.reason_against(key, prompt.project)
        )
        own = (prompt.project, PERSON, EVERYWHERE)
        standing = frozenset(
            key
            for key in near
            if self.data.records[key].state in _STANDING and self.data.records[key].project in own
        )
        must = prompt.must | prompt.rules | standing
        whole = Prompt(
            prompt.project,
            prompt.form,
            prompt.text,
            must,
            (near | {OTHER}) - must,
            prompt.forbidden,
        )
        return self.judge(whole, told)

    def _name(self, record_id: str) -> str:
        return self.world.keys.get(record_id, OTHER)

    def _worded(self, text: str, project: str) -> list[str]:
        """Statements of this project that must not be told and stand in a text nevertheless: whole
        anywhere, or in part in lines that no record of the set is the source of.
        """
        plain = _plain(text)
        strange = _runs(
            " . ".join(
                line
                for line in text.splitlines()
                if line.startswith("- [") and not self._is_known(line)
            )
        )
        living = {
            _plain(record.text)
            for record in self.data.records.values()
            if record.state not in NEVER
        }
        return [
            key
            for key, (whole, runs) in self.secret.items()
            if self.data.records[key].project == project
            and (
                (f" {whole} " in f" {plain} " and not any(whole in other for other in living))
                or runs & strange
            )
        ]

    def _is_known(self, line: str) -> bool:
        short = line[3:].partition("]")[0]
        return any(record_id.startswith(short) for record_id in self.world.keys)


def tally(verdicts: Iterable[Verdict]) -> Tally:
    """The counts of all verdicts."""
    counts = Tally()
    for verdict in verdicts:
        counts.add(verdict)
    return counts


def count_kinds(data: Data, verdicts: Iterable[Verdict]) -> Kinds:
    """The counts by the kind of the records."""
    kinds = Kinds()

    def kind(key: str) -> str:
        return data.records[key].kind if key in data.records else OTHER

    for verdict in verdicts:
        kinds.must.update(map(kind, verdict.prompt.must))
        kinds.found.update(map(kind, verdict.prompt.must - set(verdict.missing)))
        kinds.right.update(map(kind, verdict.right))
        kinds.beside.update(map(kind, verdict.beside))
        kinds.forbidden.update(kind(key) for key, _ in verdict.forbidden)
    return kinds


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _runs(text: str) -> set[tuple[str, ...]]:
    words = _plain(text).split()
    return {tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)}
