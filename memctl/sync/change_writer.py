"""Changes made here as they are kept: redacted, with their parents and stamps, and numbered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memctl.core import timestamps
from memctl.core.frozen import dataclass
from memctl.redact.redactor import Redactor
from memctl.store import sync_appending, sync_changes
from memctl.store.database import Database
from memctl.store.sync_appending import NewChange
from memctl.sync.change import Change, ChangeEvent, build_change, encode_change
from memctl.sync.change_redaction import ChangeRedactor
from memctl.sync.laws import STATEMENT, find_group

# Whose changes are that tell what was before a subject travelled: no replica's, so that two stores
# of a member that have the same history (one took the export of the other in) tell the same.
HISTORY = "HISTORY"


@dataclass(frozen=True, slots=True)
class ToldOperation:
    """What one operation did to a subject; `origin` is the number of its first event in the log."""

    events: Sequence[ChangeEvent]
    name: str | None = None
    origin: int = 0


@dataclass(frozen=True, slots=True)
class ToldSubject:
    """What is new of a subject, oldest first, and the streams that it travels in; `is_history` of
    one that begins to travel.
    """

    subject: str
    streams: Sequence[str]
    operations: Sequence[ToldOperation]
    is_history: bool = False


class ChangeWriter:
    """Keeps changes of one replica. `redacted` are the subjects of which words were replaced."""

    def __init__(self, db: Database, redactor: Redactor, *, replica: str, member: str) -> None:
        self._db, self._replica, self._member = db, replica, member
        self._redactor = ChangeRedactor(redactor)
        self.redacted = set[str]()

    def write(self, told: Iterable[ToldSubject]) -> int:
        """Keep what is told inside a write transaction; return how many changes that were."""
        subjects = [each for each in told if each.operations]
        if not subjects:
            return 0
        heads = sync_changes.list_heads_of_each(self._db, (each.subject for each in subjects))
        redacted = iter(
            self._redactor.redact_all(
                [operation.events for each in subjects for operation in each.operations]
            )
        )
        new: list[NewChange] = []
        for each in subjects:
            chain = self._build_chain(each, heads.get(each.subject, {}), redacted)
            new += [
                self._to_new(change, each.streams, is_head=place == len(each.operations))
                for place, change in enumerate(chain, 1)
            ]
        return sync_appending.append_changes(self._db, new)

    def _build_chain(
        self, told: ToldSubject, heads: dict[str, int], redacted: Iterator[list[ChangeEvent]]
    ) -> Iterator[Change]:
        """The changes of one subject, each the parent of the next one."""
        last_words = _find_last_words(told.operations)
        for place, operation in enumerate(told.operations):
            events = next(redacted)
            if events != list(operation.events):
                self.redacted.add(told.subject)
            change = build_change(
                replica=HISTORY if told.is_history else self._replica,
                member=self._member,
                subject=told.subject,
                stamp=max(_read_ms(events[-1].at), 1 + max(heads.values(), default=-1)),
                parents=[*heads],
                operation=operation.name,
                origin=0 if told.is_history else operation.origin,
                events=events,
                is_overtaken=not told.is_history and place < last_words and _has_words(operation),
            )
            heads = {change.id: change.stamp}
            yield change

    def _to_new(self, change: Change, streams: Sequence[str], *, is_head: bool) -> NewChange:
        return NewChange(
            change.id,
            self._replica,
            change.replica,
            change.member,
            change.subject,
            change.stamp,
            change.parents,
            encode_change(change),
            is_head,
            streams,
        )

    def number_subject(self, subject: str, streams: Iterable[str]) -> int:
        """Number the changes of a subject of this member in streams where they have no number;
        return how many numbers that were.
        """
        numbered = sync_appending.list_unnumbered(self._db, subject, self._member, streams)
        sync_appending.number_changes(
            self._db, {(stream, self._replica): ns for stream, ns in numbered.items()}
        )
        return sum(map(len, numbered.values()))


def _find_last_words(operations: Sequence[ToldOperation]) -> int:
    """The place of the last operation that gave a record other words."""
    return max((place for place, each in enumerate(operations) if _has_words(each)), default=0)


def _has_words(operation: ToldOperation) -> bool:
    return any(
        event.topic == "record" and any(find_group(name) == STATEMENT for name in event.after or ())
        for event in operation.events
    )


def _read_ms(at: str) -> int:
    """Milliseconds since 1970 of a stored time."""
    try:
        return max(0, round(timestamps.parse_iso(at) * 1000))
    except (ValueError, OverflowError):
        return 0
