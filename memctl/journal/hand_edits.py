"""What a person did to MEMORY.md since it was written: lines added, reworded and taken out. Pure.

Three sides meet here: the version that was written (base), the file as it is (theirs), and the
lines that the records give now (mine). Theirs always stands; where both changed a line, both are
shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from memctl.core.frozen import dataclass, field, replace
from memctl.journal import memory_lines
from memctl.journal.memory_lines import DocumentLine
from memctl.text import sealed_notes

# How the text of a file becomes fit to be stored.
Cleaning = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class HandEdits:
    """A person's own lines (one of kind `person` for each block that stands together), the records
    whose lines they took out, and the headings that they did.
    """

    blocks: tuple[DocumentLine, ...] = ()
    removed: tuple[DocumentLine, ...] = ()
    removed_frames: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class MergedLines:
    """The lines of both; `clashes` are a person's lines whose records changed, each with what the
    records say now (None: they no longer hold).
    """

    lines: tuple[DocumentLine, ...]
    blocks: tuple[DocumentLine, ...]
    clashes: tuple[tuple[DocumentLine, DocumentLine | None], ...] = ()


def read_edits(base: Sequence[DocumentLine], text: str, clean: Cleaning) -> HandEdits:
    """Compare a file with the version that was written into it."""
    known = {line.text.rstrip(): line for line in base if line.kind != memory_lines.PERSON}
    seen: set[str] = set()
    blocks: list[DocumentLine] = []
    section, block, blanks = memory_lines.TOP, list[str](), list[str]()
    for raw in [*text.split("\n"), None]:
        line = None if raw is None else clean(raw).rstrip()
        mine = known.get(line) if line else None
        if raw is None or mine is not None or (line and sealed_notes.is_sealed(line)):
            blocks += _close_block(section, block, clean)
            block, blanks = [], []
        elif not line:
            blanks.append(raw)
        else:
            block += [*(blanks if block else []), raw]
            blanks = []
        if mine is not None:
            seen.add(mine.text.rstrip())
            section = mine.section
    missing = [line for text, line in known.items() if text and text not in seen]
    taken = [_take_over(one, base, missing) for one in blocks]
    told = {each for one in taken for each in one.ids}
    return HandEdits(
        tuple(taken),
        tuple(
            line for line in missing if line.kind == memory_lines.RECORD and not told & {*line.ids}
        ),
        frozenset(line.text for line in missing if line.kind == memory_lines.FRAME),
    )


def keep_edits(base: Iterable[DocumentLine]) -> HandEdits:
    """What is a person's in a version that stands in no file."""
    return HandEdits(tuple(memory_lines.pick(base, memory_lines.PERSON)))


def _close_block(section: str, block: Sequence[str], clean: Cleaning) -> list[DocumentLine]:
    if not block:
        return []
    raw = "\n".join(block)
    return [DocumentLine(memory_lines.PERSON, section, clean(raw), raw=raw)]


def _list_named(text: str, base: Iterable[DocumentLine]) -> list[str]:
    """The records of the base that a text names."""
    names = sealed_notes.NAMED_ID.findall(text)
    ids = {each for line in base for each in line.ids}
    return sorted(each for each in ids if any(each.startswith(name) for name in names))


def _take_over(
    block: DocumentLine, base: Sequence[DocumentLine], missing: Sequence[DocumentLine]
) -> DocumentLine:
    """A block with the records that it names, and what those said whose lines it replaces."""
    named = _list_named(block.text, base)
    told = [
        line.plain
        for line in (*missing, *memory_lines.pick(base, memory_lines.PERSON))
        if line.plain and {*line.ids} & {*named}
    ]
    return replace(block, ids=tuple(named), plain="\n".join(dict.fromkeys(told)))


def merge_lines(
    mine: Sequence[DocumentLine],
    edits: HandEdits,
    decided: Sequence[DocumentLine] | None = None,
) -> MergedLines:
    """Let a person's lines stand in the place of those of the records that they name.

    Where the records say something else by now, both stand, and the person's is theirs alone from
    then on. `decided` are the person's lines of a version that is approved: it was settled there
    what stands.
    """
    lines = list(mine)
    blocks: list[DocumentLine] = []
    clashes: list[tuple[DocumentLine, DocumentLine | None]] = []
    known = {line.text.rstrip(): line for line in decided or ()}
    for block in edits.blocks:
        before = known.get(block.text.rstrip())
        if before is not None:
            blocks.append(replace(block, ids=before.ids, plain=before.plain))
            continue
        now = [line for line in lines if {*line.ids} & {*block.ids}]
        is_same = all(line.plain in block.plain.split("\n") for line in now)
        if not block.plain or (not now and decided is not None):
            blocks.append(block)
        elif now and is_same:
            lines = [line for line in lines if line not in now]
            blocks.append(block)
        else:
            clashes += [(block, line) for line in now] or [(block, None)]
            blocks.append(replace(block, plain=""))
    own = {_normalise(part) for block in blocks for part in block.text.split("\n")}
    lines = [line for line in lines if _normalise(line.plain) not in own]
    return MergedLines(tuple(lines), tuple(blocks), tuple(clashes))


def _normalise(text: str) -> str:
    return " ".join(sealed_notes.NAMED_ID.sub("", text).strip(" \t-*+.").casefold().split())
