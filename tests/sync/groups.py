"""Stores in a group, for tests: each a machine of its own, in one process; and places for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memctl.settings.config import load_config
from memctl.store.migrate import open_store
from memctl.sync import keys, roster
from memctl.sync.keys import Keys
from memctl.sync.roster import Roster

Numbers = Mapping[tuple[str, str], int]


class Machine:
    """A store in a folder of its own, with its keys once it is in a group."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.config = load_config(folder / "memory.db")
        self.db = open_store(self.config.db, create=True)

    @property
    def keys(self) -> Keys:
        found = keys.load_keys(self.config)
        assert found is not None
        return found


class Group:
    """A founder, and who joins; `cards` and `removals` are what lies at the place."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.cards: list[bytes] = []
        self.removals: list[bytes] = []
        self.machines: dict[str, Machine] = {}
        self.anna = self.begin("anna")
        made = keys.found_group(self.anna.db, self.anna.config, "anna", "laptop")
        self.id = made.group
        self.cards.append(made.card)

    def begin(self, name: str) -> Machine:
        """A machine whose store is in no group yet."""
        self.machines[name] = Machine(self._folder / name)
        return self.machines[name]

    @property
    def roster(self) -> Roster:
        return roster.build_roster(self.id, self.cards, self.removals)

    def invite(self, inviter: Machine, name: str | None = None, *, is_admin: bool = False) -> str:
        return keys.make_code(inviter.keys, self.roster, name, is_admin=is_admin)

    def join(self, code: str, machine: str) -> Machine:
        """Let a new machine join, and put its card at the place."""
        joined = self.begin(machine)
        made = keys.join_group(joined.db, joined.config, code, self.cards, self.removals, machine)
        self.cards.append(made.card)
        return joined

    def add(self, name: str, inviter: Machine | None = None, *, is_admin: bool = False) -> Machine:
        """Invite a member and let it join."""
        return self.join(self.invite(inviter or self.anna, name, is_admin=is_admin), name)

    def remove(self, remover: Machine, target: str, numbers: Numbers | None = None) -> bytes:
        made = keys.make_removal(remover.keys, self.roster, target, numbers or {})
        self.removals.append(made)
        return made

    def close(self) -> None:
        for each in self.machines.values():
            each.db.close()

    def list_names(self) -> list[str]:
        """Who takes part now."""
        return [each.name for each in self.roster.list_members() if not each.is_removed]
