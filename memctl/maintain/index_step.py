"""Rebuild and maintain what is derived from records: the full-text index and the vectors.

All of it in pieces for which no writer has to wait long.
"""

from __future__ import annotations

from memctl.maintain import pending_work
from memctl.maintain.run_state import MaintenanceRun
from memctl.retrieve import query_embedding, slot_vectors, vectors
from memctl.store import (
    derived_tables,
    lexical,
    lexical_repair,
    maintenance_steps,
    meta,
    turn_index,
    upkeep,
)
from memctl.text import tokens

# Index entries written in one transaction. Chosen by hand.
_BATCH = 25
# Index pages merged in one transaction, and the most transactions in one run. Chosen by hand.
_MERGED_PAGES = 64
_MAX_MERGES = 200


def rebuild_text_index(run: MaintenanceRun) -> None:
    """Write the entries of the full-text index that are missing or outdated, and drop those
    without a record.

    All are outdated after `--reindex`, or where another version made them. A damaged index is
    replaced by an empty one, which is then filled. Counts `reindexed` entries.
    """
    if not lexical_repair.is_whole(run.db):
        _replace_damaged_index(run)
    if lexical_repair.is_incomplete(run.db):
        _fill_index(run)
        return
    if not run.reindex and meta.get_note(run.db, pending_work.ANALYSIS) == str(tokens.VERSION):
        _rewrite_outdated(run)
        return
    if run.reindex and run.position is None:
        vectors.reset_index(run.db)
    last_number = int(run.position or -1)
    total = lexical.count_indexed(run.db)
    while batch := maintenance_steps.list_numbers_after(run.db, last_number, _BATCH):
        if run.must_stop():
            run.stop(str(last_number))
            return
        with run.db.write():
            upkeep.rewrite_entries(run.db, [memory_id for _, memory_id in batch])
        last_number = batch[-1][0]
        run.count("reindexed", len(batch))
        run.save_position(str(last_number))
        done = run.work.counts["reindexed"]
        run.report_progress(done, max(total, done))
    _drop_surplus(run)
    derived_tables.drop_replaced(run.db, run.must_stop)


def _rewrite_outdated(run: MaintenanceRun) -> None:
    """Write the entries that differ from their records, in short transactions."""
    outdated, with_old_names = upkeep.find_drifted(run.db)
    ids = list(dict.fromkeys((*upkeep.find_unindexed(run.db), *outdated, *with_old_names)))
    for start in range(0, len(ids), _BATCH):
        if run.must_stop():
            run.stop()
            return
        batch = ids[start : start + _BATCH]
        with run.db.write():
            upkeep.rewrite_entries(run.db, batch)
        run.count("reindexed", len(batch))
        run.report_progress(start + len(batch), len(ids))
    _drop_surplus(run)


def _replace_damaged_index(run: MaintenanceRun) -> None:
    """Replace an index that cannot be relied on; one that only lacks entries is filled up."""
    is_sound = lexical_repair.is_sound(run.db)
    with run.db.write():
        if not is_sound:
            lexical_repair.replace_index(run.db)
        else:
            lexical_repair.note_incomplete(run.db)


def _fill_index(run: MaintenanceRun) -> None:
    """Write the entries that the index lacks, in short transactions; then drop the old index."""
    total = lexical_repair.count_records(run.db)
    last_number = -1
    while batch := lexical_repair.list_missing(run.db, last_number, _BATCH):
        if run.must_stop():
            run.stop()
            return
        with run.db.write():
            upkeep.rewrite_entries(run.db, [memory_id for _, memory_id in batch])
        last_number = batch[-1][0]
        run.count("reindexed", len(batch))
        done = run.work.counts["reindexed"]
        run.report_progress(done, max(total, done))
    _drop_surplus(run)
    with run.db.write():
        lexical_repair.note_complete(run.db)
    derived_tables.drop_replaced(run.db, run.must_stop)


def _drop_surplus(run: MaintenanceRun) -> None:
    upkeep.drop_surplus(run.db)
    with run.db.write():
        meta.put_note(run.db, pending_work.ANALYSIS, str(tokens.VERSION))


def embed_records(run: MaintenanceRun) -> None:
    """Make the vectors that are missing and index them, then the slot vectors.

    Counts `embedded`, `vectors_indexed`, `slots_read`.
    """
    embedded = vectors.embed_waiting(run.db, run.config, run.report_progress, run.must_stop)
    run.count("embedded", embedded.made)
    run.count("vectors_indexed", embedded.indexed)
    slots = slot_vectors.make_waiting(run.db, run.config, run.report_progress, run.must_stop)
    run.count("slots_read", slots.made)
    unread = () if query_embedding.NO_VECTORS in embedded.flags else slots.flags
    told = dict.fromkeys((*run.flags, *embedded.flags, *unread))
    run.flags = tuple(told)


def merge_text_index(run: MaintenanceRun) -> None:
    """Merge the pieces of the full-text indexes, then fold the write-ahead log into the store.

    Counts `merges`.
    """
    for merge_pages in (maintenance_steps.merge_index_pages, turn_index.merge_pages):
        for _ in range(_MAX_MERGES):
            if run.must_stop():
                break
            if not merge_pages(run.db, _MERGED_PAGES):
                break
            run.count("merges")
    run.db.shorten_log()
