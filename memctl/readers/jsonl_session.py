"""The state machine of agents' logs: one entry a line, each understood by its type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.session import Session
from memctl.readers.values import as_text, parse_time

Entry = dict[str, Any]
Methods = Mapping[str, Callable[[Any, Entry], None]]


class JsonlSession(Session):
    """A session that is read entry by entry, `line` and `ts` being set for each.

    A subclass gives either `methods`, a table from the type of an entry to the method that reads
    it, with `quiet_types` for the types that say nothing; or its own `read_entry`. A type in
    neither is counted as unknown. Formats whose entries are no lines override `list_entries`;
    formats with more to do at the end override `to_transcript`.
    """

    methods: ClassVar[Methods] = {}
    quiet_types: ClassVar[Collection[str]] = frozenset()
    # Beginnings of types that say nothing, for formats with families of them.
    quiet_prefixes: ClassVar[tuple[str, ...]] = ()
    # Name of the field that holds an entry's time; empty where entries have none.
    time_field: ClassVar[str] = "timestamp"

    def read(self) -> Iterator[Transcript]:
        """Read all entries, then give the transcript."""
        for line, entry in self.list_entries():
            self.line = line
            self.ts = parse_time(entry.get(self.time_field))
            self.read_entry(entry)
        yield self.to_transcript()

    def list_entries(self) -> Iterator[tuple[int, Entry]]:
        """The entries with their line numbers."""
        return self.source.read_json_lines()

    def read_entry(self, entry: Entry) -> None:
        """Understand one entry by its type."""
        self.read_typed(as_text(entry.get("type")), entry)

    def read_typed(self, kind: str, entry: Entry) -> None:
        """Hand an entry to the method for its type, or count the type as unknown."""
        method = self.methods.get(kind)
        if method is not None:
            method(self, entry)
        elif kind not in self.quiet_types and not kind.startswith(self.quiet_prefixes):
            self.count_unknown("type", kind)
