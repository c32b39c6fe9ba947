"""What repeats itself in a project becomes a candidate with its episodes behind it, once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memctl.consolidate import apply
from memctl.core import clock, timestamps
from memctl.core.bounded_work import BoundedWork
from memctl.core.frozen import replace
from memctl.core.model import OPERATOR_SAID, OWNER_OF, TOOL_RESULT, Evidence, Memory, Span, Turn
from memctl.extract import build
from memctl.patterns import session_traits, wording
from memctl.patterns.mining import (
    ASKED,
    FIX,
    SAME,
    STEPS,
    TOGETHER,
    Enough,
    Pattern,
    Seen,
    patterns,
    share,
)
from memctl.patterns.session_traits import Session
from memctl.records import drafts, quality, relations
from memctl.redact.redactor import Redactor, make_redactor
from memctl.settings.config import Config
from memctl.store import entities, event_log, evidence, links, records, sources, tombstones
from memctl.store import patterns as store
from memctl.store.database import Database, Row

ACTOR, CAUSE = "maintain", "tiers"
RULES = (STEPS, FIX, TOGETHER, ASKED)
_MOST_SESSIONS, _MOST_QUOTED, _MOST_PARENTS, _LONGEST_QUOTE = 120, 6, 12, 200
_LIVING = ("active", "contradicted", "inbox")
_TICKED = re.compile(r"`([^`\n]{2,200})`")


def propose_patterns(db: Database, config: Config, work: BoundedWork, *, since: str | None) -> None:
    """Propose what recurs in every project whose sessions changed since a time.

    Counts patterns that were `proposed`, `corroborated`, `known` already or `muted`.
    """
    work.counts.update(proposed=0, corroborated=0, known=0, muted=0)
    if not config["tiers.sessions"]:
        return
    enough = Enough(config["tiers.sessions"], config["tiers.days"])
    for project_id in store.projects(db, since):
        if work.must_stop():
            return
        read = Reading(db)
        for pattern in patterns(read.sessions(project_id, config["tiers.window_days"]), enough):
            if work.must_stop():
                return
            with db.write(), event_log.operation(db, actor=ACTOR, cause=CAUSE):
                result = _one(db, project_id, pattern, read, make_redactor(config))
            work.count(result)


class Reading:
    """The sessions of a project, read once, with the time of each turn that is quoted."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self._times: dict[tuple[str, int], str] = {}
        self._roles: dict[tuple[str, int], str] = {}
        self._texts: dict[tuple[str, int], str] = {}

    def sessions(self, project_id: str, days: float) -> list[Session]:
        """The sessions of the last so many days (before the newest), oldest first; forks and helpers share an origin with their session."""
        newest = store.sessions(self.db, project_id, _MOST_SESSIONS)
        rows = [
            row for row in newest if timestamps.days_between(row["at"], newest[0]["at"]) <= days
        ]
        turns = {row["source"]: sources.turns_of(self.db, row["source"]) for row in rows}
        origins = _origins(rows, turns)
        found = [
            self._session(row, turns[row["source"]], origins[row["session_id"]]) for row in rows
        ]
        return sorted(found, key=lambda session: (session.at, session.id))

    def evidence(self, memory_id: str, seen: Seen, span: Span, trust: int, now: str) -> Evidence:
        """The words of one span as evidence of a record."""
        place = (seen.session.source, span.turn)
        role = self._roles[place]
        own = min(trust, OPERATOR_SAID if role == "human" else TOOL_RESULT, seen.session.trust)
        return Evidence(
            clock.new_id(),
            memory_id,
            span.quote,
            role,
            own,
            self._times[place] or seen.session.at,
            now,
            source_id=seen.session.source,
            turn=span.turn,
            span_start=span.start,
            span_end=span.end,
        )

    def joined(self, seen: Seen, spans: Sequence[Span]) -> list[Span]:
        """Spans of one turn that stand close as one; the others as they are."""
        turn = spans[0].turn
        low, high = min(span.start for span in spans), max(span.end for span in spans)
        if any(span.turn != turn for span in spans) or high - low > _LONGEST_QUOTE:
            return list(spans)
        return [Span(turn, low, high, self._texts[seen.session.source, turn][low:high])]

    def _session(self, row: Row, turns: list[Turn], origin: str) -> Session:
        opening = self._opening(row)
        ask, ask_words = session_traits.ask_of(turns, opening)
        made = Session(
            id=row["session_id"],
            origin=origin,
            at=row["at"],
            episode=row["episode"],
            trust=row["trust"],
            source=row["source"],
            steps=session_traits.steps_of(turns),
            ways_out=session_traits.ways_out_of(turns),
            files=session_traits.files_of(turns, row["cwd"]),
            ask=ask,
            ask_words=ask_words,
        )
        self._remember(made, turns)
        return made

    def _opening(self, row: Row) -> Span | None:
        """The words with which a session begins, as its episode knows them."""
        proof = evidence.of_memory(self.db, row["episode"])
        first = next(
            (
                item
                for item in proof
                if item.id == row["evidence_ref"] and item.source_id == row["source"]
            ),
            None,
        )
        if (
            first is None
            or first.turn is None
            or first.span_start is None
            or first.span_end is None
        ):
            return None
        return Span(first.turn, first.span_start, first.span_end, first.quote)

    def _remember(self, session: Session, turns: Sequence[Turn]) -> None:
        spans = [step.span for step in session.steps] + [
            span for way in session.ways_out for span in way.spans
        ]
        for span in (*spans, *session.files.values(), *([session.ask] if session.ask else [])):
            place = (session.source, span.turn)
            turn = turns[span.turn]
            self._times[place], self._roles[place], self._texts[place] = (
                turn.ts or "",
                turn.role,
                turn.text,
            )


def _origins(rows: Sequence[Row], turns: Mapping[str, Sequence[Turn]]) -> dict[str, str]:
    """What each session goes back to: the one it was forked or started from, or the one whose first words it repeats."""
    parents = {row["session_id"]: row["parent_session_id"] for row in rows}
    openings: dict[tuple[str, str], str] = {}
    for row in sorted(rows, key=lambda row: (row["at"], row["session_id"])):
        first = next(
            (turn for turn in turns[row["source"]] if turn.role == "human" and turn.ts), None
        )
        if first is not None and first.ts is not None:
            known = openings.setdefault((first.ts, first.text), row["session_id"])
            if known != row["session_id"] and not parents[row["session_id"]]:
                parents[row["session_id"]] = known
    return {session: _root(session, parents) for session in parents}


def _root(session: str, parents: Mapping[str, str | None]) -> str:
    passed = {session}
    while (parent := parents.get(session)) and parent not in passed:
        passed.add(session := parent)
    return session


def _one(db: Database, project_id: str, pattern: Pattern, read: Reading, redactor: Redactor) -> str:
    """Propose one pattern; what became of it: `proposed`, `corroborated`, `known` or `muted`."""
    if quality.is_muted(db, pattern.rule):
        return "muted"
    parts = {*pattern.parts, *pattern.files}
    for known in store.derived(db, project_id, RULES):
        if share(set(_TICKED.findall(known.content)) - {pattern.of, pattern.error}, parts) >= SAME:
            same = known.rule == pattern.rule and known.content == drafts.clean_text(
                wording.content(pattern), redactor
            )
            return "corroborated" if same and _corroborate(db, known, pattern, read) else "known"
    memory = _memory(project_id, pattern, clock.now(), redactor)
    if _is_told(db, project_id, pattern) or tombstones.find(db, memory.fingerprint, []) is not None:
        return "known"
    _insert(db, memory, pattern, read)
    return "proposed"


def _is_told(db: Database, project_id: str, pattern: Pattern) -> bool:
    """Whether some record, living or put away, names all that this one would."""
    named = [*pattern.parts, *pattern.files] + ([pattern.of] if pattern.rule == FIX else [])
    return any(all(name in content for name in named) for content in store.told(db, project_id))


def _memory(project_id: str, pattern: Pattern, now: str, redactor: Redactor) -> Memory:
    content, why = drafts.clean_text(wording.content(pattern), redactor), wording.reason(pattern)
    trust = min(seen.session.trust for seen in pattern.seen)
    return drafts.set_fingerprint(
        Memory(
            id=clock.new_id(),
            type="project",
            kind=wording.KINDS[pattern.rule],
            scope="project",
            status="inbox",
            title=drafts.clean_line(wording.title(pattern), redactor),
            content=content,
            summary=drafts.shorten(content, drafts.SUMMARY_LENGTH),
            owner=OWNER_OF["project"],
            source_kind="conversation",
            confidence=round(min(0.75, 0.4 + 0.05 * len(pattern.seen)), 2),
            trust=trust,
            observed_at=max(seen.session.at for seen in pattern.seen),
            fingerprint="",
            created_at=now,
            updated_at=now,
            project_id=project_id,
            subject=drafts.normalise_subject(
                pattern.error or (pattern.of if pattern.rule == ASKED else None), redactor
            ),
            rationale=why,
            source_ref=f"derived:{pattern.rule}",
            rule=pattern.rule,
        )
    )


def _insert(db: Database, memory: Memory, pattern: Pattern, read: Reading) -> None:
    proof = [
        read.evidence(memory.id, seen, span, memory.trust, memory.created_at)
        for place, seen in enumerate(_few(pattern.seen))
        for span in _quoted(pattern, seen, read, whole=place == 0)
    ]
    named = build.entities(memory.content, None)
    first = drafts.set_fingerprint(_with_evidence(memory, proof))
    records.insert(
        db, first, actor=ACTOR, cause=CAUSE, verb="proposed", names=[ref.name for ref in named]
    )
    evidence.insert(db, proof)
    entities.attach(db, memory.id, named, memory.created_at)
    for seen in pattern.seen[-_MOST_PARENTS:]:
        relations.add_link(
            db,
            memory.id,
            "derived_from",
            seen.session.episode,
            reason=memory.rationale,
            actor=ACTOR,
        )


def _with_evidence(memory: Memory, proof: Sequence[Evidence]) -> Memory:
    best = max(proof, key=lambda item: item.trust)
    return replace(memory, evidence_ref=best.id, trust=min(memory.trust, best.trust))


def _few(seen: Sequence[Seen]) -> list[Seen]:
    """The first and the last few."""
    half = _MOST_QUOTED // 2
    return list(seen) if len(seen) <= _MOST_QUOTED else [*seen[:half], *seen[-half:]]


def _quoted(pattern: Pattern, seen: Seen, read: Reading, *, whole: bool) -> list[Span]:
    """What is quoted of one session: all its words of the first, of the others what tells most."""
    spans = read.joined(seen, seen.spans)
    if whole or len(spans) == 1:
        return spans[:4]
    return spans[:1] if pattern.rule in (ASKED, FIX) else spans[-1:]


def _corroborate(db: Database, memory: Memory, pattern: Pattern, read: Reading) -> bool:
    """Let a living candidate or record gain the sessions that are new; False where it has them, or enough."""
    known = {
        link.to_id for link in links.of_memory(db, memory.id) if link.relation == "derived_from"
    }
    new = [
        seen
        for seen in pattern.seen
        if seen.session.episode not in known and seen.session.trust >= memory.trust
    ]
    if memory.status not in _LIVING or not new or len(known) >= _MOST_PARENTS:
        return False
    now, why = clock.now(), wording.reason(pattern)
    proof = [
        read.evidence(
            memory.id, seen, _quoted(pattern, seen, read, whole=False)[0], memory.trust, now
        )
        for seen in new
    ]
    apply.add_evidence(db, memory, proof[:_MOST_QUOTED], actor=ACTOR, cause=CAUSE)
    for seen in new[: _MOST_PARENTS - len(known)]:
        relations.add_link(
            db, memory.id, "derived_from", seen.session.episode, reason=why, actor=ACTOR
        )
    return True
