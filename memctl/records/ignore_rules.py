"""What the operator wants left out: sessions of some projects, and those held, or kept, in or below
some paths (`capture.ignore`).

Nothing of such a session is written: it is refused before its project is registered or a spool file
is written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from memctl.core.errors import RefusedByPolicy
from memctl.core.model import Transcript
from memctl.records import projects
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.settings.project_folder import Surroundings

HINT = "`memctl config` shows capture.ignore"


def refuse_ignored(
    config: Config,
    *,
    folders: Iterable[Path | None] = (),
    files: Iterable[Path | None] = (),
    named: Iterable[str | None] = (),
) -> None:
    """Raise RefusedByPolicy for what `find_ignore_reason` names."""
    reason = find_ignore_reason(config, folders=folders, files=files, named=named)
    if reason:
        raise RefusedByPolicy(reason, hint=HINT)


def find_ignore_reason(
    config: Config,
    *,
    folders: Iterable[Path | None] = (),
    files: Iterable[Path | None] = (),
    named: Iterable[str | None] = (),
    known_folders: projects.KnownFolders | None = None,
) -> str | None:
    """Find why a conversation is left out, or None: by its folders, its files, or the names of
    its project.
    """
    wanted, places = (
        config["capture.ignore"],
        [folder for folder in folders if folder is not None and folder.is_absolute()],
    )
    redactor = make_redactor(config)
    around = [
        found
        for folder in places
        if (found := projects.read_surroundings(folder, redactor, known_folders)) is not None
    ]
    if any(found.ignored for found in around):
        return "not stored: the folder's .memctl.yaml says `ignore: true`"
    paths = (
        [*places, *(file.absolute() for file in files if file is not None)]
        if wanted["paths"]
        else []
    )
    for glob in wanted["paths"]:
        if any(_matches_path(config, glob, path) for path in paths):
            return f"not stored: capture.ignore.paths has {glob}"
    known = {
        name.casefold()
        for name in (*named, *(name for found in around for name in list_project_names(found)))
        if name
    }
    for name in wanted["projects"]:
        if name.casefold() in known:
            return f"not stored: capture.ignore.projects has {name}"
    return None


def list_not_ignored(
    config: Config,
    found: list[Transcript],
    *,
    cwd: Path | None,
    file: Path | None,
    project: str | None,
) -> list[Transcript]:
    """List the conversations that are not to be left out. Raises RefusedByPolicy if all of them
    are.
    """
    return list(iterate_not_ignored(config, found, cwd=cwd, file=file, project=project))


def iterate_not_ignored(
    config: Config,
    found: Iterable[Transcript],
    *,
    cwd: Path | None,
    file: Path | None,
    project: str | None,
) -> Iterator[Transcript]:
    """Yield the conversations that are not to be left out, one by one; RefusedByPolicy comes at the
    end.

    `cwd` is for those that do not say where they were held.
    """
    reason, any_wanted = None, False
    for transcript in found:
        own = Path(transcript.cwd) if transcript.cwd else None
        held_in = own if own is not None and own.is_absolute() else cwd
        left_out = find_ignore_reason(config, folders=(held_in,), files=(file,), named=(project,))
        reason, any_wanted = reason or left_out, any_wanted or left_out is None
        if left_out is None:
            yield transcript
    if reason and not any_wanted:
        raise RefusedByPolicy(reason, hint=HINT)


def _matches_path(config: Config, glob: str, place: Path) -> bool:
    """Whether a glob matches the path, or one above it."""
    pattern = str(config.home / glob[2:]) if glob.startswith("~/") else glob
    # A path may be told with or without the links on its way.
    spellings = {Path(way(place)) for way in (os.path.normpath, os.path.realpath)}
    patterns = {os.path.normpath(pattern), os.path.realpath(pattern)}
    return any(
        fnmatchcase(str(above), each)
        for path in spellings
        for above in (path, *path.parents)
        for each in patterns
    )


def list_project_names(around: Surroundings) -> list[str]:
    """List what a project in that folder is, or would be, called."""
    remote = around.remote.rstrip("/").rpartition("/")[2] if around.remote else None
    return [name for name in (around.marker, around.root.name, remote) if name]
