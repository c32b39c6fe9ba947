"""Statements of an instruction file become memories that are understood alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memctl.core.model import AGENT_CLAIMED, Candidate
from memctl.extract import extract
from memctl.importers import find_importer, get_importer
from memctl.importers.base import ImportedFile
from memctl.readers.base import Input

HARBOR = Path("/w/harbor")


def extract_candidates(
    text: str, *, kind: str = "claude-md", is_global: bool = False
) -> list[Candidate]:
    place = ImportedFile(HARBOR / "CLAUDE.md", HARBOR, is_global)
    (told,) = get_importer(kind).read(Input(data=text.encode()), place)
    assert all(
        span.quote == told.transcript.turns[span.turn].text
        for made in extract(told.transcript)
        for span in made.evidence
    )
    return extract(told.transcript)


def list_contents(text: str, **given: Any) -> list[str]:
    return [candidate.content for candidate in extract_candidates(text, **given)]


def list_kinds(text: str, **given: Any) -> list[str]:
    return [f"{candidate.type}/{candidate.kind}" for candidate in extract_candidates(text, **given)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("- Never push to `main`", "constraint"),
        ("- You must sign each commit", "constraint"),
        ("- Do not mock the clock", "constraint"),
        ("- Use four spaces for indents", "convention"),
        ("- Prefer small functions over large ones", "convention"),
        ("- Tests: use the tide fixture", "convention"),
        ("## Commands\n- Build: `make build`", "command"),
        ("## Testing\n`pytest -q` runs all of the tests", "command"),
        ("- The tide table comes from the harbour office", "fact"),
        ("The service computes tides for small ports.", "fact"),
        ("## Release process\n1. Bump the version\n2. Tag the commit\n3. Push the tag", "workflow"),
    ],
)
def test_a_statement_is_sorted_by_its_words_and_place(text: str, kind: str) -> None:
    assert list_kinds(text) == [f"project/{kind}"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("- Never use emojis", "constraint"),
        ("- Use `uv` for Python", "preference"),
        ("- My editor is vi these days", "preference"),
    ],
)
def test_what_is_said_for_all_projects_is_about_the_operator(text: str, kind: str) -> None:
    (made,) = extract_candidates(text, is_global=True)
    assert (made.type, made.kind, made.scope, made.trust) == (
        "profile",
        kind,
        "global",
        AGENT_CLAIMED,
    )


@pytest.mark.parametrize(
    "text",
    [
        "# Only a heading",
        "```\nnever = 1  # a comment in code\n```",
        "```python\n# run the tests\npytest()\n```",
        "| never | always |\n|---|---|\n| do not | must |",
        "- [the rules](docs/rules.md)",
        "[![build](https://ci.example/b.svg)](https://ci.example)",
        "@docs/style.md",
        "- @~/notes/rules.md",
        "├── never push to main\n└── src of the thing",
        "This file provides guidance to agents that work in this repository.",
        "You are an expert in tides and harbours.",
        "Last updated: 2026-01-01 by the harbour master",
        "<!-- never say this to anybody -->",
        "<!--\n- never say this to anybody\n-->",
        "- `src/tides.py`",
        "- https://harbor.example/never/ever",
        "- Typical pattern of use:",
        "- [ ] write the tide tables anew",
        "Should we ever push to main?",
        "---\n***\n___",
        "<rules>\n</rules>",
    ],
)
def test_what_is_no_statement_is_left_out(text: str) -> None:
    assert list_contents(text) == []


def test_what_memctl_wrote_is_never_imported() -> None:
    block = "<!-- memctl setup: begin -->\n- Always ask memctl first\n<!-- memctl setup: end -->"
    assert list_contents(f"- Use tabs for indents\n\n{block}\n\n- Use short names for tides") == [
        "Use tabs for indents",
        "Use short names for tides",
    ]
    assert list_contents("<!-- Written by memctl setup -->\n- Always ask memctl first") == []
    assert list_contents(
        "<memctl-context>\n- Always do as it says here\n</memctl-context>\n- Use tabs for indents"
    ) == ["Use tabs for indents"]
    assert list_contents(
        "- Use tabs for indents\n<!-- memctl setup: begin -->\n- Always ask memctl first"
    ) == ["Use tabs for indents"]


def test_an_item_has_its_continuation_and_its_short_sub_items() -> None:
    assert list_contents(
        "- Use pnpm, not npm,\n  since the lockfile is pnpm's\n- Store all times\n  - in UTC\n  - "
        "as integers"
    ) == [
        "Use pnpm, not npm, since the lockfile is pnpm's",
        "Store all times: in UTC; as integers",
    ]


def test_a_label_says_what_stands_below_it() -> None:
    made = extract_candidates("- Tests:\n  - always use the fixture\n  - never mock the clock\n")
    assert [candidate.content for candidate in made] == [
        "Tests: always use the fixture",
        "Tests: never mock the clock",
    ]
    assert list_contents("When you write tests:\n\n- use the fixture of the harbour master") == [
        "When you write tests: use the fixture of the harbour master"
    ]
    assert list_contents("# Harbor\n## Stack\n- PostgreSQL 15") == ["Stack: PostgreSQL 15"]


def test_a_heading_names_the_title_and_a_common_one_does_not() -> None:
    (made,) = extract_candidates(
        "# Harbor\n## Tide tables\n- They come from the harbour office every night"
    )
    assert made.title.startswith("Tide tables: They come")
    (plain,) = extract_candidates(
        "# Harbor\n## Rules\n- They come from the harbour office every night"
    )
    assert plain.title.startswith("They come")


def test_a_paragraph_that_ends_in_a_lead_keeps_what_it_says_before() -> None:
    assert list_contents(
        "The harbour has two gates. They are opened as follows:\n\n- the north one with the large "
        "key of brass"
    ) == [
        "The harbour has two gates.",
        "the north one with the large key of brass",
    ]


def test_commands_in_a_shell_fence_come_with_their_comments() -> None:
    text = (
        "## Commands\n```bash\n# Lint\nnpm run lint  # staged files\nnpm run lint:all\n\n"
        "npm run x\ncd there  # no command of a tool\n```"
    )
    made = extract_candidates(text)
    assert [candidate.content for candidate in made] == [
        "Lint, staged files: `npm run lint`",
        "Lint: `npm run lint:all`",
    ]
    assert made[0].evidence[0].quote == "# Lint\nnpm run lint  # staged files"


def test_a_decision_needs_a_reason() -> None:
    text = (
        "## Decisions\n- We chose SQLite because there is one writer. It is fast.\n"
        "- We chose tabs over spaces for all files"
    )
    decision, fact = extract_candidates(text)
    assert (decision.type, decision.rationale) == ("decision", "there is one writer")
    assert (fact.type, fact.rationale) == ("project", None)


def test_the_same_statement_on_a_page_counts_once() -> None:
    assert list_contents("- Never push to main\n\n## Again\n- Never push to main") == [
        "Never push to main"
    ]


def test_rules_of_an_editor_say_which_files_they_are_for() -> None:
    text = (
        "---\ndescription: Style\nglobs: src/**/*.ts, lib/*.ts\nalwaysApply: false\n---\n"
        "- Never use default exports\n"
    )
    assert list_contents(text, kind="cursor-rules") == [
        "For src/**/*.ts, lib/*.ts: Never use default exports"
    ]
    assert list_contents(
        "---\nglobs: **/*\n---\n- Never use default exports\n", kind="cursor-rules"
    ) == ["Never use default exports"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("CLAUDE.md", "claude-md"),
        ("CLAUDE.local.md", "claude-md"),
        (".claude/rules/tides.md", "claude-md"),
        ("AGENTS.md", "agents-md"),
        ("GEMINI.md", "gemini-md"),
        (".github/copilot-instructions.md", "copilot-instructions"),
        (".github/instructions/tides.instructions.md", "copilot-instructions"),
        (".windsurfrules", "windsurf-rules"),
        (".cursorrules", "cursor-rules"),
        (".cursor/rules/tides.mdc", "cursor-rules"),
        ("README.md", None),
        ("rules/tides.md", None),
    ],
)
def test_a_file_is_known_by_its_name(tmp_path: Path, path: str, kind: str | None) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("- Never push to main\n")
    importer = find_importer(file, Input(path=file))
    assert (importer.kind if importer else None) == kind


@pytest.mark.parametrize(
    "piece",
    [
        "- [",
        "<!--",
        "`",
        "[a](",
        "- a:\n",
        "1. a\n",
        "```\n",
        "<a ",
        "because ",
        "- - - = ",
        "\t- x\n",
        "*",
    ],
)
def test_a_hostile_page_is_read_all_the_same(piece: str) -> None:
    assert len(list_contents(piece * 20_000)) <= 2000


@pytest.mark.parametrize(
    "heading", ["Gemini Added Memories", "Saved memories", "Rules", "General notes", "Preferences"]
)
def test_a_heading_that_names_no_matter_says_nothing_of_what_stands_below_it(heading: str) -> None:
    assert list_contents(f"# Page\n\n## {heading}\n- I live in Bergen") == ["I live in Bergen"]
