"""Secrets leave the lines of a file from elsewhere before anything of them is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from memctl.core.frozen import dataclass, replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Turn
from memctl.core.typing_lite import Any
from memctl.exchange.sections import ExportSection
from memctl.redact.redactor import Redactor
from memctl.redact.secret_replacer import RuleSelection, SecretReplacer
from memctl.redact.word_screen import WordScreen, narrow_to_text
from memctl.store.rows import to_canonical_json

# Ids, times and hashes of memctl, alone in a line or in quotes: they hold no secret, and leaving
# them out leaves most rows without any long word to look at.
_OWN_VALUE = r"(?:[0-9A-HJKMNP-TV-Z]{26}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|[0-9a-f]{64})"
_OWN_VALUES = compile_later(rf'(?:^|(?<=")){_OWN_VALUE}(?=$|")', re.MULTILINE)
_QUOTED_OWN_VALUE = compile_later(f'"{_OWN_VALUE}"')
# Characters. No rule finds a secret with its mark in less, unless it is the operator's own.
_SHORTEST_SECRET = 6
_NO_RULES = RuleSelection((), (), ())


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """A checked row, its section, and all its texts one below the other."""

    section: ExportSection
    row: dict[str, Any]
    pieces: tuple[str, ...]

    @classmethod
    def build(cls, section: ExportSection, row: dict[str, Any]) -> CheckedRow:
        """Take the texts out of a row. Raises RecursionError where one is nested too deeply."""
        return cls(section, row, tuple(_list_pieces(row.values())))


class RowRedactor:
    """Redacts the rows of one file; most need only the quick look for marks."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._screen = WordScreen(_QUOTED_OWN_VALUE)
        self._looks_at_all = bool(redactor.patterns or redactor.is_deep)

    def choose_rules(self, rows: Sequence[CheckedRow]) -> list[RuleSelection]:
        """The rules that can match in each of some rows."""
        # In quotes, so that a column which is one own value reads like one inside of JSON.
        texts = ['"' + '"\n"'.join(each.pieces) + '"' for each in rows]
        marked = self._screen.find_marked(texts)
        return [
            narrow_to_text(marked[place], _OWN_VALUES.sub("", "\n".join(each.pieces)))
            if place in marked
            else _NO_RULES
            for place, each in enumerate(rows)
        ]

    def redact_row(self, checked: CheckedRow, rules: RuleSelection) -> dict[str, Any]:
        """The row without secrets, itself if it holds none."""
        if rules.is_empty and not self._looks_at_all:
            return checked.row
        replacer, kinds = self._redactor.make_replacer(), checked.section.columns
        return {
            column: _redact_value(replacer, rules, kinds[column].rstrip("?"), value)
            for column, value in checked.row.items()
        }


def _list_pieces(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, bytes):
            yield value.decode("utf-8", "replace")
        elif isinstance(value, tuple):
            for turn in value:
                yield from (
                    turn.text,
                    turn.speaker or "",
                    turn.tool or "",
                    turn.call_id or "",
                    to_canonical_json(turn.data),
                )


def _redact_value(replacer: SecretReplacer, rules: RuleSelection, kind: str, value: Any) -> Any:
    if value is None or kind in ("i", "r"):
        return value
    if kind == "j":
        told = json.loads(value)
        new = replacer.redact_value(told, rules=rules)
        return value if new == told else to_canonical_json(new)
    if kind == "turns":
        return tuple(_redact_turn(replacer, rules, turn) for turn in value)
    if kind == "raw":
        return replacer.redact(value.decode("utf-8", "surrogateescape"), rules=rules).encode(
            "utf-8", "surrogateescape"
        )
    if not replacer.patterns and (len(value) < _SHORTEST_SECRET or _OWN_VALUES.fullmatch(value)):
        return value
    return replacer.redact(value, rules=rules)


def _redact_turn(replacer: SecretReplacer, rules: RuleSelection, turn: Turn) -> Turn:
    names = ("text", "speaker", "tool", "call_id")
    changes: dict[str, Any] = {
        name: replacer.redact(value, rules=rules)
        for name in names
        if (value := getattr(turn, name))
    }
    return replace(turn, **changes, data=replacer.redact_value(turn.data, rules=rules))
