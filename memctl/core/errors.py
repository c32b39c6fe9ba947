"""Errors that a person or a script can act on: the class is its message and its exit code.

Anything else is a bug and keeps its traceback. `docs/exit-codes.md` is made from these classes.
"""

from __future__ import annotations

from memctl.core.typing_lite import ClassVar, Literal


class MemctlError(Exception):
    """Something went wrong that the caller can act on."""

    exit_code: ClassVar[int] = 1
    meaning: ClassVar[str] = "done, with problems to look at"
    hint: str | None = None

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def code(self) -> str:
        """The stable name of this error in JSON output."""
        return type(self).__name__


class UsageError(MemctlError):
    """The call's words do not fit together."""

    exit_code = 2
    meaning = "wrong usage"


class ConfigError(UsageError):
    """The configuration file cannot be used as it stands."""


class MissingExtra(UsageError):
    """What was asked for needs packages that are not installed here; the hint names them."""


class NoStore(MemctlError):
    """There is no store at that place."""

    exit_code = 10
    meaning = "no store there"


class StoreLocked(MemctlError):
    """Other writers kept the store busy beyond the limit; trying again later is safe."""

    exit_code = 11
    meaning = "store cannot be written now (locked, full, read-only); safe to try again"


class StoreFull(StoreLocked):
    """The disk is full. Nothing was written; trying again is safe once there is room."""


class StoreReadOnly(StoreLocked):
    """The file system is read-only. Nothing was written; trying again is safe once it is not."""


class StoreTooNew(MemctlError):
    """The store was written by a newer memctl."""

    exit_code = 12
    meaning = "store is newer than this program"


class StoreDamaged(MemctlError):
    """The file is not a healthy memctl store. Nothing is repaired silently."""

    exit_code = 13
    meaning = "store damaged"


class IndexDamaged(StoreDamaged):
    """A derived index is damaged; no record is. `memctl maintain` builds it anew."""


class ConversationDamaged(MemctlError):
    """A kept conversation cannot be read. The records taken from it are not affected.

    No `StoreDamaged`: the store itself can be used, so nothing has to wait for its repair.
    """

    exit_code = StoreDamaged.exit_code
    meaning = StoreDamaged.meaning


class KeysDamaged(MemctlError):
    """The keys by which a store takes part in a group cannot be read; no record is affected.

    No `StoreDamaged`: everything but sync goes on.
    """

    exit_code = StoreDamaged.exit_code
    meaning = StoreDamaged.meaning


class StoreTampered(StoreDamaged):
    """The store is not what it was when memctl last changed it: something else replaced it."""


class StoreRefused(StoreDamaged):
    """The place cannot hold a store safely (a network file system, a link, a folder)."""


class NotFound(MemctlError):
    """No such record, or more than one fits the prefix."""

    exit_code = 20
    meaning = "no such record"


class RefusedByPolicy(MemctlError):
    """The operator's policy does not allow this here."""

    exit_code = 21
    meaning = "refused by policy"


class UnknownFormat(MemctlError):
    """No reader knows this transcript format."""

    exit_code = 30
    meaning = "unknown transcript format"


class PackedFormat(UnknownFormat):
    """The file is packed in a way that nothing on this machine unpacks."""


class NothingInIt(MemctlError):
    """The input was recognised but holds no turn."""

    exit_code = 31
    meaning = "nothing in it"


class PlaceUnreachable(MemctlError):
    """A place where stores meet is not there now: offline, not mounted, refused."""

    exit_code = 40
    meaning = "a place of sync cannot be reached now; nothing is lost, safe to try again"


class ReplicaForked(MemctlError):
    """A place holds other changes under the numbers of this store: it was copied, or restored."""


class SetDamaged(MemctlError):
    """A change set that is damaged, half arrived or signed by nobody known; it is passed over."""


class SetSealed(SetDamaged):
    """A change set that is encrypted for others: whoever wrote it did not know this store yet."""


class SetGone(SetDamaged):
    """A change set that is not there any more: it is part of a larger one by now."""


class EmbeddingUnavailable(MemctlError):
    """No embeddings are available: searches use words alone.

    The message says what is missing.
    """

    def __init__(
        self,
        flag: Literal[
            "no_weights", "bad_weights", "no_backend", "no_model", "no_slot_path", "bad_slot_path"
        ],
        message: str,
        *,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.flag = flag


class InterruptedWithReport(KeyboardInterrupt):
    """Ctrl-C in a work that can say what it did until then: `report`, a result."""

    def __init__(self, report: object) -> None:
        super().__init__()
        self.report = report


class Interrupted(MemctlError):
    """Stopped by the person at the keyboard; `report` says what was done, where that is known."""

    report: object = None

    exit_code = 130
    meaning = "interrupted"


def exit_codes() -> dict[int, str]:
    """The documented table: exit code to meaning, base classes speaking for their subclasses."""
    table = {0: "done"}
    pending: list[type[MemctlError]] = [MemctlError]
    while pending:
        cls = pending.pop(0)
        table.setdefault(cls.exit_code, cls.meaning)
        pending.extend(cls.__subclasses__())
    return dict(sorted(table.items()))
