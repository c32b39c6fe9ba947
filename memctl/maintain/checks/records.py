"""Checks of what is stored: hashes, event log, full-text index, citations, pins, projects."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.frozen import replace
from memctl.curate import pinning
from memctl.history import rebuild
from memctl.maintain.checks.finding import (
    MAX_LISTED,
    RESTORE_CURE,
    Finding,
    find_faults,
    make_note,
    make_ok,
    make_problem,
)
from memctl.records import projects, quality
from memctl.retrieve import slot_vectors, vectors
from memctl.settings.config import Config
from memctl.store import (
    checksums,
    citations,
    context_records,
    derived_tables,
    event_log,
    feedback,
    row_checks,
    turn_index,
    unfinished,
    upkeep,
)
from memctl.store.database import Database


def check_hashes(db: Database, _config: Config) -> Iterator[Finding]:
    """Records and quotes match their hashes."""
    yield find_faults(
        "record_hashes",
        upkeep.find_damaged_records(db),
        ok="every record matches its hash",
        label="damaged records",
        cure=RESTORE_CURE,
    )
    yield find_faults(
        "evidence_hashes",
        upkeep.find_damaged_quotes(db),
        ok="every quote matches its hash",
        label="damaged quotes",
        cure=RESTORE_CURE,
    )


def check_rows(db: Database, _config: Config) -> Iterator[Finding]:
    """Every other row that holds content matches its checksum."""
    wrong = [row for table in checksums.TABLES for row in row_checks.find_wrong_rows(db, table)]
    conversations = [row for row in wrong if row.table in ("sources", "source_parts")]
    yield find_faults(
        "conversations",
        list(dict.fromkeys(row.key[0] for row in conversations)),
        ok="every stored conversation matches its checksum",
        label="damaged conversations",
        cure="`memctl restore` brings a backup back; `memctl purge --source ID` removes one",
    )
    others = [row.describe() for row in wrong if row not in conversations]
    yield find_faults(
        "rows",
        others,
        ok="every other row matches its checksum",
        label="rows that were changed by something else",
        cure=RESTORE_CURE,
    )


def check_votes(db: Database, _config: Config) -> Iterator[Finding]:
    """Records count the votes that were given."""
    yield find_faults(
        "votes",
        feedback.list_miscounted(db),
        ok="every record counts its votes",
        label="records that count other votes than were given",
        cure=RESTORE_CURE,
    )


def check_event_log(db: Database, _config: Config) -> Iterator[Finding]:
    """The hash chain of the event log is intact."""
    if unfinished.list_operations(db, "purge"):
        detail = "its hash chain is computed anew at the end of the purge that is not finished"
        yield make_note("event_log", detail, "`memctl maintain --step finish` finishes it")
        return
    yield find_faults(
        "event_log",
        event_log.find_broken_links(db),
        ok="the hash chain of the event log is intact",
        label="breaks in the event log, at",
        cure=RESTORE_CURE,
    )


def check_history(db: Database, _config: Config) -> Iterator[Finding]:
    """What is stored follows from the event log."""
    differing = [f"{each.item} ({each.topic} {each.what})" for each in rebuild.find_differences(db)]
    yield find_faults(
        "history",
        differing,
        ok="all records agree with the event log",
        label="records that differ from the event log",
        cure="look at them with `memctl explain`; "
        "`memctl maintain --rebuild-from-history` sets them to what the event log says",
    )


def check_index(db: Database, _config: Config) -> Iterator[Finding]:
    """The full-text index holds exactly what the records say."""
    if not upkeep.index_is_sound(db):
        yield _report_damaged_index(db)
        return
    outdated, with_old_names = upkeep.find_drifted(db)
    counts = {
        "missing": len(upkeep.find_unindexed(db)),
        "without a record": len(upkeep.find_surplus(db)),
        "outdated": len(outdated),
    }
    faults = [f"{count} {what}" for what, count in counts.items() if count]
    # An entity's old name only makes a record easier to find.
    make_finding = make_problem if faults else make_note
    if with_old_names:
        faults.append(f"{len(with_old_names)} with older names of entities")
    if not faults:
        yield make_ok("index", "the full-text index agrees with the records")
        return
    listed = ", ".join(faults)
    number = sum(counts.values()) + len(with_old_names)
    cure = f"`memctl doctor --repair` or `memctl maintain` rewrites {number} entries"
    finding = make_finding("index", f"entries of the full-text index: {listed}", cure)
    yield replace(
        finding,
        repaired=f"repaired the full-text index: {listed}",
        repair=lambda: upkeep.mend_index(db),
    )


def check_turns(db: Database, _config: Config) -> Iterator[Finding]:
    """The index of captured turns is sound; what it lacks is only not indexed yet."""
    if turn_index.is_healthy(db) and turn_index.is_sound(db):
        waiting = turn_index.count_waiting(db)
        later = f"; {waiting} conversations are not indexed yet" if waiting else ""
        yield make_ok("turns", f"the index of captured turns is sound{later}")
        return
    detail = "the index of captured turns is damaged or outdated; no turn is harmed"
    cure = "`memctl maintain --step turns` or `memctl doctor --repair` makes it anew from the turns"
    yield replace(
        make_problem("turns", detail, cure),
        repaired="made the index of captured turns anew",
        repair=lambda: _renew_turn_index(db),
    )


def _renew_turn_index(db: Database) -> None:
    with db.write():
        turn_index.replace_index(db)
    for source_id in turn_index.list_waiting(db):
        turn_index.fill_source(db, source_id, lambda: False)
    derived_tables.drop_replaced(db)


def _report_damaged_index(db: Database) -> Finding:
    detail = "the full-text index is damaged in itself; no record is harmed"
    cure = "`memctl maintain` or `memctl doctor --repair` makes it anew from the records"
    return replace(
        make_problem("index", detail, cure),
        repaired="made the full-text index anew from the records",
        repair=lambda: upkeep.mend_index(db),
    )


def check_muted_rules(db: Database, _config: Config) -> Iterator[Finding]:
    """Muted rules: nothing is wrong, but whoever misses something ought to know."""
    rules = quality.list_muted_rules(db)
    if not rules:
        yield make_ok("muted_rules", "no extraction rule is muted")
        return
    detail = f"muted extraction rules: {', '.join(rule.rule for rule in rules)}"
    waiting = sum(rule.waiting for rule in rules)
    if waiting:
        detail += f"; {waiting} of their candidates are still in the inbox"
    cure = "`memctl stats quality` says why; `--unmute RULE` lets one propose again"
    yield make_note("muted_rules", detail, cure)


def check_projects(db: Database, _config: Config) -> Iterator[Finding]:
    """No two projects may be the same one."""
    pairs = projects.list_doubts(db)
    if not pairs:
        yield make_ok("projects", "no two projects look alike")
        return
    number = "1 pair of projects" if len(pairs) == 1 else f"{len(pairs)} pairs of projects"
    told = "; ".join(
        f"{pair.root_path or pair.name} may be {pair.other_name}, {pair.why}"
        for pair in pairs[:MAX_LISTED]
    )
    more = "; ..." if len(pairs) > MAX_LISTED else ""
    detail = f"{number} may be the same project: {told}{more}"
    yield make_note("projects", detail, "`memctl project settle`")


def check_vectors(db: Database, config: Config) -> Iterator[Finding]:
    """The embedding model, how many records have vectors, their index, and the pair reader."""
    yield from map(Finding, vectors.check_vectors(db, config))
    yield from map(Finding, slot_vectors.check_reader(db, config))


def check_citations(db: Database, _config: Config) -> Iterator[Finding]:
    """What records cite was there when maintenance last looked for it."""
    ids = citations.list_with_missing(db)
    if not ids:
        yield make_ok("citations", "all cited files and commands that were seen still exist")
        return
    listed = ", ".join(_list_missing_citations(db, ids[:MAX_LISTED]))
    number = "1 record cites" if len(ids) == 1 else f"{len(ids)} records cite"
    more = " ..." if len(ids) > MAX_LISTED else ""
    cure = "`memctl correct`, `confirm` or `forget` them"
    yield make_note("citations", f"{number} what no longer exists: {listed}{more}", cure)


def _list_missing_citations(db: Database, ids: list[str]) -> Iterator[str]:
    for memory_id, short_id in context_records.shorten_ids(db, ids).items():
        cited = citations.list_of_memory(db, memory_id)
        missing = [citation.value for citation in cited if citation.state == "missing"]
        yield f"{short_id} ({', '.join(missing)})"


def check_pins(db: Database, config: Config) -> Iterator[Finding]:
    """What contexts must begin with leaves room for anything else."""
    over_budget = list(pinning.list_over_budget(db, config))
    for sentence in over_budget:
        yield make_note("pins", sentence, "`memctl unpin ID`, or a larger context.always_budget")
    if not over_budget:
        yield make_ok("pins", "pinned records fit into context.always_budget")
