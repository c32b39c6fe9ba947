"""Prose out of a turn: sentences with exact offsets, told apart from code, logs, quotations and injected blocks.

Keeps true: `text[sentence.start:sentence.end] == sentence.text` for every sentence; nothing inside a fence, a quotation, a stack trace,
a log or a tagged block comes out as a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.frozen import dataclass

SENTENCE_LIMIT = 700
COMMON_WORDS = frozenset(
    """
    the and that this is are was were be been not for with you your we our it its i of to in on at as an or if so but why what how
    do does did can could should would will have has had just than then there here from by no yes all any more one they
    """.split()
)
_TAG_OPEN = re.compile(r"<([a-zA-Z][\w-]{1,60})(?: [^<>\n]{0,300})?>")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# To whom a message is addressed is not part of what it says.
_MENTION = re.compile(r"@[\w.-]{1,40}: +")
_FENCE = re.compile(r"^[ \t]{0,8}(`{3,}|~{3,}|\"{3}[ \t]*$|'{3}[ \t]*$)")
_HEADING = re.compile(r" {0,4}#{1,6} +(?=\S)")
_BULLET = re.compile(
    r"[ \t]{0,12}(?:[-*+•–] +(?:\[[ xX]\] +)?|\(?\d{1,2}[.)] +|\(?[A-Za-z][.)] +(?=\S))"
)
_LABEL = re.compile(r"^[ \t]{0,8}(?:\*\*)?[A-Z][\w /'()-]{1,40}(?:\*\*)?[:.](?:\*\*)?(?=\s|$)")
_RULE = re.compile(r"^[ \t]*(?:[-=*_~]{3,}|\|[-| :]{3,})[ \t]*$")
_QUOTED = re.compile(r"^[ \t]{0,3}(?:>|&gt;)")
_LOG = re.compile(
    r"^[ \t]*(?:"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|Traceback |File \"|at [\w.$<>/]+ ?\(|(?:ok|FAIL|PASS|\?)[ \t]{2,}|--- (?:FAIL|PASS"
    r"|SKIP)|=== "
    r"|FAILED |ERROR[: ]|WARN(?:ING)?[: ]|INFO[: ]|DEBUG[: ]|npm (?:ERR|WARN|error|warn)|error(?:\[\w+\])?:|fatal: |warning: |panic: "
    r"|goroutine \d"
    r"|[$%❯] \S|\S+@\S+[$#] |[+-]{3} [ab]?/|@@ |diff --git|[\w./-]+:\d+(?::\d+)?:|\^+ *$|Error: |\w+(?:Error|Exception): |[Uu]sage:"
    r"|Flags:|Running \["
    r")"
)
_CODE = re.compile(
    r"[{};]\s*$|^\s*[)}\]]+[,;)]*\s*$"
    r"|^\s*(?:import [\w.]+;?\s*$|import .{1,80} from |import [\"'({]|from \S+ import|def \w+\(|func [\w(]+\(|fn \w+|class \w+[:({]"
    r"|(?:const|let|var) \w+ ?[=:]"
    r"|return [^ ]*[;()]|return\s*$|if \(|for \(|while \()"
    r"|^\s*(?:(?:public|private|export) (?:class|static|void|const|function|default|async|interface|type|final)\b|package \w+;?\s*$"
    r"|#include|<\?|@\w+\(|//|/\*|\* @)"
    r"|=>|:=|\w\(\w*\)\s*\{|</\w+>|^\s*<\w[^<>]*>?\s*$"
)
_JSON = re.compile(r"^\s*(?:[\[{]|\"[\w-]+\"\s*:)")
_END = re.compile(r"[。！？]|[.!?…]+[\"'”’)\]*_`]*(?=\s|$)|[:;](?=\s*$)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|cf|resp|esp|approx|incl|no|fig|mr|mrs|dr|st|al|ca)|\b[A-Za-z]|^\s*\d{1,2})\.$",
    re.IGNORECASE,
)
_NEXT_STARTS = re.compile(r"\s+[\"'“‘(\[*_`]*[A-Z0-9À-ÞЀ-Я@#/`~]|\s*$|\s*\n|\s+\w+\s*$")
# Many begin no sentence with a capital; after a plain word and one mark, these begin one.
_NEXT_STARTS_SMALL = re.compile(
    r"\s+(?:we|we're|our|i|i'm|the|it|it's|this|that's|there|please|remember|note|from now|as (?:of|i)|use|don't|do not|never|always|no|not"
    r"|but|also|so|btw|by the way|actually|keep in mind|since|you)\b"
)
_ASCII_LETTERS = dict.fromkeys(map(ord, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "))
# A word with a letter in it.
_LETTERED = re.compile(r"(?<!\S)\S*?[^\W\d_]")
_EMPHASIS = re.compile(r"(?<![\w`])[_*](\w[^_*\n]{0,80})[_*](?![\w`])")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of one turn. `kind` is prose, bullet, heading or row; `section` the heading and label it stands under, lowered."""

    turn: int
    start: int
    end: int
    text: str
    low: str
    kind: str
    section: str
    paragraph: int


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str
    kind: str


_BLANK = _Line(0, 0, "", "gap")


def lowered(text: str) -> str:
    """Lower case, straight apostrophes, single spaces and no emphasis marks: the form that cues are matched on."""
    plain = text.lower().replace("’", "'").replace("‘", "'").replace("**", "")
    return " ".join(_EMPHASIS.sub(r"\1", plain).split())


def word_count(text: str) -> int:
    """The number of words; in scripts without spaces two characters count as one."""
    return len(text.split()) + (0 if text.isascii() else len(_UNSPACED.findall(text)) // 2)


def flat(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())


def sentences(turn: int, text: str) -> list[Sentence]:
    """The sentences of a turn's prose, in order, with offsets into `text`."""
    out: list[Sentence] = []
    heading = label = ""
    for number, block in enumerate(_blocks(text)):
        kind = block[0].kind
        start, end = block[0].start, block[-1].end
        if kind == "heading":
            heading, label = lowered(text[start:end]).lstrip("# ").strip(" :*"), ""
        elif kind == "prose" and len(block) == 1 and _is_label(block[0].text):
            label = lowered(block[0].text).strip(" :*")
        for low, high in _split(text, start, end):
            piece = text[low:high]
            if len(piece) <= SENTENCE_LIMIT and _is_prose(piece, 1 if kind == "heading" else 2):
                out.append(
                    Sentence(
                        turn,
                        low,
                        high,
                        piece,
                        lowered(piece),
                        kind,
                        f"{heading} / {label}" if label else heading,
                        number,
                    )
                )
    return out


def _is_label(line: str) -> bool:
    """A line that only names what follows, such as `Constraints:` or `**Fix**`."""
    stripped = line.strip()
    return len(stripped) < 60 and (
        stripped.endswith(":") or (stripped.startswith("**") and stripped.endswith("**"))
    )


def _blocks(text: str) -> Iterator[list[_Line]]:
    """Lines that belong together: a paragraph, one bullet with its continuation, a heading, a table row."""
    block: list[_Line] = []
    for line in _lines(text):
        if block and not _continues(block, line):
            yield block
            block = []
        if line.kind != "gap":
            block.append(line)
    if block:
        yield block


def _continues(block: list[_Line], line: _Line) -> bool:
    """Whether the line is a soft wrap of the block above it."""
    if line.kind != "prose" or block[-1].kind not in ("prose", "bullet"):
        return False
    if _LABEL.match(line.text):
        return False
    above, here = block[-1].text.strip(), line.text.strip()
    short = len(above) < 50 and len(above) < 0.6 * len(here)
    return not (short and here[:1].isupper() and not above.endswith((",", "-", "(")))


def _lines(text: str) -> Iterator[_Line]:
    """The lines of the text, with `gap` for what is not prose: blank, fenced, quoted, tagged, logged."""
    fence: str | None = None
    hidden = _tagged(text)
    start = 0
    for raw in text.split("\n"):
        end = start + len(raw)
        if not raw:
            yield _BLANK
            start = end + 1
            continue
        kind = _line_kind(raw)
        opened = _FENCE.match(raw)
        if opened:
            mark = opened.group(1)[:3]
            fence = None if fence == mark else (fence or mark)
            kind = "gap"
        elif fence or _inside(hidden, start):
            kind = "gap"
        stripped = raw.rstrip()
        yield _Line(start, start + len(stripped), raw, kind)
        start = end + 1


def _line_kind(line: str) -> str:
    """What one line is by itself."""
    if not line.strip() or _QUOTED.match(line) or _RULE.match(line) or len(line) > 40_000:
        return "gap"
    if _HEADING.match(line):
        return "heading"
    head = line[:400]
    if _LOG.match(head) or _JSON.match(head) or _noise(head):
        return "gap"
    if line.lstrip().startswith("|"):
        return "row"
    return "bullet" if _BULLET.match(head) else "prose"


def _noise(line: str) -> bool:
    """Code or output rather than words: too few letters, code punctuation, or one long token."""
    stripped = line.strip()
    outside = re.sub(r"`[^`]*`", " ", stripped)
    if _CODE.search(outside) and not re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}", outside):
        return True
    letters = _letters(stripped)
    if len(stripped) > 12 and letters < 0.6 * len(stripped):
        return "`" not in stripped or letters < 0.45 * len(stripped)
    return " " not in stripped and len(stripped) > 45 and "://" not in stripped


def _letters(line: str) -> int:
    """How many letters and blanks a line has."""
    if line.isascii():
        return len(line) - len(line.translate(_ASCII_LETTERS))
    return sum(c.isalpha() or c == " " for c in line)


def _tagged(text: str) -> list[tuple[int, int]]:
    """Ranges of `<tag>...</tag>` blocks that run over a line or carry a harness-like name; unclosed tags hide nothing."""
    if "</" not in text:
        return []
    ranges: list[tuple[int, int]] = []
    done = 0
    for match in _TAG_OPEN.finditer(text):
        if match.start() < done:
            continue
        close = text.find(f"</{match.group(1)}>", match.end(), match.end() + 200_000)
        if close < 0 or (
            ("-" not in match.group(1) and "_" not in match.group(1))
            and "\n" not in text[match.end() : close]
        ):
            continue
        done = close + len(match.group(1)) + 3
        ranges.append((match.start(), done))
        if len(ranges) > 500:
            break
    return ranges


def _inside(ranges: list[tuple[int, int]], position: int) -> bool:
    return any(low <= position < high for low, high in ranges)


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentence ranges between two offsets, bullet and heading marks left out."""
    mark = _BULLET.match(text, start, end) or _HEADING.match(text, start, end)
    low = mark.end() if mark else start
    mention = _MENTION.match(text, low, end)
    low = mention.end() if mention else low
    for match in _END.finditer(text, low, end):
        if match.group().startswith(".") and _ABBREVIATION.search(
            text, max(low, match.start() - 8), match.start() + 1
        ):
            continue
        if match.end() < end and not _starts_next(text, match, end):
            continue
        yield from _trimmed(text, low, match.end())
        low = match.end()
    yield from _trimmed(text, low, end)


def _starts_next(text: str, ended: re.Match[str], end: int) -> bool:
    """Whether a sentence begins behind a mark that may end one."""
    at, last = ended.end(), min(end, ended.end() + 80)
    is_plain = len(ended.group()) == 1 and text[ended.start() - 1 : ended.start()].isalnum()
    return bool(
        _NEXT_STARTS.match(text, at, last)
        or (is_plain and _NEXT_STARTS_SMALL.match(text, at, last))
    )


def _trimmed(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    while low < high and text[low] in " \t\n":
        low += 1
    while high > low and text[high - 1] in " \t\n":
        high -= 1
    if high > low:
        yield low, high


def _is_prose(piece: str, words: int) -> bool:
    """At least so many words with letters in them."""
    return len(_LETTERED.findall(piece)) >= words or word_count(piece) > words
