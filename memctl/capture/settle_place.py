"""Where captured conversations belong: found when they are stored, or said of them later."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memctl.capture.request import CaptureRequest
from memctl.core.errors import UsageError
from memctl.core.model import Actor, Place, Scope, Source, Transcript
from memctl.core.typing_lite import cast
from memctl.curate import placement
from memctl.records import projects
from memctl.records.scopes import Destination
from memctl.redact.redactor import Redactor, make_redactor
from memctl.settings.config import Config
from memctl.store.database import Database


def find_location(
    db: Database, request: CaptureRequest, transcript: Transcript, redactor: Redactor
) -> Place:
    """Where a conversation belongs: the requested project, its own folder, else the caller's.

    Raises NotFound for an unknown project, UsageError for a scope that needs a known one.
    """
    place = _find_place(db, request, transcript, redactor)
    missing = {"project": place.project_id, "repo": place.repo_id}
    if request.scope in missing and missing[request.scope] is None:
        what = "a repository" if request.scope == "repo" else "a project"
        raise UsageError(
            f"scope {request.scope} needs {what}", hint="name it with --project or --cwd"
        )
    return place


def _find_place(
    db: Database, request: CaptureRequest, transcript: Transcript, redactor: Redactor
) -> Place:
    if request.project is None:
        return _find_own_place(db, request, transcript, redactor)
    named = projects.find_place(db, None, project=request.project, redactor=redactor)
    # In the repository that it was held in, if that is one of the project.
    own = projects.find_place(db, _find_folder(transcript), redactor=redactor)
    return own if own.project_id == named.project_id else named


def _find_own_place(
    db: Database, request: CaptureRequest, transcript: Transcript, redactor: Redactor
) -> Place:
    """The project of the conversation's own folder, else of the caller's, registered if new."""
    folder = _find_folder(transcript)
    own = (
        projects.register_folder(db, folder, remote=transcript.remote, redactor=redactor)
        if folder is not None
        else Place()
    )
    if own.project_id is None and transcript.folder_hash:
        own = projects.find_by_path_hash(db, transcript.folder_hash) or own
    if own.project_id is not None or request.cwd is None:
        return own
    return projects.register_folder(db, request.cwd, redactor=redactor)


def _find_folder(transcript: Transcript) -> Path | None:
    """The folder that a conversation was held in, if it may be one of this machine.

    One that is not absolute here was another machine's: it is not looked for below our own.
    """
    folder = Path(transcript.cwd or "")
    return folder if folder.is_absolute() else None


def settle_known(
    db: Database, config: Config, request: CaptureRequest, known: Sequence[Source]
) -> bool:
    """Give conversations that are stored without a project the one that a request names now.

    Whether there was anything to give.
    """
    unplaced = [source for source in known if source.project_id is None]
    if not unplaced or (request.project is None and request.cwd is None):
        return False
    redactor = make_redactor(config)
    if request.project is not None:
        place = projects.find_place(db, None, project=request.project, redactor=redactor)
    else:
        place = projects.register_folder(db, request.cwd or Path(), redactor=redactor)
    settle_place(db, config, request, unplaced, place)
    return place.project_id is not None


def settle_place(
    db: Database, config: Config, request: CaptureRequest, found: Sequence[Source], place: Place
) -> None:
    """Move what came of conversations without a project to the place that is known now."""
    if place.project_id is None:
        return
    scope = None if request.scope == "global" else cast("Scope | None", request.scope)
    to = Destination(place.project_id, place.repo_id, scope)
    placement.settle_sessions(db, config, found, to, actor=Actor(request.actor))
