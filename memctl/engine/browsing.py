"""`engine.browsing`: the store as a tree of folders."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core.model import Place
from memctl.core.typing_lite import TYPE_CHECKING
from memctl.engine.store_access import OperationGroup

if TYPE_CHECKING:
    from memctl.results.browsing import BrowseEntry, BrowseReport, PathNames, Reading
    from memctl.results.conversations import ConversationView
    from memctl.results.entities import EntityReport
    from memctl.results.records import RecordView


class BrowseOperations(OperationGroup):
    """What is where: `/projects/NAME/decisions`, `/profile`, `/inbox`, `/sources` and the others.

    Relative paths begin in the folder of the project of `place`. Levels: 0 titles, 1 summaries, 2
    all.
    """

    def list(
        self,
        path: str = ".",
        *,
        place: Place | None = None,
        level: int = 0,
        limit: int = 200,
        offset: int = 0,
    ) -> BrowseReport:
        """List a folder, or what fits a pattern. Raises NotFound, which names what is near."""
        from memctl.retrieve import browse

        access = self._access
        return browse.list_folder(
            access.open_to_read(),
            access.actor,
            place or Place(),
            path,
            level=level,
            limit=limit,
            offset=offset,
        )

    def tree(
        self,
        path: str = ".",
        *,
        place: Place | None = None,
        level: int = 0,
        depth: int = 3,
        limit: int = 200,
        offset: int = 0,
    ) -> BrowseReport:
        """List folders and what is in them, so many folders deep. Raises NotFound."""
        from memctl.retrieve import browse

        access = self._access
        return browse.list_tree(
            access.open_to_read(),
            access.actor,
            place or Place(),
            path,
            level=level,
            depth=depth,
            limit=limit,
            offset=offset,
        )

    def read(
        self, paths: Sequence[str], *, place: Place | None = None, level: int = 2, limit: int = 50
    ) -> Reading:
        """Read records, conversations and entities. Raises NotFound, also for a folder."""
        from memctl.results.browsing import Reading
        from memctl.retrieve import browse

        access, where = self._access, place or Place()
        found = browse.find_leaves(access.open_to_read(), access.actor, where, paths)
        return Reading(tuple(self._read_one(each, where) for each in found[:limit]), level)

    def complete(self, text: str, *, place: Place | None = None) -> PathNames:
        """List the paths that begin like a text, for the completion of shells."""
        from memctl.results.browsing import PathNames
        from memctl.retrieve import browse

        access = self._access
        db = access.open_to_read()
        return PathNames(tuple(browse.list_beginning(db, access.actor, place or Place(), text)))

    def _read_one(
        self, entry: BrowseEntry, place: Place
    ) -> RecordView | ConversationView | EntityReport:
        access, some_id = self._access, entry.id or ""
        if entry.what == "record":
            from memctl.retrieve import overview

            return overview.show_record(access.open_to_read(), access.config, some_id)
        if entry.what == "entity":
            from memctl.curate import entity_reports

            db = access.open_to_read()
            return entity_reports.show_entity(db, some_id, as_of=None, viewer=access.actor)
        from memctl.retrieve import conversations

        return conversations.show_conversation(
            access.open_to_read(), some_id, access.actor, place, conversations.TurnRange()
        )
