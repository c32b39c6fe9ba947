"""`memctl link`."""

from __future__ import annotations

from memctl.cli import declarations
from memctl.cli.call import Call
from memctl.cli.declarations import Annotated, argument, command, option
from memctl.cli.options import Reason, build_choice_parser
from memctl.core import model
from memctl.core.typing_lite import cast
from memctl.results.records import ChangeReport


@command(
    "memctl link 01JV3KQX2M supports 01JV3KR7AA",
    "memctl link 01JV3KQX2M related_to 01JV3KR7AA --remove",
    codes=(20, 21),
)
def run(
    call: Call,
    from_: Annotated[str, argument(metavar="ID", help="The record where the relation starts.")],
    relation: Annotated[
        str,
        declarations.argument(
            parser=build_choice_parser(*model.RELATIONS),
            metavar="RELATION",
            help=f"One of {', '.join(model.RELATIONS)}.",
        ),
    ],
    to: Annotated[str, argument(metavar="ID", help="The other record.")],
    reason: Reason = None,
    remove: Annotated[bool, option("--remove", help="Remove the link instead.")] = False,
) -> ChangeReport:
    """Link two records, or remove a link."""
    return call.engine.records.link(
        from_, cast(model.Relation, relation), to, reason=reason, remove=remove
    )
