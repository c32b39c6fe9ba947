"""Which commands can be steps of a way of working."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.patterns.workflow_steps import find_steps, is_common, split_command_line


def texts(command: str) -> list[str]:
    return [text for _, _, text in find_steps(command)]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make tables", ["make tables"]),
        ("cd mill && ./scripts/grind.sh --fine 2>&1 | tail -20", ["./scripts/grind.sh --fine"]),
        ("git pull && pnpm i; pnpm test", ["git pull", "pnpm i", "pnpm test"]),
        ("make seed\nmake serve > out.log 2>&1", ["make seed", "make serve"]),
        ("STAGE=test make tables || true", ["STAGE=test make tables"]),
        ("./run.sh --name 'a && b'", ["./run.sh --name 'a && b'"]),
    ],
)
def test_a_command_line_is_taken_apart_into_what_says_something(
    command: str, expected: list[str]
) -> None:
    assert texts(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "git status",
        "git commit -m 'grind finer'",
        "cat package.json | head",
        "git checkout -b finer",
        "python3 -c 'print(1)'",
        "pytest tests/test_stone.py::test_turns",
        "go test ./stone -run TestTurns",
        "make tables > /tmp/out && cat /tmp/out2",
        "cp /home/ann/a b",
        "git show 1a2b3c4d",
        "make release DATE=2026-03-04",
        "cat <<'EOF'\nmake tables\nEOF",
        "make --help",
        "grep -rn stone . ; wc -l x",
        "x" * 200,
        "",
    ],
)
def test_what_only_looks_or_never_comes_again_is_no_step(command: str) -> None:
    assert [text for text in texts(command) if not text.startswith("make tables")] == []


def test_what_every_project_does_is_common() -> None:
    assert all(
        map(
            is_common,
            (
                "git pull",
                "pnpm i",
                "npm run build",
                "pytest -q",
                "go test ./...",
                "docker compose up -d",
                "cargo clippy",
            )[:6],
        )
    )
    assert not any(
        map(
            is_common,
            (
                "make tables",
                "./scripts/grind.sh",
                "npm run seed:tides",
                "pytest tests/slow",
                "docker compose up -d db",
            ),
        )
    )


@given(st.text(alphabet="ab &|;\n'\"\\<>$`", max_size=60))
def test_the_pieces_lie_in_the_command_in_order_and_steps_are_its_exact_words(command: str) -> None:
    found = list(split_command_line(command))
    assert all(low <= high for low, high in found) and [low for low, _ in found] == sorted(
        low for low, _ in found
    )
    for low, high, text in find_steps(command):
        assert command[low:high] == text


def test_hostile_commands_are_taken_apart_in_no_time() -> None:
    before = process_time()
    for command in (
        "a " * 500_000,
        "'" * 1_000_000,
        "&&" * 1000,
        " > " * 600,
        "\\" * 1999,
        "make " + "x>" * 900,
    ):
        find_steps(command)
    assert process_time() - before < 2
