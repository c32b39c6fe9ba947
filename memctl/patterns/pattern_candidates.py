"""Propose patterns of a project's sessions as candidates, with their episodes behind them, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memctl.consolidate import apply
from memctl.core import clock, timestamps
from memctl.core.bounded_work import BoundedWork
from memctl.core.frozen import replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import OPERATOR_SAID, OWNER_OF, TOOL_RESULT, Evidence, Memory, Span, Turn
from memctl.extract import named_things
from memctl.patterns import said_again, session_traits, wording
from memctl.patterns.mining import (
    ASKED,
    FIX,
    SAME_OVERLAP,
    STEPS,
    TOGETHER,
    Occurrence,
    Pattern,
    PatternThreshold,
    compute_overlap,
    find_patterns,
)
from memctl.patterns.session_traits import SessionTraits
from memctl.records import drafts, quality, relations
from memctl.redact.redactor import Redactor, make_redactor
from memctl.settings.config import Config
from memctl.store import entities, event_log, evidence, links, records, sources, tombstones
from memctl.store import patterns as store
from memctl.store.database import Database, Row

ACTOR = "maintain"
CAUSE = "tiers"
RULES = (STEPS, FIX, TOGETHER, ASKED)
# The newest sessions of a project that are read. Chosen by hand.
_MAX_SESSIONS = 120
# Sessions quoted and sessions linked for one pattern; characters of a joined quote. By hand.
_MAX_QUOTED_SESSIONS = 6
_MAX_PARENTS = 12
_MAX_QUOTE_LENGTH = 200
_LIVING_STATUSES = ("active", "contradicted", "inbox")
_QUOTED_PART = compile_later(r"`([^`\n]{2,200})`")


def propose_patterns(db: Database, config: Config, work: BoundedWork, *, since: str | None) -> None:
    """Propose what recurs in every project whose sessions changed since a time.

    Counts patterns that were `proposed`, `corroborated`, `known` already or `muted`.
    """
    work.counts.update(proposed=0, corroborated=0, known=0, muted=0)
    if not config["patterns.sessions"]:
        return
    enough = PatternThreshold(config["patterns.sessions"], config["patterns.days"])
    for project_id in store.list_projects(db, since):
        if work.must_stop():
            return
        reader = SessionReader(db)
        sessions = reader.read_sessions(project_id, config["patterns.window_days"])
        said_again.propose_said_again(db, config, reader.said, work, CAUSE)
        for pattern in find_patterns(sessions, enough):
            if work.must_stop():
                return
            with db.write(), event_log.group_changes(db, actor=ACTOR, cause=CAUSE):
                result = _propose_pattern(db, project_id, pattern, reader, make_redactor(config))
            work.count(result)


class SessionReader:
    """The sessions of a project, read once, and the turns that quotes come from."""

    def __init__(self, db: Database) -> None:
        self.db = db
        # What people plainly said there and no record says.
        self.said: list[said_again.SaidOnce] = []
        self._times: dict[tuple[str, int], str] = {}
        self._roles: dict[tuple[str, int], str] = {}
        self._texts: dict[tuple[str, int], str] = {}

    def read_sessions(self, project_id: str, days: float) -> list[SessionTraits]:
        """The sessions of the last so many days before the newest, oldest first.

        Forks and sub-agents share an origin with their session.
        """
        newest = store.list_sessions(self.db, project_id, _MAX_SESSIONS)
        rows = [
            row for row in newest if timestamps.days_between(row["at"], newest[0]["at"]) <= days
        ]
        turns = {row["source"]: sources.read_turns(self.db, row["source"]) for row in rows}
        origins = _find_origins(rows, turns)
        self.said = [
            said
            for row in rows
            for said in said_again.list_said(
                self.db, row["source"], turns[row["source"]], origins[row["session_id"]], row["at"]
            )
        ]
        found = [
            self._read_traits(row, turns[row["source"]], origins[row["session_id"]]) for row in rows
        ]
        return sorted(found, key=lambda session: (session.at, session.id))

    def build_evidence(
        self, memory_id: str, seen: Occurrence, span: Span, trust: int, now: str
    ) -> Evidence:
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

    def join_spans(self, seen: Occurrence, spans: Sequence[Span]) -> list[Span]:
        """Join spans of one turn that are close to each other; others stay as they are."""
        turn = spans[0].turn
        low, high = min(span.start for span in spans), max(span.end for span in spans)
        if any(span.turn != turn for span in spans) or high - low > _MAX_QUOTE_LENGTH:
            return list(spans)
        return [Span(turn, low, high, self._texts[seen.session.source, turn][low:high])]

    def _read_traits(self, row: Row, turns: list[Turn], origin: str) -> SessionTraits:
        opening = self._find_opening(row)
        ask, ask_words = session_traits.find_request(turns, opening)
        made = SessionTraits(
            id=row["session_id"],
            origin=origin,
            at=row["at"],
            episode=row["episode"],
            trust=row["trust"],
            source=row["source"],
            steps=session_traits.list_working_commands(turns),
            ways_out=session_traits.list_error_fixes(turns),
            files=session_traits.list_changed_files(turns, row["cwd"]),
            ask=ask,
            ask_words=ask_words,
        )
        self._remember_turns(made, turns)
        return made

    def _find_opening(self, row: Row) -> Span | None:
        """The words with which a session begins, as its episode quotes them."""
        proof = evidence.list_of_memory(self.db, row["episode"])
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

    def _remember_turns(self, session: SessionTraits, turns: Sequence[Turn]) -> None:
        spans = [step.span for step in session.steps] + [
            span for way in session.ways_out for span in way.spans
        ]
        for span in (*spans, *session.files.values(), *([session.ask] if session.ask else [])):
            key = (session.source, span.turn)
            turn = turns[span.turn]
            self._times[key] = turn.ts or ""
            self._roles[key] = turn.role
            self._texts[key] = turn.text


def _find_origins(rows: Sequence[Row], turns: Mapping[str, Sequence[Turn]]) -> dict[str, str]:
    """Find what each session goes back to.

    That is the session it was forked or started from, or the one whose first words it repeats.
    """
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
    return {session: _find_root(session, parents) for session in parents}


def _find_root(session: str, parents: Mapping[str, str | None]) -> str:
    passed = {session}
    while (parent := parents.get(session)) and parent not in passed:
        passed.add(session := parent)
    return session


def _propose_pattern(
    db: Database, project_id: str, pattern: Pattern, reader: SessionReader, redactor: Redactor
) -> str:
    """Propose one pattern; the result is `proposed`, `corroborated`, `known` or `muted`."""
    if quality.is_muted(db, pattern.rule):
        return "muted"
    parts = {*pattern.parts, *pattern.files}
    for known in store.list_derived(db, project_id, RULES):
        if (
            compute_overlap(
                set(_QUOTED_PART.findall(known.content)) - {pattern.of, pattern.error}, parts
            )
            >= SAME_OVERLAP
        ):
            same = known.rule == pattern.rule and known.content == drafts.clean_text(
                wording.write_content(pattern), redactor
            )
            return (
                "corroborated"
                if same and _add_new_sessions(db, known, pattern, reader)
                else "known"
            )
    memory = _build_candidate(project_id, pattern, clock.now(), redactor)
    if (
        _is_recorded(db, project_id, pattern)
        or tombstones.find_tombstone(db, memory.fingerprint, []) is not None
    ):
        return "known"
    _insert_candidate(db, memory, pattern, reader)
    return "proposed"


def _is_recorded(db: Database, project_id: str, pattern: Pattern) -> bool:
    """Whether some record, living or archived, names everything this one would."""
    named = [*pattern.parts, *pattern.files] + ([pattern.of] if pattern.rule == FIX else [])
    return any(
        all(name in content for name in named) for content in store.list_statements(db, project_id)
    )


def _build_candidate(project_id: str, pattern: Pattern, now: str, redactor: Redactor) -> Memory:
    content = drafts.clean_text(wording.write_content(pattern), redactor)
    why = wording.write_reason(pattern)
    trust = min(seen.session.trust for seen in pattern.seen)
    return drafts.set_fingerprint(
        Memory(
            id=clock.new_id(),
            type="project",
            kind=wording.KINDS[pattern.rule],
            scope="project",
            status="inbox",
            title=drafts.clean_line(wording.write_title(pattern), redactor),
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


def _insert_candidate(
    db: Database, memory: Memory, pattern: Pattern, reader: SessionReader
) -> None:
    proof = [
        reader.build_evidence(memory.id, seen, span, memory.trust, memory.created_at)
        for place, seen in enumerate(_select_quoted(pattern.seen))
        for span in _list_quotes(pattern, seen, reader, whole=place == 0)
    ]
    named = named_things.find_entities(memory.content, None)
    first = drafts.set_fingerprint(_add_best_evidence(memory, proof))
    records.insert_record(
        db, first, actor=ACTOR, cause=CAUSE, verb="proposed", names=[ref.name for ref in named]
    )
    evidence.insert_evidence(db, proof)
    entities.attach_entities(db, memory.id, named, memory.created_at)
    for seen in pattern.seen[-_MAX_PARENTS:]:
        relations.add_link(
            db,
            memory.id,
            "derived_from",
            seen.session.episode,
            reason=memory.rationale,
            actor=ACTOR,
        )


def _add_best_evidence(memory: Memory, proof: Sequence[Evidence]) -> Memory:
    best = max(proof, key=lambda item: item.trust)
    return replace(memory, evidence_ref=best.id, trust=min(memory.trust, best.trust))


def _select_quoted(seen: Sequence[Occurrence]) -> list[Occurrence]:
    """The first and the last few sessions."""
    half = _MAX_QUOTED_SESSIONS // 2
    return list(seen) if len(seen) <= _MAX_QUOTED_SESSIONS else [*seen[:half], *seen[-half:]]


def _list_quotes(
    pattern: Pattern, seen: Occurrence, reader: SessionReader, *, whole: bool
) -> list[Span]:
    """What is quoted of one session: all its words if it is the first, else what tells most."""
    spans = reader.join_spans(seen, seen.spans)
    if whole or len(spans) == 1:
        return spans[:4]
    return spans[:1] if pattern.rule in (ASKED, FIX) else spans[-1:]


def _add_new_sessions(
    db: Database, memory: Memory, pattern: Pattern, reader: SessionReader
) -> bool:
    """Add the sessions that are new to a living record; False where it has them, or enough."""
    known = {
        link.to_id
        for link in links.list_of_memory(db, memory.id)
        if link.relation == "derived_from"
    }
    new = [
        seen
        for seen in pattern.seen
        if seen.session.episode not in known and seen.session.trust >= memory.trust
    ]
    if memory.status not in _LIVING_STATUSES or not new or len(known) >= _MAX_PARENTS:
        return False
    now, why = clock.now(), wording.write_reason(pattern)
    proof = [
        reader.build_evidence(
            memory.id, seen, _list_quotes(pattern, seen, reader, whole=False)[0], memory.trust, now
        )
        for seen in new
    ]
    apply.add_evidence(db, memory, proof[:_MAX_QUOTED_SESSIONS], actor=ACTOR, cause=CAUSE)
    for seen in new[: _MAX_PARENTS - len(known)]:
        relations.add_link(
            db, memory.id, "derived_from", seen.session.episode, reason=why, actor=ACTOR
        )
    return True
