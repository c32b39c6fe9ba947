"""A page of Markdown as the statements that it makes: list items with what belongs to them, short paragraphs, commands.

What is no statement is left out: headings, tables, code, links alone, imports, trees of folders, comments, what memctl wrote itself.
Every pattern is linear; a page of any size is read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memctl.core.frozen import dataclass, replace
from memctl.text.markdown_lines import Document
from memctl.text.private_blocks import PRIVATE

# The marks that memctl's own setup puts around what it adds to a file; a whole file of its own says so in its first lines.
OURS_BEGIN, OURS_END, OURS_WHOLE = (
    "memctl setup: begin",
    "memctl setup: end",
    "Written by memctl setup",
)
LONGEST, _LONGEST_STEPS = 600, 900
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.{0,300})")
_ITEM = re.compile(r"([ \t]{0,24})([-*+]|\d{1,3}[.)])[ \t]{1,6}(\S.*)")
_FENCE = re.compile(r"[ \t>]{0,12}(`{3,9}|~{3,9})[ \t]*([\w+-]{0,20})")
_RULER = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,200}")
_TAGS = re.compile(r"[ \t]*(?:</?[A-Za-z][\w:.-]{0,60}(?: [^<>\n]{0,300})?/?>[ \t]*){1,4}")
_ORDERED = re.compile(
    r"step|flow|pipeline|process|procedure|how to|sequence|lifecycle|checklist|before|after|when |adding|creating|releas|deploy|publish"
)
_SHELLS = frozenset(
    {"", "bash", "sh", "shell", "zsh", "console", "fish", "powershell", "cmd", "text"}
)


@dataclass(frozen=True, slots=True)
class Piece:
    """One statement: its exact words, the line it begins in, the headings above it (the outermost first) and the line that leads it in.

    form: `item`, `steps` (a numbered list), `paragraph` or `shell` (a command of a fence; `below` holds it and what its comments say).
    """

    form: str
    text: str
    line: int
    headings: tuple[str, ...] = ()
    lead: str = ""
    below: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """The words on one line, what stands below them behind."""
        own = (
            " ".join(self.text.split("\n", 1)[0].split())
            if self.below
            else " ".join(self.text.split())
        )
        if not self.below:
            return own
        return own.rstrip(" :.") + ": " + "; ".join(part.rstrip(" .;") for part in self.below)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line as what it is: `heading`, `item`, `text`, `shell` or `gap`; `depth` is a heading's level or an item's indent."""

    kind: str
    text: str
    line: int
    depth: int = 0
    numbered: bool = False


def pieces(page: Document) -> Iterator[Piece]:
    """The statements of a page, in order."""
    if any(OURS_WHOLE in line for line in page.lines[:5]):
        return
    yield from _Walk().over(_lines(page))


class _Walk:
    """One pass over the lines; holds the headings above, the line that leads in, and the block that is being gathered."""

    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []
        self._lead = ""
        self._held: list[_Line] = []

    def over(self, lines: Iterator[_Line]) -> Iterator[Piece]:
        """The statements among the lines."""
        for line in lines:
            if not self._goes_on(line):
                yield from self._finished()
            if line.kind == "heading":
                self._enter(line)
            elif line.kind == "shell":
                yield Piece(
                    "shell", line.text, line.line, self._above(), self._lead, _command(line.text)
                )
            elif line.kind != "gap" or self._is_list():
                self._held.append(line)
        yield from self._finished()

    def _is_list(self) -> bool:
        return bool(self._held) and self._held[0].kind == "item"

    def _goes_on(self, line: _Line) -> bool:
        """Whether a line belongs to the block that is being gathered."""
        if not self._held or line.kind in ("heading", "shell"):
            return False
        if not self._is_list():
            return line.kind == "text"
        if line.kind == "text" and self._held[-1].kind == "gap":
            return line.depth > self._held[0].depth
        return True

    def _above(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._headings)

    def _enter(self, line: _Line) -> None:
        self._headings = [above for above in self._headings if above[0] < line.depth]
        self._headings.append((line.depth, plain(line.text).rstrip(" :#")))
        self._lead = ""

    def _finished(self) -> Iterator[Piece]:
        held, self._held = [line for line in self._held if line.kind != "gap"], []
        if not held:
            return
        if held[0].kind == "item":
            yield from _of_list(_tree(held), self._above(), self._lead)
            return
        text = "\n".join(line.text for line in held)
        said, lead = _lead_of(text)
        self._lead = plain(lead).rstrip(" :")
        if said:
            yield Piece("paragraph", said, held[0].line, self._above())


def _lead_of(text: str) -> tuple[str, str]:
    """A paragraph as what it says, and its last sentence, if that leads in what follows."""
    if not text.rstrip(" *_").endswith(":"):
        return text, ""
    end = max(text.rfind(". "), text.rfind(".\n")) + 1
    return text[:end].strip(), text[end:].strip()


@dataclass(frozen=True, slots=True)
class _Node:
    """A list item: its lines and the items below it."""

    head: _Line
    more: list[str]
    children: list[_Node]

    def text(self) -> str:
        return "\n".join([self.head.text, *self.more])

    def size(self) -> int:
        return len(self.text()) + sum(child.size() for child in self.children)

    def exact(self) -> str:
        """The item as it stands, its sub-items below."""
        return "\n".join(
            [self.text(), *("- " + child.exact().replace("\n", "\n  ") for child in self.children)]
        )

    def flat(self) -> str:
        return " ".join(self.text().split()) + "".join(
            f" ({child.flat()})" for child in self.children
        )


def _tree(held: Sequence[_Line]) -> list[_Node]:
    roots: list[_Node] = []
    open_nodes: list[_Node] = []
    for line in held:
        if line.kind != "item":
            open_nodes[-1].more.append(line.text)
            continue
        while open_nodes and open_nodes[-1].head.depth >= line.depth:
            open_nodes.pop()
        node = _Node(line, [], [])
        (open_nodes[-1].children if open_nodes else roots).append(node)
        open_nodes.append(node)
    return roots


def _of_list(roots: list[_Node], headings: tuple[str, ...], lead: str) -> Iterator[Piece]:
    steps = [node for node in roots if node.head.numbered]
    if len(steps) == len(roots) > 1 and (one := _steps(steps, headings, lead)) is not None:
        yield one
        return
    for node in roots:
        yield from _of_node(node, headings, lead)


def _of_node(node: _Node, headings: tuple[str, ...], lead: str) -> Iterator[Piece]:
    """An item with its short sub-items as one, else each sub-item by itself under the item."""
    if node.children and (_is_label(node.text()) or node.size() > LONGEST):
        inner = plain(node.text()).rstrip(" :")
        if not _is_label(node.text()):
            yield Piece("item", node.text(), node.head.line, headings, lead)
        for child in node.children:
            yield from _of_node(child, headings, inner if len(inner) <= 80 else lead)
        return
    yield Piece(
        "item",
        node.exact(),
        node.head.line,
        headings,
        lead,
        tuple(child.flat() for child in node.children),
    )


def _steps(nodes: list[_Node], headings: tuple[str, ...], lead: str) -> Piece | None:
    """A numbered list as one thing, if it tells what to do one after the other."""
    total = sum(node.size() for node in nodes)
    if total > _LONGEST_STEPS or not _ORDERED.search(" ".join((*headings[-1:], lead)).lower()):
        return None
    text = "\n".join(f"{number}. {node.exact()}" for number, node in enumerate(nodes, 1))
    return Piece(
        "steps", text, nodes[0].head.line, headings, lead or (headings[-1] if headings else "")
    )


def _is_label(text: str) -> bool:
    """Whether an item only names what stands below it."""
    bare = text.strip()
    return (
        bare.rstrip("*_ ").endswith(":")
        or (bare.startswith("**") and bare.endswith("**"))
        or len(bare.split()) <= 2
    )


def plain(text: str) -> str:
    """Words on one line without the marks of emphasis and of links."""
    text = re.sub(r"!?\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)", r"\1", text)
    return " ".join(text.replace("**", "").replace("__", "").split())


def _lines(page: Document) -> Iterator[_Line]:
    """Every line that may say something, as what it is."""
    fence = language = ""
    said: list[_Line] = []
    for number, line in enumerate(_without_comments(_without_ours(page.lines)), page.first):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and not mark[2])):
            if fence:
                yield from _commands(said) if language in _SHELLS else ()
            said, fence, language = [], "" if fence else mark[1], mark[2].lower()
            yield _Line("gap", "", number)
        elif fence:
            said.append(_Line("shell", line, number))
        else:
            yield _kind(line, number)


def _kind(line: str, number: int) -> _Line:
    text = line.strip()
    quoted = re.match(r"(?:> ?){1,4}", text)
    if quoted:
        text = line = text[quoted.end() :].strip()
    heading = _HEADING.fullmatch(line.rstrip())
    if heading:
        return _Line("heading", heading[2].rstrip("# "), number, len(heading[1]))
    if (
        not text
        or text.startswith(("|", "[!", PRIVATE))
        or _RULER.fullmatch(line)
        or _TAGS.fullmatch(line)
    ):
        return _Line("gap", "", number)
    item = _ITEM.fullmatch(line.rstrip())
    if item:
        return _Line("item", item[3], number, _width(item[1]), item[2][0].isdigit())
    return _Line("text", text, number, _width(line[: len(line) - len(line.lstrip())]))


def _width(indent: str) -> int:
    return len(indent.replace("\t", "    "))


def _commands(lines: list[_Line]) -> Iterator[_Line]:
    """The command lines of a fence that a comment explains, each with the comment above it; such a comment holds until a gap."""
    above = ""
    for line in lines:
        text = line.text.strip().removeprefix("$ ")
        if not text or text.startswith("#"):
            above = text
        elif (above or " #" in text) and len(text) <= 200:
            yield replace(line, text=f"{above}\n{text}" if above else text)


def _command(text: str) -> tuple[str, str]:
    """A command line without its comments, and those."""
    above, _, line = text.rpartition("\n")
    command, _, comment = line.partition(" #")
    said = (part.strip("# \t") for part in (above, comment))
    return command.strip(), ", ".join(filter(None, said))


def _without_ours(lines: Sequence[str]) -> list[str]:
    """The lines, blank where memctl's own block stands; one that is not closed reaches to the end."""
    kept, inside = [], False
    for line in lines:
        inside = inside or OURS_BEGIN in line
        kept.append("" if inside else line)
        inside = inside and OURS_END not in line
    return kept


def _without_comments(lines: Sequence[str]) -> Iterator[str]:
    """The lines without what stands in HTML comments."""
    inside, last = (
        False,
        max((place for place, line in enumerate(lines) if "-->" in line), default=-1),
    )
    for place, line in enumerate(lines):
        out, rest = "", line
        while rest:
            before, mark, rest = rest.partition(
                "-->" if inside else "<!--" if place <= last else "\0"
            )
            out += "" if inside else before
            inside = inside != bool(mark)
        yield out
