"""`engine.captures`: captures of piped input, and captures that a hook leaves for later.

`MemoryEngine.capture_session` captures a file at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memctl.core.typing_lite import TYPE_CHECKING
from memctl.engine.store_access import CAPTURE_WAIT_SECONDS, OperationGroup
from memctl.results.captures import CaptureReport
from memctl.settings import config

if TYPE_CHECKING:
    from memctl.agents.hook_contracts import HookCall


class CaptureOperations(OperationGroup):
    """Deferred captures and the sessions that need them."""

    def capture_piped(
        self,
        raw: bytes,
        *,
        agent: str | None = None,
        session_id: str | None = None,
        cwd: Path | None = None,
        project: str | None = None,
        scope: str | None = None,
    ) -> CaptureReport:
        """Capture what was piped in: a hook's JSON that names a transcript, or a transcript itself.

        Raises UsageError where the named transcript does not exist, else like `capture_session`.
        """
        from memctl.capture import piped_session, session
        from memctl.capture.request import CaptureRequest

        access = self._access
        piped = piped_session.find_piped_session(
            raw, config.get_environment(), agent=agent, session_id=session_id, cwd=cwd
        )
        request = CaptureRequest(
            piped.source,
            "capture-session",
            access.actor.name,
            agent=piped.agent,
            session_id=piped.session_id,
            cwd=piped.cwd and piped.cwd.absolute(),
            project=project,
            scope=scope,
        )
        with access.limit_patience(CAPTURE_WAIT_SECONDS):
            return session.capture(access.open_or_create, access.config, request)

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

        settings = self._access.config
        ignore_rules.refuse_ignored(settings, folders=(cwd,), files=(path,))
        return spool.request_capture(
            settings,
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
            spool.withdraw_request(Path(report.spool_file))

    def request_missed(self, call: HookCall, environ: Mapping[str, str]) -> int:
        """Request captures of the agent's sessions that ended without a hook; return how many."""
        from memctl.capture import missed_sessions

        access = self._access
        return missed_sessions.request_missed_sessions(
            access.open_to_read(), access.config, call, environ
        )

    def find_last(self, agent: str, session_id: str) -> str | None:
        """Find when a session was last captured and had grown; None if never."""
        from memctl.store import sources

        captured = sources.list_of_session(self._access.open_to_read(), agent, session_id)
        return max((source.updated_at for source in captured), default=None)
