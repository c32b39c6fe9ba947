"""Let a configured model word lines of MEMORY.md; what no record says is refused.

A line keeps its record, its remark and its place: only its words may be others, and each of them
must be one of the record's. Whatever holds the model back, the deterministic text stands. What was
worded once stays so until the record changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memctl.core.bounded_work import BoundedWork
from memctl.core.frozen import replace
from memctl.core.lazy_pattern import compile_later
from memctl.journal.inert_markdown import make_inert
from memctl.journal.memory_lines import LATELY, QUESTIONS, RECORD, DocumentLine
from memctl.llm import grounding, settings
from memctl.llm.calls import ModelHeldBack, ModelQuestion
from memctl.llm.session import QuestionSession
from memctl.records.drafts import clean_line
from memctl.redact.redactor import Redactor
from memctl.settings.config import Config
from memctl.store.database import Database

PURPOSE = "dream"
# Lines in one question. Chosen by hand.
_BATCH = 20
# A line may grow by this factor and so many characters. Chosen by hand.
_GROWTH_FACTOR = 1.1
_GROWTH_CHARS = 20
# What stands behind the words of a record: its day, who says so.
_REMARK = compile_later(
    r" \((?:(?:\d{1,2} [A-Z][a-z]{2} \d{4}|an agent says|from a fetched text|disputed)(?:, )?)+\)$"
)
_ESCAPE = compile_later(r"\\(?=[!-/:-@\[-`{-~])")
# The ids at the end of a line.
_IDS = compile_later(r"(?: `[0-9A-HJKMNP-TV-Z]{10,26}`)+$")
# Sections whose lines are not worded: two sides of a question, and sessions.
_LEFT_ALONE = (QUESTIONS, LATELY)


def make_wording(
    db: Database, config: Config, work: BoundedWork | None = None, seconds: float | None = None
) -> ModelWording | None:
    """Who words lines; None where no model is configured for it. Raises ConfigError."""
    found = settings.read_settings(config)
    if not found.model or PURPOSE not in found.purposes:
        return None
    if found.agent is not None and found.agent.find_program() is None:
        return None
    ask = QuestionSession(db, found, seconds, work or BoundedWork())
    return ModelWording(ask, found.model, found.redactor)


class ModelWording:
    """Words the lines that no model worded yet, and asks of each only once."""

    def __init__(self, ask: QuestionSession, model: str, redactor: Redactor) -> None:
        self._ask, self._model, self._redactor = ask, model, redactor
        self._is_held_back = False

    def __call__(self, lines: Sequence[DocumentLine]) -> Sequence[DocumentLine]:
        """The lines, some in other words."""
        open_lines = [
            line
            for line in lines
            if line.kind == RECORD and not line.model and line.section not in _LEFT_ALONE
        ]
        worded: dict[tuple[str, ...], DocumentLine] = {}
        for start in range(0, len(open_lines), _BATCH):
            worded |= self._word_batch(open_lines[start : start + _BATCH])
        return [worded.get(line.ids, line) for line in lines]

    def _word_batch(self, lines: Sequence[DocumentLine]) -> Mapping[tuple[str, ...], DocumentLine]:
        if self._is_held_back or not lines:
            return {}
        texts = [_read_words(line) for line in lines]
        material = "\n".join(f"{number}: {text}" for number, text in enumerate(texts, 1))
        about = lines[0].ids[0]
        try:
            reply = self._ask(ModelQuestion(PURPOSE, about, material))
        except ModelHeldBack:
            self._is_held_back = True
            return {}
        if reply.how == "failed":
            self._is_held_back = True
        found = reply.value["lines"] if reply.value is not None else ()
        return {
            line.ids: self._replace_words(line, words)
            for line, words in self._list_faithful(found, lines, texts)
        }

    def _list_faithful(
        self,
        found: Iterable[Mapping[str, object]],
        lines: Sequence[DocumentLine],
        texts: Sequence[str],
    ) -> Iterable[tuple[DocumentLine, str]]:
        """The lines with new words that say the same; each line once."""
        seen: set[int] = set()
        for each in found:
            number = int(str(each["line"])) - 1
            if not 0 <= number < len(lines) or number in seen:
                continue
            seen.add(number)
            words = clean_line(str(each["text"]), self._redactor)
            longest = _GROWTH_FACTOR * len(texts[number]) + _GROWTH_CHARS
            is_other = words not in ("", texts[number])
            if is_other and len(words) <= longest and grounding.keeps_to(words, texts[number]):
                yield lines[number], words

    def _replace_words(self, line: DocumentLine, words: str) -> DocumentLine:
        remark = _REMARK.search(line.plain)
        ids = _IDS.search(line.text)
        text = f"- {make_inert(words)}{remark[0] if remark else ''}{ids[0] if ids else ''}"
        return replace(line, text=text, model=self._model)


def _read_words(line: DocumentLine) -> str:
    """What a line says, as its record has it: without its remark, and without escapes."""
    return _ESCAPE.sub("", _REMARK.sub("", line.plain))
