"""Leave records in the spool while the store cannot even be read; they are drafted at take-in.

A draft needs the store, which knows the projects. What is left is redacted and checked as far as
that goes without it, with its time, its ids, and where its writer was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memctl.core.frozen import asdict, dataclass, replace
from memctl.core.model import Actor, EntityRef, Memory, NewMemory, Place
from memctl.core.typing_lite import Any
from memctl.curate import spooled_writes
from memctl.curate.write_drafts import WriteDraft, check_items, draft_items, require_own
from memctl.records import drafts, ignore_rules, projects
from memctl.redact.redactor import Redactor, make_redactor
from memctl.results.records import IngestReport
from memctl.settings.config import Config
from memctl.store.database import Database

# Stands for the project that the store will name.
_SOME_PROJECT = "unknown"


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a writer was: in a folder, or at the name or id of a project, or nowhere.

    `place` holds the agent and the session, and the project and the repo where they are known.
    """

    folder: Path | None = None
    project: str | None = None
    place: Place = Place()


def spool_items(
    config: Config, actor: Actor, items: Sequence[NewMemory], where: Whereabouts
) -> IngestReport:
    """Leave records for later. Raises UsageError or RefusedByPolicy for what no store takes."""
    redactor = make_redactor(config)
    around = projects.read_surroundings(where.folder, redactor) if where.folder else None
    named = [where.project, *(item.project for item in items)]
    if around is not None:
        named += ignore_rules.list_project_names(around)
    ignore_rules.refuse_ignored(config, named=named)
    clean = [_clean_item(item, redactor) for item in items]
    is_placed = where.project or around is not None or where.place.project_id
    assumed = replace(where.place, project_id=_SOME_PROJECT if is_placed else None)
    drafted = check_items(
        clean,
        lambda item: drafts.build_from_manual(
            item,
            replace(assumed, project_id=_SOME_PROJECT) if item.project else assumed,
            actor,
            redactor,
        ),
    )
    for memory in drafted:
        require_own(memory, actor)
    file = spooled_writes.spool_undrafted(
        config,
        actor,
        [_pack_item(item, memory) for item, memory in zip(clean, drafted, strict=True)],
        {
            "folder": where.folder and redactor.redact(str(where.folder.absolute())),
            "project": where.project,
            "place": asdict(where.place),
            "registers": any(map(_is_local, clean)),
        },
    )
    return IngestReport((), spool_file=str(file))


def draft_waiting(
    db: Database, config: Config, actor: Actor, payload: Mapping[str, Any]
) -> list[WriteDraft]:
    """Draft what waits, the same at each time. Raises ValueError, TypeError, KeyError, UsageError,
    NotFound or RefusedByPolicy.
    """
    at = str(payload["at"])
    packed = payload["undrafted"]
    items = [_unpack_item(each["item"]) for each in packed]
    made = draft_items(db, config, actor, items, _find_place(db, config, payload["where"]))
    return [
        replace(
            draft,
            memory=replace(draft.memory, id=str(each["id"]), created_at=at, updated_at=at),
        )
        for draft, each in zip(made, packed, strict=True)
    ]


def _find_place(db: Database, config: Config, where: Mapping[str, Any]) -> Place:
    """Find the writer's project; a folder that is new is registered."""
    redactor = make_redactor(config)
    place = Place(**where["place"])
    folder = Path(where["folder"]) if where["folder"] else None
    project = where["project"] or place.project_id
    if folder is not None and folder.is_absolute() and not project and where["registers"]:
        projects.register_folder(db, folder, redactor)
    found = projects.find_place(db, folder, redactor, project=project)
    return replace(place, project_id=found.project_id, repo_id=place.repo_id or found.repo_id)


def _clean_item(item: NewMemory, redactor: Redactor) -> NewMemory:
    """A record to be written, every text of it fit to be stored."""
    values = {
        name: drafts.clean_text(value, redactor)
        for name, value in asdict(item).items()
        if isinstance(value, str)
    }
    alternatives = tuple(drafts.clean_text(text, redactor) for text in item.alternatives)
    entities = tuple(replace(e, name=drafts.clean_text(e.name, redactor)) for e in item.entities)
    return replace(item, **values, alternatives=alternatives, entities=entities)


def _pack_item(item: NewMemory, drafted: Memory) -> dict[str, Any]:
    """A record as JSON, with its id and the times that it has from today."""
    dated = replace(item, observed_at=drafted.observed_at, valid_until=drafted.valid_until)
    return {"id": drafted.id, "item": asdict(dated)}


def _unpack_item(packed: Mapping[str, Any]) -> NewMemory:
    """A record from JSON. Raises ValueError, TypeError or KeyError for a damaged one."""
    values = dict(packed)
    texts = [*(values[name] for name in ("type", "content")), *values["alternatives"]]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("damaged: a text is none")
    values["alternatives"] = tuple(values["alternatives"])
    values["entities"] = tuple(
        EntityRef(ref["kind"], str(ref["name"])) for ref in packed["entities"]
    )
    return NewMemory(**values)


def _is_local(item: NewMemory) -> bool:
    return item.type != "profile" and item.scope != "global"
