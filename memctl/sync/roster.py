"""Who belongs to a group: what follows from the cards and removals that are there. Pure.

It begins with the founder, whose key the group's id is a hash of, and takes in whom those that are
in already have invited. A removal counts if an administrator signed it, or the removed themselves.
What contradicts itself (an invitation used twice, a name given twice, two who remove each other) is
decided for what this store knew before, so that nobody loses a place to somebody who comes later
and says to have been first; then for who stands nearer to the founder; then for the earlier.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from memctl.core.frozen import dataclass
from memctl.sync import signed_texts
from memctl.sync.cards import Card, Removal, read_card, read_removal
from memctl.sync.member_names import reduce_name
from memctl.sync.signed_texts import BadText

OWN = "own:"


@dataclass(frozen=True, slots=True)
class Replica:
    """A store that belongs to the group. `root` is the member, whatever name others have."""

    id: str
    member: str
    root: str
    is_admin: bool
    key: bytes
    recipient: str
    label: str
    issuer: str | None
    depth: int
    is_removed: bool
    created_at: str
    card: bytes


@dataclass(frozen=True, slots=True)
class GroupMember:
    """A person in the group, with the replicas that take part."""

    name: str
    root: str
    is_admin: bool
    is_removed: bool
    replicas: tuple[Replica, ...]


@dataclass(frozen=True, slots=True)
class Roster:
    """Who belongs to a group, and what of the cards and removals does not count, and why."""

    group: str
    replicas: Mapping[str, Replica]
    removals: tuple[Removal, ...]
    limits: Mapping[tuple[str, str], int]
    problems: tuple[str, ...]

    def find_limit(self, stream: str, replica: str) -> int | None:
        """Up to which number the changes of a replica count; None: all of them."""
        found = self.replicas.get(replica)
        if found is None:
            return 0
        return self.limits.get((stream, replica), 0) if found.is_removed else None

    def find_removal(self, replica: str) -> bytes | None:
        """The removal by which a replica no longer takes part; None if it does."""
        found = self.replicas.get(replica)
        if found is None or not found.is_removed:
            return None
        named = (each for each in self.removals if each.takes_out(replica, found.root))
        return next(named).content

    def list_readers(self, stream: str) -> list[Replica]:
        """Replicas that may read a stream: those of the member whose own it is, or all."""
        named = stream.removeprefix(OWN) if stream.startswith(OWN) else None
        return [
            each
            for each in self.replicas.values()
            if not each.is_removed and named in (None, each.member)
        ]

    def list_recipients(self, stream: str) -> list[str]:
        """The recipients of age that a stream is encrypted for, in order."""
        return sorted({each.recipient for each in self.list_readers(stream)})

    def list_members(self) -> list[GroupMember]:
        """All members, by name; one that was removed and invited again stands there twice."""
        roots: dict[str, list[Replica]] = {}
        for each in self.replicas.values():
            roots.setdefault(each.root, []).append(each)
        found = [_describe_member(root, replicas) for root, replicas in roots.items()]
        return sorted(found, key=lambda each: (each.name, each.is_removed, each.root))

    def is_own(self, mine: str, other: str) -> bool:
        """Whether two replicas are those of one member."""
        first, second = self.replicas.get(mine), self.replicas.get(other)
        return first is not None and second is not None and first.root == second.root


def _describe_member(root: str, replicas: Collection[Replica]) -> GroupMember:
    first = min(replicas, key=lambda each: (each.depth, each.created_at, each.id))
    living = tuple(
        sorted(
            (each for each in replicas if not each.is_removed),
            key=lambda each: (each.created_at, each.id),
        )
    )
    return GroupMember(first.member, root, first.is_admin, not living, living)


def build_roster(
    group: str,
    cards: Iterable[bytes],
    removals: Iterable[bytes],
    known_cards: Iterable[bytes] = (),
    known_removals: Iterable[bytes] = (),
) -> Roster:
    """Find who belongs to a group. `known_...` are those that this store has verified before."""
    given = _Given(group)
    known, before = set(known_cards), set(known_removals)
    given.read_cards(known, is_known=True)
    given.read_cards(set(cards) - known, is_known=False)
    given.read_removals(before, is_known=True)
    given.read_removals(set(removals) - before, is_known=False)
    # Names of removed members are free again: who is removed must be known before names are.
    first = _Growth(given, None)
    second = _Growth(given, first.judge_removals().roots)
    verdict = second.judge_removals()
    replicas = dict(second.list_replicas(verdict))
    problems = [*given.problems, *second.problems, *verdict.problems]
    return Roster(
        group, replicas, tuple(verdict.counted), verdict.limits, tuple(dict.fromkeys(problems))
    )


class _Given:
    """The cards and removals of a group that can be read."""

    def __init__(self, group: str) -> None:
        self.group = group
        self.cards: dict[str, Card] = {}
        self.known: set[str] = set()
        self.removals: dict[str, Removal] = {}
        self.known_removals: set[str] = set()
        self.problems: list[str] = []

    def read_cards(self, contents: Iterable[bytes], *, is_known: bool) -> None:
        for content in sorted(set(contents)):
            try:
                card = read_card(content, is_known=is_known)
            except BadText as error:
                self.problems.append(f"a card is passed over: {error}")
                continue
            if card.group != self.group:
                self.problems.append(f"a card is passed over: {card.replica} is of another group")
                continue
            before = self.cards.setdefault(card.replica, card)
            if before.content != content:
                self.problems.append(f"{card.replica} has two cards; the one known first counts")
            elif is_known:
                self.known.add(card.replica)

    def read_removals(self, contents: Iterable[bytes], *, is_known: bool) -> None:
        for content in sorted(set(contents)):
            try:
                removal = read_removal(content)
            except BadText as error:
                self.problems.append(f"a removal is passed over: {error}")
                continue
            if removal.group != self.group:
                self.problems.append("a removal is passed over: it is of another group")
                continue
            self.removals.setdefault(removal.text.digest, removal)
            if is_known:
                self.known_removals.add(removal.text.digest)


@dataclass(frozen=True, slots=True)
class _Grown:
    """A card that somebody who is in vouches for."""

    card: Card
    member: str
    root: str
    is_admin: bool
    depth: int


@dataclass(frozen=True, slots=True)
class _Verdict:
    """Which removals count, and what follows."""

    counted: tuple[Removal, ...]
    roots: frozenset[str]
    limits: Mapping[tuple[str, str], int]
    problems: tuple[str, ...]
    standing: frozenset[str]
    removed: frozenset[str]


class _Growth:
    """The group as it grows from its founder. `free` are the members whose names others may have;
    None: names are not looked at.
    """

    def __init__(self, given: _Given, free: frozenset[str] | None) -> None:
        self._given = given
        self._free = free
        self._names: dict[str, str] = {}
        self._uses: dict[bytes, str] = {}
        self._grown: dict[str, _Grown] = {}
        self.problems: list[str] = []
        self._children: dict[str, list[Card]] = {}
        for card in sorted(given.cards.values(), key=lambda each: (each.created_at, each.replica)):
            issuer = card.invitation.issuer if card.invitation else ""
            self._children.setdefault(issuer, []).append(card)
        self._grow(given.known)
        self._grow(given.cards)
        for replica in sorted(given.cards.keys() - self._grown.keys()):
            self.problems.append(self._explain(given.cards[replica]))

    def _grow(self, allowed: Collection[str]) -> None:
        layer = ["", *self._grown]
        while layer:
            following = []
            for issuer in layer:
                for card in self._children.get(issuer, ()):
                    if card.replica in allowed and card.replica not in self._grown:
                        grown = self._judge(card)
                        if grown is not None:
                            self._grown[card.replica] = grown
                            following.append(card.replica)
            layer = following

    def _judge(self, card: Card) -> _Grown | None:
        """Take in a card, or not."""
        group = self._given.group
        if card.invitation is None:
            if signed_texts.name_group(card.key) != group or self._is_taken(card.member, group):
                return None
            return _Grown(card, card.member, group, True, 0)
        told, inviter = card.invitation, self._grown[card.invitation.issuer]
        is_own = told.member is None
        root = inviter.root if is_own else signed_texts.name_group(told.key)
        member = told.member or inviter.member
        fits = (
            told.group == group
            and card.member == member
            and (is_own or inviter.is_admin)
            and (card.replica in self._given.known or told.text.is_signed_by(inviter.card.key))
        )
        if not fits or self._uses.get(told.key, card.replica) != card.replica:
            return None
        if self._is_taken(member, root):
            return None
        self._uses[told.key] = card.replica
        is_admin = inviter.is_admin if is_own else told.is_admin
        return _Grown(card, member, root, is_admin, inviter.depth + 1)

    def _is_taken(self, member: str, root: str) -> bool:
        """Whether a member has a name that another would be taken for; else it is taken now."""
        if self._free is None or root in self._free:
            return False
        return self._names.setdefault(reduce_name(member), root) != root

    def _explain(self, card: Card) -> str:
        told = card.invitation
        who = f"{card.member} ({card.replica})"
        if told is not None and self._uses.get(told.key, card.replica) != card.replica:
            used = self._uses[told.key]
            return (
                f"{who} does not count: it came with an invitation that {used} had used; remove "
                f"{card.member} and invite anew, if one of them is a stranger"
            )
        named = self._names.get(reduce_name(told.member)) if told and told.member else None
        if named is not None and told is not None and named != signed_texts.name_group(told.key):
            return f"{who} does not count: another member has that name, or one that looks like it"
        return f"{who} does not count: nobody who may has invited it"

    # -- removals ---------------------------------------------------------------------------------

    def judge_removals(self) -> _Verdict:
        """Find which removals count, one after the other."""
        judge = _Judge(self._grown)
        for removal in self._order_removals():
            judge.take(removal)
        return judge.conclude()

    def _order_removals(self) -> Iterator[Removal]:
        given = self._given

        def place(removal: Removal) -> tuple[bool, int, str, str]:
            signer = self._grown.get(removal.issuer)
            depth = signer.depth if signer else 0
            digest = removal.text.digest
            return digest not in given.known_removals, depth, removal.created_at, digest

        yield from sorted(given.removals.values(), key=place)

    def list_replicas(self, verdict: _Verdict) -> Iterator[tuple[str, Replica]]:
        """Yield who belongs to the group, and who did."""
        for replica, grown in sorted(self._grown.items()):
            if replica in verdict.standing or replica in verdict.removed:
                card = grown.card
                yield (
                    replica,
                    Replica(
                        replica,
                        grown.member,
                        grown.root,
                        grown.is_admin,
                        card.key,
                        card.recipient,
                        card.label,
                        card.invitation.issuer if card.invitation else None,
                        grown.depth,
                        replica in verdict.removed,
                        card.created_at,
                        card.content,
                    ),
                )


class _Judge:
    """Removals, judged one after the other."""

    def __init__(self, grown: Mapping[str, _Grown]) -> None:
        self._grown = grown
        self._by_root: dict[str, list[str]] = {}
        for replica, each in grown.items():
            self._by_root.setdefault(each.root, []).append(replica)
        self._counted: list[Removal] = []
        self._roots: set[str] = set()
        # By removed replica: the removals that removed it.
        self._removed: dict[str, list[Removal]] = {}
        self._problems: list[str] = []

    def take(self, removal: Removal) -> None:
        """Let a removal count, or not."""
        fault = self._find_fault(removal)
        named = {*removal.replicas, *self._by_root.get(removal.root or "", ())}
        named &= self._grown.keys()
        if fault:
            # Who left and was removed at once is gone either way.
            if not named <= self._removed.keys():
                self._problems.append(f"a removal of {removal.member} does not count: {fault}")
            return
        self._counted.append(removal)
        if removal.root:
            self._roots.add(removal.root)
        for replica in named:
            self._removed.setdefault(replica, []).append(removal)

    def _find_fault(self, removal: Removal) -> str | None:
        signer = self._grown.get(removal.issuer)
        if signer is None or not removal.text.is_signed_by(signer.card.key):
            return "nobody who is known signed it"
        targets = {each.root for name in removal.replicas if (each := self._grown.get(name))}
        targets |= {removal.root} if removal.root else set()
        if not signer.is_admin and targets - {signer.root}:
            return "who signed it is no administrator"
        if not self._is_standing(removal.issuer):
            return "who signed it does not belong to the group"
        removed = self._removed.get(removal.issuer, ())
        if any(removal.text.digest not in each.kept_removals for each in removed):
            return "who signed it had been removed"
        return None

    def _is_standing(self, replica: str) -> bool:
        """Whether everybody who invited, up to the founder, might still do so then."""
        while (invitation := self._grown[replica].card.invitation) is not None:
            removed = self._removed.get(invitation.issuer, ())
            if any(replica not in each.kept_cards for each in removed):
                return False
            replica = invitation.issuer
        return True

    def conclude(self) -> _Verdict:
        """What follows from the removals that count."""
        standing = {each for each in self._grown if self._is_standing(each)}
        removed = standing & self._removed.keys()
        limits: dict[tuple[str, str], int] = {}
        for replica in removed:
            found = [each.limits for each in self._removed[replica]]
            streams = {stream for each in found for stream, name in each if name == replica}
            for stream in streams:
                limits[stream, replica] = min(each.get((stream, replica), 0) for each in found)
        lost = [
            f"{self._grown[each].member} ({each}) does not count: who invited it had been removed"
            for each in sorted(self._grown.keys() - standing)
        ]
        # Who left with the last machine has gone too, though no removal names more than that one.
        here = {self._grown[each].root for each in standing - removed}
        return _Verdict(
            tuple(self._counted),
            frozenset(self._roots | (self._by_root.keys() - here)),
            limits,
            (*self._problems, *lost),
            frozenset(standing),
            frozenset(removed),
        )
