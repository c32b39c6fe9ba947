"""A store in a group of stores: founding one, inviting, joining, removing, beginning anew.

Nothing here reaches a place: cards and removals are handed in and out as bytes.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable, Mapping

from memctl.core.errors import NotFound, RefusedByPolicy, UsageError
from memctl.core.frozen import dataclass, replace
from memctl.settings.config import Config
from memctl.store.database import Database
from memctl.sync import age_keys, cards, signed_texts
from memctl.sync.key_file import Keys as Keys
from memctl.sync.key_file import find_fork as find_fork
from memctl.sync.key_file import forget_keys as forget_keys
from memctl.sync.key_file import load_keys as load_keys
from memctl.sync.key_file import put_keys
from memctl.sync.key_file import renew_token as renew_token
from memctl.sync.member_names import check_name, reduce_name
from memctl.sync.roster import GroupMember, Replica, Roster, build_roster
from memctl.sync.signed_texts import BadText

_PREFIX = "memctl-"
# Bytes of a group's id, of a replica's id and of the checksum in a code.
_GROUP_BYTES = 20
_REPLICA_BYTES = 16
_SUM_BYTES = 4
_IS_ADMIN = 1
_IS_ENCRYPTED = 2
# Characters of a code; the address of a place is the longest part of it.
_MOST_CODE = 8192


@dataclass(frozen=True, slots=True)
class InvitationCode:
    """What an invitation says. `member` is None where it is for one more machine of a member."""

    group: str
    member: str | None
    is_admin: bool
    place: str
    is_encrypted: bool
    issuer: str
    seed: bytes
    invitation: bytes

    @property
    def is_own(self) -> bool:
        """Whether it is for one more machine of whoever made it."""
        return self.member is None

    def __repr__(self) -> str:
        return f"InvitationCode(group={self.group!r}, member={self.member!r})"


def found_group(db: Database, config: Config, member: str, label: str = "") -> Keys:
    """Found a group with this store as its first. Raises UsageError, MissingExtra."""
    check_name(member)
    _refuse_another(config)
    seed = signed_texts.create_seed()
    identity, recipient = age_keys.create_identity()
    group = signed_texts.name_group(signed_texts.find_public_key(seed))
    body = cards.write_card(group, member, _clean_label(label), seed, recipient)
    card = cards.sign_card(body, [seed])
    return put_keys(db, config, Keys(group, body["replica"], member, seed, identity, card))


def make_code(
    keys: Keys,
    roster: Roster,
    name: str | None,
    *,
    is_admin: bool = False,
    place: str = "",
    is_encrypted: bool = False,
) -> str:
    """Return an invitation for a new member, or for one more machine of our own (no name).

    Raises UsageError for a name that cannot be had, RefusedByPolicy for who may not invite.
    """
    own = _find_own(keys, roster)
    if name is not None:
        if not own.is_admin:
            raise RefusedByPolicy("only an administrator of the group may invite others")
        _check_free(roster, check_name(name))
    seed = signed_texts.create_seed()
    text = cards.write_invitation(
        keys.group,
        signed_texts.find_public_key(seed),
        name,
        is_admin=is_admin and name is not None,
        issuer=keys.replica,
        seed=keys.seed,
    )
    return _encode_code(text, seed, place, is_encrypted)


def read_code(code: str) -> InvitationCode:
    """Read an invitation. Raises UsageError for what is none, or was not copied whole."""
    told = "".join(code.split())
    try:
        if not told.startswith(_PREFIX) or len(told) > _MOST_CODE:
            raise BadText("it does not begin as one")
        content = told.removeprefix(_PREFIX).encode("ascii")
        content = base64.b64decode(content + b"=" * (-len(content) % 4), b"-_", validate=True)
        return _decode_code(content)
    except (ValueError, IndexError, binascii.Error) as error:
        hint = "copy all of it, from `memctl-` to its end"
        raise UsageError("that is no invitation", hint=hint) from error


def join_group(
    db: Database,
    config: Config,
    code: str,
    known: Iterable[bytes],
    removals: Iterable[bytes],
    label: str = "",
) -> Keys:
    """Let this store join a group by an invitation; `known` and `removals` are what the place has.

    Raises UsageError for no invitation, RefusedByPolicy for one that does not count (any more).
    """
    told = read_code(code)
    _refuse_another(config)
    known, removals = list(known), list(removals)
    before = build_roster(told.group, known, removals)
    inviter = before.replicas.get(told.issuer)
    _refuse_used(told, known)
    if inviter is None:
        hint = "is it the right place, and has everything arrived there?"
        raise RefusedByPolicy("nobody at that place made this invitation", hint=hint)
    member = told.member or inviter.member
    seed = signed_texts.create_seed()
    identity, recipient = age_keys.create_identity()
    body = cards.write_card(
        told.group, member, _clean_label(label), seed, recipient, told.invitation
    )
    card = cards.sign_card(body, [seed, told.seed])
    after = build_roster(told.group, [card], removals, known_cards=known)
    joined = after.replicas.get(body["replica"])
    if joined is None or joined.is_removed:
        found = (each for each in after.problems if body["replica"] in each)
        reason = next(found, "whoever made it was removed")
        hint = "ask for a new invitation, and say that this one did not work"
        raise RefusedByPolicy(f"the invitation does not count: {reason}", hint=hint)
    return put_keys(db, config, Keys(told.group, body["replica"], member, seed, identity, card))


def _refuse_used(told: InvitationCode, known: Iterable[bytes]) -> None:
    """Refuse an invitation by which a card has come already."""
    for content in known:
        try:
            card = cards.read_card(content)
        except BadText:
            continue
        if card.invitation is not None and card.invitation.text.digest == _digest(told):
            who = f"{card.label or card.replica}, on {card.created_at[:10]}"
            hint = (
                "ask for a new invitation; if that machine is neither yours nor that of whom it "
                "was for, have it removed: `memctl sync remove`"
            )
            raise RefusedByPolicy(f"this invitation was used already, by {who}", hint=hint)


def _digest(told: InvitationCode) -> str:
    return cards.read_invitation(told.invitation).text.digest


def take_new_replica(db: Database, config: Config, keys: Keys) -> Keys:
    """Begin anew as another replica of the same member, vouched for by the one that it was."""
    seed, once = signed_texts.create_seed(), signed_texts.create_seed()
    identity, recipient = age_keys.create_identity()
    invitation = cards.write_invitation(
        keys.group,
        signed_texts.find_public_key(once),
        None,
        is_admin=False,
        issuer=keys.replica,
        seed=keys.seed,
    )
    label = cards.read_card(keys.card, is_known=True).label
    body = cards.write_card(keys.group, keys.member, label, seed, recipient, invitation)
    fresh = replace(
        keys,
        replica=body["replica"],
        seed=seed,
        identity=identity,
        card=cards.sign_card(body, [seed, once]),
        former=keys.identities,
    )
    return put_keys(db, config, fresh)


def make_removal(
    keys: Keys, roster: Roster, target: str, numbers: Mapping[tuple[str, str], int]
) -> bytes:
    """Return the removal of a member (by name) or of one machine (by its replica's id).

    `numbers` are those that this store has, by stream and replica: what came later does not count.
    Raises NotFound, RefusedByPolicy.
    """
    own = _find_own(keys, roster)
    machine = roster.replicas.get(target)
    if machine is not None and not machine.is_removed:
        member, root, gone = machine.member, None, {machine.id}
        owner = machine.root
    else:
        found = _find_member(roster, target)
        member, root, owner = found.name, found.root, found.root
        gone = {each.id for each in found.replicas}
    if not own.is_admin and owner != own.root:
        raise RefusedByPolicy("only an administrator of the group may remove others")
    _keep_administrator(roster, gone)
    return cards.write_removal(
        group=keys.group,
        issuer=keys.replica,
        member=member,
        root=root,
        replicas=gone,
        limits={key: number for key, number in numbers.items() if key[1] in gone},
        kept_cards=[each.id for each in roster.replicas.values() if each.issuer in gone],
        kept_removals=[each.text.digest for each in roster.removals if each.issuer in gone],
        seed=keys.seed,
    )


def leave_group(config: Config) -> None:
    """Forget the keys: this store belongs to no group any more."""
    forget_keys(config)


def _find_own(keys: Keys, roster: Roster) -> Replica:
    found = roster.replicas.get(keys.replica)
    if found is None or found.is_removed:
        raise RefusedByPolicy("this store was removed from its group")
    return found


def _find_member(roster: Roster, name: str) -> GroupMember:
    for each in roster.list_members():
        if each.name == name and not each.is_removed:
            return each
    raise NotFound(f"the group has no member and no machine {name!r}")


def _keep_administrator(roster: Roster, gone: set[str]) -> None:
    """Refuse to leave others behind whom nobody could invite to or remove from."""
    staying = [
        each for each in roster.replicas.values() if not each.is_removed and each.id not in gone
    ]
    if staying and not any(each.is_admin for each in staying):
        hint = "invite one first: `memctl sync invite NAME --admin`"
        raise RefusedByPolicy("the group would be left without an administrator", hint=hint)


def _check_free(roster: Roster, name: str) -> None:
    for each in roster.list_members():
        if not each.is_removed and reduce_name(each.name) == reduce_name(name):
            same = each.name == name
            fault = "is a member already" if same else f"looks like the member {each.name}"
            hint = "choose another name"
            if same:
                hint += "; who lost their only machine: `memctl sync remove` first, then invite"
            raise UsageError(f"{name} {fault}", hint=hint)


def _refuse_another(config: Config) -> None:
    if load_keys(config) is not None:
        hint = "`memctl sync leave` takes it out of that one"
        raise UsageError("this store belongs to a group already", hint=hint)


def _clean_label(label: str) -> str:
    return "".join(each for each in label if each.isprintable())[:64]


# -- codes ----------------------------------------------------------------------------------------


def _encode_code(text: bytes, seed: bytes, place: str, is_encrypted: bool) -> str:
    """Write an invitation as short as it goes: what can be computed is left out."""
    told = cards.read_invitation(text)
    flags = _IS_ADMIN * told.is_admin | _IS_ENCRYPTED * is_encrypted
    member = (told.member or "").encode("utf-8")
    content = b"".join(
        (
            bytes([flags]),
            seed,
            base64.b32decode(told.group.upper()),
            signed_texts.decode_replica(told.issuer),
            signed_texts.decode_base64(text.split(b"\n")[2]),
            bytes([len(member)]),
            member,
            place.encode("utf-8"),
        )
    )
    content += zlib.crc32(content).to_bytes(_SUM_BYTES, "big")
    return _PREFIX + base64.urlsafe_b64encode(content).decode("ascii").rstrip("=")


def _decode_code(content: bytes) -> InvitationCode:
    """Read a code back. Raises ValueError, IndexError."""
    content, total = content[:-_SUM_BYTES], content[-_SUM_BYTES:]
    if zlib.crc32(content).to_bytes(_SUM_BYTES, "big") != total:
        raise BadText("it was not copied whole")
    parts, at = [], 1
    for size in (
        signed_texts.KEY_BYTES,
        _GROUP_BYTES,
        _REPLICA_BYTES,
        signed_texts.SIGNATURE_BYTES,
    ):
        parts.append(content[at : at + size])
        at += size
    seed, group, issuer, signature = parts
    member = content[at + 1 : at + 1 + content[at]].decode("utf-8")
    place = content[at + 1 + content[at] :].decode("utf-8")
    name = base64.b32encode(group).decode("ascii").lower()
    invitation = cards.join_invitation(
        name,
        signed_texts.find_public_key(seed),
        member or None,
        is_admin=bool(content[0] & _IS_ADMIN),
        issuer=signed_texts.encode_replica(issuer),
        signature=signature,
    )
    read = cards.read_invitation(invitation)
    return InvitationCode(
        name,
        read.member,
        read.is_admin,
        place,
        bool(content[0] & _IS_ENCRYPTED),
        read.issuer,
        seed,
        invitation,
    )
