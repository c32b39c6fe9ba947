"""`engine.conversations`: what was captured, read and searched turn by turn."""

from __future__ import annotations

from collections.abc import Sequence

from memctl.core.model import Place
from memctl.core.typing_lite import TYPE_CHECKING
from memctl.engine.store_access import OperationGroup

if TYPE_CHECKING:
    from memctl.results.conversations import (
        ConversationList,
        ConversationView,
        TurnSearchReport,
    )


class ConversationOperations(OperationGroup):
    """Captured conversations. None of their turns is told to an agent that does not ask."""

    def list(
        self,
        *,
        place: Place | None = None,
        all_projects: bool = False,
        agent: str | None = None,
        since: str | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> ConversationList:
        """List what was captured, newest first; `agent` is whose; a negative `limit` means all."""
        from memctl.retrieve import conversations

        access = self._access
        return conversations.list_conversations(
            access.open_to_read(),
            access.actor,
            place or Place(),
            all_projects=all_projects,
            agent=agent,
            since=since,
            limit=limit,
            offset=offset,
        )

    def show(
        self,
        some_id: str,
        *,
        place: Place | None = None,
        turn: int | None = None,
        around: int = 2,
        offset: int = 0,
        limit: int = 100,
        is_whole: bool = False,
    ) -> ConversationView:
        """Show redacted turns of a conversation: those around a `turn`, or so many from an offset.

        `some_id` is the id of it, of its capture, or its session. What tools printed is cut unless
        `is_whole`. Raises NotFound, RefusedByPolicy.
        """
        from memctl.retrieve import conversations

        access = self._access
        wanted = conversations.TurnRange(turn, around, offset, limit, is_whole)
        return conversations.show_conversation(
            access.open_to_read(), some_id, access.actor, place or Place(), wanted
        )

    def search_turns(
        self,
        text: str,
        *,
        place: Place | None = None,
        all_projects: bool = False,
        agent: str | None = None,
        since: str | None = None,
        until: str | None = None,
        roles: Sequence[str] = (),
        limit: int = 10,
        reads_times: bool = False,
    ) -> TurnSearchReport:
        """Find turns by their words, best first, before any maintenance too.

        `agent` is whose sessions. With `reads_times` a time that the question names (`last week`)
        is a filter. Raises UsageError where there is nothing to look for.
        """
        from memctl.retrieve import turn_search

        access = self._access
        query = turn_search.TurnQuery(
            text,
            place or Place(),
            all_projects,
            agent,
            since,
            until,
            tuple(roles),
            limit,
            beside=float(access.config["search.neighbour_boost"]),
        )
        db = access.open_to_read()
        if reads_times:
            return turn_search.search_in_time(db, query, access.actor)
        return turn_search.search_turns(db, query, access.actor)
