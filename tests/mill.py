"""Invented sessions for tests of what repeats itself: commands with their results, files, and
words, straight into a store.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from invented import House

from memctl.core import clock, timestamps
from memctl.core.frozen import replace
from memctl.core.model import Evidence, Memory, Source, Turn
from memctl.store import evidence, records, sources

CWD = "/src/mill"


def ran(*commands: str) -> list[tuple[str, ...]]:
    """Commands that worked."""
    return [("ran", command) for command in commands]


def turns_of(at: str, things: Sequence[tuple[str, ...]]) -> list[Turn]:
    """Turns out of `(ran, command)`, `(failed, command, output)`, `(changed, file)`, `(asked,
    words)` and `(said, words)`.
    """
    turns: list[Turn] = []

    def add(role: str, kind: str, text: str, **more: object) -> None:
        ts = timestamps.add_seconds(at, seconds=len(turns))
        turns.append(Turn(len(turns), role, kind, text, ts, **more))  # type: ignore[arg-type]

    for number, (what, text, *rest) in enumerate(things):
        call = f"c{number}"
        if what in ("ran", "failed"):
            add("assistant", "tool_call", text, tool="Bash", call_id=call, data={"command": text})
            add(
                "tool",
                "tool_result",
                rest[0] if rest else "done",
                tool="Bash",
                call_id=call,
                ok=what == "ran",
            )
        elif what == "changed":
            name = f"{CWD}/{text}"
            add(
                "assistant",
                "tool_call",
                f"edit {name}",
                tool="Edit",
                call_id=call,
                data={"files": [name], "action": "edit"},
            )
            add("tool", "tool_result", "changed", tool="Edit", call_id=call, ok=True)
        else:
            add("human" if what == "asked" else "assistant", "text", text)
    return turns


class Mill(House):
    """A house whose project has sessions, each with its episode."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.config = replace(
            self.config, values={**self.config.values, "patterns.sessions": 3, "patterns.days": 3}
        )

    def session(
        self,
        day: str,
        *things: tuple[str, ...],
        agent: str = "codex",
        parent: str | None = None,
        trust: int = 2,
        id: str | None = None,
        ask: str = "Go on",
        done: str = "ground it all",
        project: str | None = None,
        turns: list[Turn] | None = None,
        told: str | None = None,
    ) -> Memory:
        """A session of a day (`2026-03-03`); its episode, which tells this or what was done."""
        at = f"{day}T09:00:00.000Z"
        made = turns or turns_of(at, [("asked", ask), *things])
        place = project or self.mill.id
        source = Source(
            clock.new_id(),
            "conversation",
            "codex",
            agent,
            id or clock.new_id(),
            1,
            "h",
            len(made),
            "t",
            3,
            at,
            clock.now(),
            parent_session_id=parent,
            cwd=CWD,
            project_id=place,
            started_at=at,
        )
        words = told or f"Asked: {ask}. Done: {done}. Files: src/stone.py, src/wheel.py."
        memory = self.made(
            words,
            type="episode",
            kind="summary",
            trust=trust,
            at=at,
            title=ask,
            source_ref=source.id,
            project_id=place,
        )
        now = clock.now()
        proof = Evidence(
            clock.new_id(), memory.id, ask, "human", trust, at, at, source.id, 0, 0, len(ask)
        )
        memory = replace(
            memory, evidence_ref=proof.id, updated_at=now, created_at=now, rule="episode"
        )
        with self.db.write():
            sources.insert_source(self.db, source)
            sources.add_turns(self.db, source.id, made, at)
            records.insert_record(self.db, memory, actor="maintain", cause="test")
            evidence.insert_evidence(self.db, [proof])
        return memory

    def derived(self, *rules: str) -> list[Memory]:
        """What was derived in the project, by some rules or by any of those that propose."""
        from memctl.patterns.pattern_candidates import RULES
        from memctl.store import patterns

        return patterns.list_derived(self.db, self.mill.id, rules or RULES)

    def derived_in(self, project_id: str) -> list[Memory]:
        """What was derived in another project."""
        from memctl.patterns.pattern_candidates import RULES
        from memctl.store import patterns

        return patterns.list_derived(self.db, project_id, RULES)

    def quotes_are_exact(self) -> None:
        """Assert that every quote of what was derived stands in its source, and that nothing
        outranks what it was derived from.
        """
        for memory in self.derived(
            *("tiers.steps", "tiers.fix", "tiers.together", "tiers.asked", "tiers.week")
        ):
            proof = evidence.list_of_memory(self.db, memory.id)
            assert proof and memory.trust <= max(item.trust for item in proof)
            for item in proof:
                if item.source_id is None or item.turn is None:
                    continue  # by hand
                assert (
                    sources.read_turns(self.db, item.source_id)[item.turn].text[
                        item.span_start : item.span_end
                    ]
                    == item.quote
                )
