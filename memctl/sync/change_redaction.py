"""Secrets leave the words of changes once more before anything of them can leave this machine.

What is stored was redacted on its way in, by the rules of then. Ids, times and hashes are none of
the words that are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memctl.core.frozen import replace
from memctl.redact.redactor import Redactor
from memctl.redact.secret_replacer import RuleSelection, SecretReplacer
from memctl.redact.word_screen import WordScreen, narrow_to_text
from memctl.sync.change import ChangeEvent

# What of a state is words.
_WORDS = frozenset(
    (
        *("title", "content", "summary", "subject", "rationale", "alternatives", "status_reason"),
        *("quote", "speaker", "reason", "name", "aliases", "repo", "turns", "path", "cwd"),
        *("git_branch", "source_ref"),
    )
)
# No word is known to hold no secret.
_NOTHING = re.compile(r"(?!)")
_NO_RULES = RuleSelection((), (), ())


class ChangeRedactor:
    """Redacts the events of changes; most need only the quick look for marks."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._screen = WordScreen(_NOTHING)
        self._looks_at_all = bool(redactor.patterns or redactor.is_deep)

    def redact_all(self, changes: Sequence[Sequence[ChangeEvent]]) -> list[list[ChangeEvent]]:
        """The events of each change without secrets; the same objects where there is none."""
        texts = ["\n".join(_list_words(events)) for events in changes]
        marked = self._screen.find_marked([f'"{text}"' for text in texts])
        done = []
        for place, events in enumerate(changes):
            rules = _NO_RULES
            if place in marked:
                rules = narrow_to_text(marked[place], texts[place])
            if rules.is_empty and not self._looks_at_all:
                done.append(list(events))
            else:
                replacer = self._redactor.make_replacer()
                done.append([_redact_event(replacer, rules, event) for event in events])
        return done


def _list_words(events: Iterable[ChangeEvent]) -> Iterator[str]:
    for event in events:
        yield event.cause
        if event.topic in ("mention", "entity", "alias"):
            yield event.item
        for state in (event.before, event.after):
            for name, value in (state or {}).items():
                if name in _WORDS:
                    yield from _list_texts(value)


def _list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _list_texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _list_texts(each)


def _redact_event(
    replacer: SecretReplacer, rules: RuleSelection, event: ChangeEvent
) -> ChangeEvent:
    before = _redact_state(replacer, rules, event.before)
    after = _redact_state(replacer, rules, event.after)
    cause = replacer.redact(event.cause, rules=rules)
    item = event.item
    if event.topic in ("mention", "entity", "alias"):
        item = "|".join(replacer.redact(each, rules=rules) for each in item.split("|"))
    if (before, after, cause, item) == (event.before, event.after, event.cause, event.item):
        return event
    return replace(event, before=before, after=after, cause=cause, item=item)


def _redact_state(
    replacer: SecretReplacer, rules: RuleSelection, state: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    if state is None:
        return None
    return {
        name: replacer.redact_value(value, rules=rules) if name in _WORDS else value
        for name, value in state.items()
    }
