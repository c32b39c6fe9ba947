"""A process that writes change sets to a place: `folder PATH REPLICA COUNT` or
`hub NAME REPLICA DB GROUP COUNT`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from memctl.settings.config import load_config
from memctl.sync.folder_place import FolderPlace
from memctl.sync.place import SyncPlace
from tests.sync.places import ANNA, GROUP, make_set


def open_described(words: list[str]) -> tuple[SyncPlace, str]:
    kind, name, replica, *more = words
    if kind == "folder":
        return FolderPlace.open(Path(name), GROUP, replica), replica
    from memctl.sync.postgres_place import open_postgres
    from tests.sync.hub_group import User

    db, group = more
    user = User(group, "anna" if replica == ANNA else "ben", replica)
    return open_postgres(load_config(Path(db)), name, user), replica


def write_sets(words: list[str], count: int) -> None:
    """Write sets of one change, and now and then one in the place of several."""
    place, replica = open_described(words)
    written = []
    for number in range(1, count + 1):
        name, content = make_set(replica, number, number)
        place.write_set(name, content)
        written.append(name)
        if number % 5 == 0:
            new, whole = make_set(replica, written[0].first, number)
            place.replace_sets(written, new, whole)
            written = []
    place.close()


if __name__ == "__main__":
    write_sets(sys.argv[1:-1], int(sys.argv[-1]))
