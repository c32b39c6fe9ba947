"""Where change sets meet: what a folder and a hub both can do. The contract is in tests/sync.

A place holds three kinds of things: cards (who takes part, see `keys`), removals (who no longer
does) and change sets (see `change_set`). Each change set was written by one replica for one stream
and holds its changes with the numbers `first` to `last`; no other replica writes under its name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

from memctl.core.frozen import dataclass


@dataclass(frozen=True, slots=True)
class SetName:
    """Name of a change set: whose, for which stream, which numbers, and a hash of its bytes."""

    stream: str
    replica: str
    first: int
    last: int
    digest: str


class SyncPlace(Protocol):
    """A folder or a hub. Every method raises PlaceUnreachable, and waits for a bounded time."""

    name: str
    """The place as it may be shown: without a password."""

    def close(self) -> None:
        """Let go of whatever is held."""

    def read_cards(self) -> list[bytes]:
        """All cards, unverified."""

    def write_card(self, replica: str, card: bytes) -> None:
        """Put the card of a replica where all see it; its own earlier one is replaced."""

    def read_removals(self) -> list[bytes]:
        """All removals of members, unverified."""

    def write_removal(self, member: str, removal: bytes) -> None:
        """Put a removal where all see it."""

    def list_sets(self, have: Mapping[tuple[str, str], int]) -> Iterator[SetName]:
        """Every change set with numbers above those in `have` (by stream and replica), in order of
        stream, replica and first number; of this replica's own too. Which of them are known by name
        already the caller sorts out.
        """

    def read_set(self, name: SetName) -> bytes:
        """Bytes of a change set. Raises SetDamaged where they are not what its name says."""

    def write_set(self, name: SetName, content: bytes) -> None:
        """Put a change set there, whole or not at all; writing the same one again does nothing."""

    def replace_sets(self, old: Sequence[SetName], new: SetName, content: bytes) -> None:
        """Put one change set in the place of several of the same replica and stream."""


@dataclass(frozen=True, slots=True)
class SearchableRow:
    """A shared record as others may search for it at a hub: its merged state in travel form.

    `stamp` is that of its newest change; a purged record has no `body`, and its stamp is
    PURGED_STAMP. `words` are its analysed texts (title, content, rest), `vector` is packed and of
    the model of that fingerprint.
    """

    stream: str
    record: str
    stamp: int
    body: Mapping[str, Any] | None
    words: tuple[str, str, str] = ("", "", "")
    tags: tuple[str, ...] = ()
    vector: bytes | None = None
    model: str | None = None


# Higher than the stamp of any change: nothing that comes later brings a purged record back.
PURGED_STAMP = 2**62


class SearchablePlace(SyncPlace, Protocol):
    """A place that can be searched: a hub. Rows go there in the transaction of their change set."""

    def write_set(self, name: SetName, content: bytes, rows: Sequence[SearchableRow] = ()) -> None:
        """Put a change set there with the state of the records that it changed."""

    def replace_sets(
        self,
        old: Sequence[SetName],
        new: SetName,
        content: bytes,
        rows: Sequence[SearchableRow] = (),
    ) -> None:
        """Put one change set in the place of several, with the state of records."""

    def write_rows(self, rows: Sequence[SearchableRow]) -> None:
        """Put the state of records there; a newer one stays."""

    def retire_members(self, members: Collection[str]) -> None:
        """Let removed members log in no more, if one may say so."""
