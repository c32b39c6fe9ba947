"""What happened to a record since a moment, by the stream of changes, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.core.frozen import dataclass
from memctl.core.model import TRUST_NAMES, Event
from memctl.store import event_log
from memctl.store.database import Db

WORDS = (
    "title",
    "summary",
    "content",
    "rationale",
    "alternatives",
    "kind",
    "subject",
    "observed_at",
)
_PLACE = ("scope", "project_id", "repo_id", "agent_id", "session_id")
_CAME_BACK: Mapping[str, str] = {
    "inbox": "It was approved {when}; until then it waited in the inbox.",
    "archived": "It was brought back {when}; until then it was archived.",
    "superseded": "It is in force again since {on}; until then it was superseded.",
}


@dataclass(frozen=True, slots=True)
class History:
    """The changes to one record after a moment, oldest first."""

    events: tuple[Event, ...]

    def changed(self, *names: str) -> tuple[str, ...]:
        """Which of these fields were changed, if the record was there before."""
        return tuple(
            name
            for name in names
            if any(
                event.before is not None and name in (event.after or {}) for event in self.events
            )
        )

    @property
    def reworded(self) -> tuple[str, ...]:
        """The fields of its words that were changed."""
        return self.changed(*WORDS)

    @property
    def is_moved(self) -> bool:
        """Whether it belongs to another place now."""
        return bool(self.changed(*_PLACE))

    def arrival(self) -> tuple[str, str] | None:
        """How it came to be in force: it was written, or was approved or brought back."""
        made = next((event for event in self.events if event.before is None), None)
        if made is not None:
            return "created", f"It came into the store {_when(made)}."
        for event in reversed(self.events):
            before, after = (event.before or {}).get("status"), (event.after or {}).get("status")
            if after in ("active", "contradicted") and str(before) in _CAME_BACK:
                sentence = _CAME_BACK[str(before)].format(when=_when(event), on=event.at[:10])
                return ("approved" if before == "inbox" else "restored"), sentence
        return None

    def told(self) -> list[str]:
        """The changes of what a score depends on, a sentence each."""
        return [
            *self._words(),
            *self._numbers(),
            *(["It belongs to another place than then."] if self.is_moved else []),
        ]

    def _words(self) -> list[str]:
        names = self.reworded
        last = next(
            (event for event in reversed(self.events) if set(names) & set(event.after or {})), None
        )
        if last is None or last.before is None:
            return []
        return [
            f"Its {_listed(names)} {'was' if len(names) == 1 else 'were'} changed {_when(last)}."
        ]

    def _numbers(self) -> list[str]:
        said = []
        for name in self.changed("confidence", "trust", "decay_rate"):
            changes = [
                event
                for event in self.events
                if event.before is not None and name in (event.after or {})
            ]
            then, now = (changes[0].before or {}).get(name), (changes[-1].after or {}).get(name)
            said.append(
                f"Its {name.replace('_', ' ')} was {_value(name, then)} and is {_value(name, now)}."
            )
        return said


def of(db: Db, memory_id: str, moment: str) -> History:
    """What happened to a record after a moment."""
    return History(
        tuple(event for event in event_log.of_memory(db, memory_id) if event.at > moment)
    )


def is_untouched(db: Db, moment: str) -> bool:
    """Whether no record at all was changed after a moment."""
    last = event_log.recent(db, limit=1)
    return not last or last[0].at <= moment


def _when(event: Event) -> str:
    return f"on {event.at[:10]} by {event.actor}"


def _value(name: str, value: object) -> str:
    if name == "trust" and isinstance(value, int):
        return TRUST_NAMES.get(value, str(value)).replace("_", " ")
    return str(value)


def _listed(names: Sequence[str]) -> str:
    *most, last = (name.replace("_", " ") for name in names)
    return f"{', '.join(most)} and {last}" if most else last
