"""Marks of text that nobody typed into a prompt: output of programs, and documents announced."""

from __future__ import annotations

import re

from memctl.core.lazy_pattern import compile_later

# What a line of a program's output looks like: a time, a level, a prompt, a trace, a diff.
_MACHINE_LINE = compile_later(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b|\[?(?:INFO|DEBUG|WARN(?:ING)?"
    r"|ERROR"
    r"|FATAL|TRACE|CRITICAL)\b\]?[ :]|[$❯➜] ?\S|\S+@\S+ \S+ ?[%$#] |=== |--- (?:PASS|FAIL|a/)"
    r"|\+\+\+ b/|@@ -\d|diff --git |index [0-9a-f]{7,}\.|commit [0-9a-f]{7,40}\b|Author: |Date: "
    r"|Traceback \(|File \"[^\"\n]+\", line \d|at [\w$.<>/ ]+\(|at (?:div|span|\w+) ?$"
    r"|\w*(?:Error|Exception): |(?:error|warning|fatal|npm ERR!|panic)\b ?(?:\[\w+\])?: "
    r"|(?:PASS|FAIL|ok)(?:\t| {2,})\S|(?:Operation )?(?:stopped|blocked) by (?:a )?\w* ?hook\b"
    r"|(?:\w+ )?hook (?:feedback|advice|error|output)\b|Aider v\d|Main model: |Git repo: "
    r"|Repo-map: |[\w./-]+:\d+(?::\d+)?:? |\S+ \|\s+\d+ [+-]|[|+][-=|+: ]{3,}|\|.*\|\s*$"
    r"|[-+]\S.*(?<=[;{}()])$|>\s|\{\s*\"|\"[\w-]+\"\s*:\s)"
)
# A paragraph is output if at least this share of its lines look like it.
_MACHINE_SHARE = 0.5
_DOCUMENT = (
    r"(?:readme|pr|pull request|description|changelog|release notes?|docs?|documentation|document"
    r"|article|blog ?post|post|e-?mail|mail|message|letter|contract|licen[cs]e|terms|policy|text"
    r"|passage|paragraph|transcript|chat|conversation|thread|ticket|issue|bug report|report|advice"
    r"|poem|lyrics|abstract|paper|quote|statement|speech|notes?|announcement|rfc|proposal|tweet"
    r"|(?:review )?comments?|feedback|reply|answer|response|table|json|file|page|instructions?)"
)
# The request before a document: what to do with whose text, up to a colon at the line's end.
_ANNOUNCES = compile_later(
    r"(?:^|[\n.!?] ?)[^\n.!?]{0,60}\b(?:"
    r"(?:summari[sz]e|translate|proofread|rewrite|re-?phrase|shorten|paraphrase|polish|tidy up)\b"
    r"[^\n.!?:]{0,40}\b(?:this|these|the following|it|below|that)\b[^\n:]{0,80}"
    r"|(?:review|explain|check|read|analy[sz]e|reply to|answer|respond to|look at|correct"
    r"|critique)\b"
    rf"[^\n.!?:]{{0,30}}\b(?:this|these|the following|the|below"
    rf"|that)\b[^\n:]{{0,40}}\b{_DOCUMENT}\b"
    r"[^\n:]{0,60}"
    rf"|(?:this|here is|here's|below is|another|got|found|received"
    rf"|see) [^\n.!?:]{{0,40}}\b{_DOCUMENT}"
    r"\b[^\n.!?:]{0,30}\b(?:from|of|by|says?|said|wrote|sent|on)\b[^\n:]{0,60}"
    rf"|{_DOCUMENT} (?:reads|goes)(?: as follows)?"
    r"|(?:another|new|last) (?:review )?comment\b[^\n:]{0,30}"
    r"|(?:says?|wrote|told me|replied|commented|suggests?|complains?)"
    # The same requests in other languages.
    r"|(?:fasse?|übersetze?|überprüfe?|korrigiere?|résume[rz]?|traduis|traduisez|corrige|resume"
    r"|traduce|traduza|riassumi|traduci|correggi|vat|vertaal|streść|przetłumacz|özetle|tóm tắt"
    r"|переведи|перескажи|исправь)\b[^\n.!?:]{0,60}"
    r"):[ \t]*(?:\n|$)"
    # A question about a document that stands below it.
    rf"|(?:^|\n)[^\n.!?:]{{0,40}}\b(?:make of|think of|think about|thoughts on|comments on)"
    rf"[^\n.!?:]{{0,20}}\b(?:this|these|the following)\b[^\n:?]{{0,40}}\b{_DOCUMENT}\b"
    r"[^\n?]{0,30}\?[ \t]*\n",
    re.IGNORECASE,
)
# Rules that the person gives are announced too, and stay the person's.
_OWN_RULES = compile_later(
    r"\b(?:my|our|these) (?:\w+ )?(?:rules?|wishes|requirements?|conventions?|constraints?"
    r"|decisions?|preferences?|points?|changes?|answers?|thoughts?|plan|spec)\b",
    re.IGNORECASE,
)
# Back to the agent after a document: a question, or a request that names itself one.
_BACK = compile_later(
    r"(?:please|can you|could you|would you|what|is (?:it|this|that)|are (?:they|these)|does"
    r"|do (?:you|we)|how|why|also|btw|thoughts|i (?:think|want|would|don't|need)|keep"
    r"|make (?:it|this))\b",
    re.IGNORECASE,
)


def find_lines(text: str, start: int, end: int) -> str:
    """The whole lines, up to empty ones, around a part of a text."""
    before, after = text.rfind("\n\n", 0, start), text.find("\n\n", end)
    return text[before + 2 if before >= 0 else 0 : after if after >= 0 else len(text)]


def is_output(paragraph: str) -> bool:
    """Whether most lines of a paragraph are a program's, or quoted."""
    lines = [line for line in re.split(r"[\r\n]+", paragraph) if line.strip()]
    found = sum(_MACHINE_LINE.match(line) is not None for line in lines)
    return bool(lines) and found >= _MACHINE_SHARE * len(lines)


def find_document_start(text: str) -> int:
    """Where the document begins that the person announces; the text's end if there is none."""
    announced = _ANNOUNCES.search(text)
    if announced is None or _OWN_RULES.search(announced[0]):
        return len(text)
    return announced.end()


def speaks_to_agent(paragraph: str) -> bool:
    """Whether the paragraph after a document is the person's again."""
    return paragraph.rstrip().endswith("?") or _BACK.match(paragraph.lstrip()) is not None
