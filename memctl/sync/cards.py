"""Who takes part: the card of a replica, the invitation it came with, and removals.

A card is signed by the key of its replica and by the key of its invitation; the invitation by the
replica that invited; and so on up to the founder, whose key is what the group's id is a hash of. So
whoever knows the id of the group can tell who belongs to it (see `roster`), whatever the place
where cards lie says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memctl.core import clock
from memctl.core.frozen import dataclass
from memctl.sync import signed_texts
from memctl.sync.age_keys import check_recipient
from memctl.sync.member_names import find_fault
from memctl.sync.signed_texts import BadText, SignedText

# Bytes of a card, which holds an invitation, and of an invitation.
MOST_CARD_BYTES = 8192
_MOST_INVITATION_BYTES = 2048
# Bytes of a removal, which names all whom an administrator had invited: some 100,000.
MOST_REMOVAL_BYTES = 4 << 20
# Characters of what a machine is called, and of a time.
_MOST_LABEL = 64
_MOST_TIME = 32
_MOST_LISTED = 200_000
# Characters of a stream, which names a member or a project.
_MOST_STREAM = 128


@dataclass(frozen=True, slots=True)
class Invitation:
    """What lets somebody in: `key` signs the card of one replica.

    `member` is the name of a new member; None for one more machine of whoever invited.
    """

    group: str
    key: bytes
    member: str | None
    is_admin: bool
    issuer: str
    text: SignedText


@dataclass(frozen=True, slots=True)
class Card:
    """A replica, as it tells of itself. `invitation` is None for the founder's."""

    group: str
    replica: str
    member: str
    label: str
    key: bytes
    recipient: str
    created_at: str
    invitation: Invitation | None
    content: bytes


@dataclass(frozen=True, slots=True)
class Removal:
    """Some replicas, or a member with all of them, no longer take part.

    What they wrote counts up to `limits` (numbers by stream and replica). Of what they signed as
    administrators, the cards and removals that are named here stay.
    """

    group: str
    issuer: str
    member: str
    root: str | None
    replicas: frozenset[str]
    limits: Mapping[tuple[str, str], int]
    kept_cards: frozenset[str]
    kept_removals: frozenset[str]
    created_at: str
    text: SignedText
    content: bytes

    def takes_out(self, replica: str, root: str) -> bool:
        """Whether it is about a replica of that member."""
        return replica in self.replicas or self.root == root


def write_invitation(
    group: str, key: bytes, member: str | None, *, is_admin: bool, issuer: str, seed: bytes
) -> bytes:
    """Return an invitation for whoever holds the private half of `key`, signed by `issuer`."""
    body = _describe_invitation(group, key, member, is_admin, issuer)
    return signed_texts.compose_text("invitation", body, [seed])


def join_invitation(
    group: str, key: bytes, member: str | None, *, is_admin: bool, issuer: str, signature: bytes
) -> bytes:
    """Return the invitation that a signature was made under."""
    body = _describe_invitation(group, key, member, is_admin, issuer)
    signed = signed_texts.write_unsigned("invitation", body)
    return signed_texts.add_signatures(signed, [signature])


def _describe_invitation(
    group: str, key: bytes, member: str | None, is_admin: bool, issuer: str
) -> Mapping[str, Any]:
    return {
        "group": group,
        "key": signed_texts.encode_key(key),
        "member": member or "",
        "is_admin": is_admin,
        "issuer": issuer,
    }


def write_card(
    group: str, member: str, label: str, seed: bytes, recipient: str, invitation: bytes = b""
) -> Mapping[str, Any]:
    """Return what a card says; `sign_card` makes it one."""
    key = signed_texts.find_public_key(seed)
    return {
        "group": group,
        "replica": signed_texts.name_replica(key),
        "member": member,
        "label": label[:_MOST_LABEL],
        "key": signed_texts.encode_key(key),
        "recipient": recipient,
        "at": clock.now(),
        "invitation": invitation.decode("ascii"),
    }


def sign_card(body: Mapping[str, Any], seeds: Iterable[bytes]) -> bytes:
    """Return a card, signed with the keys of the replica and of its invitation."""
    return signed_texts.compose_text("card", body, seeds)


def write_removal(
    *,
    group: str,
    issuer: str,
    member: str,
    root: str | None,
    replicas: Iterable[str],
    limits: Mapping[tuple[str, str], int],
    kept_cards: Iterable[str],
    kept_removals: Iterable[str],
    seed: bytes,
) -> bytes:
    """Return a removal, signed by `issuer`."""
    body = {
        "group": group,
        "issuer": issuer,
        "member": member,
        "root": root or "",
        "replicas": sorted(replicas),
        "limits": [[*key, number] for key, number in sorted(limits.items())],
        "kept_cards": sorted(kept_cards),
        "kept_removals": sorted(kept_removals),
        "at": clock.now(),
    }
    return signed_texts.compose_text("removal", body, [seed])


def read_card(content: bytes, *, is_known: bool = False) -> Card:
    """Read a card whose own signatures fit; who invited is not looked at. Raises BadText.

    One that `is_known` was read before, and its signatures are not computed again.
    """
    text = SignedText("card", content, MOST_CARD_BYTES)
    told = text.read("invitation", str, _MOST_INVITATION_BYTES).encode("utf-8", "replace")
    card = Card(
        text.read("group", str, 64),
        text.read("replica", str, 64),
        text.read("member", str),
        text.read("label", str, _MOST_LABEL),
        text.read_key("key"),
        text.read("recipient", str, 128),
        text.read("at", str, _MOST_TIME),
        read_invitation(told) if told else None,
        content,
    )
    if signed_texts.name_replica(card.key) != card.replica:
        raise BadText("its replica is not named by its key")
    if not card.label.isprintable() or find_fault(card.member):
        raise BadText("its names are none")
    if not is_known:
        check_recipient(card.recipient)
        keys = [card.key, *([card.invitation.key] if card.invitation else [])]
        if not all(map(text.is_signed_by, keys)):
            raise BadText("a signature below it does not fit")
    return card


def read_invitation(content: bytes) -> Invitation:
    """Read an invitation; its signature is not looked at. Raises BadText."""
    text = SignedText("invitation", content, _MOST_INVITATION_BYTES)
    member = text.read("member", str)
    if member and find_fault(member):
        raise BadText(f"it names a member: {find_fault(member)}")
    return Invitation(
        text.read("group", str, 64),
        text.read_key("key"),
        member or None,
        text.read("is_admin", bool),
        text.read("issuer", str, 64),
        text,
    )


def read_removal(content: bytes) -> Removal:
    """Read a removal; its signature is not looked at. Raises BadText."""
    text = SignedText("removal", content, MOST_REMOVAL_BYTES)
    return Removal(
        text.read("group", str, 64),
        text.read("issuer", str, 64),
        text.read("member", str),
        text.read("root", str, 64) or None,
        _read_names(text, "replicas"),
        _read_limits(text.read("limits", list, _MOST_LISTED)),
        _read_names(text, "kept_cards"),
        _read_names(text, "kept_removals"),
        text.read("at", str, _MOST_TIME),
        text,
        content,
    )


def _read_names(text: SignedText, name: str) -> frozenset[str]:
    found = text.read(name, list, _MOST_LISTED)
    if not all(isinstance(each, str) and len(each) <= 64 for each in found):
        raise BadText(f"its {name!r} is not what it should be")
    return frozenset(found)


def _read_limits(rows: Sequence[Any]) -> Mapping[tuple[str, str], int]:
    limits = {}
    for row in rows:
        if not isinstance(row, list) or len(row) != 3:
            raise BadText("a limit in it is none")
        stream, replica, number = row
        if not isinstance(stream, str) or len(stream) > _MOST_STREAM:
            raise BadText("a limit in it is none")
        if not signed_texts.is_replica_id(replica) or type(number) is not int:
            raise BadText("a limit in it is none")
        limits[stream, replica] = max(0, min(number, 2**53))
    return limits
