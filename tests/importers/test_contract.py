"""What every importer keeps, whatever it is given: one class over one invented sample of each kind.

A new importer adds its sample to SAMPLES: the path of the file and its content or its rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from contract import ODD_VALUES, join_strings, mutate
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.test_kinds import CLAUDE_MEM, ENGRAM, write_database

from memctl.core.model import AGENT_CLAIMED, SENTINEL_CLOSE, SENTINEL_OPEN
from memctl.extract import extract
from memctl.importers import IMPORTERS, KINDS, find_importer, get_importer
from memctl.importers.base import ImportedFile, ProjectMemories
from memctl.readers.base import Input
from memctl.store import foreign_databases

RULES = (
    "# Kiln\n\n- Never fire twice\n"
    "- Glaze before the second firing, because clay drinks\n\n"
    "The kiln burns at 1200 degrees.\n"
)
FRONT = "---\ntitle: Glaze\npermalink: notes/glaze\n---\n"
GRAPH = [
    {
        "type": "entity",
        "name": "Kiln",
        "entityType": "tool",
        "observations": ["Burns oak wood", "Never stands open"],
    },
    {"type": "relation", "from": "Kiln", "relationType": "stands_in", "to": "Yard"},
]
SAMPLES: Mapping[str, tuple[str, Any]] = {
    "claude-md": ("CLAUDE.md", RULES),
    "agents-md": ("AGENTS.md", RULES),
    "gemini-md": ("GEMINI.md", RULES),
    "copilot-instructions": (".github/copilot-instructions.md", RULES),
    "windsurf-rules": (".windsurfrules", RULES),
    "cursor-rules": (
        ".cursor/rules/kiln.mdc",
        "---\ndescription: Kiln\nglobs: src/*.py\n---\n" + RULES,
    ),
    "claude-memory": (
        ".claude/projects/-w-kiln/memory/glaze.md",
        "---\nname: glaze\ntype: project\n---\nGlaze is kept in the yard\n",
    ),
    "codex-memory": (
        ".codex/memories/MEMORY.md",
        "# Task Group: /w/kiln glazes\n\nscope: Glazes\napplies_to: cwd=/w/kiln; reuse_rule=safe\n"
        "\n## Task 1: Mix the glaze, done\n\n### keywords\n\n- ash, oak\n\n"
        '## User preferences\n\n- when mixing, the user said: "weigh first" -> weigh it [Task 1]\n',
    ),
    "basic-memory": (
        "glaze.md",
        FRONT + "- [decision] Ash glaze only (because it is ours) #ash\n- made_of [[Ash]]\n",
    ),
    "vault": (
        "kiln.md",
        "---\ntype: project\nkind: fact\nstatus: active\ntags: [clay, oak]\n---\n"
        "The kiln burns at 1200 degrees. #ash\n",
    ),
    "mcp-memory": ("memory.jsonl", "".join(json.dumps(line) + "\n" for line in GRAPH)),
    "mem0": (
        "mem0.json",
        json.dumps(
            {
                "results": [
                    {"id": "1", "memory": "Prefers ash glaze", "user_id": "u", "created_at": "2026"}
                ]
            }
        ),
    ),
    "chatgpt": (
        "memories.json",
        json.dumps(
            {"memories": [{"content": "Prefers ash glaze", "created_at": "2026-03-01T09:00:00Z"}]}
        ),
    ),
    "claude-mem": ("claude-mem.db", CLAUDE_MEM),
    "engram": ("engram.db", ENGRAM),
}
TEXTS = [importer.kind for importer in IMPORTERS if not importer.is_database]
DATABASES = [importer.kind for importer in IMPORTERS if importer.is_database]
TRIED = settings(max_examples=150, derandomize=True, database=None)


def write_sample(kind: str, folder: Path) -> Path:
    """The sample of a kind, written below a folder."""
    name, content = SAMPLES[kind]
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        path.write_text(content, "utf-8")
        return path
    return write_database(path, content)


def read_memories(kind: str, path: Path, data: bytes | None = None) -> list[ProjectMemories]:
    """What an importer makes of a file, or of other bytes in its place."""
    place = ImportedFile(path, path.parent)
    if not get_importer(kind).is_database:
        return list(
            get_importer(kind).read(
                Input(data=data) if data is not None else Input(path=path), place
            )
        )
    with foreign_databases.open_tables(path) as tables:
        return list(get_importer(kind).read(Input(path=path, tables=tables), place))


def vary_rows(rows: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows with one column at a time holding wrong values, or missing."""
    for table, many in rows.items():
        for column in sorted({column for row in many for column in row}):
            for wrong in (None, -1, 1e308, b"\xff\x00", "", "[1, null, {}]"):
                yield {**rows, table: [{**row, column: wrong} for row in many]}
            yield {
                **rows,
                table: [
                    {name: value for name, value in row.items() if name != column} for row in many
                ],
            }


def test_every_kind_has_its_sample() -> None:
    assert set(SAMPLES) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
class TestEveryImporter:
    def test_knows_its_own_file_and_no_other_kind_does(self, kind: str, tmp_path: Path) -> None:
        path = write_sample(kind, tmp_path)
        if kind in DATABASES:
            with foreign_databases.open_tables(path) as tables:
                assert find_importer(path, Input(path=path, tables=tables)) is get_importer(kind)
            assert find_importer(path, Input(path=path)) is None
        else:
            assert find_importer(path, Input(path=path)) is get_importer(kind)

    def test_makes_candidates_that_are_an_agents_claim_at_most(
        self, kind: str, tmp_path: Path
    ) -> None:
        made = [
            candidate
            for each in read_memories(kind, write_sample(kind, tmp_path))
            for candidate in extract(each.transcript)
        ]
        assert made and all(
            candidate.trust <= AGENT_CLAIMED and 0 < candidate.confidence < 0.8
            for candidate in made
        )
        assert all(candidate.rationale for candidate in made if candidate.type == "decision")
        assert all(candidate.scope == "global" for candidate in made if candidate.type == "profile")

    def test_quotes_the_words_of_the_file(self, kind: str, tmp_path: Path) -> None:
        path = write_sample(kind, tmp_path)
        words = (
            join_strings(path.read_bytes())
            if kind in TEXTS
            else " ".join(join_strings(json.dumps(SAMPLES[kind][1]).encode()).split())
        )
        for turn in (turn for each in read_memories(kind, path) for turn in each.transcript.turns):
            parts = [
                part
                for line in turn.text.split("\n")
                for part in (line.split() if kind in (*DATABASES, "mcp-memory") else [line])
            ]
            assert all(part.replace("stands in", "stands_in") in words for part in parts), turn.text

    def test_reads_the_same_twice_and_never_says_that_a_person_spoke(
        self, kind: str, tmp_path: Path
    ) -> None:
        path = write_sample(kind, tmp_path)
        assert read_memories(kind, path) == read_memories(kind, path)
        assert {
            turn.role for each in read_memories(kind, path) for turn in each.transcript.turns
        } == {"system"}


@pytest.mark.parametrize("kind", TEXTS)
class TestEveryImporterOfFiles:
    def test_takes_a_file_that_is_cut_anywhere(self, kind: str, tmp_path: Path) -> None:
        path = write_sample(kind, tmp_path)
        raw = path.read_bytes()
        for end in range(len(raw)):
            assert all(
                extract(each.transcript) is not None
                for each in read_memories(kind, path, raw[:end])
            )

    def test_takes_values_of_the_wrong_type(self, kind: str, tmp_path: Path) -> None:
        path = write_sample(kind, tmp_path)
        raw = path.read_bytes()

        @TRIED
        @given(draw=st.data())
        def try_one(draw: st.DataObject) -> None:
            wrong = mutate(raw, draw)
            get_importer(kind).recognizes(path, Input(data=wrong))
            for each in read_memories(kind, path, wrong):
                assert isinstance(extract(each.transcript), list)

        try_one()

    @pytest.mark.parametrize("wrong", ODD_VALUES, ids=repr)
    def test_takes_what_is_no_memory_at_all(self, kind: str, wrong: Any, tmp_path: Path) -> None:
        path = write_sample(kind, tmp_path)
        raw = json.dumps(wrong).encode()
        assert get_importer(kind).recognizes(path, Input(data=raw)) in (True, False)
        assert all(extract(each.transcript) is not None for each in read_memories(kind, path, raw))

    def test_never_takes_back_what_memctl_gave(self, kind: str, tmp_path: Path) -> None:
        path = write_sample(kind, tmp_path)
        ours = f"{SENTINEL_OPEN}>\n- Never paint the lanterns green\n{SENTINEL_CLOSE}"
        for words in (
            "Burns oak wood",
            "Prefers ash glaze",
            "Never fire twice",
            "Glaze is kept",
            "Ash glaze only",
        ):
            shown = json.dumps(ours)[1:-1] if path.suffix in (".json", ".jsonl") else ours
            raw = path.read_bytes().replace(words.encode(), shown.encode() + words.encode())
            assert not any(
                "lanterns" in turn.text
                for each in read_memories(kind, path, raw)
                for turn in each.transcript.turns
            )


@pytest.mark.parametrize("kind", DATABASES)
class TestEveryImporterOfDatabases:
    def test_takes_columns_of_the_wrong_type_and_columns_that_are_missing(
        self, kind: str, tmp_path: Path
    ) -> None:
        for number, rows in enumerate(vary_rows(SAMPLES[kind][1])):
            path = write_database(tmp_path / f"{number}.db", rows)
            assert all(extract(each.transcript) is not None for each in read_memories(kind, path))
