"""Import notes of basic-memory: Markdown with front matter, observations and relations.

An observation is `- [category] text #tag (context)`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import ClassVar
from memctl.importers.base import (
    ImportedFile,
    ImportedNote,
    ProjectMemories,
    build_transcript,
    make_session_id,
    read_page,
)
from memctl.importers.classify import classify_project_statement, find_reason
from memctl.importers.page_statements import strip_emphasis_and_links
from memctl.readers.base import Input
from memctl.readers.text_document import decode_head
from memctl.readers.values import parse_time
from memctl.text.markdown_lines import classify_lines

_OBSERVATION = compile_later(r"[ \t]{0,12}[-*] \[([^\]\[()\n]{2,40})\] (\S.{1,1000})")
_OBSERVATION_START = compile_later(r"^- \[(?![ xX]\])[a-z][\w -]{1,30}\] \S", re.MULTILINE)
_RELATION = compile_later(r"[ \t]{0,12}[-*] ([\w -]{2,60}) \[\[([^\]\n]{1,200})\]\](.{0,200})")
_CONTEXT = compile_later(r" \(([^()]{2,300})\)$")
_TAGS = compile_later(r"(?: #[\w/-]{1,60}){1,20}$")
_KINDS = {
    "decision": "decision",
    "preference": "preference",
    "requirement": "constraint",
    "rule": "constraint",
    "constraint": "constraint",
    "convention": "convention",
    "technique": "convention",
    "tip": "convention",
    "method": "convention",
    "idea": "idea",
    "question": "idea",
    "problem": "fact",
    "issue": "fact",
    "solution": "fix",
    "fix": "fix",
    "command": "command",
    "todo": "todo",
    "action": "todo",
}
_TYPE_OF = {"preference": "profile", "fix": "task_hint"}


class BasicMemory:
    """Importer of one note."""

    kind: ClassVar[str] = "basic-memory"
    is_export: ClassVar[bool] = False
    is_database: ClassVar[bool] = False

    def recognizes(self, path: Path, source: Input) -> bool:
        """Whether it is Markdown with a permalink, or with observations below front matter."""
        if path.suffix.lower() != ".md":
            return False
        text = decode_head(source.read_head())
        front_end = text.find("\n---", 4)
        if not text.startswith("---\n") or front_end < 0:
            return False
        has_permalink = "\npermalink:" in text[:front_end]
        return has_permalink or bool(_OBSERVATION_START.search(text[front_end:]))

    def read(self, source: Input, place: ImportedFile) -> Iterator[ProjectMemories]:
        """Yield the observations and relations of the note."""
        page, unknown = read_page(source), Counter[str]()
        title = page.get_value("title") or place.path.stem
        ts = parse_time(
            page.get_value("modified") or page.get_value("created") or page.get_value("date")
        )
        notes = []
        for number, line in enumerate(classify_lines(page.lines), page.first_line):
            note = None if line.is_code else _parse_line(line.text, title, number, ts)
            if note is not None:
                notes.append(note)
            elif line.text.strip():
                unknown["no observation"] += 1
        transcript = build_transcript(
            self.kind,
            make_session_id(place.path),
            notes,
            cwd=place.folder,
            title=title,
            unknown=unknown,
        )
        yield ProjectMemories(transcript, only_rooted=True)


def _parse_line(line: str, title: str, number: int, ts: str | None) -> ImportedNote | None:
    observation = _OBSERVATION.fullmatch(line.rstrip())
    if observation and observation[1] not in ("x", "X", " "):
        category = observation[1].strip().lower()
        return _build_observation(category, observation[2], title, number, ts)
    relation = _RELATION.fullmatch(line.rstrip())
    if relation is None:
        return None
    content = f"{title} {relation[1].strip().replace('_', ' ')} {relation[2]}"
    words = line.strip()[2:].strip()
    return ImportedNote(
        words,
        "project",
        "fact",
        "project",
        0.4,
        content=content,
        entity=("concept", title),
        line=number,
        ts=ts,
    )


def _build_observation(
    category: str, words: str, title: str, number: int, ts: str | None
) -> ImportedNote:
    statement = _TAGS.sub("", words)
    context = _CONTEXT.search(statement)
    if context:
        statement = _TAGS.sub("", statement[: context.start()])
    type_, kind, _ = classify_project_statement(statement)
    named = _KINDS.get(category)
    if named is not None:
        type_, kind = _TYPE_OF.get(named, "project"), named
    reason = find_reason(words) or (context[1] if context and kind == "decision" else None)
    if kind == "decision":
        type_, kind = ("decision", "decision") if reason else ("project", "fact")
    plain = strip_emphasis_and_links(statement)
    content = f"{plain} ({context[1]})" if context else plain
    scope = "global" if type_ == "profile" else "project"
    return ImportedNote(
        words,
        type_,
        kind,
        scope,
        0.6,
        content=content,
        title=f"{title}: {plain}",
        rationale=reason if kind in ("decision", "constraint", "convention") else None,
        line=number,
        ts=ts,
    )
