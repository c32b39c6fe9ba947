"""What people and agents write is never read as what memctl wrote itself."""

from __future__ import annotations

import pytest
from bench import Bench

from memctl.consolidate import apply
from memctl.core.model import EntityRef, NewMemory
from memctl.curate import reconcile_notes
from memctl.records import drafts
from memctl.store import entity_lookup, event_log, links

FIRST, SECOND = "The kiln is fired on Monday", "Oats are sown in the yard in March"


def test_every_beginning_that_is_read_again_is_known() -> None:
    read = {links.DISMISSED, links.PROPOSED, links.WIDENED, apply.MERGED}
    read |= {reconcile_notes._CHANGED, reconcile_notes._GONE}
    assert read == {*drafts.OWN_BEGINNINGS}


@pytest.mark.parametrize("beginning", drafts.OWN_BEGINNINGS)
def test_a_reason_that_looks_like_memctls_own_is_marked_as_said(beginning: str) -> None:
    assert drafts.mark_as_said(f"{beginning}x") == f"said: {beginning}x"
    assert drafts.mark_as_said(f"I {beginning}") == f"I {beginning}"


def test_a_reason_by_hand_proposes_no_replacement(bench: Bench) -> None:
    first, second = bench.put(FIRST), bench.put(SECOND)
    reason = links.build_replacement_reason(first.id, "because I say so")
    bench.operator.records.link(first.id, "contradicts", second.id, reason=reason)
    link = links.find_between(bench.db, first.id, "contradicts", second.id)
    assert link is not None and links.find_proposed_successor(link) is None
    bench.check()


def test_an_agent_that_thinks_again_leaves_nothing_of_its_former_opinion(bench: Bench) -> None:
    (item,) = bench.agent.ingest([NewMemory("profile", FIRST, scope="global")]).items
    waiting = item.record.memory
    assert waiting.status == "inbox"
    for reason in ("it is old; nobody fires it; it broke", "it is wrong"):
        bench.agent.inbox.reject([waiting.id], reason=reason)
    noted = bench.get(waiting).status_reason or ""
    assert noted.endswith("; agent:claude-code would reject it: it is wrong")
    assert "nobody fires it" not in noted and "it broke" not in noted


def test_a_name_with_a_bar_in_it_is_undone_like_any_other(bench: Bench) -> None:
    bench.put("Sixta Ellern has the key", entities=(EntityRef("person", "Sixta Ellern"),))
    bench.operator.entities.alias("Sixta Ellern", "ops|on call")
    row = bench.db.one("entities.find", kind="person", name="Sixta Ellern")
    assert row is not None
    newest = event_log.list_about(bench.db, row["id"])[-1]
    bench.operator.revert(str(newest.seq))
    assert entity_lookup.list_aliases(bench.db, [row["id"]]) == {}
    bench.check()
