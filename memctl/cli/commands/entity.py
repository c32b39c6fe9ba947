"""`memctl entity`: who and what your records mention."""

from __future__ import annotations

from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import AsOf, Limit, OnlyProject, Reason, build_choice_parser, join_choices
from memctl.core import model
from memctl.results.entities import EntityChange, EntityList, EntityReport

HELP = "People, projects and tools that records mention."
Name = Annotated[
    str,
    argument(metavar="NAME", help="Any name or id of it, or KIND:NAME where a name is ambiguous."),
]
Kind = Annotated[
    str | None,
    option(
        "--kind",
        parser=build_choice_parser(*model.ENTITY_KINDS),
        metavar=join_choices(model.ENTITY_KINDS),
        help="Only this kind of entity.",
    ),
]
Everything = Annotated[bool, option("--all", help="No limit.")]


@command(
    "memctl entity list",
    "memctl entity list --kind person --project harbor-tides",
    "memctl entity list --json",
    codes=(20,),
)
def list_(
    call: Call,
    kind: Kind = None,
    project: OnlyProject = None,
    limit: Limit = 50,
    everything: Everything = False,
) -> EntityList:
    """List entities, the most mentioned first."""
    project_id = call.engine.place(None, project=project).project_id if project else None
    return call.engine.entities.list(
        kind=kind, project_id=project_id, limit=-1 if everything else limit
    )


@command(
    "memctl entity show Vitya",
    "memctl entity show 'my boss' --as-of 2026-03-01",
    "memctl entity show tool:Redis --json",
    codes=(20,),
)
def show(call: Call, name: Name, as_of: AsOf = None) -> EntityReport:
    """Show everything known about one entity.

    Its names, the records and decisions that mention it, what else they mention, and the sources.
    """
    return call.engine.entities.show(name, as_of=as_of)


@command(
    "memctl entity merge Vitaly Vitya",
    "memctl entity merge Vitaly Vitya --reason 'the same person'",
    codes=(20, 21),
)
def merge(
    call: Call,
    name: Name,
    other: Annotated[
        str,
        argument(metavar="OTHER", help="The duplicate; its names and records move to the first."),
    ],
    reason: Reason = None,
) -> EntityChange:
    """Merge two entities: the names and records of the second move to the first.

    `memctl entity split NAME --undo-merge` separates them again.
    """
    return call.engine.entities.merge(name, other, reason=reason)


@command("memctl entity split Olga Olya", "memctl entity split Inez --undo-merge", codes=(20, 21))
def split(
    call: Call,
    name: Name,
    names: Annotated[
        list[str] | None,
        argument(metavar="[NAME]...", help="The names that belong to another entity."),
    ] = None,
    undo_merge: Annotated[
        bool,
        option("--undo-merge", help="Undo a merge, with the names and records that it moved."),
    ] = False,
) -> EntityChange:
    """Split names off an entity, with the records that use them, into a new one."""
    return call.engine.entities.split(name, names or (), undo_merge=undo_merge)


@command(
    "memctl entity alias Vitaly Vit",
    "memctl entity alias Olga 'my boss'",
    "memctl entity alias Olga Olya --remove",
    codes=(20, 21),
)
def alias(
    call: Call,
    name: Name,
    other: Annotated[
        str,
        argument(metavar="ALIAS", help="Another name for it, or its role: 'my boss'."),
    ],
    remove: Annotated[bool, option("--remove", help="Remove the name.")] = False,
) -> EntityChange:
    """Add another name to an entity.

    A role such as 'my boss' passes to it from now on; earlier records stay with whoever had it.
    """
    return call.engine.entities.alias(name, other, remove=remove)


COMMANDS = {"list": list_, "show": show, "merge": merge, "split": split, "alias": alias}
