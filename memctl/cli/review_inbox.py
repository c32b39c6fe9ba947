"""The ways of `memctl inbox`: list, approve, reject, edit as YAML, or review one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memctl.cli import prompts
from memctl.cli.cli_results import ReviewReport
from memctl.core.errors import UsageError
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Filter, Place
from memctl.engine.memory_engine import MemoryEngine
from memctl.results.records import ChangeReport, Page, RecordView


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
    find_place: Callable[[], Place] = Place,
) -> Page | ChangeReport | ReviewReport:
    """Do what the options ask for; a review begins with the project of the place.

    Raises UsageError, NotFound, RefusedByPolicy.
    """
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
    if options.review:
        from memctl.cli import review_lines

        return review_lines.review_page(engine, page, None if options.more else find_place())
    return page


def review_waiting(engine: MemoryEngine, place: Place, wanted: Filter) -> ReviewReport:
    """Review what waits on one screen; one by one where the screen's library is not installed."""
    try:
        from memctl.cli import review_app
    except ModuleNotFoundError:
        from memctl.cli import review_lines

        prompts.say("One by one: the screen of `memctl review` needs the extra `review` (textual).")
        return review_lines.review_page(engine, engine.inbox.list(wanted, limit=-1), place)
    from memctl.cli.review_session import ReviewSession

    session = ReviewSession(engine, place, wanted)
    review_app.run_review(session)
    return ReviewReport((), kept=len(session.list_items()))


def _ask_about_refused(
    engine: MemoryEngine, report: ChangeReport, reason: str | None
) -> ChangeReport:
    """Ask where candidates belong that could not be approved because nobody knows it."""
    from memctl.cli import ask_place  # here, because most are decided on without a question

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
    from memctl.cli import yaml_editor  # here, because it starts programs

    decisions = yaml_editor.edit_candidates(page.items) if page.items else []
    touched = [each for each in decisions if each.decision != "keep" or each.changes]
    reports = engine.inbox.apply_decisions(decisions, dry_run=dry_run)
    return ReviewReport(reports, kept=page.total - len(touched), dry_run=dry_run)


def _render_candidate(engine: MemoryEngine, view: RecordView) -> Iterator[str]:
    from memctl.cli.text.review import render_candidate

    nearest = engine.inbox.find_nearest(view)
    return render_candidate(view, engine.explain(view.memory.id), nearest)
