"""What happened to a record since a moment, by the event log, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core import timestamps
from memctl.core.frozen import dataclass
from memctl.core.model import TRUST_NAMES, Event
from memctl.store import event_log
from memctl.store.database import Database
from memctl.store.lexical import INDEXED_FIELDS

_SCOPE_FIELDS = ("scope", "project_id", "repo_id", "agent_id", "session_id")
_CAME_BACK: Mapping[str, str] = {
    "inbox": "It was approved {when}; until then it waited in the inbox.",
    "archived": "It was brought back {when}; until then it was archived.",
    "superseded": "It is in force again since {on}; until then it was superseded.",
}


@dataclass(frozen=True, slots=True)
class RecordHistory:
    """The changes to one record after a moment, oldest first."""

    events: tuple[Event, ...]

    def list_changed(self, *names: str) -> tuple[str, ...]:
        """Which of these fields were changed, if the record was there before."""
        changed = {
            name for event in self.events if event.before is not None for name in event.after or {}
        }
        return tuple(name for name in names if name in changed)

    @property
    def reworded(self) -> tuple[str, ...]:
        """The fields of its words that were changed."""
        return self.list_changed(*INDEXED_FIELDS)

    @property
    def is_moved(self) -> bool:
        """Whether it has another scope or owner now."""
        return bool(self.list_changed(*_SCOPE_FIELDS))

    def describe_arrival(self) -> tuple[str, str] | None:
        """How it came to be in force: it was written, or was approved or brought back."""
        made = next((event for event in self.events if event.before is None), None)
        if made is not None:
            return "created", f"It was stored {_format_moment(made)}."
        for event in reversed(self.events):
            before, after = (event.before or {}).get("status"), (event.after or {}).get("status")
            if after in ("active", "contradicted") and str(before) in _CAME_BACK:
                sentence = _CAME_BACK[str(before)].format(
                    when=_format_moment(event), on=timestamps.to_local_day(event.at)
                )
                return ("approved" if before == "inbox" else "restored"), sentence
        return None

    def describe_changes(self) -> list[str]:
        """The changes of what a score depends on, a sentence each."""
        sentences = [*self._describe_wording(), *self._describe_numbers()]
        return [*sentences, "Its scope is another than then."] if self.is_moved else sentences

    def _describe_wording(self) -> list[str]:
        names = self.reworded
        if not names:
            return []
        last = next(event for event in reversed(self.events) if set(names) & set(event.after or {}))
        if last.before is None:
            return []
        verb = "was" if len(names) == 1 else "were"
        return [f"Its {_join_names(names)} {verb} changed {_format_moment(last)}."]

    def _describe_numbers(self) -> list[str]:
        sentences = []
        for name in self.list_changed("confidence", "trust", "decay_rate"):
            changes = [
                event
                for event in self.events
                if event.before is not None and name in (event.after or {})
            ]
            then = _format_value(name, (changes[0].before or {}).get(name))
            now = _format_value(name, (changes[-1].after or {}).get(name))
            sentences.append(f"Its {name.replace('_', ' ')} was {then} and is {now}.")
        return sentences


def read_history(db: Database, memory_id: str, moment: str) -> RecordHistory:
    """What happened to a record after a moment."""
    return RecordHistory(
        tuple(event for event in event_log.list_of_memory(db, memory_id) if event.at > moment)
    )


def is_untouched(db: Database, moment: str) -> bool:
    """Whether no record at all was changed after a moment."""
    last = event_log.list_recent(db, limit=1)
    return not last or last[0].at <= moment


def _format_moment(event: Event) -> str:
    return f"on {timestamps.to_local_day(event.at)} by {event.actor}"


def _format_value(name: str, value: object) -> str:
    if name == "trust" and isinstance(value, int):
        return TRUST_NAMES.get(value, str(value)).replace("_", " ")
    return str(value)


def _join_names(names: Sequence[str]) -> str:
    *most, last = (name.replace("_", " ") for name in names)
    return f"{', '.join(most)} and {last}" if most else last
