"""The invented data of `served.py`: records, prompts and what a prompt must, may and must not be
told.

A set is a folder of tab-separated files. A record is named `project.name`; within its own project
`name` will do. `me` are facts about the person, `any` are records that hold in every project. The
states: `active`; `always` and `pinned` begin every context; `approved` was proposed by an agent
and approved; `claimed` is an agent's own statement; `said-approved`, `said-undecided` and
`said-rejected` were said in a captured session; `undecided` and `rejected` were proposed by an
agent; `superseded:NEW`; `contradicted:OTHER`; `expired`; `archived`; `private:AGENT`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PERSON, EVERYWHERE = "me", "any"
STATES = frozenset(
    "active always pinned approved claimed said-approved said-undecided said-rejected undecided "
    "rejected superseded contradicted expired archived private".split()
)
# What is never told, whatever is asked; `private` depends on who asks.
NEVER = {
    "said-undecided": "undecided",
    "said-rejected": "rejected",
    "undecided": "undecided",
    "rejected": "rejected",
    "superseded": "superseded",
    "expired": "expired",
    "archived": "archived",
}
SILENT_FORMS = frozenset(
    "ack chat nothing foreign tempt edit generic math text lookalike follow".split()
)
FORMS = SILENT_FORMS | {"ask", "order", "error", "one"}
START = "(start)"
ASKING = "claude-code"


@dataclass(frozen=True)
class Project:
    """A project of the set: its folder's name, its fold, and the projects it is linked with."""

    name: str
    folder: str
    fold: str
    linked: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """One record as it is to stand in the store; `other` is the record its state speaks of."""

    key: str
    project: str
    kind: str
    state: str
    other: str
    text: str
    title: str
    entities: tuple[str, ...]


@dataclass(frozen=True)
class Prompt:
    """What a person types, and the keys of records that must, may and must not be told.

    `rules` must be known when the agent acts: the start of the session may have told them too.
    """

    project: str
    form: str
    text: str
    must: frozenset[str]
    may: frozenset[str] = frozenset()
    forbidden: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()

    @property
    def fitting(self) -> frozenset[str]:
        """All that is right to tell."""
        return self.must | self.may | self.rules

    @property
    def is_quiet(self) -> bool:
        """Whether nothing at all has to be told."""
        return not self.must and not self.rules


@dataclass(frozen=True)
class Data:
    """A whole set."""

    folder: Path
    projects: dict[str, Project]
    records: dict[str, Record]
    prompts: tuple[Prompt, ...]
    push: tuple[Prompt, ...]
    sessions: tuple[tuple[Prompt, ...], ...]
    aliases: tuple[tuple[str, str], ...] = ()
    reworded: tuple[Prompt, ...] = ()

    def reason_against(self, key: str, project: str) -> str | None:
        """Why a record must never be told in a project, or None."""
        record = self.records[key]
        if record.state in NEVER:
            return NEVER[record.state]
        if record.state == "private" and record.other != ASKING:
            return "private to another agent"
        near = {project, *self.projects[project].linked, PERSON, EVERYWHERE}
        return None if record.project in near else "of another project"


def load(folder: Path) -> Data:
    """Read a set.

    Raises:
        ValueError: if it is not well formed; the message names the line.
    """
    projects = dict(_projects(list(_rows(folder / "projects.tsv"))))
    records = dict(_record(row) for row in _rows(folder / "records.tsv"))
    data = Data(
        folder,
        projects,
        records,
        tuple(_prompt(row) for row in _rows(folder / "prompts.tsv")),
        tuple(_prompt(row) for row in _rows(folder / "push.tsv")),
        tuple(_sessions(_rows(folder / "sessions.tsv"))),
        tuple((row["name"], row["alias"]) for row in _rows(folder / "aliases.tsv")),
        tuple(_prompt(row) for row in _rows(folder / "reworded.tsv", may_be_missing=True)),
    )
    problems = list(find_problems(data))
    if problems:
        raise ValueError(f"{folder}: " + "; ".join(problems))
    return data


def find_problems(data: Data) -> Iterator[str]:
    """What is not well formed, each in a few words."""
    for record in data.records.values():
        yield from _problems_of_record(data, record)
    spoken = [prompt for session in data.sessions for prompt in session]
    for prompt in (*data.prompts, *data.push, *data.reworded, *spoken):
        yield from (f"{prompt.text[:40]!r}: {problem}" for problem in _problems(data, prompt))
    named = {name.partition(":")[2] for each in data.records.values() for name in each.entities}
    yield from (f"no record names {name}" for name, _ in data.aliases if name not in named)
    texts = [(prompt.project, prompt.text) for prompt in (*data.prompts, *data.push)]
    yield from (
        f"asked twice: {text}" for text in {text for text in texts if texts.count(text) > 1}
    )


def _problems_of_record(data: Data, record: Record) -> Iterator[str]:
    if record.project not in {*data.projects, PERSON, EVERYWHERE}:
        yield f"{record.key}: no such project"
    if record.state not in STATES:
        yield f"{record.key}: no such state: {record.state}"
    if record.state in ("superseded", "contradicted") and record.other not in data.records:
        yield f"{record.key}: no such record: {record.other}"
    if not record.text:
        yield f"{record.key}: says nothing"


def _problems(data: Data, prompt: Prompt) -> Iterator[str]:
    if prompt.project not in data.projects:
        yield f"no such project: {prompt.project}"
        return
    if prompt.form not in FORMS:
        yield f"no such form: {prompt.form}"
    for key in prompt.fitting | prompt.forbidden:
        if key not in data.records:
            yield f"no such record: {key}"
    known = data.records.keys()
    for key in prompt.fitting & known:
        reason = data.reason_against(key, prompt.project)
        if reason:
            yield f"{key} is {reason}"
    for key in prompt.forbidden & known:
        if not data.reason_against(key, prompt.project):
            yield f"nothing forbids {key}"
    if len(prompt.must) + len(prompt.may) + len(prompt.rules) > len(prompt.fitting):
        yield "a record is labelled twice"
    if prompt.form in SILENT_FORMS - {"follow"} and not prompt.is_quiet:
        yield f"{prompt.form} needs nothing"
    if prompt.form == "one" and len(prompt.must) != 1:
        yield "exactly one record is wanted"


def _rows(path: Path, *, may_be_missing: bool = False) -> Iterator[dict[str, str]]:
    if may_be_missing and not path.exists():
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if None in row or None in row.values():
                raise ValueError(f"{path.name}: a line with other columns: {row}")
            yield row


def _projects(rows: list[dict[str, str]]) -> Iterator[tuple[str, Project]]:
    """Links hold both ways."""
    for row in rows:
        name = row["name"]
        linked = {*_split(row["linked"])} | {
            other["name"] for other in rows if name in _split(other["linked"])
        }
        yield name, Project(name, row["folder"], row["fold"], tuple(sorted(linked)))


def _record(row: dict[str, str]) -> tuple[str, Record]:
    project = row["project"]
    state, _, other = row["state"].partition(":")
    refers = state in ("superseded", "contradicted")
    key = f"{project}.{row['name']}"
    other = _key(other, project) if refers else other
    entities = tuple(_split(row["entities"]))
    return key, Record(key, project, row["kind"], state, other, row["text"], row["title"], entities)


def _prompt(row: dict[str, str]) -> Prompt:
    project = row["project"]
    return Prompt(
        project,
        row.get("form") or "ask",
        row["prompt"].replace("\\n", "\n"),
        *(
            frozenset(_key(name, project) for name in _split(row.get(column) or ""))
            for column in ("must", "may", "forbid", "rule")
        ),
    )


def _sessions(rows: Iterator[dict[str, str]]) -> Iterator[tuple[Prompt, ...]]:
    """The prompts of one project are one session."""
    sessions: dict[str, list[Prompt]] = {}
    for row in rows:
        sessions.setdefault(row["project"], []).append(_prompt(row))
    yield from (tuple(prompts) for prompts in sessions.values())


def _split(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(",") if part.strip()]


def _key(name: str, project: str) -> str:
    return name if "." in name else f"{project}.{name}"
