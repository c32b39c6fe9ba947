"""The state machine for agents' logs: one entry on each line, read according to its type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.session import Session
from memctl.readers.values import as_text, parse_time

Entry = dict[str, Any]
Methods = Mapping[str, Callable[[Any, Entry], None]]


class JsonlSession(Session):
    """A session that is read entry by entry; `line` and `ts` are set for each entry.

    A subclass defines one of two things. Either `methods`, a table from the type of an entry to the
    method that reads it, together with `quiet_types` for the types to ignore; any other type is
    counted as unknown. Or its own `read_entry`.

    It overrides `list_entries` if the entries are not lines, and `to_transcript` if there is work
    to do after the last entry.
    """

    methods: ClassVar[Methods] = {}
    quiet_types: ClassVar[Collection[str]] = frozenset()
    # Prefixes of types to ignore, for formats with families of types.
    quiet_prefixes: ClassVar[tuple[str, ...]] = ()
    # Name of the field that holds an entry's time; empty if entries have none.
    time_field: ClassVar[str] = "timestamp"

    def read(self) -> Iterator[Transcript]:
        """Read all entries, then yield the transcript."""
        for line, entry in self.list_entries():
            self.line = line
            self.ts = parse_time(entry.get(self.time_field))
            self.read_entry(entry)
        yield self.to_transcript()

    def list_entries(self) -> Iterator[tuple[int, Entry]]:
        """Yield the entries with their line numbers."""
        return self.source.read_json_lines()

    def read_entry(self, entry: Entry) -> None:
        """Read one entry according to its type."""
        self.read_typed(as_text(entry.get("type")), entry)

    def read_typed(self, kind: str, entry: Entry) -> None:
        """Call the method for this type, or count the type as unknown."""
        method = self.methods.get(kind)
        if method is not None:
            method(self, entry)
        elif kind not in self.quiet_types and not kind.startswith(self.quiet_prefixes):
            self.count_unknown("type", kind)
