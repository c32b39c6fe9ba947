"""What is derived from the records: the index of words and the vectors. Made in pieces that no writer has to wait for."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.maintain import pending_work
from memctl.maintain.run_state import Run
from memctl.retrieve import vectors
from memctl.store import lexical, meta, upkeep
from memctl.text import tokens

_BATCH = 25
_PAGES, _MOST_MERGES = 64, 200


def index(run: Run) -> Mapping[str, int]:
    """Write every entry of the index of words anew, in the order of their numbers, and drop those without a record."""
    if run.reindex and run.position is None:
        vectors.reindex(run.db)
    after, total, written = int(run.position or -1), lexical.size(run.db), 0
    while rows := run.db.all("steps.numbers_after", after=after, limit=_BATCH):
        if run.enough():
            run.stop(str(after))
            return {"reindexed": written}
        with run.db.write():
            upkeep.index_anew(run.db, [row["id"] for row in rows])
        after, written = rows[-1]["n"], written + len(rows)
        run.keep(str(after))
        run.tell(written, max(total, written))
    surplus = upkeep.surplus(run.db)
    with run.db.write():
        for n in surplus:
            run.db.run("lexical.delete", n=n)
        meta.put(run.db, pending_work.ANALYSIS, str(tokens.VERSION))
    return {"reindexed": written}


def embed(run: Run) -> Mapping[str, int]:
    """Make the vectors that are wanting and index them."""
    made = vectors.embed_waiting(run.db, run.config, run.tell, run.enough)
    run.flags = (*run.flags, *(flag for flag in made.flags if flag not in run.flags))
    if run.left() <= 0:
        run.stop()
    return {"embedded": made.made, "vectors_indexed": made.indexed}


def optimise(run: Run) -> Mapping[str, int]:
    """Put the pieces of the index of words together, a few pages a time, and fold the write-ahead log in."""
    merges = 0
    while merges < _MOST_MERGES and not run.enough() and _merge(run):
        merges += 1
    run.db.shorten_log()
    return {"merges": merges}


def _merge(run: Run) -> bool:
    """Whether there was anything to put together."""
    before = run.db.value("steps.changes")
    with run.db.write():
        run.db.run("steps.merge", pages=_PAGES)
    # One of the rows that are counted is the order itself.
    return int(run.db.value("steps.changes")) - int(before) >= 2
