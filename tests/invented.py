"""A small invented store for tests of what is found and told; everything is written through the
store's own functions.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from memctl.core import clock
from memctl.core.frozen import replace
from memctl.core.model import OWNER_OF, Evidence, Link, Memory, Place, Project, Query, Relation
from memctl.results.retrieval import ContextReport, SearchReport, WhyNot
from memctl.retrieve import context, search, why_not
from memctl.settings import config
from memctl.store import evidence, links, projects, records
from memctl.store.migrate import open_store
from memctl.text.normalize import make_fingerprint

AT = "2026-03-01T09:00:00.000Z"


def _taken_away() -> dict[str, str]:
    """What `--without` takes away from a whole run of the tests."""
    return {
        name: value for name, value in os.environ.items() if name.startswith("MEMCTL_EMBEDDING_")
    }


class House:
    """An open store with one project, `mill`; times are fixed unless a test says otherwise."""

    def __init__(self, folder: Path) -> None:
        self.db = open_store(folder / "memory.db", create=True)
        self.config = config.load_config(
            folder / "memory.db", env={"HOME": str(folder), **_taken_away()}
        )
        self._last_id = ""
        self.mill = self.project("mill")

    @property
    def here(self) -> Place:
        """A caller in the mill."""
        return Place(self.mill.id)

    def project(self, name: str) -> Project:
        """One more project."""
        with self.db.write():
            return projects.insert(self.db, name, None, AT)

    def join(self, a: Project, b: Project) -> None:
        """Link two projects."""
        with self.db.write():
            projects.link(self.db, a.id, b.id, None, AT)

    def add(self, content: str, **changed: Any) -> Memory:
        """A record with these words: an active fact of the mill that the operator stated, unless
        said otherwise.
        """
        memory = self.made(content, **changed)
        with self.db.write():
            records.insert_record(self.db, memory, actor="operator", cause="test")
            quote = Evidence(
                clock.new_id(),
                memory.id,
                content,
                "human",
                memory.trust,
                memory.observed_at,
                memory.created_at,
            )
            evidence.insert_evidence(self.db, [quote])
        return memory

    def made(self, content: str, **changed: Any) -> Memory:
        """The record that `add` would store."""
        at, type_ = changed.pop("at", AT), changed.get("type", "project")
        scope = changed.get("scope", "global" if type_ == "profile" else "project")
        plain: dict[str, Any] = {
            "id": self._new_id(),
            "type": type_,
            "kind": "preference" if type_ == "profile" else "fact",
            "scope": scope,
            "status": "active",
            "title": content.split("\n")[0][:60] or "untitled",
            "content": content,
            "summary": content,
            "owner": OWNER_OF[type_],
            "source_kind": "manual",
            "confidence": 0.9,
            "trust": 5,
            "observed_at": at,
            "created_at": at,
            "updated_at": at,
            "fingerprint": make_fingerprint(content, scope),
            "project_id": self.mill.id if scope in ("project", "repo") else None,
        }
        return Memory(**plain | changed)

    def _new_id(self) -> str:
        """An id of a millisecond of its own, so that ten characters tell it from every other and
        a sentence can be compared whole.
        """
        while (fresh := clock.new_id())[:10] == self._last_id[:10]:
            pass
        self._last_id = fresh
        return fresh

    def change(self, memory: Memory, at: str, **changed: Any) -> Memory:
        """Change a record at a time."""
        new = replace(memory, updated_at=at, **changed)
        with self.db.write():
            records.replace_record(
                self.db, memory, new, verb="changed", actor="operator", cause="test"
            )
        return new

    def link(self, a: Memory, relation: Relation, b: Memory, at: str = AT) -> None:
        """Link two records."""
        with self.db.write():
            links.insert_link(self.db, Link(clock.new_id(), a.id, relation, b.id, "operator", at))

    def search(self, text: str, **wanted: Any) -> SearchReport:
        """A search from the mill."""
        return search.search(
            self.db, self.config, Query(text, **{"place": self.here, **wanted}), actor="operator"
        )

    def found(self, text: str, **wanted: Any) -> list[str]:
        """The contents that a search from the mill returns, best first."""
        return [hit.record.memory.content for hit in self.search(text, **wanted).items]

    def why_not(self, text: str, memory: Memory, **wanted: Any) -> WhyNot:
        """Why a record is not among the results of a search from the mill."""
        return why_not.explain_absence(
            self.db, self.config, Query(text, **{"place": self.here, **wanted}), memory.id
        )

    def context(self, **wanted: Any) -> ContextReport:
        """A context for the mill."""
        where = wanted.pop("place", self.here)
        return context.build_context(self.db, self.config, where, actor="agent:test", **wanted)


def told(report: ContextReport) -> list[str]:
    """The ids of everything that a context says, in its order."""
    return [item.id for section in report.sections for item in section.items]
