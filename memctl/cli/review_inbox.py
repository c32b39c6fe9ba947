"""The ways of `memctl inbox`: list, approve, reject, edit as YAML, or review one by one."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from memctl.cli import ask_place, prompts, yaml_editor
from memctl.cli.cli_results import ReviewReport
from memctl.cli.text.formatting import flatten, indent_lines
from memctl.cli.text.record_parts import (
    format_heading,
    format_location,
    format_proposal,
    format_quote,
    render_other_sides,
)
from memctl.core.errors import MemctlError, NotFound, UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Filter, Place
from memctl.engine.memory_engine import MemoryEngine
from memctl.results.explanations import EvidenceCheck, MemoryExplanation
from memctl.results.records import ChangeReport, Page, Proposal, RecordView

_CANDIDATE_KEYS = "[a]pprove  [r]eject  [e]dit  [p]roject  [s]kip  [q]uit:"
# Of one that stands against a record.
_DISPUTED_KEYS = "[a]pprove  [i]nstead  [b]oth hold  [r]eject  [e]dit  [p]roject  [s]kip  [q]uit:"
_PROPOSAL_KEYS = "[a]pprove  [r]eject  [s]kip  [q]uit:"
_HELP = (
    "  a makes it active, r archives it for good (`r REASON` says why), e opens it in your editor,"
    " s leaves it for later, p says which project it belongs to, q stops here. Of one that stands"
    " against a record: i approves it in that one's place, b keeps both in force."
)


@dataclass(frozen=True, slots=True)
class InboxOptions:
    """The options of one call.

    `more` are bare ids: those to approve or reject, or the only ones to edit or review. `project`
    and `scope` say where those to approve belong.
    """

    approve: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    approve_all: bool = False
    reject_all: bool = False
    edit: bool = False
    review: bool = False
    reason: str | None = None
    project: str | None = None
    scope: str | None = None
    dry_run: bool = False
    tags: tuple[str, ...] = ()

    def assign_bare_ids(self) -> InboxOptions:
        """Return the options with bare ids where they belong.

        Raises UsageError for options that exclude each other.
        """
        wholesale = [self.approve_all, self.reject_all, self.edit, self.review]
        if sum(wholesale) > (0 if self.approve or self.reject else 1):
            raise UsageError(
                "--approve-all, --reject-all, --edit and --review exclude each other"
                " and --approve or --reject"
            )
        if self.reason and not (self.reject or self.approve or self.reject_all):
            raise UsageError("--reason belongs to --reject, --reject-all or --approve")
        if self.scope and not self.approve:
            raise UsageError("--scope belongs to --approve: it says where they hold")
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


def handle_inbox(
    engine: MemoryEngine,
    record_filter: Filter,
    options: InboxOptions,
    limit: int = 0,
    offset: int = 0,
) -> Page | ChangeReport | ReviewReport:
    """Do what the options ask for. Raises UsageError, NotFound, RefusedByPolicy."""
    options = options.assign_bare_ids()
    reason, dry_run = options.reason, options.dry_run
    if options.approve_all:
        return engine.inbox.approve_all(record_filter, dry_run=dry_run)
    if options.reject_all:
        return engine.inbox.reject_all(record_filter, reason=reason, dry_run=dry_run)
    if options.approve or options.reject:
        reports = engine.inbox.decide(
            approve=options.approve,
            reject=options.reject,
            reason=reason,
            project=options.project,
            scope=options.scope,
            tags=options.tags if options.approve else (),
            dry_run=dry_run,
        )
        if prompts.is_person() and not dry_run:
            reports = tuple(_ask_about_refused(engine, report, reason) for report in reports)
        return reports[0] if len(reports) == 1 else ReviewReport(reports, dry_run=dry_run)
    is_whole = options.edit or options.review
    page = engine.inbox.list(record_filter, limit=-1 if is_whole else limit, offset=offset)
    if options.more:
        page = replace(page, items=engine.inbox.find_candidates(options.more), proposals=())
    if options.edit:
        return _edit_page(engine, page, dry_run=dry_run)
    return _review_page(engine, page) if options.review else page


def _ask_about_refused(
    engine: MemoryEngine, report: ChangeReport, reason: str | None
) -> ChangeReport:
    """Ask where candidates belong that could not be approved because nobody knows it."""
    left = []
    for refusal in report.refused:
        view = engine.records.show(refusal.id)
        answer = None
        if view.place_unknown and view.memory.status == "inbox":
            prompts.say("", *_render_candidate(engine, view))
            answer = ask_place.ask_place(engine, view)
        # One answer settles a whole session: the next of it is asked about no more.
        is_settled = answer is not None or not view.place_unknown
        if report.verb != "approved" or not is_settled:
            left.append(refusal)
            continue
        where = answer or ask_place.PlaceAnswer()
        done = engine.promote([refusal.id], reason=reason, project=where.project, scope=where.scope)
        left += done.refused
        report = replace(
            report,
            changed=(*report.changed, *done.changed),
            replaced=(*report.replaced, *done.replaced),
        )
    return replace(report, refused=tuple(left))


def _edit_page(engine: MemoryEngine, page: Page, *, dry_run: bool) -> ReviewReport:
    decisions = yaml_editor.edit_candidates(page.items) if page.items else []
    touched = [each for each in decisions if each.decision != "keep" or each.changes]
    reports = engine.inbox.apply_decisions(decisions, dry_run=dry_run)
    return ReviewReport(reports, kept=page.total - len(touched), dry_run=dry_run)


def _review_page(engine: MemoryEngine, page: Page) -> ReviewReport:
    """Ask about one candidate after the other; each answer is carried out at once."""
    if not prompts.is_person():
        raise UsageError(
            "--review needs you at a terminal", hint="use --approve, --reject or --edit"
        )
    if page.items or page.proposals:
        prompts.say("Each answer is carried out at once. Nothing that you skip is lost.")
    done: list[ChangeReport] = []
    goes_on = True
    for number, listed in enumerate(page.items, 1):
        # An earlier answer may have settled where it belongs, or that it was known already.
        view = engine.records.show(listed.memory.id)
        if view.memory.status != "inbox":
            continue
        prompts.say("", f"{number} of {len(page.items)}", *_render_candidate(engine, view))
        reports, goes_on = _review_candidate(engine, view)
        done += reports
        if not goes_on:
            break
    if goes_on:
        done += _review_proposals(engine, page.proposals)
    settled = {
        view.memory.id
        for report in done
        for view in report.changed
        if view.memory.status != "inbox"
    }
    return ReviewReport(tuple(done), kept=page.total - len(settled))


def _review_proposals(
    engine: MemoryEngine, proposals: Sequence[Proposal]
) -> Iterator[ChangeReport]:
    """Ask about what maintenance proposes, one after the other."""
    for number, proposal in enumerate(proposals, 1):
        prompts.say(
            "",
            f"proposal {number} of {len(proposals)}",
            format_proposal(proposal),
            f"  {flatten(proposal.reason)}",
        )
        key = prompts.ask(_PROPOSAL_KEYS).lower()[:1]
        if key == "a":
            yield engine.inbox.accept_proposals([proposal.id])
        elif key == "r":
            yield engine.inbox.decline_proposals([proposal.id])
        elif key == "q":
            return


def _review_candidate(engine: MemoryEngine, view: RecordView) -> tuple[list[ChangeReport], bool]:
    """Carry out the person's answers about one candidate.

    Return what was done, and whether to go on to the next candidate.
    """
    done: list[ChangeReport] = []
    record_id = view.memory.id
    while True:
        keys = _DISPUTED_KEYS if view.contradicted_by else _CANDIDATE_KEYS
        answer = prompts.ask(keys)
        key = answer.lower()[:1]
        if key == "p" or (key == "a" and view.place_unknown):
            done += _settle_place(engine, view)
            view = engine.records.show(record_id)
            if key == "p" or view.place_unknown:
                continue
        if key in ("b", "i") and view.contradicted_by:
            _settle_sides(engine, view, in_place=key == "i")
            if engine.records.show(record_id).memory.status != "inbox":
                return done, True
            key = "a"
        if key == "a":
            return [*done, _approve(engine, record_id)], True
        if key == "r":
            # `r` and Enter reject; `r was a joke` says why.
            reason = answer.partition(" ")[2].strip()
            return [*done, engine.inbox.reject([record_id], reason=reason)], True
        if key in ("s", "q"):
            return done, key == "s"
        if key == "e":
            changes = yaml_editor.edit_record(engine.records.show(record_id))
            done += [engine.records.edit(record_id, changes)] if changes else []
        else:
            prompts.say(_HELP)


def _settle_sides(engine: MemoryEngine, view: RecordView, *, in_place: bool) -> None:
    """Say that a candidate and what it stands against both hold, or that the candidate does.

    What it proposes to replace gives way when it is approved.
    """
    for other in view.contradicted_by:
        if not in_place:
            engine.conflicts.resolve([view.memory.id, other], Place(), dismiss=True)
        elif other not in view.replaces:
            _take_place(engine, view.memory.id, other)


def _take_place(engine: MemoryEngine, record_id: str, other: str) -> None:
    """Let a candidate take the place of a record; refusals are printed."""
    try:
        engine.conflicts.resolve([record_id, other], Place(), keep=record_id)
    except MemctlError as error:
        prompts.say(f"  refused: {error}")


def _settle_place(engine: MemoryEngine, view: RecordView) -> list[ChangeReport]:
    """Ask where a candidate belongs, and put it there."""
    answer = ask_place.ask_place(engine, view)
    if answer is None:
        return []
    try:
        return [engine.records.edit(view.memory.id, answer.to_changes())]
    except NotFound as error:
        prompts.say(f"  {error}", *([f"  {error.hint}"] if error.hint else []))
        return []


def _approve(engine: MemoryEngine, record_id: str) -> ChangeReport:
    """Approve one candidate, ask for the rationale that a decision lacks, and print refusals."""
    memory = engine.records.show(record_id).memory
    lacks_rationale = memory.type == "decision" and not memory.rationale
    rationale = prompts.ask("Why was it decided so?") if lacks_rationale else ""
    report = engine.promote([record_id], reason=rationale or None)
    prompts.say(*(f"  refused: {refusal.reason}" for refusal in report.refused))
    return report


def _render_candidate(engine: MemoryEngine, view: RecordView) -> Iterator[str]:
    """Yield a candidate, the quotes that support it, and the record that it resembles most."""
    memory = view.memory
    location = format_location(view)
    yield (
        f"{view.short}  {memory.type}/{memory.kind}  {location}  confidence {memory.confidence:.2f}"
    )
    explanation = engine.explain(memory.id)
    checks = explanation.evidence if isinstance(explanation, MemoryExplanation) else ()
    if flatten(memory.content) not in {flatten(check.evidence.quote) for check in checks}:
        yield from indent_lines(memory.content)
    yield from map(_format_check, checks)
    if memory.rationale:
        yield f"  because: {flatten(memory.rationale)}"
    yield from (f"  {line}" for line in render_other_sides(view))
    nearest = engine.inbox.find_nearest(view)
    if nearest is not None and nearest.memory.id not in view.others:
        yield f"  nearest: {format_heading(nearest)}"
        yield f"  {format_word_diff(nearest.memory.content, memory.content)}"


def _format_check(check: EvidenceCheck) -> str:
    source, quote = check.source, format_quote(check.evidence)
    origin = (
        f"; {source.agent} session {source.session_id}, turn {check.evidence.turn}"
        if source
        else ""
    )
    state = "" if check.state in ("intact", "manual") else f"; evidence {check.state}"
    return f"  {quote}{origin}{state}"


def format_word_diff(old: str, new: str) -> str:
    """Return two texts as one line: `[-gone-]` and `{+new+}` words between those that stayed."""
    before, after = old.split(), new.split()
    pieces: list[str] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pieces += before[i1:i2]
            continue
        if i2 > i1:
            pieces.append(f"[-{' '.join(before[i1:i2])}-]")
        if j2 > j1:
            pieces.append(f"{{+{' '.join(after[j1:j2])}+}}")
    return " ".join(pieces)
