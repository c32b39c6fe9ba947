"""Prose out of a turn: sentences with exact offsets, told apart from code, logs, quotations and
injected blocks.

Keeps true: `text[sentence.start:sentence.end] == sentence.text` for every sentence; nothing inside
a fence, a quotation, a stack trace, a log or a tagged block comes out as a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.text.markdown_lines import (
    BLANK,
    HEADING,
    RULE,
    TABLE_ROW,
    MarkdownLine,
    classify_text,
)

SENTENCE_LIMIT = 700
COMMON_WORDS = frozenset(
    """
        the and that this is are was were be been not for with you your we our it its i of to in
        on at as an or if so but why what how do does did can could should would will have has had
        just than then there here from by no yes all any more one they
    """.split()
)
_TAG_OPEN = compile_later(r"<([a-zA-Z][\w-]{1,60})(?: [^<>\n]{0,300})?>")
_UNSPACED = compile_later(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# To whom a message is addressed is not part of what it says.
_MENTION = compile_later(r"@[\w.-]{1,40}: +")
# A line of three quotes begins or ends a string of Python, which people paste without a fence.
_STRING_MARK = compile_later(r"[ \t]{0,8}(\"{3}|'{3})[ \t]*")
_HEADING_MARK = compile_later(r"[ \t]{0,3}#{1,6}[ \t]+(?=\S)")
_BULLET = compile_later(
    r"[ \t]{0,12}(?:[-*+•–] +(?:\[[ xX]\] +)?|\(?\d{1,2}[.)] +|\(?[A-Za-z][.)] +(?=\S))"
)
_LABEL = compile_later(r"^[ \t]{0,8}(?:\*\*)?[A-Z][\w /'()-]{1,40}(?:\*\*)?[:.](?:\*\*)?(?=\s|$)")
_TABLE_RULE = compile_later(r"[ \t]*\|[-| :]{3,}[ \t]*")
# A quotation as a web page escapes it.
_ESCAPED_QUOTE = compile_later(r"[ \t]{0,3}&gt;")
_LOG = compile_later(
    r"^[ \t]*(?:"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|Traceback |File \"|at [\w.$<>/]+ ?\(|(?:ok"
    r"|FAIL|PASS|\?)[ \t]{2,}|--- (?:FAIL|PASS"
    r"|SKIP)|=== "
    r"|FAILED |ERROR[: ]|WARN(?:ING)?[: ]|INFO[: ]|DEBUG[: ]|npm (?:ERR|WARN|error|warn)"
    r"|error(?:\[\w+\])?:|fatal: |warning: |panic: "
    r"|goroutine \d"
    r"|[$%❯] \S|\S+@\S+[$#] |[+-]{3} [ab]?/|@@ |diff --git|[\w./-]+:\d+(?::\d+)?:|\^+ *$|Error: "
    r"|\w+(?:Error|Exception): |[Uu]sage:"
    r"|Flags:|Running \["
    r")"
)
_CODE = compile_later(
    r"[{};]\s*$|^\s*[)}\]]+[,;)]*\s*$"
    r"|^\s*(?:import [\w.]+;?\s*$|import .{1,80} from |import [\"'({]|from \S+ import|def \w+\("
    r"|func [\w(]+\(|fn \w+|class \w+[:({]"
    r"|(?:const|let|var) \w+ ?[=:]"
    r"|return [^ ]*[;()]|return\s*$|if \(|for \(|while \()"
    r"|^\s*(?:(?:public|private|export) (?:class|static|void|const|function|default|async"
    r"|interface|type|final)\b|package \w+;?\s*$"
    r"|#include|<\?|@\w+\(|//|/\*|\* @)"
    r"|=>|:=|\w\(\w*\)\s*\{|</\w+>|^\s*<\w[^<>]*>?\s*$"
)
_JSON = compile_later(r"^\s*(?:[\[{]|\"[\w-]+\"\s*:)")
_END = compile_later(r"[。！？][」』”)）]*|[.!?؟۔…]+[\"'”’)\]*_`]*(?=\s|$)|[:;](?=\s*$)")
_ABBREVIATION = compile_later(
    r"(?:\b(?:e\.g|i\.e|vs|cf|resp|esp|approx|incl|no|fig|mr|mrs|dr|st|al|ca)|\b[A-Za-z]"
    r"|^\s*\d{1,2})\.$",
    re.IGNORECASE,
)
_NEXT_STARTS = compile_later(
    r"\s+[\"'“‘«¿¡„(\[*_`]*[A-Z0-9À-ÞЀ-Я\u0100-\u017f\u1ea0-\u1ef9\u0621-\u064a\u0904-\u0939"
    r"\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3@#/`~]"
    r"|\s*$|\s*\n|\s+\w+\s*$"
)
# Many begin no sentence with a capital; after a plain word and one mark, these begin one.
_NEXT_STARTS_SMALL = compile_later(
    r"\s+(?:we|we're|our|i|i'm|the|it|it's|this|that's|there|please|remember|note|from now|as "
    r"(?:of|i)|use|don't|do not|never|always|no|not"
    r"|but|also|so|btw|by the way|actually|keep in mind|since|you)\b"
)
# Where a sentence that is too long is split, the best places first.
_CLAUSE_ENDS = (
    compile_later(r";\s+"),
    compile_later(r"\s[–—]\s+|,\s+(?=(?:and|but|then|so|or|because|while|which)\b)"),
    compile_later(r",\s+"),
)
# The edge of a terminal's window, copied with the words in it.
_WINDOW_EDGES = frozenset("│┃║▌▐")
_ASCII_LETTERS = dict.fromkeys(map(ord, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "))
# A word with a letter in it.
_LETTERED = compile_later(r"(?<!\S)\S*?[^\W\d_]")
_EMPHASIS = compile_later(r"(?<![\w`])[_*](\w[^_*\n]{0,80})[_*](?![\w`])")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of one turn.

    `kind` is prose, bullet, heading or row; `section` is its heading and label in lower case.
    """

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


def fold_for_cues(text: str) -> str:
    """The form that cues match: lower case, straight apostrophes, single spaces, no emphasis."""
    plain = text.lower().replace("’", "'").replace("‘", "'").replace("**", "")
    return " ".join(_EMPHASIS.sub(r"\1", plain).split())


def count_words(text: str) -> int:
    """The number of words; in scripts without spaces two characters count as one."""
    return len(text.split()) + (0 if text.isascii() else len(_UNSPACED.findall(text)) // 2)


def flatten(text: str) -> str:
    """The text on one line, without the edges of a window."""
    words = text.split()
    if not text.isascii() and not _WINDOW_EDGES.isdisjoint(words):
        words = [word for word in words if word not in _WINDOW_EDGES]
    return " ".join(words)


def split_sentences(turn: int, text: str) -> list[Sentence]:
    """The sentences of a turn's prose in order, with offsets into `text`."""
    out: list[Sentence] = []
    heading = label = ""
    for number, block in enumerate(_group_blocks(text)):
        kind = block[0].kind
        start, end = block[0].start, block[-1].end
        if kind == "heading":
            heading, label = fold_for_cues(text[start:end]).lstrip("# ").strip(" :*"), ""
        elif kind == "prose" and len(block) == 1 and _is_label(block[0].text):
            label = fold_for_cues(block[0].text).strip(" :*")
        for low, high in _list_pieces(text, start, end):
            piece = text[low:high]
            if len(piece) <= SENTENCE_LIMIT and _is_prose(piece, 1 if kind == "heading" else 2):
                out.append(
                    Sentence(
                        turn,
                        low,
                        high,
                        piece,
                        fold_for_cues(piece),
                        kind,
                        f"{heading} / {label}" if label else heading,
                        number,
                    )
                )
    return out


def _is_label(line: str) -> bool:
    """Whether the line only introduces what follows, such as `Constraints:` or `**Fix**`."""
    stripped = line.strip()
    return len(stripped) < 60 and (
        stripped.endswith(":") or (stripped.startswith("**") and stripped.endswith("**"))
    )


def _group_blocks(text: str) -> Iterator[list[_Line]]:
    """Group lines into blocks: a paragraph, a bullet with its continuation, a heading, a table
    row.
    """
    block: list[_Line] = []
    for line in _read_lines(text):
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


def _read_lines(text: str) -> Iterator[_Line]:
    """The lines of the text, with `gap` for what is not prose: blank, fenced, quoted, tagged,
    logged.
    """
    hidden = _find_tagged_ranges(text)
    string_mark = ""
    for line in classify_text(text):
        if not line.text:
            yield _BLANK
            continue
        mark = None if line.is_code else _STRING_MARK.fullmatch(line.text)
        if mark is not None and string_mark in ("", mark[1]):
            string_mark = "" if string_mark else mark[1]
        is_hidden = mark or string_mark or line.is_code or _is_inside(hidden, line.start)
        kind = "gap" if is_hidden else _classify_line(line)
        yield _Line(line.start, line.start + len(line.text.rstrip()), line.text, kind)


def _classify_line(line: MarkdownLine) -> str:
    """What one line is by itself."""
    text = line.text
    if line.kind in (BLANK, RULE) or line.quote_depth or len(text) > 40_000:
        return "gap"
    if _TABLE_RULE.fullmatch(text) or _ESCAPED_QUOTE.match(text):
        return "gap"
    if line.kind == HEADING:
        return "heading"
    head = text[:400]
    if _LOG.match(head) or _JSON.match(head) or _is_noise(head):
        return "gap"
    if line.kind == TABLE_ROW:
        return "row"
    return "bullet" if _BULLET.match(head) else "prose"


def _is_noise(line: str) -> bool:
    """Whether it is code or output: few letters, code punctuation, or one long token."""
    stripped = line.strip()
    outside = re.sub(r"`[^`]*`", " ", stripped)
    if _CODE.search(outside) and not re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}", outside):
        return True
    letters = _count_letters(stripped)
    if len(stripped) > 12 and letters < 0.6 * len(stripped):
        return "`" not in stripped or letters < 0.45 * len(stripped)
    if " " in stripped or len(stripped) <= 45 or "://" in stripped:
        return False
    return stripped.isascii() or len(_UNSPACED.findall(stripped)) < 0.5 * len(stripped)


def _count_letters(line: str) -> int:
    """How many letters and blanks a line has."""
    if line.isascii():
        return len(line) - len(line.translate(_ASCII_LETTERS))
    return sum(c.isalpha() or c == " " for c in line)


def _find_tagged_ranges(text: str) -> list[tuple[int, int]]:
    """Ranges of `<tag>...</tag>` blocks that span lines or have a harness's name.

    Unclosed tags hide nothing.
    """
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


def _is_inside(ranges: list[tuple[int, int]], position: int) -> bool:
    return any(low <= position < high for low, high in ranges)


def _split_ranges(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentence ranges between two offsets, without bullet and heading marks."""
    mark = _BULLET.match(text, start, end) or _HEADING_MARK.match(text, start, end)
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
        yield from _trim_range(text, low, match.end())
        low = match.end()
    yield from _trim_range(text, low, end)


def _list_pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The ranges of the sentences, and those of the clauses of a sentence that is too long."""
    for low, high in _split_ranges(text, start, end):
        yield from _split_long(text, low, high, _CLAUSE_ENDS)


def _split_long(
    text: str, low: int, high: int, ends: tuple[re.Pattern[str], ...]
) -> Iterator[tuple[int, int]]:
    """Split what is too long at the first of the marks that it has, and its parts at the others.

    Many give a whole task in one sentence, and a rule at its end.
    """
    if high - low <= SENTENCE_LIMIT or not ends:
        yield low, high
        return
    parts, begin = [], low
    for match in ends[0].finditer(text, low, high):
        parts.append((begin, match.start()))
        begin = match.end()
    parts.append((begin, high))
    # Between semicolons stands a clause of its own; other parts stay together while they may.
    if ends is not _CLAUSE_ENDS:
        parts = _join_short(parts)
    for part in parts:
        yield from _split_long(text, *part, ends[1:])


def _join_short(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join neighbours as long as they are no longer than a sentence may be."""
    joined = parts[:1]
    for low, high in parts[1:]:
        if high - joined[-1][0] <= SENTENCE_LIMIT:
            joined[-1] = joined[-1][0], high
        else:
            joined.append((low, high))
    return joined


def _starts_next(text: str, ended: re.Match[str], end: int) -> bool:
    """Whether a sentence begins after a mark that may end one."""
    at, last = ended.end(), min(end, ended.end() + 80)
    if ended.group()[0] in "。！？":  # no blank follows these
        return True
    is_plain = len(ended.group()) == 1 and text[ended.start() - 1 : ended.start()].isalnum()
    return bool(
        _NEXT_STARTS.match(text, at, last)
        or (is_plain and _NEXT_STARTS_SMALL.match(text, at, last))
    )


def _trim_range(text: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    while low < high and text[low] in " \t\n":
        low += 1
    while high > low and text[high - 1] in " \t\n":
        high -= 1
    if high > low:
        yield low, high


def _is_prose(piece: str, words: int) -> bool:
    """At least so many words with letters in them."""
    return len(_LETTERED.findall(piece)) >= words or count_words(piece) > words
