"""What `memctl inbox` was asked to do: list, approve, reject, edit as YAML, or go through the candidates one by one."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from memctl.cli import prompts, yaml_editor
from memctl.cli.cli_results import ReviewReport
from memctl.cli.text.formatting import flatten, indent_lines
from memctl.cli.text.record_parts import (
    format_heading,
    format_location,
    format_proposal,
    format_quote,
)
from memctl.consolidate.similarity import similarity
from memctl.core.errors import RefusedByPolicy, UsageError
from memctl.core.model import Place, Query
from memctl.engine.memory_engine import MemoryEngine
from memctl.results.explanations import MemoryExplanation
from memctl.results.records import ChangeReport, Page, Proposal, RecordView
from memctl.store.records import Filter

DEFAULT_REASON = "rejected by the operator"
_KEYS = "[a]pprove  [r]eject  [e]dit  [s]kip  [q]uit:"
_PROPOSAL_KEYS = "[a]pprove  [r]eject  [s]kip  [q]uit:"
_HELP = "  a makes it active, r archives it for good, e opens it in your editor, s leaves it for later, q stops here."
_Step = Callable[..., ChangeReport]
# What is less like a candidate than this tells nothing about it.
_ALIKE = 0.4


@dataclass(frozen=True, slots=True)
class Request:
    """The options of one call; `more` are bare ids: those to approve or reject, or the only ones to edit or review."""

    approve: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    approve_all: bool = False
    reject_all: bool = False
    edit: bool = False
    review: bool = False
    reason: str | None = None
    dry_run: bool = False

    def checked(self) -> Request:
        """The request with bare ids put where they belong. Raises UsageError for options that exclude each other."""
        wholesale = [self.approve_all, self.reject_all, self.edit, self.review]
        if sum(wholesale) > (0 if self.approve or self.reject else 1):
            raise UsageError(
                "--approve-all, --reject-all, --edit and --review exclude each other and --approve or --reject"
            )
        if self.reason and not (self.reject or self.approve or self.reject_all):
            raise UsageError("--reason belongs to --reject, --reject-all or --approve")
        if not self.more or self.edit or self.review:
            return self
        if bool(self.approve) == bool(self.reject):
            raise UsageError(
                "what is to be done with these ids?",
                hint="say one of --approve, --reject, --edit and --review before them",
            )
        if self.approve:
            return replace(self, approve=self.approve + self.more, more=())
        return replace(self, reject=self.reject + self.more, more=())


def serve(
    engine: MemoryEngine, wanted: Filter, asked: Request, *, limit: int, offset: int
) -> Page | ChangeReport | ReviewReport:
    """Do what was asked and say what came of it. Raises UsageError, NotFound, RefusedByPolicy."""
    asked = asked.checked()
    if asked.approve_all:
        return engine.inbox.approve_all(wanted, dry_run=asked.dry_run)
    if asked.reject_all:
        waiting = [view.memory.id for view in engine.inbox.list(wanted, limit=-1).items]
        return (
            _reject(engine, waiting, asked.reason, dry_run=asked.dry_run)
            if waiting
            else ChangeReport("rejected", ())
        )
    if asked.approve or asked.reject:
        reports = list(_decide(engine, asked))
        return (
            reports[0] if len(reports) == 1 else ReviewReport(tuple(reports), dry_run=asked.dry_run)
        )
    page = engine.inbox.list(
        wanted, limit=-1 if asked.edit or asked.review else limit, offset=offset
    )
    if asked.more:
        page = replace(page, items=tuple(_waiting(engine, asked.more)), proposals=())
    if asked.edit:
        return _edit(engine, page, dry_run=asked.dry_run)
    return _review(engine, page) if asked.review else page


def _waiting(engine: MemoryEngine, ids: Iterable[str]) -> Iterator[RecordView]:
    """The candidates of these ids, each once. Raises NotFound, RefusedByPolicy for a record that does not wait."""
    for view in {view.memory.id: view for view in map(engine.records.show, ids)}.values():
        if view.memory.status != "inbox":
            raise RefusedByPolicy(
                f"{view.short} is not in the inbox: it is {view.memory.status}",
                hint="`memctl edit ID` changes any record",
            )
        yield view


def _decide(engine: MemoryEngine, asked: Request) -> Iterator[ChangeReport]:
    """Settle what the ids name, candidates and proposals alike."""
    declined, rejected = engine.inbox.split_proposals(asked.reject)
    accepted, approved = engine.inbox.split_proposals(asked.approve)
    no: list[_Step] = [partial(_reject, engine, rejected, asked.reason)] if rejected else []
    no += [partial(engine.inbox.decline_proposals, declined)] if declined else []
    yes: list[_Step] = [partial(engine.promote, approved, reason=asked.reason)] if approved else []
    yes += [partial(engine.inbox.accept_proposals, accepted)] if accepted else []
    if len(no) + len(yes) > 1:  # What cannot be done at all is said before anything is.
        _demand_apart(
            *({each for step in steps for each in _ids(step(dry_run=True))} for steps in (no, yes))
        )
    yield from (step(dry_run=asked.dry_run) for step in (*no, *yes))


def _ids(report: ChangeReport) -> Iterator[str]:
    yield from (view.memory.id for view in report.changed)
    yield from (proposal.id for proposal in report.proposals)


def _demand_apart(rejected: set[str], approved: set[str]) -> None:
    both = sorted(rejected & approved)
    if both:
        raise UsageError(f"{', '.join(both)} cannot be approved and rejected at once")


def _reject(
    engine: MemoryEngine, ids: Iterable[str], reason: str | None, *, dry_run: bool
) -> ChangeReport:
    if dry_run:
        return ChangeReport(
            "rejected", tuple(engine.records.show(one) for one in ids), dry_run=True
        )
    return engine.inbox.reject(ids, reason=reason or DEFAULT_REASON)


def _edit(engine: MemoryEngine, page: Page, *, dry_run: bool) -> ReviewReport:
    wishes = yaml_editor.inbox(page.items) if page.items else []
    kept = page.total - sum(wish.decision != "keep" or bool(wish.changes) for wish in wishes)
    return ReviewReport(tuple(_fulfil(engine, wishes, dry_run=dry_run)), kept=kept, dry_run=dry_run)


def _fulfil(
    engine: MemoryEngine, wishes: list[yaml_editor.Wish], *, dry_run: bool
) -> Iterator[ChangeReport]:
    for wish in wishes:
        if wish.changes:
            yield (
                ChangeReport("edited", (engine.records.show(wish.id),), dry_run=True)
                if dry_run
                else engine.records.edit(wish.id, wish.changes)
            )
    for wish in wishes:
        if wish.decision == "reject":
            yield _reject(engine, [wish.id], wish.reason, dry_run=dry_run)
    approved = [wish.id for wish in wishes if wish.decision == "approve"]
    if approved:
        yield engine.promote(approved, dry_run=dry_run)


def _review(engine: MemoryEngine, page: Page) -> ReviewReport:
    """One candidate after the other; each answer is carried out at once, so that stopping loses nothing."""
    if not prompts.is_person():
        raise UsageError(
            "--review needs you at a terminal", hint="use --approve, --reject or --edit"
        )
    if page.items or page.proposals:
        prompts.say("Each answer is carried out at once. Nothing that you skip is lost.")
    done: list[ChangeReport] = []
    goes_on = True
    for number, view in enumerate(page.items, 1):
        prompts.say("", f"{number} of {len(page.items)}", *_candidate(engine, view))
        reports, goes_on = _answer(engine, view)
        done += reports
        if not goes_on:
            break
    done += _proposals(engine, page.proposals) if goes_on else []
    settled = {
        change.memory.id
        for report in done
        for change in report.changed
        if change.memory.status != "inbox"
    }
    return ReviewReport(tuple(done), kept=page.total - len(settled))


def _proposals(engine: MemoryEngine, waiting: Sequence[Proposal]) -> Iterator[ChangeReport]:
    """What maintenance would do, one after the other."""
    for number, asked in enumerate(waiting, 1):
        prompts.say(
            "",
            f"proposal {number} of {len(waiting)}",
            format_proposal(asked),
            f"  {flatten(asked.reason)}",
        )
        key = prompts.ask(_PROPOSAL_KEYS).lower()[:1]
        if key == "a":
            yield engine.inbox.accept_proposals([asked.id])
        elif key == "r":
            yield engine.inbox.decline_proposals([asked.id])
        elif key == "q":
            return


def _answer(engine: MemoryEngine, view: RecordView) -> tuple[list[ChangeReport], bool]:
    """What the person's keys did with one candidate, and whether to go on to the next."""
    done: list[ChangeReport] = []
    record_id = view.memory.id
    while True:
        key = prompts.ask(_KEYS).lower()[:1]
        if key == "a":
            return [*done, _approve(engine, record_id)], True
        if key == "r":
            return [
                *done,
                engine.inbox.reject(
                    [record_id], reason=prompts.ask("Why? (Enter for no reason)") or DEFAULT_REASON
                ),
            ], True
        if key in ("s", "q"):
            return done, key == "s"
        if key == "e":
            changes = yaml_editor.record(engine.records.show(record_id))
            done += [engine.records.edit(record_id, changes)] if changes else []
        else:
            prompts.say(_HELP)


def _approve(engine: MemoryEngine, record_id: str) -> ChangeReport:
    """Approve one; a decision without its reason gets one, and what is refused all the same is said at once."""
    memory = engine.records.show(record_id).memory
    why = (
        prompts.ask("Why was it decided so?")
        if memory.type == "decision" and not memory.rationale
        else ""
    )
    report = engine.promote([record_id], reason=why or None)
    prompts.say(*(f"  refused: {refusal.reason}" for refusal in report.refused))
    return report


def _candidate(engine: MemoryEngine, view: RecordView) -> Iterator[str]:
    memory = view.memory
    yield f"{view.short}  {memory.type}/{memory.kind}  {format_location(view)}  confidence {memory.confidence:.2f}"
    explained = engine.explain(memory.id)
    checks = explained.evidence if isinstance(explained, MemoryExplanation) else ()
    if flatten(memory.content) not in {flatten(check.evidence.quote) for check in checks}:
        yield from indent_lines(memory.content)
    for check in checks:
        source = (
            f"; {check.source.agent} session {check.source.session_id}, turn {check.evidence.turn}"
            if check.source
            else ""
        )
        yield f"  {format_quote(check.evidence)}{source}" + (
            "" if check.state in ("intact", "manual") else f"; evidence {check.state}"
        )
    if memory.rationale:
        yield f"  because: {flatten(memory.rationale)}"
    near = _nearest(engine, view)
    if near is not None:
        yield f"  nearest: {format_heading(near)}"
        yield f"  {word_diff(near.memory.content, memory.content)}"


def _nearest(engine: MemoryEngine, view: RecordView) -> RecordView | None:
    """The statement that a candidate is most like, if one is alike; an account of a session is no statement."""
    place = Place(view.memory.project_id, view.memory.repo_id)
    found = engine.search(Query(view.memory.content, place=place, include=("inbox",), limit=8))
    others = [
        hit.record
        for hit in found.items
        if hit.record.memory.id != view.memory.id and hit.record.memory.type != "episode"
    ]
    scored = [(similarity(other.memory.content, view.memory.content), other) for other in others]
    best, nearest = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return nearest if best >= _ALIKE else None


def word_diff(old: str, new: str) -> str:
    """Two texts as one line: `[-gone-]` and `{+new+}` words between those that stayed."""
    before, after = old.split(), new.split()
    pieces: list[str] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            pieces += before[i1:i2]
            continue
        pieces += [f"[-{' '.join(before[i1:i2])}-]"] if i2 > i1 else []
        pieces += [f"{{+{' '.join(after[j1:j2])}+}}"] if j2 > j1 else []
    return " ".join(pieces)
