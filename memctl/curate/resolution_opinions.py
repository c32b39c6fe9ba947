"""What agents would do about two records: an opinion on how to resolve them, which waits for the
operator in the inbox.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass, field
from memctl.core.model import Actor, Memory, Place
from memctl.records import proposals
from memctl.results.records import Proposal
from memctl.store.database import Database

_KIND = "resolve"
# What is said of each way, of the record that it names and the other one.
_WAYS: Mapping[str, str] = {
    "keep": "keep {one} instead of {other}",
    "supersede": "let {one} supersede {other}",
    "both": "note that {one} and {other} both hold",
    "dismiss": "note that {one} and {other} do not contradict each other",
}
_SHORT_ID = 10


@dataclass(frozen=True, slots=True)
class ConflictResolution:
    """How to resolve a contradiction.

    `ids` name it: a link, one record, or two records. Exactly one of `keep`, `supersede`, `both`
    and `dismiss` is set. `scopes`, `starts` and `ends` belong to `both` and give a side, by id,
    another scope or validity.
    """

    ids: tuple[str, ...] = ()
    keep: str | None = None
    supersede: tuple[str, ...] = ()
    both: bool = False
    dismiss: bool = False
    scopes: Mapping[str, str] = field(default_factory=dict)
    starts: Mapping[str, str] = field(default_factory=dict)
    ends: Mapping[str, str] = field(default_factory=dict)


def propose_resolution(
    db: Database,
    actor: Actor,
    way: str,
    sides: Mapping[str, Memory],
    wanted: ConflictResolution,
    place: Place,
    why: str | None,
) -> str | None:
    """Note how an agent would resolve two records; return the id of the proposal.

    None where something of the kind waits already, or the operator declined it.
    """
    kept = _find_kept(sides, wanted)
    other = next(each for each in sorted(sides) if each != kept)
    said = _WAYS[way].format(one=kept[:_SHORT_ID], other=other[:_SHORT_ID])
    data = {
        "names": [sides[kept].title, sides[other].title],
        "keep": kept if way == "keep" else None,
        "supersede": [kept, other] if way == "supersede" else [],
        "both": wanted.both,
        "dismiss": wanted.dismiss,
        "scopes": _name_fully(sides, wanted.scopes),
        "starts": _name_fully(sides, wanted.starts),
        "ends": _name_fully(sides, wanted.ends),
        "place": [place.project_id, place.repo_id],
    }
    return proposals.offer_proposal(
        db,
        _KIND,
        _name_pair(sides),
        reason=f"{actor.name} would {said}{f': {why}' if why else ''}",
        data=data,
        actor=actor.name,
    )


def read_proposal(asked: Proposal) -> tuple[ConflictResolution, Place]:
    """Return what was proposed, and the place of whoever proposed it. Raises UsageError."""
    data = asked.data
    try:
        wanted = ConflictResolution(
            tuple(asked.about.split()),
            data["keep"],
            tuple(data["supersede"]),
            bool(data["both"]),
            bool(data["dismiss"]),
            dict(data["scopes"]),
            dict(data["starts"]),
            dict(data["ends"]),
        )
        project_id, repo_id = data["place"]
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{asked.short} does not say how to resolve them") from error
    return wanted, Place(project_id, repo_id)


def withdraw_about(db: Database, sides: Collection[str], actor: Actor, *, but: str = "") -> None:
    """Withdraw the proposals for two records that were resolved, except one."""
    about = _name_pair(sides)
    for asked in proposals.list_open(db, _KIND):
        if asked.about == about and asked.id != but:
            proposals.withdraw_proposal(db, asked, actor=actor.name)


def _find_kept(sides: Mapping[str, Memory], wanted: ConflictResolution) -> str:
    """The side that is named first: what is to stay, else the earlier one."""
    named = wanted.keep or (wanted.supersede[0] if wanted.supersede else "")
    prefix = named.strip().upper()
    earlier = sorted(sides, key=lambda each: (sides[each].observed_at, each))
    return next((each for each in earlier if prefix and each.startswith(prefix)), earlier[0])


def _name_fully(sides: Mapping[str, Memory], values: Mapping[str, str]) -> dict[str, str]:
    """Values by the full ids of the sides."""
    return {
        each: value
        for text, value in values.items()
        for each in sides
        if each.startswith(text.strip().upper())
    }


def _name_pair(sides: Collection[str]) -> str:
    return " ".join(sorted(sides))
