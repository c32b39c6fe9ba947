"""`engine.background`: what a hook does beside its answer, and what a person is told in passing."""

from __future__ import annotations

from memctl.engine.store_access import OperationGroup
from memctl.store import stamps

# Seconds without maintenance after which no timer can be running it: twice the interval of the
# timers that `memctl setup` offers.
_PAUSE_SECONDS = 1800.0
# Seconds between two notices to the person.
_NOTICE_SECONDS = 86400.0


class BackgroundOperations(OperationGroup):
    """Upkeep where no timer runs, and one quiet line a day on what waits."""

    def start_maintenance_if_due(self, *, only_for_spool: bool = False) -> bool:
        """Start `memctl maintain` beside this process if nothing has run it for half an hour.

        `only_for_spool` does so only if something lies in the spool. Returns whether it started.
        """
        config = self._access.config
        if not config["maintain.auto"] or not stamps.is_older_than(
            config, stamps.MAINTAINED, _PAUSE_SECONDS
        ):
            return False
        if only_for_spool and not self._has_spooled():
            return False
        from memctl.maintain import in_background  # once in half an hour

        return in_background.start_maintenance(config)

    def _has_spooled(self) -> bool:
        from memctl.store import spool

        return bool(spool.list_files(self._access.config))

    def find_notice(self) -> str | None:
        """Return one line on what waits for the person, at most once a day; else None."""
        config = self._access.config
        if not config["hook.notices"] or not stamps.is_older_than(
            config, stamps.NOTICED, _NOTICE_SECONDS
        ):
            return None
        from memctl.records import waiting

        notice = waiting.describe_waiting(self._access.open_to_read())
        # Where the day cannot be noted it would be told at every start.
        return notice if notice and stamps.set_stamp(config, stamps.NOTICED) else None
