"""Whatever a person does to MEMORY.md between two versions, no line of theirs is lost."""

from __future__ import annotations

import random

import pytest

from memctl.journal import hand_edits, memory_lines, memory_text
from memctl.journal.memory_lines import DocumentLine
from memctl.journal.memory_text import DocumentParts

SECTIONS = (memory_lines.RULES, memory_lines.DECISIONS, memory_lines.FACTS)
SHORT = "01JV3KQX{:02d}"


def record(number: int, text: str = "") -> DocumentLine:
    """A line of one record."""
    plain = text or f"Statement number {number} holds"
    name = SHORT.format(number)
    memory_id = f"{name}AAAAAAAAAAAAAAAA"
    return DocumentLine(
        memory_lines.RECORD,
        SECTIONS[number % len(SECTIONS)],
        f"- {plain} `{name}`",
        (memory_id,),
        plain,
    )


def document(
    lines: list[DocumentLine], blocks: tuple[DocumentLine, ...] = ()
) -> list[DocumentLine]:
    parts = DocumentParts("kiln", "9 Mar 2026", "V" * 26, lines, blocks, (), frozenset())
    return memory_text.compose_document(parts, {}, 100)


def scribble(draw: random.Random, text: str, number: int) -> tuple[str, list[str]]:
    """A person at work: lines put in anywhere, some of them in a row, with gaps and code."""
    lines, mine = text.split("\n"), []
    for turn in range(draw.randint(1, 5)):
        own = draw.choice(
            (
                [f"My remark {number}.{turn}"],
                [f"## My part {number}.{turn}", "", f"Text {number}.{turn}", "", "more of it"],
                ["```sh", f"make kiln-{number}-{turn}", "```"],
                [f"- a point of mine {number}.{turn}", "  with a second line"],
                [f"- Statement of mine about `{SHORT.format(draw.randint(0, 9))}` {number}.{turn}"],
            )
        )
        at = draw.randint(0, len(lines))
        lines[at:at] = own
        mine += [line for line in own if line]
    return "\n".join(lines), mine


@pytest.mark.parametrize("seed", range(60))
def test_no_line_of_a_person_is_lost_over_many_nights(seed: int) -> None:
    draw = random.Random(seed)
    known = {number: record(number) for number in range(10)}
    base = document(list(known.values()))
    text = memory_lines.render(base)
    mine: list[str] = []
    for night in range(6):
        text, added = scribble(draw, text, night)
        mine += added
        gone = draw.randint(0, 9)
        known.pop(gone, None)
        known[10 + night] = record(10 + night)
        changed = draw.choice(sorted(known))
        known[changed] = record(changed, f"Statement {changed} as of night {night}")
        edits = hand_edits.read_edits(base, text, lambda line: line)
        merged = hand_edits.merge_lines(list(known.values()), edits)
        base = document(list(merged.lines), merged.blocks)
        text = memory_lines.render(base)
        shown = text.split("\n")
        for line in mine:
            assert shown.count(line) >= mine.count(line), (seed, night, line)
        told = {line.ids for line in merged.lines}
        for block in merged.blocks:
            assert block.plain == "" or not {*block.ids} & {each for ids in told for each in ids}


def test_a_file_that_nobody_touched_gives_no_edits() -> None:
    base = document([record(number) for number in range(6)])
    edits = hand_edits.read_edits(base, memory_lines.render(base), lambda line: line)
    assert edits == hand_edits.HandEdits()


def test_a_file_with_other_line_ends_is_the_same_file() -> None:
    base = document([record(number) for number in range(6)])
    text = memory_lines.render(base).replace("\n", "\r\n")
    assert hand_edits.read_edits(base, text, lambda line: line) == hand_edits.HandEdits()
