"""What links do to scored records: what applies to a strong hit rises with it, what superseded a
matching record rises in its place.

Of two records that contradict each other the later one comes first. Only what the caller may be
given comes in by a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memctl.core.model import Link, Memory
from memctl.records.record_source import RecordSource
from memctl.retrieve import candidates, order, score
from memctl.retrieve.prepared_query import PreparedQuery
from memctl.retrieve.score import ScoredRecord

# So many of the best are looked at for what they are linked with; chosen by latency.
_HEADS = 12


class LinkBoosts:
    """The scored records of one query while links raise them and bring others in; `items` by id,
    `newer_of` as `apply_links` gives it.
    """

    def __init__(
        self,
        source: RecordSource,
        prepared: PreparedQuery,
        items: Iterable[ScoredRecord],
        heads: Mapping[str, ScoredRecord],
    ) -> None:
        self.source, self.prepared, self.heads = source, prepared, heads
        self.items = {item.memory.id: item for item in items}
        self.newer_of: dict[str, list[str]] = {}

    def boost_linked(self, links: Sequence[Link]) -> None:
        """Raise what applies to or supports a strong hit, or is supported by it."""
        boosting = [link for link in links if link.relation in score.BOOSTING_RELATIONS]
        self._add_missing({end for link in boosting for end in (link.from_id, link.to_id)})
        for link in boosting:
            for end, hit in ((link.from_id, link.to_id), (link.to_id, link.from_id)):
                if hit in self.heads and end in self.items:
                    self._boost(end, self.heads[hit], link.relation)

    def boost_successors(self, links: Sequence[Link]) -> None:
        """Raise what superseded a matching record to its relevance; chains are followed to their
        ends.
        """
        frontier, links_of_step = dict(self.heads), links
        while frontier:
            step = {}
            for link in links_of_step:
                if link.relation == "supersedes" and link.to_id in frontier:
                    step[link.from_id] = frontier[link.to_id]
                    self.newer_of.setdefault(link.to_id, []).append(link.from_id)
            self._add_missing(step)
            for memory_id in step.keys() & self.items.keys():
                self._boost(memory_id, step[memory_id], "supersedes")
            frontier = {
                memory_id: old
                for memory_id, old in step.items()
                if memory_id not in self.newer_of and memory_id not in self.heads
            }
            links_of_step = self.source.list_links(frontier) if frontier else []

    def note_later_opponents(self, links: Sequence[Link]) -> None:
        """Of two open opposites, note the later one as newer where it is trusted no less; the
        latest first.
        """
        pairs = []
        for link in links:
            if link.is_open_contradiction and {link.from_id, link.to_id} <= self.items.keys():
                sides = (self.items[link.from_id].memory, self.items[link.to_id].memory)
                old, new = sorted(sides, key=_get_last_confirmation)
                is_later = _get_last_confirmation(old) < _get_last_confirmation(new)
                if is_later and old.trust <= new.trust:
                    pairs.append((_get_last_confirmation(new), old.id, new.id))
        for _, old_id, new_id in sorted(pairs, key=lambda pair: pair[0], reverse=True):
            self.newer_of.setdefault(old_id, []).append(new_id)

    def _boost(self, memory_id: str, hit: ScoredRecord, relation: str) -> None:
        least = self.prepared.linking
        self.items[memory_id] = score.boost_by_link(self.items[memory_id], hit, relation, least)

    def _add_missing(self, ids: Iterable[str]) -> None:
        """Add records that neither words nor meaning found."""
        missing = set(ids) - self.items.keys()
        if not missing:
            return
        found = candidates.read_linked(self.source, self.prepared, missing)
        for item in score.score_candidates(found, self.prepared.terms, self.prepared.context):
            self.items[item.memory.id] = item


def apply_links(
    source: RecordSource,
    prepared: PreparedQuery,
    items: Sequence[ScoredRecord],
    superseded: Sequence[ScoredRecord],
) -> tuple[list[ScoredRecord], dict[str, list[str]]]:
    """The items with what rises or comes in by links, best first; and for each id the ids of what
    superseded or later contradicted it.

    `superseded` are records that match and may not be returned themselves.
    """
    heads = {item.memory.id: item for item in (*items[:_HEADS], *superseded[:_HEADS])}
    if not heads:
        return list(items), {}
    links = source.list_links(heads)
    boosts = LinkBoosts(source, prepared, items, heads)
    boosts.boost_linked(links)
    boosts.boost_successors(links)
    boosts.note_later_opponents(links)
    return order.sort_by_score(boosts.items.values()), boosts.newer_of


def _get_last_confirmation(memory: Memory) -> str:
    return max(memory.observed_at, memory.confirmed_at or "")
