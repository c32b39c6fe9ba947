"""`engine.captures`: captures that a hook leaves for later.

`MemoryEngine.capture_session` captures at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memctl.core.typing_lite import TYPE_CHECKING
from memctl.engine.store_access import OperationGroup
from memctl.redact import store_key
from memctl.results.captures import CaptureReport

if TYPE_CHECKING:
    from memctl.agents.hook_contracts import HookCall


class CaptureOperations(OperationGroup):
    """Deferred captures and the sessions that need them."""

    def request(
        self,
        path: Path | None,
        *,
        agent: str | None,
        session_id: str | None,
        trigger: str,
        cwd: Path | None = None,
        said: Sequence[tuple[str, str]] = (),
    ) -> CaptureReport:
        """Leave a capture for the next `maintain`, in the spool.

        It waits until the transcript holds all of `said`, pairs of role and text.
        """
        from memctl.records import ignore_rules
        from memctl.store import spool

        config = self._access.config
        store_key.enter(config)
        ignore_rules.refuse(config, folders=(cwd,), files=(path,))
        return spool.request(
            config,
            path,
            agent=agent,
            session_id=session_id,
            trigger=trigger,
            cwd=cwd,
            said=said,
        )

    def withdraw(self, report: CaptureReport) -> None:
        """Remove a request whose capture was made at once."""
        from memctl.store import spool

        if report.spool_file is not None:
            spool.withdraw(Path(report.spool_file))

    def request_missed(self, call: HookCall, environ: Mapping[str, str]) -> int:
        """Request captures of the calling agent's sessions that ended without a hook; count them."""
        from memctl.capture import missed_sessions

        access = self._access
        return missed_sessions.sweep(access.open_to_read(), access.config, call, environ)

    def find_last(self, agent: str, session_id: str) -> str | None:
        """Find when a session was last captured and had grown; None if never."""
        from memctl.store import sources

        captured = sources.of_session(self._access.open_to_read(), agent, session_id)
        return max((source.updated_at for source in captured), default=None)
