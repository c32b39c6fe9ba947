"""`memctl entity`: who and what your memories speak of."""

from __future__ import annotations

from typing import Annotated

import typer

from memctl.cli.call import Call
from memctl.cli.command import command
from memctl.cli.options import AsOf, Limit, OnlyProject, Reason, build_choice_parser, join_choices
from memctl.core import model
from memctl.results.entities import EntityChange, EntityList, EntityReport

HELP = "People, projects and tools that memories speak of, by any name."
Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="Any of its names, its id, or KIND:NAME where a name is not enough."
    ),
]
Kind = Annotated[
    str | None,
    typer.Option(
        "--kind",
        parser=build_choice_parser(*model.ENTITY_KINDS),
        metavar=join_choices(model.ENTITY_KINDS),
        help="Only what is of this kind.",
    ),
]
Everything = Annotated[bool, typer.Option("--all", help="No limit.")]


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
    """Who and what memories speak of, the most spoken of first."""
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
    """Everything known about one: its names, what records say of it, decisions, who and what else they speak of, and the sources."""
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
        typer.Argument(
            metavar="OTHER", help="The one that is the same; its names and records go to the first."
        ),
    ],
    reason: Reason = None,
) -> EntityChange:
    """Make two one: the second one's names and records become the first one's. `entity split ... --undo-merge` parts them again."""
    return call.engine.entities.merge(name, other, reason=reason)


@command("memctl entity split Olga Olya", "memctl entity split Inez --undo-merge", codes=(20, 21))
def split(
    call: Call,
    name: Name,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="The names that are another's.")
    ] = None,
    undo_merge: Annotated[
        bool,
        typer.Option(
            "--undo-merge", help="Part what was merged, with the names and records it brought."
        ),
    ] = False,
) -> EntityChange:
    """Take names off one, with the records that use them, into one of their own."""
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
        typer.Argument(
            metavar="ALIAS", help="Another name for it, or what it is to you: 'my boss'."
        ),
    ],
    remove: Annotated[
        bool, typer.Option("--remove", help="It is not known by that name any more.")
    ] = False,
) -> EntityChange:
    """Let one be known by another name. A role such as 'my boss' passes to it from now on; what was said before stays with who held it."""
    return call.engine.entities.alias(name, other, remove=remove)


COMMANDS = {"list": list_, "show": show, "merge": merge, "split": split, "alias": alias}
