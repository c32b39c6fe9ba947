"""Changes that a member makes up: like real ones, with a value here and there that none has."""

from __future__ import annotations

import random
from typing import Any

from memctl.sync.change import ChangeEvent, build_change, encode_change
from memctl.sync.key_file import Keys

AT = "2026-03-04T05:06:07.000Z"
RECORD = "01K0000000000000000000REC0"
OTHER = "01K00000000000000000000001"
VERBS = ("created", "edited", "purged", "redacted", "archived", "approved", "withdrawn")
ACTORS = ("operator", "maintain", "agent:x", "x" * 100, "", "\x1b[31m")
TIMES = (
    *("", "bad", "2026-99-99T00:00:00Z", "9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00Z"),
    *("-5000", "\x00", AT, "2026-03-04"),
)
TEXTS = ("", "\x00", "\x1b[31m", "x" * 3000, "../../x", "own:Vera", "%", "|", "🌾", "operator")
NUMBERS = (0, 1, -1, 5, 1e308, 0.5, 2**53 - 1)
OTHERS: tuple[Any, ...] = (True, False, None, [], ["a"], ["\x00"], {}, [[[]]])
FIELDS: dict[str, Any] = {
    "type": "project",
    "kind": "fact",
    "title": "first",
    "content": "first",
    "summary": "first",
    **dict.fromkeys(("subject", "rationale", "status_reason", "project_id", "agent_id", "rule")),
    **dict.fromkeys(("session_id", "confirmed_at", "valid_from", "valid_until", "source_ref")),
    "evidence_ref": None,
    "alternatives": [],
    "status": "active",
    "scope": "global",
    "owner": "shared",
    "protected": False,
    "always_load": False,
    "never_load": False,
    "trust": 5,
    "confidence": 1.0,
    "decay_rate": 0.0,
    "source_kind": "manual",
    "observed_at": AT,
    "created_at": AT,
    "updated_at": AT,
}
EVIDENCE: dict[str, Any] = {
    **dict.fromkeys(("source_id", "turn", "span_start", "span_end", "speaker", "withdrawn_at")),
    "quote": "q",
    "role": "human",
    "trust": 5,
    "observed_at": AT,
    "created_at": AT,
}


class Liar:
    """Makes up changes in the name of a replica."""

    def __init__(self, keys: Keys, seed: int) -> None:
        self._keys = keys
        self._chance = random.Random(seed)
        self._ids: list[str] = []
        self._subjects = (
            *(RECORD, OTHER, "01K00000000000000000000002", "01K00000000000000000000003"),
            *("project:01K0000000000000000000PRJ0", "entity:person|Bob", "project:global"),
            *("source:01K0000000000000000000SRC0", "", "x" * 300, "entity:zzz|q", "project:"),
        )

    def make_up(self, number: int) -> bytes:
        """The bytes of a change."""
        choose, at = self._chance.choice, self._chance.random()
        subject = choose((*self._subjects, f"01K0000000000000000000{number:04}"))
        parents = [choose(self._ids)] if self._ids and at < 0.5 else ["f" * 32] * (at > 0.9)
        made = build_change(
            replica=self._keys.replica,
            member=self._keys.member,
            subject=subject,
            stamp=choose([number, 2**40, 2**52]),
            parents=parents,
            operation=choose([None, "x", "y" * 100]),
            origin=number,
            events=[self._tell(subject) for _ in range(self._chance.randrange(1, 4))],
            is_overtaken=at < 0.2,
        )
        self._ids.append(made.id)
        return encode_change(made)

    def _tell(self, subject: str) -> ChangeEvent:
        choose, at = self._chance.choice, self._chance.random()
        topic, item, row = self._choose_row(subject)
        before: Any = None
        after: Any = None
        if at < 0.5:
            after = self._spoil(row)
        elif at < 0.75:
            kept = {name: each for name, each in self._spoil(row).items() if choose((0, 0, 1))}
            before, after = {}, kept
        elif at < 0.9:
            before = row
        verb = choose(VERBS)
        return ChangeEvent(topic, item, verb, before, after, choose(ACTORS), "x", choose(TIMES))

    def _choose_row(self, subject: str) -> tuple[str, str, dict[str, Any]]:
        choose, kind = self._chance.choice, subject.partition(":")
        if kind[0] in ("project", "entity", "source") and kind[1]:
            return self._choose_other(*kind[::2])
        link = {"from_id": subject, "relation": choose(("supports", "supersedes", "contradicts"))}
        link |= {"to_id": choose((RECORD, OTHER, "nope", subject))}
        more = {"reason": None, "actor": "operator", "created_at": AT}
        evidence, vote = choose(("E1", "\x00", RECORD)), choose(("O1", RECORD))
        name = choose(("person|Ann|Ann", "concept|#x|#x", "person||", "tool|\x00|a", "zzz|a|b"))
        told = {"fingerprint": "f" * 64, "verdict": choose(("rejected", "purged"))}
        rows: list[tuple[str, str, dict[str, Any]]] = [
            *[("record", subject, {**FIELDS, "id": subject})] * 5,
            ("evidence", evidence, {**EVIDENCE, "id": evidence, "memory_id": subject}),
            (
                "link",
                "|".join(link.values()),
                {**link, **more, "confidence": 1.0, "resolved_at": None},
            ),
            ("mention", f"{subject}|{name}", {}),
            ("tombstone", subject, {**told, **more, "quote_hash": None}),
            ("outcome", vote, {"id": vote, "memory_id": subject, "verdict": "good", **more}),
            ("scrub", choose(self._ids or ["a" * 32]), {}),
            (choose(("", "zzz", "proposal")), subject, {}),
        ]
        return choose(rows)

    def _choose_other(self, kind: str, name: str) -> tuple[str, str, dict[str, Any]]:
        choose = self._chance.choice
        aliases = choose(([], [["remote", "git@x:y"]], [["marker", "\x00"]], [["zzz", "a"]]))
        into = choose((None, "person|Ann", "zzz|q", "person|Bob", "person|", ""))
        rows: dict[str, tuple[str, str, dict[str, Any]]] = {
            "project": ("project", name, {"name": choose(("harbor", "")), "aliases": aliases}),
            "entity": choose(
                (
                    ("entity", name, {"merged_into": into}),
                    ("alias", choose(("Bobby", "\x00", "")), {"created_at": AT}),
                )
            ),
            "source": ("source", name, {}),
        }
        return rows[kind]

    def _spoil(self, row: dict[str, Any]) -> dict[str, Any]:
        """A row with a value that it may not have, half of the time."""
        if not row or self._chance.random() < 0.5:
            return row
        name = self._chance.choice(sorted(row))
        value = row[name]
        odd: Any = TEXTS
        if name.endswith("_at") or name.startswith("valid"):
            odd = TIMES
        elif type(value) in (int, float):
            odd = NUMBERS
        if self._chance.random() < 0.2:
            odd = OTHERS
        return {**row, name: self._chance.choice(odd)}
